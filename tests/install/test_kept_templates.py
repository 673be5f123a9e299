"""Templates are kept as Python compiles them, and never outlive the template."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from advisor.install.kept_templates import KeptTemplates


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "one.j2").write_text("one {{ number }}", encoding="utf-8")
    return tmp_path


def rendered(folder: Path) -> str:
    env = Environment(loader=FileSystemLoader(folder), bytecode_cache=KeptTemplates(str(folder)))
    return env.get_template("one.j2").render(number=1)


def kept(folder: Path) -> list[Path]:
    return [*folder.glob("__pycache__/*.pyc")]


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(folder) == "one 1"
    assert len(kept(folder)) == 1
    monkeypatch.setattr(Environment, "compile", lambda *_, **__: pytest.fail("compiled again"))
    assert rendered(folder) == "one 1"


@pytest.mark.parametrize("damage", ["changed", "cut", "other"])
def test_what_is_kept_of_another_template_or_is_damaged_is_not_used(folder: Path, damage: str) -> None:
    rendered(folder)
    (path,) = kept(folder)
    if damage == "changed":
        (folder / "one.j2").write_text("two {{ number }}", encoding="utf-8")
    else:
        path.write_bytes(path.read_bytes()[:60] if damage == "cut" else b"no bytecode")
    assert rendered(folder) == ("two 1" if damage == "changed" else "one 1")


def test_nothing_is_kept_where_python_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(folder) == "one 1"
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder.joinpath("__pycache__").write_text("a file, so that no folder can be made")
    assert rendered(folder) == "one 1"
    assert kept(folder) == []

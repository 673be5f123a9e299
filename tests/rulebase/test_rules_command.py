"""`advisor rules list | verify | schema`, and the wheel that carries a rule base."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from advisor.cli import main
from advisor.rulebase.base import load
from tests import needs
from tests.rulebase.bases import MINIMAL, edit
from tests.tiers import thorough

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def shipped(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes the commands use the minimal rule base."""
    # Not rule_base itself: a module that is first imported now would keep what stands for it.
    monkeypatch.setattr("advisor.rulebase.base.load", lambda **_: load(str(root)))
    return root


def test_list(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert lines[0].split() == ["nconnect/azure-files", "platform", "4", "should", "Number", "of", "connections"]
    assert lines[-1].split() == ["el8-hang", "erratum", "-", "must", "Mounts", "hang"]


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["nconnect"], ["nconnect/azure-files", "nconnect/default"]),
        (["mount.nconnect"], ["nconnect/azure-files", "nconnect/default"]),
        (["slots/v4", "errata"], ["slots/v4", "el8-hang"]),
        (["sysctl"], ["slots/few", "slots/many", "slots/v4"]),
        (["checks"], ["intr-with-nconnect"]),
    ],
)
def test_list_some(shipped: Path, capsys: pytest.CaptureFixture[str], names: list[str], ids: list[str]) -> None:
    assert main(["rules", "list", *names, "--output-format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == ids
    assert set(rows[0]) == {"id", "kind", "decision", "layer", "value", "strength", "title", "file"}


def test_list_facts(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "--facts"]) == 0
    out = capsys.readouterr().out
    assert "storage.endpoint" in out
    assert "private | public" in out
    assert "int (clients)" in out


def test_list_unknown(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "nconect"]) == 2
    assert "did you mean nconnect" in capsys.readouterr().err


def test_verify(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "--root", str(root)]) == 0
    *_, share, summary = capsys.readouterr().out.splitlines()
    assert share == "note: 1 of 1 claims with figures were checked against their source (0 could not be opened)"
    assert summary.startswith(
        "8 rules, 3 decisions, 1 check, 1 erratum, 9 facts, 5 tunables, 2 messages, 1 cause, 1 family, "
        "1 conclusion, 3 claims and 1 source: no problems ("
    )
    edit(root, "rules/mount/vers.yaml", "strength: must", "strength: most")
    assert main(["rules", "verify", "--root", str(root)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('rules/mount/vers.yaml:7:15: "strength" is "most"; it is one of must, should or may; ')
    assert ": 1 problem (" in lines[-1]


def test_verify_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "verify", "--root", str(tmp_path)]) == 2
    assert "rules/ and kb/" in capsys.readouterr().err
    (tmp_path / "rules").write_text("a file")
    for place in (tmp_path, tmp_path / "rules"):
        assert main(["rules", "verify", "--root", str(place)]) == 2
        assert "rules/ and kb/" in capsys.readouterr().err


def test_verify_asks_for_near_misses(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(
        root,
        "rules/mount/nconnect.yaml",
        "      - {given: {storage.platform: anf, client.has_nconnect: true}, expect: omit}\n",
        "",
    )
    assert main(["rules", "verify", "--root", str(root)]) == 1
    assert "no example shows what storage.platform is for in nconnect/azure-files" in capsys.readouterr().out


def test_a_broken_base_is_told_without_traceback(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(root, "rules/mount/vers.yaml", "strength: must", "strength: most")
    monkeypatch.setattr("advisor.rulebase.base.source_root", lambda: str(root))
    assert main(["rules", "list"]) == 2
    error = capsys.readouterr().err
    assert "rules/mount/vers.yaml:7:15" in error
    assert "Traceback" not in error


def test_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "schema"]) == 0
    kinds = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert main(["rules", "schema", "--write-to", str(tmp_path / "schemas")]) == 0
    assert sorted(path.name for path in (tmp_path / "schemas").iterdir()) == sorted(
        f"{kind}.schema.json" for kind in kinds
    )
    assert main(["rules", "schema", "check"]) == 0
    assert json.loads(capsys.readouterr().out)["properties"]["remedy"]["type"] == "string"
    assert main(["rules", "schema", "chek"]) == 2
    assert "did you mean check?" in capsys.readouterr().err


@thorough
def test_a_wheel_needs_no_checkout(tmp_path: Path) -> None:
    """Built from a copy of the package with the minimal rule base, and used far from both."""
    needs.package("hatchling")
    source, far = tmp_path / "source", tmp_path / "far"
    shutil.copytree(REPOSITORY / "advisor", source / "advisor", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "tools", source / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "LICENSE", "README.md"):
        shutil.copy(REPOSITORY / name, source / name)
    shutil.copytree(MINIMAL, source, dirs_exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    shutil.rmtree(source)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(far)
    assert (far / "advisor/_base.jsonl").is_file()
    assert (far / "advisor/_data/rules/mount/nconnect.yaml").read_bytes() == (
        MINIMAL / "rules/mount/nconnect.yaml"
    ).read_bytes()

    def run(*args: str, site: bool = True) -> str:
        command = [sys.executable, *([] if site else ["-S"]), "-m", "advisor", *args]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(far)},
            check=True,
            text=True,
            capture_output=True,
        ).stdout

    assert len(run("rules", "list", site=False).splitlines()) == 10
    before = sorted(far.rglob("*.json"))
    assert "no problems" in run("rules", "verify")
    assert sorted(far.rglob("*.json")) == before

"""A small rule base that is right in everything, and ways to make it wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

from advisor.rulebase import build, rule_files
from advisor.rulebase.document import Problem

MINIMAL = Path(__file__).parent / "minimal"
MARK = "‸"
"""Stands in an edit where the error is expected; it is not written to the file."""


def copy(tmp_path: Path) -> Path:
    """The minimal rule base, in a folder of its own."""
    root = tmp_path / "base"
    shutil.copytree(MINIMAL, root)
    return root


def edit(root: Path, path: str, old: str, new: str) -> tuple[int, int] | None:
    """Replace the only `old` in a file by `new` (all of it where `old` is empty); line and column of MARK in it."""
    file = root / path
    text = file.read_text(encoding="utf-8") if old else ""
    assert text.count(old) == 1 or not old, f"{path}: {text.count(old)} times {old!r}"
    text = text.replace(old, new) if old else new
    before, mark, after = text.partition(MARK)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before + after, encoding="utf-8")
    return (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1) if mark else None


def problems(root: Path) -> list[Problem]:
    """What loading refuses."""
    return build.check(str(root), rule_files.files(str(root))).problems


def near_misses(root: Path) -> list[Problem]:
    """What `verify` asks for besides."""
    return build.check(str(root), rule_files.files(str(root)), thorough=True).near_misses

"""The expectations of other parsers' tests, and the document that says where this reader thinks otherwise."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from advisor.files.fstab import read
from tests.files.conformance import INTENDED, READ_DIFFERENTLY, STATED, TRAPS, render
from tests.files.oracles import shared

DOCUMENT = Path(__file__).parents[2] / "docs" / "fstab-conformance.md"
COLUMNS = {"spec": "source", "file": "target", "vfstype": "fstype", "mntops": "options"}


def disagreements(line: str, expected: dict[str, Any]) -> set[str]:
    """The columns in which the reader does not see what is expected."""
    entries = read(line + "\n").entries
    if "ignored" in expected:
        return {"verdict"} if entries else set()
    (entry,) = entries
    if "error" in expected:
        return {"verdict"} if entry.libmount == "ok" else set()
    if entry.libmount_view is None:
        return {"verdict"}
    found: dict[str, str | int | None] = {}
    for column, name in COLUMNS.items():
        field = getattr(entry, name)
        found[column] = field.value if field.parts else None
        assert found[column] == getattr(entry.libmount_view, name)
    for column in ("freq", "passno"):
        absent = expected[column] is None and not getattr(entry, column).parts
        found[column] = None if absent else getattr(entry.libmount_view, column)
    return {column for column in found if found[column] != expected[column]}


def rows() -> list[dict[str, Any]]:
    text = (shared() / "corpus" / "fstab_conformance.jsonl").read_text()
    return [row for row in map(json.loads, text.splitlines()) if row["kind"] == "fstab"]


def peer(row: dict[str, Any]) -> str:
    return str(row["source"]).partition("@")[0].partition(" (")[0]


def test_only_the_intended_differences() -> None:
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows():
        basis = "stated" if row["basis"].startswith("stated") else "derived"
        for column in disagreements(row["input_line"], row["expected"]):
            found[peer(row), column, basis] += 1
    assert found == {(one.peer, one.column, one.basis): one.lines for one in INTENDED}


def test_the_lines_stated_are_counted_right() -> None:
    assert Counter(peer(row) for row in rows() if row["basis"].startswith("stated")) == STATED


def test_the_document_is_up_to_date() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == render(), (
        "run: python -m tests.files.conformance > docs/fstab-conformance.md"
    )


def test_the_examples_of_the_document_are_examples() -> None:
    assert [line for line in READ_DIFFERENTLY if not read(line + "\n").entries[0].difference] == []
    assert [line for line in TRAPS if not read(line + "\n").entries[0].traps] == []

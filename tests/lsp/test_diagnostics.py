"""Findings in an editor, their fixes, and the comments that accept them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli import main
from tests import needs
from tests.tiers import some

types = needs.package("lsprotocol.types", "lsp")

SOFT = "nas:/a /a nfs soft 0 0\n"
LEVELS = {1: "error", 2: "warning", 3: "note"}
"""Of the protocol → of the linter."""


def rules(found) -> set[str]:
    return {one.code for one in found}


@pytest.mark.parametrize(("name", "text"), [
    ("fstab", "nas:/a /a nfs soft,rzise=8192 0 0\nnas:/b /b nfs4 udp,intr,rsize=1000 0 0\n"),
    ("exports", "/srv *(rw,no_root_squash) 10.0.0.0/8(rw,snyc)\n"),
    ("nfs.conf", "[nfsd]\nthreads=0\nvres3=y\n"),
    ("sysctl.d/90-nfs.conf", "sunrpc.tcp_slot_table_entries = 1\n"),
])
def test_a_text_has_the_findings_of_lint(editor, tmp_path: Path, capsys, name: str, text: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    main(["lint", "--output-format", "json", str(file)])
    told = json.loads(capsys.readouterr().out)["findings"]
    found = editor.open(f"same/{name}", text)
    assert told
    assert [(one["rule"], one["severity"], one["line"], one["column"], one["end_column"]) for one in told] == [
        (one.code, LEVELS[one.severity], one.range.start.line + 1, one.range.start.character + 1,
         one.range.end.character + 1)
        for one in found
    ]
    assert all(one["message"] in shown.message and one["remedy"] in shown.message for one, shown in zip(told, found))


def test_a_finding_says_where_to_read_more(editor) -> None:
    (soft,) = (one for one in editor.open("more/fstab", SOFT) if one.code == "hard/default")
    assert soft.source == "advisor"
    assert soft.code_description.href.startswith("https://")


def test_what_is_typed_is_judged(editor) -> None:
    assert "hard/default" in rules(editor.open("typed/fstab", SOFT))
    assert "hard/default" not in rules(editor.change("typed/fstab", SOFT.replace("soft", "hard")))
    assert "hard/default" in rules(editor.change("typed/fstab", "# mine\n" + SOFT))


def test_nothing_is_told_of_a_text_that_was_closed(editor) -> None:
    editor.open("closed/fstab", SOFT)
    editor.close("closed/fstab")
    assert editor.found(editor.uri("closed/fstab"), None) == []


@pytest.mark.parametrize(("encodings", "columns"), some(
    [((), (18, 22)), (("utf-8",), (21, 25)), (("utf-32",), (17, 21))], 2,
))
def test_columns_are_counted_as_was_agreed(start, tmp_path: Path, encodings, columns) -> None:
    editor = start(tmp_path, encodings=encodings)
    (soft,) = (one for one in editor.open("fstab", "nas:/a /a/ü😀 nfs soft 0 0\n")
               if one.code == "hard/default")
    assert (soft.range.start.character, soft.range.end.character) == columns


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_counted_as_the_protocol_does(editor, end: str) -> None:
    text = f"# one\x0c\u2028still one{end}{SOFT.rstrip()}{end}"
    (soft,) = (one for one in editor.open(f"lines/{len(end)}/fstab", text) if one.code == "hard/default")
    assert (soft.range.start.line, soft.range.start.character, soft.range.end.character) == (1, 14, 18)


def test_the_language_tells_what_nothing_else_does(editor) -> None:
    assert "hard/default" in rules(editor.open("untitled:1", SOFT, "fstab"))
    assert editor.open("untitled:2", "Dear all,\n\nlunch is at noon.\n", "plaintext") == []


def test_texts_that_belong_together_are_read_together(editor) -> None:
    unit = "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\n"
    drop_in = "[Mount]\nOptions=soft\n"
    assert editor.open("u/a.mount.d/soft.conf", drop_in) == []
    editor.open("another-host/a.mount", unit)
    assert editor.change("u/a.mount.d/soft.conf", drop_in) == []
    editor.open("u/a.mount", unit)
    assert "hard/default" in rules(editor.change("u/a.mount.d/soft.conf", drop_in))


def only(editor, name: str, text: str, rule: str):
    (found,) = (one for one in editor.open(name, text) if one.code == rule)
    return found, editor.actions(name, found.range)


def applied(text: str, action) -> str:
    """The text with an action's edits; all characters of these tests are one unit of UTF-16 long."""
    (edits,) = action.edit.changes.values()
    starts = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]

    def offset(place) -> int:
        return starts[place.line] + place.character

    for edit in sorted(edits, key=lambda edit: -offset(edit.range.start)):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def test_an_unsafe_fix_is_called_so(editor) -> None:
    text = "# one\nnas:/a /a nfs soft,rsize=1048576 0 0\n"
    found, offered = only(editor, "unsafe/fstab", text, "hard/default")
    (fix,) = (one for title, one in offered.items() if title.startswith("Unsafe fix: "))
    assert not fix.is_preferred
    assert [*fix.diagnostics] == [found]
    assert applied(text, fix) == text.replace("soft", "hard")


def test_a_safe_fix_is_preferred(editor) -> None:
    text = "nas:/a /a nfs hard,intr 0 0\n"
    found = next(one for one in editor.open("safe/fstab", text) if "intr" in one.message)
    fix = next(one for title, one in editor.actions("safe/fstab", found.range).items() if title.startswith("Fix: "))
    assert fix.is_preferred
    assert applied(text, fix) == "nas:/a /a nfs hard 0 0\n"


@pytest.mark.parametrize(("name", "text", "rule", "comment"), [
    ("fstab", "nas:/b /b nfs hard 0 0\nnas:/a /a nfs soft 0 0\n", "hard/default", 1),
    ("crlf.fstab", "nas:/b /b nfs hard 0 0\r\nnas:/a /a nfs soft 0 0\r\n", "hard/default", 1),
    ("exports", "/srv 10.0.0.0/8(rw,sync) \\\n  *(rw,sync,no_root_squash)\n", "export-to-everybody", 0),
    ("a.mount", "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\nOptions=soft\n", "hard/default", 4),
    ("pv.yaml", "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec:\n  mountOptions:\n    - soft\n"
                "  nfs: {server: nas, path: /a}\n", "hard/default", 5),
])
def test_what_is_accepted_is_silent(editor, name: str, text: str, rule: str, comment: int) -> None:
    place = f"accept/{name}"
    before = editor.open(place, text)
    (found,) = (one for one in before if one.code == rule)
    after = applied(text, editor.actions(place, found.range)[f"Accept with a reason: {rule}"])
    assert f"# advisor: ignore[{rule}] " in after.split("\n")[comment]
    assert [one.code for one in editor.change(place, after)] == [one.code for one in before if one is not found]


def test_nothing_is_accepted_where_there_are_no_comments(editor) -> None:
    text = "root=/dev/nfs nfsroot=10.0.0.1:/a,soft ip=dhcp\n"
    _, offered = only(editor, "proc/cmdline", text, "hard/default")
    assert not any(title.startswith("Accept") for title in offered)


def test_nothing_is_offered_elsewhere(editor) -> None:
    text = "# one\nnas:/a /a nfs soft 0 0\n"
    found, _ = only(editor, "elsewhere/fstab", text, "hard/default")
    found.range.start.line = found.range.end.line = 0
    assert editor.actions("elsewhere/fstab", found.range) == {}

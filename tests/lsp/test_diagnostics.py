"""What an editor underlines: the findings of `advisor lint`, in texts that nobody has saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli import main

types = pytest.importorskip("lsprotocol.types", reason="the extra lsp is not installed")

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


@pytest.mark.parametrize(("encodings", "columns"), [((), (18, 22)), (("utf-8",), (21, 25)), (("utf-32",), (17, 21))])
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

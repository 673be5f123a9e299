"""What an editor offers to do about a finding: its fix, and to accept it."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls", reason="the extra lsp is not installed")


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

"""Maps of autofs(5): which options belong to which mount."""

from __future__ import annotations

import pytest

from advisor.readers import mounts


def read(text: str) -> list[tuple[str, str, str, str]]:
    table = mounts.read("autofs", text, "auto.data")
    assert not table.bad
    return [(one.source.value, one.target.value, one.fstype.value, one.options.text) for one in table.mounts]


def test_options_of_one_place_are_not_those_of_the_next() -> None:
    assert read("sw -hard /lib -ro nas:/lib /bin nas:/bin\n") == [
        ("nas:/lib", "/lib", "nfs", "hard,ro"), ("nas:/bin", "/bin", "nfs", "hard"),
    ]


@pytest.mark.parametrize(("options", "fstype"), [
    ("-soft", "nfs"), ("-fstype=nfs4,soft", "nfs4"), ("-fstype=nfs4,fstype=nfs,soft", "nfs"),
])  # fmt: skip
def test_the_type_that_a_master_file_gives_last_holds(options: str, fstype: str) -> None:
    assert read(f"/misc /etc/auto.misc {options}\n") == [("", "", fstype, "soft")]


def test_quoted_blanks_belong_to_the_word() -> None:
    text = '"a b" -rw nas:/x\nc\\ d -rw nas:"/my dir"\ne -rw "nas:/n n"\nf -rw nas:/my\\ dir\n'
    assert read(text) == [
        ("nas:/x", "a b", "nfs", "rw"), ("nas:/my dir", "c d", "nfs", "rw"), ("nas:/n n", "e", "nfs", "rw"),
        ("nas:/my dir", "f", "nfs", "rw"),
    ]


@pytest.mark.parametrize(("line", "column", "words"), [
    ("a b -rw nas:/x", 3, 'a space ends the key; write "a b" if both are the key'),
    ("a -rw, hard nas:/x", 8, "a space ends the options; write -rw,hard"),
    ("a -rw ,hard nas:/x", 7, "a space ends the options; write -rw,hard"),
    ('a "-rw" nas:/x', 3, "options begin with a dash, and a location is server:/path"),
    ("a -rw nas :/x", 7, "options begin with a dash, and a location is server:/path"),
    ("a/b -rw nas:/x", 1, "automount skips a key with a slash in it, unless it begins with one"),
    ('"a -rw nas:/x', 1, "no location follows; write server:/path"),
])  # fmt: skip
def test_what_automount_does_not_take(line: str, column: int, words: str) -> None:
    assert [(span.column, said) for span, said in mounts.read("autofs", line, "auto.data").bad] == [(column, words)]

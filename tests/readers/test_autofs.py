"""Maps of autofs(5) and master files: which options belong to which mount, and which to the automounter itself."""

from __future__ import annotations

import pytest

from advisor.lint.run import lint_text
from advisor.readers import mounts, settings
from advisor.rulebase.base import load


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


@pytest.mark.parametrize(("line", "own", "given"), [
    ("/home /etc/auto.home --timeout=600 --ghost", [("timeout", "600"), ("ghost", "")], ""),
    ("/home auto.home --timeout 300 -g rw,soft", [("timeout", "300"), ("ghost", "")], "rw,soft"),
    ("/home auto.home --ghost,--timeout=30", [("ghost", ""), ("timeout", "30")], ""),
    ("/home auto.home -t 60 -fstype=nfs4,vers=4.1", [("timeout", "60")], "vers=4.1"),
    ("/net -hosts -nosuid,nodev", [], "nosuid,nodev"), ("+auto.master", [], ""),
    ("key -rw nas:/data", [], "rw"), ("/home auto.home # kept --timeout=5", [("", "")], ""),
])  # fmt: skip
def test_a_line_of_a_master_file(line: str, own: list[tuple[str, str]], given: str) -> None:
    assert [(one.key.text, one.value.text) for one in settings.read("autofs", line, "auto.master").settings] == own
    entries = mounts.read("autofs", line, "auto.master").mounts
    assert ",".join(entry.options.text for entry in entries) == given


@pytest.mark.parametrize(("line", "rules"), [
    ("/home /etc/auto.home --timeout=600 --ghost -rw,hard,nosuid", set()),
    ("/home /etc/auto.home --ghots", {"setting-unknown"}), ("/home /etc/auto.home --timeout=5m", {"setting-value"}),
    ("/home /etc/auto.home -rw,hrad", {"unknown-option"}),
    ("/home /etc/auto.home # soon", {"setting-trailing-comment"}),
    ("/smb /etc/auto.smb -fstype=cifs,uid=1000,credentials=/x", set()), ("/smb /etc/auto.smb uid=1000,noperm", set()),
    ("/home /etc/auto.home -fstype=nfs,nconnect=99", {"option-out-of-range"}), ("/net -hosts", set()),
])  # fmt: skip
def test_findings_in_a_line_of_a_master_file(line: str, rules: set[str]) -> None:
    assert {one.rule for one in lint_text(f"{line}\n", "/etc/auto.master", load(), {}, kind="autofs").findings} == rules

"""Maps of autofs(5) and master files: which options belong to which mount, and which to the automounter itself."""

from __future__ import annotations

import pytest

from advisor.files import kinds
from advisor.files.autofs import maps
from advisor.files.records import Span, Token
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each
from tests.files.spans import written


def read(text: str) -> list[tuple[str, str, str, str]]:
    table = kinds.read_mounts("autofs", text, "auto.data")
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


@each(lambda: [
    ("a b -rw nas:/x", 3, 'a space ends the key; write "a b" if both are the key'),
    ("a -rw, hard nas:/x", 8, "a space ends the options; write -rw,hard"),
    ("a -rw ,hard nas:/x", 7, "a space ends the options; write -rw,hard"),
    ('a "-rw" nas:/x', 3, "options begin with a dash, and a location is server:/path"),
    ("a -rw nas :/x", 7, "options begin with a dash, and a location is server:/path"),
    ("a/b -rw nas:/x", 1, "automount skips a key with a slash in it, unless it begins with one"),
    ('"a -rw nas:/x', 1, "no location follows; write server:/path"),
])  # fmt: skip
def test_what_automount_does_not_take(line: str, column: int, words: str) -> None:
    bad = kinds.read_mounts("autofs", line, "auto.data").bad
    assert [(span.column, said) for span, said in bad] == [(column, words)]


@each(lambda: [
    ("/home /etc/auto.home --timeout=600 --ghost", [("timeout", "600"), ("ghost", "")], ""),
    ("/home auto.home --timeout 300 -g rw,soft", [("timeout", "300"), ("ghost", "")], "rw,soft"),
    ("/home auto.home --ghost,--timeout=30", [("ghost", ""), ("timeout", "30")], ""),
    ("/home auto.home -t 60 -fstype=nfs4,vers=4.1", [("timeout", "60")], "vers=4.1"),
    ("/net -hosts -nosuid,nodev", [], "nosuid,nodev"), ("+auto.master", [], ""),
    ("{{ a }} /etc/auto.home -rw,intr", [], "rw,intr"), ("{{ a }} {{ b }} -rw,intr", [], ""),
    ("key -rw nas:/data", [], "rw"), ("/home auto.home # kept --timeout=5", [("", "")], ""),
])  # fmt: skip
def test_a_line_of_a_master_file(line: str, own: list[tuple[str, str]], given: str) -> None:
    settings = kinds.read_settings("autofs", line, "auto.master").settings
    assert [(one.key.text, one.value.text) for one in settings] == own
    entries = kinds.read_mounts("autofs", line, "auto.master").mounts
    assert ",".join(entry.options.text for entry in entries) == given


@each(lambda: [
    ("/home /etc/auto.home --timeout=600 --ghost -rw,hard,nosuid", set()),
    ("/home /etc/auto.home --ghots", {"setting-unknown"}), ("/home /etc/auto.home --timeout=5m", {"setting-value"}),
    ("/home /etc/auto.home -rw,hrad", {"unknown-option"}),
    ("/home /etc/auto.home # soon", {"setting-trailing-comment"}),
    ("/home /etc/auto.home -rw,vers=4.2,nocto,bg,rsize=32768", {"nocto-v4", "bg-in-map", "rsize-small"}),
    ("/smb /etc/auto.smb -rsize=32768,credentials=/x", set()),
    ("/smb /etc/auto.smb -fstype=cifs,uid=1000,credentials=/x", set()), ("/smb /etc/auto.smb uid=1000,noperm", set()),
    ("/home /etc/auto.home -fstype=nfs,nconnect=99", {"option-out-of-range"}), ("/net -hosts", set()),
])  # fmt: skip
def test_findings_in_a_line_of_a_master_file(line: str, rules: set[str]) -> None:
    assert {one.rule for one in lint_text(f"{line}\n", "/etc/auto.master", load(), {}, kind="autofs").findings} == rules


def test_where_the_fields_of_an_entry_are() -> None:
    text = '# x\n\n a\\ b  -rw,fstype=nfs4,hard \\\n  "nas(5)":/x\\ y\n /c -ro -soft nas:/c\n\nd :/dev/x \\'
    first, second, third = kinds.read_mounts("autofs", text, "auto.x").mounts
    assert [(one.line_no, one.target.value, one.source.value, one.fstype.value) for one in (first, second, third)] == [
        (3, "a b", "nas:/x y", "nfs4"), (5, "/c", "nas:/c", "nfs"), (7, "d", ":/dev/x", "none"),
    ]
    assert [written(text, part.span) for part in first.options.parts] == ["rw", "hard"]
    assert [tuple(field.span) for field in (first.target, first.source, first.fstype)] == [
        (3, 2, 6), (4, 3, 17), (3, 19, 23),
    ]
    assert [written(text, part.span) for part in second.options.parts] == ["ro", "soft"]
    assert tuple(third.fstype.near) == (7, 3, 10)


def test_a_location_may_be_a_placeholder_beside_a_type() -> None:
    text = "{{ d }} -fstype=nfs4,soft {{ fs.device }}\n/b -fstype=ext4 {{ disk }}\n/c -soft {{ x }}\n"
    (mount,) = kinds.read_mounts("autofs", text, "auto.x.j2").mounts
    assert (mount.fstype.value, mount.target.value) == ("nfs4", "{{ d }}")
    assert [written(text, part.span) for part in mount.options.parts] == ["soft"]


def test_where_the_options_of_a_master_file_are() -> None:
    line = "/home auto.home -t 5 --ghost -rw,fstype=nfs4 6 --,x soft,browse # a"
    (mount,) = kinds.read_mounts("autofs", f"\n{line}", "auto.master").mounts
    assert [(part.text, written(f"\n{line}", part.span)) for part in mount.options.parts] == [
        ("rw", "rw"), ("6", "6"), ("soft", "soft")]
    assert (mount.line_no, tuple(mount.source.near), mount.fstype.value, mount.raw) == (2, (2, 7, 16), "nfs4", line)


@pytest.mark.parametrize(("text", "place"), [
    ("a -rw\n", "a -rw"), ("\n a -rw,\\\n  hard\n", "a"), ("/a b", "/a b"), ("/a /etc/x", ""), ("/a", "/a"),
])  # fmt: skip
def test_an_entry_without_a_location_is_marked_if_it_is_of_one_line_and_else_its_key(text: str, place: str) -> None:
    bad = kinds.read_mounts("autofs", text, "auto.x").bad
    assert [written(text, span) for span, _ in bad] == ([place] if place else [])


@each(lambda: [
    ("a nas:/x -rw", "nothing reads options behind a location; write them before it"),
    ("a -rw x,y nas:/x", "options begin with a dash, and a location is server:/path"),
    ("a -rw,, ,hard nas:/x", "a space ends the options; write -rw,hard"),
    ('"a" b nas:/x', "options begin with a dash, and a location is server:/path"), ("a nas:/x b", ""),
    ("a /b -rw nas:/x /c -ro nas:/y", ""), ("/a/b nas:/x", ""),
])  # fmt: skip
def test_words_out_of_place(line: str, words: str) -> None:
    assert [said for _, said in kinds.read_mounts("autofs", line, "auto.x").bad] == ([words] if words else [])


@each(lambda: [
    ("/a auto.a --timeout=5 -g", [("timeout", "--timeout", "5"), ("ghost", "-g", "")]),
    ("/a auto.a --timeout 5 6", [("timeout", "--timeout", "5")]),
    ("/a auto.a --negative-timeout,7 -n 8", [("negative-timeout", "--negative-timeout", "7"),
    ("negative-timeout", "-n", "8")]),
    ("/a auto.a -t x --verbose 5", [("verbose", "--verbose", "")]), ("/a auto.a -rw 5 -x", []), ("a auto.a -g", []),
    ("/a nas:/x -g", []), ("/a", []),
])  # fmt: skip
def test_where_the_automounters_own_options_are(line: str, expected: list[tuple[str, str, str]]) -> None:
    read_settings = kinds.read_settings("autofs", f"\n{line}", "auto.master").settings
    assert [one.key.text for one in read_settings] == [name for name, _, _ in expected]
    assert [written(f"\n{line}", one.value.span) for one in read_settings] == [value for _, _, value in expected]
    for setting, (_, key, value) in zip(read_settings, expected):
        assert (written(f"\n{line}", setting.key.span), setting.value.text) == (key, value)


def test_the_comment_behind_a_map() -> None:
    (comment,) = kinds.read_settings("autofs", "/a auto.a  # b c \n", "auto.master").settings
    assert (comment.key.text, comment.value.text, comment.aside) == ("", "", Token("# b c", Span(1, 12, 17)))


@each(lambda: [
    ("/a auto.a", ("/a", "auto.a", "/etc/auto.a", False, False)), ("/a /x/a -rw", ("/a", "/x/a", "/x/a", False, True)),
    ("/a file:b", ("/a", "file:b", "/etc/b", False, False)),
    ("/a file,sun:/b", ("/a", "file,sun:/b", "/b", False, True)),
    ("/a program:/b", ("/a", "program:/b", "/b", True, True)), ("/a exec:b", ("/a", "exec:b", "/etc/b", True, False)),
    ("/a ldap:/b", ("/a", "ldap:/b", "", False, False)),
    ("/a other:b", ("/a", "other:b", "/etc/other:b", False, False)),
    ("/a sun", ("/a", "sun", "/etc/sun", False, False)), ("/a \\\n b", ("/a", "b", "/etc/b", False, False)),
    ("/a", None), ("a b", None), ("/net -hosts", None), ("+auto.master", None), ("# /a b", None),
    ("# \\\n/a b", None), ("/a \\\n", None),
])  # fmt: skip
def test_the_map_of_a_line(line: str, expected: tuple[str, str, str, bool, bool] | None) -> None:
    assert [tuple(one)[:-1] for one in maps(f"{line}\n")] == ([expected] if expected else [])


@each(lambda: [
    ("/a /etc/a # not /etc/a\n/a /etc/a\n", [(1, "/etc/a"), (2, "/etc/a")]), ("/etc/a /etc/a\n", [(1, "/etc/a")]),
    ("/a \\\n  /etc/a\n", [(2, "/etc/a")]), ("/a /etc/\\\na\n", [(1, "/etc/")]), ("\t/a\t/etc/a\r\n", [(1, "/etc/a")]),
])  # fmt: skip
def test_where_a_map_is_named(text: str, expected: list[tuple[int, str]]) -> None:
    assert [(one.span.line, written(text, one.span)) for one in maps(text)] == expected
    assert {one.path for one in maps(text)} == {"/etc/a"}


def test_an_option_of_the_automounter_on_a_continued_line() -> None:
    text = "/a auto.a \\\n  --timeout=5 -g # b\n"
    timeout, ghost, comment = kinds.read_settings("autofs", text, "auto.master").settings
    assert [(one.value.span.line, written(text, one.value.span)) for one in (timeout, ghost)] == [(2, "5"), (2, "")]
    assert comment.aside == Token("# b", Span(2, 18, 21))

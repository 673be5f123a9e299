"""ganesha.conf: what cannot be read is what ganesha.nfsd 6.5 and 15.2 reported of the same text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.files.kinds import read_settings
from advisor.files.records import Assignments
from tests.each import each
from tests.steps import steps

EXPORT = "EXPORT {{ Export_Id = 4; Path = {path}; Pseudo = {pseudo}; {more} FSAL {{ Name = VFS; }} }}\n"
GOOD = EXPORT.format(path="/home", pseudo="/z", more="")


def parsed(text: str) -> Assignments:
    return read_settings("ganesha.conf", text, "/etc/ganesha/ganesha.conf")


def made(path: str = "/srv", pseudo: str = "/u", more: str = "") -> str:
    return EXPORT.format(path=path, pseudo=pseudo, more=more)


@pytest.mark.parametrize("text", [
    made(),
    made().upper(),
    made().replace("\n", "\r\n"),
    made("/srv#x\n"),
    made('"/srv/a b"'),
    made(pseudo="'/ü'"),
    made(more="Anonymous_uid = -2; Anonymous_gid = - 2;"),
    made(more="SecType = sys,\n  krb5 , krb5p;"),
    made(more="Squash = ;"),
    made(more="SecType = , sys;"),
    made(more="Filesystem_Id = 192.168; MaxRead = 0x10000;"),
    made(more="CLIENT { Clients = 10.0.0.0/8, *.example.com, @net, ::1, fe80::/64, 192.168.1.*, host1, 2001:db8::7; }"),
    made(more="CLIENT { Clients = 10.1.2.0/255.255.255.0, *, a?.example.com, host[1-3].x; }"),
    "NFS_CORE_PARAM { Protocols = 3, 4, 9P; }\n",
    "%include /etc/ganesha/other.conf\n%include \"other.conf\"\n%dir /etc/ganesha/exports\n%url rados://pool/object\n",
    "NFS_KRB5\n{\n\tPrincipalName = nfs; # comment\n}\n",
])
def test_what_the_daemon_reads_has_nothing_wrong(text: str) -> None:
    file = parsed(text)
    assert file.bad == ()
    assert file.text == text


@pytest.mark.parametrize(("text", "line", "words"), [
    (made("/srv\n").replace("/srv\n;", "/srv\n"), 1, "no semicolon ends Path"),
    (made()[:-3] + "\n", 1, "EXPORT is never closed: a } is missing"),
    (GOOD + "}\n" + GOOD, 2, "this } closes no block"),
    (made()[:-1] + ";\n", 1, "no semicolon may stand here: a block ends with its }"),
    (made().replace("VFS; }", "VFS; };"), 1, "no semicolon may stand here: a block ends with its }"),
    (made(pseudo="/u%$"), 1, '/u%$ has to be in quotation marks: "/u%$"'),
    (made(pseudo="/ü"), 1, '/ü has to be in quotation marks: "/ü"'),
    (made(more="CLIENT { Clients = !10.0.0.1; }"), 1, '!10.0.0.1 has to be in quotation marks: "!10.0.0.1"'),
    (made('"/srv').replace("; Pseudo = /u", ""), 1, "Path: a quotation mark is never closed"),
    (made("/srv data"), 1, "Path: a comma or a semicolon is missing before this"),
    (made(more="SecType = sys,, krb5;"), 1, "SecType: a value is missing here"),
    (made(more="SecType = sys, ;"), 1, "SecType: a value is missing here"),
    (made().replace("Export_Id = 4", "Export_Id 4"), 1,
     "not a statement: write name = value; or a block in braces"),
    (made(more="%include squash.conf\n"), 1, "%include is not allowed inside EXPORT; write it between blocks"),
    ("%include \"a.conf\";\n" + GOOD, 1, "no semicolon may stand here: a block ends with its }"),
    ("%url http://x/y\n" + GOOD, 1, "%url takes addresses only that begin with rados://"),
    ("Protocols = 4;\n" + GOOD, 1, "Protocols is in no block, so nothing reads it"),
    ("EXPORT_DEFAULTS { Access_Type = RW }\n" + GOOD, 1, "no semicolon ends Access_Type"),
])
def test_what_it_reports_is_told_and_the_rest_is_read(text: str, line: int, words: str) -> None:
    file = parsed(text)
    assert (line, words) in [(span.line, said) for span, said in file.bad]
    ends = [one.value.text for one in file.settings if one.key.text == "Name"]
    assert ends == ["VFS"] * text.count("Name = VFS")


def test_values_know_where_they_stand() -> None:
    text = 'EXPORT\n{\n  Path = "/srv/a";  Access_Type=RW;\n  CLIENT { Clients = 10.1.0.0/16 , "b" ; }\n}\n'
    file = parsed(text)
    lines = text.split("\n")

    def shown(span: tuple[int, int, int]) -> str:
        line, column, end = span
        return lines[line - 1][column - 1:end - 1]

    assert [(one.section, one.key.text, one.value.text, one.block) for one in file.settings] == [
        ("EXPORT", "Path", "/srv/a", 0), ("EXPORT", "Access_Type", "RW", 0), ("CLIENT", "Clients", "10.1.0.0/16,b", 1),
    ]
    assert [shown(one.value.span) for one in file.settings] == ["/srv/a", "RW", '10.1.0.0/16 , "b"']
    assert [one.text for one in file.settings[2].values] == ["10.1.0.0/16", '"b"']
    assert [(block.heading.text, block.inside) for block in file.blocks] == [("EXPORT", None), ("CLIENT", 0)]


PIECES = st.sampled_from([
    "EXPORT", "FSAL", "{", "}", ";", "=", ",", "Path", " ", "\n", '"', "'", "/a", "# x\n", "%include x\n", "%",
    "10.0.0.0/8", "-", "\\", "{{ x }}", "é", "\0", "0x1", "*",
])  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read_and_kept(text: str) -> None:
    file = parsed(text)
    lines = text.split("\n")
    assert file.text == text
    for span in [one.key.span for one in file.settings] + [span for span, _ in file.bad]:
        assert 1 <= span.line <= len(lines)
        assert span.column < span.end_column <= len(lines[span.line - 1]) + 2


@each(lambda: [
    lambda n: GOOD * n,
    lambda n: "EXPORT {" * n,
    lambda n: "}" * n,
    lambda n: "EXPORT { Path = /a " * n,
    lambda n: 'EXPORT { Path = "' + "a" * n,
    lambda n: "EXPORT { A = " + "1 " * n,
    lambda n: "EXPORT { A = " + "1," * n + "; }",
    lambda n: "EXPORT { A = 1;\n" + "B\n" * n + "}",
])
def test_the_work_grows_with_the_text(shape: object) -> None:
    assert callable(shape)
    one, two = (steps(lambda n=n: parsed(shape(n))) for n in (200, 400))
    assert two < 2.5 * one + 200


def marked(text: str) -> list[tuple[str, str]]:
    lines = text.split("\n")
    return [(lines[span.line - 1][span.column - 1:span.end_column - 1], words) for span, words in parsed(text).bad]


NO_STATEMENT = "not a statement: write name = value; or a block in braces"
NO_MORE = "no semicolon may stand here: a block ends with its }"


@pytest.mark.parametrize(("text", "expected"), [
    ("A { b c; d = 1; }", [("b c;", NO_STATEMENT)]), ("A { b c }", [("b c ", NO_STATEMENT)]),
    ("A { b c\n d = 1; }", [("b c", NO_STATEMENT)]), ("A {\n = }", [("= ", NO_STATEMENT)]),
    ("A { b = 1;; }", [(";", NO_MORE)]), ("}\nA { }", [("}", "this } closes no block")]),
    ("A { B {", [("A", "A is never closed: a } is missing"), ("B", "B is never closed: a } is missing")]),
    ("A { b = 1 }", [("1", "no semicolon ends b")]), ("A { b = }", [("b", "no semicolon ends b")]),
    ("A { b = 1, 2", [("2", "no semicolon ends b"), ("A", "A is never closed: a } is missing")][::-1]),
    ("A { b = 1\n c = 2; }", [("1", "no semicolon ends b")]), ("A { b = 1\n C { } }", [("1", "no semicolon ends b")]),
    ("A { b = 1 2; c = 3; }", [("2;", "b: a comma or a semicolon is missing before this")]),
    ("A { b = 1 2\n; }", [("2", "b: a comma or a semicolon is missing before this"), (";", NO_MORE)]),
    ("A { b = 1,, 2; }", [(", 2;", "b: a value is missing here")]),
    ("A { b = 1,; }", [(";", "b: a value is missing here")]),
    ("A { b = \"x; }", [('"x;', "b: a quotation mark is never closed")]), ("A { b = 1 {{ x }}; }", []),
    ("A { {{ x }} }", []),
    ("A { {{ x }}; b = 1; }\nC { {{ d }} = 2;\n}", []),
    ("A { b = a%b; }", [("a%b", 'a%b has to be in quotation marks: "a%b"')]), ("A { b = {{ x }}%; }", []),
    ("A { b = 10.0.0.X; }", []),
    ("A { b = 10.0.0.ab; }", [("10.0.0.ab", '10.0.0.ab has to be in quotation marks: "10.0.0.ab"')]),
    ("b = 1;", [("b", "b is in no block, so nothing reads it")]), ("%includ a", [("%includ a", NO_STATEMENT)]),
    ("%", [("%", NO_STATEMENT)]), ("%include", [("%include", NO_STATEMENT)]),
    ("% include a", [("% include a", NO_STATEMENT)]),
    ("A { %include b\n}", [("%include", "%include is not allowed inside A; write it between blocks")]),
    ('%url "http://a"', [('"http://a"', "%url takes addresses only that begin with rados://")]),
    ("%url rados:/a", [("rados:/a", "%url takes addresses only that begin with rados://")]), ('%url "rados://a"', []),
])  # fmt: skip
def test_what_is_wrong_is_marked(text: str, expected: list[tuple[str, str]]) -> None:
    assert marked(text) == expected


@pytest.mark.parametrize("word", [
    "0x1F", "192.168", "~5", "- 2", "9P", "@net", "a-b.c", "10.0.0.1", "10.0.0.0/24", "::1", "fe80::/64", "/",
    "/a/b/", "a/b",
    "*", "a?", "[1-3]", "true",
])  # fmt: skip
def test_values_without_quotation_marks(word: str) -> None:
    assert marked(f"A {{ b = {word}; }}") == []


@pytest.mark.parametrize("word", ["1.2.3", "0x", "a//b", "//a", "/ü", "!a", "a+b", "1a",
    "a:z"])
def test_values_that_need_quotation_marks(word: str) -> None:
    assert [words.partition(" has to")[0] for _, words in marked(f"A {{ b = {word}; }}")] == [word]


def test_files_that_are_included() -> None:
    text = '%include "a b"\n%dir /c # d\n\t%url "rados://e"\n%plugin f;'
    assert [(*name[:2], *value[:2]) for _, name, value, *_ in parsed(text).includes] == [
        ("include", (1, 1, 9), "a b", (1, 11, 14)), ("dir", (2, 1, 5), "/c", (2, 6, 8)),
        ("url", (3, 2, 6), "rados://e", (3, 8, 17)), ("plugin", (4, 1, 8), "f", (4, 9, 10)),
    ]


def test_where_values_are() -> None:
    text = "A { b = 'x'; c =\n 1 ,\n \"y\"; d = ; e = \"z\n\"; f='', g; }"
    values = [(one.key.text, one.value.text, tuple(one.value.span)) for one in parsed(text).settings]
    assert values[:4] == [
        ("b", "x", (1, 10, 11)), ("c", "1,y", (2, 2, 5)), ("d", "", (3, 8, 8)), ("e", "z\n", (3, 18, 19)),
    ]
    assert [[tuple(value.span) for value in one.values] for one in parsed(text).settings][:2] == [
        [(1, 9, 12)], [(2, 2, 3), (3, 2, 5)],
    ]


@pytest.mark.parametrize(("text", "blocks"), [
    ("A { {{ x }}; b = 1; }\n", {0}), ("A { b = {{ x }}; }\n", set()), ("{{ x }}\nA { C { {{ y }} } }\n", {None, 1}),
    ("A {\n{% if x %}\nb = 1;\n{% endif %}\n}\n", set()), ("A { $MORE; }\n", {0}),
])  # fmt: skip
def test_where_a_template_writes_statements(text: str, blocks: set[int | None]) -> None:
    written = read_settings("ganesha.conf", text, "x")
    assert (written.filled_in, written.bad) == (blocks, ())


@each(lambda: [
    ("EXPORT { Protocols = 3; }", True), ("EXPORT { Protocols = 3; } EXPORT { Path = /a; }", False),
    ("EXPORT { Protocols = NFSv3, 9P; }", True), ("EXPORT { Protocols = 3, nfs4; }", False), ("", False),
    ("EXPORT_DEFAULTS { Protocols = 3; }", True), ("EXPORT_DEFAULTS { Protocols = 3; } EXPORT { Path = /a; }", True),
    ("EXPORT_DEFAULTS { Protocols = 3; } export { protocols = 4; }", False),
    ("EXPORT { Protocols = 3; CLIENT { Protocols = 4; } }", False), ("EXPORT { Protocols = {{ p }}; }", False),
    ("EXPORT { Protocols = 3; }\n%include \"a.conf\"", False), ("{{ exports }}\nEXPORT { Protocols = 3; }", False),
    ("NFS_CORE_PARAM { Protocols = 3; }", False),
])  # fmt: skip
def test_whether_no_export_is_served_over_nfsv4(text: str, unused: bool) -> None:
    found = [one for one in parsed(f"{text}\nNFSv4 {{ Grace_Period = 30; }}\n").settings if one.key.text == "no-export"]
    assert [(one.section, one.value.text) for one in found] == ([("NFSv4", "true")] if unused else [])
    assert all(one.key.text != "no-export" for one in parsed(text).settings)

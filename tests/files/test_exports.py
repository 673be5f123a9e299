"""Exports: names with octal escapes, and those of cib.xml, as the agent exportfs of ClusterLabs/resource-agents passes
them to the command."""

from __future__ import annotations

from advisor.files.exports import cluster_exports, folder_of, is_ignored, order, read
from advisor.files.kinds import read_settings as settings
from advisor.files.records import Field, Span
from tests.each import each


def test_octal_escapes_are_bytes_of_utf8() -> None:
    (export,) = read("/srv/b\\303\\244r\\040x *(ro)\n")
    assert export.path.text == "/srv/bär x"


def cib(parameters: str) -> str:
    return (
        '<cib><configuration><resources>\n<primitive id="e" class="ocf" provider="heartbeat" type="exportfs">\n'
        f'<instance_attributes id="a">{parameters}</instance_attributes>\n</primitive>\n'
        "</resources></configuration></cib>"
    )


def parameters(**given: str) -> str:
    return "".join(f'\n<nvpair id="{name}" name="{name}" value="{value}"/>' for name, value in given.items())


def exports(**given: str) -> list[tuple[str, str, str]]:
    made = cluster_exports(settings("cib", cib(parameters(**given)), "cib.xml"))
    return [(one.path.text, one.client.text, one.options.text) for one in made]


@each(lambda: [
    ({"directory": "/a", "clientspec": "*"}, [("/a", "*", "")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw,sync"}, [("/a", "*", "rw,sync")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw, sync,"}, [("/a", "*", "rw,sync")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw", "fsid": "7"}, [("/a", "*", "rw,fsid=7")]),
    ({"directory": "/a", "clientspec": "*", "options": "rw,fsid=3,sync", "fsid": "7"}, [("/a", "*", "rw,fsid=7,sync")]),
    ({"directory": "/a /b", "clientspec": "*", "fsid": "7"}, [("/a", "*", "fsid=7"), ("/b", "*", "fsid=8")]),
    ({"directory": "/a /b", "clientspec": "*", "options": "fsid=3"}, [("/a", "*", "fsid=3"), ("/b", "*", "fsid=4")]),
    ({"directory": "/a", "clientspec": "*", "fsid": "root"}, [("/a", "*", "fsid=root")]),
    ({"directory": "/a /b", "clientspec": "*", "fsid": "9" * 5000},
     [("/a", "*", f"fsid={'9' * 5000}"), ("/b", "*", f"fsid={'9' * 5000}")]),
    ({"directory": "/a", "clientspec": "[fd00::]/64"}, [("/a", "fd00::/64", "")]),
    ({"directory": "/a", "clientspec": "web[0-9]"}, [("/a", "web[0-9]", "")]),
    ({"directory": "/a"}, [("/a", "", "")]),
    ({"clientspec": "*"}, []),
])  # fmt: skip
def test_what_the_agent_hands_over(given: dict[str, str], made: list[tuple[str, str, str]]) -> None:
    assert exports(**given) == made


def test_each_part_stands_where_it_is_written() -> None:
    text = cib(parameters(directory="/a", clientspec="10.0.0.0/8", options="rw, sync"))
    (made,) = cluster_exports(settings("cib", text, "cib.xml"))
    parts = [*made.path.parts, *made.client.parts, *made.options.parts]
    lines = text.split("\n")
    assert [one.text for one in parts] == ["/a", "10.0.0.0/8", "rw", "sync"]
    for part in parts:
        assert part.exact
        assert lines[part.span.line - 1][part.span.column - 1 : part.span.end_column - 1] == part.text


def test_a_value_with_entities_is_placed_as_a_whole() -> None:
    (made,) = cluster_exports(settings("cib", cib(parameters(directory="/a&amp;b", clientspec="*")), "cib.xml"))
    assert made.path.text == "/a&b"
    assert not made.path.parts[0].exact


def test_a_resource_whose_parameters_stand_elsewhere_makes_none() -> None:
    whole = cib(parameters(directory="/a", clientspec="*"))
    elsewhere = whole.replace("</primitive>", '<instance_attributes id-ref="others"/></primitive>')
    assert cluster_exports(settings("cib", elsewhere, "cib.xml")) == []


def rows(text: str) -> list[tuple[str, str, str, bool, str | None]]:
    return [(one.path.text, one.client.text, one.options.text, one.listed, one.bad) for one in read(text)]


LONG = "the client and its options are longer than 511 characters"
NO_END = "the list of options has no closing parenthesis; it must not contain a space"


@each(lambda: [
    ("/a", [("/a", "", "", False, None)]),
    ("/a b", [("/a", "b", "", False, None)]),
    ("/a -ro b c(rw)", [("/a", "b", "ro", True, None), ("/a", "c", "ro,rw", True, None)]),
    ("/a -ro,", [("/a", "", "ro", True, None)]),
    ("/a b -ro c", [("/a", "b", "", False, None), ("/a", "c", "ro", True, None)]),
    ("/a -ro -rw", [("/a", "-rw", "ro", True, None)]),
    ("/a b -ro", [("/a", "b", "", False, None), ("/a", "", "ro", True, None)]),
    ("/a ()", [("/a", "", "", True, None)]),
    ("/a b(ro c(rw)", [("/a", "b", "ro", True, NO_END)]),
    ("/a b(ro)c d", [("/a", "b", "ro", True, "c follows the closing parenthesis directly; put a space between them")]),
    ("/a " + "b" * 511, [("/a", "b" * 511, "", False, None)]),
    ("/a " + "b" * 512 + " c", [("/a", "b" * 512, "", False, LONG)]),
    ("/a " + "é" * 256, [("/a", "é" * 256, "", False, LONG)]),
    ('"/a b" c(ro)', [("/a b", "c", "ro", True, None)]),
    ('/a "b', [("/a", "b", "", False, "a quotation mark is not closed")]),
    ("/a b \\\n c(ro)\n/d", [("/a", "b", "", False, None), ("/a", "c", "ro", True, None), ("/d", "", "", False, None)]),
    ("/a b \\", [("/a", "b", "", False, None)]),
    ("/a b # c\n/e", [("/a", "b", "", False, None), ("/e", "", "", False, None)]),
    ("/a b # c\n#d\n\n \t\n/e #f", [("/a", "b", "", False, None), ("/e", "", "", False, None)]),
    ("/a\n\r\n", [("/a", "", "", False, None), ("", "", "", False, "this empty line contains a carriage return")]),
])  # fmt: skip
def test_who_may_do_what(text: str, expected: list[tuple[str, str, str, bool, str | None]]) -> None:
    assert rows(text) == expected


def places(parts: Field) -> list[Span]:
    return [part.span for part in parts.parts]


def test_each_word_of_a_line_has_its_place() -> None:
    first, last = read("# x\n /a -ro,sync  b(rw,all) \\\n\tc\\040d(e,f)\n")
    assert (places(first.path), places(first.client)) == ([(2, 2, 4)], [(2, 15, 16)])
    assert places(first.options) == [(2, 6, 8), (2, 9, 13), (2, 17, 19), (2, 20, 23)]
    assert (first.line_no, first.client.near, first.options.near) == (2, Span(2, 15, 24), Span(2, 17, 19))
    assert (places(last.client), places(last.options)[2:]) == ([(3, 2, 13)], [(3, 2, 13)] * 2)
    assert [part.exact for part in (*last.client.parts, *last.options.parts)] == [False, True, True, False, False]


def test_a_list_that_a_space_separates_from_its_client() -> None:
    apart = [(one.client.text, one.apart and one.apart.text) for one in read("/a b (rw) c d(ro) (e)\n")]
    assert apart == [("b", "(rw)"), ("", None), ("c", None), ("d", None), ("", None)]


def test_a_line_at_which_exportfs_stops_is_marked_as_a_whole() -> None:
    (stop,) = read(" \r \n")
    assert (stop.path.near, stop.line_no) == (Span(1, 1, 4), 1)


@each(lambda: [
    ({"directory": "/a /b", "clientspec": "*", "fsid": "9" * 20},
     [("/a", "*", "fsid=" + "9" * 20), ("/b", "*", "fsid=1" + "0" * 20)]),
    ({"directory": "/a /b", "clientspec": "*", "fsid": "9" * 21},
     [("/a", "*", f"fsid={'9' * 21}"), ("/b", "*", f"fsid={'9' * 21}")]),
    ({"directory": "/a /b", "clientspec": "*", "fsid": "²"}, [("/a", "*", "fsid=²"), ("/b", "*", "fsid=²")]),
    ({"directory": "/a", "clientspec": "*", "options": "fsid=1,fsid=2"}, [("/a", "*", "fsid=2,fsid=2")]),
    ({"directory": "/a", "clientspec": "*", "options": "fsid=3", "fsid": ""}, [("/a", "*", "fsid=")]),
    ({"directory": "/a", "clientspec": "*", "fsid": ""}, [("/a", "*", "")]),
    ({"directory": "/a", "clientspec": "[::1]"}, [("/a", "::1", "")]),
])  # fmt: skip
def test_the_number_that_the_agent_inserts(given: dict[str, str], made: list[tuple[str, str, str]]) -> None:
    assert exports(**given) == made


@each(lambda: [
    ("/etc/exports", "/etc", False), ("/etc/exports.d/a.exports", "/etc", False), ("exports", "", False),
    ("/etc/exports.d/a.conf", None, True), ("/etc/exports.d/.a.exports", None, True), ("/etc/exports.d/exports", None,
    True), ("/srv/a.exports", None, False),
])  # fmt: skip
def test_which_files_exportfs_reads(name: str, folder: str | None, ignored: bool) -> None:
    assert (folder_of(name), is_ignored(name)) == (folder, ignored)


def test_the_order_of_the_files() -> None:
    names = ["/etc/exports.d/b.exports", "/etc/exports.d/10.exports", "/etc/exports.d/9.exports", "/etc/exports"]
    assert sorted(names, key=order) == [names[3], names[2], names[1], names[0]]

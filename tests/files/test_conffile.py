"""Where the settings of nfs.conf and its like are."""

from __future__ import annotations

import pytest

from advisor.files.nfs_conf import read_conffile
from advisor.files.records import Span
from tests.each import each


def test_a_continued_value_is_marked_to_the_end_of_its_first_line() -> None:
    (setting,) = read_conffile("[nfsd]\nhost = abc\\\ndef\n", "/etc/nfs.conf", "nfs.conf").settings
    assert setting.value.text == "abc  def"
    assert setting.value.span == Span(2, len("host = ") + 1, len("host = abc\\") + 1)


@each(lambda: [
    ("[nfsd]\n\tabc \n", (2, 2, 5), "this is not an assignment, so it is skipped; write name=value"),
    (" a=1\n", (1, 2, 5), "this comes before the first section, so nothing reads it"),
    ("[nfsd \n", (1, 1, 6), "this heading has no ], so the lines up to the next section are not read"),
    ('[nfsd "a]\n', (1, 1, 10), "the quotation mark in this heading is never closed"),
    ("[nfsd]\n=1\n", (2, 1, 3), "no name before the equals sign; the line is skipped"),
    ("[nfsd]\na = 'b\n", (2, 1, 7), "the quotation mark ' is never closed, so the line is skipped"),
    ("[nfsd]\na=1", (2, 1, 4), "the last line has no line end, so it is not read"),
    ("[nfsd]\n a=1\\\n", (2, 1, 6), "the last line ends with a backslash, so it is not read"),
    ("[nfsd]\na=1\n; b", None, ""), ("[nfsd]\na=1\n \t", None, ""), ("[nfsd]\n# a\n", None, ""),
    ("[nfsd]\n{{ a }}\n", None, ""),
    ("{{ a }} = 1\n[nfsd]\n", None, ""), ("[nfsd]\n{{ a }}", None, ""), ("[nfsd]\n{{ a }} = 'b\n", None, ""),
])  # fmt: skip
def test_what_is_not_read(text: str, span: tuple[int, int, int] | None, words: str) -> None:
    file = read_conffile(text, "/etc/nfs.conf", "nfs.conf")
    assert [(tuple(place), why) for place, why in file.bad] == ([] if span is None else [(span, words)])


@pytest.mark.parametrize(("line", "name", "place"), [
    ("[ nfsd ]", "nfsd", (1, 3, 7)), ('[server "a b" ]', 'server "a b"', (1, 2, 14)),
    ('[server "a]', "server", (1, 2, 8)),
    ('  [a "b"x]y', 'a "b"', (1, 4, 10)),
])  # fmt: skip
def test_the_name_of_a_section(line: str, name: str, place: tuple[int, int, int]) -> None:
    (heading,) = read_conffile(f"{line}\n", "/etc/nfs.conf", "nfs.conf").sections
    assert (heading.text, tuple(heading.span)) == (name, place)


@each(lambda: [
    (" a =  1 # c", (2, 2, 3, "a"), (2, 7, 8, "1")), ("a=1;c", (2, 1, 2, "a"), (2, 3, 4, "1")),
    ("a=b;#", (2, 1, 2, "a"), (2, 3, 4, "b")), ("a=b#;", (2, 1, 2, "a"), (2, 3, 4, "b")),
    ('a = " b " c', (2, 1, 2, "a"), (2, 6, 9, " b ")), ("a='b\"'", (2, 1, 2, "a"), (2, 4, 6, 'b"')),
    ("a=", (2, 1, 2, "a"), (2, 3, 3, "")), ("a= #", (2, 1, 2, "a"), (2, 4, 4, "")), ("a=\r", (2, 1, 2, "a"),
    (2, 3, 4, "\r")),
    ("a=b\r", (2, 1, 2, "a"), (2, 3, 4, "b")), ("a b=c=d", (2, 1, 4, "a b"), (2, 5, 8, "c=d")),
    ("a = \\\n  bc\\\n d", (2, 1, 2, "a"), (3, 3, 6, "bc   d")),
])  # fmt: skip
def test_a_name_and_its_value(line: str, key: tuple[int, int, int, str], value: tuple[int, int, int, str]) -> None:
    (setting,) = read_conffile(f"[nfsd]\n{line}\n", "/etc/nfs.conf", "nfs.conf").settings
    assert (*setting.key.span, setting.key.text) == key
    assert (*setting.value.span, setting.value.text) == value


@each(lambda: [
    ("a = /srv/c#1 ", (2, 11, 13), "#"), ("a=b;c", (2, 4, 6), ";"), ("a=b #c", None, ""), ("a=b# c", None, ""),
    ('a="b#c"', None, ""), ("a= 'b#c'", None, ""), ("a=#b", None, ""), ("x#y=b", None, ""),
])  # fmt: skip
def test_a_comment_inside_a_word(line: str, place: tuple[int, int, int] | None, mark: str) -> None:
    file = read_conffile(f"[nfsd]\n{line}\n", "/etc/nfs.conf", "nfs.conf")
    assert [(tuple(slip.span), slip.section, slip.words["mark"]) for slip in file.slips] == (
        [] if place is None else [(place, "nfsd", mark)])


def test_included_files() -> None:
    text = "include = a.conf\n[nfsd]\nInclude=-b.conf\nc=1\n"
    file = read_conffile(text, "/etc/nfs.conf", "nfs.conf", "mountd")
    assert [(one.section, one.value.text) for one in file.includes] == [("mountd", "a.conf"), ("nfsd", "-b.conf")]
    assert [one.key.text for one in file.settings] == ["c"]


def test_a_heading_without_end_loses_its_lines_silently() -> None:
    file = read_conffile("[nfsd]\na=1\n[mountd\nb=2\n[statd]\nc=3\n", "/etc/nfs.conf", "nfs.conf")
    assert [one.key.text for one in file.settings] == ["a", "c"]
    assert [span.line for span, _ in file.bad] == [3]


def test_a_placeholder_for_a_line_may_write_any_setting() -> None:
    assert read_conffile("[nfsd]\n{{ more }}\n", "/etc/nfs.conf", "nfs.conf").filled_in == {None}
    assert read_conffile("[nfsd]\nthreads={{ more }}\n", "/etc/nfs.conf", "nfs.conf").filled_in == set()

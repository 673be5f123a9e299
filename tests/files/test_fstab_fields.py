"""Fields, escapes and the items of the option field."""

from __future__ import annotations

import pytest

from advisor.files.fstab import Entry, Span, is_plain, read, split_options
from advisor.files.kinds import read_mounts
from advisor.files.libmount import BUFFER
from tests.each import each


def entry(line: str) -> Entry:
    (only,) = read(line).entries
    return only


def test_six_fields_with_their_places() -> None:
    found = entry("\tnas:/a  /mnt/a\tnfs rw,hard 0   2 # note\n")
    assert [(field.text, field.span) for field in found.fields] == [
        ("nas:/a", Span(1, 2, 8)),
        ("/mnt/a", Span(1, 10, 16)),
        ("nfs", Span(1, 17, 20)),
        ("rw,hard", Span(1, 21, 28)),
        ("0", Span(1, 29, 30)),
        ("2", Span(1, 33, 34)),
    ]
    assert found.source.text == "nas:/a"
    assert [field.text for field in (found.target, found.fstype, found.options, found.freq, found.passno)] == [
        "/mnt/a",
        "nfs",
        "rw,hard",
        "0",
        "2",
    ]


@pytest.mark.parametrize("count", range(1, 7))
def test_fields_that_are_missing_are_empty_and_reported_at_the_last_one(count: int) -> None:
    found = entry(" ".join(["nas:/a", "/a", "nfs", "rw", "0", "0"][:count]))
    assert [field.parts == () for field in found.fields] == [False] * count + [True] * (6 - count)
    last = found.fields[count - 1].span
    assert {(field.text, field.value, field.span) for field in found.fields[count:]} <= {("", "", last)}


def test_the_mounts_of_an_fstab_are_the_lines_that_mount_takes() -> None:
    text = "# a\nnas:/a /a nfs rw x\nnas:/b /b nfs rw 1 2\nnas:/c /c\nnas:/d /d nfs\n"
    mounts = read_mounts("fstab", text, "fstab").mounts
    assert [(mount.line_no, mount.target.value, mount.options.value, mount.numbers) for mount in mounts] == [
        (3, "/b", "rw", (1, 2)), (5, "/d", "", (0, 0)),
    ]
    assert all(mount.fixable for mount in mounts)


@each(lambda: [
    (r"/m\040x", "/m x"),
    (r"/m\011a\012b\134c\043d", "/m\ta\nb\\c#d"),
    (r"/caf\303\251", "/café"),
    (r"/caf" + "\udcc3" + r"\251", "/café"),  # half of the character as a byte, half as an escape
    (r"/a\377", "/a\udcff"),
    (r"/a\777", "/a\udcff"),  # a byte holds no more
    (r"/a\000b", "/a"),
    (r"/a\08b\4", r"/a\08b\4"),
    (r"/a\\040", "/a\\ "),
    (r"/a\x20", r"/a\x20"),
])
def test_escapes_are_decoded_as_libmount_does(text: str, value: str) -> None:
    found = entry(f"nas:/a {text} nfs")
    assert found.target
    assert (found.target.text, found.target.value) == (text, value)


def items(text: str) -> list[tuple[str, str, str | None]]:
    return [(item.text, item.name, item.value) for item in split_options(text)]


@each(lambda: [
    ("rw", [("rw", "rw", None)]),
    ("rw,timeo=600", [("rw", "rw", None), ("timeo=600", "timeo", "600")]),
    ("password=", [("password=", "password", "")]),
    ("a=b=c", [("a=b=c", "a", "b=c")]),
    ("=a", [("=a", "=a", None)]),
    ("=a=b", [("=a=b", "=a", "b")]),
    ("rw,,hard", [("rw", "rw", None), ("", "", None), ("hard", "hard", None)]),
    (",rw,", [("", "", None), ("rw", "rw", None), ("", "", None)]),
    (
        'rw,context="u:r:t:s0,c1",hard',
        [("rw", "rw", None), ('context="u:r:t:s0,c1"', "context", '"u:r:t:s0,c1"'), ("hard", "hard", None)],
    ),
    ('"a=b,c"', [('"a=b,c"', '"a=b,c"', None)]),
    (r"x=a\040b", [(r"x=a\040b", "x", "a b")]),
    (r"rw\054hard", [("rw", "rw", None), ("hard", "hard", None)]),
    (r"timeo\075600", [(r"timeo\075600", "timeo", "600")]),
    (r"a\042b,c\042,d", [(r"a\042b,c\042", 'a"b,c"', None), ("d", "d", None)]),
])
def test_option_items(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert items(text) == expected


def test_places_of_options() -> None:
    options = entry("nas:/a /a nfs rw,timeo=600,,soft= 0 0").options
    found = split_options(options.text)
    assert [options.at(item.start, item.start + len(item.text)) for item in found] == [
        Span(1, 15, 17), Span(1, 18, 27), Span(1, 28, 28), Span(1, 29, 34),
    ]


def test_a_quotation_without_end_takes_all_that_follows() -> None:
    first, second = split_options('rw,context="a,hard')
    assert (first.closed, second.closed, second.text) == (True, False, 'context="a,hard')


def test_an_entry_without_options_has_no_such_field() -> None:
    assert entry("nas:/a /a nfs").options.parts == ()


def test_a_line_of_as_many_bytes_as_the_buffer_of_glibc_is_cut() -> None:
    sign = "\U0001f600"  # four bytes, of which the buffer has no room for the last
    (only,) = read(sign * 1024 + "\n").entries
    assert only.glibc is not None
    assert only.glibc.source == sign * 1023 + "\udcf0\udc9f\udc98"
    (shorter,) = read(sign * 1023 + "abc\n").entries
    assert shorter.glibc is not None
    assert shorter.glibc.source == sign * 1023 + "abc"


def test_a_plain_line_fits_into_the_buffer_of_glibc_with_its_newline() -> None:
    line = "nas:/a /a nfs ".ljust(BUFFER - 2, "x")
    assert (is_plain(line), is_plain(f"{line}x")) == (True, False)

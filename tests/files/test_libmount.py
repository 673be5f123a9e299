"""How mount(8) reads the parts of a line, and how a text of it is quoted in a message."""

from __future__ import annotations

import pytest

from advisor.files.libmount import (
    Item,
    as_bytes,
    body_of,
    decode,
    integer,
    parse,
    shown,
    skips,
    split_options,
    tokens,
    wrap,
)
from tests.each import each


@each(lambda: [
    ("", 40, "''"), ("a" * 40, 40, f"'{'a' * 40}'"), ("a" * 41, 40, f"'{'a' * 39}…'"), ("abcd", 4, "'abcd'"),
    ("abcde", 4, "'abc…'"), ("a\nb\tc", 5, r"'a\nb\tc'"), ("a\u00a0é", 40, r"'a\xa0é'"),
])  # fmt: skip
def test_a_text_in_a_message_is_no_longer_than_its_limit(text: str, limit: int, quoted: str) -> None:
    assert shown(text, limit) == quoted


def test_a_text_in_a_message_has_40_characters_at_most() -> None:
    assert (shown("b" * 40), shown("b" * 41)) == (f"'{'b' * 40}'", f"'{'b' * 39}…'")


@pytest.mark.parametrize(("raw", "ended", "body"), [
    ("a\r", True, "a"), ("a\r\r", True, "a\r"), ("a\0b", True, "a\0b"), ("a\0b", False, "a"), ("a\r\0", False, "a"),
])  # fmt: skip
def test_the_part_of_a_line_that_counts(raw: str, ended: bool, body: str) -> None:
    assert body_of(raw, ended) == body


@each(lambda: [
    ("", True), (" \t", True), ("\t # a", True), ("a # b", False), ("\r", False), ("#\0", False), ("\0", False),
])  # fmt: skip
def test_which_lines_are_skipped(body: str, skipped: bool) -> None:
    assert skips(body) is skipped


def test_text_that_never_was_bytes_is_kept() -> None:
    assert (as_bytes("a\udce9"), as_bytes("a\ud800")) == (b"a\xe9", b"a\xed\xa0\x80")
    assert (decode("a\0b"), decode("a\\000b"), decode("a\\101\0b")) == ("a", "a", "aA")


@each(lambda: [
    (0, 0), (2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (-(2**31), -(2**31)), (-(2**31) - 1, 2**31 - 1), (2**32 + 5, 5),
    (2**63 - 1, -1), (2**63, -1), (2**64 + 7, -1), (-(2**63), 0), (-(2**63) - 1, 0), (-(2**64) - 7, 0),
])  # fmt: skip
def test_what_an_int_holds_after_strtol(number: int, held: int) -> None:
    assert wrap(number) == held


@each(lambda: [
    ("0", 0), ("-0", 0), ("007", 7), ("+5", 5), ("-5", -5), ("1" * 20, int("1" * 20)), ("9" * 30, int("9" * 20)),
    ("0" * 5000 + "8", 8),
])  # fmt: skip
def test_an_integer_of_any_length(text: str, number: int) -> None:
    assert integer(text) == number


IGNORED = "mount(8) ignores the whole line"


@each(lambda: [
    ("a b c", (0, 0)), ("a b c d", (0, 0)), ("a b c d 1", (1, 0)), ("a b c d 1 2", (1, 2)), ("a b c d 1 2 x", (1, 2)),
    ("a b c d -1 +2", (-1, 2)), ("a b c d 1 \v2", (1, 2)), ("a b c d 4294967297", (1, 0)),
    ("a b c d 0 9223372036854775808", (0, -1)), ("a b c d 9223372036854775807 1", (-1, 1)),
])  # fmt: skip
def test_the_numbers_of_a_line(body: str, numbers: tuple[int, int]) -> None:
    columns = parse(body, tokens(body))
    assert not isinstance(columns, str)
    assert (columns.source, columns.target, columns.fstype) == ("a", "b", "c")
    assert (columns.options, columns.freq, columns.passno) == ("d" if " d" in body else None, *numbers)


@each(lambda: [
    ("a", "the line has only one field of the three that it needs"),
    ("a b", "the line has only two fields of the three that it needs"),
    ("a b c \0", "the line contains a NUL byte"),
    ("a b c d x", "the fifth field 'x' is not a number"), ("a b c d 1x", "the fifth field '1x' is not a number"),
    ("a b c d 1 2x", "the sixth field '2x' is not a number"),
    ("a b c d 1 \v", r"the sixth field '\x0b' is not a number"),
    ("a b c d 9223372036854775808 ", "the fifth field '9223372036854775808' is too large a number"),
    ("a b c d -9223372036854775809 1", "the fifth field '-9223372036854775809' is too large a number"),
    ("a b c d 1 9223372036854775808 x", "the sixth field '9223372036854775808' is too large a number"),
])  # fmt: skip
def test_why_a_line_is_ignored(body: str, why: str) -> None:
    assert parse(body, tokens(body)) == f"{why}: {IGNORED}"


def test_options_know_where_they_begin() -> None:
    assert split_options("rw,,a=b") == (Item("rw", "rw", None, 0), Item("", "", None, 3), Item("a=b", "a", "b", 4))
    assert split_options(r'"a,b",,\054x\075é=1,') == (
        Item('"a,b"', '"a,b"', None, 0), Item("", "", None, 6), Item("", "", None, 7),
        Item(r"x\075é=1", "x", "é=1", 11), Item("", "", None, 20),
    )
    assert split_options(r'\000a') == (Item("", "", None, 0),)
    assert split_options(r'a=${b,c=d},"e"') == (Item("a=${b,c=d}", "a", "${b,c=d}", 0), Item('"e"', '"e"', None, 11))

"""Fields in several parts, and the lists that they are taken from, with the place of each character."""

from __future__ import annotations

import pytest

from advisor.files.records import Field, MountEntry, Span, Token, pieces
from tests.each import each

NEAR = Span(9, 1, 2)
PARTS = Field([
    Token("rw", Span(1, 5, 7)), Token("hard", Span(1, 8, 12)), Token("soft", Span(2, 3, 7)),
    Token("bg", Span(4, 1, 9), exact=False),
], NEAR)  # fmt: skip
"""`rw,hard,soft,bg`: the second part follows the first one directly, the last one is written in another way."""


def test_a_field_is_all_its_parts_and_spans_those_of_its_first_line() -> None:
    assert (PARTS.text, PARTS.value, PARTS.span) == ("rw,hard,soft,bg", "rw,hard,soft,bg", Span(1, 5, 12))
    assert (Field((), NEAR, "x").value, Field((), NEAR).text, Field((), NEAR).span) == ("x", "", NEAR)


@each(lambda: [
    (0, 2, Span(1, 5, 7)), (1, 2, Span(1, 6, 7)), (0, 7, Span(1, 5, 7)), (2, 3, Span(1, 7, 7)), (3, 7, Span(1, 8, 12)),
    (4, 6, Span(1, 9, 11)), (8, 12, Span(2, 3, 7)), (9, 11, Span(2, 4, 6)), (13, 14, Span(4, 1, 9)),
    (99, 100, Span(1, 5, 12)),
])  # fmt: skip
def test_the_place_of_characters_of_a_field(start: int, end: int, span: Span) -> None:
    assert PARTS.at(start, end) == span


@each(lambda: [
    (0, 2, Span(1, 5, 7)), (0, 7, Span(1, 5, 12)), (1, 5, Span(1, 6, 10)), (3, 7, Span(1, 8, 12)),
    (2, 7, Span(1, 7, 12)), (3, 12, None), (8, 12, Span(2, 3, 7)),
    (9, 11, Span(2, 4, 6)), (8, 15, None), (13, 15, None), (13, 16, None),
])  # fmt: skip
def test_characters_that_the_file_has_in_one_piece(start: int, end: int, span: Span | None) -> None:
    assert PARTS.stretch(start, end) == span


def test_a_field_that_is_not_written_has_no_piece() -> None:
    assert Field((), NEAR).stretch(0, 0) is None
    assert Field((), NEAR).at(0, 1) == NEAR


def test_parts_with_a_gap_are_not_one_piece() -> None:
    apart = Field([Token("rw", Span(1, 1, 3)), Token("hard", Span(1, 5, 9))], NEAR)
    assert (apart.stretch(0, 7), apart.stretch(3, 7)) == (None, Span(1, 5, 9))


@each(lambda: [
    ("rw,hard", ",", [("rw", 11), ("hard", 14)]), ("", ",", [("", 11)]), (",a,", ",", [("", 11), ("a", 12), ("", 14)]),
    ('a="b,c",d', ",", [('a="b,c"', 11), ("d", 19)]), ('a="b,c', ",", [('a="b,c', 11)]),
    ("{{ a,b }},c", ",", [("{{ a,b }}", 11), ("c", 21)]), ("a:b,c", ":", [("a", 11), ("b,c", 13)]),
])  # fmt: skip
def test_the_items_of_a_list(text: str, separator: str, items: list[tuple[str, int]]) -> None:
    assert pieces(text, Span(3, 11, 11 + len(text)), separator) == [
        Token(item, Span(3, column, column + len(item))) for item, column in items
    ]


@pytest.mark.parametrize(("freq", "passno", "numbers"), [
    (None, None, (0, 0)), ("1", None, (1, 0)), (None, "2", (0, 2)), ("1", "2", (1, 2)), ("x", "²", (0, 0)),
    ("", "-1", (0, 0)),
])  # fmt: skip
def test_the_last_two_fields_are_numbers(freq: str | None, passno: str | None, numbers: tuple[int, int]) -> None:
    fields = [None if text is None else Field((), NEAR, text) for text in (freq, passno)]
    entry = MountEntry(
        1, "", source=PARTS, target=PARTS, fstype=PARTS, options=PARTS, freq=fields[0], passno=fields[1]
    )
    assert entry.numbers == numbers

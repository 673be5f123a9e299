"""What comes from a file is shown, never obeyed; columns are counted as a terminal counts them."""

from unicodedata import category, east_asian_width

from hypothesis import given
from hypothesis import strategies as st

from advisor.pages.style import cells, visible, width
from tests.each import each
from tests.pages.hostile import TEXT


@each(lambda: [
    ("plain é 日本", "plain é 日本"),
    ("\x1b[31mred", "\\x1b[31mred"),
    ("a\u202eb", "a\\u202eb"),
    ("tag\U000e0041", "tag\\U000e0041"),
    ("caf\udce9", "caf\\xe9"),
    ("\ud800", "\\ud800"),
    ("no\u00a0break", "no\\xa0break"),
    ("\x85\x9b31m", "\\x85\\x9b31m"),
])
def test_what_cannot_be_seen_is_written_out(text, shown):
    assert visible(text) == shown


@given(TEXT)
def test_nothing_is_left_that_a_terminal_could_obey(text):
    assert visible(text).isprintable()
    visible(text).encode("utf-8")


@each(lambda: [
    ("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("日\u0301x", 3), ("\u1112\u1161\u11ab", 2), ("\u0301", 1),
])
def test_width(text, columns):
    assert width(text) == columns


@given(st.text(st.sampled_from("a×…–") | st.characters(min_codepoint=0x2000, max_codepoint=0x2040)).map(visible))
def test_columns_are_those_of_unicode(text):
    expected = sum(0 if category(char) in ("Mn", "Me") else 1 + (east_asian_width(char) in "WF") for char in text)
    assert width(text) == expected


@given(st.text().map(visible))
def test_cells_lose_nothing(text):
    assert "".join(cells(text)) == text

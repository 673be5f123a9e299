"""Wrapping: nothing overflows, nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from advisor.pages.style import visible, width, wrap, wrap_parts
from tests.pages.hostile import TEXT

ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=200)
COLUMNS = st.integers(20, 100)


def test_words_stay_whole_where_they_can():
    lines = wrap("the server keeps access times", 20, "why: ", "     ")
    assert lines == ["why: the server", "     keeps access", "     times"]


def test_a_word_wider_than_a_line_breaks_behind_a_comma():
    assert wrap("vers=4.1,rsize=1048576,wsize=1048576", 24) == ["vers=4.1,rsize=1048576,", "wsize=1048576"]


def test_a_long_word_does_not_stay_behind_a_label():
    assert wrap("x" * 24, 30, "        do: ", "    ") == ["        do:", "    " + "x" * 24]


def test_what_stands_in_front_leaves_room_for_text():
    lines = wrap(" ".join(["ab"] * 9), 20, "  filesystem-servers    ", " " * 24)
    assert lines == ["  filesystem-servers", *[" " * 12 + "ab ab ab"] * 3]



def test_wide_characters_take_two_columns():
    assert wrap("日本語日本語日本語日本語", 20) == ["日本語日本語日本語日", "本語"]
    assert wrap("日本語日本語日本語日本語", 21) == ["日本語日本語日本語日", "本語"]


@given(TEXT.map(visible), COLUMNS, st.sampled_from(("", "do: ")), st.sampled_from(("", "    ")))
def test_no_line_is_wider_than_the_terminal_and_no_character_is_lost(text, columns, first, rest):
    lines = wrap(text, columns, first, rest)
    assert all(width(line) <= columns for line in lines)
    bare = [lines[0][len(first) :], *(line[len(rest) :] for line in lines[1:])]
    assert "".join(bare).replace(" ", "") == text.replace(" ", "")


@given(st.lists(ASCII.map(str.strip).filter(bool), min_size=1, max_size=4), COLUMNS)
def test_colour_changes_no_break(texts, columns):
    plain = wrap(" ".join(texts), columns, "do: ", "    ")
    painted = wrap_parts([(text, lambda piece: f"\x1b{piece}\x1b") for text in texts], columns, "do: ", "    ")
    assert [line.replace("\x1b", "") for line in painted] == plain
    assert all(line.count("\x1b") % 2 == 0 for line in painted)


def test_only_the_parts_that_are_asked_for_are_painted():
    parts = [("error", str.upper), ("is one", None), ("really so", str.upper)]
    assert wrap_parts(parts, 20) == ["ERROR is one REALLY", "SO"]

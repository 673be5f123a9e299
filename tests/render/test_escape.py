"""Nothing that stands in a file reaches the terminal as a command."""

import re

from hypothesis import given
from hypothesis import strategies as st

from advisor.render.escape import line_with_caret, visible, width


def test_escape_codes_and_bytes_are_shown():
    assert visible("a\x1b[31mb") == "a\\x1b[31mb"
    assert visible("\u202egnp") == "\\u202egnp"
    assert visible(b"\xff".decode("utf-8", "surrogateescape")) == "\\xff"
    assert visible("[bold]x[/bold] grüß") == "[bold]x[/bold] grüß"


@given(st.text())
def test_no_control_character_survives(text):
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", visible(text))


def test_the_caret_stands_under_its_option():
    text = "nas:/a\t/a nfs rw,soft 0 0"
    start = text.index("soft") + 1
    line, carets = line_with_caret(text, start, start + 4, 80)
    assert line[carets.index("^"):][: carets.count("^")] == "soft"


def test_wide_characters_move_the_caret():
    text = "日本:/a /a nfs soft 0 0"
    start = text.index("soft") + 1
    line, carets = line_with_caret(text, start, start + 4, 80)
    assert carets.index("^") == width(line[: line.index("soft")])


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=200), st.data())
def test_a_long_line_is_cut_to_the_width(text, data):
    text = text.replace("\n", " ")
    column = data.draw(st.integers(1, len(text)))
    end = data.draw(st.integers(column, min(len(text), column + 5))) + 1
    columns = data.draw(st.integers(20, 60))
    line, carets = line_with_caret(text, column, min(end, len(text) + 1), columns)
    assert "^" in carets
    if len(visible(text)) == len(text) and width(text) == len(text):
        assert width(line) <= columns
        assert len(carets) <= columns

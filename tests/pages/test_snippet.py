"""The line with its carets."""

from hypothesis import given
from hypothesis import strategies as st

from advisor.pages.formats.text import snippet
from advisor.pages.style import Style, cells, visible, width
from tests.pages.hostile import LINE
from tests.zipped import zip_equal

PLAIN = Style(False)
ASCII = st.characters(min_codepoint=32, max_codepoint=126)
WORD = st.characters(min_codepoint=33, max_codepoint=126)
FSTAB = "nas4:/export/old    /mnt/old   nfs  vers=3,rsize=1024,timeo=14,hard,intr,noatime,soft,bg,nolock,port=2049  0 0"


def marked(lines):
    """What stands above carets or dashes, in every window."""
    found = []
    for shown, carets in zip_equal(lines[::2], lines[1::2]):
        row = cells(shown)
        at = 0
        while at < len(carets):
            upto = at
            while upto < len(carets) and carets[upto] == carets[at]:
                upto += 1
            if carets[at] in "^-":
                found.append("".join(row[at:upto]))
            at = upto
    return found


def mark(text, part, severity="error"):
    start = text.index(part) + 1
    return (start, start + len(part), severity)


def test_one_caret_row_for_several_findings():
    lines = snippet(7, "nas:/a /a nfs soft,bg 0 0", [(15, 19, "error"), (20, 22, "note")], 80, PLAIN)
    assert lines == ["7 | nas:/a /a nfs soft,bg 0 0", "  |               ^^^^ ^^"]


def test_a_mark_around_another_is_drawn_with_dashes():
    lines = snippet(7, "nas:/a /a nfs soft,bg 0 0", [(15, 22, "error"), (20, 22, "note")], 80, PLAIN)
    assert lines[1] == "  |               -----^^"


def test_tabs_and_wide_characters_keep_the_caret_under_its_option():
    for text in ("nas:/a\t/a nfs rw,soft 0 0", "日本:/a /a nfs rw,soft 0 0", "e\u0301:/a /a nfs rw,soft 0 0"):
        assert marked(snippet(1, text, [mark(text, "soft")], 80, PLAIN)) == ["soft"]


def test_blanks_are_squeezed_only_where_the_line_does_not_fit():
    wide = snippet(1, FSTAB, [mark(FSTAB, "hard")], 140, PLAIN)
    assert wide[0] == f"1 | {FSTAB}"
    narrow = snippet(1, FSTAB, [mark(FSTAB, "hard")], 112, PLAIN)
    assert narrow[0] == f"1 | {' '.join(FSTAB.split())}"
    assert marked(narrow) == ["hard"]


def test_marks_that_lie_far_apart_have_a_window_each():
    marks = [mark(FSTAB, part) for part in ("rsize=1024", "timeo=14", "port=2049")]
    lines = snippet(16, FSTAB, marks, 40, PLAIN)
    assert len(lines) > 2
    assert marked(lines) == ["rsize=1024", "timeo=14", "port=2049"]
    assert max(map(len, lines)) <= 40


def test_a_place_behind_the_end_of_the_line_has_a_caret():
    assert snippet(1, "nas:/a /a nfs", [(14, 15, "error")], 80, PLAIN)[1] == "  |              ^"
    assert snippet(1, "", [(1, 2, "error")], 80, PLAIN)[1] == "  | ^"


def test_colours_are_those_of_the_severity():
    lines = snippet(1, "nas:/a soft", [(8, 12, "error")], 80, Style(True))
    assert "\x1b[1;31m^^^^\x1b[0m" in lines[1]


@given(st.text(ASCII, min_size=1, max_size=200), st.data(), st.integers(30, 90))
def test_no_ascii_line_overflows(text, data, columns):
    marks = []
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(1, len(text)))
        marks.append((start, data.draw(st.integers(start + 1, len(text) + 1)), "error"))
    lines = snippet(123, text, marks, columns, PLAIN)
    assert max(map(len, lines)) <= columns
    assert any("^" in line for line in lines[1::2])


@given(LINE, st.data(), st.integers(30, 90))
def test_any_line_can_be_shown(text, data, columns):
    start = data.draw(st.integers(1, len(text) + 1))
    end = data.draw(st.integers(start, len(text) + 1))
    lines = snippet(1, text, [(start, end, "error")], columns, PLAIN)
    assert all(line.isprintable() for line in lines)
    assert all(width(line) <= columns for line in lines)
    assert "^" in lines[1]


@given(st.lists(st.text(WORD, min_size=1, max_size=8), min_size=1, max_size=9), st.data(), st.integers(30, 60))
def test_the_caret_stands_under_what_it_means(words, data, columns):
    text = "   ".join(words)
    number = data.draw(st.integers(0, len(words) - 1))
    start = sum(len(word) + 3 for word in words[:number]) + 1
    lines = snippet(1, text, [(start, start + len(words[number]), "error")], columns, PLAIN)
    assert marked([line[4:] for line in lines]) == [visible(words[number])]

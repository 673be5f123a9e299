"""A line of a file with carets under parts of it; a long line is shown in as many windows as it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.pages.style import cells, is_mark, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.pages.style import Style

CUT = "…"
Mark = tuple[int, int, str]
"""First column, column after the last, severity."""


def snippet(number: int, text: str, marks: Iterable[Mark], columns: int, style: Style) -> list[str]:
    """Line `number` with its carets, as printed lines: one window, or more where the marks lie too far apart for
    `columns`. Marks are 1-based, in characters of `text`. A mark around another one is drawn with dashes."""
    gutter = f"{number} | "
    blank = " " * (len(gutter) - 2) + "| "
    room = max(columns - len(gutter), 12)
    shown, placed = _shown(text, sorted(set(marks)), room)
    lines = []
    for start, end, inside in _windows(len(shown), placed, room):
        lines.append(style("dim", gutter) + _cut(shown, start, end))
        lines.append(style("dim", blank) + _carets([(a - start, b - start, kind) for a, b, kind in inside], style))
        gutter = blank
    return lines


def _shown(text: str, marks: list[Mark], room: int) -> tuple[Sequence[str], list[Mark]]:
    """The text column by column, and the marks, 0-based, in these columns.

    Tabs become spaces; where the text is too wide, each run of spaces becomes one."""
    text = text.replace("\t", " ")
    if not marks:
        marks = [(1, 1, "note")]
    low, high = marks[0][0] - 1, max(end for _, end, _ in marks) - 1
    simple = text.isascii() and text.isprintable()
    if simple and len(text) <= room:
        return text, _placed([(a - 1, b - 1, kind) for a, b, kind in marks], len(text))
    if simple and "  " not in text[max(low - 1, 0) : high]:  # as usual: all marks are in one field
        moved = low - len(_squeezed(text[:low]))
        line = _squeezed(text)
        return line, _placed([(a - 1 - moved, b - 1 - moved, kind) for a, b, kind in marks], len(line))
    shown = cells(visible(text))
    squeeze = simple or len(shown) > room
    if squeeze:
        shown = cells(_squeezed(visible(text)))
    at, end = _columns(text, squeeze), len(text)
    placed = [(at[min(a - 1, end)], at[min(b - 1, end)], kind) for a, b, kind in marks]
    return shown, _placed(placed, len(shown))


def _columns(text: str, squeeze: bool) -> list[int]:
    """The column of each character, and the one after the last. `squeeze`: a run of spaces counts as one."""
    at, before = [0], " "
    for char in text:
        if char == " ":
            width = int(not squeeze or (at[-1] > 0 and before != " "))
        else:
            width = 0 if at[-1] and is_mark(char) else len(cells(visible(char)))
        at.append(at[-1] + width)
        before = char
    return at


def _squeezed(text: str) -> str:
    """Each run of spaces as one; one at the end stays, so that what follows keeps its distance."""
    words = " ".join(text.split())  # visible text has no other white space
    return f"{words} " if words and text[-1] == " " else words


def _placed(marks: list[Mark], length: int) -> list[Mark]:
    """The marks kept inside the line, or just behind its end, and at least one column wide."""
    placed = []
    for start, end, kind in marks:
        first = min(max(start, 0), length)
        placed.append((first, max(min(end, length), first + 1), kind))
    return placed


def _windows(length: int, marks: list[Mark], room: int) -> list[tuple[int, int, list[Mark]]]:
    """(start, end, marks inside) of the parts of the line to show."""
    if length + 1 <= room or (length == room and all(end <= room for _, end, _ in marks)):
        return [(0, length, marks)]
    groups: list[list[Mark]] = []
    for mark in marks:
        first = groups[-1][0][0] if groups else 0
        if groups and max(mark[1], *(earlier[1] for earlier in groups[-1])) - first <= room - 2:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    windows = []
    for group in groups:
        low = group[0][0]
        high = min(max(end for _, end, _ in group), low + room - 2)
        start = max(min(low - (room - (high - low)) // 2, length + 1 - room), 0)
        if high <= room - 1:
            start = 0
        end = min(start + room, max(length, high))
        windows.append((start, end, [(a, min(b, high), kind) for a, b, kind in group]))
    return windows


def _cut(shown: Sequence[str], start: int, end: int) -> str:
    """Columns [start, end), with an ellipsis where the line goes on."""
    part = list(shown[start:end])
    if part and start > 0:
        part[0] = CUT
        if part[1:2] == [""]:  # the other half of a wide character
            part[1] = " "
    if part and end < len(shown):
        if part[-1] == "":
            part[-2] = " "
        part[-1] = CUT
    return "".join(part).rstrip(" ")


def _carets(marks: list[Mark], style: Style) -> str:
    """The line under the text."""
    parts: list[str] = []
    at = 0
    for start, end, kind in marks:
        if start < at:
            return _overlapping(marks, style)
        parts += (" " * (start - at), style(kind, "^" * (end - start)))
        at = end
    return "".join(parts)


def _overlapping(marks: list[Mark], style: Style) -> str:
    """Overlapping marks: the narrowest is on top, and one that contains another is drawn with dashes."""
    by_width = sorted(marks, key=lambda mark: mark[1] - mark[0])
    around = {
        mark for mark in marks if any(mark[0] <= a and b <= mark[1] and mark[:2] != (a, b) for a, b, _ in marks)
    }
    ends = sorted({end for start, stop, _ in marks for end in (start, stop)})
    parts = [" " * ends[0]]
    for start, end in zip(ends, ends[1:]):
        mark = next((mark for mark in by_width if mark[0] <= start and end <= mark[1]), None)
        if mark is None:
            parts.append(" " * (end - start))
        else:
            parts.append(style(mark[2], ("-" if mark in around else "^") * (end - start)))
    return "".join(parts)

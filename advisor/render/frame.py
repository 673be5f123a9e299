"""A line of a file with carets under its parts, in as many windows as the terminal's width asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.render.escape import cells, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.render.style import Style

CUT = "…"
Mark = tuple[int, int, str]
"""First column, column after the last, severity."""


def frame(number: int, text: str, marks: Iterable[Mark], columns: int, style: Style) -> list[str]:
    """The printed line `number` with its carets: one window, or more where the marks lie too far apart for `columns`.

    `marks` are 1-based, in characters of `text`. A mark around another one is drawn with dashes."""
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

    Tabs become blanks; where the text is too wide, each run of blanks is one blank."""
    text = text.replace("\t", " ")
    simple = text.isascii() and text.isprintable()
    if simple and len(text) <= room:
        return text, _placed([(a - 1, b - 1, kind) for a, b, kind in marks], len(text))
    squeeze = len(text) > room
    if simple:
        shown: Sequence[str] = _squeezed(text) if squeeze else text
    else:
        shown = cells(_squeezed(visible(text)) if squeeze else visible(text))

    def column(offset: int) -> int:
        """Where the character at `offset` is shown."""
        if not simple:
            before = visible(text[:offset])
            return len(cells(_squeezed(before) if squeeze else before))
        return len(_squeezed(text[:offset])) if squeeze else offset

    return shown, _placed([(column(a - 1), column(b - 1), kind) for a, b, kind in marks], len(shown))


def _squeezed(text: str) -> str:
    """Each run of blanks as one; a blank at the end stays, so that what follows keeps its distance."""
    words = [word for word in text.split(" ") if word]
    return " ".join(words) + (" " if words and text[-1] == " " else "")


def _placed(marks: list[Mark], length: int) -> list[Mark]:
    """The marks kept inside the line, or just behind its end, and at least one column wide."""
    found = []
    for start, end, kind in marks:
        first = min(max(start, 0), length)
        found.append((first, max(min(end, length), first + 1), kind))
    return found


def _windows(length: int, marks: list[Mark], room: int) -> list[tuple[int, int, list[Mark]]]:
    """(start, end, marks inside) of the parts of the line to show."""
    if length + 1 <= room or (length == room and all(end <= room for _, end, _ in marks)):
        return [(0, length, marks)]
    groups: list[list[Mark]] = []
    for mark in marks:
        first = groups[-1][0][0] if groups else 0
        if groups and max(mark[1], *(one[1] for one in groups[-1])) - first <= room - 2:
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
    """Columns [start, end), with a sign where the line goes on."""
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
    """The line under the text. Marks are drawn from the widest to the narrowest."""
    if len(marks) == 1:
        start, end, kind = marks[0]
        return " " * start + style(kind, "^" * (end - start))
    drawn: list[tuple[str, str]] = [(" ", "")] * max(end for _, end, _ in marks)
    for start, end, kind in sorted(marks, key=lambda mark: mark[0] - mark[1]):
        around = any(start <= a and b <= end and (a, b) != (start, end) for a, b, _ in marks)
        drawn[start:end] = [("-" if around else "^", kind)] * (end - start)
    if not style.colour:
        return "".join([sign for sign, _ in drawn])
    parts = []
    at = 0
    while at < len(drawn):
        upto = at
        while upto < len(drawn) and drawn[upto] == drawn[at]:
            upto += 1
        sign, kind = drawn[at]
        parts.append(style(kind, sign * (upto - at)) if kind else sign * (upto - at))
        at = upto
    return "".join(parts)

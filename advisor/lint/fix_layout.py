"""Edits put into a line, so that columns that stood in line with their neighbours still do where there is room."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.lint.finding import Edit

_WORD = re.compile(r"[^ \t]+")
TAB = 8
FIELDS = 6
"""How many words a whole line has. What stands behind them is a comment, and no column of the table."""


def apply(line: str, edits: Iterable[Edit]) -> str:
    """A line with edits made that do not overlap; all else stays as it is."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.column):
        pieces += (line[at : edit.column - 1], edit.text)
        at = edit.end_column - 1
    return "".join([*pieces, line[at:]])


def settle(before: str, after: str, above: str, below: str) -> str:
    """`after`, an edited `before`, with the blanks behind each changed field padded or shortened.

    The field that follows keeps its column where it shares that with the entry `above` or `below`; where it was pushed
    out of such a column and has room again, it goes back there. One blank at least is left before it. Blanks that mix
    spaces and tabs are left alone."""
    old, new = words(before), words(after)
    if len(old) != len(new):
        return after
    own, neighbours = TableRow(before), (TableRow(above), TableRow(below))
    settled = after[: new[0][0]] if new else after
    for index, (start, end) in enumerate(new):
        settled += after[start:end]
        if index + 1 in (len(new), FIELDS):
            return settled + after[end:]
        blanks = after[end : new[index + 1][0]]
        if after[start:end] != before[old[index][0] : old[index][1]]:
            column = _column(own, index + 1, neighbours)
            if column is not None:
                blanks = _reaching(column, width(settled), blanks)
        settled += blanks
    return settled


class TableRow:
    """A line as a row of a table: `starts`, the screen columns of its words, and `gaps`, the columns before each."""

    __slots__ = ("gaps", "starts")

    def __init__(self, line: str) -> None:
        found = words(line)[:FIELDS]
        self.starts = [width(line[:start]) for start, _ in found]
        ends = [0, *(width(line[:end]) for _, end in found)]
        self.gaps = [start - end for start, end in zip(self.starts, ends)]


def _column(own: TableRow, index: int, neighbours: Iterable[TableRow]) -> int | None:
    """The column at which the word `index` should start; None where no neighbour shows that there are columns.

    That words of equal length follow each other with one blank between does not show it."""
    start, gap = own.starts[index], own.gaps[index]
    for row in neighbours:
        if len(row.starts) > index and row.starts[index] == start and max(gap, row.gaps[index]) > 1:
            return start
    for row in neighbours:
        below = len(row.starts) > index and row.starts[index - 1] == own.starts[index - 1]
        if below and row.starts[index] < start and row.gaps[index] > gap:
            return row.starts[index]
    return None


def words(line: str) -> list[tuple[int, int]]:
    """Where the words of a line start and end; a carriage return at its end is none."""
    return [found.span() for found in _WORD.finditer(line.removesuffix("\r"))]


def width(text: str) -> int:
    """The screen column behind `text`."""
    return len(text.expandtabs(TAB)) if "\t" in text else len(text)


def _reaching(column: int, start: int, blanks: str) -> str:
    """Blanks of the same kind that lead from `start` to `column`; `blanks` where there are none."""
    if column <= start or len(set(blanks)) != 1:
        return blanks
    if blanks[0] == " ":
        return " " * (column - start)
    tabs = column // TAB - start // TAB
    return "\t" * tabs if column % TAB == 0 else blanks

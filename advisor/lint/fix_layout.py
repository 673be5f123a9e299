"""Edits put into a line, so that columns that stood in line with their neighbours still do where there is room."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.lint.finding import Edit

_WORD = re.compile(r"[^ \t]+")
TAB = 8


def apply(line: str, edits: Iterable[Edit]) -> str:
    """A line with edits made that do not overlap; all else stays as it is."""
    for edit in sorted(edits, key=lambda edit: edit.column, reverse=True):
        line = line[: edit.column - 1] + edit.text + line[edit.end_column - 1 :]
    return line


def settle(before: str, after: str, above: str, below: str) -> str:
    """`after`, an edited `before`, with the blanks behind each changed field padded or shortened.

    The field that follows keeps its column where it shares that with the entry `above` or `below`; where it was pushed
    out of such a column and has room again, it goes back there. One blank at least is left before it. Blanks that mix
    spaces and tabs are left alone."""
    old, new = words(before), words(after)
    if len(old) != len(new):
        return after
    had, neighbours = columns(before), (columns(above), columns(below))
    settled = after[: new[0][0]] if new else after
    for index, (start, end) in enumerate(new):
        settled += after[start:end]
        if index + 1 == len(new):
            return settled + after[end:]
        blanks = after[end : new[index + 1][0]]
        if after[start:end] != before[old[index][0] : old[index][1]]:
            column = _column(had, index + 1, neighbours)
            if column is not None:
                blanks = _reaching(column, width(settled), blanks)
        settled += blanks
    return settled


def _column(had: list[int], index: int, neighbours: Iterable[list[int]]) -> int | None:
    """The column at which the field `index` should start; None where no neighbour gives one."""
    other = [line for line in neighbours if len(line) > index]
    if any(line[index] == had[index] for line in other):
        return had[index]
    return next((line[index] for line in other if line[index - 1] == had[index - 1] and line[index] < had[index]), None)


def words(line: str) -> list[tuple[int, int]]:
    """Where the words of a line start and end."""
    return [found.span() for found in _WORD.finditer(line)]


def columns(line: str) -> list[int]:
    """The screen columns at which the words of a line start, from 0."""
    return [width(line[:start]) for start, _ in words(line)]


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

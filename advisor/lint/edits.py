"""Edit the option list of a line, and the line itself, keeping its fields aligned with the lines around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from advisor.files.fstab import Item, split_options
from advisor.files.option_reading import Setting
from advisor.lint.finding import Edit

NOTHING = "defaults"
"""An option list that sets nothing; the field may not be empty."""


class _Listed:
    """An option list that is split once for all edits of it, because a line may have thousands of options."""

    def __init__(self, options: str) -> None:
        self.items = split_options(options) if options else ()
        self.closed = not self.items or self.items[-1].closed
        self.at = {item.start: index for index, item in enumerate(self.items)}
        """Start of an item → its index."""
        self.filled = sum(1 for item in self.items if item.text)
        self.says_nothing = all(item.text in ("", NOTHING) for item in self.items)

    def last(self, gone: Collection[int], filled: bool) -> int:
        """The index of the last item that is not `gone`, and not empty if it must be `filled`."""
        index = len(self.items) - 1
        while index in gone or (filled and not self.items[index].text):
            index -= 1
        return index


_listed = lru_cache(maxsize=4)(_Listed)


def edit_list(
    options: str, drop: Iterable[Setting] = (), put: Iterable[tuple[Setting, str]] = (), add: Iterable[str] = ()
) -> tuple[Edit, ...]:
    """The edits that remove `drop`, replace the options in `put` by other texts, and append `add`.

    `options` is the list as written, "" if the field is missing. Each edit is as small as possible and none overlaps
    another. () if a quote is not closed, because then the options cannot be told apart."""
    listed, added = _listed(options), list(add)
    items = listed.items
    if not listed.closed:
        return ()
    gone = {listed.at[setting.start] for setting in drop if setting.start in listed.at}
    remaining = listed.filled - sum(1 for index in gone if items[index].text)
    if not remaining or (added and listed.says_nothing):  # `defaults` is replaced by options
        return (Edit.within("options", 0, len(options), ",".join(added) or NOTHING),)
    last = listed.last(gone, filled=bool(added))  # an added option takes the empty place after a final comma
    edits = [Edit.within("options", setting.start, setting.end, text) for setting, text in put]
    for index in gone:
        if index < last and index - 1 not in gone:
            kept = index + 1
            while kept in gone:
                kept += 1
            edits.append(Edit.within("options", items[index].start, items[kept].start, ""))
    if added or last < len(items) - 1:
        edits.append(Edit.within("options", _end(items[last]), _end(items[-1]), "".join(f",{text}" for text in added)))
    return tuple(sorted(edits))


def _end(item: Item) -> int:
    return item.start + len(item.text)


_WORD = r"[^ \t]+"
TAB = 8
FIELDS = 6
"""Fields of a complete line. Anything after them is a comment, and not a column of the table."""


def apply(line: str, edits: Iterable[Edit]) -> str:
    """A line after these edits, which do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.column):
        pieces += (line[at : edit.column - 1], edit.text)
        at = edit.end_column - 1
    return "".join([*pieces, line[at:]])


def settle(before: str, after: str, above: str, below: str) -> str:
    """`after`, an edited `before`, with more or fewer blanks after each changed field.

    The next field keeps its column if the entry `above` or `below` has the same one; if it was pushed out of such a
    column and has room again, it moves back. At least one blank remains before it. A mix of spaces and tabs stays as it
    is."""
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
        fields = words(line)[:FIELDS]
        self.starts = [width(line[:start]) for start, _ in fields]
        ends = [0, *(width(line[:end]) for _, end in fields)]
        self.gaps = [start - end for start, end in zip(self.starts, ends)]


def _column(own: TableRow, index: int, neighbours: Iterable[TableRow]) -> int | None:
    """The column at which the word `index` should start; None if no neighbour shows that the table has columns.

    Words that line up only because those before them are equally long do not show it."""
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
    """The start and end of each word of a line, without a carriage return at its end."""
    return [match.span() for match in re.finditer(_WORD, line.removesuffix("\r"))]


def width(text: str) -> int:
    """The screen column behind `text`."""
    return len(text.expandtabs(TAB)) if "\t" in text else len(text)


def _reaching(column: int, start: int, blanks: str) -> str:
    """Blanks of the same kind that lead from `start` to `column`; `blanks` if none do."""
    if column <= start or len(set(blanks)) != 1:
        return blanks
    if blanks[0] == " ":
        return " " * (column - start)
    tabs = column // TAB - start // TAB
    return "\t" * tabs if column % TAB == 0 else blanks

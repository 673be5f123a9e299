"""Edits of an option list: commas, several edits at once, and a list that would become empty."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from advisor.lint.finding import Edit
from advisor.options.words import Setting
from advisor.readers.fstab import Item, split_options

NOTHING = "defaults"
"""What an option list holds when it sets nothing; the field itself may not be empty."""


class _Listed:
    """An option list taken apart once for all the edits that are asked of it: a line may have thousands of options."""

    def __init__(self, options: str) -> None:
        self.items = split_options(options) if options else ()
        self.closed = not self.items or self.items[-1].closed
        self.at = {item.start: index for index, item in enumerate(self.items)}
        """Where an item starts → which it is."""
        self.filled = sum(1 for item in self.items if item.text)
        self.says_nothing = all(item.text in ("", NOTHING) for item in self.items)

    def last(self, gone: Collection[int], filled: bool) -> int:
        """The last item that is not `gone`, and is not empty where it has to be `filled`."""
        index = len(self.items) - 1
        while index in gone or (filled and not self.items[index].text):
            index -= 1
        return index


_listed = lru_cache(maxsize=4)(_Listed)


def edit_list(
    options: str, drop: Iterable[Setting] = (), put: Iterable[tuple[Setting, str]] = (), add: Iterable[str] = ()
) -> tuple[Edit, ...]:
    """The edits that take out `drop`, write other texts for `put`, and append `add`.

    `options` is the list as written, "" where the field is missing. Each edit is as small as it can be and none
    overlaps another. () where quotes do not close: what belongs to which option cannot be told then."""
    listed, added = _listed(options), list(add)
    items = listed.items
    if not listed.closed:
        return ()
    gone = {listed.at[found.start] for found in drop if found.start in listed.at}
    left = listed.filled - sum(1 for index in gone if items[index].text)
    if not left or (added and listed.says_nothing):  # `defaults` gives way to what says something
        return (Edit.within("options", 0, len(options), ",".join(added) or NOTHING),)
    last = listed.last(gone, filled=bool(added))  # what is added fills the place behind a last comma
    edits = [Edit.within("options", found.start, found.end, text) for found, text in put]
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

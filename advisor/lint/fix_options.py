"""Edits of an option list: commas, several edits at once, and a list that would become empty."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.lint.drafts import Change, Found
from advisor.readers.fstab import split_options

NOTHING = "defaults"
"""What an option list says that says nothing; the field itself may not be empty."""


def edit_list(
    options: str, drop: Iterable[Found] = (), put: Iterable[tuple[Found, str]] = (), add: Iterable[str] = ()
) -> tuple[Change, ...]:
    """The edits that take out `drop`, write other texts for `put`, and append `add`.

    `options` is the list as written, "" where the field is missing. Each edit is as small as it can be and none
    overlaps another. () where quotes do not close: what belongs to which option cannot be told then."""
    items = split_options(options) if options else ()
    if items and not items[-1].closed:
        return ()
    ends = [item.start + len(item.text) for item in items]
    gone = {found.start for found in drop}
    added = list(add)
    keep = [item.start not in gone for item in items]
    if added:
        if all(item.text in ("", NOTHING) for item in items):
            keep = [False] * len(items)  # `defaults` gives way to what says something
        while True in keep and not items[_last(keep)].text:
            keep[_last(keep)] = False  # the place behind a last comma is filled
    if not any(kept and item.text for kept, item in zip(keep, items, strict=True)):
        return (Change("options", 0, len(options), ",".join(added) or NOTHING),)
    last = _last(keep)
    changes = [Change("options", found.start, found.end, text) for found, text in put]
    start = None
    for index, kept in enumerate(keep[: last + 1]):
        if not kept and start is None:
            start = items[index].start
        elif kept and start is not None:
            changes.append(Change("options", start, items[index].start, ""))
            start = None
    if added or last < len(items) - 1:
        changes.append(Change("options", ends[last], ends[-1], "".join(f",{text}" for text in added)))
    return tuple(sorted(changes, key=lambda change: (change.start, change.end)))


def _last(keep: list[bool]) -> int:
    return len(keep) - 1 - keep[::-1].index(True)

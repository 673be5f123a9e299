"""The index of the pages of `advisor rules docs`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.render.formats.markdown import literal
from advisor.render.rule_page import MARK, page, table


class Entry(NamedTuple):
    """A row of the index. `kind`: the heading under which it stands; `rules`: the names that findings carry."""

    page: str
    title: str
    kind: str
    rules: tuple[str, ...]


def index_page(entries: Iterable[Entry]) -> str:
    """The list of all pages."""
    lines = ["# Rules", "", MARK, "", "A page for each check, decision and erratum; see also `advisor explain NAME`."]
    kinds: dict[str, list[Entry]] = {}
    for entry in entries:
        kinds.setdefault(entry.kind, []).append(entry)
    for kind, listed in kinds.items():
        rows = [
            (f"[{entry.page}]({entry.page}.md)", literal(entry.title), ", ".join(f"`{rule}`" for rule in entry.rules))
            for entry in sorted(listed)
        ]
        if all(entry.rules == (entry.page,) for entry in listed):
            rows = [row[:2] for row in rows]  # type: ignore[misc]
        heads = ("page", "what it is about", "rules")[: len(rows[0])]
        lines += ["", f"## {kind}", "", *table(heads, rows)]
    return page(lines)

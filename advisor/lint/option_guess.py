"""What an unknown option may have been meant to be. Loaded only when there is one."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from advisor.lint.option_table import COMMON, Entry, Table, Tables
from advisor.lint.options import Problem


def unknown(tables: Tables, table: Table, fstype: str, item: Any) -> Problem:
    """The problem of an option that the type does not know, with the nearest one that it does."""
    told = tables.elsewhere.get(item.name)
    if told is not None:
        # Known to another type: say so, and do not guess.
        types = ", ".join(told.get("applies_to") or [COMMON])
        why = told.get("about") or f"{item.name} is an option of {types}."
        message = f"{fstype} has no option {item.name} ({types} has)"
        return _problem(item, message, why, tuple(told.get("cites") or ()), None)
    meant = _nearest(tables, table, item)
    hint = f"; did you mean {meant}?" if meant else ""
    return _problem(item, f"unknown option {item.text}{hint}", "", (), meant)


def _problem(item: Any, message: str, why: str, cites: tuple[str, ...], meant: str | None) -> Problem:
    return Problem("unknown-option", None, None, item.value, None, message, why, "mount-fails", cites, meant)


def _nearest(tables: Tables, table: Table, item: Any) -> str | None:
    name, value = item.name, item.value
    if value is None and ":" in name and table.entries(name.partition(":")[0]):
        name, _, value = name.partition(":")
        return f"{name}={value}"
    found = tables.misspelt.get(name) or tables.misspelt.get(name.lower())
    if found is None:
        folded = {known.lower(): known for known in table.names}
        close = get_close_matches(name.lower(), folded, 1, 0.75)
        if not close:
            return None
        found = folded[close[0]]
    return _written(table.entries(found), found, value)


def _written(entries: tuple[Entry, ...], name: str, value: str | None) -> str:
    takes = any(entry.read is not None for entry in entries)
    return f"{name}={value}" if takes and value is not None else name

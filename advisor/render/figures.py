"""A claim's figures: single ones in words, tables as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.render.escape import visible


def words(figures: Mapping[str, Any]) -> str:
    """ "threads = 256, sizes_mib = 1024/2048": several values of one figure are parted by a slash. No tables."""
    return ", ".join(f"{name} = {_text(value)}" for name, value in figures.items() if not _is_table(value))


def tables(figures: Mapping[str, Any], columns: int) -> list[str]:
    """The lines of all tables, indented by two; each row a list of words where the table is wider than `columns`."""
    lines: list[str] = []
    for name, value in figures.items():
        if _is_table(value):
            lines += ["", *([] if name == "rows" else [f"{visible(name)}:"]), *_table(value, columns)]
    return lines


def _table(rows: list[dict[str, Any]], columns: int) -> list[str]:
    heads = list(dict.fromkeys(head for row in rows for head in row))
    cells = [heads, *([_text(row.get(head, "")) for head in heads] for row in rows)]
    widths = [max(len(visible(line[index])) for line in cells) for index in range(len(heads))]
    if 2 * len(widths) + sum(widths) > columns:
        told = ("; ".join(f"{head}: {_text(value)}" for head, value in row.items()) for row in rows)
        return [line for row in told for line in _wrapped(visible(row), columns)]
    numeric = [all(isinstance(row.get(head), (int, float)) for row in rows) for head in heads]
    return [
        "  " + "  ".join(
            f"{visible(text):{'>' if right else '<'}{width}}"
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
    ]


def _wrapped(text: str, columns: int) -> list[str]:
    from textwrap import wrap  # noqa: PLC0415  few claims have a table that wide

    return wrap(text, max(columns, 40), initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "/".join(map(_text, value))
    if isinstance(value, dict):
        return f"({words(value)})"
    return str(value)

"""A claim's figures: single ones in words, tables as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.render.escape import visible

if TYPE_CHECKING:
    from typing import TypeGuard

    Rows = list[dict[str, object]]


def words(figures: Mapping[str, object]) -> str:
    """ "threads = 256, sizes_mib = 1024/2048": several values of one figure are parted by a slash. No tables."""
    return ", ".join(f"{name} = {_text(value)}" for name, value in figures.items() if not _is_table(value))


def tables(figures: Mapping[str, object], columns: int, rows: int | None = None) -> list[str]:
    """The lines of all tables, indented by two; each row a list of words where the table is wider than `columns`.

    `rows`: longer tables are left out."""
    lines: list[str] = []
    for name, value in figures.items():
        if _is_table(value) and (rows is None or len(value) <= rows):
            lines += ["", *([] if name == "rows" else [f"{visible(name)}:"]), *_table(value, columns)]
    return lines


def unsaid(figures: Mapping[str, object], says: str) -> dict[str, object]:
    """The figures that a sentence does not have anyway; no tables."""
    said = says.replace(",", "").lower()
    return {name: value for name, value in figures.items()
            if not _is_table(value) and not all(part in said for part in _parts(value))}


def _parts(value: object) -> list[str]:
    """The single numbers and words of a figure."""
    if isinstance(value, Mapping):
        return [part for inner in value.values() for part in _parts(inner)]
    if isinstance(value, list):
        return [part for inner in value for part in _parts(inner)]
    return [_text(value).lower()]


def folded(figures: Mapping[str, object], claim: str, rows: int) -> str:
    """What the tables of more than `rows` rows come to: "30 rows: seconds 9.1 to 36.6, mb_per_s 117 to 118"."""
    told = [_span(value) for value in figures.values() if _is_table(value) and len(value) > rows]
    return f"{'; '.join(told)} (advisor explain {claim} prints them)" if told else ""


def _span(table: Rows) -> str:
    numbers: dict[str, list[float]] = {}
    for row in table:
        for name, value in row.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                numbers.setdefault(name, []).append(value)
    spans = (f"{name} {min(one)}" if min(one) == max(one) else f"{name} {min(one)} to {max(one)}"
             for name, one in numbers.items())
    return f"{len(table)} rows: {', '.join(spans)}"


def _table(rows: Rows, columns: int) -> list[str]:
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
            for text, width, right in zip(line, widths, numeric)
        ).rstrip()
        for line in cells
    ]


def _wrapped(text: str, columns: int) -> list[str]:
    from textwrap import wrap  # noqa: PLC0415  few claims have a table that wide

    return wrap(text, max(columns, 40), initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False)


def _is_table(value: object) -> TypeGuard[Rows]:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "/".join(map(_text, value))
    if isinstance(value, dict):
        return f"({words(value)})"
    return str(value)

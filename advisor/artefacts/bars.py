"""Figures that sources measured, as bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from advisor.advice.model import Citation


class Bar(NamedTuple):
    """`share`: of the longest bar of its chart, from 0 to 1. `text`: the number as the source has it, with unit."""

    label: str
    share: float
    text: str


class Chart(NamedTuple):
    """The figures of one claim that have one unit."""

    cite: Citation
    unit: str
    bars: tuple[Bar, ...]


def charts(cites: Iterable[Citation], measures: Mapping[str, str]) -> list[Chart]:
    """A chart for each measured claim and unit. `measures`: part of a figure's name → unit; other figures are none."""
    found = []
    for cite in cites:
        if cite.verdict != "measured":
            continue
        by_unit: dict[str, list[tuple[str, float]]] = {}
        for name, number in _numbers(cite.figures, ""):
            unit = next((unit for part, unit in measures.items() if part in name.rsplit("/", 1)[-1]), None)
            if unit:
                by_unit.setdefault(unit, []).append((name, number))
        found += [Chart(cite, unit, _bars(unit, named)) for unit, named in by_unit.items()]
    return found


def _bars(unit: str, named: list[tuple[str, float]]) -> tuple[Bar, ...]:
    most = 100.0 if unit == "%" else 0.0
    most = max(most, *(abs(number) for _, number in named))
    return tuple(
        Bar(name.replace("_", " ").replace("/", ", "), round(abs(number) / most, 4) if most else 0.0,
            f"{number:g} {unit}" if abs(number) < 1e6 else f"{number:.0f} {unit}")
        for name, number in named
    )


def _numbers(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Every number, with the names that lead to it; a row of a table is named by its words."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers(inner, f"{name}/{key}" if name else str(key))
    elif isinstance(value, list):
        for row in value:
            if isinstance(row, Mapping):
                words = " ".join(str(one) for one in row.values() if isinstance(one, str))
                for key, inner in row.items():
                    yield from _numbers(inner, f"{words}/{key}" if words else str(key))
            else:
                yield from _numbers(row, name)

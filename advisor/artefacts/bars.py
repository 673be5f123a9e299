"""Figures that sources measured, as bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

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
    """A chart for each measured claim and unit, where there is something to compare: several figures, or a percentage.

    `measures`: part of a figure's name → unit; other figures say how it was measured."""
    found = []
    for cite in cites:
        if cite.verdict != "measured":
            continue
        by_unit: dict[str, list[tuple[str, float]]] = {}
        for label, name, number in _results(cite.figures, "", measures):
            unit = _unit(name, measures)
            if unit:
                by_unit.setdefault(unit, []).append((label, number))
        found += [
            Chart(cite, unit, _bars(unit, named)) for unit, named in by_unit.items() if len(named) > 1 or unit == "%"
        ]
    return found


def _unit(name: str, measures: Mapping[str, str]) -> str | None:
    return next((unit for part, unit in measures.items() if part in name), None)


def _bars(unit: str, named: list[tuple[str, float]]) -> tuple[Bar, ...]:
    most = max(100.0 if unit == "%" else 0.0, *(abs(number) for _, number in named))
    return tuple(Bar(label, round(abs(number) / most, 4) if most else 0.0, f"{number:,.10g} {unit}")
                 for label, number in named)


def _results(
    value: object, label: str, measures: Mapping[str, str], name: str = ""
) -> Iterator[tuple[str, str, float]]:
    """Every number with its label and its own name. The rest of a table's row, words and conditions, is its label."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield label, name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _results(inner, _joined(label, key), measures, str(key))
    elif isinstance(value, list):
        for place, row in enumerate(value, 1):
            if isinstance(row, Mapping):
                given = {key: inner for key, inner in row.items() if not _unit(str(key), measures)}
                words = " ".join(one if isinstance(one, str) else f"{_said(key)} {one}" for key, one in given.items())
                for key, inner in row.items():
                    if key not in given:
                        yield from _results(inner, words, measures, str(key))
            else:
                yield from _results(row, f"{label} ({place})", measures, name)


def _joined(label: str, key: object) -> str:
    return f"{label}, {_said(key)}" if label else _said(key)


def _said(key: object) -> str:
    return str(key).replace("_", " ")

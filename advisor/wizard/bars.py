"""Measured figures as bars. Only what can be compared is drawn: several values of one unit in one claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

UNITS = {
    "mib_s": "MiB/s", "gib_s": "GiB/s", "mb_s": "MB/s", "mb_per_s": "MB/s", "gb_s": "GB/s", "gbit_s": "Gbit/s",
    "iops": "IOPS", "iops_about": "IOPS", "hours": "hours", "minutes": "minutes", "seconds": "seconds", "ms": "ms",
    "clients": "clients", "calls": "calls", "messages": "messages", "factor": "×",
}
"""How a figure's name tells its unit, at its beginning or end. Sizes that are set (bytes, KiB) are not measurements."""
BLOCKS = " ▏▎▍▌▋▊▉█"
ROWS = 12


class Bar(NamedTuple):
    label: str
    low: float
    high: float


class Chart(NamedTuple):
    unit: str
    bars: tuple[Bar, ...]


def charts(figures: Mapping[str, object]) -> list[Chart]:
    """What can be drawn of a claim's figures."""
    groups: dict[str, list[Bar]] = {}
    found: list[Chart] = []
    for name, value in figures.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            found += _table(value)
            continue
        for inner, number in value.items() if isinstance(value, dict) else [(name, value)]:
            unit, label = _unit(str(inner))
            span = _span(number)
            if unit and span and "printed" not in label:
                prefix = f"{name} " if isinstance(value, dict) else ""
                groups.setdefault(unit, []).append(Bar(f"{prefix}{label}".replace("_", " ").strip(), *span))
    for unit, bars in groups.items():
        if unit == "×" and len(bars) == 1:
            bars.insert(0, Bar("without", 1, 1))
            bars[1] = bars[1]._replace(label="with")
        if len({bar.label for bar in bars}) > 1 and max(bar.high for bar in bars) > 0:
            found.append(Chart(unit, tuple(bars[:ROWS])))
    return found


def drawn(chart: Chart, width: int) -> list[tuple[str, str, str]]:
    """(label, bar, number) of each line; `width`: of the bar."""
    most = max(bar.high for bar in chart.bars)
    unit = chart.unit if chart.unit == "×" else f" {chart.unit}"
    return [(bar.label, blocks(bar.high / most, width), f"{_spoken(bar)}{unit}") for bar in chart.bars]


def blocks(share: float, width: int) -> str:
    """A bar in eighths of a cell; at least an eighth for what is not nothing."""
    eighths = max(round(share * width * 8), 1) if share > 0 else 0
    return BLOCKS[8] * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")


def _spoken(bar: Bar) -> str:
    return f"{bar.low:,.4g}" if bar.low == bar.high else f"{bar.low:,.4g} to {bar.high:,.4g}"


def _unit(name: str) -> tuple[str, str]:
    for word in sorted(UNITS, key=len, reverse=True):
        if name == word:
            return UNITS[word], ""
        if name.endswith(f"_{word}"):
            return UNITS[word], name.removesuffix(f"_{word}")
        if name.startswith(f"{word}_"):
            return UNITS[word], name.removeprefix(f"{word}_")
    return "", ""


def _span(value: object) -> tuple[float, float] | None:
    numbers = value if isinstance(value, list) else [value]
    if not numbers or any(isinstance(one, bool) or not isinstance(one, (int, float)) for one in numbers):
        return None
    return float(min(numbers)), float(max(numbers))


def _table(rows: list[dict[str, Any]]) -> list[Chart]:
    """One chart for each measured column; the other columns that differ are the labels."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    measured = [name for name in columns if _unit(name)[0] and all(_span(row.get(name)) for row in rows)]
    named = [
        name for name in columns
        if name not in measured and len({str(row.get(name)) for row in rows}) > 1
    ]
    found = []
    for name in measured[:2]:
        bars = [
            Bar(", ".join(f"{_plain(key)} {row[key]}" for key in named if key in row), *(_span(row[name]) or (0, 0)))
            for row in rows[:ROWS]
        ]
        if len({bar.label for bar in bars}) > 1 and max(bar.high for bar in bars) > 0:
            found.append(Chart(_unit(name)[0], tuple(bars)))
    return found


def _plain(name: str) -> str:
    return name.replace("_", " ")

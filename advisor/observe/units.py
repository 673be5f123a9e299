"""Quantities in the reader's units. They are kept as whole numbers; their units are those of rules/observations."""

from __future__ import annotations


def measure(value: int, unit: str) -> str:
    """The number with its unit: 41 217 microseconds are "41 ms", 853 thousandths "0.85"."""
    if unit == "microseconds":
        return f"{_rounded(value / 1000)} ms" if value < 1_000_000 else f"{_rounded(value / 1_000_000)} s"
    if unit == "milliseconds":
        return f"{value} ms" if value < 1000 else f"{_rounded(value / 1000)} s"
    if unit == "per mille":
        return f"{_rounded(value / 10)} %"
    if unit == "thousandths":
        return _rounded(value / 1000)
    if unit == "bytes":
        for size, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
            if value >= size:
                return f"{_rounded(value / size)} {name}"
    if unit == "times":
        return {1: "once", 2: "twice"}.get(value, f"{value:,} times")
    one = unit[:-1] if value == 1 and unit.endswith("s") and not unit.endswith("/s") else unit
    return f"{value:,} {one}".rstrip()


def _rounded(value: float) -> str:
    """Two digits that count, and no more behind the point than tell something."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}" if value >= 0.01 else "0"

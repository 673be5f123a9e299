"""A row of numbers in one line."""

from __future__ import annotations

from collections.abc import Sequence

_SIGNS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float | None], columns: int) -> str:
    """The last of the values, one a column, from nothing to the greatest of them; a blank for one that is not known.
    Neither is negative. As many columns as are asked for, the last value in the last of them."""
    shown = values[max(0, len(values) - columns):]
    most = max((one for one in shown if one is not None), default=0.0)
    signs = "".join(
        " " if one is None else _SIGNS[min(int(one / most * len(_SIGNS)), len(_SIGNS) - 1)] if most else _SIGNS[0]
        for one in shown
    )
    return signs.rjust(columns)

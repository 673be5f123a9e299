"""Tests whether two windows differ by more than chance.

If both have parts, the parts are ranked (Mann and Whitney): if nothing changed, any part could as well belong to the
other window, so the chance of a split at least as one-sided is known exactly, for any distribution. Without parts the
spread is assumed: calls come in dependent bunches of BUNCH, and the times and sizes of calls deviate from their mean by
SPREAD times that mean."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.01
"""The share of comparisons that may report a change although nothing changed, over all numbers together."""
BUNCH, SPREAD = 10, 2.0
LEAST = 0.05
"""Differences below this share of the larger number are not reported."""


def chance(before: Sequence[float], after: Sequence[float]) -> float:
    """The two-sided p-value of the ranked parts. Ties count for neither side, which can only make it larger."""
    if not before or not after:
        return 1.0
    more = sum(new > old for new in after for old in before)
    less = sum(new < old for new in after for old in before)
    ways = _ways(len(before), len(after))
    return min(1.0, 2 * sum(ways[max(more, less) :]) / sum(ways))


def least_chance(before: int, after: int) -> float:
    """The smallest value that chance() can have with this many parts."""
    return min(1.0, 2 / math.comb(before + after, after)) if before and after else 1.0


@lru_cache(maxsize=64)
def _ways(before: int, after: int) -> tuple[int, ...]:
    """Number of wins → orders of all parts in which the later window wins this many pairs."""
    ways = [1] + [0] * (before * after)
    for factor in range(1, after + 1):  # the product of (1 - x^(before+factor)) / (1 - x^factor)
        for at in range(len(ways) - 1, before + factor - 1, -1):
            ways[at] -= ways[at - before - factor]
        for at in range(factor, len(ways)):
            ways[at] += ways[at - factor]
    return tuple(ways)


def deviations(tests: int) -> float:
    """How many standard deviations count as a change, with this many numbers compared."""
    return NormalDist().inv_cdf(1 - LEVEL / (2 * max(tests, 1)))


def assumed_error(kind: str, value: float, calls: float) -> float:
    """The standard error to assume for a number that was counted over this many calls. `kind`: "count" for a rate,
    "share" for per mille of the calls, "mean" for the mean of a time, length or size."""
    if calls <= 0:
        return math.inf
    if kind == "share":
        share = min(max(value / 1000, 1 / calls), 1 - 1 / calls) if calls > 2 else 0.5
        return 1000 * math.sqrt(share * (1 - share) * BUNCH / calls)
    return value * math.sqrt(BUNCH / calls) * (1.0 if kind == "count" else SPREAD)


def is_large(before: float, after: float) -> bool:
    return abs(after - before) >= LEAST * max(before, after) > 0

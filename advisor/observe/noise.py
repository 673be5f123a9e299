"""Whether two windows differ by more than chance makes them differ.

Where both were cut into parts, the parts are ranked (Mann and Whitney): if nothing changed, any part could as well
belong to the other window, so the chance of a split as one-sided as the one that was seen is known exactly, whatever
the parts look like. Without parts the spread has to be assumed: calls come in bunches of BUNCH that share their fate,
and the times and sizes of calls deviate from their mean by SPREAD times that mean."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.01
"""Of so many comparisons in which nothing changed one may name a change, all its numbers taken together."""
BUNCH, SPREAD = 10, 2.0
LEAST = 0.05
"""A share of the larger number: smaller differences are not worth reporting."""


def chance(before: Sequence[float], after: Sequence[float]) -> float:
    """How likely parts that differ by chance alone are split as one-sidedly as these, or more: 0 to 1, two-sided.

    Equal parts count for neither side, which makes it larger than it is, never smaller."""
    if not before or not after:
        return 1.0
    more = sum(new > old for new in after for old in before)
    less = sum(new < old for new in after for old in before)
    ways = _ways(len(before), len(after))
    return min(1.0, 2 * sum(ways[max(more, less) :]) / sum(ways))


def least_chance(before: int, after: int) -> float:
    """The least that chance() can be with so many parts."""
    return min(1.0, 2 / math.comb(before + after, after)) if before and after else 1.0


@lru_cache(maxsize=64)
def _ways(before: int, after: int) -> tuple[int, ...]:
    """Number of wins → orders of all parts in which so many pairs are won by the later window."""
    ways = [1] + [0] * (before * after)
    for factor in range(1, after + 1):  # the product of (1 - x^(before+factor)) / (1 - x^factor)
        for at in range(len(ways) - 1, before + factor - 1, -1):
            ways[at] -= ways[at - before - factor]
        for at in range(factor, len(ways)):
            ways[at] += ways[at - factor]
    return tuple(ways)


def deviations(tests: int) -> float:
    """How many standard deviations count as a change, where so many numbers are looked at."""
    return NormalDist().inv_cdf(1 - LEVEL / (2 * max(tests, 1)))


def assumed_error(kind: str, value: float, calls: float) -> float:
    """The standard error of a number that was counted over so many calls, as it has to be assumed. `kind`: "count" for
    a rate, "share" for per mille of the calls, "mean" for the mean of a time, length or size."""
    if calls <= 0:
        return math.inf
    if kind == "share":
        share = min(max(value / 1000, 1 / calls), 1 - 1 / calls) if calls > 2 else 0.5
        return 1000 * math.sqrt(share * (1 - share) * BUNCH / calls)
    return value * math.sqrt(BUNCH / calls) * (1.0 if kind == "count" else SPREAD)


def is_large(before: float, after: float) -> bool:
    return abs(after - before) >= LEAST * max(before, after) > 0

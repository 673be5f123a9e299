"""Two tiers of tests: those that everybody waits for, and with `-m thorough` what takes longer (CONTRIBUTING.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar

import pytest
from hypothesis import settings

Law = TypeVar("Law", bound=Callable[..., Any])
T = TypeVar("T")
thorough = pytest.mark.thorough
"""For the second tier only."""
long = pytest.mark.long
"""Takes half a minute or more, and is begun before the others: at the end one worker would be left with it alone."""
FIRST = "not thorough"
asked = FIRST
"""What pytest was asked for with -m; conftest.py says it before any test is collected."""


def strength(few: int, many: int, **more: Any) -> settings:
    """How many examples are tried in the first tier, and in the second."""
    return settings(max_examples=few if asked == FIRST else many, deadline=None, **more)


def in_both(law: Law) -> Law:
    """What runs in the first tier runs in the second, too, where it is stronger."""
    return law if asked == FIRST else thorough(law)


def examples(few: int, many: int, **more: Any) -> Callable[[Law], Law]:
    """A law that the first tier tries on a few examples, and the second on many."""
    return lambda law: in_both(strength(few, many, **more)(law))


def some(cases: Iterable[Any], one_in: int) -> list[Any]:
    """Values of a parameter, or of several as a tuple: the first tier has one of so many, the second the others."""
    told = (one if isinstance(one, tuple) else (one,) for one in cases)
    return [pytest.param(*one, marks=thorough if number % one_in else ()) for number, one in enumerate(told)]


def part(cases: Iterable[T], one_in: int) -> list[T]:
    """What a test in both tiers loops over: one of so many in the first tier, all in the second."""
    return list(cases)[:: one_in if asked == FIRST else 1]


def sizes(*all_: tuple[int, int], first: tuple[int, int] = (80, 24)) -> pytest.MarkDecorator:
    """Sizes of the screen: one in the first tier, the others in the second."""
    told = [pytest.param(one, marks=() if one == first else thorough, id=f"{one[0]}x{one[1]}") for one in all_]
    return pytest.mark.parametrize("size", told)


HELPERS = ("tests.tiers", "tests.laws.worlds", "tests.wizard.driving")
"""What can put a test into the second tier; a file that imports none of them is wholly of the first."""


def wholly_of_the_other(text: str, asked: str) -> bool:
    """Whether a file of tests has nothing for the tier that was asked for."""
    if asked == FIRST:
        return "\npytestmark = thorough\n" in text
    return not any(f"\nfrom {helper} import " in text for helper in HELPERS)


def long_first(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """The long ones are dealt out: each worker gets as many tests as the next, in this order, and begins with its own.
    """
    last = [item for item in items if item.get_closest_marker("long")]
    rest = [item for item in items if not item.get_closest_marker("long")]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        own = last[worker::workers]
        share = len(items) // workers + (worker >= workers - len(items) % workers)
        ordered += own + rest[: max(share - len(own), 0)]
        del rest[: max(share - len(own), 0)]
    return ordered + rest


def few_cases(items: Iterable[pytest.Item], most: int) -> list[pytest.Item]:
    """Of the cases of one test, the first, the last and some between."""
    chosen: list[pytest.Item] = []
    for _, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        step = max(len(cases) - 1, 1) / max(most - 1, 1)
        chosen += cases if len(cases) <= most else [cases[round(number * step)] for number in range(most)]
    return chosen

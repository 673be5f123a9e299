"""What experts say of an environment is advised, from a few facts and from all, at least as far as it was measured."""

from __future__ import annotations

import pytest

from advisor.rulebase.base import load
from tests.experts.measure import CASES, names, score
from tests.tiers import thorough

pytestmark = thorough

HELD = {  # aside, all facts, strength → percent that was measured
    (False, False, "must"): 100, (False, False, "should"): 91, (False, True, "must"): 100, (False, True, "should"): 100,
    (True, False, "must"): 100, (True, False, "should"): 90, (True, True, "must"): 100, (True, True, "should"): 100,
}


@pytest.mark.parametrize(("aside", "all_of_them", "strength"), HELD)
def test_as_much_is_advised_as_was_measured(aside: bool, all_of_them: bool, strength: str) -> None:
    found = score(load(), strength, aside=aside, all_of_them=all_of_them)
    assert found.percent >= HELD[aside, all_of_them, strength], found.missed


@pytest.mark.parametrize("aside", [False, True])
@pytest.mark.parametrize("all_of_them", [False, True])
def test_nothing_is_advised_that_must_not_be(aside: bool, all_of_them: bool) -> None:
    assert score(load(), "must_not", aside=aside, all_of_them=all_of_them).missed == ()


@pytest.mark.parametrize("name", CASES)
def test_an_environment_is_whole(name: str) -> None:
    base, case = load(), CASES[name]
    assert case["source"].startswith("https://")
    assert 3 <= len(case["first"]) <= 6
    assert not case["first"].keys() & case["more"].keys()
    assert {tunable for strength in ("must", "should", "must_not") for tunable in case[strength]} <= set(base.tunables)


def test_half_of_them_are_set_aside() -> None:
    assert len(names(aside=False)) >= len(names(aside=True)) >= 16

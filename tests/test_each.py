"""That a swarm in one test loses nothing."""

from __future__ import annotations

import pytest

from tests.each import each


def test_all_cases_that_fail_are_named() -> None:
    @each(lambda: [(1, 2), (2, 2), (3, 4), (4, 4)], name=lambda one, other: f"{one} and {other}")
    def law(one: int, other: int) -> None:
        if one == 3:
            pytest.fail("no threes")
        assert one == other

    with pytest.raises(AssertionError) as told:
        law()
    first, one, three = [line for line in str(told.value).splitlines() if " cases " in line or " and " in line]
    assert first == "2 of 4 cases failed:"
    assert one.startswith("1 and 2: test_each.py:")
    assert three.endswith("Failed: no threes")


def test_no_cases_are_a_failure() -> None:
    with pytest.raises(AssertionError, match="there are no cases"):
        each(list)(lambda: None)()

"""The one search: when it gives up."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from advisor.engine import TooBigError
from advisor.engine.boxes import Propagation, Space
from advisor.engine.cells import ListedFact


def test_a_search_looks_at_as_many_cases_as_the_limit_and_no_more() -> None:
    """All four cases of two facts are shut: the search looks at the whole, at a false, and at a true with b false."""
    space = Space([ListedFact(("a", "bool", None, True, False), 0), ListedFact(("b", "bool", None, True, False), 3)])
    shut = [space.pack({"a": a, "b": b}) for a in (0b01, 0b10) for b in (0b01, 0b10)]
    with patch("advisor.engine.boxes.MAX_STEPS", 3):
        assert space.uncovered(space.everything, shut) is None
    with patch("advisor.engine.boxes.MAX_STEPS", 2), pytest.raises(TooBigError, match="more than 2 cases"):
        space.uncovered(space.everything, shut)


def test_a_box_in_words_has_only_the_facts_of_which_it_says_something() -> None:
    space = Space([ListedFact((name, "bool", None, True, False), 3 * place) for place, name in enumerate("abc")])
    state = {"a": 0b10, "c": 0b01}
    assert space.unpack(space.pack({**state, "b": 0b11})) == state
    assert space.names(space.facts_of(space.pack(state))) == ["a", "c"]
    assert space.meet(space.only("c", 0b10), space.pack(state)) is None


def test_a_cover_of_one_fact_cuts_its_cells_off() -> None:
    space = Space([ListedFact((name, "bool", None, True, False), 3 * place) for place, name in enumerate("ab")])
    for name in "ba":
        true, false = space.only(name, 0b10), space.only(name, 0b01)
        assert Propagation(space, [true]).narrow(space.everything) == false
        assert space.narrow(space.everything, [true]) == (false, [])
        assert Propagation(space, [true, false]).narrow(space.everything) is None
        assert space.narrow(space.everything, [true, false]) is None

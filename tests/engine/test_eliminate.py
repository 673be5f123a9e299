"""Constraints that a query may leave out, since some fact can always meet them."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from advisor.engine import Base, reach
from advisor.engine.compiler import build
from advisor.engine.declare import in_words
from tests.each import each
from tests.engine.sample import decision, rule

NUMBER = {"id": "number", "type": "int"}
BOOLS: list[dict[str, Any]] = [{"id": name, "type": "bool"} for name in ("a", "b", "c")]


def base(nevers: list[Any], facts: list[dict[str, Any]] | None = None) -> Base:
    rules = rule("x/a", 1, a=True), rule("x/not-a", 2, a=False)
    return build({
        "facts": [NUMBER, *(facts or BOOLS)], "layers": ["default"], "conditions": {},
        "constraints": [{"id": f"n{number}", "never": never} for number, never in enumerate(nevers)],
        "decisions": [decision("x", *rules)],
    })  # fmt: skip


def owners(built: Base) -> list[tuple[str, str | None]]:
    """(group, the fact that can always meet it)"""
    facts = list(built.facts)
    return [(name, None if owner < 0 else facts[owner]) for owner, name, _, _ in built.to_json()["constraints"]]


def looked_at(built: Base, known: dict[str, object]) -> int:
    """How many boxes a question about the fact a has to look at."""
    situation = built.situation(built.state(known))
    return len(situation.near(built.space.guard_of["a"]).covers)


CAPABILITIES = [
    {"a": True, "number": "<3"}, {"a": False, "number": ">=7"}, {"b": True, "number": "<4"},
    {"b": False, "number": ">=6"},
]  # fmt: skip


def test_what_a_number_says_of_one_fact_is_of_no_concern_to_another() -> None:
    built = base(CAPABILITIES)
    assert owners(built) == [("n2", "b"), ("n3", "b"), ("n0", "a"), ("n1", "a")]
    assert looked_at(built, {}) == 2
    assert looked_at(built, {"number": ">=3 <4"}) == 0
    assert [one.value for one in reach(built, "x", built.state({"number": 8}))] == [1]


def test_what_is_known_is_of_concern() -> None:
    built = base(CAPABILITIES)
    assert [one.value for one in reach(built, "x", built.state({"b": True, "number": "<5"}))] == [1, 2]
    assert [one.value for one in reach(built, "x", built.state({"b": False, "number": ">=5"}))] == [1, 2]
    built = base([{"a": True, "b": False}, {"b": True, "number": "<4"}])
    assert [one.value for one in reach(built, "x", built.state({"number": 1}))] == [2]
    assert [one.value for one in reach(built, "x", built.state({"number": 5}))] == [1, 2]


def test_constraints_that_no_fact_can_always_meet_are_always_looked_at() -> None:
    """All equal: whichever fact is left to choose, the two others may differ."""
    alike = {"not": {"any": [{"a": True, "b": True, "c": True}, {"a": False, "b": False, "c": False}]}}
    built = base([alike, {"c": True, "number": ">=5"}, {"c": False, "number": "<5"}])
    assert ("n0", None) in owners(built)
    assert [one.value for one in reach(built, "x", built.state({"number": 9}))] == [2]
    assert [one.value for one in reach(built, "x", built.state({"number": 1}))] == [1]


def test_a_derived_fact_owns_its_definition_even_where_others_build_on_it() -> None:
    built = base([], [
        *BOOLS, {"id": "d", "type": "bool", "derive": {"true": {"a": True, "b": True}}, "otherwise": False},
        {"id": "e", "type": "bool", "derive": {"true": {"any": [{"d": True}, {"c": True}]}}, "otherwise": False},
    ])  # fmt: skip
    assert owners(built) == [("e", "e"), ("d", "d")]
    assert looked_at(built, {}) == 0
    assert looked_at(built, {"c": False, "b": True}) == 0
    assert [one.value for one in reach(built, "x", built.state({"e": True, "c": False}))] == [1]


def test_where_it_would_take_too_long_to_find_out_nothing_is_left_out() -> None:
    with patch("advisor.engine.declare.MAX_TRIES", 1):
        careful = base(CAPABILITIES)
    assert {owner for _, owner in owners(careful)} == {None}
    assert looked_at(careful, {}) == 4
    for number in (1, 5, 8):
        state = careful.state({"number": number})
        assert reach(careful, "x", state) == reach(base(CAPABILITIES), "x", state)


def test_facts_with_few_groups_own_them_first() -> None:
    assert owners(base([{"a": True, "c": True}, {"b": True, "c": True}])) == [("n1", "b"), ("n0", "c")]


@pytest.mark.parametrize(("limit", "owner"), [(2, "c"), (1, "a"), (0, None)])
def test_as_many_cases_are_tried_as_the_limit(limit: int, owner: str | None) -> None:
    """c takes two tries: all cases, and those with a true, where c is not false. Nothing shuts a false: one try."""
    with patch("advisor.engine.declare.MAX_TRIES", limit):
        assert owners(base([{"a": True, "c": False}])) == [("n0", owner)]


@each(lambda: [
    ({}, ""),
    ({"a": 0b10}, "a is true"),
    ({"a": 0b10, "b": 0b01}, "a is true and b is false"),
    ({"a": 0b10, "b": 0b01, "c": 0b10}, "a is true, b is false, and c is true"),
    ({"letter": 0b011, "a": 0b10}, "letter is x or y, and a is true"),
    ({"a": 0b10, "letter": 0b011}, "a is true, and letter is x or y"),
    ({"letter": 0b011}, "letter is x or y"),
])
def test_a_state_in_words(state: dict[str, int], words: str) -> None:
    letter = {"id": "letter", "type": "enum", "values": ["x", "y", "z"]}
    assert in_words(base([], [*BOOLS, letter]).space, state) == words

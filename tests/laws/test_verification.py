"""`verify` finds what trying every case finds, and each witness shows it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import assume, given

from advisor.engine import EngineError
from advisor.engine.compiler import build, verify
from tests.laws.reference import GAP, World, key
from tests.laws.worlds import LAW, built, rule_base, rule_bases


@LAW
@given(rule_bases())
def test_verify_agrees_with_brute_force(data: dict[str, Any]) -> None:
    base, world = built(data), World(data)
    table = world.decisions["d"]
    found = [problem for problem in verify(base) if problem.decision == "d"]
    kinds = {(problem.kind, problem.rules) for problem in found if problem.kind in ("gap", "unsatisfiable")}
    expected: set[tuple[str, tuple[str, ...]]] = set()
    if GAP in world.reach("d", world.points):
        expected.add(("gap", ()))
    matching = [world.matching("d", point) for point in world.points]
    winning = [world.winners("d", point) for point in world.points]
    useless = set()
    for rule in table["rules"]:
        if not any(rule in rules for rules in matching):
            expected.add(("unsatisfiable", (rule["id"],)))
        elif not any(rule in rules for rules in winning):
            useless.add(rule["id"])
    assert kinds == expected
    assert {problem.rules[0] for problem in found if problem.kind in ("dead", "masked")} == useless
    pairs = {frozenset(problem.rules) for problem in found if problem.kind == "conflict"}
    assert pairs == {
        frozenset((one["id"], other["id"]))
        for one, other in combinations(table["rules"], 2)
        if table["hit"] != "collect"
        and key(one["value"]) != key(other["value"])
        and any(one in rules and other in rules for rules in winning)
    }


@LAW
@given(rule_bases())
def test_every_witness_shows_the_problem(data: dict[str, Any]) -> None:
    base, world = built(data), World(data)
    for problem in verify(base):
        if not problem.witness:
            continue
        cases = [
            point
            for point in world.points
            if all(base.facts[fact].mask(point[fact]) & mask for fact, mask in problem.witness.items())
        ]
        assert cases
        for point in cases:
            holding = [rule["id"] for rule in world.matching("d", point)]
            winning = [rule["id"] for rule in world.winners("d", point)]
            if problem.kind == "gap":
                assert not holding
            elif problem.kind == "conflict":
                assert set(problem.rules) <= set(winning)
            else:
                assert problem.kind in ("dead", "masked")
                assert problem.rules[0] in holding
                assert set(problem.rules[1:]) & set(holding)


@LAW
@given(rule_bases())
def test_a_derived_fact_has_one_value(data: dict[str, Any]) -> None:
    """A base whose derived fact has two values, or none, in some case does not load; all others do."""
    facts = [fact for fact in data["facts"] if fact["id"] != "kind"]
    rules = [rule["when"] for rule in data["decisions"][0]["rules"]]
    derived = {
        "id": "kind",
        "type": "enum",
        "values": ["one", "two", "three"],
        "derive": dict(zip(["one", "two", "three"], rules)),
    }
    assume(all("kind" not in str(part) for part in (facts, rules, data["constraints"])))
    nevers = [constraint["never"] for constraint in data["constraints"]]
    world = World(rule_base(facts, nevers, [], {}))
    assume(world.points)
    counts = [sum(world.true(rule, point) for rule in list(derived["derive"].values())) for point in world.points]
    error = None
    try:
        build(rule_base([*facts, derived], nevers, [], {}))
    except EngineError as refused:
        error = refused
    assert (error is None) == (set(counts) == {1})
    assert error is None or error.path[:2] == ("facts", "kind")

"""Partial evaluation is exact: `reach`, `holds`, `possible` and `consistent` say what trying every case says."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.engine import (
    Base,
    EngineError,
    can_hold,
    can_win,
    consistent,
    contenders,
    holds,
    possible,
    reach,
    support,
    winners,
)
from advisor.engine.compiler import build
from tests.laws.reference import GAP, World, key
from tests.laws.worlds import LAW, answers, built, rule_bases


def values(outcomes: Any) -> set[Any]:
    return {GAP if outcome.rule is None else key(outcome.value) for outcome in outcomes}


def inside(base: Base, point: dict[str, Any], state: dict[str, int]) -> bool:
    return all(base.facts[fact].mask(point[fact]) & mask for fact, mask in state.items())


def check_outcomes(base: Base, world: World, known: dict[str, Any]) -> None:
    """What is possible, what is certain, by which rule, and that each witness is one."""
    points = world.completions(known)
    outcomes = reach(base, "d", base.state(known))
    assert values(outcomes) == world.reach("d", points)
    assert len(values(outcomes)) == len(outcomes)
    assert values(outcome for outcome in outcomes if outcome.certain) == world.certain("d", points)
    table = world.decisions["d"]
    strongest = sorted(table["rules"], key=lambda rule: (-world.rank(table, rule), rule["id"]))
    for outcome in outcomes:
        same = [rule for rule in strongest if outcome.rule is not None and key(rule["value"]) == key(outcome.value)]
        winning = [rule["id"] for rule in same if any(rule in world.winners("d", point) for point in points)]
        assert winning[:1] == [outcome.rule][: len(same)]
        cases = [point for point in points if inside(base, point, outcome.witness)]
        assert cases
        for point in cases:
            if outcome.rule is None:
                assert world.outcomes("d", point) == {GAP}
            else:
                assert (outcome.rule, outcome.value) in [(r["id"], r["value"]) for r in world.winners("d", point)]


@LAW
@given(rule_bases(), st.data())
def test_reach_is_exact_and_its_witnesses_are_true(data: dict[str, Any], draw: st.DataObject) -> None:
    check_outcomes(built(data), World(data), draw.draw(answers(data["facts"])))


@LAW
@given(rule_bases(), st.data())
def test_winners_are_the_rules_that_win_somewhere(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    found = winners(base, "d", base.state(known))
    assert contenders(base, "d", base.state(known)) == tuple(found)
    assert set(found) == {rule["id"] for point in points for rule in world.winners("d", point)}
    some = draw.draw(st.sets(st.sampled_from([rule.id for rule in base.decision("d").rules])))
    assert can_win(base, "d", some, base.state(known)) == (not some.isdisjoint(found))
    holding = {rule["id"] for point in points for rule in world.matching("d", point)}
    assert can_hold(base, "d", some, base.state(known)) == (not some.isdisjoint(holding))
    for rule, witness in found.items():
        assert all(rule in [r["id"] for r in world.winners("d", p)] for p in points if inside(base, p, witness))


@LAW
@given(rule_bases(), st.data())
def test_holds_possible_and_consistent_are_exact(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    state = base.state(known)
    points = world.completions(known)
    assert consistent(base, state) == bool(points)
    truths = {world.true(data["conditions"]["c"], point) for point in points}
    assert holds(base, "c", state) == (truths.pop() if len(truths) == 1 else None)
    for name, fact in base.facts.items():
        mask = 0
        for point in points:
            mask |= fact.mask(point[name])
        assert possible(base, name, state) == mask


@LAW
@given(rule_bases(), st.data())
def test_more_knowledge_never_adds_outcomes(data: dict[str, Any], draw: st.DataObject) -> None:
    base = built(data)
    less = base.state(draw.draw(answers(data["facts"])))
    more = less
    for fact, answer in draw.draw(answers(data["facts"])).items():
        mask = base.facts[fact].mask(answer) & more.get(fact, base.facts[fact].full)
        assume(mask)
        more = base.presume({**more, fact: mask})
    before, after = reach(base, "d", less), reach(base, "d", more)
    assert values(after) <= values(before)
    if after:
        assert values(one for one in before if one.certain) <= values(one for one in after if one.certain)


@LAW
@given(rule_bases(count=2), st.data())
def test_file_order_is_irrelevant(data: dict[str, Any], draw: st.DataObject) -> None:
    base = built(data)
    shuffled = {
        **data,
        "constraints": draw.draw(st.permutations(data["constraints"])),
        "facts": draw.draw(st.permutations(data["facts"])),
        "decisions": [
            {**decision, "rules": draw.draw(st.permutations(decision["rules"]))}
            for decision in draw.draw(st.permutations(data["decisions"]))
        ],
    }
    other = build(shuffled)
    known = draw.draw(answers(data["facts"]))
    for decision in ("d", "d1"):
        outcomes = [
            [(one.value, one.rule, one.certain) for one in reach(each, decision, each.state(known))]
            for each in (base, other)
        ]
        assert outcomes[0] == outcomes[1]


@LAW
@given(rule_bases(), st.data())
def test_solving_what_is_independent_apart_changes_nothing(data: dict[str, Any], draw: st.DataObject) -> None:
    """A search does so only once it has become long; here, at once."""
    with patch("advisor.engine.boxes.EASY_STEPS", 0):
        check_outcomes(built(data), World(data), draw.draw(answers(data["facts"])))


@LAW
@given(rule_bases(), st.data())
def test_what_was_asked_before_does_not_matter(data: dict[str, Any], draw: st.DataObject) -> None:
    """A base remembers answers; it must not take one question for another."""
    base, world = built(data), World(data)
    for known in draw.draw(st.lists(answers(data["facts"]), min_size=2, max_size=6)):
        check_outcomes(base, world, known)
        points = world.completions(known)
        truths = {world.true(data["conditions"]["c"], point) for point in points}
        assert holds(base, "c", base.state(known)) == (truths.pop() if len(truths) == 1 else None)


@LAW
@given(rule_bases(), st.data())
def test_nothing_outside_of_the_support_matters(data: dict[str, Any], draw: st.DataObject) -> None:
    base = built(data)
    known = draw.draw(answers(data["facts"]))
    state = base.state(known)
    assume(consistent(base, state))
    for name in ("d", "c"):
        matters = {fact: mask for fact, mask in state.items() if fact in support(base, name)}
        if name == "d":
            assert values(reach(base, name, matters)) == values(reach(base, name, state))
        else:
            assert holds(base, name, matters) == holds(base, name, state)


@LAW
@given(rule_bases(), st.data())
def test_a_base_read_from_json_answers_alike(data: dict[str, Any], draw: st.DataObject) -> None:
    base = built(data)
    again = Base.from_json(json.loads(json.dumps(base.to_json())))
    known = draw.draw(answers(data["facts"]))
    assert again.state(known) == base.state(known)
    assert reach(again, "d", again.state(known)) == reach(base, "d", base.state(known))


@LAW
@given(rule_bases())
def test_overrides_are_acyclic(data: dict[str, Any]) -> None:
    """A base loads unless nothing is possible in it, or rules that hold together beat each other in a circle."""
    world = World(data)
    try:
        build(data)
    except EngineError:
        assert not world.points or world.circle("d")
    else:
        assert world.points
        assert not world.circle("d")

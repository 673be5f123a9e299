"""Decisions that are facts of later decisions: no outcome is lost on the way."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.engine import EngineError, FactError
from advisor.engine.usual import advise, decided
from tests.laws.reference import GAP, Point, World, key
from tests.laws.worlds import LAW, Draw, answers, built, condition, decision, fact_list, rule_base


@st.composite
def chains(draw: Draw) -> dict[str, Any]:
    """Decision a (also a fact) reads b and others; d reads all; b is also a fact, and what it reads is up to chance."""
    facts = fact_list(draw)
    others = [fact for fact in facts if fact["id"] in ("b", "k", "n")]
    first = decision(draw, others, "a", ["x", "y", "omit", "n/a"])
    second = decision(
        draw, facts if draw(st.integers(0, 5)) == 5 else others[1:] or facts[:1], "b", [True, False, "keep"]
    )
    return rule_base(facts, [], [decision(draw, facts, "d"), first, second], condition(draw, facts))


def order(world: World) -> list[str] | None:
    """Decisions after those that they read; None for a circle."""
    reads = {name: reading(world, name) & set(world.decisions) for name in world.decisions}
    done: list[str] = []
    while len(done) < len(reads):
        ready = sorted(name for name in reads if name not in done and reads[name] <= set(done))
        if not ready:
            return None
        done.append(ready[0])
    return done


def reading(world: World, name: str) -> set[str]:
    """The facts that a decision reads, and those from which these follow. What cannot matter at all may be left out."""
    found = {fact for rule in world.decisions[name]["rules"] for fact in mentioned(rule["when"])}
    while True:
        more = {inner for fact in found for part in definition(world.facts[fact]) for inner in mentioned(part)}
        if more <= found:
            return found
        found |= more


def definition(fact: dict[str, Any]) -> list[dict[str, Any]]:
    return [fact.get("applies", {}), *fact.get("derive", {}).values()]


def mentioned(part: Any) -> set[str]:
    if isinstance(part, list):
        return {name for one in part for name in mentioned(one)}
    if not isinstance(part, dict):
        return set()
    found: set[str] = set()
    for word, value in part.items():
        found |= mentioned(value) if word in ("all", "any", "not") else {word}
    return found


def follow(world: World, names: list[str], point: Point, known: dict[str, Any], found: dict[str, set[Any]]) -> None:
    """Decides one after the other at a point; what is decided takes the place of what the point said."""
    if not names:
        return
    name, *rest = names
    allowed = world.completions({fact: answer for fact, answer in known.items() if fact == name})
    for outcome in world.outcomes(name, point):
        found[name].add(outcome)
        value = outcome[1] if outcome != GAP else None
        changed = point
        if name in world.facts and any(value == one[name] for one in allowed):
            changed = derived_again(world, {**point, name: value})
        if changed in world.completions(known):
            follow(world, rest, changed, known, found)


def derived_again(world: World, point: Point) -> Point:
    """The point with all that follows worked out anew; a fact that now applies has no value until it is looked for."""
    again: Point = {}
    for fact in world.data["facts"]:
        values = world.value(fact, {**point, **again})
        again[fact["id"]] = point[fact["id"]] if point[fact["id"]] in values else values[0]
    return again


@LAW
@given(chains(), st.data())
def test_chained_decisions_never_lose_an_outcome(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    names = order(world)
    try:
        advice = advise(base, base.state(known))
    except EngineError:
        assert names is None
        return
    if names is None:  # the circle is only in what never matters; the engine need not see it
        return
    found: dict[str, set[Any]] = {name: set() for name in names}
    for point in world.completions(known):
        follow(world, names, point, known, found)
    for name in names:
        assert found[name] <= {GAP if one.rule is None else key(one.value) for one in advice[name]}


@LAW
@given(chains(), st.data())
def test_a_pinned_decision_is_known_to_the_others(data: dict[str, Any], draw: st.DataObject) -> None:
    """A pin is refused exactly where it cannot be; otherwise the others are decided as if its value were known."""
    data["decisions"] = [one for one in data["decisions"] if one["id"] != "b"]
    pinned = next(one for one in data["decisions"] if one["id"] == "a")
    pinned["rules"] = [rule for rule in pinned["rules"] if rule["layer"] != "gate"]  # what no pin passes: test_gates
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    pin = draw.draw(st.sampled_from(["x", "y", "z"]))
    assume(world.completions(known))
    points = [point for point in world.completions(known) if point["a"] == pin]
    state = base.state(known)
    try:
        advice = advise(base, state, {"a": pin})
    except FactError:
        assert not points
        return
    except EngineError:
        assert order(world) is None
        return
    assert points
    assert [(one.value, one.rule, one.certain) for one in advice["a"]] == [(pin, None, True)]
    assert base.facts["a"].mask(pin) == decided(base, state, {"a": pin}).get("a")
    assert {GAP if one.rule is None else key(one.value) for one in advice["d"]} == world.reach("d", points)

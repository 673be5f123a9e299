"""Reasons are sufficient and minimal, changes true and minimal, proofs sound, obstacles real."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.engine import Base, consistent
from advisor.engine.boxes import bits
from advisor.engine.explain import ProofPart, open_facts, proof, reason, what_if, why_not
from tests.laws.reference import GAP, Point, World, key
from tests.laws.worlds import LAW, answers, built, rule_bases
from tests.zipped import zip_equal


def seen(world: World, points: list[Point]) -> tuple[bool, set[Any], set[Any]]:
    """All that a state says of the decision: is it consistent, what is possible, what certain."""
    return bool(points), world.reach("d", points), world.certain("d", points)


def among(base: Base, world: World, state: dict[str, int]) -> list[Point]:
    """The points of a state given as masks."""
    return [p for p in world.points if all(base.facts[fact].mask(p[fact]) & mask for fact, mask in state.items())]


@LAW
@given(rule_bases(), st.data())
def test_a_reason_is_sufficient_and_minimal(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    state = base.state(draw.draw(answers(data["facts"])))
    wanted = seen(world, among(base, world, state))
    found = reason(base, "d", state)
    assert found.items() <= state.items()
    assert seen(world, among(base, world, found)) == wanted
    for fact in found:
        less = {other: mask for other, mask in found.items() if other != fact}
        assert seen(world, among(base, world, less)) != wanted


def inputs(world: World, fact: str) -> set[str]:
    """The facts that a fact's definition mentions."""
    definition = world.facts[fact]
    return set(mentioned({"all": [definition.get("applies", {}), *definition.get("derive", {}).values()]}))


def deciding(world: World, fact: str) -> set[str]:
    """Those of them that make a difference to it."""
    names = sorted(inputs(world, fact))
    samples = {
        name: [*world.samples(world.facts[name]), *(["n/a"] if "applies" in world.facts[name] else [])]
        for name in names
    }
    found = set()
    for values in product(*samples.values()):
        point = dict(zip_equal(names, values))
        for name in names:
            if name not in found and world.value(world.facts[fact], point) != world.value(
                world.facts[fact], {**point, name: samples[name][0]}
            ):
                found.add(name)
    return found


def followers(world: World, changed: tuple[str, ...], direct: Callable[[World, str], set[str]]) -> set[str]:
    """The facts that follow from the changed ones, or apply by them, directly or not."""
    found = set(changed)
    for fact in world.facts:  # each is declared after those that it depends on
        if direct(world, fact) & found:
            found.add(fact)
    return found - set(changed)


def mentioned(condition: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for word, value in condition.items():
        for part in value if word in ("all", "any") else [value] if word == "not" else []:
            found += mentioned(part)
        if word not in ("all", "any", "not"):
            found.append(word)
    return found


def otherwise(base: Base, world: World, state: dict[str, int], changed: tuple[str, ...], free: set[str]) -> list[Point]:
    """The points in which the changed facts all have other values, and all others but the free ones are as before."""
    found = []
    for point in world.points:
        fits = True
        for fact, mask in state.items():
            as_before = bool(base.facts[fact].mask(point[fact]) & mask)
            if fact in changed:
                fits = fits and not as_before
            elif fact not in free:
                fits = fits and as_before
            elif "derive" not in world.facts[fact]:
                fits = fits and (as_before or point[fact] == "n/a")
        if fits:
            found.append(point)
    return found


@LAW
@given(rule_bases(), st.data())
def test_a_what_if_is_true_and_minimal(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    state = base.state(draw.draw(answers(data["facts"])))
    now = world.reach("d", among(base, world, state))
    changes = what_if(base, "d", state)
    for change in changes:
        points = among(base, world, change.state)
        assert key(change.value) not in now
        assert key(change.value) in world.reach("d", points)
        assert any(change.rule in [rule["id"] for rule in world.winners("d", point)] for point in points)
        assert change.settled == (world.reach("d", points) == world.certain("d", points))
        for fact in change.facts:
            assert not change.state[fact] & state[fact]
            assert change.facts[fact] == base.describe(fact, change.state[fact])
        for cells in product(*(bits(change.state[fact]) for fact in change.facts)):
            case = among(base, world, {**change.state, **dict(zip_equal(change.facts, cells))})
            assert key(change.value) in world.reach("d", case)  # so that no case is told which cannot be
        free = followers(world, tuple(change.facts), inputs)
        assert all(point in otherwise(base, world, state, tuple(change.facts), free) for point in points)
    sizes = {len(change.facts) for change in changes} or {3}
    assert len(sizes) == 1
    size = sizes.pop()

    def gained(size: int, direct: Callable[[World, str], set[str]]) -> set[Any]:
        """The values that a change of this many facts brings, by the facts changed."""
        return {
            (frozenset(chosen), value)
            for chosen in combinations(state, size)
            for value in world.reach("d", otherwise(base, world, state, chosen, followers(world, chosen, direct)))
            - now
            - {GAP}
        }

    # What counts as following may be what a definition mentions, or only what makes a difference to it.
    assert not any(gained(smaller, deciding) for smaller in range(1, size))
    if size <= 2:
        found = {(frozenset(change.facts), key(change.value)) for change in changes}
        assert gained(size, deciding) <= found <= gained(size, inputs)


@LAW
@given(rule_bases(), st.data())
def test_the_proof_tree_is_sound(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    assume(points)
    rules = {rule["id"]: rule for rule in data["decisions"][0]["rules"]}
    proofs = proof(base, "d", base.state(known))
    assert {one.rule for one in proofs} == set(rules)
    for one in proofs:
        rule = rules[one.rule]
        truths = {world.true(rule["when"], point) for point in points}
        wins = {rule in world.winners("d", point) for point in points}
        assert one.verdict == (truths.pop() if len(truths) == 1 else None)
        assert one.wins == (wins.pop() if len(wins) == 1 else None)
        assert set(one.beaten_by) == {
            other["id"]
            for point in points
            for other in world.matching("d", point)
            if rule in world.matching("d", point) and world.beats(world.decisions["d"], other, rule)
        }
        check_part(world, one.tree, rule["when"], points)


@LAW
@given(rule_bases(), st.data())
def test_open_facts_are_what_a_condition_still_depends_on(data: dict[str, Any], draw: st.DataObject) -> None:
    """Of one that certainly holds, none; of one that may, those that settle it once they are known: each is open."""
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    assume(points)
    rules = {rule["id"]: rule["when"] for rule in data["decisions"][0]["rules"]}
    for name, found in open_facts(base, "d", rules, base.state(known)).items():
        truths: dict[tuple[Any, ...], set[bool]] = {}
        for point in points:
            truths.setdefault(tuple(point[fact] for fact in sorted(found)), set()).add(world.true(rules[name], point))
        assert all(len(one) == 1 for one in truths.values())
        assert all(len({point[fact] for point in points}) > 1 for fact in found)
        if all(world.true(rules[name], point) for point in points):
            assert not found


def check_part(world: World, part: ProofPart, condition: dict[str, Any], points: list[Point]) -> None:
    """A verdict of yes or no is true in every case, for each part of a condition."""
    if part.verdict is not None:
        assert all(world.true(condition, point) == part.verdict for point in points)
    pieces = [{word: value} for word, value in condition.items()]
    if len(pieces) == 1:
        word, value = next(iter(condition.items()))
        if word == "not":
            pieces = [value]
        elif word in ("all", "any"):
            pieces = value
        else:
            assert part.kind == word
            return
    assert len(part.parts) == len(pieces)
    for inner, piece in zip_equal(part.parts, pieces):
        check_part(world, inner, piece, points)


@LAW
@given(rule_bases(), st.data())
def test_an_obstacle_is_in_the_way(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    state = base.state(known)
    assume(consistent(base, state))
    points = world.completions(known)
    table = world.decisions["d"]
    rules = {rule["id"]: rule for rule in table["rules"]}
    for value in {key(rule["value"]): rule["value"] for rule in table["rules"]}.values():
        obstacles = why_not(base, "d", value, state)
        same = {rule["id"] for rule in table["rules"] if key(rule["value"]) == key(value)}
        assert {one.rule for one in obstacles} == (set() if key(value) in world.reach("d", points) else same)
        for one in obstacles:
            rule = rules[one.rule]
            if one.beaten_by:
                stronger = rules[one.beaten_by]
                assert world.beats(table, stronger, rule)
                assert any(rule in (held := world.matching("d", point)) and stronger in held for point in points)
            else:
                assert not any(world.true(rule["when"], point) for point in points)
                if one.fact:  # no case has a value of the fact with which the rule could hold
                    mask = base.state({one.fact: [point[one.fact] for point in points]}).get(
                        one.fact, base.facts[one.fact].full
                    )
                    assert one.have == base.describe(one.fact, mask)
                    needed = [p[one.fact] for p in world.points if world.true(rule["when"], p)]
                    assert not needed or one.need != one.have

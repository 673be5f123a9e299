"""Hypothesis strategies: rule bases as authors write them, and answers.

Built from small integers only: strategies made anew for each example cost far more than the laws themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import HealthCheck, assume
from hypothesis import strategies as st

from advisor.engine import Base, EngineError
from advisor.engine.compiler import build
from tests.tiers import examples

T = TypeVar("T")
Draw = Callable[[st.SearchStrategy[Any]], Any]
Facts = list[dict[str, Any]]

LAYERS = ["low", "middle", "high"]
GATE = "gate"
HITS = ["priority", "priority", "collect"]
LAW = examples(25, 300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
RANGES = {
    "int": [">=2", "<4", ">4", "<=5", "==4", "!=2", ">=2 <5", "!=4 !=5"],
    "version": [">=3.1", "<5.3", ">3.1", "<=5.3", "==5.3", "!=3.1", ">=3.1 <5.3"],
}
CONSTANTS: dict[str, list[Any]] = {"int": [2, 4, 5], "version": ["3.1", "5.3"], "bool": [False, True]}
SAMPLES = {"version": ["3.0", "3.1", "4.0", "5.3", "6.0"], "bool": [False, True]}


@lru_cache
def below(limit: int) -> st.SearchStrategy[int]:
    return st.integers(0, limit - 1)


def pick(draw: Draw, choices: Sequence[T]) -> T:
    return choices[draw(below(len(choices)))]


def chance(draw: Draw, percent: int) -> bool:
    """Shrinks towards False."""
    return bool(draw(below(100)) >= 100 - percent)


def comparison(draw: Draw, facts: Facts) -> dict[str, Any]:
    """What a condition may say of a fact: a value, a list, a range, n/a."""
    fact = pick(draw, facts)
    values = fact.get("values") or CONSTANTS[fact["type"]]
    if "applies" in fact and chance(draw, 20):
        return {fact["id"]: "n/a"}
    if fact["type"] in RANGES and chance(draw, 50):
        return {fact["id"]: pick(draw, RANGES[fact["type"]])}
    if chance(draw, 30):
        return {fact["id"]: [pick(draw, values) for _ in range(1 + draw(below(2)))]}
    return {fact["id"]: pick(draw, values)}


def condition(draw: Draw, facts: Facts, depth: int = 3) -> dict[str, Any]:
    """Any condition over these facts."""
    kind = pick(draw, ["fact", "fact", "and", "all", "any", "not", "both", "both"]) if depth else "fact"
    if kind == "fact":
        return comparison(draw, facts)
    if kind == "and":
        return {**comparison(draw, facts), **comparison(draw, facts)}
    if kind == "both":  # both or neither: no single fact tells
        one, other = comparison(draw, facts), comparison(draw, facts)
        return {"any": [{"all": [one, other]}, {"all": [{"not": one}, {"not": other}]}]}
    if kind == "not":
        return {"not": condition(draw, facts, depth - 1)}
    return {kind: [condition(draw, facts, depth - 1) for _ in range(1 + draw(below(3)))]}


def related(draw: Draw, facts: Facts) -> dict[str, Any]:
    """A condition, now and then one that defines a fact: so that knowing the fact tells something of several others."""
    definitions = [
        part for fact in facts for part in [*fact.get("derive", {}).values(), fact.get("applies", {})] if part
    ]
    if definitions and chance(draw, 30):
        found = pick(draw, definitions)
        return {"not": found} if chance(draw, 30) else found
    return condition(draw, facts)


def fact_list(draw: Draw) -> Facts:
    """An enum and a bool always; a version, an integer, facts that apply at times and derived facts often."""
    facts: Facts = [{"id": "a", "type": "enum", "values": ["x", "y", "z"]}, {"id": "b", "type": "bool"}]
    if chance(draw, 50):
        facts.append({"id": "k", "type": "version", "scheme": "kernel"})
    if chance(draw, 50):
        limits = pick(draw, [{}, {"minimum": 2}, {"maximum": 5}, {"minimum": 2, "maximum": 5}])
        facts.append({"id": "n", "type": "int", **limits})
    if chance(draw, 50):
        facts.append({"id": "p", "type": "enum", "values": ["u", "v"], "applies": condition(draw, facts, 1)})
    if chance(draw, 50):
        facts.append({"id": "yes", "type": "bool", "derive": {"true": condition(draw, facts)}, "otherwise": False})
    if chance(draw, 50):
        first, second = condition(draw, facts, 1), condition(draw, facts, 1)
        derived: dict[str, Any] = {
            "id": "kind",
            "type": "enum",
            "values": ["one", "two", "rest"],
            "derive": {"one": first, "two": {"all": [second, {"not": first}]}},
            "otherwise": "rest",
        }
        if chance(draw, 50):
            derived["applies"] = condition(draw, facts, 1)
        facts.append(derived)
    return facts


def decision(draw: Draw, facts: Facts, name: str, results: Sequence[Any] = ()) -> dict[str, Any]:
    """A decision with one to six rules, under any hit policy."""
    hit = pick(draw, HITS)
    results = results or [4, True, 1, "omit", "n/a"]
    ids = [f"r{number}" for number in range(pick(draw, [3, 4, 2, 5, 1, 6]))]
    rules = []
    for rule in ids:
        others = [other for other in ids if other != rule]
        overrides = {pick(draw, others) for _ in range(draw(below(3)))} if others and chance(draw, 25) else set()
        rules.append(
            {
                "id": rule,
                "layer": pick(draw, LAYERS),
                "value": pick(draw, results),
                "when": {} if chance(draw, 25) else related(draw, facts),
                "overrides": sorted(overrides),
            }
        )
    return {"id": name, "hit": hit, "rules": [*rules, *(gates(draw, facts) if chance(draw, 30) else ())]}


def gates(draw: Draw, facts: Facts) -> list[dict[str, Any]]:
    """One gate or two, of which the first may override the second."""
    whens = [related(draw, facts) for _ in range(1 + draw(below(2)))]
    found = [
        {"id": f"g{number}", "layer": GATE, "value": pick(draw, ["omit", "n/a"]), "when": when, "overrides": []}
        for number, when in enumerate(whens)
    ]
    if chance(draw, 50):
        found[0]["overrides"] = [gate["id"] for gate in found[1:]]
    return found


def rule_base(facts: Facts, nevers: list[Any], decisions: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Puts the parts together. The second condition makes every constant a cell of its own, as the reference has it."""
    cells = {"k": ["3.1", "5.3"], "n": [2, 4, 5]}
    used = {fact["id"]: cells[fact["id"]] for fact in facts if fact["id"] in cells}
    return {
        "facts": facts,
        "layers": [*LAYERS, GATE],
        "decisions": decisions,
        "conditions": {"c": named, "cells": used},
        "constraints": [{"id": f"never-{number}", "never": never} for number, never in enumerate(nevers)],
    }


@st.composite
def rule_bases(draw: Draw, count: int = 1) -> dict[str, Any]:
    """Data for `build`: facts, up to three constraints, `count` decisions d, d1 …, and a named condition c."""
    facts = fact_list(draw)
    nevers = [condition(draw, facts, 2) for _ in range(draw(below(4)))]
    decisions = []
    for name in ["d", "d1", "d2"][:count]:
        read = (
            [pick(draw, facts)] if chance(draw, 40) else facts
        )  # few facts: the others bear on them by constraints only
        decisions.append(decision(draw, read, name))
    return rule_base(facts, nevers, decisions, related(draw, facts))


def built(data: dict[str, Any]) -> Base:
    """The base, unless the engine refuses it: that is what another law is about."""
    try:
        return build(data)
    except EngineError:
        assume(False)
        raise


def samples(fact: dict[str, Any]) -> list[Any]:
    if fact["type"] == "int":
        return list(range(fact.get("minimum", 1), fact.get("maximum", 6) + 1))
    return list(fact.get("values") or SAMPLES[fact["type"]])


@st.composite
def answers(draw: Draw, facts: Facts) -> dict[str, Any]:
    """Something known of some facts: values, lists, ranges, n/a; of derived facts, too."""
    known: dict[str, Any] = {}
    for fact in facts:
        kind = pick(draw, ["nothing", "nothing", "value", "value", "list", "range", "n/a"])
        if kind == "n/a" and "applies" in fact:
            known[fact["id"]] = "n/a"
        elif kind == "range" and fact["type"] in RANGES:
            known[fact["id"]] = pick(draw, RANGES[fact["type"]])
        elif kind == "list":
            known[fact["id"]] = [pick(draw, samples(fact)) for _ in range(1 + draw(below(3)))]
        elif kind == "value":
            known[fact["id"]] = pick(draw, samples(fact))
    return known

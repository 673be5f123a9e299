"""A second, slow and simple engine: it tries every case. It shares no code with the real one.

It reads the same authoring data and works on concrete points, one sample value from each place where an answer of some
condition could change. Its versions are dotted numbers, its integers small."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

Point = dict[str, Any]
VERSION_SAMPLES = ["3.0", "3.1", "4.0", "5.3", "6.0"]  # around the constants 3.1 and 5.3
INT_SAMPLES = [1, 2, 3, 4, 5, 6]  # around the constants 2, 4 and 5
GAP = ("gap",)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def compared(kind: str, value: Any, text: str) -> bool:
    """Whether a value lies in a range such as ">=3.1 <5.3"."""
    for comparison in text.split():
        sign = comparison.rstrip("0123456789.")
        constant: Any = comparison[len(sign) :]
        left, right = (numbers(value), numbers(constant)) if kind == "version" else (value, int(constant))
        if not {
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
            "==": left == right,
            "!=": left != right,
        }[sign]:
            return False
    return True


def matches(kind: str, value: Any, wanted: Any) -> bool:
    """Whether a fact's value is what a condition or answer says: a scalar, a list, a range or n/a."""
    if isinstance(wanted, list):
        return any(matches(kind, value, one) for one in wanted)
    if wanted == "n/a" or value == "n/a":
        return bool(wanted == value)
    if isinstance(wanted, str) and wanted[0] in "<>=!":
        return compared(kind, value, wanted)
    return bool(wanted == value)


def key(value: Any) -> Any:
    return (type(value).__name__, value)


class World:
    """All consistent points of a rule base, and what its decisions say at each."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.facts = {fact["id"]: fact for fact in data["facts"]}
        self.decisions = {decision["id"]: decision for decision in data["decisions"]}
        self.points = list(self._points())

    def samples(self, fact: Mapping[str, Any]) -> list[Any]:
        if fact["type"] == "enum":
            return list(fact["values"])
        if fact["type"] == "bool":
            return [False, True]
        if fact["type"] == "version":
            return VERSION_SAMPLES
        return [n for n in INT_SAMPLES if fact.get("minimum", 1) <= n <= fact.get("maximum", 6)]

    def true(self, condition: Mapping[str, Any], point: Point) -> bool:
        for word, value in condition.items():
            if word == "all":
                fulfilled = all(self.true(part, point) for part in value)
            elif word == "any":
                fulfilled = any(self.true(part, point) for part in value)
            elif word == "not":
                fulfilled = not self.true(value, point)
            else:
                fulfilled = matches(self.facts[word]["type"], point[word], value)
            if not fulfilled:
                return False
        return True

    def value(self, fact: Mapping[str, Any], point: Point) -> list[Any]:
        """The values that a fact can have, given those that it depends on."""
        if "applies" in fact and not self.true(fact["applies"], point):
            return ["n/a"]
        if "derive" not in fact:
            return self.samples(fact)
        for word, condition in fact["derive"].items():
            if self.true(condition, point):
                return [word == "true" if fact["type"] == "bool" else word]
        return [fact["otherwise"]]

    def _points(self) -> Iterator[Point]:
        """Facts are declared after those that they depend on."""
        points: list[Point] = [{}]
        for fact in self.data["facts"]:
            points = [{**point, fact["id"]: value} for point in points for value in self.value(fact, point)]
        for point in points:
            if not any(self.true(constraint["never"], point) for constraint in self.data["constraints"]):
                yield point

    def completions(self, answers: Mapping[str, Any]) -> list[Point]:
        return [
            point
            for point in self.points
            if all(matches(self.facts[fact]["type"], point[fact], answer) for fact, answer in answers.items())
        ]

    def rank(self, decision: Mapping[str, Any], rule: Mapping[str, Any]) -> float:
        if rule["layer"] == "gate":
            return float("inf")
        if decision["hit"] == "priority":
            return float(self.data["layers"].index(rule["layer"]))
        return 0.0

    def beats(self, decision: Mapping[str, Any], rule: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        if other["id"] in rule.get("overrides", []):
            return True
        if rule["id"] in other.get("overrides", []):
            return False
        return self.rank(decision, rule) > self.rank(decision, other)

    def matching(self, decision: str, point: Point) -> list[Mapping[str, Any]]:
        return [rule for rule in self.decisions[decision]["rules"] if self.true(rule["when"], point)]

    def winners(self, decision: str, point: Point) -> list[Mapping[str, Any]]:
        found = self.matching(decision, point)
        table = self.decisions[decision]
        return [rule for rule in found if not any(self.beats(table, other, rule) for other in found)]

    def outcomes(self, decision: str, point: Point) -> frozenset[Any]:
        """What the decision says at a point: more than one value only for `collect` and for rules that contradict."""
        values = frozenset(key(rule["value"]) for rule in self.winners(decision, point))
        return values if values or self.decisions[decision]["hit"] == "collect" else frozenset([GAP])

    def reach(self, decision: str, points: list[Point]) -> set[Any]:
        return {value for point in points for value in self.outcomes(decision, point)}

    def certain(self, decision: str, points: list[Point]) -> set[Any]:
        """The values that every point has; but where rules contradict each other, nothing is certain."""
        reached = self.reach(decision, points)
        if self.decisions[decision]["hit"] != "collect":
            return reached if len(reached) == 1 else set()
        return {value for value in reached if all(value in self.outcomes(decision, point) for point in points)}

    def circle(self, decision: str) -> bool:
        """Whether at some point rules that hold beat each other in a circle."""
        table = self.decisions[decision]
        for point in self.points:
            left = self.matching(decision, point)
            while left:  # a set without a circle has an unbeaten member, again and again
                beaten = [rule for rule in left if any(self.beats(table, other, rule) for other in left)]
                if len(beaten) == len(left):
                    return True
                left = beaten
        return False


def subsets(names: list[str], size: int) -> Iterator[tuple[str, ...]]:
    return itertools.combinations(names, size)

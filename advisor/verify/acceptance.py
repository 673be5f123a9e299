"""Proves that the grammar of options accepts everything that the rules advise: no option of an advised line is refused
or ignored in any possible case. The proof is exact: each question is one search over the engine's boxes."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from advisor.engine import State
from advisor.engine.base import RankedDecision
from advisor.engine.base import RankedRule as Advised
from advisor.engine.cells import IntFact
from advisor.engine.errors import word_list
from advisor.engine.formula import evaluate, is_formula, parse
from advisor.engine.situation import first_case
from advisor.files.fstab import split_options
from advisor.files.option_reading import read_item
from advisor.files.option_table import OptionTables, OptionVerdict, Test
from advisor.rulebase import values
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.document import Problem
from advisor.rulebase.examples import one_case, to_flow
from advisor.rulebase.model import RuleBase, Tunable
from advisor.rulebase.values import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar

SILENT = ("keep", "omit", "n/a")
MANY = 1 << 31
"""A number that is larger than any that an option takes."""


class Contradiction(NamedTuple):
    """An advised option that the grammar would speak against. `rules`: the one that advises it, then those that advise
    what it cannot stand with; `witness`: a case in which all of them win."""

    decision: str
    rules: tuple[str, ...]
    text: str
    kind: str
    why: str
    witness: State


class _Way(NamedTuple):
    """One way in which a circumstance may come about: in these boxes, outside of `shut`, by these rules."""

    boxes: tuple[int, ...]
    shut: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()


def contradictions(base: RuleBase) -> Iterator[Contradiction]:
    """Every advised option that the grammar does not accept, one for each rule."""
    proof = _Acceptance(base)
    for name in base.decisions:
        tunable = base.tunables[name]
        if tunable.kind == "mount-option":
            for rule in base.engine.decision(name).rules:
                for value in proof.written(tunable, rule.value):
                    contradiction = proof.against(name, rule, values.spell(tunable, value))
                    if contradiction is not None:
                        yield contradiction
                        break


class _Acceptance:
    def __init__(self, base: RuleBase) -> None:
        self.base, self.engine, self.space = base, base.engine, base.engine.space
        self.tables = OptionTables(base.tunables, base.lint)

    def written(self, tunable: Tunable, value: Scalar) -> list[Scalar]:
        """The values that may come to be written for a rule's value; of a bound or a formula its ends."""
        if value in SILENT:
            return []
        if values.is_bound(value):
            ends = [values.nearest(str(value), number) for number in (tunable.default, -MANY, MANY)]
            return [end for end in dict.fromkeys(ends) if end is not None and abs(end) != MANY]
        if isinstance(value, str) and "." in value and is_formula(value):
            return self._ends(value)
        return [value]

    def _ends(self, formula: str) -> list[Scalar]:
        names = sorted(parse(formula).names)
        corners: list[dict[str, int]] = [{}]
        for name in names:
            fact = self.engine.facts[name]
            assert isinstance(fact, IntFact)
            low, high = fact.minimum, fact.maximum
            ends = (0 if low is None else low, MANY if high is None else high)
            corners = [{**corner, name: end} for corner in corners for end in ends]
        numbers = dict.fromkeys(evaluate(formula, corner.get) for corner in corners)
        return [number for number in numbers if number is not None]

    def against(self, name: str, rule: Advised, text: str) -> Contradiction | None:
        """What speaks first against writing this option where the rule wins."""
        types = self.base.tunables[name].applies_to or [COMMON]
        item = split_options(text)[0]
        read = read_item(self.tables, self.tables.of(types[0]), types[0], item)
        decision = self.engine.decision(name)
        objections: list[tuple[str, str, list[list[_Way]]]] = []
        for problem in read.problems:
            objections.append((problem.kind, problem.why or problem.message, []))
        for problem, when in read.open:
            objections.append(
                (problem.kind, problem.why or problem.message, [[self._named(str(problem.condition), when is True)]])
            )
        if read.entry is not None:
            for verdict in read.entry.shared.rules:
                if (verdict.fits is None or verdict.fits(read.value)) and verdict.written(text):
                    objections.append((verdict.kind, verdict.why, self._circumstances(verdict)))
        if COMMON not in types:
            other = self._decided("fstab.type", lambda value: value not in types)
            objections.append(("unknown-option", f"Only the type {word_list(types)} knows the option.", [other]))
        for kind, why, parts in objections:
            for ways in _combinations(parts):
                case = self._met(decision, rule, ways)
                if case is not None:
                    others = tuple(other for way in ways for other in way.rules)
                    return Contradiction(name, (rule.id, *others), text, kind, why, case)
        return None

    def _named(self, condition: str, wanted: bool) -> _Way:
        boxes = self.engine.condition(condition).boxes
        return _Way(boxes) if wanted else _Way((self.space.everything,), boxes)

    def _circumstances(self, verdict: OptionVerdict) -> list[list[_Way]]:
        """What has to hold together for a verdict, each with the ways in which it may."""
        parts = [[self._named(verdict.condition, True)]] if verdict.condition is not None else []
        for tunable, test in verdict.together:
            definition = self.base.facts.get(tunable)
            if test is not None and definition is not None and definition.type in ("enum", "bool"):
                listed: list[Scalar] = [*(definition.values or ())] if definition.type == "enum" else [False, True]
                mask = 0
                for value in listed:
                    mask |= self.engine.facts[tunable].mask(value) if test(value) else 0
                parts.append([_Way((self.space.only(tunable, mask),))] if mask else [])
            elif tunable in self.base.decisions:
                parts.append(self._decided(tunable, test))
            elif test is not None:
                parts.append([])  # no rule advises it, so that an advised line does not have it
        return parts

    def _decided(self, tunable: str, test: Test | None) -> list[_Way]:
        """The rules that write a value which passes the test; if there is none, those that write nothing."""
        decision, definition = self.engine.decision(tunable), self.base.tunables[tunable]
        ways = []
        for rule in decision.rules:
            wanted = self.written(definition, rule.value)
            if (test is None and not wanted) or (test is not None and any(map(test, wanted))):
                ways.append(_Way(rule.boxes, decision.covers_above(rule), (rule.id,)))
        return ways

    def _met(self, decision: RankedDecision, rule: Advised, ways: tuple[_Way, ...]) -> State | None:
        """A case in which the rule wins and everything else holds."""
        cases, shut = list(rule.boxes), decision.covers_above(rule)
        for way in ways:
            cases = [both for a in cases for b in way.boxes if (both := self.space.meet(a, b)) is not None]
            shut += way.shut
        reads = 0
        for box in (*cases, *shut):
            reads |= self.space.facts_of(box)
        situation = self.engine.situation({})
        case = first_case(self.space, cases, shut, situation.near(reads).covers) if cases else None
        return None if case is None else situation.masks(case)


def _combinations(parts: list[list[_Way]]) -> Iterator[tuple[_Way, ...]]:
    """One way for each part, in every combination."""
    if not parts:
        yield ()
        return
    for way in parts[0]:
        for others in _combinations(parts[1:]):
            yield (way, *others)


_CONSEQUENCES = {"ignored-option": "it has no effect", "value-changed": "it comes out as another value"}


def unaccepted_options(catalogue: Catalogue, base: RuleBase, blamed: Container[str]) -> Iterator[Problem]:
    """Options that rules advise where they are refused or ignored. `blamed`: the rules at which it may be told; of
    several the one that advises the option comes first."""
    for contradiction in contradictions(base):
        name = next((rule for rule in contradiction.rules if rule in blamed), None)
        if name is not None:
            yield _problem(catalogue, base, contradiction, name)


def _problem(catalogue: Catalogue, base: RuleBase, contradiction: Contradiction, name: str) -> Problem:
    case = one_case(base.engine, contradiction.witness)
    where = f"where {to_flow(case)}" if case else "whatever is known"
    others = [rule for rule in contradiction.rules if rule != name]
    beside = f", beside {word_list(others, 'and')}" if others else ""
    why = f"{_CONSEQUENCES.get(contradiction.kind, 'it is refused')} {where}{beside}: {contradiction.why.rstrip('.')}"
    write = "leave these cases out of its condition, or correct the option in kb/tunables"
    return catalogue.rules[name].problem(("value",), f"{name} recommends {contradiction.text}", why, write)

"""Examples of decisions, capabilities and errata, tried with the engine; and the examples that are missing.

A rule needs an example in which it decides and one in which it does not. Each part of its condition needs a near miss:
drop the part, and some example must come out differently. An example shows a part when it is settled and one of its
cases lies where the rest of the rule holds and the part does not, so that without the part the rule would win there
with another value. Where the other rules say the same value, it is enough that the rule would win there too: it may be
stronger, or have other reasons."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.engine import Base, FactError, State, consistent, contenders, formula, holds, possible, reach, winners
from advisor.engine.base import Condition
from advisor.engine.boxes import bits
from advisor.engine.cells import Value
from advisor.engine.conditions import boxes, leaves, parse
from advisor.engine.decisions import value_key
from advisor.engine.errors import word_list
from advisor.regex import regex
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.document import Problem, YamlPath, shown
from advisor.rulebase.model import Condition as Written
from advisor.rulebase.model import Decision, Erratum, Example, Record, Rule

_PLAIN = regex(r"[A-Za-z][A-Za-z0-9._/-]*")


class TriedExample(NamedTuple):
    """An example that holds. `rules`: the strongest rule of each of its values."""

    state: State
    values: list[Value | None]
    rules: list[str | None]


def to_flow(value: object) -> str:
    """A value as YAML in one line, ready to be pasted into an example."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{to_flow(key)}: {to_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(to_flow(entry) for entry in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if not isinstance(value, str):
        return str(value)
    plain = _PLAIN.fullmatch(value) and value.lower() not in ("true", "false", "null")
    return value if plain else json.dumps(value, ensure_ascii=False)


def one_case(base: Base, state: State) -> dict[str, Value | list[Value]]:
    """One case of a state, as fact → answer: of several possible words the first, which reads better than a list."""
    for fact, mask in state.items():
        if base.fact(fact).type in ("enum", "bool") and mask & (mask - 1):
            bit = next(bit for bit in bits(mask) if consistent(base, {**state, fact: bit}))
            state = {**state, fact: bit}
    return {fact: base.answer(fact, mask) for fact, mask in state.items()}


def proposal(base: Base, decision: str, state: State) -> str:
    """An example to paste: one case of this state, and what the decision says there."""
    state = {fact: base.fact(fact).mask(answer) for fact, answer in one_case(base, state).items()}
    values = [value for value, _ in example_outcomes(base, decision, state)]
    for rule in base.decision(decision).rules:
        for fact in base.space.names(Condition(base.space, rule.boxes).reads) if rule.gate else ():
            less = {other: mask for other, mask in state.items() if other != fact}
            if [value for value, _ in example_outcomes(base, decision, less)] == values:
                state = less  # that the setting can be used goes without saying
    answers = {fact: base.answer(fact, mask) for fact, mask in state.items()}
    return to_flow({"given": answers, "expect": values[0] if len(values) == 1 else values})


def example_outcomes(base: Base, decision: str, state: State) -> list[tuple[Value | None, str | None]]:
    """(value, the strongest rule that gives it) of every outcome of a decision, as examples have it: they are about a
    setting that can be used. A gate speaks only where what is given leaves nothing else."""
    outcomes = reach(base, decision, state)
    rules = {rule.id: rule for rule in base.decision(decision).rules}
    if not any(outcome.rule is not None and rules[outcome.rule].gate for outcome in outcomes):
        return [(outcome.value, outcome.rule) for outcome in outcomes]
    won = [rules[name] for name in contenders(base, decision, state)]
    free = [rule for rule in won if not rule.gate] or [
        gate for gate in won if not any(gate.beats(other) for other in won)
    ]
    by_value = {value_key(rule.value): (rule.value, rule.id) for rule in reversed(free)}
    return [*reversed(by_value.values()), *((None, None) for outcome in outcomes if outcome.rule is None)]


def try_all(base: Base, decision: Authored[Decision], catalogue: Catalogue) -> tuple[list[TriedExample], list[Problem]]:
    """Every example of a decision, tried; problems are examples that fail."""
    tried: list[TriedExample] = []
    problems: list[Problem] = []
    added = [item for item in catalogue.additions if item.id == decision.id]
    owners: list[Authored[Decision] | Authored[Rule]] = [decision, *catalogue.rules_on[decision.id]]
    if added:  # the shipped examples hold without the pack, and were tried so
        owners = [*added, *catalogue.advised.get(decision.id, ())]
    for owner in owners:
        for index, example in enumerate(owner.record.examples):
            at: YamlPath = ("examples", index)
            given = example.given
            state, problem = _state(base, owner, at, given)
            if problem is not None:
                problems.append(problem)
                continue
            wanted = example.expect if isinstance(example.expect, list) else [example.expect]
            attempt = _try(base, decision, given, state)
            if _keys(attempt.values) != _keys(wanted):
                outcomes = list(zip(attempt.values, attempt.rules))
                by = ", and ".join(
                    f"{rule} says {to_flow(value)}" if rule else "in some case no rule matches"
                    for value, rule in outcomes
                )
                right = [value for value, rule in outcomes if rule]
                expect = f"write expect: {to_flow(right[0] if len(right) == 1 else right)}"
                write = f"{_shortening(base, decision, given, wanted) or expect}, or correct the rules"
                problems.append(
                    owner.problem(
                        (*at, "expect"),
                        f"the example expects {decision.id} to be {to_flow(example.expect)}",
                        f"there {by}",
                        write if len(right) == len(attempt.values) else "correct the rules",
                    )
                )
                continue
            tried.append(attempt)
            for presumed, other in _presumed_cases(base, owner, at, given, state):
                attempt = _try(base, decision, presumed, other)
                if _keys(attempt.values) <= _keys(wanted):
                    tried.append(attempt)
                else:
                    mistake = f"{decision.id} is not {to_flow(example.expect)} for everything that is listed"
                    why = f"where {to_flow(presumed)} the rules say {word_list(map(to_flow, attempt.values))}"
                    write = "give it its own example, or correct the rules"
                    problems.append(owner.problem((*at, "given"), mistake, why, write))
    return tried, problems


def _try(base: Base, decision: Authored[Decision], given: Mapping[str, object], state: State) -> TriedExample:
    outcomes = example_outcomes(base, decision.id, state)
    values = [_evaluated(base, value, given) for value, _ in outcomes]
    return TriedExample(state, values, [rule for _, rule in outcomes])


def _shortening(
    base: Base, decision: Authored[Decision], given: Mapping[str, object], wanted: Iterable[object]
) -> str | None:
    """A hint which values to remove from a list of an example so that it holds, as after a new rule for one of many
    listed products; None if that does not help."""
    expected = _keys(wanted)

    def fits(fact: str, answer: object) -> bool:
        shorter = {**given, fact: answer}
        state, problem = _state(base, decision, (), shorter)
        return problem is None and _keys(_try(base, decision, shorter, state).values) == expected

    for fact, answer in given.items():
        if isinstance(answer, list):
            kept = [value for value in answer if fits(fact, value)]
            if kept != answer and kept and fits(fact, kept):
                return f"remove {to_flow([value for value in answer if value not in kept])[1:-1]} from {fact}"
    return None


def _presumed_cases(
    base: Base, item: Authored[Record], at: YamlPath, given: Mapping[str, object], state: State
) -> Iterator[tuple[Mapping[str, object], State]]:
    """(answers, state) for values that an example lists and a presumption excludes. The example covers these too, since
    given values take precedence over presumptions."""
    for fact, answer in given.items():
        if isinstance(answer, list) and fact in state:
            left_out = [value for value in answer if not base.fact(fact).mask(value) & state[fact]]
            answers = {**given, fact: left_out}
            other, problem = _state(base, item, at, answers) if left_out else ({}, None)
            if left_out and problem is None:
                yield answers, other
                yield from _presumed_cases(base, item, at, answers, other)


def _state(
    base: Base, item: Authored[Record], at: YamlPath, given: Mapping[str, object]
) -> tuple[State, Problem | None]:
    try:
        state = base.state(given)
    except FactError as error:
        return {}, impossible(item, at, str(error))
    if not consistent(base, state):
        why = "these facts contradict each other (see applies, derive, capabilities and constraints)"
        return {}, impossible(item, at, f"{to_flow(given)}, which cannot be", why)
    return state, None


def impossible(
    item: Authored[Record], at: YamlPath, found: str, why: str = "the example describes an impossible case"
) -> Problem:
    """The problem of what the example at `at` gives."""
    return item.problem((*at, "given"), found, why, "correct given")


def unlike(item: Authored[Record], at: YamlPath, expected: str, found: str, write: str = "") -> Problem:
    """The problem of an example that comes out otherwise: the item is expected to do one thing, and another was
    found."""
    write = write or f"correct the {item.kind.__name__.lower()} or the example"
    return item.problem(at, f"{item.id} is expected to {expected}", found, write)


def _evaluated(base: Base, value: Value | None, known: Mapping[str, object]) -> Value | None:
    """The value with a formula's number where the example gives all of its facts, the value itself otherwise."""
    names = formula.names_in(value)
    if not names or not names <= base.facts.keys():
        return value

    def number_of(fact: str) -> int | None:
        answer = known.get(fact)
        return answer if isinstance(answer, int) and not isinstance(answer, bool) else None

    if None in map(number_of, names):
        return value
    return formula.in_numbers(str(value), number_of)


def _keys(values: Iterable[object]) -> set[tuple[bool, object]]:
    return {value_key(value) for value in values}


def both_sides(
    base: Base, decision: Authored[Decision], tried: list[TriedExample], catalogue: Catalogue
) -> Iterator[Problem]:
    """Rules without an example in which they win, or without one in which they do not."""
    everywhere = winners(base, decision.id, {})
    for item in catalogue.rules_on[decision.id]:
        if item.id not in everywhere:
            continue  # dead: reported already
        if not any(len(attempt.values) == 1 and _wins(base, decision.id, item.id, attempt) for attempt in tried):
            write = f"add to examples: {proposal(base, decision.id, everywhere[item.id])}"
            yield item.problem(
                ("id",), f"no example in which {item.id} must fire", "every rule needs one in which it decides", write
            )
        if all(_wins(base, decision.id, item.id, attempt) for attempt in tried):
            other = next(
                (
                    witness for name, witness in everywhere.items()
                    if name != item.id and not base.decision(decision.id).rule(name).gate
                    and item.id not in winners(base, decision.id, witness)
                ),
                None,
            )
            if other is None:
                continue  # it decides everywhere: there is nothing that it must not fire on
            write = f"add to examples: {proposal(base, decision.id, other)}"
            why = "every rule needs an example in which it does not apply"
            yield item.problem(("id",), f"no example in which {item.id} must not fire", why, write)


def _wins(base: Base, decision: str, rule: str, attempt: TriedExample) -> bool:
    if rule in attempt.rules:
        return True
    box = base.space.pack(attempt.state)
    if all(base.space.meet(box, case) is None for case in base.decision(decision).rule(rule).boxes):
        return False
    return rule in winners(base, decision, attempt.state)


def capabilities(base: Base, catalogue: Catalogue) -> Iterator[Problem]:
    for item in catalogue.capabilities.values():
        for index, example in enumerate(item.record.examples):
            at: YamlPath = ("examples", index)
            state, problem = _state(base, item, at, example.given)
            if problem is not None:
                yield problem
                continue
            mask = possible(base, item.id, state)
            fact = base.fact(item.id)
            verdict = True if mask == fact.mask(True) else False if mask == fact.mask(False) else None
            yield from _compare(item, at, example, verdict)


def errata(base: Base, items: Iterable[Authored[Erratum]]) -> Iterator[Problem]:
    """Examples of errata that fail. Only the version facts that an example gives are looked at."""
    for item in (item for item in items if item.sound):
        versions = [fact for fact in item.record.facts if f"erratum:{item.id}:{fact}" in base.conditions]
        for index, example in enumerate(item.record.examples if versions else ()):
            at: YamlPath = ("examples", index)
            given = example.given
            state, problem = _state(base, item, at, given)
            if problem is not None:
                yield problem
                continue
            facts = [fact for fact in versions if fact in given or f"{fact}_stream" in given] or versions
            verdicts = [holds(base, f"erratum:{item.id}:{fact}", state) for fact in facts]
            yield from _compare(item, at, example, True if True in verdicts else None if None in verdicts else False)


def _compare(item: Authored[Record], at: YamlPath, example: Example, verdict: bool | None) -> Iterator[Problem]:
    expected = None if isinstance(example.expect, list) else example.expect
    if verdict is not expected:
        says, write = f"it is {shown(verdict)}", f"write expect: {shown(verdict)}, or correct the condition"
        if verdict is None:
            says, write = "it depends on more than is given", "give the version and its stream"
        yield unlike(item, (*at, "expect"), f"be {to_flow(example.expect)}", says, write)


def near_misses(
    base: Base, decision: Authored[Decision], tried: list[TriedExample], catalogue: Catalogue
) -> Iterator[Problem]:
    """Parts of conditions that no example shows, each with an example to add; and parts that change nothing."""
    settled = [base.space.pack(attempt.state) for attempt in tried if len(attempt.values) == 1]
    for item in catalogue.rules_on[decision.id]:
        when = item.record.when
        search = _Search(base, decision.id, item.id)
        for part in when:
            region = search.without(when, part)
            way, witness = search.other_value, search.other_value(region, base.space.everything)
            if witness is None:
                way, witness = search.newly_won, search.newly_won(region, base.space.everything)
            if witness is not None and any(way(region, box) is not None for box in settled):
                continue
            place = ("when", part)
            if witness is not None:
                why = "without it every example comes out the same"
                write = f"add to examples: {proposal(base, decision.id, _minimized(base, decision.id, witness, when))}"
                yield item.problem(place, f"no example shows what {part} is for in {item.id}", why, write, key=True)
            else:
                why = "without it the rule wins in the same cases, whatever is known"
                yield item.problem(place, f"{part} in {item.id} is redundant", why, "delete it", key=True)


class _Search:
    """Looks for cases that a rule would win if its condition held in more of them."""

    def __init__(self, base: Base, decision: str, rule: str) -> None:
        self.base = base
        self.decision = base.decision(decision)
        self.rule = self.decision.rule(rule)

    def without(self, when: Written, part: str) -> list[int]:
        """Where the rest of the condition holds and the part does not."""
        space, facts = self.base.space, self.base.facts
        rest = boxes(space, parse({key: value for key, value in when.items() if key != part}, facts))
        fails = boxes(space, parse({part: when[part]}, facts), negated=True)
        return [common for a in rest for b in fails if (common := space.meet(a, b)) is not None]

    def newly_won(self, region: list[int], within: int, covers: tuple[int, ...] = ()) -> int | None:
        """Some cases in `within` that the rule would win if it held in all of `region`, and that no cover touches."""
        space = self.base.space
        covers += self.decision.covers_above(self.rule)
        for part in region:
            case = space.meet(part, within)
            if case is not None:
                impossible = self.base.constraints.relevant(self.decision.reads, space.facts_of(case))
                witness = space.uncovered(case, impossible + covers)
                if witness is not None:
                    return witness
        return None

    def other_value(self, region: list[int], within: int) -> int | None:
        """As `newly_won`, where the decision does not have the rule's value already."""
        own = value_key(self.rule.value)
        if self.decision.hit == "collect":
            same = [rule for rule in self.decision.rules if value_key(rule.value) == own]
            return self.newly_won(region, within, tuple(box for rule in same for box in rule.boxes))
        for other in self.decision.rules:
            if value_key(other.value) != own:
                pairs = ((part, box) for part in region for box in other.boxes)
                cases = [both for part, box in pairs if (both := self.base.space.meet(part, box)) is not None]
                witness = self.newly_won(cases, within, self.decision.covers_above(other))
                if witness is not None:
                    return witness
        return None


def _minimized(base: Base, decision: str, witness: int, when: Written) -> State:
    """The witness, reduced to the facts that its outcome or the condition needs, for a short example."""
    state = base.space.unpack(witness)
    named = {leaf.fact for leaf in leaves(parse(when, base.facts))}
    wanted = {value for value, _ in example_outcomes(base, decision, state)}
    for fact in [fact for fact in state if fact not in named]:
        shorter = {other: mask for other, mask in state.items() if other != fact}
        if {value for value, _ in example_outcomes(base, decision, shorter)} == wanted:
            state = shorter
    return state

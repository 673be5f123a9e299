"""Choose the facts to ask for next, by what their answers would settle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from advisor.engine.base import Base, RankedDecision, RankedRule
from advisor.engine.boxes import State, bit_count, bits
from advisor.engine.decisions import none_winning, reach, rule_can_win, value_key
from advisor.engine.situation import Constraints, Situation
from advisor.named_tuple import NamedTuple, grouped


class Question(NamedTuple):
    """A fact to ask for. `settles`: how many decisions its answer settles on average, if all its cells are equally
    likely. `chances`: open decision whose outcomes some answer changes, by itself or together with other answers → the
    share of the answers that do."""

    fact: str
    settles: float
    chances: dict[str, float]

    @property
    def decisions(self) -> tuple[str, ...]:
        return tuple(self.chances)


Effect = tuple[int, int, int]
"""Of one fact's answer on one decision: how many cells of the fact change its outcomes, how many settle it, how
many are possible."""


def next_questions(
    base: Base, decisions: Iterable[str], state: State, asked: Collection[str] = frozenset(), quick: bool = False
) -> list[Question]:
    """The facts whose answers can still change something, in the order of the facts, or with `quick` those that settle
    most first.

    A fact qualifies if some answer changes the outcomes of an open decision whose rules read it, or read a fact that
    cannot be asked and that depends on it. If no single answer of any fact does, all facts that the rules read qualify.
    A fact that may not apply waits for the questions that decide whether it does. Derived facts and facts in `asked`
    (which should include those that nobody can answer) are left out. If every question is answered exactly, every
    decision is settled in the end."""
    weights: dict[str, float] = {}
    changed: dict[str, dict[str, float]] = {}
    closed = _closed(base, asked)
    for decision in decisions:
        effects = {name: effect for name, effect in _effects(base, decision, state, closed).items() if effect[2] > 1}
        changing = {name: effect for name, effect in effects.items() if effect[0]}
        for name, (changes, settles, cells) in (changing or effects).items():
            weights[name] = weights.get(name, 0) + settles / cells
            changed.setdefault(name, {})[decision] = changes / cells
    ready = [  # no other question decides whether they apply
        name for name in base.facts
        if name in weights and weights.keys().isdisjoint(applicability_facts(base, name, state))
    ]
    questions = [Question(name, weights[name], changed[name]) for name in ready]
    return sorted(questions, key=lambda question: -question.settles) if quick else questions


def _closed(base: Base, asked: Collection[str]) -> int:
    return sum(base.space.guard_of[name] for name, fact in base.facts.items() if fact.derived or name in asked)


def effects_of(base: Base, state: State, asked: Collection[str]) -> dict[str, dict[str, Effect]]:
    """What `next_questions` works out for each decision."""
    closed = _closed(base, asked)
    return {name: _effects(base, name, state, closed) for name in base.decisions}


def recall_effects(base: Base, effects: Mapping[str, dict[str, Effect]], state: State, asked: Collection[str]) -> None:
    """Puts what `effects_of` returned before where `next_questions` finds it."""
    box, closed = base.situation(state).box, _closed(base, asked)
    for name, found in effects.items():
        base.remembered(("effects", name, box, closed), found.copy)


def _effects(base: Base, name: str, state: State, closed: int) -> dict[str, Effect]:
    """The effect of each fact that bears on a decision, if that is open. `closed`: facts that are not asked, as guard
    bits."""
    situation = base.situation(state)

    def found() -> dict[str, Effect]:
        settled = all(outcome.certain for outcome in reach(base, name, state))
        return {} if settled else _near_effects(base, name, situation, closed)

    return base.remembered(("effects", name, situation.box, closed), found)


def _near_effects(base: Base, name: str, situation: Situation, closed: int) -> dict[str, Effect]:
    decision = base.decision(name)
    bearing = _bearing(base.constraints, _reads(base, decision, situation), _undecided(situation, closed))
    near = situation.near(decision.reads | bearing)
    question = ("effects near", name, situation.box | near.elsewhere, near.covers, bearing & ~closed)

    def probed() -> dict[str, Effect]:
        probe = _Probe(decision, situation, near.covers)
        return {base.space.owner[guard].id: probe.effect(guard) for guard in bits(bearing & ~closed)}

    return base.remembered(question, probed)


def _reads(base: Base, decision: RankedDecision, situation: Situation) -> int:
    """The open facts that are read by rules that can still matter, as guard bits."""
    space = base.space
    near = situation.near(decision.reads)

    def read() -> int:
        reads = 0
        for rule in decision.rules:  # one that cannot win does not matter, unless it overrides another
            if not decision.ranked or rule_can_win(decision, rule, situation):
                for case in situation.cases(rule.boxes):
                    reads |= ((situation.box ^ case) + space.everything) & space.guards
        return reads

    return base.remembered(("reads", decision.id, situation.box | near.elsewhere, near.covers), read)


def _undecided(situation: Situation, facts: int) -> int:
    """Those of the facts that still have more than one possible cell; asking for others teaches nothing."""
    box, space = situation.box, situation.space
    more = box & (box - space.firsts)  # without the first possible cell of each fact
    return (more + space.everything) & facts


def _bearing(constraints: Constraints, facts: int, closed: int) -> int:
    """These facts, the facts from which they follow, and those that constraints tie to facts that are not asked
    (`closed`)."""
    while True:
        before = facts
        facts = constraints.reading(facts)
        for mentioned in constraints.nevers:
            if mentioned & facts & closed:
                facts |= mentioned
        if facts == before:
            return facts


class _Probe:
    """Tries the answers to one fact after another and keeps the cases that it finds, because one case often shows that
    an outcome stays possible under many answers.

    An outcome is (the rules of a value, whether one of them wins); in a gap no rule wins. A decision is settled if only
    as many outcomes remain as every case has: one, or with `collect` one for each value."""

    def __init__(self, decision: RankedDecision, situation: Situation, covers: tuple[int, ...]) -> None:
        self.space = situation.space
        self.decision = decision
        self.box = situation.box
        self.covers = covers
        of_value = grouped((value_key(rule.value), rule) for rule in decision.rules if situation.cases(rule.boxes))
        self.outcomes = [(rules, True) for rules in of_value.values()]
        if decision.hit == "collect":
            self.at_once = len(self.outcomes)
            self.outcomes += [(rules, False) for rules in of_value.values()]
        else:
            self.at_once = 1
            self.outcomes.append((decision.rules, False))
        self.cases: list[list[int]] = [[] for _ in self.outcomes]
        """For each outcome, the cases that showed that it is possible."""

    def effect(self, guard: int) -> Effect:
        """The effect of one fact's answer."""
        segment = self.space.segment[guard]
        groups = self.alike(segment)
        allowed = [self.cells(number, segment, groups) for number in range(len(self.outcomes))]
        answers = [(group, [cells & group != 0 for cells in allowed]) for group in groups]
        answers = [(group, possible) for group, possible in answers if any(possible)]
        return (
            sum(bit_count(group) for group, possible in answers if possible != [cells != 0 for cells in allowed]),
            sum(bit_count(group) for group, possible in answers if sum(possible) == self.at_once),
            sum(bit_count(group) for group, _ in answers),
        )

    def alike(self, segment: int) -> list[int]:
        """The cells of a fact, as bits of a box, in groups that no rule and no constraint tells apart."""
        groups = [self.box & segment]
        for mask in {box & segment for box in (*self.decision.boxes, *self.covers)}:
            groups = [part for group in groups for part in (group & mask, group & ~mask) if part]
        return groups

    def cells(self, number: int, segment: int, groups: list[int]) -> int:
        """The cells of a fact with which an outcome is possible, as bits of a box."""
        rules, winning = self.outcomes[number]
        known_cases = self.cases[number]
        cells = sum(group for group in groups if any(case & group for case in known_cases))
        untried = self.box & segment & ~cells
        while untried:
            box = self.box & ~segment | untried
            case = self.winning(rules, box) if winning else self.none_winning(rules, box)
            if case is None:
                break
            known_cases.append(case)
            cells |= sum(group for group in groups if case & group)
            untried &= ~cells
        return cells

    def winning(self, rules: list[RankedRule], box: int) -> int | None:
        """A case of the box in which one of the rules wins."""
        for rule in rules:
            covers = self.decision.covers_above(rule) + self.covers
            for rule_box in rule.boxes:
                common = self.space.meet(rule_box, box)
                case = None if common is None else self.space.free(common, covers)
                if case is not None:
                    return case
        return None

    def none_winning(self, rules: list[RankedRule], box: int) -> int | None:
        """A case of the box in which none of the rules wins. Without `collect`, one wins wherever one holds."""
        if self.decision.hit != "collect":
            return self.space.free(box, self.decision.boxes + self.covers)
        return none_winning(self.space, self.decision, rules, box, self.covers)


def applicability_facts(base: Base, name: str, state: State) -> Collection[str]:
    """The facts that decide whether this one applies; none if it certainly does."""
    fact = base.facts[name]
    guard = base.space.guard_of[name]
    if not base.situation(state).possible(guard) >> fact.shift & fact.not_applicable:
        return ()
    return base.space.names(base.constraints.reading(guard) ^ guard)

"""What is still possible: `reach` for decisions, `holds` for named conditions, `possible` for facts. All exact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from advisor.engine.base import Base, Condition, RankedDecision, RankedRule
from advisor.engine.boxes import Space, State
from advisor.engine.cells import Value
from advisor.engine.situation import Situation, first_case


def value_key(value: object) -> tuple[bool, object]:
    """Equal for equal values; true is not 1."""
    return isinstance(value, bool), value


class Outcome:
    """A value that a decision can still have.

    `value`: None for a gap (no rule holds). `rule`: the strongest rule that gives it; None for a gap or a pinned value.
    `witness`: what would have to be known besides, fact -> mask: then every consistent case has this outcome. It takes
    as long to find as all the rest, so it waits until it is read. `certain`: it is so in every case. (Under `collect`
    several outcomes can be certain.)"""

    __slots__ = ("_witness", "certain", "rule", "value")

    def __init__(
        self, value: Value | None, rule: str | None, witness: State | Callable[[], State], certain: bool
    ) -> None:
        self.value = value
        self.rule = rule
        self._witness = witness
        self.certain = certain

    @property
    def witness(self) -> State:
        if callable(self._witness):
            self._witness = self._witness()
        return self._witness

    def __repr__(self) -> str:
        return f"Outcome({self.value!r}, {self.rule!r}, {self.witness!r}, certain={self.certain})"

    def __eq__(self, other: object) -> bool:
        fields = ("value", "rule", "certain", "witness")
        return isinstance(other, Outcome) and all(getattr(self, name) == getattr(other, name) for name in fields)

    __hash__ = None  # type: ignore[assignment]


def consistent(base: Base, state: State) -> bool:
    """Whether any case at all is as the state says."""
    return base.situation(state).consistent


def reach(base: Base, decision: str, state: State) -> tuple[Outcome, ...]:
    """Every value that the decision has in some consistent case of the state: strongest rule first, a gap last.

    Empty where the state is inconsistent, and for `collect` where no rule can hold."""
    return reached(base, base.decision(decision), base.situation(state))


def reached(base: Base, ranked_decision: RankedDecision, situation: Situation) -> tuple[Outcome, ...]:
    """`reach`, of a state that is worked out already."""
    if not situation.consistent:
        return ()
    sole = _sole(ranked_decision, situation)
    if sole is not None:
        return (Outcome(sole.value, sole.id, {}, True),)
    near = situation.near(ranked_decision.reads)
    question = ("reach", ranked_decision.id, situation.box | near.elsewhere, near.covers)
    return base.remembered(question, lambda: _reach(ranked_decision, situation))


def winners(base: Base, decision: str, state: State) -> dict[str, State]:
    """Every rule that wins (holds, and is not beaten) in some consistent case, strongest first, with a witness."""
    situation = base.situation(state)
    ranked_decision = base.decision(decision)
    if not situation.consistent:
        return {}
    sole = _sole(ranked_decision, situation)
    if sole is not None:
        return {sole.id: {}}
    won = ((rule, winning(ranked_decision, rule, situation)) for rule in ranked_decision.rules)
    return {rule.id: situation.space.more(situation.box, case) for rule, case in won if case is not None}


def contenders(base: Base, decision: str, state: State) -> tuple[str, ...]:
    """The rules of `winners` by id, without witnesses, which take as long as all the rest."""
    situation = base.situation(state)
    ranked_decision = base.decision(decision)
    if not situation.consistent:
        return ()
    sole = _sole(ranked_decision, situation)
    if sole is not None:
        return (sole.id,)
    near = situation.near(ranked_decision.reads)
    return base.remembered(("contenders", decision, situation.box | near.elsewhere, near.covers), lambda: tuple(
        rule.id for rule in ranked_decision.rules if rule_can_win(ranked_decision, rule, situation)
    ))


def can_win(base: Base, decision: str, rules: Collection[str], state: State) -> bool:
    """Whether one of these rules is among the `contenders`. Stops at the first, and tries the weakest rules first: few
    facts rule them out."""
    situation = base.situation(state)
    ranked_decision = base.decision(decision)
    return situation.consistent and any(
        rule_can_win(ranked_decision, rule, situation) for rule in reversed(ranked_decision.rules) if rule.id in rules
    )


def can_hold(base: Base, decision: str, rules: Collection[str], state: State) -> bool:
    """Whether one of these rules holds in some consistent case, beaten or not."""
    situation = base.situation(state)
    ranked_decision = base.decision(decision)
    if not situation.consistent:
        return False
    covers = situation.near(ranked_decision.reads).covers
    return any(
        situation.space.escapes(case, covers)
        for rule in ranked_decision.rules if rule.id in rules for case in situation.cases(rule.boxes)
    )


def rule_can_win(decision: RankedDecision, rule: RankedRule, situation: Situation) -> bool:
    """Whether the rule wins in some case of a consistent situation."""
    cases = situation.cases(rule.boxes)
    if not cases:
        return False
    beaten = decision.covers_above(rule) + situation.near(decision.reads).covers
    return any(situation.space.escapes(case, beaten) for case in cases)


def holds(base: Base, condition: str, state: State) -> bool | None:
    """Whether a named condition is true in every consistent case (True), in none (False), or neither.

    None for an inconsistent state: nothing can be said of it."""
    situation = base.situation(state)
    named_condition = base.condition(condition)
    if not situation.consistent:
        return None
    cases = situation.cases(named_condition.boxes)
    if not cases:
        return False
    if situation.box in cases:
        return True
    near = situation.near(named_condition.reads)
    question = ("holds", condition, situation.box | near.elsewhere, near.covers)
    return base.remembered(question, lambda: _holds(named_condition, situation, cases))


def support(base: Base, name: str) -> frozenset[str]:
    """The facts that can bear on a decision or named condition, directly or through constraints."""
    condition = base.condition(name) if name in base.conditions else base.decision(name)
    return base.constraints.support(condition.reads)


def possible(base: Base, fact: str, state: State) -> int:
    """The cells that a fact has in some consistent case; 0 for an inconsistent state."""
    return base.situation(state).possible(base.space.guard_of[base.fact(fact).id]) >> base.facts[fact].shift


def winning(decision: RankedDecision, rule: RankedRule, situation: Situation) -> int | None:
    """A case of the situation in which the rule wins; None if it cannot."""
    cases = situation.cases(rule.boxes)
    if not cases:
        return None
    covers = situation.near(decision.reads).covers
    return first_case(situation.space, cases, decision.covers_above(rule), covers)


def none_winning(
    space: Space, decision: RankedDecision, rules: list[RankedRule], box: int, covers: tuple[int, ...]
) -> int | None:
    """A case of the box in which none of these rules wins: each does not hold or is beaten. None if there is none."""
    if not rules:
        return space.uncovered(box, covers)
    first, *others = rules
    case = none_winning(space, decision, others, box, covers + first.boxes)
    for above in decision.covers_above(first):
        beaten = space.meet(box, above)
        if case is None and beaten is not None:
            case = none_winning(space, decision, others, beaten, covers)
    return case


def _sole(decision: RankedDecision, situation: Situation) -> RankedRule | None:
    """The one rule that can win, where no search is needed to see that."""
    if decision.hit == "collect":
        return None
    sole: RankedRule | None = None
    for rule in decision.rules:
        if sole is not None and sole.beats(rule):
            if decision.ranked:
                break  # the rest is weaker still
            continue
        cases = situation.cases(rule.boxes)
        if cases:
            if sole is not None or situation.box not in cases:
                return None
            sole = rule
    return sole


def _reach(decision: RankedDecision, situation: Situation) -> tuple[Outcome, ...]:
    won: dict[tuple[bool, object], RankedRule] = {}
    for rule in decision.rules:
        key = value_key(rule.value)
        if key not in won and rule_can_win(decision, rule, situation):
            won[key] = rule
    space, box, covers = situation.space, situation.box, situation.near(decision.reads).covers

    def seen(cases: Iterable[int], excluded: Iterable[int]) -> Callable[[], State]:
        def find() -> State:
            case = first_case(space, cases, excluded, covers)
            assert case is not None
            return space.more(box, case)

        return find

    gap = decision.hit != "collect" and space.escapes(box, decision.boxes + covers)
    outcomes = []
    for key, rule in won.items():
        certain = len(won) == 1 and not gap
        if decision.hit == "collect":
            same = [other for other in decision.rules if value_key(other.value) == key]
            certain = none_winning(space, decision, same, box, covers) is None
        witness = seen(situation.cases(rule.boxes), decision.covers_above(rule))
        outcomes.append(Outcome(rule.value, rule.id, witness, certain))
    if gap:
        outcomes.append(Outcome(None, None, seen([box], decision.boxes), not won))
    return tuple(outcomes)


def _holds(condition: Condition, situation: Situation, cases: list[int]) -> bool | None:
    space = situation.space
    covers = situation.near(condition.reads).covers
    if not space.escapes(situation.box, condition.boxes + covers):
        return True
    return None if any(space.escapes(case, covers) for case in cases) else False

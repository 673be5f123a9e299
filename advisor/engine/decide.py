"""What is still possible: `reach` for decisions, `holds` for conditions, `possible` for facts. All exact."""

from __future__ import annotations

from advisor.engine.boxes import bits
from advisor.engine.decisions import value_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.engine.base import Base, State
    from advisor.engine.boxes import Space
    from advisor.engine.decisions import Condition, Decision, Rule


class Outcome:
    """A value that a decision can still have.

    `value`: None for a gap (no rule holds). `rule`: the strongest rule that gives it; None for a gap or a pinned value.
    `witness`: cells of some facts; every consistent case within them has this outcome, and there is one.
    `certain`: it is so in every case. (Under `collect` several outcomes can be certain.)"""

    __slots__ = ("certain", "rule", "value", "witness")

    def __init__(self, value: object, rule: str | None, witness: State, certain: bool) -> None:
        self.value = value
        self.rule = rule
        self.witness = witness
        self.certain = certain

    def __repr__(self) -> str:
        return f"Outcome({self.value!r}, {self.rule!r}, {self.witness!r}, certain={self.certain})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and all(getattr(self, s) == getattr(other, s) for s in self.__slots__)

    __hash__ = None  # type: ignore[assignment]


def consistent(base: Base, state: State) -> bool:
    """Whether any case at all is as the state says."""
    return _consistent(base, base.box(state))


def reach(base: Base, decision: str, state: State) -> tuple[Outcome, ...]:
    """Every value that the decision has in some consistent case of the state: strongest rule first, a gap last.

    Empty where the state is inconsistent, and for `collect` where no rule can hold."""
    box = base.box(state)
    if not _consistent(base, box):
        return ()
    found = base.decision(decision)
    box |= found.irrelevant
    question = ("reach", decision, box)
    if question not in base.memories:
        base.remember(question, _reach(base, found, box))
    outcomes: tuple[Outcome, ...] = base.memories[question]
    return outcomes


def winners(base: Base, decision: str, state: State) -> dict[str, State]:
    """Every rule that wins (holds, and is not beaten) in some consistent case, strongest first, with a witness."""
    box = base.box(state)
    if not _consistent(base, box):
        return {}
    found = base.decision(decision)
    box |= found.irrelevant
    covers = relevant(base, found.reads, box)
    won = ((rule, winning(base, found, rule, box, covers)) for rule in found.rules)
    return {rule.id: base.space.unpack(case) for rule, case in won if case is not None}


def holds(base: Base, condition: str, state: State) -> bool | None:
    """Whether a named condition is true in every consistent case (True), in none (False), or neither.

    None for an inconsistent state: nothing can be said of it."""
    box = base.box(state)
    if not _consistent(base, box):
        return None
    found = base.condition(condition)
    box |= found.irrelevant
    question = ("holds", condition, box)
    if question not in base.memories:
        base.remember(question, _holds(base, found, box))
    verdict: bool | None = base.memories[question]
    return verdict


def support(base: Base, name: str) -> frozenset[str]:
    """The facts that can bear on a decision or named condition, through whatever constraints. Others do not matter."""
    found = base.condition(name) if name in base.conditions else base.decision(name)
    return frozenset(base.space.names(base.constraints.connected(found.reads)))


def possible(base: Base, fact: str, state: State) -> int:
    """The cells that a fact has in some consistent case; 0 for an inconsistent state."""
    box = base.box(state)
    subject = base.fact(fact)
    if not _consistent(base, box):
        return 0
    covers = relevant(base, base.space.guard_of[fact], box)
    mask = 0
    for index in range(subject.size):
        case = base.space.meet(box, base.space.only(fact, 1 << index))
        if case is not None and base.space.uncovered(case, covers) is not None:
            mask |= 1 << index
    return mask


def relevant(base: Base, reads: int, box: int) -> tuple[int, ...]:
    """The constraint boxes that matter to a question about these facts in this box."""
    return base.constraints.relevant(reads, base.space.facts_of(box))


def winning(base: Base, decision: Decision, rule: Rule, box: int, covers: tuple[int, ...]) -> int | None:
    """A part of `box` in which the rule wins; None if it cannot."""
    cases = [common for case in rule.boxes if (common := base.space.meet(case, box)) is not None]
    return first_case(base.space, cases, decision.covers_above(rule), covers)


def first_case(
    space: Space, cases: Iterable[int], excluded: tuple[int, ...], constraints: tuple[int, ...]
) -> int | None:
    """A part of one of the cases that is consistent and outside of the excluded boxes, as wide as may be."""
    for case in cases:
        found = space.uncovered(case, excluded + constraints)
        if found is not None:
            for guard in bits(space.facts_of(found)):
                wider = found | (case & space.segment[guard])
                if all(space.meet(wider, box) is None for box in excluded):
                    found = wider
            return found
    return None


def always_wins(base: Base, decision: Decision, rules: list[Rule], box: int, covers: tuple[int, ...]) -> bool:
    """Whether one of these rules wins in every case of the box: no case escapes all of them."""

    def escapes(box: int, at: int, covers: tuple[int, ...]) -> bool:
        if at == len(rules):
            return base.space.uncovered(box, covers) is not None
        if escapes(box, at + 1, covers + rules[at].boxes):
            return True
        return any(
            (common := base.space.meet(box, above)) is not None and escapes(common, at + 1, covers)
            for above in decision.covers_above(rules[at])
        )

    return not escapes(box, 0, covers)


def _consistent(base: Base, box: int) -> bool:
    known = base.space.facts_of(box)
    if base.space.meet(box, box) is None:
        return False
    covers = base.constraints.relevant(known, known)
    if not covers:
        return True
    question = ("consistent", box)
    if question not in base.memories:
        base.remember(question, base.space.uncovered(box, covers) is not None)
    verdict: bool = base.memories[question]
    return verdict


def _reach(base: Base, decision: Decision, box: int) -> tuple[Outcome, ...]:
    covers = relevant(base, decision.reads, box)
    cases: dict[tuple[bool, object], tuple[Rule, int]] = {}
    for rule in decision.rules:
        key = value_key(rule.value)
        if key not in cases:
            case = winning(base, decision, rule, box, covers)
            if case is not None:
                cases[key] = (rule, case)
    gap = None if decision.hit == "collect" else first_case(base.space, [box], decision.boxes, covers)
    alone = len(cases) == 1 and gap is None
    outcomes = []
    for key, (rule, case) in cases.items():
        certain = alone
        if decision.hit == "collect":
            same = [other for other in decision.rules if value_key(other.value) == key]
            certain = always_wins(base, decision, same, box, covers)
        outcomes.append(Outcome(rule.value, rule.id, base.space.unpack(case), certain))
    if gap is not None:
        outcomes.append(Outcome(None, None, base.space.unpack(gap), not cases))
    return tuple(outcomes)


def _holds(base: Base, condition: Condition, box: int) -> bool | None:
    space = base.space
    common = [case for one in condition.boxes if (case := space.meet(one, box)) is not None]
    if not common:
        return False
    covers = relevant(base, condition.reads, box)
    if space.uncovered(box, condition.boxes + covers) is None:
        return True
    return None if any(space.uncovered(case, covers) is not None for case in common) else False

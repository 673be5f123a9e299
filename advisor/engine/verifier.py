"""`verify`: find the faults of a rule base as a whole, each with a witness."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from advisor.engine.base import Base, RankedDecision, RankedRule
from advisor.engine.boxes import State
from advisor.engine.chain import find_circle
from advisor.engine.decisions import holds, value_key
from advisor.engine.define import in_words
from advisor.engine.errors import TooBigError
from advisor.engine.formula import FormulaError, parse
from advisor.engine.situation import first_case


class Fault(NamedTuple):
    """`decision`: the decision, condition, constraint or fact at fault. `witness`: a case that shows the fault.

    `kind`: gap (no rule holds), conflict (two rules of equal rank with different values both win), dead (always
    beaten, by several rules), masked (always beaten by one rule), unsatisfiable (its condition can never hold),
    unused-fact (nothing reads it), cycle (decisions wait for each other), too-big (gave up)."""

    kind: str
    decision: str
    rules: tuple[str, ...]
    witness: State
    message: str


def verify(base: Base) -> list[Fault]:
    """All faults of a rule base, decision by decision."""
    faults: list[Fault] = []
    circle = find_circle(base, [])
    if circle:
        faults.append(Fault("cycle", circle[0], (), {}, f"decisions depend on each other: {' -> '.join(circle)}"))
    for name in sorted(base.decisions):
        decision = base.decision(name)
        try:
            faults += _check(base, decision)
        except TooBigError as error:
            faults.append(Fault("too-big", name, (), {}, f"{name}: {error.message}"))
    for name in sorted(base.conditions):
        if holds(base, name, {}) is False:
            faults.append(Fault("unsatisfiable", name, (), {}, f"condition {name} can never hold"))
    for _, name, boxes, defines in base.to_json()["constraints"]:
        if defines < 0 and not boxes:
            faults.append(Fault("unsatisfiable", name, (), {}, f"constraint {name} forbids nothing"))
    for name in _unused(base):
        faults.append(Fault("unused-fact", name, (), {}, f"no decision or condition reads the fact {name}"))
    return faults


def _check(base: Base, decision: RankedDecision) -> list[Fault]:
    """Gaps, rules that cannot win, and rules that contradict each other."""
    space = base.space
    situation = base.situation({})
    covers = situation.near(decision.reads).covers
    cases = {rule.id: situation.cases(rule.boxes) for rule in decision.rules}
    faults = []
    if decision.hit != "collect":
        gap = first_case(space, [situation.box], decision.boxes, covers)
        if gap is not None:
            faults.append(_fault(base, decision, "gap", (), case=gap, text="no rule holds"))
    for rule in decision.rules:
        faults += _useless(base, decision, rule, cases[rule.id])
    for rule, other in combinations(decision.rules, 2):
        if rule.beats(other) or other.beats(rule):
            continue
        if decision.hit == "collect" or value_key(rule.value) == value_key(other.value):
            continue
        common = [case for a in cases[rule.id] for b in cases[other.id] if (case := space.meet(a, b)) is not None]
        above = decision.covers_above(rule) + decision.covers_above(other)
        conflict = first_case(space, common, above, covers)
        if conflict is not None:
            text = f"{rule.id} gives {rule.value} and {other.id} gives {other.value}"
            faults.append(_fault(base, decision, "conflict", (rule.id, other.id), case=conflict, text=text))
    return faults


def _useless(base: Base, decision: RankedDecision, rule: RankedRule, cases: list[int]) -> list[Fault]:
    """The fault of a rule that can never win, if it cannot."""
    space = base.space
    covers = base.situation({}).near(decision.reads).covers
    case = first_case(space, cases, (), covers)
    if case is None:
        message = f"{decision.id}: the condition of {rule.id} can never hold"
        return [Fault("unsatisfiable", decision.id, (rule.id,), {}, message)]
    if first_case(space, cases, decision.covers_above(rule), covers) is not None:
        return []
    above = [other for other in decision.rules if other.beats(rule)]
    for other in above:
        if first_case(space, cases, other.boxes, covers) is None:
            text = f"{other.id} always beats {rule.id}"
            return [_fault(base, decision, "masked", (rule.id, other.id), case=case, text=text)]
    names = tuple(other.id for other in above if any(space.meet(a, b) for a in cases for b in other.boxes))
    text = f"{rule.id} is always beaten, by {', '.join(names)}"
    return [_fault(base, decision, "dead", (rule.id, *names), case=case, text=text)]


def _fault(base: Base, decision: RankedDecision, kind: str, rules: tuple[str, ...], *, case: int, text: str) -> Fault:
    witness = base.situation({}).masks(case)
    where = f"where {in_words(base.space, witness)}" if witness else "whatever is known"
    return Fault(kind, decision.id, rules, witness, f"{decision.id}: {text}, {where}")


def _unused(base: Base) -> list[str]:
    """Facts that no condition reads, not even through a derived fact or a formula."""
    space = base.space
    reads = 0
    for name in base.conditions:
        reads |= base.condition(name).reads
    for name in base.decisions:
        decision = base.decision(name)
        reads |= decision.reads
        for rule in decision.rules:
            for fact in _formula_facts(rule.value):
                reads |= space.guard_of.get(fact, 0)
    return space.names(space.guards & ~base.constraints.reading(reads))


def _formula_facts(value: object) -> frozenset[str]:
    try:
        return parse(value).names if isinstance(value, str) else frozenset()
    except FormulaError:
        return frozenset()

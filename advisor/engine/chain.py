"""Decisions whose values are facts of later decisions: the protocol version before the slot table."""

from __future__ import annotations

from advisor.engine.boxes import bits
from advisor.engine.cells import NOT_APPLICABLE, CellFact
from advisor.engine.decisions import Outcome, consistent, reach
from advisor.engine.errors import EngineError, FactError
from advisor.engine.versions import comparisons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.engine.base import Base, State
    from advisor.engine.types import Value


def advise(base: Base, state: State, pins: Mapping[str, Value] | None = None) -> dict[str, tuple[Outcome, ...]]:
    """The outcomes of every decision, where what is decided is known to the decisions that read it as a fact.

    `pins`: decision -> value that an administrator insists on; a gate that certainly holds goes before it. A fact that
    is known already is only narrowed, never contradicted, by the decision of the same id; omit, keep, formulas and gaps
    leave it open. No outcome is ever lost.
    Raises FactError for a pin that contradicts what is known, EngineError for an unknown pin or a circle."""
    return follow(base, state, pins or {})[0]


def decided(base: Base, state: State, pins: Mapping[str, Value] | None = None) -> State:
    """The state after `advise`: what is known, and what follows from the decisions for the facts of the same id."""
    return follow(base, state, pins or {})[1]


def decision_order(base: Base) -> list[str]:
    """All decisions, each after those whose facts its rules read. Raises EngineError for a circle."""
    return base.remembered("order", lambda: _ordered(base))


def _ordered(base: Base) -> list[str]:
    found: list[str] = []
    circle = find_circle(base, found)
    if circle:
        raise EngineError(f"these decisions depend on each other: {' -> '.join(circle)}", ("decisions", circle[0]))
    return found


def find_circle(base: Base, ordered: list[str]) -> list[str]:
    """Appends the decisions in order to `ordered`; returns the first circle, if there is one."""
    needs = {name: read_decisions(base, name) for name in sorted(base.decisions)}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name not in done:
            for needed in needs[name]:
                circle = visit(needed, (*trail, name))
                if circle:
                    return circle
            done.add(name)
            ordered.append(name)
        return []

    for name in needs:
        circle = visit(name, ())
        if circle:
            return circle
    return []


def read_decisions(base: Base, decision: str) -> list[str]:
    """The decisions whose value this one reads as a fact, itself or through derived facts."""
    facts = base.constraints.reading(base.decision(decision).reads)
    return [name for guard in bits(facts) if (name := base.space.owner[guard].id) in base.decisions]


def decided_mask(fact: CellFact, value: object) -> int | None:
    """The cells of the fact that a decision's value leaves; None if it says nothing of them. Raises FactError."""
    if value in (None, "omit", "keep"):
        return None
    if value == NOT_APPLICABLE:
        return fact.not_applicable or None
    if fact.type == "int" and isinstance(value, str):
        try:
            if not comparisons(value):
                return None  # a formula
        except ValueError:
            pass  # the fact says what is wrong with it
    return fact.mask(value)


def follow(base: Base, state: State, pins: Mapping[str, Value]) -> tuple[dict[str, tuple[Outcome, ...]], State]:
    """`advise` and `decided` in one."""
    for pin in pins:
        base.decision(pin)  # refuses unknown ones
    found: dict[str, tuple[Outcome, ...]] = {}
    for name in decision_order(base):
        pinned = name in pins and not shut(base, name, state)
        found[name] = (Outcome(pins[name], None, {}, True),) if pinned else reach(base, name, state)
        if name in base.facts:
            state = narrowed(base, state, name, found[name], pinned)
    return found, state


def shut(base: Base, name: str, state: State) -> bool:
    """Whether a gate of the decision certainly holds, so that no pin passes. A gate that is open lets a pin through:
    people who pin a setting know that it can be used."""
    decision, situation = base.decision(name), base.situation(state)
    gates = [box for rule in decision.rules if rule.gate for box in rule.boxes]
    if not gates or not situation.consistent:
        return False
    return base.space.uncovered(situation.box, (*gates, *situation.near(decision.reads).covers)) is None


def narrowed(base: Base, state: State, name: str, outcomes: tuple[Outcome, ...], pinned: bool) -> State:
    """The state once a decision on the fact of the same id has one of these outcomes; as it was where these say nothing
    of the fact. Raises FactError for a pinned value that contradicts what is known."""
    fact = base.facts[name]
    known = state.get(name, fact.full)
    left = 0
    for outcome in outcomes:
        mask = decided_mask(fact, outcome.value)
        left |= known if mask is None or (not mask & known and not pinned) else mask & known
    narrowed = {**state, name: left}
    if left and left != known and consistent(base, narrowed):
        return narrowed
    if pinned and left != known:
        raise FactError(name, outcomes[0].value, f"{outcomes[0].value} contradicts what is known")
    return state

"""Decide in order: some decisions are facts of later ones, as the protocol version is for the slot table."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from advisor.engine.base import Base
from advisor.engine.boxes import State, bits
from advisor.engine.cells import NOT_APPLICABLE, CellFact, Value
from advisor.engine.decisions import Outcome, consistent, reach
from advisor.engine.errors import EngineError, FactError
from advisor.engine.formula import limits
from advisor.engine.versions import comparisons


def advise(base: Base, state: State, pins: Mapping[str, Value] | None = None) -> dict[str, tuple[Outcome, ...]]:
    """The outcomes of every decision, each known to the decisions that read it as a fact.

    `pins`: decision → value that an administrator insists on; only a gate that certainly holds overrides it. A decision
    narrows the known fact of the same id, but never contradicts it; omit, keep, formulas and gaps leave the fact open.
    No outcome is ever lost. Raises FactError for a pin that contradicts what is known, EngineError for an unknown pin
    or a circle."""
    return follow(base, state, pins or {})[0]


def decided(base: Base, state: State, pins: Mapping[str, Value] | None = None) -> State:
    """The state after `advise`: what is known, and what the decisions imply for the facts of the same id."""
    return follow(base, state, pins or {}, base.facts)[1]


def decision_order(base: Base) -> list[str]:
    """All decisions, each after those that its rules read as facts. Raises EngineError for a circle."""
    circle = base.to_json()["circle"]
    if circle:
        raise EngineError(f"these decisions depend on each other: {' -> '.join(circle)}", ("decisions", circle[0]))
    return [*base.decisions]


def find_circle(base: Base, ordered: list[str]) -> list[str]:
    """Append the decisions to `ordered`, in order, until there is a circle; return that, or []."""
    needs = {name: read_decisions(base, name) for name in sorted(base.decisions)}
    return next(circles(needs, ordered), [])


def circles(needs: Mapping[str, Iterable[str]], ordered: list[str]) -> Iterator[list[str]]:
    """The circles of a graph, one for each edge back of a search in depth, which appends each name to `ordered` after
    those that it needs. A circle ends with the name that it begins with."""
    trail: list[str] = []
    done: set[str] = set()

    def visit(name: str) -> Iterator[list[str]]:
        if name in trail:
            yield [*trail[trail.index(name) :], name]
        elif name not in done:
            trail.append(name)
            for needed in needs.get(name, ()):
                yield from visit(needed)
            done.add(trail.pop())
            ordered.append(name)

    for name in needs:
        yield from visit(name)


def read_decisions(base: Base, decision: str) -> list[str]:
    """The decisions whose value this one reads as a fact, itself or through derived facts."""
    facts = base.constraints.reading(base.decision(decision).reads)
    return [name for guard in bits(facts) if (name := base.space.owner[guard].id) in base.decisions]


def decided_mask(fact: CellFact, value: object) -> int | None:
    """The cells that the value of a decision leaves to the fact of the same id; None if it says nothing about the fact.
    Raises FactError for a value that the fact cannot have."""
    if value in (None, "omit", "keep") or limits(value):
        return None
    if value == NOT_APPLICABLE:
        return fact.not_applicable or None
    if fact.type == "int" and isinstance(value, str):
        try:
            if not comparisons(value):
                return None  # a formula
        except ValueError:
            pass  # fact.mask reports it
    return fact.mask(value)


def follow(
    base: Base, state: State, pins: Mapping[str, Value], only: Container[str] | None = None
) -> tuple[dict[str, tuple[Outcome, ...]], State]:
    """The results of `advise`, of all decisions or `only` these, and of `decided`."""
    for pin in pins:
        base.decision(pin)  # raises EngineError for an unknown one
    outcomes: dict[str, tuple[Outcome, ...]] = {}
    for name in decision_order(base):
        if only is not None and name not in only:
            continue
        pinned = name in pins and not shut(base, name, state)
        outcomes[name] = (Outcome(pins[name], None, {}, True),) if pinned else reach(base, name, state)
        if name in base.facts:
            state = narrowed(base, state, name, outcomes[name], pinned)
    return outcomes, state


def shut(base: Base, name: str, state: State) -> bool:
    """Whether a gate of the decision certainly holds, so that no pin passes. While a gate is open a pin passes, because
    those who pin a setting know that they can use it."""
    decision, situation = base.decision(name), base.situation(state)
    gates = [box for rule in decision.rules if rule.gate for box in rule.boxes]
    if not gates or not situation.consistent:
        return False
    return base.space.uncovered(situation.box, (*gates, *situation.near(decision.reads).covers)) is None


def narrowed(base: Base, state: State, name: str, outcomes: tuple[Outcome, ...], pinned: bool) -> State:
    """The state narrowed by the outcomes of the decision on the fact of the same id, or unchanged if they say nothing
    about the fact. Raises FactError for a pinned value that contradicts what is known."""
    fact = base.facts[name]
    known = state.get(name, fact.full)
    remaining = 0
    for outcome in outcomes:
        mask = decided_mask(fact, outcome.value)
        remaining |= known if mask is None or (not mask & known and not pinned) else mask & known
    narrowed = {**state, name: remaining}
    if remaining and remaining != known and consistent(base, narrowed):
        return narrowed
    if pinned and remaining != known:
        raise FactError(name, outcomes[0].value, f"{outcomes[0].value} contradicts what is known")
    return state

"""The smallest change of what is known that would change a decision."""

from __future__ import annotations

from itertools import combinations, product
from typing import NamedTuple

from advisor.engine.base import Base, State
from advisor.engine.boxes import bits
from advisor.engine.decide import consistent, reach
from advisor.engine.decisions import value_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from advisor.engine.cells import Value


class Change(NamedTuple):
    """`facts`: what would have to be otherwise, and how, in words. `value` is then possible, by `rule`, whichever of
    these values the facts have.

    `settled`: it is then certain; otherwise `where` is a case of what is not known in which it is so. `state`: what
    would be known then; a fact that follows from a changed one is open in it, or may be n/a."""

    facts: dict[str, str]
    value: Value | None
    rule: str
    settled: bool
    state: State
    where: dict[str, str]


def what_if(
    base: Base, decision: str, state: State, limit: int = 2, fixed: Collection[str] = ()
) -> list[Change]:
    """All changes of as few known facts as possible, at most `limit`, that make another value possible.

    Those that settle the decision come first. `fixed`: facts that stay as they are."""
    now = {value_key(outcome.value) for outcome in reach(base, decision, state)}
    space = base.space
    matters = space.guards  # where the state contradicts itself, any fact may be the culprit
    if now or consistent(base, state):
        matters = base.constraints.connected(base.decision(decision).reads)
    names = [
        name for name in space.names(matters)
        if state.get(name, base.facts[name].full) != base.facts[name].full and name not in fixed
    ]
    for size in range(1, limit + 1):
        changes = []
        for chosen in combinations(names, size):
            loose = _otherwise(base, state, chosen)
            for outcome in reach(base, decision, loose):
                if outcome.rule is None or value_key(outcome.value) in now:
                    continue
                changed = {**loose, **{name: outcome.witness.get(name, loose[name]) for name in chosen}}
                changed = _settling(base, decision, changed, chosen, outcome.value)
                changed = _true(base, decision, changed, chosen, outcome.value)
                words = {name: base.describe(name, changed[name]) for name in chosen}
                then = reach(base, decision, changed)
                settled = all(one.certain for one in then)
                gained = next(one for one in then if value_key(one.value) == value_key(outcome.value))
                rule = str(gained.rule)
                where = {name: base.describe(name, mask) for name, mask in gained.witness.items() if name not in chosen}
                changes.append(Change(words, outcome.value, rule, settled, changed, where))
        if changes:
            return sorted(changes, key=lambda change: not change.settled)
    return []


def _settling(base: Base, decision: str, changed: State, chosen: tuple[str, ...], value: object) -> State:
    """The change with only those cells of the chosen facts that settle the decision on the value, if there are such."""
    for name in chosen:
        outcomes = reach(base, decision, changed)
        if len(outcomes) > 1:
            settling = 0
            for cell in bits(changed[name]):
                found = reach(base, decision, {**changed, name: cell})
                if len(found) == 1 and value_key(found[0].value) == value_key(value):
                    settling |= cell
            changed = {**changed, name: settling or changed[name]}
    return changed


def _true(base: Base, decision: str, changed: State, chosen: tuple[str, ...], value: object) -> State:
    """The change with as many cells of the chosen facts as all go with the value, each with each of the others'."""

    def gives(state: State) -> bool:
        return any(value_key(one.value) == value_key(value) for one in reach(base, decision, state))

    wide = {name: list(bits(changed[name])) for name in chosen}
    for name in chosen:  # one case first
        changed = {**changed, name: next(cell for cell in wide[name] if gives({**changed, name: cell}))}
    for name in chosen:
        others = [other for other in chosen if other != name]
        each = product(*(bits(changed[other]) for other in others))
        cases = [dict(zip(others, cells)) for cells in each]
        fits = [cell for cell in wide[name] if all(gives({**changed, **case, name: cell}) for case in cases)]
        changed = {**changed, name: sum(fits)}
    return changed


def _otherwise(base: Base, state: State, chosen: tuple[str, ...]) -> State:
    """The state with other values of the chosen facts, whatever they are; what follows from these is set free."""
    changed_guards = sum(base.space.guard_of[name] for name in chosen)
    loose: State = {}
    for name, mask in state.items():
        fact = base.facts[name]
        if name in chosen:
            loose[name] = fact.full & ~mask
        elif not base.constraints.reading(base.space.guard_of[name]) & changed_guards:
            loose[name] = mask
        elif not fact.derived:
            loose[name] = mask | fact.not_applicable
    return loose

"""What to ask next."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from advisor.engine.base import Base, State
from advisor.engine.boxes import bits
from advisor.engine.decide import possible, reach
from advisor.engine.explain import summary


class Question(NamedTuple):
    """A fact to ask for. `settles`: how many decisions its answer settles on average, all its cells equally likely.

    `decisions`: the open decisions whose outcomes some answer changes, or may change together with other answers."""

    fact: str
    settles: float
    decisions: tuple[str, ...]


def next_questions(
    base: Base, decisions: Iterable[str], state: State, asked: Collection[str] = frozenset(), quick: bool = False
) -> list[Question]:
    """The facts that can still change something, in the order of the facts, or those that settle most first (`quick`).

    A fact is asked if some answer to it changes the outcomes of an open decision, by what the decision's rules read.
    Where no single answer does that, all facts that its open rules read are asked. A fact of which it is not known
    whether it applies waits for those that tell. Derived facts and facts in `asked` (give those here that nobody can
    answer) are never asked. Settles every decision in the end if every question is answered exactly."""
    weights: dict[str, float] = {}
    changed: dict[str, list[str]] = {}
    cells = _Cells(base, state)
    for decision in decisions:
        outcomes = reach(base, decision, state)
        if all(outcome.certain for outcome in outcomes):
            continue
        candidates = [name for name in _read(base, decision, state)
                      if name not in asked and not base.facts[name].derived and len(cells.of(name)) > 1]
        helpful = False
        for name in candidates:
            changes, weight = _effect(base, decision, state, [{**state, name: cell} for cell in cells.of(name)])
            if changes:
                helpful = True
                weights[name] = weights.get(name, 0) + weight
                changed.setdefault(name, []).append(decision)
        if not helpful:
            for name in candidates:
                weights.setdefault(name, 0)
                changed.setdefault(name, []).append(decision)
    ready = [name for name in base.facts if name in weights and not _waits(base, name, weights, cells)]
    questions = [Question(name, weights[name], tuple(changed[name])) for name in ready]
    return sorted(questions, key=lambda question: -question.settles) if quick else questions


class _Cells:
    """The cells that facts can still have, each as a mask."""

    def __init__(self, base: Base, state: State) -> None:
        self.base = base
        self.state = state
        self.known: dict[str, list[int]] = {}

    def of(self, name: str) -> list[int]:
        if name not in self.known:
            self.known[name] = list(bits(possible(self.base, name, self.state)))
        return self.known[name]


def _read(base: Base, decision: str, state: State) -> list[str]:
    """The facts that rules which can still hold read and that are not decided, and those from which these follow."""
    space = base.space
    box = base.box(state)
    reads = 0
    for case in base.decision(decision).boxes:
        common = space.meet(box, case)
        if common is not None:
            reads |= ((box ^ common) + space.everything) & space.guards
    return space.names(base.constraints.reading(reads))


def _effect(base: Base, decision: str, state: State, answered: list[State]) -> tuple[bool, float]:
    """Whether some answer changes the outcomes, and the share of answers that settle the decision."""
    now = summary(reach(base, decision, state))
    changes, settled = False, 0
    for known in answered:
        outcomes = reach(base, decision, known)
        changes = changes or summary(outcomes) != now
        settled += all(outcome.certain for outcome in outcomes)
    return changes, settled / len(answered)


def _waits(base: Base, name: str, asked: Collection[str], cells: _Cells) -> bool:
    """Whether it is open if the fact applies, and another question tells."""
    fact = base.facts[name]
    if fact.not_applicable not in cells.of(name):
        return False
    guard = base.space.guard_of[name]
    return any(other in asked for other in base.space.names(base.constraints.reading(guard) ^ guard))

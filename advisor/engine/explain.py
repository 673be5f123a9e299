"""Why a decision is as it is: `reason`, `why_not`, `proof`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.engine.base import Base, State
from advisor.engine.conditions import Comparison, Tree, Verdict, judge, mask_of, parse
from advisor.engine.decide import Outcome, consistent, none_winning, possible, reach, winning
from advisor.engine.decisions import Decision, Rule, value_key
from advisor.engine.define import in_words
from advisor.engine.situation import Situation, first_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.cells import Value

class Obstacle(NamedTuple):
    """What keeps a rule from giving its value: a fact that is otherwise than it needs, or a rule that beats it.

    Where only several facts together are in the way, `fact` is None and `have` and `need` name them all."""

    rule: str
    fact: str | None
    have: str
    need: str
    beaten_by: str | None


class Part(NamedTuple):
    """One node of a condition: `kind` is "all", "any", "not" or a fact; a fact has `need` and `have` in words."""

    kind: str
    need: str
    have: str
    verdict: Verdict
    parts: tuple[Part, ...]


class Proof(NamedTuple):
    """A rule under a state of knowledge. `verdict`: does its condition hold; `wins`: does it win. None: in some cases.

    `beaten_by`: the rules that can hold together with it and beat it."""

    rule: str
    layer: str
    value: Value
    verdict: Verdict
    wins: Verdict
    beaten_by: tuple[str, ...]
    tree: Part


def summary(outcomes: Iterable[Outcome]) -> frozenset[object]:
    """What two sets of outcomes must share to be the same: values, and whether each is certain."""
    return frozenset((value_key(outcome.value), outcome.certain) for outcome in outcomes)


def reason(base: Base, decision: str, state: State) -> State:
    """A smallest part of the state that forces the same outcomes: without any one of its facts they would be others.

    For an inconsistent state, a smallest part that is inconsistent."""
    wanted = (consistent(base, state), summary(reach(base, decision, state)))
    space = base.space
    matters = base.constraints.connected(base.decision(decision).reads)
    kept = dict(state)

    def worth(name: str) -> tuple[bool, bool, int]:
        """Dropped first if it can be: unconnected facts, then derived ones, then later ones."""
        return space.guard_of[name] & matters != 0, not base.facts[name].derived, -base.facts[name].shift

    for name in sorted(state, key=worth):
        less = {other: mask for other, mask in kept.items() if other != name}
        if (consistent(base, less), summary(reach(base, decision, less))) == wanted:
            kept = less
    return {name: mask for name, mask in state.items() if name in kept}


def why_not(base: Base, decision: str, value: object, state: State) -> list[Obstacle]:
    """What stands against a value, for each rule that would give it, strongest rule first.

    Empty where the value is possible, where no rule gives it, and for an inconsistent state."""
    found = base.decision(decision)
    situation = base.situation(state)
    wanted = value_key(value)
    if not situation.consistent or any(value_key(one.value) == wanted for one in reach(base, decision, state)):
        return []
    obstacles: list[Obstacle] = []
    for rule in found.rules:
        if value_key(rule.value) == wanted:
            stronger = _beaters(found, rule, situation)
            if stronger:
                obstacles.append(Obstacle(rule.id, None, "", "", stronger[0]))
            else:
                obstacles += _failing(base, rule, state)
    return obstacles


def proof(base: Base, decision: str, state: State) -> tuple[Proof, ...]:
    """Every rule of a decision, strongest first, with the three-valued truth of each part of its condition.

    A fact's verdict counts what the constraints say of it; that of a rule is exact. All are None for an inconsistent
    state."""
    found = base.decision(decision)
    situation = base.situation(state)
    written = base.written(decision)
    proofs = []
    for rule in found.rules:
        tree = _part(base, parse(written[rule.id], base.facts), state)
        verdict, wins = _verdicts(found, rule, situation)
        beaten_by = tuple(_beaters(found, rule, situation))
        proofs.append(Proof(rule.id, base.layers[rule.layer], rule.value, verdict, wins, beaten_by, tree))
    return tuple(proofs)


def _verdicts(decision: Decision, rule: Rule, situation: Situation) -> tuple[Verdict, Verdict]:
    """Whether the rule's condition holds, and whether it wins."""
    if not situation.consistent:
        return None, None
    covers = situation.near(decision.reads).covers
    verdict: Verdict = None
    if situation.space.uncovered(situation.box, rule.boxes + covers) is None:
        verdict = True
    elif first_case(situation.space, situation.cases(rule.boxes), (), covers) is None:
        verdict = False
    wins: Verdict = None
    if winning(decision, rule, situation) is None:
        wins = False
    elif none_winning(situation.space, decision, [rule], situation.box, covers) is None:
        wins = True
    return verdict, wins


def _beaters(decision: Decision, rule: Rule, situation: Situation) -> list[str]:
    """The rules that beat this one in some consistent case, strongest first."""
    if not situation.consistent:
        return []
    space = situation.space
    covers = situation.near(decision.reads).covers
    cases = situation.cases(rule.boxes)
    found = []
    for other in decision.rules:
        if other.beats(rule):
            met = [both for a in cases for b in other.boxes if (both := space.meet(a, b)) is not None]
            if first_case(space, met, (), covers) is not None:
                found.append(other.id)
    return found


def _failing(base: Base, rule: Rule, state: State) -> list[Obstacle]:
    """The facts in the way of the rule's nearest case."""
    best: list[Obstacle] | None = None
    for box in rule.boxes:
        needed = base.space.unpack(box)
        allowed = {name: possible(base, name, state) for name in needed}
        failing = [name for name in needed if not needed[name] & allowed[name]]
        if failing:
            obstacles = [
                Obstacle(rule.id, name, base.describe(name, allowed[name]), base.describe(name, needed[name]), None)
                for name in failing
            ]
        else:
            obstacles = [Obstacle(rule.id, None, in_words(base.space, allowed), in_words(base.space, needed), None)]
        if best is None or len(obstacles) < len(best):
            best = obstacles
    return best if best is not None else [Obstacle(rule.id, None, "", "what can never be", None)]


def _part(base: Base, tree: Tree, state: State) -> Part:
    def verdict_of(comparison: Comparison) -> Verdict:
        need = mask_of(base.space, comparison)
        have = possible(base, comparison.fact, state)
        return None if not have else False if not have & need else True if not have & ~need else None

    if isinstance(tree, Comparison):
        need = base.describe(tree.fact, mask_of(base.space, tree))
        have = base.describe(tree.fact, possible(base, tree.fact, state))
        return Part(tree.fact, need, have, verdict_of(tree), ())
    parts = tuple(_part(base, part, state) for part in tree.parts)
    return Part(tree.kind, "", "", judge(tree, verdict_of), parts)

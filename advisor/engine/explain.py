"""Explain why a decision has its value (`reason`, `why_not`, `proof`), and find the smallest changes that would give it
another (`what_if`)."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from itertools import combinations, product

from advisor.engine.base import Base, RankedDecision, RankedRule
from advisor.engine.boxes import State, bits
from advisor.engine.cells import Value
from advisor.engine.conditions import Comparison, judge, mask_of, parse
from advisor.engine.decisions import Outcome, consistent, none_winning, possible, reach, value_key, winning
from advisor.engine.declare import in_words
from advisor.engine.situation import Situation, first_case
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.conditions import Tree, Verdict


class Obstacle(NamedTuple):
    """What keeps a rule from giving its value: a fact, which is `have` but must be `need`, or a rule that beats it.

    If only several facts together are in the way, `fact` is None and `have` and `need` name them all."""

    rule: str
    fact: str | None
    have: str
    need: str
    beaten_by: str | None


class ProofPart(NamedTuple):
    """One node of a condition: `kind` is "all", "any", "not" or a fact; a fact has `need` and `have` in words."""

    kind: str
    need: str
    have: str
    verdict: Verdict
    parts: tuple[ProofPart, ...]


class Proof(NamedTuple):
    """A rule under a state of knowledge. `verdict`: whether its condition holds. `wins`: whether it wins. Both are None
    if that is so in some cases only. `beaten_by`: the rules that beat it and can hold together with it."""

    rule: str
    layer: str
    value: Value
    verdict: Verdict
    wins: Verdict
    beaten_by: tuple[str, ...]
    tree: ProofPart


def summary(outcomes: Iterable[Outcome]) -> frozenset[object]:
    """What makes two sets of outcomes the same: their values, and whether each is certain."""
    return frozenset((value_key(outcome.value), outcome.certain) for outcome in outcomes)


def reason(base: Base, decision: str, state: State) -> State:
    """A smallest part of the state with the same outcomes: without any one of its facts they would differ.

    For an inconsistent state, a smallest inconsistent part."""
    space = base.space
    matters = base.constraints.connected(base.decision(decision).reads)
    contradicts = not consistent(base, state)
    wanted = summary(reach(base, decision, state))

    def worth(name: str) -> tuple[bool, bool, int]:
        """Dropped first if it can be: unconnected facts, then derived ones, then later ones."""
        return space.guard_of[name] & matters != 0, not base.facts[name].derived, -base.facts[name].shift

    # In a consistent state, a fact changes no outcome unless it is connected with one that the decision reads.
    kept = {name: mask for name, mask in state.items() if contradicts or space.guard_of[name] & matters}
    for name in sorted(kept, key=worth):
        less = {other: mask for other, mask in kept.items() if other != name}
        if consistent(base, less) is not contradicts and summary(reach(base, decision, less)) == wanted:
            kept = less
    return {name: mask for name, mask in state.items() if name in kept}


def why_not(base: Base, decision: str, value: object, state: State) -> list[Obstacle]:
    """The obstacles to a value, for each rule that would give it, the strongest rule first.

    Empty if the value is possible, if no rule gives it, or if the state is inconsistent."""
    ranked = base.decision(decision)
    situation = base.situation(state)
    wanted = value_key(value)
    outcomes = reach(base, decision, state)
    if not situation.consistent or any(value_key(outcome.value) == wanted for outcome in outcomes):
        return []
    obstacles: list[Obstacle] = []
    for rule in ranked.rules:
        if value_key(rule.value) == wanted:
            stronger = _beaters(ranked, rule, situation)
            if stronger:
                obstacles.append(Obstacle(rule.id, None, "", "", stronger[0]))
            else:
                obstacles += _failing(base, rule, state)
    return obstacles


def proof(base: Base, decision: str, state: State) -> tuple[Proof, ...]:
    """Every rule of a decision, the strongest first, with a verdict on each part of its condition.

    The verdict on a fact takes account of the constraints; that on a rule is exact. All verdicts are None if the state
    is inconsistent."""
    return base.remembered(("proof", decision, *state.items()), lambda: _proof(base, decision, state))


def _proof(base: Base, decision: str, state: State) -> tuple[Proof, ...]:
    ranked = base.decision(decision)
    situation = base.situation(state)
    written = base.written(decision)
    proofs = []
    for rule in ranked.rules:
        tree = _part(base, parse(written[rule.id], base.facts), state)
        verdict, wins = _verdicts(ranked, rule, situation)
        beaten_by = tuple(_beaters(ranked, rule, situation))
        proofs.append(Proof(rule.id, base.layers[rule.layer], rule.value, verdict, wins, beaten_by, tree))
    return tuple(proofs)


def open_facts(base: Base, decision: str, rules: Container[str], state: State) -> dict[str, frozenset[str]]:
    """Rule → the facts on which its condition still depends; none if the condition certainly holds."""
    ranked = base.decision(decision)
    situation = base.situation(state)
    written = base.written(decision)
    covers = situation.near(ranked.reads).covers

    def verdict_of(comparison: Comparison) -> Verdict:
        return _fact_verdict(mask_of(base.space, comparison), possible(base, comparison.fact, state))

    def undecided(tree: Tree) -> Iterator[str]:
        if judge(tree, verdict_of) is None:
            if isinstance(tree, Comparison):
                yield tree.fact
            else:
                for part in tree.parts:
                    yield from undecided(part)

    def depends_on(rule: RankedRule) -> frozenset[str]:
        if situation.space.uncovered(situation.box, rule.boxes + covers) is None:
            return frozenset()
        return frozenset(undecided(parse(written[rule.id], base.facts)))

    return {rule.id: depends_on(rule) for rule in ranked.rules if rule.id in rules}


def _fact_verdict(need: int, have: int) -> Verdict:
    """Whether a fact with the possible cells `have` is in `need`; None if that is open, or no cell is possible."""
    return None if not have else False if not have & need else True if not have & ~need else None


def _verdicts(decision: RankedDecision, rule: RankedRule, situation: Situation) -> tuple[Verdict, Verdict]:
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


def _beaters(decision: RankedDecision, rule: RankedRule, situation: Situation) -> list[str]:
    """The rules that beat this one in some consistent case, strongest first."""
    if not situation.consistent:
        return []
    space = situation.space
    covers = situation.near(decision.reads).covers
    cases = situation.cases(rule.boxes)
    beaters = []
    for other in decision.rules:
        if other.beats(rule):
            common = [case for a in cases for b in other.boxes if (case := space.meet(a, b)) is not None]
            if first_case(space, common, (), covers) is not None:
                beaters.append(other.id)
    return beaters


def _failing(base: Base, rule: RankedRule, state: State) -> list[Obstacle]:
    """The facts in the way of the nearest case of a rule, the one with the fewest."""
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


def _part(base: Base, tree: Tree, state: State) -> ProofPart:
    def verdict_of(comparison: Comparison) -> Verdict:
        return _fact_verdict(mask_of(base.space, comparison), possible(base, comparison.fact, state))

    if isinstance(tree, Comparison):
        need = base.describe(tree.fact, mask_of(base.space, tree))
        have = base.describe(tree.fact, possible(base, tree.fact, state))
        return ProofPart(tree.fact, need, have, verdict_of(tree), ())
    parts = tuple(_part(base, part, state) for part in tree.parts)
    return ProofPart(tree.kind, "", "", judge(tree, verdict_of), parts)


class FactChange(NamedTuple):
    """A change that makes another value possible. `facts`: fact → what it would have to be, in words; whichever of
    these values they have, `rule` may then give `value`. `settled`: whether it certainly does; if not, `where` is a
    case of the unknown facts in which it does. `state`: what would be known then; a fact that follows from a changed
    one is open in it, or may be n/a."""

    facts: dict[str, str]
    value: Value | None
    rule: str
    settled: bool
    state: State
    where: State


def what_if(base: Base, decision: str, state: State, limit: int = 2, fixed: Collection[str] = ()) -> list[FactChange]:
    """All changes of as few known facts as possible, at most `limit`, that make another value possible; those that
    settle the decision first. `fixed`: facts that must not change."""
    now = {value_key(outcome.value) for outcome in reach(base, decision, state)}
    space = base.space
    matters = space.guards  # if the state contradicts itself, any fact may be the cause
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
                changed = _widened(base, decision, changed, chosen, outcome.value)
                words = {name: base.describe(name, changed[name]) for name in chosen}
                outcomes = reach(base, decision, changed)
                settled = all(other.certain for other in outcomes)
                gained = next(other for other in outcomes if value_key(other.value) == value_key(outcome.value))
                rule = str(gained.rule)
                where = {name: mask for name, mask in gained.witness.items() if name not in chosen}
                changes.append(FactChange(words, outcome.value, rule, settled, changed, where))
        if changes:
            return sorted(changes, key=lambda change: not change.settled)
    return []


def _settling(base: Base, decision: str, changed: State, chosen: tuple[str, ...], value: object) -> State:
    """The change, narrowed to the cells of the chosen facts that settle the decision on the value, if any do."""
    for name in chosen:
        outcomes = reach(base, decision, changed)
        if len(outcomes) > 1:
            settling = 0
            for cell in bits(changed[name]):
                then = reach(base, decision, {**changed, name: cell})
                if len(then) == 1 and value_key(then[0].value) == value_key(value):
                    settling |= cell
            changed = {**changed, name: settling or changed[name]}
    return changed


def _widened(base: Base, decision: str, changed: State, chosen: tuple[str, ...], value: object) -> State:
    """The change, with as many cells of the chosen facts as possible, so that every combination can give the value."""

    def gives(state: State) -> bool:
        return any(value_key(outcome.value) == value_key(value) for outcome in reach(base, decision, state))

    wide = {name: list(bits(changed[name])) for name in chosen}
    for name in chosen:  # start with one case
        changed = {**changed, name: next(cell for cell in wide[name] if gives({**changed, name: cell}))}
    for name in chosen:
        others = [other for other in chosen if other != name]
        each = product(*(bits(changed[other]) for other in others))
        cases = [dict(zip(others, cells)) for cells in each]
        fits = [cell for cell in wide[name] if all(gives({**changed, **case, name: cell}) for case in cases)]
        changed = {**changed, name: sum(fits)}
    return changed


def _otherwise(base: Base, state: State, chosen: tuple[str, ...]) -> State:
    """The state in which each chosen fact has any value but its own, and all that follows from these facts is open."""
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

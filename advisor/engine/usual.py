"""What to advise before everything is known: usual values, taken only where they can do no harm (design.md §10).

`reach` is exact and stays so. Counsel looks twice: at what is known, and at what would follow if unknown facts had
their usual values. What the second look settles is advised only if it harms no rule that can still win under what is
*known*.

Presumptions are outside of the proof that an assumption does no harm, so it is told on which of them an answer rests:
it must be the same, and as harmless, without all the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

from advisor.engine.base import Base, State
from advisor.engine.chain import decision_order, follow, narrowed
from advisor.engine.decisions import Outcome, consistent, contenders, holds, possible, reach, support

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.types import Value


class Usual(NamedTuple):
    """What a fact is taken to be until somebody says otherwise. `when`: a named condition that must hold for certain
    under what is known or taken so far; None: always."""

    fact: str
    answer: object
    when: str | None = None


class Assumption(NamedTuple):
    """An outcome that rests on usual values. `rests_on`: a smallest set of them that gives it, fact → mask; empty where
    the same is to be done whatever is still unknown."""

    outcome: Outcome
    rests_on: State


class Counsel(NamedTuple):
    """`outcomes`: decision → its exact outcomes, as `advise` gives them. `state`: what is known, with what follows from
    the decisions. `assumed`: open decisions that can be answered without harm. `harmful`: open decisions that the usual
    values would answer, and the rules that the answer might break. `supposed`: the state with the usual values.
    `presumed`: decisions → a smallest part of what is presumed that their answer needs, fact → mask; those that need
    none are left out."""

    outcomes: dict[str, tuple[Outcome, ...]]
    state: State
    assumed: dict[str, Assumption]
    harmful: dict[str, tuple[str, ...]]
    supposed: State
    presumed: dict[str, State]


Harmless = Callable[[str, "Value | None", str], bool]
"""(decision, value, rule) → whether the value does no harm where this rule of the decision wins."""


def counsel(
    base: Base, state: State, usual: Iterable[Usual], *, does: Does, harmless: Harmless,
    certain: State | None = None, pins: Mapping[str, Value] | None = None,
) -> Counsel:
    """Advice on every decision. For every completion of the state in which what was decided or assumed is done, no
    assumed value harms a rule that wins there; nor in one of what is `certain`, if all is so that is presumed for it.

    `certain`: the state without presumptions; by default it has none. Raises as `advise` does."""
    pins = pins or {}
    outcomes, exact = follow(base, state, pins)
    known = exact
    taken = _taken(base, known, usual)
    supposed = {**known, **taken}
    assumed: dict[str, Assumption] = {}
    harmful: dict[str, tuple[str, ...]] = {}
    based: dict[str, State] = {}
    for name in decision_order(base):
        pinned = name in pins and outcomes[name][0].rule is None
        if pinned or base.decision(name).hit == "collect" or _settled(outcomes[name]):
            continue
        found = reach(base, name, supposed)
        answer = _answers(name, found, does)
        kept = _smallest(base, name, exact, supposed, does=does)
        rests_on = _led_back(base, kept, taken, based)
        if len(answer) == 1 and None not in answer:
            chosen = _least_presuming(base, name, found)
            broken = tuple(rule for rule in contenders(base, name, known) if not harmless(name, chosen.value, rule))
            if broken:
                harmful[name] = broken
            else:
                assumed[name] = Assumption(chosen, rests_on)
        if name in base.facts:
            if name in assumed:
                known = narrowed(base, known, name, found, pinned=False)  # what is done is so
            supposed = narrowed(base, supposed, name, found, pinned=False)
            based[name] = rests_on

    def safe(name: str, rules: Iterable[str]) -> bool:
        return all(harmless(name, assumed[name].outcome.value, rule) for rule in rules)

    certainly = Known(
        state if certain is None else certain, state, exact=exact, done=known, usual=taken, supposed=supposed
    )
    facts = {name: one.rests_on for name, one in assumed.items()}
    presumed = resting(base, certainly, outcomes, facts, does=does, safe=safe, pins=pins)
    return Counsel(outcomes, exact, assumed, harmful, supposed, presumed)


def _settled(outcomes: tuple[Outcome, ...]) -> bool:
    return len(outcomes) == 1 and outcomes[0].rule is not None


def _answers(name: str, outcomes: Iterable[Outcome], does: Does) -> set[Hashable]:
    """What may have to be done; None for a gap."""
    return {None if one.rule is None else does(name, one.value) for one in outcomes}


def _least_presuming(base: Base, name: str, found: tuple[Outcome, ...]) -> Outcome:
    """Of values that do the same, the one whose rule holds until another takes its place."""
    decision = base.decision(name)
    rules = {one.rule: decision.rule(one.rule) for one in found if one.rule is not None}

    def beaten_by_it(one: Outcome) -> int:
        return sum(rules[one.rule].beats(other) for other in rules.values()) if one.rule is not None else 0

    return min(reversed(found), key=beaten_by_it)


def _taken(base: Base, known: State, usual: Iterable[Usual]) -> State:
    """The usual values of facts that are not known well enough, as far as nothing contradicts them. Where it is open
    whether a fact applies it stays so: that the endpoint is private does not make it an Azure one."""
    taken: State = {}
    for one in usual:
        so_far = {**known, **taken}
        if one.fact in taken or (one.when is not None and holds(base, one.when, so_far) is not True):
            continue
        left = possible(base, one.fact, so_far)
        fact = base.fact(one.fact)
        mask = (fact.mask(one.answer) | fact.not_applicable) & left
        if mask & ~fact.not_applicable and mask != left and consistent(base, {**so_far, one.fact: mask}):
            taken[one.fact] = mask
    return taken


def _smallest(base: Base, name: str, exact: State, supposed: State, *, does: Does) -> State:
    """The smallest part of what is supposed beyond what is known that gives the same answers."""
    wanted = _answers(name, reach(base, name, supposed), does)
    matters = support(base, name)
    kept = {fact: mask for fact, mask in supposed.items() if fact in matters and exact.get(fact) != mask}
    for fact in sorted(kept, key=lambda fact: -base.facts[fact].shift):
        less = {other: mask for other, mask in kept.items() if other != fact}
        if _answers(name, reach(base, name, {**exact, **less}), does) == wanted:
            kept = less
    return kept


def _led_back(base: Base, kept: State, taken: State, based: Mapping[str, State]) -> State:
    """Traces suppositions back to usual values: one that was decided, to those on which that decision rests."""
    found: State = {}
    for fact, mask in kept.items():
        if fact in taken:
            found[fact] = taken[fact]
        if mask != taken.get(fact):
            found.update(based[fact])
    return {fact: found[fact] for fact in base.facts if fact in found}


Does = Callable[[str, "Value | None"], Hashable]
"""(decision, value) → what is done for it: values that do the same are one answer. Never None."""
Safe = Callable[[str, Iterable[str]], bool]
"""(decision, rules) → whether what is assumed for the decision harms none of its rules; True where nothing is."""


class Known:
    """`certain`: what is known where nothing is presumed; `state`: what else is presumed, too. `exact`: with what was
    decided; `done`: with what was assumed and done as well; `supposed`: with the usual values, `usual`, as well."""

    def __init__(
        self, certain: State, state: State, *, exact: State, done: State, usual: State, supposed: State
    ) -> None:
        self.certain, self.exact, self.done, self.usual, self.supposed = certain, exact, done, usual, supposed
        self.presumed = {fact: mask for fact, mask in state.items() if certain.get(fact) != mask}

    def resting_on(self, usual: Collection[str]) -> State:
        """With the usual values of these facts only."""
        left = {fact: mask for fact, mask in self.supposed.items() if fact not in self.usual or fact in usual}
        return left | {fact: self.exact[fact] for fact in self.usual if fact not in usual and fact in self.exact}


def resting(
    base: Base, known: Known, outcomes: Mapping[str, tuple[Outcome, ...]], assumed: Mapping[str, Collection[str]], *,
    does: Does, safe: Safe, pins: Mapping[str, Value],
) -> dict[str, State]:
    """Decisions that say what they say only because something is presumed → a smallest part of it that is enough, fact
    → mask. `outcomes`: exact; `assumed`: decisions that usual values answer, and of which facts."""
    if not known.presumed:
        return {}
    bare, decided = follow(base, known.certain, pins)
    found: dict[str, State] = {}

    def only(kept: Collection[str], state: State) -> State:
        """The state if that is presumed of these facts only."""
        less = dict(state)
        for fact, mask in known.presumed.items():
            if fact not in kept and less.get(fact) == mask:
                less[fact] = known.certain.get(fact, base.facts[fact].full)
        for name, rests_on in found.items():
            if name in base.facts and not rests_on.keys() <= set(kept):
                less[name] = decided.get(name, base.facts[name].full)
        return less

    def distinct(name: str, said: Iterable[Outcome]) -> set[Hashable]:
        if name in base.facts:  # what is left of it is known to later decisions
            return {(one.rule is None, type(one.value), one.value) for one in said}
        several = base.decision(name).hit == "collect"
        return {(None if one.rule is None else does(name, one.value), several and one.certain) for one in said}

    def stands(name: str, kept: Collection[str]) -> bool:
        """Whether presuming only these facts leaves everything unchanged."""
        if not safe(name, contenders(base, name, only(kept, known.done)) if name in assumed else ()):
            return False
        states = [known.resting_on(assumed[name])] if name in assumed else [known.exact]
        if name in base.facts:
            states += [known.exact, known.supposed]
        return all(
            distinct(name, reach(base, name, only(kept, one))) == distinct(name, reach(base, name, one))
            for one in states
        )

    for name in decision_order(base):
        same = distinct(name, bare[name]) == distinct(name, outcomes[name])
        if name in pins or (same and name not in assumed and name not in base.facts):
            continue
        near = support(base, name)
        kept = [
            fact for fact in known.presumed
            if fact in near or any(one in near and fact in rests_on for one, rests_on in found.items())
        ]
        if kept and stands(name, ()):
            continue
        for fact in sorted(kept, key=lambda fact: -base.facts[fact].shift):
            less = [other for other in kept if other != fact]
            if stands(name, less):
                kept = less
        if kept:
            found[name] = {fact: known.presumed[fact] for fact in base.facts if fact in kept}
    return found

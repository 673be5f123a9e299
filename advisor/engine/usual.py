"""Decide everything, in order: some decisions are facts of later ones, as the protocol version is for the slot table.
And advise before everything is known, by usual values that are assumed only if they do no harm (docs/recommend.md).

`reach` stays exact. `counsel` decides twice: from what is known, and from what would follow if unknown facts had their
usual values. An answer that only the second pass settles is advised if it harms no rule that can still win under what
is *known*.

Presumptions are not part of the proof that an assumption does no harm, so `counsel` reports on which of them an answer
rests: without all the others the answer must be the same, and as harmless."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from advisor.engine.base import Base
from advisor.engine.boxes import State, bits
from advisor.engine.cells import NOT_APPLICABLE, CellFact, Value
from advisor.engine.decisions import Outcome, consistent, contenders, holds, possible, reach, reached, support
from advisor.engine.errors import EngineError, FactError
from advisor.engine.formula import limits
from advisor.engine.versions import comparisons
from advisor.named_tuple import NamedTuple


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
    """The mask of a fact if the decision with the same id has this value; None if the value does not determine it.
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
    situation = base.situation(state)
    for name in decision_order(base):
        if only is not None and name not in only:
            continue
        pinned = name in pins and not shut(base, name, state)
        outcomes[name] = (
            (Outcome(pins[name], None, {}, True),) if pinned else reached(base, base.decision(name), situation)
        )
        if name in base.facts:
            state = narrowed(base, state, name, outcomes[name], pinned)
            situation = base.situation(state)
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


class Usual(NamedTuple):
    """The usual value of a fact. `when`: a named condition that must certainly hold under what is known and assumed
    so far, or None."""

    fact: str
    answer: object
    when: str | None = None


class Assumption(NamedTuple):
    """An outcome that rests on usual values. `rests_on`: a smallest set of them that gives it, fact → mask; empty if
    the same may be done whatever the unknown facts are."""

    outcome: Outcome
    rests_on: State


class Counsel(NamedTuple):
    """`outcomes`: decision → its exact outcomes, as `advise` returns them. `state`: what is known, and what follows
    from the decisions. `assumed`: open decisions that can be answered without harm. `harmful`: open decisions that
    usual values would answer → the rules that the answer might break. `supposed`: the state with the usual values.
    `rest`: works out `presumed`, once."""

    outcomes: dict[str, tuple[Outcome, ...]]
    state: State
    assumed: dict[str, Assumption]
    harmful: dict[str, tuple[str, ...]]
    supposed: State
    rest: Callable[[], dict[str, State]]

    @property
    def presumed(self) -> dict[str, State]:
        """Decision → a smallest part of the presumptions that its answer needs, fact → mask; decisions that need none
        are left out. It takes as long as half of the rest, so it waits until it is told."""
        return self.rest()


Harmless = Callable[[str, "Value | None", str], bool]
"""(decision, value, rule) → whether the value does no harm if this rule of the decision wins."""
Covers = Callable[[str, "Value | None", "Value | None"], bool]
"""(decision, value, other) → whether doing what the value asks for also does what the other one asks for."""


def counsel(
    base: Base, state: State, usual: Iterable[Usual], *, does: Does, harmless: Harmless,
    covers: Covers = lambda *_: False, certain: State | None = None, pins: Mapping[str, Value] | None = None,
    only: str = "", about: str = "",
) -> Counsel:
    """Advice on every decision. In every completion of the state that agrees with what was decided and assumed, no
    assumed value harms a rule that wins there. The same is true of `certain`, with the presumptions that are reported.

    `certain`: the state without presumptions; by default there are none. `only`: the decision that is asked about; then
    it is faster, and what rests on presumptions is not told. `about`: the only decision of which that is asked, but for
    those that are facts. Raises as `advise` does."""
    pins = pins or {}
    outcomes, exact = follow(base, state, pins)
    known = exact
    taken = _taken(base, known, usual)
    supposed = {**known, **taken}
    assumed: dict[str, Assumption] = {}
    harmful: dict[str, tuple[str, ...]] = {}
    based: dict[str, State] = {}

    def done_by(outcome: Outcome) -> Does:
        """Whether the outcome does what a value asks for."""
        return lambda name, value: (
            does(name, outcome.value) == does(name, value) or covers(name, outcome.value, value)
        )

    for name in decision_order(base):
        pinned = name in pins and outcomes[name][0].rule is None
        if pinned or base.decision(name).hit == "collect" or _settled(outcomes[name]):
            continue
        if only and name not in (only, *base.facts):
            continue
        supposed_outcomes = reach(base, name, supposed)
        suited = [one for one in supposed_outcomes if _answers(name, supposed_outcomes, done_by(one)) == {True}]
        chosen = _least_presuming(base, name, suited) if suited else None
        if chosen is not None:
            broken = tuple(rule for rule in contenders(base, name, known) if not harmless(name, chosen.value, rule))
            if broken:
                harmful[name] = broken
                chosen = None
        if chosen is None and name not in base.facts:
            continue
        same = does if chosen is None else done_by(chosen)
        answers = _answers(name, supposed_outcomes, same)
        rests_on = _usual_behind(base, _smallest(base, name, exact, supposed, answers, does=same), taken, based)
        if chosen is not None:
            assumed[name] = Assumption(chosen, rests_on)
        if name in base.facts:
            if name in assumed:
                known = narrowed(base, known, name, supposed_outcomes, pinned=False)  # it will be done
            supposed = narrowed(base, supposed, name, supposed_outcomes, pinned=False)
            based[name] = rests_on

    def safe(name: str, rules: Iterable[str]) -> bool:
        return all(harmless(name, assumed[name].outcome.value, rule) for rule in rules)

    certainly = Known(
        state if certain is None else certain, state, exact=exact, done=known, usual=taken, supposed=supposed
    )
    rest = cache(lambda: {} if only else resting(
        base, certainly, outcomes, assumed, does=does, done_by=done_by, safe=safe, pins=pins, about=about,
    ))
    return Counsel(outcomes, exact, assumed, harmful, supposed, rest)


def _settled(outcomes: tuple[Outcome, ...]) -> bool:
    return len(outcomes) == 1 and outcomes[0].rule is not None


def _answers(name: str, outcomes: Iterable[Outcome], does: Does) -> set[Hashable]:
    """What may have to be done, None for a gap."""
    return {None if outcome.rule is None else does(name, outcome.value) for outcome in outcomes}


def _least_presuming(base: Base, name: str, outcomes: Sequence[Outcome]) -> Outcome:
    """Of outcomes that suit equally, the one whose rule beats the fewest others: it holds unless one of these does."""
    decision = base.decision(name)
    rules = {outcome.rule: decision.rule(outcome.rule) for outcome in outcomes if outcome.rule is not None}

    def beaten(outcome: Outcome) -> int:
        return sum(rules[outcome.rule].beats(other) for other in rules.values()) if outcome.rule is not None else 0

    return min(reversed(outcomes), key=beaten)


def _taken(base: Base, known: State, usual: Iterable[Usual]) -> State:
    """The usual values of facts that are not fully known, unless something contradicts them. Whether a fact applies
    stays open: to assume that an endpoint is private does not make it one of Azure."""
    taken: State = {}
    so_far = known
    for value in usual:
        if value.fact in taken or (value.when is not None and holds(base, value.when, so_far) is not True):
            continue
        cells = possible(base, value.fact, so_far)
        fact = base.fact(value.fact)
        mask = (fact.mask(value.answer) | fact.not_applicable) & cells
        more = {**so_far, value.fact: mask}
        if mask & ~fact.not_applicable and mask != cells and consistent(base, more):
            taken[value.fact], so_far = mask, more
    return taken


def _smallest(base: Base, name: str, exact: State, supposed: State, answers: set[Hashable], *, does: Does) -> State:
    """A smallest part of what is supposed but not known that gives the same answers as all of it."""
    matters = support(base, name)
    more = {fact: mask for fact, mask in supposed.items() if fact in matters and exact.get(fact) != mask}

    def enough(kept: Collection[str]) -> bool:
        state = {**exact, **{fact: more[fact] for fact in kept}}
        return _answers(name, reach(base, name, state), does) == answers

    return {fact: more[fact] for fact in _needed(base, name, more, enough)}


def _needed(base: Base, name: str, facts: Iterable[str], enough: Callable[[Collection[str]], bool]) -> list[str]:
    """A smallest part of the facts that is enough for a decision, as all of them are. None at all is tried first, and
    then those that its rules read: mostly nothing else is needed."""
    if enough(()):
        return []
    kept = sorted(facts, key=lambda fact: -base.facts[fact].shift)
    read = base.space.names(base.constraints.reading(base.decision(name).reads))
    direct = [fact for fact in kept if fact in read]
    if len(direct) < len(kept) and enough(direct):
        kept = direct
    for fact in kept if len(kept) > 1 else ():
        less = [other for other in kept if other != fact]
        if enough(less):
            kept = less
    return kept


def _usual_behind(base: Base, kept: State, taken: State, based: Mapping[str, State]) -> State:
    """The usual values behind suppositions. `based`: decision → the usual values on which it rests."""
    behind: State = {}
    for fact, mask in kept.items():
        if fact in taken:
            behind[fact] = taken[fact]
        if mask != taken.get(fact):
            behind.update(based[fact])
    return {fact: behind[fact] for fact in base.facts if fact in behind}


Does = Callable[[str, "Value | None"], Hashable]
"""(decision, value) → what must be done for it, never None. Values for which the same is done are one answer."""
Safe = Callable[[str, Iterable[str]], bool]
"""(decision, rules) → whether the value that is assumed for the decision harms none of these rules."""


class Known:
    """`certain`: what is known without presumptions; each of the others adds to the one before it. `state`: the
    presumptions. `exact`: what was decided. `done`: what was assumed. `supposed`: the usual values, which are `usual`.
    """

    def __init__(
        self, certain: State, state: State, *, exact: State, done: State, usual: State, supposed: State
    ) -> None:
        self.certain, self.exact, self.done, self.usual, self.supposed = certain, exact, done, usual, supposed
        self.presumed = {fact: mask for fact, mask in state.items() if certain.get(fact) != mask}

    def resting_on(self, usual: Collection[str]) -> State:
        """The state with the usual values of these facts only."""
        kept = {fact: mask for fact, mask in self.supposed.items() if fact not in self.usual or fact in usual}
        return kept | {fact: self.exact[fact] for fact in self.usual if fact not in usual and fact in self.exact}


def _put(state: State, fact: str, known: State) -> None:
    """Say of a fact only what is said of it in `known`."""
    state.pop(fact, None)
    if fact in known:
        state[fact] = known[fact]


def resting(
    base: Base, known: Known, outcomes: Mapping[str, tuple[Outcome, ...]], assumed: Mapping[str, Assumption], *,
    does: Does, done_by: Callable[[Outcome], Does], safe: Safe, pins: Mapping[str, Value], about: str = "",
) -> dict[str, State]:
    """Decisions whose answer needs presumptions → a smallest part of these that is enough, fact → mask. `outcomes`: the
    exact ones; `about`: as for `counsel`."""
    if not known.presumed:
        return {}
    bare, decided = follow(base, known.certain, pins)
    needs: dict[str, State] = {}

    def only(kept: Collection[str], state: State) -> State:
        """The state with the presumptions on these facts only."""
        less = dict(state)
        for fact, mask in known.presumed.items():
            if fact not in kept and less.get(fact) == mask:
                _put(less, fact, known.certain)
        for name, rests_on in needs.items():
            if name in base.facts and not rests_on.keys() <= set(kept):
                _put(less, name, decided)
        return less

    def distinct(name: str, outcomes: Iterable[Outcome]) -> set[Hashable]:
        """What makes two sets of outcomes the same for later decisions and for the user."""
        if name in base.facts:  # later decisions read the values
            return {(outcome.rule is None, type(outcome.value), outcome.value) for outcome in outcomes}
        several = base.decision(name).hit == "collect"
        same = done_by(assumed[name].outcome) if name in assumed else does
        return {
            (None if outcome.rule is None else same(name, outcome.value), several and outcome.certain)
            for outcome in outcomes
        }

    def stands(name: str, kept: Collection[str], wanted: Iterable[tuple[State, set[Hashable]]]) -> bool:
        """Whether the presumptions on these facts alone give the same answer, as harmless. `wanted`: states, and what
        all presumptions give in them."""
        if not safe(name, contenders(base, name, only(kept, known.done)) if name in assumed else ()):
            return False
        return all(distinct(name, reach(base, name, only(kept, state))) == whole for state, whole in wanted)

    for name in decision_order(base):
        if about and name != about and name not in base.facts:
            continue
        same = distinct(name, bare[name]) == distinct(name, outcomes[name])
        if name in pins or (same and name not in assumed and name not in base.facts):
            continue
        near = {*support(base, name)}
        near.update(*(rests_on for other, rests_on in needs.items() if other in near))
        kept = [fact for fact in known.presumed if fact in near]
        states = [known.resting_on(assumed[name].rests_on)] if name in assumed else [known.exact]
        if name in base.facts:
            states += [known.exact, known.supposed]
        wanted = [(state, distinct(name, reach(base, name, state))) for state in states]
        if kept and (kept := _needed(base, name, kept, partial(stands, name, wanted=wanted))):
            needs[name] = {fact: known.presumed[fact] for fact in base.facts if fact in kept}
    return needs

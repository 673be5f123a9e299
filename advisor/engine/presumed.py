"""On which presumptions an answer rests. They are outside of the proof that an assumption does no harm, so they are
told: the answer must be the same, and as harmless, without all the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

from advisor.engine.base import Base, State
from advisor.engine.chain import decision_order, follow
from advisor.engine.decide import Outcome, contenders, reach, support

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.cells import Value

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

    def told(name: str, said: Iterable[Outcome]) -> set[Hashable]:
        if name in base.facts:  # what is left of it is known to later decisions
            return {(one.rule is None, type(one.value), one.value) for one in said}
        several = base.decision(name).hit == "collect"
        return {(None if one.rule is None else does(name, one.value), several and one.certain) for one in said}

    def stands(name: str, kept: Collection[str]) -> bool:
        """Whether all is as it is if that is presumed of these facts only."""
        if not safe(name, contenders(base, name, only(kept, known.done)) if name in assumed else ()):
            return False
        states = [known.resting_on(assumed[name])] if name in assumed else [known.exact]
        if name in base.facts:
            states += [known.exact, known.supposed]
        return all(
            told(name, reach(base, name, only(kept, one))) == told(name, reach(base, name, one)) for one in states
        )

    for name in decision_order(base):
        same = told(name, bare[name]) == told(name, outcomes[name])
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

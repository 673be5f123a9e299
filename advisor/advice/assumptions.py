"""Assumptions: usual values of facts that were not given, if they can do no harm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable
from functools import lru_cache
from typing import Optional

from advisor.advice.model import Advice, Supposition
from advisor.advice.written_value import evaluate, is_in_effect, to_write
from advisor.engine import Counsel, State, Usual, counsel, possible
from advisor.engine.decisions import GATE
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import absence_supports, same, supports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value


SEVERE = ("data-loss", "stale-data", "mount-fails", "hang", "boot", "security", "unsupported")
"""Consequences that a wrong assumption must not have; it may only cost speed."""
NO_EFFECT = "nothing"
"""The effect of a value for which nothing is written."""

Lookup = Callable[[str], Optional[int]]


def usual_values(base: RuleBase, unknown: Container[str] = ()) -> list[Usual]:
    """The usual values of all facts, in the order of the rule base. `unknown`: facts that were answered with "I don't
    know"."""
    return [
        Usual(fact, usual_value.value, f"usual:{fact}:{index}" if usual_value.when else None)
        for fact, definition in base.facts.items() for index, usual_value in enumerate(definition.usual)
        if fact in unknown or not usual_value.once_unknown
    ]


def decide_all(
    base: RuleBase, certain: State, given: State, pins: dict[str, Scalar], lookup: Lookup, *, strict: bool,
    unless: Container[str] = (), unknown: Container[str] = (),
) -> Counsel:
    """Runs every decision, exactly and, unless `strict`, with usual values except those of the facts in `unless`.
    `unknown`: as in `usual_values`.

    `certain`, `given`: the known state, without and with presumptions; `lookup`: returns the number of a fact, or
    None."""

    @lru_cache(maxsize=None, typed=True)
    def done(name: str, value: Value) -> Hashable:
        tunable = base.tunables[name]
        evaluated = evaluate(value, base.facts, lookup)
        if value in ("keep", "omit", "n/a"):
            return NO_EFFECT
        written = to_write(tunable, evaluated)
        if written is None and is_in_effect(tunable, evaluated, written):
            return NO_EFFECT
        if tunable.default is not None and same(evaluated, tunable.default) and _may_be_left_out(base, name):
            return NO_EFFECT
        return repr(value if written is None else written)

    def harmless(name: str, value: Value, rule: str) -> bool:
        tunable, other = base.tunables[name], base.decisions[name].rules[rule]
        if other.strength != "must" and other.consequence not in SEVERE:
            return True
        wanted, default = other.value, tunable.default
        if done(name, value) == done(name, wanted):
            return True
        if done(name, value) == NO_EFFECT:
            return absence_supports(wanted, default) is True
        return supports(to_write(tunable, evaluate(value, base.facts, lookup)), wanted, default)

    usual = [] if strict else [
        usual_value for usual_value in usual_values(base, unknown) if usual_value.fact not in unless
    ]
    return counsel(base.engine, given, usual, does=done, harmless=harmless, certain=certain, pins=pins)


def _may_be_left_out(base: RuleBase, name: str) -> bool:
    """Whether a rule leaves the setting out, so that writing the default counts as the same."""
    return any(rule.value == "omit" and rule.layer != GATE for rule in base.decisions[name].rules.values())


def suppositions(base: RuleBase, rests_on: State) -> tuple[Supposition, ...]:
    """The usual values that a setting assumes, with their reasons."""
    return tuple(_supposition(base, fact, mask) for fact, mask in rests_on.items())


def presumptions(
    base: RuleBase, certain: State, given: State, decided: Counsel
) -> dict[str, tuple[Supposition, ...]]:
    """Setting → its presumptions. `certain`, `given`: the known state, without and with presumptions; `decided`: as
    `decide_all` returns it."""
    engine = base.engine
    taken: dict[str, Supposition] = {}
    for fact, mask in {fact: mask for rests_on in decided.presumed.values() for fact, mask in rests_on.items()}.items():
        kind = engine.fact(fact)
        behind = engine.presumptions.behind(given, fact, certain.get(fact, kind.full))
        constraints = [base.constraints[name] for name in behind]
        left = possible(engine, fact, given) & ~kind.not_applicable
        taken[fact] = Supposition(
            fact, engine.answer(fact, left or mask), " ".join(constraint.why for constraint in constraints),
            tuple(dict.fromkeys(claim for constraint in constraints for claim in constraint.cites)),
        )
    return {name: tuple(taken[fact] for fact in rests_on) for name, rests_on in decided.presumed.items()}


def presumed_facts(each: Iterable[Advice]) -> tuple[Supposition, ...]:
    """The presumptions of all settings of this advice, each fact once, first those on which most settings rest."""
    presumed = [taken for advice in each for recommendation in advice.advised for taken in recommendation.presumes]
    often = Counter(supposition.fact for supposition in presumed)
    first = {supposition.fact: supposition for supposition in reversed(presumed)}
    return tuple(sorted(first.values(), key=lambda supposition: (-often[supposition.fact], supposition.fact)))


def _supposition(base: RuleBase, fact: str, mask: int) -> Supposition:
    kind = base.engine.fact(fact)
    assumed = next(usual_value for usual_value in base.facts[fact].usual if kind.mask(usual_value.value) & mask)
    return Supposition(fact, assumed.value, assumed.why, tuple(assumed.cites))

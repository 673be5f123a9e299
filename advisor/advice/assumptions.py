"""Usual values of facts that were not given: assumed for settings if they can do no harm, and put into figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Hashable, Iterable
from functools import lru_cache

from advisor.advice.model import Advice, Estimate, Supposition
from advisor.advice.rows import SEVERE
from advisor.advice.steps import Lookup, evaluate, formula_facts, is_in_effect, to_write
from advisor.engine import Counsel, Outcome, State, Usual, counsel, formula, holds, possible
from advisor.engine.base import GATE
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import absence_supports, implies, is_bound, same, supports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value


NO_EFFECT = "nothing"
"""The effect of a value for which nothing is written."""


def usual_values(base: RuleBase, unknown: Container[str]) -> list[Usual]:
    """The usual values of all facts, in the order of the rule base. `unknown`: facts that were answered with "I don't
    know"."""
    return [
        Usual(fact, usual_value.value, f"usual:{fact}:{index}" if usual_value.when else None)
        for fact, definition in base.facts.items() for index, usual_value in enumerate(definition.usual)
        if fact in unknown or not usual_value.once_unknown
    ]


def decide_all(
    base: RuleBase, certain: State, given: State, pins: dict[str, Scalar], lookup: Lookup, *, strict: bool,
    unless: Container[str] = (), unknown: Container[str], only: str = "",
) -> Counsel:
    """Runs every decision, exactly and, unless `strict`, with usual values except those of the facts in `unless`.
    `unknown`: as in `usual_values`. `only`: as for `counsel`.

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
        if tunable.default is not None and same(written, tunable.default) and _may_be_left_out(base, name):
            return NO_EFFECT
        return repr(value if written is None else written)

    def harmless(name: str, value: Value, rule: str) -> bool:
        tunable, other = base.tunables[name], base.decisions[name].rules[rule]
        wanted, default = other.value, tunable.default
        if (other.strength != "must" and other.consequence not in SEVERE) or done(name, value) == done(name, wanted):
            return True
        if done(name, value) == NO_EFFECT:
            return absence_supports(wanted, default) is True
        return supports(to_write(tunable, evaluate(value, base.facts, lookup)), wanted, default)

    def covers(name: str, value: Value, other: Value) -> bool:
        one, bound = evaluate(value, base.facts, lookup), evaluate(other, base.facts, lookup)
        tunable = base.tunables[name]
        if other == "n/a" and not (strict or tunable.needs):  # it does nothing there
            return absence_supports(one, tunable.default) is not True
        return value == other or (not strict and is_bound(bound) and implies(one, bound, tunable.default))

    usual = [] if strict else [
        usual_value for usual_value in usual_values(base, unknown) if usual_value.fact not in unless
    ]
    return counsel(
        base.engine, given, usual, does=done, harmless=harmless, covers=covers, certain=certain, pins=pins, only=only,
    )


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
        behind = engine.behind(given, fact, certain.get(fact, kind.full))
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


def figures(
    base: RuleBase, name: str, lookup: Lookup, counsel: Counsel, answered: Container[str]
) -> list[Estimate]:
    """The figure of a decision, for each of its outcomes. `lookup`: the number of a fact, or None; `answered`: facts
    of which something is known, perhaps less than a number."""

    def usual(fact: str) -> Supposition | None:
        return None if fact in answered else _usual_number(base, fact, counsel.supposed)

    def number(fact: str) -> int | None:
        known, taken = lookup(fact), usual(fact)
        return known if known is not None or taken is None else int(str(taken.value))

    assumption = counsel.assumed.get(name)
    under = () if assumption is None else suppositions(base, assumption.rests_on)
    chosen = []
    outcomes = counsel.outcomes[name] if assumption is None else (assumption.outcome,)
    for estimate in _estimates(base, name, outcomes, number):
        unknown = sorted(fact for fact in formula_facts(estimate.formula, base.facts) if lookup(fact) is None)
        chosen.append(estimate._replace(rests_on=(*under, *filter(None, map(usual, unknown)))))
    return chosen


def _usual_number(base: RuleBase, fact: str, supposed: State) -> Supposition | None:
    """The usual value of a fact, if it is a number."""
    definition = base.facts[fact]
    for index, usual_value in enumerate(definition.usual):
        if usual_value.when and holds(base.engine, f"usual:{fact}:{index}", supposed) is not True:
            continue
        number = isinstance(usual_value.value, int) and not isinstance(usual_value.value, bool)
        return Supposition(fact, usual_value.value, usual_value.why, tuple(usual_value.cites)) if number else None
    return None


_FACT = re.compile(r"[a-z_]+(?:\.[a-z0-9_]+)*")


def _estimates(base: RuleBase, name: str, outcomes: tuple[Outcome, ...], lookup: Lookup) -> list[Estimate]:
    """The figure of each outcome that has one; only settled outcomes get a number."""
    tunable = base.tunables[name]
    decision = base.decisions[name]
    made = []
    for outcome in outcomes:
        if outcome.value in ("keep", "n/a", "omit", None):
            continue
        rule = decision.rules[outcome.rule or ""]
        text = str(outcome.value)
        names = formula_facts(outcome.value, base.facts)
        missing = tuple(sorted(fact for fact in names if lookup(fact) is None))
        value = None
        if len(outcomes) == 1 and not missing:
            value = formula.evaluate(text, lookup) if names else _whole(outcome.value)
        filled = _FACT.sub(lambda match: _number(match[0], lookup) if "." in match[0] else match[0], text)
        unit = decision.unit or tunable.unit or ""
        made.append(Estimate(
            name, tunable.title, tunable.about or "", unit, text, filled, value, missing, rule.id, rule.why,
            tuple(rule.cites),
        ))
    return made


def _number(fact: str, lookup: Lookup) -> str:
    number = lookup(fact)
    return fact if number is None else str(number)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

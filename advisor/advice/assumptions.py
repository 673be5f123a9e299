"""Usual values of facts that were not given: assumed for settings if they can do no harm, and put into figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator

from advisor.advice.model import Advice, Estimate, Supposition
from advisor.engine import Outcome, State, formula, holds, possible
from advisor.engine.usual import Counsel
from advisor.rulebase.counsel import Lookup, formula_facts
from advisor.rulebase.model import RuleBase
from advisor.rulebase.model.rules import UsualValue


def suppositions(base: RuleBase, rests_on: State, state: State) -> tuple[Supposition, ...]:
    """The usual values that a setting assumes, with their reasons. `state`: what is known and assumed."""
    return tuple(
        _supposed(fact, next(usual for usual in usual_values(base, fact, state, (True,))
                             if base.engine.fact(fact).mask(usual.value) & mask))
        for fact, mask in rests_on.items()
    )


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


def _supposed(fact: str, usual: UsualValue) -> Supposition:
    return Supposition(fact, usual.value, usual.why, tuple(usual.cites))


def figures(
    base: RuleBase, name: str, lookup: Lookup, counsel: Counsel, answered: Container[str]
) -> list[Estimate]:
    """The figure of a decision, for each of its outcomes. `lookup`: the number of a fact, or None; `answered`: facts
    of which something is known, perhaps less than a number."""

    def usual(fact: str) -> Supposition | None:
        """The usual value of a fact, if it is a number."""
        taken = None if fact in answered else next(usual_values(base, fact, counsel.supposed, (True,)), None)
        return None if taken is None or _whole(taken.value) is None else _supposed(fact, taken)

    def number(fact: str) -> int | None:
        known, taken = lookup(fact), usual(fact)
        return known if known is not None or taken is None else int(str(taken.value))

    assumption = counsel.assumed.get(name)
    under = () if assumption is None else suppositions(base, assumption.rests_on, counsel.supposed)
    chosen = []
    outcomes = counsel.outcomes[name] if assumption is None else (assumption.outcome,)
    for estimate in _estimates(base, name, outcomes, number):
        unknown = sorted(fact for fact in formula_facts(estimate.formula, base.facts) if lookup(fact) is None)
        chosen.append(estimate._replace(rests_on=(*under, *filter(None, map(usual, unknown)))))
    return chosen


def usual_values(
    base: RuleBase, fact: str, state: State, if_holds: Container[bool | None] = (True, None)
) -> Iterator[UsualValue]:
    """Those that are usual in this state. `if_holds`: what their condition may be, true, false or not known."""
    for index, usual_value in enumerate(base.facts[fact].usual):
        if not usual_value.when or holds(base.engine, f"usual:{fact}:{index}", state) in if_holds:
            yield usual_value


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

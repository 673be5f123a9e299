"""Figures that rules compute, from usual values where numbers are not known."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

from advisor.advice.assumptions import suppositions
from advisor.advice.model import Estimate, Supposition
from advisor.advice.written_value import formula_facts
from advisor.engine import Counsel, Outcome, State, formula, holds
from advisor.rulebase.model import RuleBase


def figures(
    base: RuleBase, name: str, lookup: Callable[[str], int | None], counsel: Counsel, answered: Container[str]
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


def _estimates(
    base: RuleBase, name: str, outcomes: tuple[Outcome, ...], lookup: Callable[[str], int | None]
) -> list[Estimate]:
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


def _number(fact: str, lookup: Callable[[str], int | None]) -> str:
    number = lookup(fact)
    return fact if number is None else str(number)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

"""Figures that rules compute: the formula, its numbers, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable

from advisor.advice.concrete import needs
from advisor.advice.model import Estimate
from advisor.engine import Outcome, formula
from advisor.rulebase.model import RuleBase

_FACT = re.compile(r"[a-z_]+(?:\.[a-z0-9_]+)*")


def estimate(
    base: RuleBase, name: str, found: tuple[Outcome, ...], lookup: Callable[[str], int | None]
) -> list[Estimate]:
    """The figure of each outcome that says one; only settled ones get a number."""
    told = base.tunables[name]
    decision = base.decisions[name]
    made = []
    for outcome in found:
        if outcome.value in ("keep", "n/a", "omit", None):
            continue
        rule = decision.rules[outcome.rule or ""]
        text = str(outcome.value)
        names = needs(outcome.value, base.facts)
        missing = tuple(sorted(fact for fact in names if lookup(fact) is None))
        value = None
        if len(found) == 1 and not missing:
            value = formula.evaluate(text, lookup) if names else _whole(outcome.value)
        filled = _FACT.sub(lambda match: _number(match[0], lookup) if "." in match[0] else match[0], text)
        unit = decision.unit or told.unit or ""
        made.append(Estimate(
            name, told.title, told.about or "", unit, text, filled, value, missing, rule.id, rule.why,
            tuple(rule.cites),
        ))
    return made


def _number(fact: str, lookup: Callable[[str], int | None]) -> str:
    number = lookup(fact)
    return fact if number is None else str(number)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

"""Figures that rules compute, under usual values where nobody told the numbers."""

from __future__ import annotations

from collections.abc import Callable, Container

from advisor.advice.assumptions import suppositions
from advisor.advice.model import Estimate, Supposition
from advisor.advice.written import estimate, needs
from advisor.engine import Counsel, State, holds
from advisor.rulebase.model import RuleBase


def figures(
    base: RuleBase, name: str, lookup: Callable[[str], int | None], found: Counsel, said: Container[str]
) -> list[Estimate]:
    """The figure of a decision, for each of its outcomes. `lookup`: a fact's number, where it is known; `said`: the
    facts that somebody said something of, which may be less than a number."""

    def usual(fact: str) -> Supposition | None:
        return None if fact in said else _usual_number(base, fact, found.supposed)

    def number(fact: str) -> int | None:
        known, taken = lookup(fact), usual(fact)
        return known if known is not None or taken is None else int(str(taken.value))

    assumption = found.assumed.get(name)
    under = () if assumption is None else suppositions(base, assumption.rests_on)
    chosen = []
    outcomes = found.outcomes[name] if assumption is None else (assumption.outcome,)
    for one in estimate(base, name, outcomes, number):
        unknown = sorted(fact for fact in needs(one.formula, base.facts) if lookup(fact) is None)
        chosen.append(one._replace(rests_on=(*under, *filter(None, map(usual, unknown)))))
    return chosen


def _usual_number(base: RuleBase, fact: str, supposed: State) -> Supposition | None:
    """The number that a fact usually has, where that is one."""
    definition = base.facts[fact]
    for index, one in enumerate(definition.usual):
        if one.when and holds(base.engine, f"usual:{fact}:{index}", supposed) is not True:
            continue
        number = isinstance(one.value, int) and not isinstance(one.value, bool)
        return Supposition(fact, one.value, one.why, tuple(one.cites)) if number else None
    return None

"""Advice that the linter would speak against, told at the rule that gives it. Loading a base does not need it."""

from __future__ import annotations

from collections.abc import Container, Iterator

from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.examples import flow, one_case
from advisor.rulebase.model import RuleBase
from advisor.rulebase.problems import Problem, either
from advisor.verify.acceptance import Contradiction, contradictions

_TOLD = {"ignored-option": "it has no effect", "value-changed": "it comes out as another value"}


def unaccepted(catalogue: Catalogue, base: RuleBase, blamed: Container[str]) -> Iterator[Problem]:
    """Options that rules advise where they are refused or ignored. `blamed`: the rules at which it may be told; of
    several the one that advises the option comes first."""
    for found in contradictions(base):
        name = next((rule for rule in found.rules if rule in blamed), None)
        if name is not None:
            yield _problem(catalogue, base, found, name)


def _problem(catalogue: Catalogue, base: RuleBase, found: Contradiction, name: str) -> Problem:
    case = one_case(base.engine, found.witness)
    where = f"where {flow(case)}" if case else "whatever is known"
    others = [rule for rule in found.rules if rule != name]
    beside = f", beside {either(others, 'and')}" if others else ""
    why = f"{_TOLD.get(found.kind, 'it is refused')} {where}{beside}: {found.why.rstrip('.')}"
    write = "leave these cases out of its condition, or correct the option in kb/tunables"
    return catalogue.rules[name].problem(("value",), f"{name} recommends {found.text}", why, write)

"""Checks that span several files: references, domains, citations and examples. The models check single files."""

from __future__ import annotations

from advisor.rulebase.audit import checks, decisions, diagnosis, facts, knowledge, tunables
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.problems import Problem


def audit(catalogue: Catalogue) -> list[Problem]:
    """Every problem that can be found without the engine."""
    problems = list(catalogue.duplicates)
    for part in (facts, knowledge, tunables, decisions, checks, diagnosis):
        problems += part.check(catalogue)
    return problems

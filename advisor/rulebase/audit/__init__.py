"""What the models cannot see: names that must exist elsewhere, domains, citations, examples."""

from __future__ import annotations

from advisor.rulebase.audit import checks, decisions, diagnosis, facts, knowledge, tunables
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.problems import Problem


def audit(catalogue: Catalogue) -> list[Problem]:
    """All problems that need no engine."""
    found = list(catalogue.duplicates)
    for part in (facts, knowledge, tunables, decisions, checks, diagnosis):
        found += part.check(catalogue)
    return found

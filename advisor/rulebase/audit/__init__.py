"""Checks that span several files: references, domains, citations and examples. The models check single files."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from advisor.rulebase.audit import knowledge, rules
from advisor.rulebase.audit.walk import problems_by_annotation
from advisor.rulebase.catalogue import Catalogue, Entry
from advisor.rulebase.document import Problem

_BESIDES: dict[str, Callable[[Entry, Catalogue], Iterator[Problem]] | None] = {
    "facts": rules.fact_problems,
    "observations": rules.fact_problems,
    "constraints": None,
    "capabilities": rules.capability_problems,
    "sources": knowledge.source_problems,
    "claims": knowledge.claim_problems,
    "platforms": knowledge.platform_problems,
    "recipes": knowledge.recipe_problems,
    "layouts": knowledge.layout_problems,
    "host_files": None,
    "kinds": knowledge.kind_problems,
    "tunables": knowledge.tunable_problems,
    "decisions": None,  # with their rules, in `decision_problems`
    "rules": None,
    "checks": rules.check_problems,
    "errata": rules.erratum_problems,
    "messages": knowledge.message_problems,
    "causes": knowledge.cause_problems,
    "phrases": knowledge.phrase_problems,
    "conclusions": knowledge.conclusion_problems,
}
"""Table of the catalogue → what is asked of its entries beyond their annotations."""


def audit(catalogue: Catalogue) -> list[Problem]:
    """Every problem that can be found without the engine."""
    problems = list(catalogue.duplicates)
    for table, besides in _BESIDES.items():
        items: dict[str, Entry] = getattr(catalogue, table)
        for item in items.values():
            if item.sound:
                problems += problems_by_annotation(item, catalogue, observed=table == "observations")
                problems += besides(item, catalogue) if besides is not None else ()
    problems += rules.derivation_cycles(catalogue.known_facts)
    problems += rules.decision_problems(catalogue)
    problems += knowledge.file_name_problems(catalogue)
    problems += knowledge.row_problems(catalogue)
    problems += knowledge.spelling_problems(catalogue.tunables)
    return problems

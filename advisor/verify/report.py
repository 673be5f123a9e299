"""`advisor rules verify`: everything that loading refuses, and what only a whole look can find."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from advisor.rulebase import base, coverage, load, query, tree
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.compile import assemble
from advisor.rulebase.model import RuleBase
from advisor.rulebase.problems import Problem, either, merged
from advisor.verify.accepted import unaccepted
from advisor.verify.check_examples import check_examples


class Report(NamedTuple):
    """`size`: what was looked at, in words. `notes`: remarks that are not problems."""

    problems: list[Problem]
    notes: list[str]
    size: str


def verify(root: str | None = None) -> Report | None:
    """Look at the rule base at `root`, by default at the one in use; None when there is none."""
    root = os.path.abspath(root) if root is not None else base.authored()  # noqa: PTH100  see tree.py
    contents = tree.files(root)
    if not contents:
        return None
    found = load.check(root, contents, thorough=True)
    problems = [*found.problems, *found.near_misses]
    notes = []
    if found.unused and not found.problems:  # a faulty file may be the one that needs them
        notes.append(f"no rule needs the fact{'s' * (len(found.unused) > 1)} {either(found.unused, 'and')}")
    if found.problems or found.base is None:
        if found.catalogue.checks:
            notes.append("the examples of checks were not tried: they need a rule base without problems")
    else:
        compiled = assemble(found.catalogue, found.base.to_json(), "")
        rulebase = RuleBase(compiled)
        problems += check_examples(found.catalogue, compiled)
        problems += unaccepted(found.catalogue, rulebase, found.catalogue.rules)
        problems += _unmapped(found.catalogue, rulebase)
        notes += query.share(rulebase.claims)
    return Report(merged(problems), notes, _size(found.catalogue))


def _size(catalogue: Catalogue) -> str:
    counts = {
        "rule": catalogue.rules,
        "decision": catalogue.decisions,
        "check": catalogue.checks,
        "erratum": catalogue.errata,
        "fact": catalogue.known_facts(),
        "tunable": catalogue.tunables,
        "claim": catalogue.claims,
        "source": catalogue.sources,
    }
    return either(
        [f"{len(i)} {n if len(i) == 1 else {'erratum': 'errata'}.get(n, n + 's')}" for n, i in counts.items()], "and"
    )


def _unmapped(catalogue: Catalogue, compiled: RuleBase) -> Iterator[Problem]:
    """Sections and claims that were left out, and reasons that no longer hold."""
    for kind, name, detail in coverage.gaps(compiled):
        if kind == "empty-section":
            item = catalogue.sources[name]
            at = ("sections", item.data["sections"].index(detail))
            why, write = "no claim cites it", f'add a claim with at: "{detail}", or delete the section'
            yield item.problem(at, f'the section "{detail}"', why, write)
        elif kind == "unexplained":
            why = "nothing rests on it, and it gives no reason"
            write = "cite it, or add unused: why nothing does"
            yield catalogue.claims[name].problem(("id",), f'the claim "{name}"', why, write)
        else:
            why = f"something rests on it: {detail}"
            yield catalogue.claims[name].problem(("unused",), f'"unused" of {name}', why, "delete it", key=True)

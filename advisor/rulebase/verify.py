"""`advisor rules verify`: everything that loading refuses, and what only a whole look can find."""

from __future__ import annotations

import os
from typing import NamedTuple

from advisor.rulebase import base, load, tree
from advisor.rulebase.audit.names import entries, texts
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.compile import assemble
from advisor.rulebase.problems import Problem, either, merged


class Report(NamedTuple):
    """`size`: what was looked at, in words. `notes`: remarks that are no problems."""

    problems: list[Problem]
    notes: list[str]
    size: str


def verify(root: str | None = None) -> Report | None:
    """Look at the rule base at `root`, by default at the one in use; None when there is none."""
    root = os.path.abspath(root) if root is not None else base.authored()  # noqa: PTH100  see tree.py
    contents = tree.files(root)
    if not contents:
        return None
    checked = load.check(root, contents, thorough=True)
    problems = [*checked.problems, *checked.near_misses]
    notes = []
    if checked.unused and not checked.problems:  # a faulty file may be the one that needs them
        notes.append(f"no rule needs the fact{'s' * (len(checked.unused) > 1)} {either(checked.unused, 'and')}")
    if checked.problems or checked.base is None:
        if checked.catalogue.checks:
            notes.append("the examples of checks were not tried: they need a rule base without problems")
    else:
        from advisor.rulebase.check_examples import check_examples  # noqa: PLC0415  it needs the linter

        problems += check_examples(checked.catalogue, assemble(checked.catalogue, checked.base.to_json(), ""))
    idle = _uncited(checked.catalogue)
    if idle:
        shown = idle if len(idle) <= 5 else [*idle[:5], f"{len(idle) - 5} more"]
        notes.append(f"nothing cites, and no `unused` explains: {either(shown, 'and')}")
    return Report(merged(problems), notes, _size(checked.catalogue))


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


def _uncited(catalogue: Catalogue) -> list[str]:
    """Claims that nothing rests on and that do not say why."""
    cited: set[str] = set()
    for name in Catalogue.__slots__:
        items = getattr(catalogue, name)
        if name not in ("claims", "duplicates", "sections"):
            cited.update(claim for item in items.values() for claim in _cites(item.data))
    for item in catalogue.claims.values():
        cited.update(claim for part in ("better", "disputed_by") for _, claim in texts(item.data.get(part)))
    return [name for name, item in catalogue.claims.items() if name not in cited and "unused" not in item.data]


def _cites(data: dict[str, object]) -> list[str]:
    """All citations at or below a mapping."""
    found = [claim for _, claim in texts(data.get("cites"))]
    for value in data.values():
        found += [claim for _, inner in entries(value) for claim in _cites(inner)]
    return found

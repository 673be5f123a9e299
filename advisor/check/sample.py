"""A small host that is written down, as the examples of checks have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.check.files import collect
from advisor.check.judged import judged
from advisor.check.states import States
from advisor.host import Tree, probe
from advisor.host.store import Entry, Kept, Link

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


def host_findings(base: RuleBase, files: Mapping[str, str], known: Mapping[str, Values]) -> list[Finding]:
    """What is found on a host with these files (path → content; "-> x" is a link)."""
    entries: dict[str, Entry] = {
        path: Link(text[3:].strip()) if text.startswith("-> ") else text.encode() for path, text in files.items()
    }
    tree = Tree("/example", False, (), Kept(entries))
    collected = collect(tree, list(base.host_files.values()))
    areas, _ = judged(base, collected.texts, lambda _name, _server: known, others=collected.others)
    results = {result.name: result for area in areas.values() for result in area}
    States(base, tree, collected, results, probe({}, tree, base.tunables), known=known).compare()
    return [finding for result in results.values() for finding in result.findings]

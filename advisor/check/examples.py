"""Small hosts that are written down, as the examples of checks have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.check.client_server import ServerAsked, compare
from advisor.check.compared_host import ComparedHost
from advisor.check.comparison import HostComparison
from advisor.check.files import collect
from advisor.check.host import compare as compare_host
from advisor.check.host import judge_files
from advisor.host.probe import probe
from advisor.host.tree import Entry, FilesInMemory, Link, Tree

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import CheckExample, RuleBase
    from advisor.rulebase.model.types import Values


def tree_of(files: Mapping[str, str], name: str = "example") -> Tree:
    """A host with these files (path → content; "-> x" is a link)."""
    entries: dict[str, Entry] = {
        path: Link(text[3:].strip()) if text.startswith("-> ") else text.encode() for path, text in files.items()
    }
    return Tree(f"/{name}", False, (), FilesInMemory(entries))


def findings_between(base: RuleBase, example: CheckExample) -> list[Finding]:
    """What is found between the hosts of an example."""
    server = ComparedHost(base, tree_of(example.server or {}, "server"), "server", ("nas",))
    other = () if example.other is None else (ComparedHost(base, tree_of(example.other, "other"), "other"),)
    names = ["client", *(f"client{number}" for number in range(2, example.clients + 1))]
    client = example.client
    clients = () if client is None else (*(ComparedHost(base, tree_of(client, name), name) for name in names), *other)
    asked = ServerAsked("nas", "/data", example.asked, "the reason", "2026-11-28") if example.asked else None
    compared = compare(base, (server, *(() if clients else other)), clients, asked)
    return [finding for area in compared.results.values() for result in area for finding in result.findings]


def host_findings(base: RuleBase, files: Mapping[str, str], known: Mapping[str, Values]) -> list[Finding]:
    """What is found on a host with these files."""
    tree = tree_of(files)
    collected = collect(tree, list(base.host_files.values()))
    areas, _ = judge_files(base, collected.texts, lambda _name, _server: known, others=collected.others)
    results = {result.name: result for area in areas.values() for result in area}
    probed = probe({}, tree, base.tunables)
    compare_host(HostComparison(base, tree, collected, results, probed, known=known, profiles=base.profiles))
    return [finding for result in results.values() for finding in result.findings]

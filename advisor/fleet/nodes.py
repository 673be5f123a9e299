"""Servers of a fleet that are one server to their clients, compared as `advisor check --server A --server B` does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.check.sides.cluster_nodes import SCOPE
from advisor.check.sides.compare import compare
from advisor.check.sides.compared_host import ComparedHost
from advisor.fleet.alike import from_plain
from advisor.fleet.examined import Examined
from advisor.fleet.model import Across
from advisor.host.bundle import BundleTree

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


def nodes(base: RuleBase, hosts: Mapping[str, Examined], known: Mapping[str, Values]) -> Iterator[Across]:
    """What has to be equal on hosts that set one scope, and is not. `hosts`: title → host; `known`: facts."""
    clusters: dict[str, list[ComparedHost]] = {}
    for title in sorted(title for title, host in hosts.items() if host.node):
        tree = BundleTree(title, from_plain(hosts[title].node), dict(base.layouts))
        side = ComparedHost(base, tree, title, (), known)
        scope = side.settings.get(SCOPE)
        if scope is not None:
            clusters.setdefault(str(scope.value), []).append(side)
    for scope_name, sides in clusters.items():
        for pair in _pairs(sides):
            yield from _between(base, scope_name, pair)


def _pairs(sides: Iterable[ComparedHost]) -> Iterator[tuple[ComparedHost, ComparedHost]]:
    """Each node beside the first one of its server, so there are no more pairs than nodes.

    Copies of one nfs.conf give its scope to servers that have nothing to do with one another. So nodes export a path
    together; one that exports nothing, as where a cluster makes the exports, belongs to the only server that there is.
    """
    first_of: dict[str, ComparedHost] = {}
    firsts: list[ComparedHost] = []
    idle: list[ComparedHost] = []
    for side in sides:
        paths = [one.path for one in side.exports.all]
        first = next((first_of[path] for path in paths if path in first_of), None)
        if first is not None:
            yield first, side
        elif paths:
            firsts.append(side)
        else:
            idle.append(side)
        first_of.update((path, first or side) for path in paths if path not in first_of)
    if len(firsts) < 2:
        first, *others = [*firsts, *idle]
        yield from ((first, other) for other in others)


def _between(base: RuleBase, scope: str, pair: Sequence[ComparedHost]) -> Iterator[Across]:
    hosts = tuple(sorted(one.title for one in pair))
    for results in compare(base, pair, ()).results.values():
        for finding in (one for result in results for one in result.findings):
            yield Across(
                finding.rule, finding.severity, f"scope {scope}", finding.message, finding.why, finding.remedy, hosts,
                finding.cites,
            )

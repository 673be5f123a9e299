"""Findings about several hosts together, with the texts of the checks that compare two hosts (`sides`,
rules/checks)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.check.client_server import compare, figures_of
from advisor.check.compared_host import ComparedHost
from advisor.check.host_differences import SCOPE, disagreements, load
from advisor.files.patterns import name_matches
from advisor.files.source import parse_address, same_host
from advisor.fleet.fingerprint import deserialize
from advisor.fleet.judge import ExaminedHost, JudgedClass
from advisor.fleet.model import FleetFinding
from advisor.host.bundle import BundleTree
from advisor.lint.finding import SEVERITY_OF, fill

if TYPE_CHECKING:
    from advisor.rulebase.model import Check, RuleBase
    from advisor.rulebase.model.types import Value, Values

SESSIONS = ("vers=4.1", "vers=4.2")
"""With these versions a name alone identifies a client."""


def findings_across(
    base: RuleBase, hosts: Mapping[str, ExaminedHost], classes: Mapping[str, JudgedClass],
    known: Mapping[str, Values] | None = None,
) -> list[FleetFinding]:
    """The findings. `hosts`: title → host; `classes`: digest → judged class; `known`: facts of all hosts."""
    alike: dict[tuple[str, str], list[str]] = {}
    members: dict[str, list[str]] = {}
    for title, host in hosts.items():
        members.setdefault(host.digest, []).append(title)
        if host.unique is not None and host.host != host.place:
            alike.setdefault((host.host, host.unique), []).append(title)
    findings: list[FleetFinding] = []
    for (node, unique), titles in alike.items():
        if len(titles) > 1:
            findings += _shared_identities(
                base, node, unique, {title: classes[hosts[title].digest] for title in titles}
            )
    return [
        *findings, *_export_disagreements(base, members, classes), *_overloads(base, hosts, members, classes),
        *_node_disagreements(base, hosts, known or {}),
    ]


def _shared_identities(
    base: RuleBase, node: str, unique: str, hosts: Mapping[str, JudgedClass]
) -> Iterator[FleetFinding]:
    """Hosts with one NFSv4 identity, for each server that several of them have a session with."""
    wanted = "present" if unique else "absent"
    check = next((check for check in base.checks.values() if _is_about_identity(check, wanted)), None)
    servers: dict[str, list[str]] = {}
    for title, judged in hosts.items():
        seen = {mount.server for mount in judged.mounts if mount.in_effect and {*SESSIONS}.intersection(mount.options)}
        for server in seen:
            servers.setdefault(server, []).append(title)
    for server, titles in sorted(servers.items()):
        if check is None or len(titles) < 2:
            continue
        first, *others = sorted(titles)
        words = {"client": first, "other": others[0], "node": node, "server": server}
        yield _finding(check, f"{node} at {server}", words, (first, *others))


def _export_disagreements(
    base: RuleBase, members: Mapping[str, Sequence[str]], classes: Mapping[str, JudgedClass],
) -> Iterator[FleetFinding]:
    """Settings in which the hosts that mount one export differ. `members`: digest → hosts of the class.

    Exports of one server on which the same hosts differ in the same way are one finding."""
    checks = [(check, check.sides) for check in base.checks.values()
              if check.sides is not None and check.sides.of == "export"]
    seen: dict[tuple[str, str, str], dict[Value, list[str]]] = {}
    for digest in members:
        for mount in classes[digest].mounts:
            for name, value in mount.compared:
                there = seen.setdefault((mount.server.lower(), mount.export, name), {})
                there.setdefault(value, []).append(digest)
    alike: dict[tuple[str, str, tuple[tuple[Value, tuple[str, ...]], ...]], list[str]] = {}
    for (server, export, name), digests in seen.items():
        if len(digests) > 1:
            key = tuple(sorted(((value, (*dict.fromkeys(several),)) for value, several in digests.items()), key=repr))
            alike.setdefault((server, name, key), []).append(export)
    for (server, name, digests_by_value), exports in alike.items():
        hosts = {value: [host for digest in several for host in members[digest]] for value, several in digests_by_value}
        for disagreement in disagreements(base.tunables[name], hosts):
            words = disagreement.words(base, server, sorted(exports))
            for check, wanted in checks:
                if any(name_matches(name, pattern) for pattern in wanted.differ):
                    yield _finding(check, words["exports"], words, disagreement.few)


def _overloads(
    base: RuleBase, hosts: Mapping[str, ExaminedHost], members: Mapping[str, Sequence[str]],
    classes: Mapping[str, JudgedClass],
) -> Iterator[FleetFinding]:
    """Servers of the fleet, and all connections that its hosts have to them."""
    checks = [(check, check.sides) for check in base.checks.values()
              if check.sides is not None and check.sides.of == "load"]
    servers = _Servers({title: host for title, host in hosts.items() if classes[host.digest].threads is not None})
    clients: dict[str, int] = {}
    total: dict[str, int] = {}
    for digest, titles in members.items():
        most: dict[str, int] = {}
        for name, connections in classes[digest].connections:
            server = servers.named(name)
            if server is not None:
                most[server] = max(most.get(server, 0), connections)
        for server, connections in most.items():
            others = len(titles) - (server in titles)  # a server that mounts from itself is no client of it
            clients[server] = clients.get(server, 0) + others
            total[server] = total.get(server, 0) + others * connections
    for server, many in sorted(clients.items()):
        threads = classes[hosts[server].digest].threads
        if threads is None or not many:
            continue
        compared, words = load(threads, total[server], many, server)
        for check, wanted in checks:
            figures = figures_of(check, wanted, compared)
            if figures is not None and check.check in classes[hosts[server].digest].loads:
                yield _finding(check, server, {**words, **figures}, (server,))


class _Servers:
    """Servers by the names and addresses under which they are mounted."""

    def __init__(self, hosts: Mapping[str, ExaminedHost]) -> None:
        self.known: dict[str, list[str]] = {}
        """The first part of a name, or an address → titles."""
        self.hosts = hosts
        for title, host in hosts.items():
            for key in (host.host.lower().partition(".")[0], *host.addresses):
                self.known.setdefault(key, []).append(title)

    def named(self, server: str) -> str | None:
        """The title of the host with this name or address; None if there is none, or several."""
        if parse_address(server) is not None:
            candidates = self.known.get(server, [])
        else:
            titles = self.known.get(server.partition(".")[0], [])
            candidates = [title for title in titles if same_host(server, self.hosts[title].host)]
        return candidates[0] if len(candidates) == 1 else None


def _finding(check: Check, about: str, words: Mapping[str, str], hosts: tuple[str, ...]) -> FleetFinding:
    return FleetFinding(
        check.check, SEVERITY_OF[check.strength], about, fill(check.message, words), fill(check.why, words),
        fill(check.remedy, words), hosts, tuple(check.cites),
    )


def _is_about_identity(check: Check, unique: str) -> bool:
    on = check.sides.on if check.sides is not None and check.sides.of == "clients" else {}
    return on.get("sides.identity") == "same" and on.get("sides.unique") == unique


def _node_disagreements(
    base: RuleBase, hosts: Mapping[str, ExaminedHost], known: Mapping[str, Values]
) -> Iterator[FleetFinding]:
    """Settings that differ between the nodes of one server, which set one scope. `hosts`: title → host; `known`:
    facts."""
    clusters: dict[str, list[ComparedHost]] = {}
    for title in sorted(title for title, host in hosts.items() if host.node):
        tree = BundleTree(title, deserialize(hosts[title].node), dict(base.layouts))
        node = ComparedHost(base, tree, title, (), known)
        scope = node.settings.get(SCOPE)
        if scope is not None:
            clusters.setdefault(str(scope.value), []).append(node)
    for scope_name, several in clusters.items():
        for pair in _pairs(several):
            yield from _compare_nodes(base, scope_name, pair)


def _pairs(nodes: Iterable[ComparedHost]) -> Iterator[tuple[ComparedHost, ComparedHost]]:
    """Each node with the first one of its server, so there are no more pairs than nodes.

    Unrelated servers may share a scope through copies of one nfs.conf. So two are nodes if they have an exported path
    in common; one without exports, as an idle node is, belongs to the only server with that scope."""
    first_of: dict[str, ComparedHost] = {}
    firsts: list[ComparedHost] = []
    idle: list[ComparedHost] = []
    for node in nodes:
        paths = [export.path for export in node.exports.all]
        first = next((first_of[path] for path in paths if path in first_of), None)
        if first is not None:
            yield first, node
        elif paths:
            firsts.append(node)
        else:
            idle.append(node)
        first_of.update((path, first or node) for path in paths if path not in first_of)
    if len(firsts) < 2:
        first, *others = [*firsts, *idle]
        yield from ((first, other) for other in others)


def _compare_nodes(base: RuleBase, scope: str, pair: Sequence[ComparedHost]) -> Iterator[FleetFinding]:
    hosts = tuple(sorted(node.title for node in pair))
    for results in compare(base, pair, ()).results.values():
        for finding in (finding for result in results for finding in result.findings):
            yield FleetFinding(
                finding.rule, finding.severity, f"scope {scope}", finding.message, finding.why, finding.remedy, hosts,
                finding.cites,
            )

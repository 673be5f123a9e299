"""Clients compared with their servers, and servers with each other: `advisor check --server … --client …`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.host import AREAS
from advisor.check.sides import cluster_nodes
from advisor.check.sides.client_and_server import differences, one_sided_mapping, user_problems
from advisor.check.sides.clients_of_server import (
    THREADS,
    connections,
    disagreements_by_export,
    has_session,
    identity,
    load,
    threads_of,
)
from advisor.check.sides.findings import ComparedValues, FindingPlace, FindingsByFile
from advisor.check.sides.mount_outcomes import MountOutcomes, is_mount_of, outcomes_of

if TYPE_CHECKING:
    from advisor.check.sides.compared_host import ClientMount, ComparedHost
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase

SLOTS = "module.nfs.max_session_slots"


class ComparedHosts(NamedTuple):
    """`results`: by area. `matched`: mounts and their servers; `fine`: mounts without a finding; `elsewhere`: those of
    other servers; `unclear`: (mount, why it was not judged)."""

    results: dict[str, list[Result]]
    matched: list[MountOutcomes]
    fine: list[str]
    elsewhere: list[ClientMount]
    unclear: list[tuple[str, str]]


def compare(base: RuleBase, servers: Sequence[ComparedHost], clients: Sequence[ComparedHost]) -> ComparedHosts:
    """Compare clients with their servers, and servers with each other."""
    done = ComparedHosts({}, [], [], [], [])
    findings = FindingsByFile(base)
    for client in clients:
        for mount in client.mounts:
            _mount(findings, done, mount, servers)
    for server in servers:
        _clients_of(findings, server, [mount for mount in done.matched if mount.server is server])
    for one, other in combinations(servers, 2):
        cluster_nodes.compare(findings, one, other)
    return done._replace(results=findings.by_area([*AREAS]))


def _mount(findings: FindingsByFile, done: ComparedHosts, mount: ClientMount, servers: Sequence[ComparedHost]) -> None:
    place = f"{mount.file}:{mount.entry.line_no} {mount.words}"
    answers = [(server, is_mount_of(mount, server)) for server in servers]
    certain = [server for server, answer in answers if answer]
    if not certain and any(answer is None for _, answer in answers):
        done.unclear.append((place, f"nothing shows whether {mount.source.host} is this server"))
    elif not certain:
        done.elsewhere.append(mount)
    for server in certain:
        outcomes = outcomes_of(mount, server)
        done.matched.append(outcomes)
        if outcomes.unclear:
            done.unclear.append((place, outcomes.unclear))
        elif not findings.add_mount(outcomes):
            if len({outcome.reply for outcome in outcomes.outcomes}) == 1:
                done.fine.append(place)
            else:
                done.unclear.append((place, _why_uncertain(outcomes)))


def _why_uncertain(mount: MountOutcomes) -> str:
    words = mount.outcomes[0].words
    if not words["address"]:
        return f"the address of {words['client']} is not known, and the export is not for all hosts"
    used = {outcome.words["address"]: None for outcome in mount.outcomes}
    if len(used) > 1:
        return f"nothing shows which of its addresses {words['client']} uses: {', '.join(used)}"
    return f"nothing shows whether {words['address']} is one of {words.get('clients', 'the clients')}"


def _clients_of(findings: FindingsByFile, server: ComparedHost, mounts: Sequence[MountOutcomes]) -> None:
    """Compare the clients of one server with it as hosts, and with each other."""
    by_client: dict[ComparedHost, list[MountOutcomes]] = {}
    for mount in mounts:
        by_client.setdefault(mount.mount.client, []).append(mount)
    for client, own in by_client.items():
        _client_and_server(findings, client, server, own)
    for (one, its), (other, others) in combinations(by_client.items(), 2):
        _identities(findings, server, (one, its), (other, others))
    for export, disagreement, shown in disagreements_by_export(findings.base, [mount.mount for mount in mounts]):
        findings.add_disagreement(disagreement, server.title, export, _at_source(shown))
    threads, file = threads_of(server), server.settings.get(THREADS)
    if threads is not None and file is not None:
        total = sum(max(connections(mount.mount) for mount in own) for own in by_client.values())  # mounts share them
        place = FindingPlace(server, file.file, file.span)
        findings.add("load", load(threads, total, len(by_client), server.title), place, server.as_server)


def _client_and_server(
    findings: FindingsByFile, client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> None:
    for difference in differences(client, server, mounts):
        findings.add_difference("hosts", client, server, difference)
    for problem in user_problems(client, server, mounts):
        place = _at_source(problem.mount.mount)
        findings.add("hosts", ComparedValues({"sides.users": problem.kind}, problem.words), place)
    slots = client.settings.get(SLOTS)
    titles = {"client": client.title, "server": server.title}
    if slots is not None and slots.number is not None and any(map(has_session, mounts)):
        compared = ComparedValues({SLOTS: slots.number}, {"slots": str(slots.value), **titles})
        findings.add("hosts", compared, FindingPlace(client, slots.file, slots.span), server.as_server)
    mapping = one_sided_mapping(client, server, mounts)
    if mapping is not None:
        where, setting = mapping
        place = FindingPlace(client if where == "client" else server, setting.file, setting.span)
        findings.add("hosts", ComparedValues({"sides.mapping": where}, titles), place)


def _identities(
    findings: FindingsByFile, server: ComparedHost, *clients: tuple[ComparedHost, Sequence[MountOutcomes]]
) -> None:
    """Report two clients that the server takes for one."""
    (one, its), (other, others) = clients
    same = identity(one)
    if same is None or same != identity(other) or one.tree.root == other.tree.root:
        return
    first, second = (next((mount.mount for mount in mounts if has_session(mount)), None) for mounts in (its, others))
    if first is not None and second is not None:
        words = {
            "node": other.node, "server": server.title, "client": other.title, "other": one.title,
            "place": f"{first.file}:{first.entry.line_no}",
        }
        compared = ComparedValues({"sides.identity": "same", "sides.unique": same.unique or None}, words)
        findings.add("clients", compared, _at_source(second))


def _at_source(mount: ClientMount) -> FindingPlace:
    return FindingPlace(mount.client, mount.file, mount.entry.source.span)

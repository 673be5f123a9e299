"""All that is found between hosts, in the words of the checks that speak of it (`sides` in rules/checks)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.judged import AREAS
from advisor.check.sides import hosts, nodes, one_export, users
from advisor.check.sides.meet import Meeting, belongs, meet
from advisor.check.sides.tell import Found, Spot, Telling

if TYPE_CHECKING:
    from advisor.check.sides.side import ClientMount, Side
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value

THREADS, SLOTS = "nfs.conf.nfsd.threads", "module.nfs.max_session_slots"


class Compared(NamedTuple):
    """`results`: by area. `matched`: mounts and their servers; `fine`: mounts of which nothing is told; `elsewhere`: of
    other servers; `unclear`: (mount, why it was not judged)."""

    results: dict[str, list[Result]]
    matched: list[Meeting]
    fine: list[str]
    elsewhere: list[ClientMount]
    unclear: list[tuple[str, str]]


def compare(base: RuleBase, servers: Sequence[Side], clients: Sequence[Side]) -> Compared:
    """Hold clients against their servers, and servers against one another."""
    done = Compared({area: [] for area in AREAS}, [], [], [], [])
    telling = Telling(base)
    for client in clients:
        for mount in client.mounts:
            _mount(telling, done, mount, servers)
    for server in servers:
        _clients_of(telling, server, [one for one in done.matched if one.server is server])
    for one, other in combinations(servers, 2):
        nodes.compare(telling, one, other)
    telling.sorted_into(done.results)
    return done


def _mount(telling: Telling, done: Compared, mount: ClientMount, servers: Sequence[Side]) -> None:
    place = f"{mount.file}:{mount.entry.line_no} {mount.words}"
    hits = [(server, belongs(mount, server)) for server in servers]
    certain = [server for server, hit in hits if hit]
    if not certain and any(hit is None for _, hit in hits):
        done.unclear.append((place, f"nothing shows whether {mount.source.host} is this server"))
    elif not certain:
        done.elsewhere.append(mount)
    for server in certain:
        meeting = meet(mount, server)
        done.matched.append(meeting)
        if meeting.unclear:
            done.unclear.append((place, meeting.unclear))
        elif not telling.meeting(meeting):
            if len({way.reply for way in meeting.ways}) == 1:
                done.fine.append(place)
            else:
                done.unclear.append((place, _why_open(meeting)))


def _why_open(meeting: Meeting) -> str:
    words = meeting.ways[0].words
    if not words["address"]:
        return f"the address of {words['client']} is not known, and the export is not for everybody"
    used = {way.words["address"]: None for way in meeting.ways}
    if len(used) > 1:
        return f"nothing shows which of its addresses {words['client']} uses: {', '.join(used)}"
    return f"nothing shows whether {words['address']} is one of {words.get('clients', 'the clients')}"


def _clients_of(telling: Telling, server: Side, mine: Sequence[Meeting]) -> None:
    """What clients of one server have to do with it as hosts, and with one another."""
    met = [*dict.fromkeys(one.mount.client for one in mine)]
    for client in met:
        _pair(telling, client, server, [one for one in mine if one.mount.client is client])
    for one, other in combinations(met, 2):
        _twins(telling, server, (one, other), mine)
    _exports_of(telling, server, mine)
    _load(telling, server, mine, len(met))


def _pair(telling: Telling, client: Side, server: Side, mine: Sequence[Meeting]) -> None:
    for differing in hosts.pair(client, server, mine):
        telling.differing("hosts", client, server, differing)
    for how, words, meeting in users.compare(client, server, mine):
        mount = meeting.mount
        telling.found("hosts", {"sides.users": how}, words, Spot(client, mount.file, mount.entry.source.span))
    put = client.settings.get(SLOTS)
    if put is not None and str(put.value).isdigit() and any(hosts.has_session(one) for one in mine):
        words = {"slots": str(put.value), "client": client.title, "server": server.title}
        slots = {SLOTS: int(str(put.value))}
        telling.found("hosts", slots, words, Spot(client, put.file, put.span), server.as_server)
    found = hosts.mapping(client, server, mine)
    if found is not None:
        side, put = found
        words = {"client": client.title, "server": server.title}
        at = client if side == "client" else server
        telling.found("hosts", {"sides.mapping": side}, words, Spot(at, put.file, put.span))


def _twins(telling: Telling, server: Side, sides: tuple[Side, Side], mine: Sequence[Meeting]) -> None:
    """Two clients that call themselves alike."""
    one, other = sides
    name = hosts.identity(one)
    if name is None or name != hosts.identity(other) or one.tree.root == other.tree.root:
        return
    first, second = (
        next((met.mount for met in mine if met.mount.client is side and hosts.has_session(met)), None) for side in sides
    )
    if first is None or second is None:
        return
    words = {
        "node": other.node, "server": server.title, "client": other.title, "other": one.title,
        "place": f"{first.file}:{first.entry.line_no}",
    }
    found = {"sides.identity": "same", "sides.unique": name[0] or None}
    telling.found("clients", found, words, Spot(other, second.file, second.entry.source.span))


def _exports_of(telling: Telling, server: Side, mine: Sequence[Meeting]) -> None:
    """On what the clients of each export do not agree."""
    names = one_export.compared(telling.base)
    found: dict[tuple[str, str], dict[Value, dict[str, ClientMount]]] = {}
    for mount in (one.mount for one in mine):
        for name, value in one_export.in_effect(telling.base, mount, names).items():
            there = found.setdefault((mount.source.export, name), {})
            there.setdefault(value, {}).setdefault(mount.client.title, mount)
    for (export, name), mounts in found.items():
        for one in one_export.disagreements(telling.base.tunables[name], mounts):
            mount = mounts[one.value][one.few[0]]
            spot = Spot(mount.client, mount.file, mount.entry.source.span)
            telling.disagreeing(one, server.title, export, spot)


def _load(telling: Telling, server: Side, mine: Sequence[Meeting], clients: int) -> None:
    """The connections of all clients that were named, beside the threads that answer them."""
    put = server.settings.get(THREADS)
    threads = threads_of(server)
    if put is None or threads is None:
        return
    most: dict[Side, int] = {}
    for one in mine:  # mounts of one client share its connections
        client = one.mount.client
        most[client] = max(most.get(client, 0), hosts.connections(one.mount))
    found, words = load(threads, sum(most.values()), clients, server.title)
    telling.found("load", found, words, Spot(server, put.file, put.span), server.as_server)


def threads_of(server: Side) -> int | None:
    """The threads of a server; None where they are not known, or left to the kernel."""
    put = server.settings.get(THREADS)
    return int(str(put.value)) if put is not None and str(put.value).isdigit() else None


def load(threads: int, connections: int, clients: int, server: str) -> tuple[Found, dict[str, str]]:
    """What a check of `load` looks at, and the words for it."""
    have = "1 client has" if clients == 1 else f"{clients:,} clients have"
    words = {"threads": str(threads), "connections": f"{connections:,}", "clients": have, "server": server}
    return {"sides.connections": connections, THREADS: threads}, words

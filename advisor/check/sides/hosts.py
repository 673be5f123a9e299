"""Two hosts as a whole: a client and its server, and two clients of one server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides import addresses, names
from advisor.check.sides.meet import client_addresses
from advisor.check.sides.side import Put
from advisor.host import Unread, routes

if TYPE_CHECKING:
    from advisor.check.sides.meet import Meeting
    from advisor.check.sides.side import ClientMount, Side

DOMAIN, UNIQUE, MTU = "idmapd.conf.General.Domain", "module.nfs.nfs4_unique_id", "network.mtu"
IDENTIFIER = "/sys/fs/nfs/net/nfs_client/identifier"
_MAPPING = ("module.nfs.nfs4_disable_idmapping", "module.nfsd.nfs4_disable_idmapping")


class Differing(NamedTuple):
    """A setting that two hosts have in different values. `one`: of the host at which it is told."""

    tunable: str
    one: Put
    other: Put


def domain(side: Side) -> Put | None:
    """The NFSv4 domain: the one that is set, else the domain of the host's full name; None if unknown."""
    put = side.settings.get(DOMAIN)
    if put is not None:
        return put._replace(value=str(put.value).lower())
    for name in (side.node, *side.hosts.of_node(side.node)):
        if "." in name and not name.lower().startswith("localhost"):
            put = side.put(name, names.KEPT if name == side.node else names.HOSTS)
            return put._replace(value=name.partition(".")[2].lower().rstrip("."))
    return None


def mtu(side: Side, towards: Iterable[addresses.Address]) -> Put | None:
    """The MTU of the interface that leads to these addresses; None where it is not known, or there are several."""
    found = {}
    for one in towards:
        try:
            path = f"/sys/class/net/{routes.interface(side.tree, [one.text])[0]}/mtu"
            found[path] = side.tree.text(path).strip()
        except Unread:
            return None
    if len(set(found.values())) != 1:
        return None
    (path, value), *_ = found.items()
    return side.put(value, path)


def sends_names(client: Side, server: Side, meetings: Sequence[Meeting]) -> bool:
    """Whether owners certainly cross the wire as names: with Kerberos, or where one side does not take numbers."""
    if any(str(one.settings[name].value) in ("N", "0") for one, name in zip((client, server), _MAPPING)
           if name in one.settings):
        return True
    return any(
        meeting.ways and all(str(way.words["flavour"]).startswith("krb5") for way in meeting.ways)
        for meeting in meetings
    )


def pair(client: Side, server: Side, meetings: Sequence[Meeting]) -> Iterator[Differing]:
    """What differs between a client and its server."""
    fours = any(meeting.ways and all(way.words["vers"] != "3" for way in meeting.ways) for meeting in meetings)
    one, other = domain(client), domain(server)
    if fours and one is not None and other is not None and sends_names(client, server, meetings):
        yield from differing(DOMAIN, one, other)
    there = [one.address for one in server.addresses or ()]
    here = {address for meeting in meetings for address in client_addresses(meeting.mount, server)}
    one, other = mtu(client, _used(meetings) or there[:1]), mtu(server, here)
    if there and here and one is not None and other is not None:
        yield from differing(MTU, one, other)


def _used(meetings: Sequence[Meeting]) -> list[addresses.Address]:
    found = (addresses.parse(meeting.mount.now.get("addr", "")) for meeting in meetings)
    return [one for one in found if one is not None]


def mapping(client: Side, server: Side, meetings: Sequence[Meeting]) -> tuple[str, Put] | None:
    """Which side alone maps names where both talk AUTH_SYS (`client` or `server`), and where it says so. The default is
    numbers, on both sides."""
    put, its = (side.settings.get(name) for side, name in zip((client, server), _MAPPING))
    names, server_names = (one is not None and str(one.value) in ("N", "0") for one in (put, its))
    other = server if names else client
    fours = any(
        meeting.ways and all(way.words["vers"] != "3" and way.words["flavour"] == "sys" for way in meeting.ways)
        for meeting in meetings
    )
    if names == server_names or not fours or not (other.seen("modprobe") or (its if names else put) is not None):
        return None
    return ("client", put) if names and put is not None else ("server", its) if its is not None else None


def differing(tunable: str, one: Put, other: Put) -> Iterator[Differing]:
    """The difference between two values, if there is one."""
    if str(one.value) != str(other.value):
        yield Differing(tunable, one, other)


def identity(side: Side) -> tuple[str, str] | None:
    """What the client calls itself to NFSv4 servers: its string of its own, and its host name. None where either is not
    known."""
    try:
        identifier = side.tree.text(IDENTIFIER).strip()
    except Unread:
        identifier = ""
    if not identifier or identifier == "(null)":
        put = side.settings.get(UNIQUE)
        if put is None and not side.seen("modprobe"):
            return None
        identifier = str(put.value) if put is not None else ""
    return (identifier, side.node) if side.node else None


def has_session(meeting: Meeting) -> bool:
    """Whether a mount certainly is of NFSv4.1 or later, where its name alone tells a client apart."""
    return bool(meeting.ways) and all(way.words["vers"] in ("4.1", "4.2") for way in meeting.ways)


def connections(mount: ClientMount) -> int:
    """How many a mount has, or asks for."""
    written = mount.settings.get("mount.nconnect")
    value = mount.now.get("nconnect") or ("1" if written is None or mount.now else str(written.value))
    return int(value) if value.isdigit() else 1

"""A mount of a client beside what its server makes of it, in every way that things may be.

What is not known (which of its addresses the client uses, who is in a netgroup, which version both settle on) is tried
either way. What a check says holds whichever of these is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides import addresses, names
from advisor.check.sides.courses import Course, Courses, has_keytab, offers
from advisor.check.sides.exports import around, plain
from advisor.check.sides.paths import Reply
from advisor.lint.compare import matches
from advisor.options.reading import Setting

if TYPE_CHECKING:
    from advisor.check.sides.addresses import Address
    from advisor.check.sides.ganesha import GaneshaServed
    from advisor.check.sides.paths import Served
    from advisor.check.sides.side import ClientMount, Side

MOST = 6
"""Addresses of a client, and clients of exports of which it is not known whether they are this one; with more of either
nothing is said."""
_KERBEROS = ("krb5", "krb5i", "krb5p")
_WORKING = ("mounted", "pseudo", "covered")
"""Replies with which mount.nfs is content."""


class Meeting(NamedTuple):
    """A mount and the server that it belongs to. `unclear`: why nothing certain follows; "" where `ways` tell."""

    mount: ClientMount
    server: Side
    ways: Sequence[Course]
    unclear: str


def belongs(mount: ClientMount, server: Side) -> bool | None:
    """Whether a mount is one of this server; None where that cannot be told."""
    host = mount.source.host
    own = [one.address[:2] for one in server.addresses or ()]
    used = addresses.parse(mount.now.get("addr", ""))
    if used is not None and own:
        return used[:2] in own or any(names.same(host, one) for one in server.called)
    address = addresses.parse(host)
    if any(host == one for one in server.called):
        return True
    if address is not None:
        return address[:2] in own if own else None
    resolved = [one for one in mount.client.hosts.at(host) if not addresses.is_loopback(one)]
    if resolved and own and not any(names.same(host, one) for one in server.called):
        return any(one[:2] in own for one in resolved)
    # Only a name server knows the other names of a host.
    return True if any(names.same(host, one) for one in server.names) else None


def meet(mount: ClientMount, server: Side) -> Meeting:
    """All that follows for a mount of this server."""
    if not server.serves:
        return Meeting(mount, server, (), f"the exports of {server.title} are not known")
    if server.exports.unclear:
        return Meeting(mount, server, (), f"the exports of {server.title} have placeholders")
    if not server.exports.made:
        nothing = Courses(mount, server, None).of("", Reply("not-exported", mount.source.export))
        return Meeting(mount, server, (nothing,), "")
    used = client_addresses(mount, server)
    if len(used) > MOST:
        return Meeting(mount, server, (), f"nothing shows which of its {len(used)} addresses the client uses")
    ways = []
    for address in used or (None,):
        views = _views(mount, server, address)
        if views is None:
            return Meeting(mount, server, (), "nothing shows who the clients of many exports are")
        for served in views:
            ways += [*_settled(Courses(mount, server, address), served)]
    if mount.now and any(way.reply not in _WORKING for way in ways):
        return Meeting(mount, server, (), "it is mounted, though the exports that were read do not allow it")
    return Meeting(mount, server, ways, "" if ways else "two exports are the root of NFSv4")


def client_addresses(mount: ClientMount, server: Side) -> tuple[Address, ...]:
    """The addresses from which the client may speak to the server; none where they are not known."""
    now = addresses.parse(mount.now.get("clientaddr", ""))
    if now is not None and now.number and not addresses.is_loopback(now):
        return (now,)
    own = mount.client.addresses
    if own is None:
        return ()
    used = addresses.parse(mount.now.get("addr", "")) or addresses.parse(mount.source.host)
    there = [used] if used is not None else mount.client.hosts.at(mount.source.host)
    if mount.client is server:
        return tuple(there)
    return addresses.sources(mount.client.tree, own, there or [one.address for one in server.addresses or ()]) or tuple(
        one.address for one in own
    )


def _views(mount: ClientMount, server: Side, address: Address | None) -> Sequence[Served | GaneshaServed] | None:
    """The server's exports as the client sees them, in each way that clients may or may not be this one. None where
    there are too many ways."""
    permissions, exports = server.admitted(address), server.exports
    path = plain(mount.source.export)
    near = [*exports.roots]
    for root in dict.fromkeys(("/", *(one.path for one in exports.roots))):
        target = plain(f"{root}/{path}")
        near += exports.inside.get(target, ())
        for folder in around(target):
            near += exports.of.get(folder, ())
    unknown = [client for client in dict.fromkeys(one.client for one in near) if permissions[client] is None]
    if len(unknown) > MOST:
        return None
    return [
        server.served(address, dict(zip(unknown, answers))) for answers in product((True, False), repeat=len(unknown))
    ]


def _settled(ways: Courses, served: Served | GaneshaServed) -> Iterator[Course]:
    """What comes of the version that both may settle on. Where the server turns NFSv4 away, mount.nfs tries NFSv3."""
    path, tried = ways.mount.source.export, _tried(ways.mount)
    offered = [one for one in tried if offers(ways.server, one) is not False]
    if not offered:
        for reply in served.v4(path)[:1] if tried[0].startswith("4") else [served.v3(path)]:
            yield ways.of(tried[0], Reply("no-version", reply.path, reply.export))
        return
    third = [*_flavoured(ways, "3", served.v3(path))] if "3" in offered else []
    if offered[0] == "3":
        yield from third
        return
    for reply in served.v4(path):
        for way in _flavoured(ways, offered[0], reply):
            later = [] if _works(way) else [one for one in third if _works(one)]
            for one in later or [way]:
                yield one if one is way else _instead(one, way.reply)


def _instead(way: Course, why: str) -> Course:
    """The way that NFSv3 takes because NFSv4 was turned away."""
    return way._replace(settings={**way.settings, "sides.instead": Setting(why, "", 0, 0, why)})


def _works(way: Course) -> bool:
    """Whether mount.nfs is content with what the server makes of the path, and of the mount's port and flavour."""
    if way.reply != "mounted":
        return way.reply in _WORKING
    flavour, has = way.words["flavour"], {name: found.value for name, found in way.settings.items()}
    if not flavour or (flavour in _KERBEROS and has.get("sides.keytab") is False):
        return False
    return not (flavour == "sys" and has.get("mount.noresvport") is True and has.get("exports.insecure") is False)


def _tried(mount: ClientMount) -> list[str]:
    """The versions that the client tries, the first one first."""
    now = mount.now.get("vers")
    if now:
        return [now]
    written = mount.settings.get("mount.vers")
    value = None if written is None else str(written.value)
    tunable = mount.client.base.tunables["mount.vers"]
    kind = Setting(mount.entry.fstype.value, "fstype", 0, 0, "")
    beside = {**mount.settings, "fstab.type": kind}
    for one in tunable.tries:
        if all(matches(pattern, beside.get(name)) for name, pattern in one.together.items()):
            return [str(each) for each in one.values]
    return [value] if value else ["4.2", "4.1", "4.0"]


def _flavoured(ways: Courses, version: str, reply: Reply) -> Iterator[Course]:
    """The ways that differ in the security flavour that both settle on."""
    export, mount = reply.export, ways.mount
    if reply.how != "mounted" or export is None:
        yield ways.of(version, reply)
        return
    taken = [*export.flavours]
    written = mount.now.get("sec") or (str(mount.settings["mount.sec"].value) if "mount.sec" in mount.settings else "")
    asked = [one for one in written.split(":") if one]
    both = [one for one in asked if one in taken] if asked else taken
    if "none" in taken:
        both = both or ["none"]
    if not asked and "sys" in taken and not has_keytab(mount.client):
        both = ["sys"]
    for flavour in both or [""]:
        yield ways.of(version, reply, flavour)

"""The network of a host, as its files or a report of it show it: its names and addresses, and the interface that
carries the traffic to the storage, by the kernel's routing tables. No network is asked."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from advisor.files.source import Address, HostsFile, parse_address
from advisor.host.tree import Tree, Unread
from advisor.regex import regex

IPV4_LOCAL, IPV6_LOCAL, IP_ADDR = "/proc/net/fib_trie", "/proc/net/if_inet6", "/ip-addr"
"""Layouts of reports give the output of `ip addr` the last path."""
IPV4, IPV6 = "/proc/net/route", "/proc/net/ipv6_route"
_TABLES = {4: IPV4, 6: IPV6}
_UP, _REJECT = 0x1, 0x200
HOSTS, NODE_NAME, HOSTNAME = "/etc/hosts", "/proc/sys/kernel/hostname", "/etc/hostname"
NSSWITCH = "/etc/nsswitch.conf"
LOCAL = {"files", "compat", "systemd", "altfiles"}
"""Sources of users that hold none but this host's own."""
_TRIE_ENTRY = regex(r" *\|-- ([0-9.]+)")
_INTERFACE = regex(r"[0-9]+: ([^ :@]+)")
_INET = regex(r"\binet6? ([0-9A-Fa-f.:]+)(?:/([0-9]+))?")


class Route(NamedTuple):
    """`network` and `mask`: numbers of 32 or 128 bits. `fields`: of its line."""

    interface: str
    network: int
    mask: int
    metric: int
    fields: tuple[str, ...]


class LocalAddress(NamedTuple):
    """An address of a host. `interface`: "" if nothing shows it."""

    address: Address
    interface: str


def hosts_file(tree: Tree) -> HostsFile:
    """The host's own hosts file; an empty one if it cannot be read."""
    return HostsFile(tree.optional_text(HOSTS))


def node_name(tree: Tree) -> str:
    """The name that the host has for itself; "" if nothing shows it."""
    for path in (NODE_NAME, HOSTNAME):
        lines = (line.strip() for line in tree.optional_text(path).split("\n"))
        name = next((line for line in lines if line and not line.startswith("#")), "")
        if name:
            return name
    return ""


def sources_of(tree: Tree, database: str) -> set[str]:
    """Where a host looks up `passwd` or `group`, without actions in brackets; empty if that is not known."""
    try:
        lines = tree.text(NSSWITCH).split("\n")
    except Unread:
        return set()
    named = (line.partition("#")[0].partition(":") for line in lines)
    sources = next((sources for name, _, sources in named if name.strip() == database), "files")
    return {source for source in sources.split() if not source.startswith("[")}


def own_names(tree: Tree, hosts: HostsFile, addresses: Iterable[Address]) -> list[str]:
    """All names that are certainly the host's, in lower case."""
    node = node_name(tree)
    names = [node] if node else []
    for address in addresses:
        names += [] if address.is_loopback else hosts.names(address)
    for address in hosts.addresses(node):
        if address.is_loopback:  # as Debian writes it: 127.0.1.1 host.domain host
            names += hosts.names(address)
    kept = (name.lower().rstrip(".") for name in names if not name.lower().startswith("localhost"))
    return list(dict.fromkeys(kept))


def local_addresses(tree: Tree) -> tuple[LocalAddress, ...] | None:
    """The addresses by which others reach the host; None if nothing shows them."""
    by_address: dict[Address, LocalAddress] = {}
    seen = False
    for path, read in ((IP_ADDR, _read_ip_addr), (IPV4_LOCAL, _read_fib_trie), (IPV6_LOCAL, _read_if_inet6)):
        try:
            text = tree.text(path)
        except Unread:
            continue
        seen = True
        for local in read(text):
            if not local.address.is_loopback and not (local.address.version == 6 and local.address.is_link_local):
                by_address.setdefault(local.address, local)
    return tuple(by_address.values()) if seen else None


def _read_ip_addr(text: str) -> Iterator[LocalAddress]:
    interface = ""
    for line in text.split("\n"):
        header, inet = _INTERFACE.match(line), _INET.search(line)
        interface = header[1] if header else interface
        address = parse_address(inet[1]) if inet else None
        if address is not None:
            yield LocalAddress(address, interface)


def _read_fib_trie(text: str) -> Iterator[LocalAddress]:
    at = ""
    for line in text.split("\n"):
        entry = _TRIE_ENTRY.match(line)
        if entry:
            at = entry[1]
        elif at and line.strip() == "/32 host LOCAL":
            address = parse_address(at)
            if address is not None:
                yield LocalAddress(address, "")


def _read_if_inet6(text: str) -> Iterator[LocalAddress]:
    for line in text.split("\n"):
        fields = line.split()
        if len(fields) == 6 and len(fields[0]) == 32:
            address = parse_address(":".join(fields[0][at : at + 4] for at in range(0, 32, 4)))
            if address is not None:
                yield LocalAddress(address, fields[5])


def source_addresses(tree: Tree, own: Iterable[LocalAddress], targets: Iterable[Address]) -> tuple[Address, ...]:
    """The addresses of its `own` from which a host may reach any of the targets: those of the interface that the
    route leads to, or all of that family where the routes do not show it."""
    own, sources = tuple(own), {}
    for target in targets:
        same_family = [local for local in own if local.address.version == target.version]
        interface = _interface_towards(tree, target)
        near = [
            local for local in same_family
            if interface and (local.interface or _interface_towards(tree, local.address)) == interface
        ]
        sources.update(dict.fromkeys(local.address for local in near or same_family))
    return tuple(sources)


def _interface_towards(tree: Tree, target: Address) -> str:
    try:
        return interface(tree, [str(target)])[0]
    except Unread:
        return ""


def interface(tree: Tree, addresses: Iterable[str]) -> tuple[str, str]:
    """(name, how it was found) of the interface towards all of these IP addresses, or with the default route where
    there is no address. Raises Unread when there is none, or not one for all."""
    families: dict[str, int] = {}
    for text in addresses:
        address = parse_address(text)
        route = None if address is None else _best(_routes_of(tree, address.version), int(address))
        if address is None or route is None:
            raise Unread(f"no route to {text} was found")
        families[route.interface] = address.version
    if len(families) > 1:
        raise Unread(f"the mounted servers are reached through several interfaces: {', '.join(sorted(families))}")
    for name, family in families.items():
        return name, f"the route to the mounted server in {_TABLES[family]}"
    for family, path in _TABLES.items():
        route = _best(_routes_of(tree, family), None)
        if route is not None:
            return route.interface, f"the default route in {path}"
    raise Unread("there is no default route")


def used_routes(text: str, family: int, addresses: Iterable[str]) -> str:
    """The routes of a table that `interface` would choose for these addresses, and the default route, without gateways
    and counters."""
    routes = [*_routes(text, family)]
    wanted = [None, *(int(to) for to in map(parse_address, addresses) if to is not None and to.version == family)]
    kept = dict.fromkeys(filter(None, (_best(routes, number) for number in wanted)))
    zero = {4: {2: "00000000", 4: "0", 5: "0"}, 6: {4: "0" * 32, 6: "00000000", 7: "00000000"}}[family]
    return "".join(" ".join(zero.get(at, field) for at, field in enumerate(route.fields)) + "\n" for route in kept)


def _best(routes: Iterable[Route], address: int | None) -> Route | None:
    """The route to an address; None for one stands for the default route."""
    fitting = [
        route for route in routes
        if (not route.mask if address is None else address & route.mask == route.network)
    ]
    return min(fitting, key=lambda route: (-route.mask, route.metric), default=None)


def _routes_of(tree: Tree, family: int) -> Iterator[Route]:
    return _routes(tree.optional_text(_TABLES[family]), family)


def _routes(text: str, family: int) -> Iterator[Route]:
    for line in text.split("\n"):
        fields = tuple(line.split())
        try:
            route = _ipv4(fields) if family == 4 else _ipv6(fields)
        except (ValueError, IndexError, OverflowError):
            continue
        if route is not None and route.interface != "lo" and "/" not in route.interface:
            yield route


def _ipv4(fields: tuple[str, ...]) -> Route | None:
    flags = int(fields[3], 16)
    if not flags & _UP or flags & _REJECT:
        return None
    # The kernel prints the bytes of an address, which are in network order, as one number of the machine.
    network, mask = (int.from_bytes(int(fields[at], 16).to_bytes(4, sys.byteorder), "big") for at in (1, 7))
    return Route(fields[0], network, mask, int(fields[6]), fields)


def _ipv6(fields: tuple[str, ...]) -> Route | None:
    flags, bits = int(fields[8], 16), int(fields[1], 16)
    if not flags & _UP or flags & _REJECT or bits > 128:
        return None
    mask = ((1 << bits) - 1) << (128 - bits)
    return Route(fields[9], int(fields[0], 16) & mask, mask, int(fields[5], 16), fields)

"""Which interface carries the traffic to the storage: the kernel's routing tables, read without asking the network."""

from __future__ import annotations

import sys

from advisor.host.tree import Tree, Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

IPV4, IPV6 = "/proc/net/route", "/proc/net/ipv6_route"
_UP, _REJECT = 0x1, 0x200


class Route:
    """`network` and `mask`: numbers of 32 or 128 bits."""

    __slots__ = ("interface", "mask", "metric", "network")

    def __init__(self, interface: str, network: int, mask: int, metric: int) -> None:
        self.interface, self.network, self.mask, self.metric = interface, network, mask, metric


def interface(tree: Tree, addresses: list[str]) -> tuple[str, str]:
    """(name, how it was found) of the interface towards all of these IP addresses, or with the default route where
    there is no address. Raises Unread when there is none, or not one for all."""
    if not addresses:
        for family, path in ((4, IPV4), (6, IPV6)):
            card = _best(_routes(tree, family), 0, default=True)
            if card:
                return card, f"the default route in {path}"
        raise Unread("there is no default route")
    names = {}
    for address in addresses:
        wanted = address_number(address)
        family = 6 if ":" in address else 4
        name = _best(_routes(tree, family), wanted) if wanted is not None else None
        if name is None:
            raise Unread(f"no route to {address} was found")
        names[name] = family
    if len(names) > 1:
        raise Unread(f"the mounted servers are reached through several interfaces: {', '.join(sorted(names))}")
    name, family = names.popitem()
    return name, f"the route to the mounted server in {IPV6 if family == 6 else IPV4}"


def used_routes(text: str, family: int, addresses: Iterable[str]) -> str:
    """The routes of a table that `interface` would choose for these addresses, and the default route, without gateways
    and counters."""
    routes = [(route, line.split()) for line in text.split("\n") if (route := _route(line, family)) is not None]
    kept: dict[int, list[str]] = {}
    for address in (None, *addresses):
        wanted = None if address is None else address_number(address)
        if address is not None and (wanted is None or (":" in address) != (family == 6)):
            continue
        fitting = [
            (route, fields) for route, fields in routes
            if (not route.mask if wanted is None else wanted & route.mask == route.network)
        ]
        if fitting:
            _, fields = min(fitting, key=lambda candidate: (-candidate[0].mask, candidate[0].metric))
            kept[id(fields)] = fields
    zero = {4: {2: "00000000", 4: "0", 5: "0"}, 6: {4: "0" * 32, 6: "00000000", 7: "00000000"}}[family]
    return "".join(
        " ".join(zero.get(at, field) for at, field in enumerate(fields)) + "\n" for fields in kept.values()
    )


def _best(routes: list[Route], address: int, default: bool = False) -> str | None:
    fitting = [r for r in routes if (not r.mask if default else address & r.mask == r.network)]
    best = min(fitting, key=lambda r: (-r.mask, r.metric), default=None)
    return best.interface if best is not None else None


def _routes(tree: Tree, family: int) -> list[Route]:
    try:
        lines = tree.text(IPV4 if family == 4 else IPV6).split("\n")
    except Unread:
        return []
    return [route for line in lines if (route := _route(line, family)) is not None]


def _route(line: str, family: int) -> Route | None:
    """The route of a line; None for one that cannot be used."""
    try:
        route = _ipv4(line.split()) if family == 4 else _ipv6(line.split())
    except (ValueError, IndexError, OverflowError):
        return None
    return None if route is None or route.interface == "lo" or "/" in route.interface else route


def _ipv4(fields: list[str]) -> Route | None:
    flags = int(fields[3], 16)
    if not flags & _UP or flags & _REJECT:
        return None
    # The kernel prints the bytes of an address, which are in network order, as one number of the machine.
    network, mask = (int.from_bytes(int(fields[at], 16).to_bytes(4, sys.byteorder), "big") for at in (1, 7))
    return Route(fields[0], network, mask, int(fields[6]))


def _ipv6(fields: list[str]) -> Route | None:
    flags, bits = int(fields[8], 16), int(fields[1], 16)
    if not flags & _UP or flags & _REJECT or bits > 128:
        return None
    mask = ((1 << bits) - 1) << (128 - bits)
    return Route(fields[9], int(fields[0], 16) & mask, mask, int(fields[5], 16))


def address_number(address: str) -> int | None:
    """Of 32 or 128 bits; None for text that is not an address."""
    import socket  # noqa: PLC0415  only where something is mounted

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return int.from_bytes(socket.inet_pton(family, address.partition("%")[0]), "big")
    except (OSError, ValueError):
        return None

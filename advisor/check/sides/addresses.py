"""Addresses: of a host, as its files or a report of it show them, and which of them it speaks to a server from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from advisor.host import Unread, routes

if TYPE_CHECKING:
    from advisor.host import Tree

IPV4_LOCAL, IPV6_LOCAL, LISTED = "/proc/net/fib_trie", "/proc/net/if_inet6", "/ip-addr"
"""The last one stands for what `ip addr` printed, where the layout of a report says that it is there."""
_QUAD = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_ENTRY = re.compile(r" *\|-- ([0-9.]+)")
_FACE = re.compile(r"[0-9]+: ([^ :@]+)")
_INET = re.compile(r"\binet6? ([0-9A-Fa-f.:]+)(?:/([0-9]+))?")


class Address(NamedTuple):
    """`family`: 4 or 6; `number`: of 32 or 128 bits."""

    family: int
    number: int
    text: str


class Local(NamedTuple):
    """An address of a host. `interface`: "" where nothing shows it."""

    address: Address
    interface: str


def parse(text: str) -> Address | None:
    """An address without prefix; an IPv4 address that is written as IPv6 is IPv4. None where it is none."""
    text = text.strip().partition("%")[0].lower()
    text = text[7:] if text.startswith("::ffff:") and "." in text else text
    if _QUAD.fullmatch(text):
        numbers = [int(one) for one in text.split(".")]
        if max(numbers) > 255:
            return None
        return Address(4, int.from_bytes(bytes(numbers), "big"), text)
    number = routes.number(text) if ":" in text else None
    return None if number is None else Address(6, number, text)


def is_loopback(one: Address) -> bool:
    """127.0.0.0/8 and ::1."""
    return one.number >> 24 == 127 if one.family == 4 else one.number == 1


def inside(one: Address, network: Address, mask: int) -> bool:
    """Whether an address agrees with another one in the bits of the mask."""
    return one.family == network.family and not (one.number ^ network.number) & mask


def local(tree: Tree) -> tuple[Local, ...] | None:
    """The addresses by which others reach the host; None where nothing shows them."""
    found: dict[Address, Local] = {}
    seen = False
    for path, read in ((LISTED, _listed), (IPV4_LOCAL, _trie), (IPV6_LOCAL, _inet6)):
        try:
            text = tree.text(path)
        except Unread:
            continue
        seen = True
        for one in read(text):
            if not is_loopback(one.address) and one.address.number >> 118 != 0x3FA:  # nor fe80::/10
                found.setdefault(one.address, one)
    return tuple(found.values()) if seen else None


def _listed(text: str) -> Iterator[Local]:
    interface = ""
    for line in text.split("\n"):
        face, inet = _FACE.match(line), _INET.search(line)
        interface = face[1] if face else interface
        address = parse(inet[1]) if inet else None
        if address is not None:
            yield Local(address, interface)


def _trie(text: str) -> Iterator[Local]:
    at = ""
    for line in text.split("\n"):
        entry = _ENTRY.match(line)
        if entry:
            at = entry[1]
        elif at and line.strip() == "/32 host LOCAL":
            address = parse(at)
            if address is not None:
                yield Local(address, "")


def _inet6(text: str) -> Iterator[Local]:
    for line in text.split("\n"):
        fields = line.split()
        if len(fields) == 6 and len(fields[0]) == 32:
            address = parse(":".join(fields[0][at : at + 4] for at in range(0, 32, 4)))
            if address is not None:
                yield Local(address, fields[5])


def sources(tree: Tree, own: Iterable[Local], towards: Iterable[Address]) -> tuple[Address, ...]:
    """Those of a host's own addresses from which it may speak to any of these. Those of the interface that the routes
    lead to; all of that family where they do not show it."""
    own, found = tuple(own), {}
    for target in towards:
        same = [one for one in own if one.address.family == target.family]
        face = _interface(tree, target)
        near = [one for one in same if face and (one.interface or _interface(tree, one.address)) == face]
        found.update(dict.fromkeys(one.address for one in near or same))
    return tuple(found)


def _interface(tree: Tree, target: Address) -> str:
    try:
        return routes.interface(tree, [target.text])[0]
    except Unread:
        return ""

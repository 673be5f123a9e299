"""Names of a host: its own, and those that its hosts file gives to addresses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.check.sides.addresses import Address, is_loopback, parse
from advisor.host import Unread

if TYPE_CHECKING:
    from advisor.host import Tree

HOSTS, NODE, KEPT = "/etc/hosts", "/proc/sys/kernel/hostname", "/etc/hostname"


class Hosts:
    """A hosts file: address → names as they stand, the canonical one first; name → addresses."""

    def __init__(self, text: str) -> None:
        self.names: dict[tuple[int, int], list[str]] = {}
        self.addresses: dict[str, list[Address]] = {}
        for line in text.split("\n"):
            fields = line.partition("#")[0].split()
            address = parse(fields[0]) if len(fields) > 1 else None
            if address is None:
                continue
            self.names.setdefault(address[:2], []).extend(fields[1:])
            for name in fields[1:]:
                self.addresses.setdefault(name.lower(), []).append(address)

    def of(self, address: Address) -> list[str]:
        """The names of an address."""
        return self.names.get(address[:2], [])

    def of_node(self, name: str) -> list[str]:
        """The names that stand beside this one."""
        return [other for address in self.at(name) for other in self.of(address)] if name else []

    def at(self, name: str) -> list[Address]:
        """The addresses of a name."""
        return self.addresses.get(name.lower().rstrip("."), [])


def hosts(tree: Tree) -> Hosts:
    """The hosts file of a host; without entries where it cannot be read."""
    return Hosts(_line(tree, HOSTS, whole=True))


def node(tree: Tree) -> str:
    """The name that the host has for itself; "" where nothing shows it."""
    return _line(tree, NODE) or _line(tree, KEPT)


def own(tree: Tree, known: Hosts, addresses: Iterable[Address]) -> list[str]:
    """All names that are certainly the host's."""
    name = node(tree)
    found = [name] if name else []
    for address in addresses:
        found += [] if is_loopback(address) else known.of(address)
    for address in known.at(name):
        if is_loopback(address):  # as Debian writes it: 127.0.1.1 host.domain host
            found += known.of(address)
    kept = (one.lower().rstrip(".") for one in found if not one.lower().startswith("localhost"))
    return list(dict.fromkeys(kept))


def same(one: str, other: str) -> bool:
    """Whether two names are those of one host: equal, or one of them lacks its domain."""
    one, other = one.lower().rstrip("."), other.lower().rstrip(".")
    if one == other or not one or not other:
        return one == other
    if "." in one and "." in other:
        return False
    return one.partition(".")[0] == other.partition(".")[0]


def _line(tree: Tree, path: str, whole: bool = False) -> str:
    try:
        text = tree.text(path)
    except Unread:
        return ""
    if whole:
        return text
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if line and not line.startswith("#")), "")

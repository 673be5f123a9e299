"""/etc/hosts: the names of addresses, and the addresses of names."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Union

Address = Union[IPv4Address, IPv6Address]


def parse(text: str) -> Address | None:
    """An address without prefix, scope or brackets; one that is written as ::ffff:192.0.2.1 is IPv4."""
    try:
        address = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


class HostsFile:
    """The entries of a hosts file; none if it cannot be read."""

    def __init__(self, text: str) -> None:
        self._names: dict[Address, list[str]] = {}
        self._addresses: dict[str, list[Address]] = {}
        for line in text.split("\n"):
            fields = line.partition("#")[0].split()
            address = parse(fields[0]) if len(fields) > 1 else None
            if address is None:
                continue
            self._names.setdefault(address, []).extend(fields[1:])
            for name in fields[1:]:
                self._addresses.setdefault(name.lower(), []).append(address)

    def names(self, address: Address) -> list[str]:
        """The names of an address as they are written, the canonical one first."""
        return self._names.get(address, [])

    def addresses(self, name: str) -> list[Address]:
        return self._addresses.get(name.lower().rstrip("."), [])

    def aliases(self, name: str) -> list[str]:
        """All names of the addresses of this name, itself included."""
        return [other for address in self.addresses(name) for other in self.names(address)]


def same_host(name: str, other: str) -> bool:
    """Whether two names are equal, or one of them is the other without its domain."""
    name, other = name.lower().rstrip("."), other.lower().rstrip(".")
    if name == other or not name or not other:
        return name == other
    if "." in name and "." in other:
        return False
    return name.partition(".")[0] == other.partition(".")[0]

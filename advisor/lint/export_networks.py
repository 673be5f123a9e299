"""The hosts that a client of an export matches, as far as the text shows, and whether one client contains another."""

from __future__ import annotations

import re

from advisor.files.source import is_ipv6
from advisor.globs import fits, parts
from advisor.named_tuple import NamedTuple

_QUAD = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")
_LOCAL = ("localhost", "localhost.localdomain", "localhost4")


class Network(NamedTuple):
    """An address and its mask, as whole numbers of 32 or 128 `bits`."""

    number: int
    mask: int
    bits: int

    @property
    def full(self) -> int:
        """The mask of a single host."""
        return (1 << self.bits) - 1


def number(address: str) -> int:
    """An IPv4 address as a whole number."""
    whole = 0
    for part in address.split("."):
        whole = whole << 8 | int(part[:4])
    return whole & 0xFFFFFFFF


def dotted(whole: int) -> str:
    """A whole number as an IPv4 address."""
    return ".".join(str(whole >> shift & 255) for shift in (24, 16, 8, 0))


def _number6(address: str) -> int:
    """A valid IPv6 address, with or without a zone, as a whole number."""
    address = address.partition("%")[0]
    head, _, last = address.rpartition(":")
    if "." in last:
        low = number(last)
        address = f"{head}:{low >> 16:x}:{low & 0xFFFF:x}"
    before, double, after = address.partition("::")
    first = [group for group in before.split(":") if group]
    rest = [group for group in after.split(":") if group]
    zeros = ["0"] * (8 - len(first) - len(rest)) if double else []
    whole = 0
    for group in [*first, *zeros, *rest]:
        whole = whole << 16 | int(group, 16)
    return whole


def mapped_ipv4(address: str) -> str | None:
    """The IPv4 address in an IPv6 address of the form ::ffff:192.0.2.1; None for others."""
    whole = _number6(address)
    return dotted(whole & 0xFFFFFFFF) if whole >> 32 == 0xFFFF else None


def first_address(parsed: Network) -> str:
    """The first address of a network."""
    whole = parsed.number & parsed.mask
    if parsed.bits == 32:
        return dotted(whole)
    groups = [f"{whole >> shift & 0xFFFF:x}" for shift in range(112, -16, -16)]
    while groups and groups[-1] == "0":
        groups.pop()
    return ":".join(groups) + ("::" if len(groups) < 7 else ":0" if len(groups) == 7 else "")


def network(client: str) -> Network | None:
    """The network of a client; an address is a network of one host. None if it is neither."""
    address, _, mask = client.partition("/")
    if _QUAD.fullmatch(address):
        bits, whole = 32, number(address)
    elif is_ipv6(address):
        bits, whole = 128, _number6(address)
    else:
        return None
    if mask.isdigit() and int(mask[:4]) <= bits:
        ones = ((1 << bits) - 1) ^ ((1 << bits - int(mask)) - 1)
    elif not mask:
        ones = (1 << bits) - 1
    elif bits == 32 and _QUAD.fullmatch(mask):
        ones = number(mask)
    elif bits == 128 and is_ipv6(mask):
        ones = _number6(mask)
    else:
        return None
    return Network(whole, ones, bits)


def same_host(client: str) -> str:
    """One spelling for all forms of a client that exportfs treats alike: names in any case, addresses in any form."""
    small = client.lower()
    if small in _LOCAL:
        return "127.0.0.1"
    if is_ipv6(small) and "%" not in small:
        return f"{_number6(small):x}::"
    return small


def inside(inner: str, outer: str) -> bool:
    """Whether both are networks, or both patterns, and the second contains every host of the first."""
    if "/" in inner and "/" in outer and not {"*", "?", "["} & set(inner + outer):
        narrow, wide = network(inner), network(outer)
        if narrow is None or wide is None or narrow.bits != wide.bits or not narrow.mask or not wide.mask:
            return False
        return narrow.mask & wide.mask == wide.mask and (narrow.number ^ wide.number) & wide.mask == 0
    if "*" in outer and "/" not in inner + outer and "[" not in inner + outer and not outer.startswith("@"):
        if inner == "*" or outer == "*" or not {"*", "?"} & set(inner) or inner.startswith("@"):
            return False
        return fits(inner.lower(), parts(outer.lower()))
    return False

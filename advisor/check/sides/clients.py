"""Whether a client of exports(5) is a host, as mountd finds out: by its address, and by the names that the server's own
hosts file gives it. What a name server or a netgroup would say is not known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from advisor.check.sides.addresses import Address, inside, parse

if TYPE_CHECKING:
    from advisor.check.sides.names import Hosts

HOST, NETWORK, PATTERN, NETGROUP, ANYBODY, GSS = range(6)
"""The order in which mountd looks at exports; within one kind the first that fits counts."""
_PREFIX = re.compile(r"[0-9]{1,3}")


def kind(client: str) -> int:
    """Which kind of client this is."""
    if client in ("", "*"):
        return ANYBODY
    if client.startswith("gss/"):
        return GSS
    if client.startswith("@"):
        return NETGROUP
    for sign in client:
        if sign in "*?[":
            return PATTERN
        if sign == "/":
            return NETWORK
    return HOST


def admits(client: str, address: Address | None, known: Hosts) -> bool | None:
    """Whether this client is the host with the address; None where that cannot be told."""
    sort = kind(client)
    if sort == ANYBODY:
        return True
    if sort in (NETGROUP, GSS) or address is None:
        return None
    if sort == NETWORK:
        return _network(client, address)
    if sort == PATTERN:
        names = known.of(address)
        return any(fits(name.lower(), client.lower()) for name in names) if names else None
    one = parse(client)
    there = [one] if one is not None else known.at(client)
    return any(one[:2] == address[:2] for one in there) if there else None


def _network(client: str, address: Address) -> bool:
    network, bits = parse(client.partition("/")[0]), mask_of(client)
    return network is not None and bits is not None and inside(address, network, bits)


def mask_of(client: str) -> int | None:
    """The mask of a network, as a number; None where it is none."""
    first, _, mask = client.partition("/")
    network, spelled = parse(first), parse(mask)
    if network is None:
        return None
    if spelled is not None:
        return spelled.number if spelled.family == network.family else None
    return _ones(int(mask), 32 if network.family == 4 else 128) if _PREFIX.fullmatch(mask) else None


def _ones(count: int, length: int) -> int | None:
    return None if count > length else ((1 << count) - 1) << (length - count)


def fits(text: str, pattern: str) -> bool:
    """wildmat: * for anything, ? for one sign, [a-z] for one of a set, dots included. Both in lower case.

    `reached`: the ends of the pattern's beginnings that fit the text so far."""
    parts = _parts(pattern)
    reached = _spread({0}, parts)
    for sign in text:
        stay = {at for at in reached if at < len(parts) and parts[at] == "*"}
        step = {at + 1 for at in reached if at < len(parts) and parts[at] != "*" and _one(parts[at], sign)}
        reached = _spread(stay | step, parts)
    return len(parts) in reached


def _spread(reached: set[int], parts: list[str]) -> set[int]:
    """Also what is reached by letting a star stand for nothing."""
    found = set(reached)
    for begin in sorted(reached):
        end = begin
        while end < len(parts) and parts[end] == "*":
            end += 1
            found.add(end)
    return found


def _parts(pattern: str) -> list[str]:
    """The signs of a pattern, with each set in its brackets as one."""
    parts, at = [], 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "[":
            closing = pattern.find("]", at + 2)
            end = closing + 1 if closing > 0 else len(pattern)
        elif pattern[at] == "\\":
            end = at + 2
        parts.append(pattern[at:end])
        at = end
    return parts


def _one(part: str, sign: str) -> bool:
    if part == "?":
        return True
    if not part.startswith("["):
        return part.removeprefix("\\") == sign
    written = part[1:].removesuffix("]")
    inner = written.removeprefix("^")
    found, at = False, 0
    while at < len(inner):
        if inner[at + 1 : at + 2] == "-" and at + 2 < len(inner):
            found = found or inner[at] <= sign <= inner[at + 2]
            at += 3
        else:
            found = found or inner[at] == sign
            at += 1
    return found is not written.startswith("^")

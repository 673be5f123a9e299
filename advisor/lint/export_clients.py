"""How exportfs reads a client: which clients never match, and which match more hosts than meant."""

from __future__ import annotations

import re

from advisor.readers.placeholders import has_markup
from advisor.readers.source import is_ipv6

_QUAD = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_NEARLY = re.compile(r"[0-9lIOo]{1,3}(?:\.[0-9lIOo]{1,3}){3}")
_RANGE = re.compile(r"[0-9]+(?:\.[0-9]+){3}-[0-9.]+|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]*\[[0-9-]+\]")
_SHORT = re.compile(r"[0-9]+(?:\.[0-9]+){0,2}")
_STARRED = re.compile(r"[0-9*?]+(?:\.[0-9*?]+){1,3}")


def never(client: str) -> str | None:
    """In words, why no client ever matches this; None where one may."""
    if client == "\\":
        return "a space follows the backslash, so the line ends here: the next one becomes a path of its own"
    if "://" in client:
        return f"{client} is a URL; write the name or the address of the client"
    if "," in client:
        return f"{client} is taken for one name; separate clients with spaces, each with its own options"
    if client.startswith("[") and is_ipv6(client[1:].partition("]")[0]):
        return f"{client}: square brackets stand for a set of characters here; write the IPv6 address without them"
    address, slash, mask = client.partition("/")
    if slash:
        return _network(client, address, mask)
    if _RANGE.fullmatch(client):
        return f"{client} is not an address range but an impossible host name; write a network such as 192.0.2.0/28"
    if _QUAD.fullmatch(client):
        return f"{client} is not an IPv4 address" if any(int(one[:4]) > 255 for one in client.split(".")) else None
    if _NEARLY.fullmatch(client) and any(sign.isdigit() for sign in client):
        return f"{client} has letters where digits belong, and is taken for a name"
    if ("*" in client or "?" in client) and _STARRED.fullmatch(client) and any(sign.isdigit() for sign in client):
        return f"{client}: a pattern is compared with names, not with addresses; write a network such as 192.0.2.0/24"
    if _SHORT.fullmatch(client) and "." in client:
        return f"{client} is the one address {_filled(client)}, not a network; write it in full, with its mask"
    return None


def _network(client: str, address: str, mask: str) -> str | None:
    if client.startswith("gss/") or has_markup(client):
        return None
    if _SHORT.fullmatch(address):
        return f"{client}: a network has all four numbers; write {_padded(address)}/{mask or 24}"
    if _QUAD.fullmatch(address):
        if any(int(one[:4]) > 255 for one in address.split(".")):
            return f"{client} is not an IPv4 network"
        if mask.isdigit() and int(mask[:4]) > 32:
            return f"{client}: an IPv4 prefix is at most 32"
        if mask and not mask.isdigit() and not _QUAD.fullmatch(mask):
            return f"{client}: {mask} is not a netmask; write /24, or /255.255.255.0"
    elif is_ipv6(address):
        if mask.isdigit() and int(mask[:4]) > 128:
            return f"{client}: an IPv6 prefix is at most 128"
    else:
        return f"{client}: a network begins with an address, not with a name"
    return None


def _padded(address: str) -> str:
    return ".".join([*address.split("."), "0", "0", "0"][:4])


def _filled(address: str) -> str:
    """A short address as inet_aton reads it: the last number fills what is left."""
    *first, last = (int(one[:10]) for one in address.split("."))
    number = last
    for at, one in enumerate(first):
        number |= one << 8 * (3 - at)
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def left_out(client: str) -> bool:
    """Whether exportfs makes no export of this client, because it is neither an address nor a name that resolves; a
    pattern is exported even if it fits no name, and a short address as the one that it stands for."""
    return never(client) is not None and not set("[]*?") & set(client) and not _SHORT.fullmatch(client)


def masked(client: str) -> tuple[str, str] | None:
    """Of a network whose mask says something else than it seems to: the name of the check, and what it is in words."""
    address, slash, mask = client.partition("/")
    if not slash or not mask or not _QUAD.fullmatch(address) or never(client) is not None:
        return None
    number = _number(address)
    bits = ~(0xFFFFFFFF >> int(mask)) & 0xFFFFFFFF if mask.isdigit() else _number(mask)
    if ~bits & (~bits + 1) & 0xFFFFFFFF:
        return "export-odd-netmask", f"{mask} has gaps, so hosts match that are not next to each other"
    if number & ~bits & 0xFFFFFFFF:
        return "export-host-bits", f"the mask makes this the whole network {_dotted(number & bits)}/{mask}"
    return None


def _number(address: str) -> int:
    number = 0
    for part in address.split("."):
        number = number << 8 | int(part[:4])
    return number & 0xFFFFFFFF


def _dotted(number: int) -> str:
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))

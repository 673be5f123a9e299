"""The client of an export as nfs-utils reads it: its kind, the hosts that it matches, and why it may match none, or
others than it seems to.

Whether it is a host is found out as mountd does: by its address, and by the names that the server's own hosts file
gives it. What a name server or a netgroup would say is not known."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from advisor.files.patterns import name_fits, name_parts
from advisor.files.placeholders import has_markup
from advisor.files.source import Address, HostsFile, ipv6_number, is_ipv6
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

ADDRESS_OR_NAME, NETWORK, PATTERN, NETGROUP, ANYBODY, GSS = range(6)
"""Kinds of clients, in the order in which mountd looks at exports; within one kind the first that fits counts."""
_LOCAL = ("localhost", "localhost.localdomain", "localhost4")
_QUAD = regex(r"[0-9]+(?:\.[0-9]+){3}")
_STRICT_QUAD = regex(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}")
_NEARLY = regex(r"[0-9lIOo]{1,3}(?:\.[0-9lIOo]{1,3}){3}")
_RANGE = regex(r"[0-9]+(?:\.[0-9]+){3}-[0-9.]+|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]*\[[0-9-]+\]")
_SHORT = regex(r"[0-9]+(?:\.[0-9]+){0,2}")
_STARRED = regex(r"[0-9*?]+(?:\.[0-9*?]+){1,3}")
_QUOTED = regex(r"\\.")
_NUMBERS = regex(r"(?:0[xX][0-9A-Fa-f]+|[0-9]+)(?:\.(?:0[xX][0-9A-Fa-f]+|[0-9]+)){0,3}")
_OCTAL = regex(r"(?:^|\.)0[0-9]")
_NO_NAME = regex(r"[^A-Za-z0-9._\-]")
_BRACES = regex(r"\{[^{}\s,]+(?:,[^{}\s,]+)+\}")
"""An alternation as in a shell, {a,b}, which is not a placeholder."""


def kind_of(client: str) -> int:
    """Which of the six kinds of clients this is."""
    if client in ("", "*"):
        return ANYBODY
    if client.startswith("gss/"):
        return GSS
    if client.startswith("@"):
        return NETGROUP
    sign = next((sign for sign in _QUOTED.sub("", client) if sign in "*?[/"), "")
    return NETWORK if sign == "/" else PATTERN if sign else ADDRESS_OR_NAME


def is_placeholder(client: str) -> bool:
    """Whether the client is a placeholder, to be filled in before the file is used."""
    return has_markup(_BRACES.sub("", client))


@lru_cache(maxsize=1024)
def never_matches(client: str) -> str | None:
    """Why no host ever matches this client, in words; None if one may."""
    if client == "\\":
        return "a space follows the backslash, so the line ends here: the next one becomes a path of its own"
    if "://" in client:
        return f"{client} is a URL; write the name or the address of the client"
    if "," in client or ";" in client:
        return f"{client} is taken for one name; separate clients with spaces, each with its own options"
    if client.startswith("-"):
        return f"{client} follows another list of options, so it is taken for a name; write both as one list"
    if client == "@":
        return "@ alone names no netgroup"
    kind = kind_of(client)
    if kind in (NETGROUP, ANYBODY, GSS):
        return None
    if client.startswith("[") and is_ipv6(client[1:].partition("]")[0]):
        return f"{client}: square brackets stand for a set of characters here; write the IPv6 address without them"
    if _RANGE.fullmatch(client):
        return f"{client} is not an address range but an impossible host name; write a network such as 192.0.2.0/28"
    if kind == PATTERN:
        return f"{client}: a pattern has no mask, and no name has a slash" if "/" in client else None
    return _network(client) if kind == NETWORK else _host(client)


def _host(client: str) -> str | None:
    if is_ipv6(client):
        inner = mapped_ipv4(client)
        if inner is not None:
            return f"{client}: a client that uses IPv4 is known by its IPv4 address; write {inner}"
        return "no client has the address ::; write * for every host" if not set(client) - set("0:") else None
    if ":" in client:
        head, _, tail = client.rpartition(":")
        if head.count(":") or set(head) <= set("0123456789abcdefABCDEF"):
            return f"{client} is not an IPv6 address"
        what = "port" if tail.isdigit() else "colon"
        return f"{client}: a client is written without a {what}; write {client.partition(':')[0]}"
    if _QUAD.fullmatch(client):
        if as_inet_aton(client) is None:
            return f"{client} is not an IPv4 address"
        return f"no client has the address {client}; write * for every host" if not set(client) - set("0.") else None
    if _NEARLY.fullmatch(client) and any(sign.isdigit() for sign in client):
        return f"{client} has letters where digits belong, and is taken for a name"
    if _SHORT.fullmatch(client) and "." in client:
        one = as_inet_aton(client)
        if one is None:
            return f"{client} is not an IPv4 address"
        return f"{client} is the one address {one}, not a network; write it in full, with its mask"
    if set(client) <= set("0123456789.") and client.count(".") > 3:
        return f"{client} is not an IPv4 address"
    if ".." in client or client.startswith("."):
        hint = f"; write *{client} for its hosts" if client.startswith(".") and ".." not in client else ""
        return f"{client} is taken for a name, and no name has an empty part{hint}"
    odd = _NO_NAME.search(client)
    if odd is not None and (odd[0].isascii() or odd[0].isspace()):
        return f"{client} is taken for a name, and no name has {odd[0]!r} in it"
    return None


def _network(client: str) -> str | None:
    address, _, mask = client.partition("/")
    if has_markup(client):
        return None
    if not address and not mask.isdigit() and not _QUAD.fullmatch(mask):
        return f"{client} is taken for a client, not for a path: each path begins a line of its own"
    if not address:
        return f"{client}: the address is missing before the slash; no space may come between"
    if _SHORT.fullmatch(address):
        whole = ".".join([*address.split("."), "0", "0", "0"][:4])
        return f"{client}: a network has all four numbers; write {whole}/{mask or 24}"
    if _QUAD.fullmatch(address):
        if any(int(byte[:4]) > 255 for byte in address.split(".")):
            return f"{client} is not an IPv4 network"
        if _OCTAL.search(address):
            return f"{client}: a number of a network must not begin with 0"
        if mask.isdigit() and int(mask[:4]) > 32:
            return f"{client}: an IPv4 prefix is at most 32"
        if mask and not mask.isdigit() and (not _QUAD.fullmatch(mask) or _OCTAL.search(mask)):
            return f"{client}: {mask} is neither a prefix nor a netmask"
        return None
    if _NEARLY.fullmatch(address):
        return f"{client} has letters where digits belong, and is taken for a name"
    if ":" in address or is_ipv6(address):
        if not is_ipv6(address):
            return f"{client} is not an IPv6 network"
        if mask.isdigit() and int(mask[:4]) > 128:
            return f"{client}: an IPv6 prefix is at most 128"
        if mask and not mask.isdigit() and not is_ipv6(mask):
            return f"{client}: {mask} is not a prefix"
        return None
    return f"{client}: a network begins with an address, not with a name"


def as_inet_aton(address: str) -> str | None:
    """An address as inet_aton reads it: a leading zero makes a number octal, 0x hexadecimal, and the last one
    fills all remaining bytes. None if it is not an address."""
    if not _NUMBERS.fullmatch(address):
        return None
    numbers = []
    for part in address.split("."):
        digits = part[:11]
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
        if base == 8 and not set(digits) <= set("01234567"):
            return None
        numbers.append(int(digits, base))
    *bytes_before, whole = numbers
    if whole >= 1 << 8 * (4 - len(bytes_before)) or any(byte > 255 for byte in bytes_before):
        return None
    for at, byte in enumerate(bytes_before):
        whole |= byte << 8 * (3 - at)
    return dotted(whole)


@lru_cache(maxsize=1024)
def is_dropped(client: str) -> bool:
    """Whether exportfs drops this client, because it is neither an address nor a name that resolves. A pattern is
    exported even if no name matches it, and a short form of an address as that address."""
    if client == "@" or not set(client) - set("0.") or is_ipv6(client):
        return False
    return never_matches(client) is not None and not set("[]*?") & set(client) and as_inet_aton(client) is None


@lru_cache(maxsize=1024)
def matches_others(client: str) -> tuple[str, str] | None:
    """For a client that matches other hosts than it seems to: the check, and what it matches in words; else None."""
    if never_matches(client) is not None:
        return None
    address, slash, mask = client.partition("/")
    if set("*?") & set(client) and _STARRED.fullmatch(client) and any(sign.isdigit() for sign in client):
        return "export-pattern-of-addresses", ""
    if not slash:
        return _single_address(client)
    if not mask or (":" not in address and not _QUAD.fullmatch(address)):
        return None
    parsed = network(client)
    if parsed is None:
        return None
    if mask.isdigit() and int(mask) == 0:
        return "export-prefix-zero", "*" if parsed.bits == 32 else "*, or ::/1 and 8000::/1 for IPv6 only"
    if ~parsed.mask & (~parsed.mask + 1) & parsed.full:
        return "export-odd-netmask", f"{mask} has gaps, so hosts match that are not next to each other"
    if parsed.number & ~parsed.mask & parsed.full:
        return "export-host-bits", f"the mask makes this the whole network {first_address(parsed)}/{mask}"
    return None


def _single_address(client: str) -> tuple[str, str] | None:
    if not _QUAD.fullmatch(client):
        return None
    stands = as_inet_aton(client)
    if _OCTAL.search(client) and stands is not None:
        return "export-one-address", f"a leading zero makes a number octal, so this is the host {stands}"
    if number(client) & 0xFF == 0:
        return "export-one-address", f"without a mask this is one host, not a network; write {client}/24, or its mask"
    return None


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
    return ".".join(str(whole >> shift & 255) for shift in (24, 16, 8, 0))


def mapped_ipv4(address: str) -> str | None:
    """The IPv4 address in an IPv6 address of the form ::ffff:192.0.2.1; None for others."""
    whole = ipv6_number(address) or 0
    return dotted(whole & 0xFFFFFFFF) if whole >> 32 == 0xFFFF else None


def first_address(parsed: Network) -> str:
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415  most networks are written as they are meant

    return str((IPv4Address if parsed.bits == 32 else IPv6Address)(parsed.number & parsed.mask))


def network(client: str) -> Network | None:
    """The network of a client; an address is a network of one host. None if it is neither."""
    address, _, mask = client.partition("/")
    bits, whole = (32, number(address)) if _STRICT_QUAD.fullmatch(address) else (128, ipv6_number(address))
    if whole is None:
        return None
    if mask.isdigit() and int(mask[:4]) <= bits:
        ones = ((1 << bits) - 1) ^ ((1 << bits - int(mask)) - 1)
    elif not mask:
        ones = (1 << bits) - 1
    elif bits == 32 and _STRICT_QUAD.fullmatch(mask):
        ones = number(mask)
    elif bits == 128 and (number6 := ipv6_number(mask)) is not None:
        ones = number6
    else:
        return None
    return Network(whole, ones, bits)


@lru_cache(maxsize=1024)
def one_spelling(client: str) -> str:
    """One spelling for all forms of a client that exportfs treats alike: names in any case, addresses in any form."""
    small = client.lower()
    if small in _LOCAL:
        return "127.0.0.1"
    whole = None if "%" in small else ipv6_number(small)
    return small if whole is None else f"{whole:x}::"


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
        return name_fits(inner.lower(), name_parts(outer.lower()))
    return False


def admits(client: str, address: Address | None, hosts: HostsFile) -> bool | None:
    """Whether a client of an export is the host with this address; None if that is unknown. `hosts`: of the server."""
    kind = kind_of(client)
    if kind == ANYBODY:
        return True
    one = network(as_inet_aton(client) or client) if kind == ADDRESS_OR_NAME else None
    if never_matches(client) is not None and one is None:
        return False
    if kind in (NETGROUP, GSS) or address is None:
        return None
    if kind == NETWORK:
        return _in_network(client, int(address), address.max_prefixlen)
    if kind == PATTERN:
        names = hosts.names(address)
        return any(fits_pattern(name.lower(), client.lower()) for name in names) if names else None
    if one is not None:
        return (one.number, one.bits) == (int(address), address.max_prefixlen)
    addresses = hosts.addresses(client)
    return address in addresses if addresses else None


def _in_network(client: str, number: int, bits: int) -> bool | None:
    parsed = network(client)
    if parsed is None or parsed.bits != bits:
        return False
    if not client.partition("/")[2].strip("0"):
        # A mask shifted by 32 bits: on x86-64 its first 32 bits stay ones, elsewhere it may become empty.
        return None if (parsed.number ^ number) >> (bits - 32) else True
    return not (parsed.number ^ number) & parsed.mask


def fits_pattern(name: str, pattern: str) -> bool:
    """Whether a name fits a wildmat pattern, in which [^a-z] negates a set and \\ quotes. Both in lower case."""
    pattern = re.sub(r"\\(.)", r"[\1]", pattern)
    try:
        return fnmatchcase(name, pattern.replace("[!", "[\\!").replace("[^", "[!"))
    except re.error:  # [z-a], before Python 3.12
        return False

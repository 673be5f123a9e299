"""What names a server: the source of an NFS mount, parsed into server and export, with what mount.nfs rejects; and
/etc/hosts, the names of addresses and the addresses of names."""

from __future__ import annotations

import re
from functools import lru_cache

from advisor.files.placeholders import has_markup, masked, masked_address
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address
    from typing import Union

    Address = Union[IPv4Address, IPv6Address]
else:
    Address = object  # annotations alone name it

MAX_HOST = 255
RESERVED = ".example"
"""The end of example names (RFC 2606), for which nobody has a server."""

_URL = r"(?s)(nfs4?|https?|s?ftp|ssh|smb|cifs|file|s3|gs)://([^/]*)(.*)"
_IPV4 = r"[0-9]+(?:\.[0-9]+){3}"
_OF_A_LINK = r"(?i)fe[89ab]|ff.2:"
"""How addresses of one link begin. Only with these is the name of an interface read; a number is with any."""
_VARIABLE = r"(?:\$\{?(\w+)\}?|\{\{ ?([\w.]+) ?\}\})/"
_OF_A_HOST = r"(?:^|[_.])(?i:ip|host(?:name)?)$|(?i:addr(?:ess)?|_ip4)$|[a-z]Ip$|[A-Za-z]IP$"
"""Ends of the names of variables that stand for a host alone, which is not true of `server` or `share`."""
_NO_FORM = "mount.nfs rejects it: remote share not in 'host:dir' format"


class MountSource(NamedTuple):
    """`host`: without brackets; `host` and `export`: "" for none.

    `kind`: "host" (a name), "ipv4", "ipv6", "placeholder" (not filled in yet), "url" (`nfs://…`), "smb"
    (`//host/share`), "none" (not of the form host:/path) or "bad" (of that form, but no such server can exist).
    `problem`: why an NFS mount cannot use the source, or only in part, for people; None if it can.
    """

    kind: str
    host: str
    export: str
    problem: str | None


@lru_cache(maxsize=8)
def parse_source(text: str) -> MountSource:
    """Parse a decoded source. Never raises. Cached, as several parts of lint ask for the same source in turn."""
    if text.startswith(("//", "\\\\")):
        host, _, share = text[2:].replace("\\", "/").partition("/")
        return MountSource("placeholder" if has_markup(host) else "smb", host, share, _NO_FORM)
    url = re.fullmatch(_URL, text) if "://" in text else None
    if url is not None:
        problem = "NFS URLs are not supported: write host:/path" if url[1] == "nfs" else _NO_FORM
        return MountSource("url", url[2], url[3], problem)
    if text.startswith("["):
        return _bracketed(text)
    before = masked(text).partition(":")[0]  # a placeholder may have colons in it
    host, colon, export = text[: len(before)], text[len(before) : len(before) + 1], text[len(before) + 1 :]
    if has_markup(host) or text.startswith("("):
        return _template(text)
    if text == "/dev/nfs":  # the root file system of a diskless client, which the kernel has mounted
        return MountSource("none", "", "", None)
    if not colon or (host.startswith("/") and not export.startswith("/")):  # names below /dev/disk have colons
        return MountSource("none", "", "", _NO_FORM)
    address, path = _unbracketed(text)
    if address:
        return MountSource("bad", address, path, f"an IPv6 address needs brackets: write [{address}]:{path}")
    return _simple(host, export)


def _simple(host: str, export: str) -> MountSource:
    problem = None if export else "no path follows the colon"
    first, comma, _ = host.partition(",")
    if comma:
        problem = f"only one server works: mount.nfs and the kernel use {first!r} and ignore the others"
    if masked_address(first):
        return MountSource("placeholder", first, export, None)
    if not first:
        return MountSource("bad", "", export, "no server name before the colon")
    if len(first) > MAX_HOST:
        return MountSource("bad", first, export, "the server name is too long")
    if first[0].isdigit() and re.fullmatch(_IPV4, first):
        if any(len(label) > 3 or int(label) > 255 for label in first.split(".")):
            return MountSource("bad", first, export, f"{first} is not an IPv4 address")
        return MountSource("ipv4", first, export, problem)
    letters = first.replace(".", "").replace("_", "").replace("-", "")
    if first[0] == "-" or (letters and not letters.isalnum()):
        return MountSource("bad", first, export, f"{first!r} cannot be a server name")
    return MountSource("host", first, export, problem)


def _bracketed(text: str) -> MountSource:
    host, closed, rest = text[1:].partition("]")
    if not closed:
        kind = "placeholder" if has_markup(text) else "bad"
        return MountSource(kind, host, "", "closing bracket missing from the server's address")
    if not rest.startswith(":"):
        kind = "placeholder" if has_markup(text) else "bad"
        return MountSource(kind, host, "", "a colon must follow the closing bracket")
    export = rest[1:]
    problem = None if export else "no path follows the colon"
    if is_ipv6(host):
        zone = host.partition("%")[2]
        if zone and not zone.isdecimal() and not re.match(_OF_A_LINK, host):
            return MountSource("bad", host, export, f"{host} does not resolve: only addresses in fe80::/10 have a zone")
        return MountSource("ipv6", host, export, problem)
    if ":" not in host or has_markup(host):
        return MountSource("placeholder", host, export, None)  # [NAS]:/x, where a real name would have no brackets
    return MountSource("bad", host, export, f"{host} is not an IPv6 address")


def _template(text: str) -> MountSource:
    """The export begins at the first `:/` outside placeholders, or else after the last colon."""
    at = masked(text).find(":/")
    if at >= 0:
        return MountSource("placeholder", text[:at], text[at + 1 :], None)
    host, colon, export = text.rpartition(":")
    variable = None if colon else re.match(_VARIABLE, text)
    problem = _NO_FORM if variable and re.search(_OF_A_HOST, variable[1] or variable[2]) else None
    return MountSource("placeholder", host if colon else text, export if colon else "", problem)


def _unbracketed(text: str) -> tuple[str, str]:
    """An IPv6 address without brackets, and what follows its last colon; or two empty strings."""
    address, colon, path = text.partition(":/")
    if colon:
        path = "/" + path
    else:
        address, _, path = text.rpartition(":")
    return (address, path) if address.count(":") > 1 and is_ipv6(address) else ("", "")


def is_ipv6(text: str) -> bool:
    """Whether this is an IPv6 address, perhaps with a zone (`fe80::1%eth0`) or an IPv4 tail (`::ffff:192.0.2.1`)."""
    return ipv6_number(text) is not None


def ipv6_number(text: str) -> int | None:
    """The number of such an address; None for other text."""
    address, percent, zone = text.partition("%")
    if ":" not in address or (percent and (not zone or "%" in zone)):
        return None
    from socket import AF_INET6, inet_pton  # noqa: PLC0415  most files have no such address

    try:
        return int.from_bytes(inet_pton(AF_INET6, address), "big")
    except (OSError, ValueError):
        return None


def parse_address(text: str) -> Address | None:
    """An address without prefix, scope or brackets; one that is written as ::ffff:192.0.2.1 is IPv4."""
    from ipaddress import IPv6Address, ip_address  # noqa: PLC0415  no file of mounts needs it

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
            address = parse_address(fields[0]) if len(fields) > 1 else None
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

"""What TCP itself counted for the connections to NFS servers, as `ss -tin` prints it."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe.numbers import is_count, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class TcpSocket(NamedTuple):
    """One connection, by the addresses of its ends. Times in milliseconds."""

    local: tuple[str, int]
    peer: tuple[str, int]
    values: Mapping[str, float]
    """rtt (smoothed), minrtt, busy, rwnd_limited, sndbuf_limited, and counters such as data_segs_in."""


def read_sockets(text: str) -> list[TcpSocket]:
    """The connections of `ss -tinmH`: a line of addresses, then an indented one of values."""
    found: list[TcpSocket] = []
    ends: tuple[tuple[str, int], tuple[str, int]] | None = None
    for line in text.splitlines():
        if line[:1].isspace():
            if ends is not None:
                found.append(TcpSocket(*ends, _values(line)))
            ends = None
            continue
        addresses = [one for one in map(_end, line.split()) if one is not None]
        ends = (addresses[0], addresses[1]) if len(addresses) >= 2 else None
    return found


def _end(word: str) -> tuple[str, int] | None:
    address, colon, port = word.rpartition(":")
    return (plain(address), int(port)) if colon and is_count(port) and address else None


def plain(address: str) -> str:
    """An address in the form that is compared: no brackets, no zone, no IPv4-in-IPv6 prefix."""
    address = address.strip("[]").partition("%")[0]
    return address[7:] if address.startswith("::ffff:") and "." in address else address


def _values(line: str) -> dict[str, float]:
    found = {}
    for part in line.split():
        name, colon, rest = part.partition(":")
        if not colon:
            continue
        word = rest.partition("(")[0].partition("/")[0]  # rtt:0.3/0.1, rwnd_limited:12ms(3.4%)
        value = number(word[:-2] if word.endswith("ms") else word)
        if value is not None and value >= 0:
            found[name] = value
    return found

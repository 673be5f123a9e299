"""One reading of everything that is counted, as a recording keeps it: a folder of files, named for what they hold."""

from __future__ import annotations

from datetime import date

from advisor.named_tuple import NamedTuple
from advisor.observe.mountstats import CountedMount, read
from advisor.observe.numbers import is_count, number
from advisor.observe.server import PoolCounts, ServedCounts, read_pools, read_served
from advisor.observe.sockets import TcpSocket, plain, read_sockets
from advisor.readers.mountinfo import read as read_mountinfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PLACES = {
    "mountstats": "/proc/self/mountstats",
    "mountinfo": "/proc/self/mountinfo",
    "uptime": "/proc/uptime",
    "snmp_tcp": "/proc/net/snmp",
    "nfsd_pool_stats": "/proc/fs/nfsd/pool_stats",
    "nfsd_threads": "/proc/fs/nfsd/threads",
    "rpc_nfs": "/proc/net/rpc/nfs",
    "rpc_nfsd": "/proc/net/rpc/nfsd",
}
"""File of a recording → where a host has it."""
COUNTERS = ("mountstats", "uptime")
"""Those that are read between, to see how even a window is."""
READ_AHEAD = "bdi_read_ahead_kb"
SOCKETS = "ss_client"
KERNEL = "dmesg"
"""What the kernel said in the window; of the last reading, and at the top of a recording."""
DATE = "date"
"""The day of the reading, as 2026-12-31."""


class MountedFrom(NamedTuple):
    """What mountinfo says of a mount: its server's address, and the number of its device."""

    address: str
    device: str


class TcpSegments(NamedTuple):
    """Segments that this host sent, of all its connections, and sent again."""

    sent: int
    resent: int


class Snapshot:
    """`texts`: name of a file of the recording → its content; what could not be read is missing."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.mounts: list[CountedMount] = read(texts.get("mountstats", ""))
        self.sockets: list[TcpSocket] = read_sockets(texts.get(SOCKETS, ""))
        self.pools: PoolCounts | None = read_pools(texts.get("nfsd_pool_stats", ""))
        self.served: ServedCounts | None = read_served(texts.get("rpc_nfsd", ""))
        self.uptime = _first_number(texts.get("uptime", ""))
        """Seconds since boot, None where that is not known."""
        self.segments = _segments(texts.get("snmp_tcp", ""))
        self.places = _places(texts.get("mountinfo", ""))
        self.read_ahead = dict(_read_ahead(texts.get(READ_AHEAD, "")))
        """Number of a device → KiB."""
        self.day = _day(texts.get(DATE, ""))
        """When it was taken, None where that was not kept."""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _first_number(text: str) -> float | None:
    words = text.split(maxsplit=1)
    return number(words[0]) if words else None


def _segments(text: str) -> TcpSegments | None:
    rows = [line.split() for line in text.splitlines() if line.startswith("Tcp:")]
    if len(rows) < 2:
        return None
    named = dict(zip(rows[0], rows[1]))
    sent, resent = named.get("OutSegs", ""), named.get("RetransSegs", "")
    return TcpSegments(int(sent), int(resent)) if is_count(sent) and is_count(resent) else None


def _places(text: str) -> dict[str, MountedFrom]:
    """Target → where it is mounted from; of several on one target the last, which is the one that is seen."""
    found = {}
    for one in read_mountinfo(text).mounts:
        if one.fstype in ("nfs", "nfs4"):
            options = dict(word.partition("=")[::2] for word in one.super_options.split(","))
            found[one.target] = MountedFrom(plain(options.get("addr", "")), one.device)
    return found


def _read_ahead(text: str) -> list[tuple[str, int]]:
    rows = [line.split() for line in text.splitlines()]
    return [(row[0], int(row[1])) for row in rows if len(row) == 2 and is_count(row[1])]

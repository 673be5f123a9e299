"""Readings of the counters, and recordings of them, which can be judged anywhere.

A recording is a folder: `before/` and `after/` hold the files of one reading each, `between/01`, `between/02` … the
counters of mounts between these two, `xprt_info.samples` the samples of the transports, `dmesg` what the kernel logged.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from advisor.files.mountinfo import read as read_mountinfo
from advisor.named_tuple import NamedTuple
from advisor.observe.connections import (
    SampledTransport,
    TcpSocket,
    finite_number,
    is_count,
    normalize_address,
    read_samples,
    read_sockets,
)
from advisor.observe.mountstats import CountedMount, read_mountstats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
"""File of a recording → its path on a host."""
COUNTERS = ("mountstats", "uptime")
"""The files that are also read between the first and the last reading, to see how even the work is."""
MAX_BYTES = 64 << 20
"""Bytes that are read of a file."""
READ_AHEAD = "bdi_read_ahead_kb"
SOCKETS = "ss_client"
KERNEL = "dmesg"
"""What the kernel logged in the window; part of the last reading, and at the top of a recording."""
DATE = "date"
"""The day of the reading, as 2026-12-31."""
BETWEEN = "between"
SAMPLES = "xprt_info.samples"
_MAX_BETWEEN = 100
_RENEW, _SETCLIENTID = 30, 35
"""Operation numbers (RFC 7530). A server without NFSv4 has a shorter list."""


class MountedFrom(NamedTuple):
    """The address of a mount's server, and the mount's device number, as mountinfo has them."""

    address: str
    device: str


class TcpSegments(NamedTuple):
    """Segments that all connections of the host sent, and sent again."""

    sent: int
    resent: int


class PoolCounts(NamedTuple):
    """Of all thread pools of nfsd together: messages that arrived, and threads that were woken for one."""

    packets: int
    woken: int


class ServedCalls(NamedTuple):
    """Calls that nfsd answered; None if the kernel's line is missing. `repeated`: from the reply cache; `v40`: those
    that only clients of NFSv4.0 make."""

    repeated: int | None
    v3: int | None
    v40: int | None


class Snapshot:
    """`texts`: name of a file of the recording → its content; what could not be read is missing."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.mounts: list[CountedMount] = read_mountstats(texts.get("mountstats", ""))
        self.sockets: list[TcpSocket] = read_sockets(texts.get(SOCKETS, ""))
        self.pools = _pool_counts(texts.get("nfsd_pool_stats", ""))
        self.served = _served_calls(texts.get("rpc_nfsd", ""))
        self.uptime = _uptime(texts.get("uptime", ""))
        """Seconds since boot, None if that is not known."""
        self.segments = _segments(texts.get("snmp_tcp", ""))
        self.mounted_from = _mounted_from(texts.get("mountinfo", ""))
        """By target."""
        self.read_ahead = dict(_read_ahead(texts.get(READ_AHEAD, "")))
        """Device number → KiB."""
        self.day = _day(texts.get(DATE, ""))
        """When it was taken, None if that was not kept."""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _uptime(text: str) -> float | None:
    words = text.split(maxsplit=1)
    return finite_number(words[0]) if words else None


def _segments(text: str) -> TcpSegments | None:
    rows = [line.split() for line in text.splitlines() if line.startswith("Tcp:")]
    if len(rows) < 2:
        return None
    named = dict(zip(rows[0], rows[1]))
    sent, resent = named.get("OutSegs", ""), named.get("RetransSegs", "")
    return TcpSegments(int(sent), int(resent)) if is_count(sent) and is_count(resent) else None


def _mounted_from(text: str) -> dict[str, MountedFrom]:
    """Of several mounts on one target the last, which hides the others."""
    by_target = {}
    for mount in read_mountinfo(text).mounts:
        if mount.is_nfs:
            by_target[mount.target] = MountedFrom(normalize_address(mount.address), mount.device)
    return by_target


def _read_ahead(text: str) -> list[tuple[str, int]]:
    rows = [line.split() for line in text.splitlines()]
    return [(row[0], int(row[1])) for row in rows if len(row) == 2 and is_count(row[1])]


def _served_calls(text: str) -> ServedCalls | None:
    """From the lines `rc`, `proc3` and `proc4ops` of /proc/net/rpc/nfsd; the last two begin with how many follow."""
    rows = {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}
    cache, v3, v4 = (_counts(rows.get(name, ())) for name in ("rc", "proc3", "proc4ops"))
    if not cache and not v3 and not v4:
        return None
    operations = v4[1:]
    return ServedCalls(
        cache[0] if cache else None, sum(v3[1:]) if v3 else None,
        operations[_RENEW] + operations[_SETCLIENTID] if len(operations) > _SETCLIENTID else None,
    )


def _counts(words: Sequence[str]) -> list[int]:
    """The numbers of a line, none if one of them is not a number that a kernel writes."""
    return [int(word) for word in words] if all(is_count(word) for word in words) else []


def _pool_counts(text: str) -> PoolCounts | None:
    """Lines of pool_stats: pool, packets-arrived, sockets-enqueued, threads-woken, … None if no pool is listed.

    sockets-enqueued is of no use: kernels count it with each packet."""
    rows = [line.split() for line in text.splitlines() if line[:1].isdecimal()]
    pools = [row for row in rows if len(row) >= 4 and all(is_count(word) for word in row[:4])]
    return PoolCounts(sum(int(row[1]) for row in pools), sum(int(row[3]) for row in pools)) if pools else None


class RecordingError(Exception):
    """The folder cannot be used; the message says why, and what to do."""


class Recording(NamedTuple):
    """`before`: None if there is only one reading, the last. `between`: readings of the counters between these two,
    if any were kept."""

    before: Snapshot | None
    after: Snapshot
    samples: list[SampledTransport]
    between: Sequence[Snapshot] = ()


def replay(folder: str) -> Recording:
    """Read a recording. Raises RecordingError."""
    top = Path(folder)
    if not top.is_dir():
        raise RecordingError(f"{folder}: no such folder")
    after = _reading(top / "after")
    if "mountstats" not in after:
        raise RecordingError(f"{folder}: after/mountstats is missing; a recording, which --record makes, has it")
    kernel = _text(top / KERNEL)
    if kernel is not None:
        after[KERNEL] = kernel
    before = _reading(top / "before")
    samples = read_samples(_text(top / SAMPLES) or "")
    if "mountstats" not in before:
        return Recording(None, Snapshot(after), samples)
    return Recording(Snapshot(before), Snapshot(after), samples, [Snapshot(texts) for texts in _between(top / BETWEEN)])


def record(
    folder: str, before: Mapping[str, str], after: Mapping[str, str], samples: str,
    between: Sequence[Mapping[str, str]] = (),
) -> None:
    """Write a recording into a new or empty folder. Raises RecordingError."""
    top = Path(folder)
    try:
        top.mkdir(exist_ok=True)
        if any(top.iterdir()):
            raise RecordingError(f"{folder}: is not empty; name a new folder")
        numbered = [(f"{BETWEEN}/{number:02}", texts) for number, texts in enumerate(between, 1)]
        for name, texts in (("before", before), ("after", after), *numbered):
            (top / name).mkdir(parents=True)
            for file, text in texts.items():
                _write(top / KERNEL if file == KERNEL else top / name / file, text)
        _write(top / SAMPLES, samples)
    except OSError as error:
        raise RecordingError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None


def _between(folder: Path) -> Iterator[dict[str, str]]:
    """The readings, up to the first number that is missing."""
    for number in range(1, _MAX_BETWEEN):
        texts = _reading(folder / f"{number:02}")
        if "mountstats" not in texts:
            return
        yield texts


def _reading(folder: Path) -> dict[str, str]:
    texts = {name: _text(folder / name) for name in (*PLACES, READ_AHEAD, SOCKETS, DATE)}
    return {name: text for name, text in texts.items() if text is not None}


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)

"""Readings of the counters: of this host, and recordings of them, which can be judged anywhere.

A recording is a folder: `before/` and `after/` hold the files of one reading each, `between/01`, `between/02` … the
counters of mounts between these two, `xprt_info.samples` the samples of the transports, `dmesg` what the kernel logged.

This host's counters, connections and kernel log come from files of /proc, /sys and /dev and netlink sockets, never from
a mount, without a command and without root. `root`: a folder with such files to read instead, without the sockets; ""
for this host.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from advisor.files.mountinfo import read as read_mountinfo
from advisor.named_tuple import NamedTuple
from advisor.observe.counters import (
    NFS_PORT,
    CountedMount,
    SampledTransport,
    TcpSocket,
    finite_number,
    is_count,
    normalize_address,
    read_mountstats,
    read_samples,
    read_sockets,
)

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
        self.uptime = finite_number((texts.get("uptime", "").split() or [""])[0])
        """Seconds since boot, None if that is not known."""
        self.segments = _segments(texts.get("snmp_tcp", ""))
        self.mounted_from = {
            mount.target: MountedFrom(normalize_address(mount.address), mount.device)
            for mount in read_mountinfo(texts.get("mountinfo", "")).mounts if mount.is_nfs
        }
        """By target: of several mounts on one the last, which hides the others."""
        rows = [line.split() for line in texts.get(READ_AHEAD, "").splitlines()]
        self.read_ahead = {row[0]: int(row[1]) for row in rows if len(row) == 2 and is_count(row[1])}
        """Device number → KiB."""
        self.day = _day(texts.get(DATE, ""))
        """When it was taken, None if that was not kept."""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _segments(text: str) -> TcpSegments | None:
    rows = [line.split() for line in text.splitlines() if line.startswith("Tcp:")]
    if len(rows) < 2:
        return None
    named = dict(zip(rows[0], rows[1]))
    sent, resent = named.get("OutSegs", ""), named.get("RetransSegs", "")
    return TcpSegments(int(sent), int(resent)) if is_count(sent) and is_count(resent) else None


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


SAMPLE_INTERVAL = 0.3
"""Seconds between two samples of the transports, and so the precision of a stall."""
_KMSG = "/dev/kmsg"
_SWITCHES = "/sys/kernel/sunrpc/xprt-switches"
_SOCK_DIAG_BY_FAMILY, _DUMP, _DONE, _ERROR = 20, 0x301, 3, 2
_ESTABLISHED = 1 << 1
_INFO = 2
_WANTED = 1 << (_INFO - 1)
_HEADER = struct.Struct("=IHHII")  # nlmsghdr
_REQUEST = struct.Struct("=BBBxI")  # the head of inet_diag_req_v2; an empty inet_diag_sockid follows
_ENDS = struct.Struct("!HH16s16s")
_MESSAGE = 72
"""Bytes of inet_diag_msg."""
_TCP_INFO = (
    ("rtt", 68, "I", 1000), ("minrtt", 148, "I", 1000), ("data_segs_in", 152, "I", 1), ("data_segs_out", 156, "I", 1),
    ("bytes_received", 128, "Q", 1), ("busy", 168, "Q", 1000), ("rwnd_limited", 176, "Q", 1000),
    ("sndbuf_limited", 184, "Q", 1000), ("retrans_total", 100, "I", 1),
)
"""Name, offset in struct tcp_info (include/uapi/linux/tcp.h), type, and divisor: microseconds become milliseconds."""
_MAX_BYTES = 1 << 26
"""Of answers."""


def snapshot(root: str = "") -> dict[str, str]:
    """One reading: file of a recording → its content. Files that may not be read are missing."""
    texts = _contents(root, PLACES)
    devices = {mount.device for mount in read_mountinfo(texts.get("mountinfo", "")).mounts if mount.is_nfs}
    read = ((device, _content(f"{root}/sys/class/bdi/{device}/read_ahead_kb")) for device in devices)
    texts[READ_AHEAD] = "".join(f"{device} {size.strip()}\n" for device, size in read if size is not None)
    if root:
        return texts
    ports = {mount.options.get("port", "") for mount in read_mountstats(texts.get("mountstats", ""))}
    texts[SOCKETS] = connections({NFS_PORT, *(int(port) for port in ports if port.isdecimal() and len(port) < 6)})
    texts[DATE] = time.strftime("%Y-%m-%d\n")
    return texts


def counters() -> dict[str, str]:
    """The part of a reading that is also taken between the first and the last."""
    return _contents("", COUNTERS)


def sample(root: str = "") -> str:
    """One sample of the transports, as in a recording; only the time if the kernel does not show them."""
    lines = [f"@@ t={time.clock_gettime(time.CLOCK_BOOTTIME):.2f}\n"]
    for switch in _names(f"{root}{_SWITCHES}"):
        folder = f"{_SWITCHES}/{switch}"
        for name in _names(f"{root}{folder}"):
            content = _content(f"{root}{folder}/{name}/xprt_info")
            if content is not None:
                state = (_content(f"{root}{folder}/{name}/xprt_state") or "").strip()
                address = (_content(f"{root}{folder}/{name}/dstaddr") or "").strip()
                lines.append(f"# {folder}/{name}/xprt_info state: {state} dst: {address}\n{content.rstrip()}\n")
    return "".join(lines)


def samples(seconds: float) -> Iterator[str]:
    """Samples of the transports for `seconds`, one per SAMPLE_INTERVAL, or fewer, so that sampling takes at most half
    of the time."""
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        yield sample()
        now = time.monotonic()
        if now >= end:
            return
        time.sleep(min(max(SAMPLE_INTERVAL, now - began), end - now))


def _contents(root: str, names: Iterable[str]) -> dict[str, str]:
    read = ((name, _content(f"{root}{PLACES[name]}")) for name in names)
    return {name: text for name, text in read if text is not None}


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return []


def _content(path: str) -> str | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  pathlib costs 15 ms at import
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def kernel_log(since: float = 0.0) -> list[str] | None:
    """The messages logged since this many seconds after boot, from the kernel's ring buffer; None if this user may not
    read them."""
    try:
        handle = os.open(_KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    messages: list[str] = []
    try:
        while True:
            try:
                record = os.read(handle, 8192)  # one per call
            except BrokenPipeError:  # the record was overwritten
                continue
            except OSError:  # no more, or not for this user
                return messages
            if not record:
                return messages
            line = kernel_message(record.decode("utf-8", "replace"), since)
            if line is not None:
                messages.append(line)
    finally:
        os.close(handle)


def kernel_message(record: str, since: float) -> str | None:
    """The text of a record (level, number, microseconds since boot, flags; text), None if it is older."""
    head, _, rest = record.partition(";")
    fields = head.split(",")
    at = fields[2] if len(fields) > 2 and fields[2].isdecimal() else "0"
    return rest.partition("\n")[0] if int(at[:18]) >= since * 1_000_000 else None


def connections(ports: Iterable[int]) -> str:
    """The established connections to these ports of servers and their TCP counters, from the kernel by sock_diag(7), as
    text in the format of `ss -tinmH`; "" if the kernel does not answer."""
    wanted = set(ports)
    return "".join(
        lines for family in (socket.AF_INET, socket.AF_INET6) for port, lines in _connections(family) if port in wanted
    )


def _connections(family: int) -> Iterator[tuple[int, str]]:
    """The port of the peer, and the two lines of each connection."""
    body = _REQUEST.pack(family, socket.IPPROTO_TCP, _WANTED, _ESTABLISHED) + bytes(48)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 4) as netlink:
            netlink.settimeout(2)
            netlink.send(_HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _DUMP, 1, 0) + body)
            read = 0
            while read < _MAX_BYTES:
                answer = netlink.recv(1 << 16)
                read += len(answer)
                for kind, message in _messages(answer):
                    if kind in (_DONE, _ERROR):
                        return
                    if len(message) >= _MESSAGE:
                        yield _connection(family, message)
    except OSError:  # no such socket in this container, or an old kernel
        return


def _messages(answer: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + _HEADER.size <= len(answer):
        length, kind, *_ = _HEADER.unpack_from(answer, at)
        if length < _HEADER.size:
            return
        yield kind, answer[at + _HEADER.size : at + length]
        at += (length + 3) & ~3


def _connection(family: int, message: bytes) -> tuple[int, str]:
    here, there, source, target = _ENDS.unpack_from(message, 4)
    size = 4 if family == socket.AF_INET else 16
    addresses = [socket.inet_ntop(family, address[:size]) for address in (source, target)]
    local, peer = (f"[{address}]" if ":" in address else address for address in addresses)
    info = " ".join(_values(_info(message)))
    return there, f"0 0 {local}:{here} {peer}:{there}\n\t {info}\n"


def _info(message: bytes) -> bytes:
    """struct tcp_info among the attributes."""
    at = _MESSAGE
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        if length < 4:
            break
        if kind == _INFO:
            return message[at + 4 : at + length]
        at += (length + 3) & ~3
    return b""


def _values(info: bytes) -> Iterator[str]:
    for name, offset, form, divisor in _TCP_INFO:
        if offset + struct.calcsize(form) <= len(info):  # older kernels send less
            (value,) = struct.unpack_from("=" + form, info, offset)
            if not (name == "minrtt" and value == 0xFFFFFFFF):  # nothing measured yet
                yield f"{name}:{value / divisor:g}" if divisor > 1 else f"{name}:{value}"

"""Reads this host's counters, connections and kernel log, from files of /proc, /sys and /dev and netlink sockets, never
from a mount, without a command and without root.

`root`: a folder with such files to read instead, without the sockets; "" for this host."""

from __future__ import annotations

import os
import socket
import struct
import time

from advisor.files.mountinfo import read as read_mountinfo
from advisor.observe.connections import NFS_PORT
from advisor.observe.mountstats import read_mountstats
from advisor.observe.snapshot import COUNTERS, DATE, MAX_BYTES, PLACES, READ_AHEAD, SOCKETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    texts[READ_AHEAD] = "".join(_read_ahead(root, texts.get("mountinfo", "")))
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


def _read_ahead(root: str, mountinfo: str) -> Iterator[str]:
    for device in {mount.device for mount in read_mountinfo(mountinfo).mounts if mount.is_nfs}:
        content = _content(f"{root}/sys/class/bdi/{device}/read_ahead_kb")
        if content is not None:
            yield f"{device} {content.strip()}\n"


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

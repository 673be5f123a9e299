"""Reads this host's counters and kernel log, from files of /proc, /sys and /dev and a netlink socket, never from a
mount.

`root`: a folder with such files to read instead, without the socket; "" for this host."""

from __future__ import annotations

import os
import time

from advisor.files.mountinfo import read as read_mountinfo
from advisor.observe.connections import NFS_PORT
from advisor.observe.mountstats import read_mountstats
from advisor.observe.snapshot import COUNTERS, DATE, PLACES, READ_AHEAD, SOCKETS
from advisor.observe.sock_diag import connections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_BYTES = 64 << 20
"""Bytes that are read of a file."""
SAMPLE_INTERVAL = 0.3
"""Seconds between two samples of the transports, and so the precision of a stall."""
_KMSG = "/dev/kmsg"
_SWITCHES = "/sys/kernel/sunrpc/xprt-switches"


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
    for device in {mount.device for mount in read_mountinfo(mountinfo).mounts if mount.fstype in ("nfs", "nfs4")}:
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

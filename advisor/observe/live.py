"""Reading this host's counters: files of /proc and /sys and one netlink socket, never a path on a mount.

`root`: a folder that has these files instead, of which no socket is asked for; "" for this host."""

from __future__ import annotations

import os
import time

from advisor.observe.mountstats import read
from advisor.observe.snapshot import COUNTERS, DATE, PLACES, READ_AHEAD, SOCKETS
from advisor.observe.sock_diag import connections
from advisor.readers.mountinfo import read as read_mountinfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST = 64 << 20
"""Bytes of one file."""
STEP = 0.3
"""Seconds between two looks at the transports; a stall is told in such steps."""
_SWITCHES = "/sys/kernel/sunrpc/xprt-switches"
_NFS_PORT = 2049


def snapshot(root: str = "") -> dict[str, str]:
    """One reading: name of a recording's file → its content. What may not be read is missing."""
    texts = _contents(root, PLACES)
    texts[READ_AHEAD] = "".join(_read_ahead(root, texts.get("mountinfo", "")))
    if root:
        return texts
    ports = {one.options.get("port", "") for one in read(texts.get("mountstats", ""))}
    texts[SOCKETS] = connections({_NFS_PORT, *(int(port) for port in ports if port.isdecimal() and len(port) < 6)})
    texts[DATE] = time.strftime("%Y-%m-%d\n")
    return texts


def counters() -> dict[str, str]:
    """The part of a reading that is taken between the first and the last."""
    return _contents("", COUNTERS)


def sample(root: str = "") -> str:
    """One look at the transports, as a recording keeps it; only the time where the kernel does not show them."""
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
    """Looks at the transports for so long, one each STEP; where a look takes longer than that, half of the time."""
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        yield sample()
        now = time.monotonic()
        if now >= end:
            return
        time.sleep(min(max(STEP, now - began), end - now))


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
            return file.read(MOST).decode("utf-8", "replace")
    except OSError:
        return None


def _read_ahead(root: str, mountinfo: str) -> Iterator[str]:
    for device in {one.device for one in read_mountinfo(mountinfo).mounts if one.fstype in ("nfs", "nfs4")}:
        content = _content(f"{root}/sys/class/bdi/{device}/read_ahead_kb")
        if content is not None:
            yield f"{device} {content.strip()}\n"

"""Reader of /proc/self/mountstats: what the kernel counted for each NFS mount since it was mounted.

Statistics versions 1.0 to 1.2, over TCP, UDP and RDMA, with one `xprt:` line for each connection. The file comes from
other people's hosts, cut, wrapped by mailers, or with counters that the kernel let run below zero, so nothing is
refused: lines that no known kernel writes, or with text in place of a number, are ignored.
"""

from __future__ import annotations

from advisor.files.mountinfo import NFS, decoded
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EVENTS = (
    "inoderevalidate", "dentryrevalidate", "datainvalidate", "attrinvalidate", "vfsopen", "vfslookup", "vfsaccess",
    "vfsupdatepage", "vfsreadpage", "vfsreadpages", "vfswritepage", "vfswritepages", "vfsgetdents", "vfssetattr",
    "vfsflush", "vfsfsync", "vfslock", "vfsrelease", "congestionwait", "setattrtrunc", "extendwrite", "sillyrename",
    "shortread", "shortwrite", "delay", "pnfs_read", "pnfs_write",
)
"""In the order of enum nfs_stat_eventcounters (include/linux/nfs_iostat.h)."""
BYTES = (
    "normalread", "normalwritten", "directread", "directwritten", "serverread", "serverwritten", "readpages",
    "writepages",
)
"""In the order of enum nfs_stat_bytecounters."""
OPERATION = ("ops", "transmissions", "timeouts", "sent", "received", "queue", "rtt", "execute", "errors")
"""Numbers of an operation's line: calls, bytes, milliseconds; `errors` from Linux 5.3 on."""
_TRANSPORT = {
    "tcp": ("port", "binds", "connects", "connecting", "idle", "sends", "receives", "bad_xids", "in_flight", "backlog",
            "most_slots", "sending", "pending"),
    "udp": ("port", "binds", "sends", "receives", "bad_xids", "in_flight", "backlog", "most_slots", "sending",
            "pending"),
    "rdma": ("port", "binds", "connects", "connecting", "idle", "sends", "receives", "bad_xids", "in_flight",
             "backlog"),
}
"""Numbers of an `xprt:` line. Version 1.0 ends with `backlog`. in_flight, backlog, sending and pending are lengths of
queues, added up at each send; `most_slots`: the most request slots that were ever allocated."""
WRAP = 1 << 64
"""Counters of the kernel have 64 bits."""
_NEVER_CALLED = " 0 0 0 "


class CountedTransport(NamedTuple):
    """One connection: its protocol, and name → counter."""

    protocol: str
    counts: Mapping[str, int]


class CountedMount(NamedTuple):
    """One NFS mount in one reading. `age`: seconds since it was mounted, None if the line is missing.

    `operations`: name → the numbers of its line, in the order of OPERATION, without operations that were never called.
    Numbers are signed, as the kernel lets some run below zero."""

    source: str
    target: str
    fstype: str
    age: int | None
    options: Mapping[str, str]
    events: Mapping[str, int]
    bytes: Mapping[str, int]
    transports: tuple[CountedTransport, ...]
    operations: Mapping[str, tuple[int, ...]]


def read_mountstats(text: str) -> list[CountedMount]:
    """The NFS mounts, in the order of the file; several may share a target."""
    return list(_mounts(text))


def _mounts(text: str) -> Iterator[CountedMount]:
    block: list[str] = []
    head: list[str] | None = None
    for line in text.splitlines():
        if line.startswith("device "):
            if head is not None:
                yield _mount(head, block)
            words = line.split()
            # device SOURCE mounted on TARGET with fstype TYPE [statvers=VERSION]
            head = words if len(words) >= 8 and words[7] in NFS else None
            block = []
        elif head is not None:
            block.append(line)
    if head is not None:
        yield _mount(head, block)


def _mount(head: list[str], block: list[str]) -> CountedMount:
    age: int | None = None
    options: dict[str, str] = {}
    events: dict[str, int] = {}
    sizes: dict[str, int] = {}
    transports = []
    operations: dict[str, tuple[int, ...]] = {}
    for line in block:
        name, colon, rest = line.partition(":")
        name = name.strip()
        if not colon:
            continue
        if name.isupper():  # NULL, READ_PLUS … ; RPC has no numbers
            if rest.startswith(_NEVER_CALLED):
                continue
            numbers = _numbers(rest.split())
            if len(numbers) >= 8:
                operations[name] = numbers
        elif name == "xprt":
            protocol, *values = rest.split() or [""]
            counts = _numbers(values)
            if protocol in _TRANSPORT and counts:
                transports.append(CountedTransport(protocol, dict(zip(_TRANSPORT[protocol], counts))))
        elif name == "opts":
            options = _options(rest)
        elif name == "events":
            events = dict(zip(EVENTS, _numbers(rest.split())))
        elif name == "bytes":
            sizes = dict(zip(BYTES, _numbers(rest.split())))
        elif name == "age":  # some kernels write words behind it
            numbers = _numbers(rest.split()[:1])
            age = numbers[0] if numbers else None
    return CountedMount(decoded(head[1]), decoded(head[4]), head[7], age, options, events, sizes,
                        tuple(transports), operations)


def _numbers(words: list[str]) -> tuple[int, ...]:
    """All numbers of a line, as signed 64-bit values; nothing if one of them is not such a number."""
    try:
        numbers = tuple(map(int, words))
    except ValueError:
        return ()
    if not numbers or max(numbers) >= WRAP or min(numbers) < -(WRAP >> 1):
        return ()
    if max(numbers) >= WRAP >> 1:
        numbers = tuple(number - WRAP if number >= WRAP >> 1 else number for number in numbers)
    return numbers


def _options(rest: str) -> dict[str, str]:
    parts = (option.partition("=") for option in rest.strip().split(","))
    return {name: value for name, _, value in parts if name}

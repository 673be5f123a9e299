"""Readers of what the kernel counts: /proc/self/mountstats, for each NFS mount since it was mounted; RPC transports
(/sys/kernel/sunrpc); and TCP connections (`ss -tin`).

mountstats has versions 1.0 to 1.2, over TCP, UDP and RDMA, with one `xprt:` line for each connection. The file comes
from other people's hosts, cut, wrapped by mailers, or with counters that the kernel let run below zero, so nothing is
refused: lines that no known kernel writes, or with text in place of a number, are ignored.

A recording keeps samples of the transports as text: `@@ t=SECONDS`, then for each transport `# PATH state: STATE dst:
ADDRESS` and the content of its xprt_info.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.files.mountinfo import NFS, decoded
from advisor.named_tuple import NamedTuple

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
    mounts = []
    for block in f"\n{text}".split("\ndevice ")[1:]:
        first, *lines = block.splitlines() or [""]
        head = first.split()  # SOURCE mounted on TARGET with fstype TYPE [statvers=VERSION]
        if len(head) >= 7 and head[6] in NFS:
            mounts.append(_mount(head, lines))
    return mounts


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
    return CountedMount(decoded(head[0]), decoded(head[3]), head[6], age, options, events, sizes,
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


_MAX_FLOAT = 1e18
"""No clock and no TCP counter that is read as a float goes this far."""
NFS_PORT = 2049


def finite_number(word: str) -> float | None:
    """The number in a word; None for anything else, and for nan and inf."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if -_MAX_FLOAT < value < _MAX_FLOAT else None


def is_count(word: str) -> bool:
    """Whether it is a whole number of at most 64 bits."""
    return word.isdecimal() and word.isascii() and len(word) < 20


def normalize_address(address: str) -> str:
    """The address without brackets, zone, or the prefix of IPv4-mapped IPv6, for comparison."""
    address = address.strip("[]").partition("%")[0]
    return address[7:] if address.startswith("::ffff:") and "." in address else address


class SampledTransport(NamedTuple):
    """One transport at one moment. `at`: seconds since boot; `switch`: the folder with the transports of one RPC
    client; `values`: the numbers of xprt_info."""

    at: float
    switch: str
    name: str
    address: str
    values: Mapping[str, int]

    @property
    def waiting(self) -> int:
        """The number of requests that were sent or wait for the socket."""
        return self.values.get("pending_q_len", 0) + self.values.get("sending_q_len", 0)


def read_samples(text: str) -> list[SampledTransport]:
    """The transports of all samples, in order. Closed ones have no numbers and are left out."""
    samples: list[SampledTransport] = []
    at, head, values = 0.0, ("", "", ""), dict[str, int]()
    for line in (*text.splitlines(), "# end"):
        if line.startswith(("@@", "#")):
            if values:
                samples.append(SampledTransport(at, *head, values))
            values = {}
            if line.startswith("@@ t="):
                seconds = finite_number(line[5:])
                at = at if seconds is None else seconds
            else:
                head = _sample_head(line)
        else:
            name, _, word = line.partition("=")
            if is_count(word.removeprefix("-")):
                values[name] = int(word)
    return samples


def _sample_head(line: str) -> tuple[str, str, str]:
    """Switch, transport and address."""
    words = line.split()
    folders = (words[1] if len(words) > 1 else "").split("/")
    switch, name = (folders[-3], folders[-2]) if len(folders) > 2 else ("", "")
    return switch, name, normalize_address(words[-1]) if "dst:" in words else ""


def longest_stall(samples: Iterable[SampledTransport]) -> float:
    """The longest time, in seconds, for which a transport had requests without an answer and made no progress."""
    longest = 0.0
    since: dict[tuple[str, str], tuple[int, float]] = {}
    for sample in samples:
        key, last_used = (sample.switch, sample.name), sample.values.get("last_used", -1)
        if not sample.values.get("pending_q_len"):
            since.pop(key, None)
            continue
        if key not in since or since[key][0] != last_used:
            since[key] = (last_used, sample.at)
        longest = max(longest, sample.at - since[key][1])
    return longest


def held_back_calls(samples: Iterable[SampledTransport]) -> list[float]:
    """The number of calls that the client held back at each moment: tasks without a request."""
    calls: dict[float, float] = {}
    for sample in samples:
        held = max(sample.values.get("tasks_queuelen", 0) - sample.waiting, sample.values.get("backlog_q_len", 0))
        calls[sample.at] = calls.get(sample.at, 0.0) + held
    return list(calls.values())


def mean_length(samples: Sequence[SampledTransport], *queues: str) -> float:
    """The total length of these queues over all transports, as a mean over the moments."""
    moments = len({sample.at for sample in samples})
    return sum(sample.values.get(name, 0) for sample in samples for name in queues) / moments if moments else 0.0


class TcpSocket(NamedTuple):
    """One connection, by the addresses of its ends. `values`: rtt (smoothed), minrtt, busy, rwnd_limited and
    sndbuf_limited in milliseconds, and counters such as data_segs_in."""

    local: tuple[str, int]
    peer: tuple[str, int]
    values: Mapping[str, float]


def read_sockets(text: str) -> list[TcpSocket]:
    """The connections of `ss -tinmH`: a line of addresses, then an indented one of values."""
    sockets: list[TcpSocket] = []
    ends: tuple[tuple[str, int], tuple[str, int]] | None = None
    for line in text.splitlines():
        if line[:1].isspace():
            if ends is not None:
                sockets.append(TcpSocket(*ends, _socket_values(line)))
            ends = None
            continue
        addresses = [end for end in map(_socket_end, line.split()) if end is not None]
        ends = (addresses[0], addresses[1]) if len(addresses) >= 2 else None
    return sockets


def _socket_end(word: str) -> tuple[str, int] | None:
    address, colon, port = word.rpartition(":")
    return (normalize_address(address), int(port)) if colon and is_count(port) and address else None


def _socket_values(line: str) -> dict[str, float]:
    values = {}
    for part in line.split():
        name, colon, rest = part.partition(":")
        if not colon:
            continue
        word = rest.partition("(")[0].partition("/")[0]  # rtt:0.3/0.1, rwnd_limited:12ms(3.4%)
        value = finite_number(word[:-2] if word.endswith("ms") else word)
        if value is not None and value >= 0:
            values[name] = value
    return values

"""RPC transports (/sys/kernel/sunrpc) and TCP connections (`ss -tin`), and their values.

A recording keeps samples of the transports as text: `@@ t=SECONDS`, then for each transport `# PATH state: STATE dst:
ADDRESS` and the content of its xprt_info.
"""

from __future__ import annotations

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


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

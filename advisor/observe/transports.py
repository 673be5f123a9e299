"""Samples of /sys/kernel/sunrpc: the queues of each RPC transport at one moment, which only many looks can show.

A recording keeps them as text: `@@ t=SECONDS`, then for each transport `# PATH state: STATE dst: ADDRESS` and what its
xprt_info says.
"""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe.numbers import is_count, number
from advisor.observe.sockets import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STANDING = 1.0
"""Seconds without an answer while something waits for one, from which on it is a stall: a transport is looked at every
few tenths of a second, so that shorter ones cannot be told from slow calls."""


class SampledTransport(NamedTuple):
    """One transport at one moment. `at`: seconds since boot; `switch`: the folder that holds the transports of one
    client of the RPC layer; `values`: the numbers of xprt_info."""

    at: float
    switch: str
    name: str
    address: str
    values: Mapping[str, int]

    @property
    def waiting(self) -> int:
        """Requests that were sent, or wait for the socket."""
        return self.values.get("pending_q_len", 0) + self.values.get("sending_q_len", 0)


def read_samples(text: str) -> list[SampledTransport]:
    """The transports of all samples, in their order. Closed ones have no numbers and are left out."""
    found: list[SampledTransport] = []
    at, head, values = 0.0, ("", "", ""), dict[str, int]()
    for line in (*text.splitlines(), "# end"):
        if line.startswith(("@@", "#")):
            if values:
                found.append(SampledTransport(at, *head, values))
            values = {}
            if line.startswith("@@ t="):
                stamp = number(line[5:])
                at = at if stamp is None else stamp
            else:
                head = _head(line)
        else:
            name, _, word = line.partition("=")
            if is_count(word.removeprefix("-")):
                values[name] = int(word)
    return found


def _head(line: str) -> tuple[str, str, str]:
    words = line.split()
    folders = (words[1] if len(words) > 1 else "").split("/")
    switch, name = (folders[-3], folders[-2]) if len(folders) > 2 else ("", "")
    return switch, name, plain(words[-1]) if "dst:" in words else ""


def longest_standstill(samples: Iterable[SampledTransport]) -> float:
    """For how many seconds at most the transports had requests without an answer and did not move."""
    longest = 0.0
    since: dict[tuple[str, str], tuple[int, float]] = {}
    for one in samples:
        key, used = (one.switch, one.name), one.values.get("last_used", -1)
        if not one.values.get("pending_q_len"):
            since.pop(key, None)
            continue
        if key not in since or since[key][0] != used:
            since[key] = (used, one.at)
        longest = max(longest, one.at - since[key][1])
    return longest


def waiting_calls(samples: Iterable[SampledTransport]) -> list[float]:
    """Calls that the client held back at each moment: tasks that no request was sent for."""
    found: dict[float, float] = {}
    for one in samples:
        held = max(one.values.get("tasks_queuelen", 0) - one.waiting, one.values.get("backlog_q_len", 0))
        found[one.at] = found.get(one.at, 0.0) + held
    return list(found.values())


def means(samples: Sequence[SampledTransport], *names: str) -> float:
    """The mean over the moments of the sum, over all transports, of what these queues held."""
    moments = len({one.at for one in samples})
    return sum(one.values.get(name, 0) for one in samples for name in names) / moments if moments else 0.0

"""The quantities of one mount or server (rules/observations/counters.yaml), from two readings of its counters; the
conclusions from them, by the rules of rules/conclusions; and quantities as text in readable units.

Each is a whole number in its unit of the rule base. Quantities that cannot be computed, because a counter is missing,
ran backwards or has an impossible value, are left out, so that nothing is concluded from them.

`seconds`: the length of the window, None if it is not known. `old`: None if all counts of `new` belong to the window.
"""

from __future__ import annotations

from string import Formatter

from advisor.engine import holds
from advisor.named_tuple import NamedTuple
from advisor.observe.counters import OPERATION, WRAP, longest_stall, mean_length
from advisor.rulebase.model import PROBED, facts_in
from advisor.rulebase.values import NFS_VERSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from advisor.observe.counters import CountedMount, CountedTransport, SampledTransport, TcpSocket
    from advisor.observe.snapshot import PoolCounts, ServedCalls, TcpSegments
    from advisor.rulebase.model import Conclusion, RuleBase, Values

ATTRIBUTES = ("GETATTR", "ACCESS", "LOOKUP", "READDIR", "READDIRPLUS")
OPENING = ("OPEN", "OPEN_NOATTR", "CLOSE")
CHANGING = ("CREATE", "REMOVE", "RENAME", "SETATTR", "MKDIR", "LINK")
READING = ("READ", "READ_PLUS")
WRITING = ("WRITE",)
RECOVERING = ("TEST_STATEID", "FREE_STATEID")
USES = ("vfsopen", "vfslookup", "vfsaccess", "vfsgetdents", "vfssetattr", "vfslock")
DIRECT = ("directread", "directwritten")
MOVED = (*DIRECT, "normalread", "normalwritten")
PROTOCOLS = ("tcp", "tcp6", "udp", "udp6", "rdma", "rdma6")
IDLE_DISCONNECT = 300
"""Seconds of silence after which a client closes its connection, to open it again at the next call."""

_MAX_COUNT = 1 << 52
"""No counter of calls, events or queues gets this far: at a million per second it would take 140 years."""
_MAX_BYTES = 1 << 63
_MAX_AGE = 10 * 365 * 86400
_SLACK = 2
"""A line is printed while calls end, so its later numbers are a little newer than its first."""

Operations = dict[str, dict[str, int]]
"""Operation → what its numbers grew by, by the names of OPERATION."""


def _growth(old: int, new: int, most: int) -> int | None:
    """How much a 64-bit counter grew, None if it ran backwards or further than it can."""
    grown = (new - old) % WRAP
    return grown if grown < most else None


def _growth_of(name: str, old: Mapping[str, int], new: Mapping[str, int], most: int = _MAX_COUNT) -> int | None:
    """How much a named counter grew; None also if the second reading lacks it."""
    return _growth(old.get(name, 0), new[name], most) if name in new else None


def called_operations(old: CountedMount | None, new: CountedMount) -> Operations:
    """The operations that were called in the window, without those with a number that ran backwards or is
    impossible."""
    called = {}
    for name, numbers in new.operations.items():
        earlier = old.operations.get(name, (0,) * len(numbers)) if old else (0,) * len(numbers)
        grown = [_growth(before, after, _MAX_BYTES) for before, after in zip(earlier, numbers)]
        if None not in grown:
            row = dict(zip(OPERATION, (number for number in grown if number is not None)))
            if _is_possible(row, new.age):
                called[name] = row
    return called


def _is_possible(row: Mapping[str, int], age: int | None) -> bool:
    """Each call is sent at least once and at most ten times per second, and takes at least as long as its parts and at
    most as long as its mount exists."""
    calls, sent, execute = row["ops"], row["transmissions"], row["execute"]
    if max(calls, sent) >= _MAX_COUNT or calls > sent + _SLACK or max(row["queue"], row["rtt"]) > execute + _SLACK:
        return False
    longest = _MAX_AGE if age is None else age + _SLACK
    return execute <= calls * longest * 1000 and sent <= calls * longest * 10 + _SLACK


def of_mount(
    old: CountedMount | None, new: CountedMount, called: Operations, seconds: float | None
) -> dict[str, int | str]:
    """The quantities from /proc/self/mountstats."""
    version, protocol = new.options.get("vers", ""), new.options.get("proto", "")
    return {
        **({"mount.vers": version} if version in NFS_VERSIONS else {}),
        **({"mount.proto": protocol} if protocol in PROTOCOLS else {}),
        **_call_times(called, seconds), **_call_mix(called, seconds), **_data_sizes(old, new, called, seconds),
        **_transports(old, new), **_events(old, new, called),
    }


def _total(called: Operations, number: str, names: Iterable[str]) -> int:
    return sum(called[name][number] for name in names if name in called)


def _call_times(called: Operations, seconds: float | None) -> dict[str, int]:
    calls, execute, queue = (_total(called, number, called) for number in ("ops", "execute", "queue"))
    quantities = {"observed.calls": calls}
    if seconds:
        quantities["observed.window"] = round(seconds * 1000)
        quantities["observed.concurrency"] = round(execute / seconds)
        quantities["observed.in_flight"] = int(execute / seconds / 1000)
        quantities["observed.call_rate"] = round(calls * 1000 / seconds)
    if not calls:
        return quantities
    quantities.update({
        "observed.rtt": _total(called, "rtt", called) * 1000 // calls,
        "observed.execute": execute * 1000 // calls,
        "observed.queue": queue * 1000 // calls,
        "observed.resent": max(0, _total(called, "transmissions", called) - calls),
    })
    if execute:
        quantities["observed.queue_share"] = min(1000, queue * 1000 // execute)
    return quantities


def _call_mix(called: Operations, seconds: float | None) -> dict[str, int]:
    calls = _total(called, "ops", called)
    if not calls:
        return {}
    shares = {"metadata": ATTRIBUTES, "open_close": OPENING, "change": CHANGING, "read": READING,
              "recovery": RECOVERING}
    attribute_time = _total(called, "execute", ATTRIBUTES)
    quantities = {
        **{f"observed.{name}_share": _total(called, "ops", kinds) * 1000 // calls for name, kinds in shares.items()},
        "observed.recalled": max(
            0, _total(called, "ops", ("DELEGRETURN",)) - _total(called, "ops", ("REMOVE", "RENAME"))
        ),
        "observed.writes": _total(called, "ops", WRITING),
        "observed.reads": _total(called, "ops", READING),
        "observed.attribute_time": attribute_time,
        "observed.getattr_time": _total(called, "execute", ("GETATTR",)),
    }
    if seconds:
        quantities["observed.attribute_share"] = round(attribute_time / seconds)
    return quantities


def _data_sizes(
    old: CountedMount | None, new: CountedMount, called: Operations, seconds: float | None
) -> dict[str, int]:
    """How much was read and written, by programs and over the network, and how much per call."""
    quantities = {}
    sizes = {name: _growth_of(name, old.bytes if old else {}, new.bytes, _MAX_BYTES) for name in new.bytes}
    moved = [sizes.get(name) or 0 for name in MOVED]
    if all(sizes.get(name) is not None for name in MOVED) and any(moved):
        quantities["observed.direct_share"] = sum(moved[:len(DIRECT)]) * 1000 // sum(moved)
    cached, fetched, written = sizes.get("normalread"), sizes.get("serverread"), sizes.get("serverwritten")
    if cached and fetched is not None:
        quantities["observed.fetched_share"] = fetched * 1000 // cached
    for name, size, kinds in (("read", fetched, READING), ("write", written, WRITING)):
        answered = sum(row["ops"] - row.get("errors", 0) for kind, row in called.items() if kind in kinds)
        limit = new.options.get(f"{name[0]}size", "")[:12]
        if limit.isdecimal():
            quantities[f"observed.{name[0]}size"] = int(limit)
        if size and answered > 0:
            quantities[f"observed.{name}_payload"] = size // answered
            if limit.isdecimal() and int(limit):
                quantities[f"observed.payload_of_{name[0]}size"] = size // answered * 1000 // int(limit)
        if seconds:
            quantities[f"observed.{name}_rate"] = int(answered / seconds)
    if seconds and fetched is not None and written is not None:
        quantities["observed.throughput"] = int((fetched + written) / seconds) >> 20
    if "observed.write_payload" in quantities:
        quantities["observed.write_kib"] = quantities["observed.write_payload"] >> 10
    return quantities


def _transports(old: CountedMount | None, new: CountedMount) -> dict[str, int]:
    """The quantities of the transports, which other mounts of the server may share; only their number if it changed in
    the window."""
    if not new.transports:
        return {}
    quantities = {"observed.connections": len(new.transports)}
    if old is not None and len(old.transports) != len(new.transports):
        return quantities
    pairs = list(zip(old.transports if old else [None] * len(new.transports), new.transports))
    sends = _transport_growth(pairs, "sends")
    total = sum(sends or ())
    if sends and total:
        for quantity, name in (("backlog", "backlog"), ("send_queue", "sending")):
            lengths = _transport_growth(pairs, name)
            if lengths is not None:
                quantities[f"observed.{quantity}"] = sum(lengths) * 1000 // total
        if len(sends) > 1:
            quantities["observed.slowest_connection"] = min(sends) * 1000 * len(sends) // total
    late = _transport_growth(pairs, "bad_xids")
    if late is not None:
        quantities["observed.late_replies"] = sum(late)
    if old is not None:  # the first connection of a mount replaces no lost one
        awake = [pair for pair in pairs if pair[0] is not None and pair[0].counts.get("idle", 0) < IDLE_DISCONNECT]
        again = _transport_growth(awake, "connects") if all("connects" in last.counts for _, last in awake) else [0]
        if again is not None:
            quantities["observed.reconnects"] = sum(again)
    slots = [last.counts["most_slots"] for last in new.transports if "most_slots" in last.counts]
    if slots:
        quantities["observed.most_slots"] = max(slots)
    return quantities


def _transport_growth(pairs: Iterable[tuple[CountedTransport | None, CountedTransport]], name: str) -> list[int] | None:
    """How much a counter of each transport grew; None if one is missing or ran backwards."""
    growths = []
    for first, last in pairs:
        grown = _growth_of(name, first.counts if first else {}, last.counts)
        if grown is None:
            return None
        growths.append(grown)
    return growths


def _events(old: CountedMount | None, new: CountedMount, called: Operations) -> dict[str, int]:
    quantities = {}
    events = {name: _growth_of(name, old.events if old else {}, new.events) for name in new.events}
    for quantity, name in (("syncs", "vfsfsync"), ("locks", "vfslock"), ("delays", "delay"), ("opens", "vfsrelease"),
                           ("renamed_open", "sillyrename")):
        count = events.get(name)
        if count is not None:
            quantities[f"observed.{quantity}"] = count
    writes = _total(called, "ops", WRITING)
    if writes and "observed.syncs" in quantities:
        quantities["observed.syncs_per_write"] = quantities["observed.syncs"] * 1000 // writes
    uses = [events.get(name) for name in USES]
    moved = [_growth_of(name, old.bytes if old else {}, new.bytes, _MAX_BYTES) for name in MOVED]
    if None not in (*moved, *uses):
        calls = _total(called, "ops", called)
        quantities["observed.uses"] = sum(count or 0 for count in uses) + calls + (1 if any(moved) else 0)
    return quantities


def of_read_ahead(observed: Mapping[str, int | str], read_ahead: int | None) -> dict[str, int]:
    """The size of READs compared with the read-ahead in KiB, None if it is not known."""
    payload = observed.get("observed.read_payload")
    quantities = {} if read_ahead is None else {"observed.read_ahead": read_ahead}
    if isinstance(payload, int) and read_ahead:
        quantities["observed.payload_of_read_ahead"] = payload * 1000 // (read_ahead << 10)
    return quantities


def of_samples(samples: Sequence[SampledTransport]) -> dict[str, int]:
    if not samples:
        return {}
    tasks, waiting = mean_length(samples, "tasks_queuelen"), mean_length(samples, "pending_q_len", "sending_q_len")
    quantities = {"observed.stall": round(longest_stall(samples) * 1000), "observed.tasks": round(tasks * 1000)}
    limits = [sample.values["max_num_slots"] for sample in samples if sample.values.get("max_num_slots", 0) > 0]
    if limits:
        quantities["observed.slot_limit"] = min(limits)
    if waiting:
        quantities["observed.tasks_per_request"] = round(tasks * 1000 / waiting)
    return quantities


def of_sockets(
    before: Iterable[TcpSocket], after: Sequence[TcpSocket], calls: Mapping[str, int | str]
) -> dict[str, int]:
    """The quantities from the mount's TCP connections. `calls`: the quantities of the mount's calls."""
    rtt, execute = calls.get("observed.rtt"), calls.get("observed.execute")
    first = {(socket.local, socket.peer): socket.values for socket in before}
    quantities: dict[str, int] = {}
    busy = limited = weight = smooth = 0.0
    least: list[float] = []
    for socket in after:
        earlier = first.get((socket.local, socket.peer), {})
        busy += max(0.0, socket.values.get("busy", 0) - earlier.get("busy", 0))
        limited += max(0.0, socket.values.get("rwnd_limited", 0) - earlier.get("rwnd_limited", 0))
        segments = socket.values.get("data_segs_in", 0) - earlier.get("data_segs_in", 0)
        if segments > 0 and "rtt" in socket.values:
            weight += segments
            smooth += segments * socket.values["rtt"]
            if "minrtt" in socket.values:
                least.append(socket.values["minrtt"])
    if busy:
        quantities["observed.window_limited"] = min(1000, round(limited * 1000 / busy))
    if weight and isinstance(rtt, int) and rtt:
        quantities["observed.tcp_rtt"] = round(smooth * 1000 / weight)
        quantities["observed.tcp_share"] = round(smooth * 1_000_000 / weight / rtt)
        if isinstance(execute, int) and execute:
            quantities["observed.server_share"] = max(0, rtt - quantities["observed.tcp_rtt"]) * 1000 // execute
        if least:
            quantities["observed.least_tcp_rtt"] = round(min(least) * 1000)
            quantities["observed.least_tcp_share"] = round(min(least) * 1_000_000 / rtt)
    return quantities


def of_sockets_since_connect(now: Sequence[TcpSocket]) -> dict[str, int]:
    """The quantities from TCP connections in a single reading, without the smoothed round trip, which is not from the
    time of the calls."""
    quantities = of_sockets((), now, {})
    least = [socket.values["minrtt"] for socket in now if "minrtt" in socket.values]
    return {**quantities, **({"observed.least_tcp_rtt": round(min(least) * 1000)} if least else {})}


def of_segments(before: TcpSegments | None, after: TcpSegments | None) -> dict[str, int]:
    """The segments that TCP sent again, over all connections of the host."""
    if before is None or after is None:
        return {}
    sent, again = after.sent - before.sent, after.resent - before.resent
    return {"observed.segments": sent, "observed.segments_resent": again * 1000 // sent} if sent > 0 <= again else {}


def of_served_calls(before: ServedCalls | None, after: ServedCalls | None) -> dict[str, int]:
    """The calls that reached nfsd in the window; {} with a single reading, which counts since boot."""
    quantities = {}
    for quantity, first, last in zip(("repeated_calls", "v3_calls", "v40_calls"), before or (), after or ()):
        if first is not None and last is not None and last >= first:
            quantities[f"observed.{quantity}"] = last - first
    return quantities


def of_thread_pools(before: PoolCounts | None, after: PoolCounts) -> dict[str, int]:
    """The quantities of nfsd's thread pools; without a first reading, since nfsd was started."""
    packets = after.packets - (before.packets if before else 0)
    woken = after.woken - (before.woken if before else 0)
    if packets <= 0 or woken < 0:  # nothing to do, or started again
        return {}
    return {"observed.server_messages": packets, "observed.threads_woken": woken * 1000 // packets}


class TimeSpent(NamedTuple):
    """Microseconds of a mean call: in the client until it was sent, on the network, in the server, and in the client
    after the answer. Where the connection was not seen, `server` is None and `network` holds both."""

    queued: int
    network: int
    server: int | None
    after: int

    @property
    def whole(self) -> int:
        return self.queued + self.network + (self.server or 0) + self.after


def time_spent(quantities: Mapping[str, int | str]) -> TimeSpent | None:
    """None if no call took any time."""
    queue, rtt, execute = (quantities.get(f"observed.{name}") for name in ("queue", "rtt", "execute"))
    if not (isinstance(queue, int) and isinstance(rtt, int) and isinstance(execute, int)) or execute <= 0:
        return None
    tcp = quantities.get("observed.tcp_rtt")
    network, server = (min(tcp, rtt), max(0, rtt - tcp)) if isinstance(tcp, int) else (rtt, None)
    return TimeSpent(queue, network, server, max(0, execute - queue - rtt))


class DrawnConclusion(NamedTuple):
    """A conclusion of the rule base that follows from the quantities of a window. `says`: its sentence with them filled
    in. `evidence`: the names of the quantities that it rests on. `holds`: facts that it proves, as values, lists or
    bounds. `at_most`: tunable → what it can save, in words."""

    conclusion: Conclusion
    says: str
    evidence: frozenset[str]
    holds: Mapping[str, Values]
    at_most: Mapping[str, str]


def conclusions(
    base: RuleBase, quantities: Mapping[str, Values], words: Mapping[str, str] | None = None
) -> list[DrawnConclusion]:
    """The conclusions that follow for certain, in the order of the rule base: limits of the work first. `words`: those
    of PROBED, for a probe."""
    known = base.diagnosis.certain(quantities)
    return [
        _drawn(base, conclusion, quantities, words or {}) for name, conclusion in base.conclusions.items()
        if holds(base.diagnosis, f"conclusion:{name}", known) is True
    ]


def _drawn(
    base: RuleBase, conclusion: Conclusion, quantities: Mapping[str, Values], words: Mapping[str, str]
) -> DrawnConclusion:
    measured = {}  # numbers, and bounds such as ">=54"
    for fact, template in conclusion.measures.items():
        value = _filled(template, lambda quantity: str(quantities[quantity]))
        measured[fact] = int(value) if value.isdecimal() else value

    def word(field: str) -> str:
        """One that is not given is shown by its name: PATH."""
        return words.get(field, field.upper()) if field in PROBED else _measured(base, field, quantities)

    fields = {field for _, field, _, _ in Formatter().parse(conclusion.says) if field}
    return DrawnConclusion(
        conclusion, _filled(conclusion.says, word),
        frozenset((fields - {*PROBED}).union(facts_in(conclusion.when), conclusion.at_most.values())),
        {**conclusion.holds, **measured},
        {
            tunable: _measured(base, quantity, quantities)
            for tunable, quantity in conclusion.at_most.items() if quantity in quantities
        },
    )


def _filled(template: str, word: Callable[[str], str]) -> str:
    parts = Formatter().parse(template)
    return "".join(literal + ("" if field is None else word(field)) for literal, field, _, _ in parts)


def _measured(base: RuleBase, quantity: str, quantities: Mapping[str, Values]) -> str:
    """A quantity with its unit, or "?" if it is not known."""
    value, observation = quantities.get(quantity), base.observations.get(quantity)
    return measure(value, observation.unit or "") if isinstance(value, int) and observation else str(value or "?")


def measure(value: int, unit: str) -> str:
    """A whole number in a unit of rules/observations as text: "41 ms" for 41 217 microseconds, "0.85" for 853
    thousandths."""
    if unit == "microseconds":
        return f"{_rounded(value / 1000)} ms" if value < 1_000_000 else f"{_rounded(value / 1_000_000)} s"
    if unit == "milliseconds":
        return f"{value} ms" if value < 1000 else f"{_rounded(value / 1000)} s"
    if unit == "per mille":
        return f"{_rounded(value / 10)} %"
    if unit == "thousandths":
        return _rounded(value / 1000)
    if unit == "bytes":
        for size, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
            if value >= size:
                return f"{_rounded(value / size)} {name}"
    if unit == "times":
        return {1: "once", 2: "twice"}.get(value, f"{value:,} times")
    singular = value == 1 and unit.endswith("s") and not unit.endswith("/s")
    return f"{value:,} {unit[:-1] if singular else unit}".rstrip()


def _rounded(value: float) -> str:
    """Two significant digits, or all those before the decimal point."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}" if value >= 0.01 else "0"

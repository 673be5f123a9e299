"""The quantities of one mount (rules/observations/counters.yaml), from two readings of its counters.

Each is a whole number in the unit that stands there. What cannot be computed, because a counter is missing, ran
backwards or holds what no mount can have counted, is left out: nothing is concluded from it.
"""

from __future__ import annotations

from advisor.observe.mountstats import OPERATION
from advisor.observe.transports import longest_standstill, means

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.observe.mountstats import CountedMount, CountedTransport
    from advisor.observe.server import PoolCounts
    from advisor.observe.snapshot import TcpSegments
    from advisor.observe.sockets import TcpSocket
    from advisor.observe.transports import SampledTransport

METADATA = ("GETATTR", "ACCESS", "LOOKUP", "READDIR", "READDIRPLUS")
OPENING = ("OPEN", "OPEN_NOATTR", "CLOSE")
CHANGING = ("CREATE", "REMOVE", "RENAME", "SETATTR", "MKDIR", "LINK")
READING = ("READ", "READ_PLUS")
USES = ("vfsopen", "vfslookup", "vfsaccess", "vfsgetdents", "vfssetattr", "vfslock")
IDLE_DISCONNECT = 300
"""Seconds of silence after which a client closes its connection by itself, and opens it again at the next call."""
_HALF, _WRAP = 1 << 63, 1 << 64

Operations = dict[str, dict[str, int]]
"""Operation → what its numbers grew by, by the names of OPERATION."""


def _difference(old: int, new: int) -> int | None:
    """How far a counter of 64 bits went, None where it ran backwards."""
    gone = (new - old) % _WRAP
    return gone if gone < _HALF else None


def operations(old: CountedMount | None, new: CountedMount) -> Operations:
    """What was called. A line with a number that ran backwards is left out whole."""
    found = {}
    for name, row in new.operations.items():
        first = old.operations.get(name, (0,) * len(row)) if old else (0,) * len(row)
        grown = [_difference(*pair) for pair in zip(first, row)]
        if None not in grown:
            found[name] = dict(zip(OPERATION, (one for one in grown if one is not None)))
    return found


def of_mount(
    old: CountedMount | None, new: CountedMount, called: Operations, seconds: float | None
) -> dict[str, int | str]:
    """What /proc/self/mountstats tells. `old`: None where all that `new` counted belongs to the window."""
    version = new.options.get("vers", "")
    return {
        **({"mount.vers": version} if version in ("3", "4.0", "4.1", "4.2") else {}),
        **_calls(called, seconds), **_mix(called), **_connections(old, new), **_events(old, new, called),
    }


def _calls(called: Operations, seconds: float | None) -> dict[str, int]:
    rows = list(called.values())
    calls = sum(row["ops"] for row in rows)
    execute = sum(row["execute"] for row in rows)
    found = {"observed.calls": calls}
    if seconds:
        found["observed.concurrency"] = round(execute / seconds)
        found["observed.call_rate"] = round(calls * 1000 / seconds)
    if not calls:
        return found
    queue = sum(row["queue"] for row in rows)
    found.update({
        "observed.rtt": sum(row["rtt"] for row in rows) * 1000 // calls,
        "observed.execute": execute * 1000 // calls,
        "observed.queue": queue * 1000 // calls,
        "observed.resent": max(0, sum(row["transmissions"] - row["ops"] for row in rows)),
    })
    if execute:
        found["observed.queue_share"] = min(1000, queue * 1000 // execute)
    return found


def _mix(called: Operations) -> dict[str, int]:
    def count(*names: str) -> int:
        return sum(called[name]["ops"] for name in names if name in called)

    calls = count(*called)
    if not calls:
        return {}
    return {
        "observed.metadata_share": count(*METADATA) * 1000 // calls,
        "observed.open_close_share": count(*OPENING) * 1000 // calls,
        "observed.change_share": count(*CHANGING) * 1000 // calls,
        "observed.recalled": max(0, count("DELEGRETURN") - count("REMOVE", "RENAME")),
        "observed.writes": count("WRITE"),
        "observed.reads": count(*READING),
    }


def _connections(old: CountedMount | None, new: CountedMount) -> dict[str, int]:
    """Of its connections, which other mounts of the server may share. Nothing where one was added in the window."""
    if not new.transports:
        return {}
    found = {"observed.connections": len(new.transports)}
    if old is not None and len(old.transports) != len(new.transports):
        return found
    pairs = list(zip(old.transports if old else [None] * len(new.transports), new.transports))
    sends = _grown(pairs, "sends")
    total = sum(sends or ())
    if sends and total:
        for quantity, name in (("backlog", "backlog"), ("send_queue", "sending")):
            lengths = _grown(pairs, name)
            if lengths is not None:
                found[f"observed.{quantity}"] = sum(lengths) * 1000 // total
        if len(sends) > 1:
            found["observed.slowest_connection"] = min(sends) * 1000 * len(sends) // total
    late = _grown(pairs, "bad_xids")
    if late is not None:
        found["observed.late_replies"] = sum(late)
    if old is not None:  # the first connection of a mount is none that was lost
        found["observed.reconnects"] = sum(
            _difference(first.counts.get("connects", 0), last.counts.get("connects", 0)) or 0
            for first, last in pairs if first is not None and first.counts.get("idle", 0) < IDLE_DISCONNECT
        )
    return found


def _grown(pairs: Iterable[tuple[CountedTransport | None, CountedTransport]], name: str) -> list[int] | None:
    """How far a counter of each connection went; None where one is missing or ran backwards."""
    found = []
    for first, last in pairs:
        gone = _one(first.counts if first else {}, last.counts, name)
        if gone is None:
            return None
        found.append(gone)
    return found


def _events(old: CountedMount | None, new: CountedMount, called: Operations) -> dict[str, int]:
    found = {}
    for quantity, name in (("syncs", "vfsfsync"), ("locks", "vfslock"), ("delays", "delay"), ("opens", "vfsrelease"),
                           ("renamed_open", "sillyrename")):
        grown = _one(old.events if old else {}, new.events, name)
        if grown is not None:
            found[f"observed.{quantity}"] = grown
    writes = called.get("WRITE", {}).get("ops", 0)
    if writes and "observed.syncs" in found:
        found["observed.syncs_per_write"] = found["observed.syncs"] * 1000 // writes
    sizes = {name: _one(old.bytes if old else {}, new.bytes, name) for name in new.bytes}
    moved = [sizes.get(name) for name in ("directread", "directwritten", "normalread", "normalwritten")]
    every = sum(one or 0 for one in moved)
    used = [_one(old.events if old else {}, new.events, name) for name in USES]
    if None not in (*moved, *used):
        calls = sum(row["ops"] for row in called.values())
        found["observed.uses"] = sum(one or 0 for one in used) + calls + (1 if every else 0)
    if None not in moved and every:
        found["observed.direct_share"] = ((moved[0] or 0) + (moved[1] or 0)) * 1000 // every
    cached, fetched = sizes.get("normalread"), sizes.get("serverread")
    if cached and fetched is not None:
        found["observed.fetched_share"] = fetched * 1000 // cached
    answered = sum(row["ops"] - row.get("errors", 0) for name, row in called.items() if name in READING)
    if fetched and answered > 0:
        found["observed.read_payload"] = fetched // answered
    size = new.options.get("rsize", "")[:12]
    if size.isdecimal():
        found["observed.rsize"] = int(size)
    return found


def _one(old: Mapping[str, int], new: Mapping[str, int], name: str) -> int | None:
    return _difference(old.get(name, 0), new[name]) if name in new else None


def of_reads(found: Mapping[str, int | str], read_ahead: int | None) -> dict[str, int]:
    """How READs stand to what limits their size. `read_ahead`: in KiB, None where it is not known."""
    payload, size = found.get("observed.read_payload"), found.get("observed.rsize")
    told = {} if read_ahead is None else {"observed.read_ahead": read_ahead}
    if isinstance(payload, int):
        if isinstance(size, int) and size:
            told["observed.payload_of_rsize"] = payload * 1000 // size
        if read_ahead:
            told["observed.payload_of_read_ahead"] = payload * 1000 // (read_ahead << 10)
    return told


def of_queues(samples: Sequence[SampledTransport]) -> dict[str, int]:
    """What samples of the mount's transports show; nothing without samples."""
    if not samples:
        return {}
    tasks, waiting = means(samples, "tasks_queuelen"), means(samples, "pending_q_len", "sending_q_len")
    found = {"observed.stall": round(longest_standstill(samples) * 1000), "observed.tasks": round(tasks * 1000)}
    if waiting:
        found["observed.tasks_per_request"] = round(tasks * 1000 / waiting)
    return found


def of_sockets(before: Iterable[TcpSocket], after: Sequence[TcpSocket], rtt: int | str | None) -> dict[str, int]:
    """What TCP counted for the mount's connections; `rtt`: the mean time to an answer in microseconds."""
    first = {(one.local, one.peer): one.values for one in before}
    found: dict[str, int] = {}
    busy = limited = weight = smooth = 0.0
    least: list[float] = []
    for one in after:
        earlier = first.get((one.local, one.peer), {})
        busy += max(0.0, one.values.get("busy", 0) - earlier.get("busy", 0))
        limited += max(0.0, one.values.get("rwnd_limited", 0) - earlier.get("rwnd_limited", 0))
        segments = one.values.get("data_segs_in", 0) - earlier.get("data_segs_in", 0)
        if segments > 0 and "rtt" in one.values:
            weight += segments
            smooth += segments * one.values["rtt"]
            if "minrtt" in one.values:
                least.append(one.values["minrtt"])
    if busy:
        found["observed.window_limited"] = min(1000, round(limited * 1000 / busy))
    if weight and isinstance(rtt, int) and rtt:
        found["observed.tcp_rtt"] = round(smooth * 1000 / weight)
        found["observed.tcp_share"] = round(smooth * 1_000_000 / weight / rtt)
        if least:
            found["observed.least_tcp_share"] = round(min(least) * 1_000_000 / rtt)
    return found


def of_segments(before: TcpSegments | None, after: TcpSegments | None) -> dict[str, int]:
    """How much TCP sent again, over all connections of the host."""
    if before is None or after is None:
        return {}
    sent, again = after.sent - before.sent, after.resent - before.resent
    return {"observed.segments": sent, "observed.segments_resent": again * 1000 // sent} if sent > 0 <= again else {}


def of_server(before: PoolCounts | None, after: PoolCounts | None) -> dict[str, int]:
    """What the thread pools of nfsd counted; without a first reading since it was started."""
    if after is None:
        return {}
    packets = after.packets - (before.packets if before else 0)
    woken = after.woken - (before.woken if before else 0)
    if packets <= 0 or woken < 0:  # nothing to do, or started again
        return {}
    return {"observed.server_messages": packets, "observed.threads_woken": woken * 1000 // packets}

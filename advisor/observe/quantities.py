"""The quantities of one mount (rules/observations/counters.yaml), from two readings of its counters.

Each is a whole number in the unit that stands there. What cannot be computed, because a counter is missing, ran
backwards or holds what no mount can have counted, is left out: nothing is concluded from it.
"""

from __future__ import annotations

from advisor.observe.calls import FAR_BYTES, counted, of_calls, of_data, of_mix
from advisor.observe.transports import longest_standstill, means

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.observe.calls import Operations
    from advisor.observe.mountstats import CountedMount, CountedTransport
    from advisor.observe.server import PoolCounts, ServedCounts
    from advisor.observe.snapshot import TcpSegments
    from advisor.observe.sockets import TcpSocket
    from advisor.observe.transports import SampledTransport

USES = ("vfsopen", "vfslookup", "vfsaccess", "vfsgetdents", "vfssetattr", "vfslock")
MOVED = ("directread", "directwritten", "normalread", "normalwritten")
VERSIONS = ("3", "4.0", "4.1", "4.2")
PROTOCOLS = ("tcp", "tcp6", "udp", "udp6", "rdma", "rdma6")
IDLE_DISCONNECT = 300
"""Seconds of silence after which a client closes its connection by itself, and opens it again at the next call."""


def of_mount(
    old: CountedMount | None, new: CountedMount, called: Operations, seconds: float | None
) -> dict[str, int | str]:
    """What /proc/self/mountstats tells. `old`: None where all that `new` counted belongs to the window."""
    version, protocol = new.options.get("vers", ""), new.options.get("proto", "")
    return {
        **({"mount.vers": version} if version in VERSIONS else {}),
        **({"mount.proto": protocol} if protocol in PROTOCOLS else {}),
        **of_calls(called, seconds), **of_mix(called, seconds), **of_data(old, new, called, seconds),
        **_connections(old, new), **_events(old, new, called),
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
    if old is not None:  # the first connection of a mount replaces no lost one
        awake = [pair for pair in pairs if pair[0] is not None and pair[0].counts.get("idle", 0) < IDLE_DISCONNECT]
        again = _grown(awake, "connects") if all("connects" in last.counts for _, last in awake) else [0]
        if again is not None:
            found["observed.reconnects"] = sum(again)
    slots = [last.counts["most_slots"] for last in new.transports if "most_slots" in last.counts]
    if slots:
        found["observed.most_slots"] = max(slots)
    return found


def _grown(pairs: Iterable[tuple[CountedTransport | None, CountedTransport]], name: str) -> list[int] | None:
    """How far a counter of each connection went; None where one is missing or ran backwards."""
    found = []
    for first, last in pairs:
        gone = counted(first.counts if first else {}, last.counts, name)
        if gone is None:
            return None
        found.append(gone)
    return found


def _events(old: CountedMount | None, new: CountedMount, called: Operations) -> dict[str, int]:
    found = {}
    for quantity, name in (("syncs", "vfsfsync"), ("locks", "vfslock"), ("delays", "delay"), ("opens", "vfsrelease"),
                           ("renamed_open", "sillyrename")):
        grown = counted(old.events if old else {}, new.events, name)
        if grown is not None:
            found[f"observed.{quantity}"] = grown
    writes = called.get("WRITE", {}).get("ops", 0)
    if writes and "observed.syncs" in found:
        found["observed.syncs_per_write"] = found["observed.syncs"] * 1000 // writes
    used = [counted(old.events if old else {}, new.events, name) for name in USES]
    moved = [counted(old.bytes if old else {}, new.bytes, name, FAR_BYTES) for name in MOVED]
    if None not in (*moved, *used):
        calls = sum(row["ops"] for row in called.values())
        found["observed.uses"] = sum(one or 0 for one in used) + calls + (1 if any(moved) else 0)
    return found


def of_reads(found: Mapping[str, int | str], read_ahead: int | None) -> dict[str, int]:
    """How READs stand to the read-ahead. `read_ahead`: in KiB, None where it is not known."""
    payload = found.get("observed.read_payload")
    quantities = {} if read_ahead is None else {"observed.read_ahead": read_ahead}
    if isinstance(payload, int) and read_ahead:
        quantities["observed.payload_of_read_ahead"] = payload * 1000 // (read_ahead << 10)
    return quantities


def of_queues(samples: Sequence[SampledTransport]) -> dict[str, int]:
    """What samples of the mount's transports show; nothing without samples."""
    if not samples:
        return {}
    tasks, waiting = means(samples, "tasks_queuelen"), means(samples, "pending_q_len", "sending_q_len")
    found = {"observed.stall": round(longest_standstill(samples) * 1000), "observed.tasks": round(tasks * 1000)}
    limits = [each.values["max_num_slots"] for each in samples if each.values.get("max_num_slots", 0) > 0]
    if limits:
        found["observed.slot_limit"] = min(limits)
    if waiting:
        found["observed.tasks_per_request"] = round(tasks * 1000 / waiting)
    return found


def of_sockets(
    before: Iterable[TcpSocket], after: Sequence[TcpSocket], calls: Mapping[str, int | str]
) -> dict[str, int]:
    """What TCP counted for the mount's connections; `calls`: what is known of its calls."""
    rtt, execute = calls.get("observed.rtt"), calls.get("observed.execute")
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
        if isinstance(execute, int) and execute:
            found["observed.server_share"] = max(0, rtt - found["observed.tcp_rtt"]) * 1000 // execute
        if least:
            found["observed.least_tcp_rtt"] = round(min(least) * 1000)
            found["observed.least_tcp_share"] = round(min(least) * 1_000_000 / rtt)
    return found


def of_connections(now: Sequence[TcpSocket]) -> dict[str, int]:
    """What TCP tells with one reading: since each connection was made. Its mean round trip is of another time than the
    calls, so nothing is made of that."""
    found = of_sockets((), now, {})
    least = [one.values["minrtt"] for one in now if "minrtt" in one.values]
    return {**found, **({"observed.least_tcp_rtt": round(min(least) * 1000)} if least else {})}


def of_segments(before: TcpSegments | None, after: TcpSegments | None) -> dict[str, int]:
    """How much TCP sent again, over all connections of the host."""
    if before is None or after is None:
        return {}
    sent, again = after.sent - before.sent, after.resent - before.resent
    return {"observed.segments": sent, "observed.segments_resent": again * 1000 // sent} if sent > 0 <= again else {}


def of_served(before: ServedCounts | None, after: ServedCounts | None) -> dict[str, int]:
    """Which calls reached nfsd in the window; nothing with one reading, which counts since the host was started."""
    found = {}
    for quantity, first, last in zip(("repeated_calls", "v3_calls", "v40_calls"), before or (), after or ()):
        if first is not None and last is not None and last >= first:
            found[f"observed.{quantity}"] = last - first
    return found


def of_server(before: PoolCounts | None, after: PoolCounts | None) -> dict[str, int]:
    """What the thread pools of nfsd counted; without a first reading since it was started."""
    if after is None:
        return {}
    packets = after.packets - (before.packets if before else 0)
    woken = after.woken - (before.woken if before else 0)
    if packets <= 0 or woken < 0:  # nothing to do, or started again
        return {}
    return {"observed.server_messages": packets, "observed.threads_woken": woken * 1000 // packets}

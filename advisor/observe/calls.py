"""The calls of one mount between two readings: how many, of which kinds, how large, and how long they took."""

from __future__ import annotations

from advisor.observe.mountstats import OPERATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.observe.mountstats import CountedMount

ATTRIBUTES = ("GETATTR", "ACCESS", "LOOKUP", "READDIR", "READDIRPLUS")
OPENING = ("OPEN", "OPEN_NOATTR", "CLOSE")
CHANGING = ("CREATE", "REMOVE", "RENAME", "SETATTR", "MKDIR", "LINK")
READING = ("READ", "READ_PLUS")
RECOVERING = ("TEST_STATEID", "FREE_STATEID")
_WRAP = 1 << 64
_FAR = 1 << 52
"""No counter of calls, events or queues goes so far: at a million a second it would take 140 years."""
FAR_BYTES = 1 << 63
_LONGEST = 10 * 365 * 86400
_SLACK = 2
"""Of a line that is printed while calls end, the later numbers are a little newer than the first."""

Operations = dict[str, dict[str, int]]
"""Operation → what its numbers grew by, by the names of OPERATION."""


def difference(old: int, new: int, far: int = _FAR) -> int | None:
    """How far a counter of 64 bits went, None where it ran backwards, or further than it can."""
    gone = (new - old) % _WRAP
    return gone if gone < far else None


def counted(old: Mapping[str, int], new: Mapping[str, int], name: str, far: int = _FAR) -> int | None:
    """The same of a named counter; None where the second reading lacks it."""
    return difference(old.get(name, 0), new[name], far) if name in new else None


def operations(old: CountedMount | None, new: CountedMount) -> Operations:
    """What was called. A line with a number that ran backwards, or that cannot be, is left out whole."""
    found = {}
    for name, row in new.operations.items():
        first = old.operations.get(name, (0,) * len(row)) if old else (0,) * len(row)
        grown = [difference(*pair, FAR_BYTES) for pair in zip(first, row)]
        if None not in grown:
            counts = dict(zip(OPERATION, (each for each in grown if each is not None)))
            if _can_be(counts, new.age):
                found[name] = counts
    return found


def _can_be(counts: Mapping[str, int], age: int | None) -> bool:
    """Each call is sent at least once, is as long as its parts, no older than its mount, and is not sent again more
    often than each tenth of a second."""
    calls, sent, execute = counts["ops"], counts["transmissions"], counts["execute"]
    if max(calls, sent) >= _FAR or calls > sent + _SLACK or max(counts["queue"], counts["rtt"]) > execute + _SLACK:
        return False
    longest = _LONGEST if age is None else age + _SLACK
    return execute <= calls * longest * 1000 and sent <= calls * longest * 10 + _SLACK


def of_calls(called: Operations, seconds: float | None) -> dict[str, int]:
    """How many calls, and how long they took. `seconds`: the length of the window, None where it is not known."""
    rows = list(called.values())
    calls = sum(row["ops"] for row in rows)
    execute = sum(row["execute"] for row in rows)
    found = {"observed.calls": calls}
    if seconds:
        found["observed.window"] = round(seconds * 1000)
        found["observed.concurrency"] = round(execute / seconds)
        found["observed.in_flight"] = int(execute / seconds / 1000)
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


def of_mix(called: Operations, seconds: float | None) -> dict[str, int]:
    """Of which kinds they were, and what those that ask for attributes took."""
    calls = _sum(called, "ops", *called)
    if not calls:
        return {}
    asking = _sum(called, "execute", *ATTRIBUTES)
    found = {
        "observed.metadata_share": _sum(called, "ops", *ATTRIBUTES) * 1000 // calls,
        "observed.open_close_share": _sum(called, "ops", *OPENING) * 1000 // calls,
        "observed.change_share": _sum(called, "ops", *CHANGING) * 1000 // calls,
        "observed.read_share": _sum(called, "ops", *READING) * 1000 // calls,
        "observed.recovery_share": _sum(called, "ops", *RECOVERING) * 1000 // calls,
        "observed.recalled": max(0, _sum(called, "ops", "DELEGRETURN") - _sum(called, "ops", "REMOVE", "RENAME")),
        "observed.writes": _sum(called, "ops", "WRITE"),
        "observed.reads": _sum(called, "ops", *READING),
        "observed.attribute_time": asking,
        "observed.getattr_time": _sum(called, "execute", "GETATTR"),
    }
    if seconds:
        found["observed.attribute_share"] = round(asking / seconds)
    return found


def of_data(old: CountedMount | None, new: CountedMount, called: Operations, seconds: float | None) -> dict[str, int]:
    """How much was read and written, by programs and over the network, and in which pieces."""
    found = {}
    sizes = {name: counted(old.bytes if old else {}, new.bytes, name, FAR_BYTES) for name in new.bytes}
    moved = [sizes.get(name) for name in ("directread", "directwritten", "normalread", "normalwritten")]
    every = sum(each or 0 for each in moved)
    if None not in moved and every:
        found["observed.direct_share"] = ((moved[0] or 0) + (moved[1] or 0)) * 1000 // every
    cached, fetched, written = sizes.get("normalread"), sizes.get("serverread"), sizes.get("serverwritten")
    if cached and fetched is not None:
        found["observed.fetched_share"] = fetched * 1000 // cached
    for name, size, direction in (("read", fetched, READING), ("write", written, ("WRITE",))):
        answered = sum(row["ops"] - row.get("errors", 0) for kind, row in called.items() if kind in direction)
        limit = new.options.get(f"{name[0]}size", "")[:12]
        if limit.isdecimal():
            found[f"observed.{name[0]}size"] = int(limit)
        if size and answered > 0:
            found[f"observed.{name}_payload"] = size // answered
            if limit.isdecimal() and int(limit):
                found[f"observed.payload_of_{name[0]}size"] = size // answered * 1000 // int(limit)
        if seconds:
            found[f"observed.{name}_rate"] = int(answered / seconds)
    if seconds and fetched is not None and written is not None:
        found["observed.throughput"] = int((fetched + written) / seconds) >> 20
    if "observed.write_payload" in found:
        found["observed.write_kib"] = found["observed.write_payload"] >> 10
    return found


def _sum(called: Operations, number: str, *names: str) -> int:
    return sum(called[name][number] for name in names if name in called)

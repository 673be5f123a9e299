"""What lies between two readings, mount by mount."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe import quantities
from advisor.observe.calls import operations
from advisor.observe.whose import Shares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.observe.calls import Operations
    from advisor.observe.mountstats import CountedMount
    from advisor.observe.snapshot import Snapshot
    from advisor.observe.transports import SampledTransport

_LONGEST = 10 * 365 * 86400.0
_SLACK = 2.0
"""Ages are whole seconds: a mount that grew older by so much less than the window was mounted again in it."""


class MountWindow(NamedTuple):
    """What one mount did in `seconds` (None: not known), or, with `since_mount`, since it was mounted: then all is an
    average over days or months. `operations`: what was called, of which `calls` are the numbers. `local`: the server is
    this host. `options`: those in effect. `mounted`: it was mounted, perhaps again, in the window."""

    target: str
    source: str
    seconds: float | None
    since_mount: bool
    operations: Operations
    quantities: Mapping[str, int | str]
    local: bool
    options: Mapping[str, str]
    mounted: bool

    @property
    def calls(self) -> dict[str, int]:
        return {name: row["ops"] for name, row in self.operations.items() if row["ops"]}



def windows(
    before: Snapshot | None, after: Snapshot, samples: Sequence[SampledTransport] = ()
) -> list[MountWindow]:
    """The NFS mounts of the second reading, in its order. One that was mounted between the two counts from then on;
    without a first reading all count since they were mounted."""
    seconds = None
    if before is not None and before.uptime is not None and after.uptime is not None:
        seconds = _length(after.uptime - before.uptime)
    earlier = {} if before is None else dict(_keyed(before.mounts))
    shares = Shares(after, samples)
    return [_window((before, after), earlier.get(key), mount, seconds, shares) for key, mount in _keyed(after.mounts)]


def _length(seconds: float) -> float | None:
    """A length that a window can have, None where a clock was damaged or began anew."""
    return seconds if 0 < seconds < _LONGEST else None


def vanished(before: Snapshot, after: Snapshot) -> list[str]:
    """Targets of the first reading that are not in the second."""
    left = {key for key, _ in _keyed(after.mounts)}
    return [mount.target for key, mount in _keyed(before.mounts) if key not in left]


def server_quantities(before: Snapshot | None, after: Snapshot) -> dict[str, int]:
    """What the server of this host counted; nothing where none runs."""
    if after.pools is None:
        return {}
    counted = quantities.of_server(None if before is None else before.pools, after.pools)
    return {**counted, **quantities.of_served(None if before is None else before.served, after.served)}


def _keyed(mounts: Iterable[CountedMount]) -> Iterable[tuple[tuple[str, str, str, int], CountedMount]]:
    """Several file systems may be mounted on one folder, even the same one twice: the order tells them apart."""
    seen: dict[tuple[str, str, str], int] = {}
    for one in mounts:
        key = (one.target, one.source, one.fstype)
        seen[key] = seen.get(key, -1) + 1
        yield (*key, seen[key]), one


def _window(
    read: tuple[Snapshot | None, Snapshot], old: CountedMount | None, new: CountedMount, seconds: float | None,
    shares: Shares,
) -> MountWindow:
    before, after = read
    if old is not None and old.age is not None and new.age is not None:
        grown = new.age - old.age
        if grown < 0 or (seconds is not None and grown < seconds - _SLACK):
            old = None  # it was unmounted and mounted again
        elif seconds is None:
            seconds = _length(float(grown))
    since_mount = old is None and (before is None or seconds is None or new.age is None or new.age > seconds + _SLACK)
    if since_mount:
        seconds = None if new.age is None else _length(float(new.age))
    elif old is None and seconds is not None and new.age is not None:
        seconds = min(seconds, new.age + 1.0)
    called = operations(old, new)
    found = quantities.of_mount(old, new, called, seconds)
    place = after.places.get(new.target)
    found.update(quantities.of_reads(found, after.read_ahead.get(place.device) if place else None))
    sharing = shares.sharing(new)
    if sharing:
        found["observed.sharing"] = sharing
    address = shares.server(new)[0]
    if before is not None and not since_mount:
        found.update(quantities.of_queues(shares.sampled(new) or ()))
        sockets = shares.sockets(after, new)
        if sockets:
            found.update(quantities.of_sockets(shares.sockets(before, new) or (), sockets, found))
        if str(found.get("mount.proto", "")).startswith("tcp"):
            found.update(quantities.of_segments(before.segments, after.segments))
    elif since_mount:
        found.update(quantities.of_connections(shares.sockets(after, new) or ()))
    mounted = before is not None and old is None and not since_mount
    return MountWindow(new.target, new.source, seconds, since_mount, called, found, _is_here(address, after),
                       new.options, mounted)


def _is_here(address: str, after: Snapshot) -> bool:
    """Whether the server's address is one of this host."""
    return address.startswith("127.") or address == "::1" or any(
        one.local[0] == one.peer[0] == address for one in after.sockets
    )

"""The difference between two readings, for each mount."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe import quantities
from advisor.observe.connections import MountConnections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from advisor.observe.connections import SampledTransport
    from advisor.observe.mountstats import CountedMount
    from advisor.observe.quantities import Operations
    from advisor.observe.snapshot import Snapshot

    Mounted = TypeVar("Mounted", CountedMount, "MountWindow")

_LONGEST = 10 * 365 * 86400.0
_SLACK = 2.0
"""Ages are whole seconds: a mount that aged by this much less than the window is long was mounted again in it."""

MountKey = tuple[str, str, int]
"""Target and source of a mount, and which of several with both."""


class MountWindow(NamedTuple):
    """What one mount did in `seconds` (None: not known). `since_mount`: this is the time since it was mounted, so
    numbers may be averages over months. `mounted`: it was mounted, perhaps again, in the window. `operations`: those
    that were called. `local`: the server is this host. `options`: those in effect."""

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


def with_keys(mounts: Iterable[Mounted]) -> Iterator[tuple[MountKey, Mounted]]:
    """(key, mount) of each mount or window, with keys that are the same in each reading. Several file systems may be
    mounted on one folder, even the same one twice: their order distinguishes them."""
    seen: dict[tuple[str, str], int] = {}
    for mount in mounts:
        number = seen[mount.target, mount.source] = seen.get((mount.target, mount.source), -1) + 1
        yield (mount.target, mount.source, number), mount


def windows(
    before: Snapshot | None, after: Snapshot, samples: Sequence[SampledTransport] = ()
) -> list[MountWindow]:
    """The NFS mounts of the second reading, in its order. One that was mounted between the two counts from then on;
    without a first reading all count since they were mounted."""
    seconds = None
    if before is not None and before.uptime is not None and after.uptime is not None:
        seconds = _possible_length(after.uptime - before.uptime)
    earlier = {} if before is None else dict(with_keys(before.mounts))
    connections = MountConnections(after, samples)
    return [_window(before, connections, earlier.get(key), mount, seconds) for key, mount in with_keys(after.mounts)]


def unmounted_targets(before: Snapshot, after: Snapshot) -> list[str]:
    """Targets of the first reading that are not in the second."""
    still_mounted = {key for key, _ in with_keys(after.mounts)}
    return [mount.target for key, mount in with_keys(before.mounts) if key not in still_mounted]


def server_quantities(before: Snapshot | None, after: Snapshot) -> dict[str, int]:
    """What the NFS server of this host counted; nothing if none runs."""
    if after.pools is None:
        return {}
    return {
        **quantities.of_thread_pools(None if before is None else before.pools, after.pools),
        **quantities.of_served_calls(None if before is None else before.served, after.served),
    }


def _possible_length(seconds: float) -> float | None:
    """The length of a window; None if it is impossible, because of a reboot or a damaged file."""
    return seconds if 0 < seconds < _LONGEST else None


def _window(
    before: Snapshot | None, connections: MountConnections, old: CountedMount | None, new: CountedMount,
    seconds: float | None,
) -> MountWindow:
    after = connections.last
    if old is not None and old.age is not None and new.age is not None:
        grown = new.age - old.age
        if grown < 0 or (seconds is not None and grown < seconds - _SLACK):
            old = None  # it was unmounted and mounted again
        elif seconds is None:
            seconds = _possible_length(float(grown))
    since_mount = old is None and (before is None or seconds is None or new.age is None or new.age > seconds + _SLACK)
    if since_mount:
        seconds = None if new.age is None else _possible_length(float(new.age))
    elif old is None and seconds is not None and new.age is not None:
        seconds = min(seconds, new.age + 1.0)
    called = quantities.called_operations(old, new)
    observed = quantities.of_mount(old, new, called, seconds)
    mounted_from = after.mounted_from.get(new.target)
    observed.update(quantities.of_read_ahead(
        observed, after.read_ahead.get(mounted_from.device) if mounted_from else None
    ))
    sharing = connections.sharing(new)
    if sharing:
        observed["observed.sharing"] = sharing
    sockets = connections.sockets(after, new) or ()
    if since_mount:
        observed.update(quantities.of_sockets_since_connect(sockets))
    elif before is not None:
        observed.update(quantities.of_samples(connections.samples(new) or ()))
        observed.update(quantities.of_sockets(connections.sockets(before, new) or (), sockets, observed))
        if str(observed.get("mount.proto", "")).startswith("tcp"):
            observed.update(quantities.of_segments(before.segments, after.segments))
    mounted = before is not None and old is None and not since_mount
    return MountWindow(new.target, new.source, seconds, since_mount, called, observed,
                       _is_this_host(connections.server(new)[0], after), new.options, mounted)


def _is_this_host(address: str, reading: Snapshot) -> bool:
    return address.startswith("127.") or address == "::1" or any(
        socket.local[0] == socket.peer[0] == address for socket in reading.sockets
    )

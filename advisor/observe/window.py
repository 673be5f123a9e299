"""What each mount did between two readings, as the rule base judges it: once, or for a window that moves."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.named_tuple import NamedTuple
from advisor.observe import quantities, snapshot
from advisor.observe.counters import NFS_PORT, CountedMount, SampledTransport, TcpSocket, held_back_calls, read_samples
from advisor.observe.quantities import DrawnConclusion, Operations, conclusions
from advisor.observe.snapshot import KERNEL, Recording, Snapshot
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar


    Mounted = TypeVar("Mounted", CountedMount, "MountWindow")

_LONGEST = 10 * 365 * 86400.0
_SLACK = 2.0
"""Ages are whole seconds: a mount that aged by this much less than the window is long was mounted again in it."""

MountKey = tuple[str, str, int]
"""Target and source of a mount, and which of several with both."""
HISTORY = 240
"""Steps that are kept."""
_PARTS = 12
"""The window moves in steps of its length divided by this."""


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


def windows(before: Snapshot | None, after: Snapshot, samples: Sequence[SampledTransport] = ()) -> list[MountWindow]:
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
    sockets = connections.sockets(after, new)
    if since_mount:
        observed.update(quantities.of_sockets_since_connect(sockets))
    elif before is not None:
        observed.update(quantities.of_samples(connections.samples(new)))
        observed.update(quantities.of_sockets(connections.sockets(before, new), sockets, observed))
        if str(observed.get("mount.proto", "")).startswith("tcp"):
            observed.update(quantities.of_segments(before.segments, after.segments))
    mounted = before is not None and old is None and not since_mount
    address = connections.server(new)[0]
    local = address.startswith("127.") or address == "::1" or any(
        socket.local[0] == socket.peer[0] == address for socket in after.sockets
    )
    return MountWindow(new.target, new.source, seconds, since_mount, called, observed, local, new.options, mounted)


class MountConnections:
    """Assigns transports and connections to the mounts of the last reading. Several mounts of one server share them,
    and mountstats shows the local ports of NFSv3 only."""

    def __init__(self, last: Snapshot, samples: Sequence[SampledTransport]) -> None:
        self.last = last
        self._samples = samples
        self._claimed_ports: dict[tuple[str, int], set[int]] = {}
        self._clients_without_port: dict[tuple[str, int], set[str]] = {}
        self._mounts = Counter((self.server(mount), _client(mount)) for mount in last.mounts)
        for mount in last.mounts:
            server, ports = self.server(mount), _ports(mount)
            self._claimed_ports.setdefault(server, set()).update(ports)
            if not ports:
                self._clients_without_port.setdefault(server, set()).add(_client(mount))

    def server(self, mount: CountedMount) -> tuple[str, int]:
        """Address and port."""
        mounted_from = self.last.mounted_from.get(mount.target)
        port = mount.options.get("port", "")
        return (mounted_from.address if mounted_from else "",
                int(port) if port.isdecimal() and int(port[:6]) else NFS_PORT)

    def samples(self, mount: CountedMount) -> list[SampledTransport]:
        """The samples of the mount's transports, none if they cannot be distinguished from those of others."""
        is_own = self._filter(mount)
        return [
            sample for sample in self._samples
            if is_own((sample.address, sample.values.get("dst_port")), sample.values.get("src_port"))
        ]

    def sockets(self, reading: Snapshot, mount: CountedMount) -> list[TcpSocket]:
        """The mount's connections in a reading, none if they cannot be distinguished from those of others."""
        is_own = self._filter(mount)
        return [each for each in reading.sockets if is_own(each.peer, each.local[1])]

    def sharing(self, mount: CountedMount) -> int:
        """How many mounts, this one included, use its connections; 0 if nothing was sent over them."""
        used = any(transport.counts.get("sends") for transport in mount.transports)
        return self._mounts[self.server(mount), _client(mount)] if used else 0

    def _filter(self, mount: CountedMount) -> Callable[[tuple[str, int | None], int | None], bool]:
        """Whether a connection to this peer, from this port, is the mount's. That can be told if the mount has its own
        port, or is of the only client without ports of its server."""
        server, ports = self.server(mount), _ports(mount)
        if not server[0] or not (ports or len(self._clients_without_port[server]) == 1):
            return lambda _peer, _port: False
        claimed = self._claimed_ports[server]
        return lambda peer, port: peer == server and (port in ports if ports else port not in claimed)


def _ports(mount: CountedMount) -> set[int]:
    return {transport.counts["port"] for transport in mount.transports if transport.counts.get("port")}


def _client(mount: CountedMount) -> str:
    """A key for the RPC client of a mount: mounts of one server with equal transport counters share it."""
    return repr([(transport.protocol, transport.counts) for transport in mount.transports])


class JudgedMount(NamedTuple):
    """`conclusions`: limits, troubles, and descriptions of the work; `notes`: further conclusions. Both include those
    about the server, if it is this host."""

    window: MountWindow
    conclusions: list[DrawnConclusion]
    notes: list[DrawnConclusion]


class KernelMessage(NamedTuple):
    """A message of kb/messages that the kernel logged in the window. `text`: the first such line; `times`: how many
    there were."""

    id: str
    text: str
    times: int


class ObserveReport(NamedTuple):
    """`server`, `server_conclusions`, `server_notes`: of the NFS server on this host; `serves`: there is one. `gone`:
    targets of mounts that ended in the window. `unseen`: sentences about what could not be read. `kernel`: what the
    kernel logged."""

    mounts: list[JudgedMount]
    server: Mapping[str, int]
    server_conclusions: list[DrawnConclusion]
    server_notes: list[DrawnConclusion]
    serves: bool
    gone: list[str]
    unseen: list[str]
    kernel: Sequence[KernelMessage] = ()

    @property
    def empty(self) -> bool:
        return not (self.mounts or self.gone or self.serves)


def judge(base: RuleBase, recording: Recording, wanted: Callable[[str], bool] = lambda _: True) -> ObserveReport:
    """Judges a recording. `wanted`: whether to report the mount of a target."""
    before, after = recording.before, recording.after
    server = server_quantities(before, after)
    server_conclusions, server_notes = _conclusions_and_notes(base, server, "server")
    mounts = []
    for window in windows(before, after, recording.samples):
        if wanted(window.target):
            mount_conclusions, notes = _conclusions_and_notes(base, window.quantities, "mount")
            mounts.append(
                JudgedMount(window, mount_conclusions + server_conclusions, notes + server_notes) if window.local
                else JudgedMount(window, mount_conclusions, notes)
            )
    gone = [target for target in unmounted_targets(before, after) if wanted(target)] if before else []
    return ObserveReport(mounts, server, server_conclusions, server_notes, after.pools is not None, gone,
                         _unseen(recording) if mounts else [])


def _conclusions_and_notes(
    base: RuleBase, quantities: Mapping[str, int | str], about: str
) -> tuple[list[DrawnConclusion], list[DrawnConclusion]]:
    drawn = [each for each in conclusions(base, quantities) if each.conclusion.of == about] if quantities else []
    notes = [each for each in drawn if each.conclusion.kind in ("verdict", "note")]
    return [each for each in drawn if each not in notes], notes


def _unseen(recording: Recording) -> list[str]:
    if recording.before is None:
        return ["There is only one reading: all numbers are averages since each mount, and hide what happens only "
                "now and then."]
    sentences = []
    if not recording.samples:
        sentences.append("The queues of the transports (/sys/kernel/sunrpc) were not seen, so stalls and session slots "
                         "are unknown. Linux 5.14 and later show them.")
    if not recording.after.sockets:
        sentences.append("The TCP connections were not seen, so it is unknown whether the server or the network takes "
                         "the time.")
    if KERNEL not in recording.after.texts:
        sentences.append("The kernel's messages (dmesg) were not read; on many hosts only root may read them.")
    return sentences


class MountStep(NamedTuple):
    """What a mount did between two readings: calls per second, milliseconds of a mean call (None without calls), and
    how many calls waited in the client at a time, on average."""

    rate: float
    time: float | None
    waiting: float


class RollingWindow:
    """`span`: seconds of the window that is judged; `wanted`: whether to report the mount of a target.

    `steps`: mount of the last reading → what it did, step by step."""

    def __init__(self, base: RuleBase, span: float, wanted: Callable[[str], bool] = lambda _: True) -> None:
        self.base, self.span, self.wanted = base, span, wanted
        self.steps: dict[MountKey, deque[MountStep]] = {}
        self._readings: deque[tuple[float, Snapshot]] = deque()
        self._samples: deque[tuple[float, Sequence[SampledTransport]]] = deque()
        self._last: tuple[float, Snapshot] | None = None

    def add(self, at: float, reading: Snapshot, samples: Sequence[SampledTransport] = ()) -> None:
        """Adds a reading, at a time in seconds, with the samples of transports since the previous one."""
        if self._last is not None:
            earlier, self.steps = self.steps, {}
            for key, window in with_keys(windows(self._last[1], reading)):
                self.steps[key] = earlier.get(key) or deque(maxlen=HISTORY)
                self.steps[key].append(_step(window))
        self._last = at, reading
        self._samples.append((at, samples))
        if not self._readings or at - self._readings[-1][0] >= self.span / _PARTS:
            self._readings.append((at, reading))
        while len(self._readings) > 1 and at - self._readings[1][0] >= self.span:
            self._readings.popleft()
        while self._samples and self._samples[0][0] <= self._readings[0][0]:
            self._samples.popleft()

    @property
    def seconds(self) -> float:
        """The length of the window so far, in seconds."""
        return self._last[0] - self._readings[0][0] if self._last else 0.0

    def report(self) -> ObserveReport:
        """Judges the window; after the first reading, the time since each file system was mounted."""
        assert self._last is not None, "a reading must have been added"
        first, last = self._readings[0][1], self._last[1]
        samples = [sample for _, some in self._samples for sample in some]
        return judge(self.base, Recording(None if first is last else first, last, samples), self.wanted)


class HostFeed:
    """Reads this host, or the files below `root`, every `every` seconds."""

    def __init__(self, rolling: RollingWindow, every: float, root: str = "") -> None:
        self.rolling, self.every, self.root = rolling, every, root
        self.ended = threading.Event()

    def run(self, show: Callable[[RollingWindow], None]) -> None:
        """Calls `show` after each reading until `ended` is set. For a separate thread, so that nobody waits for a
        reading."""
        samples: list[str] = []
        last = float("-inf")
        while not self.ended.is_set():
            now = time.monotonic()
            if now - last >= self.every:  # which may have changed meanwhile
                self.read(now, "".join(samples))
                show(self.rolling)
                samples, last = [], now
            samples.append(snapshot.sample(self.root))
            self.ended.wait(min(snapshot.SAMPLE_INTERVAL, max(0.0, last + self.every - time.monotonic())))

    def read(self, at: float, samples: str) -> None:
        """Reads the counters, at a time in seconds. `samples`: of the transports since the previous reading."""
        self.rolling.add(at, snapshot.Snapshot(snapshot.snapshot(self.root)), read_samples(samples))


def waiting_calls(recording: Recording) -> dict[MountKey, list[float]]:
    """Mount → calls that waited in the client at each sample of its transports; only mounts that have samples."""
    connections = MountConnections(recording.after, recording.samples)
    by_mount = {}
    for key, mount in with_keys(recording.after.mounts):
        samples = connections.samples(mount)
        if samples:
            by_mount[key] = held_back_calls(samples)
    return by_mount


def _step(window: MountWindow) -> MountStep:
    rows = window.operations.values()
    calls, seconds = sum(row["ops"] for row in rows), window.seconds or 0.0
    if window.since_mount or not seconds:
        return MountStep(0.0, None, 0.0)
    time = sum(row["execute"] for row in rows) / calls if calls else None
    return MountStep(calls / seconds, time, sum(row["queue"] for row in rows) / 1000 / seconds)

"""Continuous observation: what each mount did from one reading to the next, and a moving window."""

from __future__ import annotations

from collections import deque

from advisor.named_tuple import NamedTuple
from advisor.observe.connections import MountConnections, held_back_calls
from advisor.observe.recording import Recording
from advisor.observe.report import ObserveReport, judge
from advisor.observe.window import windows, with_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from advisor.observe.connections import SampledTransport
    from advisor.observe.snapshot import Snapshot
    from advisor.observe.window import MountKey, MountWindow
    from advisor.rulebase.model import RuleBase

HISTORY = 240
"""Steps that are kept."""
_PARTS = 12
"""The window moves in steps of its length divided by this."""


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

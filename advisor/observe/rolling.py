"""Watching as it goes on: what each mount did between two readings after one another, and a window that moves along."""

from __future__ import annotations

from collections import deque

from advisor.named_tuple import NamedTuple
from advisor.observe.recording import Recording
from advisor.observe.report import ObserveReport, judge
from advisor.observe.transports import waiting_calls
from advisor.observe.whose import Shares
from advisor.observe.window import windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from advisor.observe.mountstats import CountedMount
    from advisor.observe.snapshot import Snapshot
    from advisor.observe.transports import SampledTransport
    from advisor.observe.window import MountWindow
    from advisor.rulebase.model import RuleBase

    Mounted = TypeVar("Mounted", CountedMount, MountWindow)

HISTORY = 240
"""Steps that are remembered."""
_PARTS = 12
"""Into so many parts the window is cut: it moves along by one of them."""

Name = tuple[str, str, int]
"""Target and source of a mount, and which of several with both."""


class MountStep(NamedTuple):
    """What a mount did between two readings: calls a second, milliseconds of a mean call (None without calls), and
    how many calls waited in the client at a time, on average."""

    rate: float
    time: float | None
    waiting: float


class Rolling:
    """`span`: seconds of the window that is judged; `wanted`: whether the mount of a target is asked for.

    `steps`: mount of the last reading → what it did, step by step."""

    def __init__(self, base: RuleBase, span: float, wanted: Callable[[str], bool] = lambda _: True) -> None:
        self.base, self.span, self.wanted = base, span, wanted
        self.steps: dict[Name, deque[MountStep]] = {}
        self._kept: deque[tuple[float, Snapshot]] = deque()
        self._looks: deque[tuple[float, Sequence[SampledTransport]]] = deque()
        self._last: tuple[float, Snapshot] | None = None

    def add(self, at: float, now: Snapshot, looks: Sequence[SampledTransport] = ()) -> None:
        """One more reading, at a time in seconds, and what was seen of the transports since the one before."""
        if self._last is not None:
            before, self.steps = self.steps, {}
            for name, window in named(windows(self._last[1], now)):
                self.steps[name] = before.get(name) or deque(maxlen=HISTORY)
                self.steps[name].append(_step(window))
        self._last = at, now
        self._looks.append((at, looks))
        if not self._kept or at - self._kept[-1][0] >= self.span / _PARTS:
            self._kept.append((at, now))
        while len(self._kept) > 1 and at - self._kept[1][0] >= self.span:
            self._kept.popleft()
        while self._looks and self._looks[0][0] <= self._kept[0][0]:
            self._looks.popleft()

    @property
    def seconds(self) -> float:
        """How long the window is so far."""
        return self._last[0] - self._kept[0][0] if self._last else 0.0

    def judged(self) -> ObserveReport:
        """What the window shows; after the first reading, what has been counted since each mount was made."""
        assert self._last is not None, "something must have been read"
        now = self._last[1]
        first = self._kept[0][1]
        looks = [one for _, some in self._looks for one in some]
        return judge(self.base, Recording(None if first is now else first, now, looks), self.wanted)


def queues(read: Recording) -> dict[Name, list[float]]:
    """Mount → calls that waited in the client at each look at its transports; nothing where these were not seen."""
    shares = Shares(read.after, read.samples)
    found = {}
    for name, mount in named(read.after.mounts):
        sampled = shares.sampled(mount)
        if sampled:
            found[name] = waiting_calls(sampled)
    return found


def named(mounts: Iterable[Mounted]) -> Iterator[tuple[Name, Mounted]]:
    """Mounts, or what they did, with names that stay the same from reading to reading."""
    seen: dict[tuple[str, str], int] = {}
    for one in mounts:
        number = seen[one.target, one.source] = seen.get((one.target, one.source), -1) + 1
        yield (one.target, one.source, number), one


def _step(window: MountWindow) -> MountStep:
    rows = window.operations.values()
    calls, seconds = sum(row["ops"] for row in rows), window.seconds or 0.0
    if window.since_mount or not seconds:
        return MountStep(0.0, None, 0.0)
    time = sum(row["execute"] for row in rows) / calls if calls else None
    return MountStep(calls / seconds, time, sum(row["queue"] for row in rows) / 1000 / seconds)

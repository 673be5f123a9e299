"""The data that the screens show at one time, from this host, which is read repeatedly, or from a recording."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from advisor.observe import live
from advisor.observe.connections import read_samples
from advisor.observe.recording import Recording
from advisor.observe.report import JudgedMount, ObserveReport
from advisor.observe.rolling import MountStep, RollingWindow, waiting_calls
from advisor.observe.snapshot import Snapshot
from advisor.observe.window import MountKey, with_keys
from advisor.rulebase.model import RuleBase

INTERVALS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds between two readings."""


class WatchedMount(NamedTuple):
    """A mount with its steps. `queued`: calls that waited in the client at each sample of its transports, for
    recordings without steps. `judged`: None after it was unmounted."""

    name: MountKey
    judged: JudgedMount | None
    steps: Sequence[MountStep] = ()
    queued: Sequence[float] = ()

    @property
    def latest(self) -> MountStep:
        return self.steps[-1] if self.steps else MountStep(0.0, None, 0.0)


class WatchFrame(NamedTuple):
    """`mounts`: the mounted ones, then those that were unmounted in the window of `seconds`. `recorded`: the folder of
    the recording, "" for this host."""

    report: ObserveReport
    mounts: Sequence[WatchedMount]
    seconds: float
    recorded: str = ""


def make_frame(
    report: ObserveReport, steps: Mapping[MountKey, Sequence[MountStep]], seconds: float,
    queued: Mapping[MountKey, Sequence[float]] | None = None, recorded: str = "",
) -> WatchFrame:
    """The frame of a report. `steps`, `queued`: by mount."""
    windows = [judged.window for judged in report.mounts]
    names = [name for name, _ in with_keys(windows)]
    mounts = [
        WatchedMount(name, judged, tuple(steps.get(name, ())), (queued or {}).get(name, ()))
        for name, judged in zip(names, report.mounts)
    ]
    mounts += [WatchedMount((target, "", number), None) for number, target in enumerate(report.gone)]
    return WatchFrame(report, mounts, seconds, recorded)


def recording_frame(base: RuleBase, read: Recording, wanted: Callable[[str], bool], folder: str) -> WatchFrame:
    """The frame of a recording, with the steps between its readings."""
    rolling = RollingWindow(base, float("inf"), wanted)
    if read.before is not None:
        readings = [read.before, *read.between, read.after]
        for number, reading in enumerate(readings):
            at = reading.uptime if reading.uptime is not None else float(number)
            rolling.add(at, reading, read.samples if reading is read.after else ())
    else:
        rolling.add(0.0, read.after)
    return make_frame(rolling.report(), rolling.steps, rolling.seconds, waiting_calls(read), folder)


class HostFeed:
    """Reads this host, or the files below `root`, every `every` seconds, and makes frames."""

    def __init__(self, rolling: RollingWindow, every: float, root: str = "") -> None:
        self.rolling, self.every, self.root = rolling, every, root
        self.ended = threading.Event()

    def run(self, show: Callable[[WatchFrame], None]) -> None:
        """Calls `show` with each frame until `ended` is set. For a separate thread, so that no key waits for a
        reading."""
        samples: list[str] = []
        last = float("-inf")
        while not self.ended.is_set():
            now = time.monotonic()
            if now - last >= self.every:  # which may have changed meanwhile
                show(self.read(now, "".join(samples)))
                samples, last = [], now
            samples.append(live.sample(self.root))
            self.ended.wait(min(live.SAMPLE_INTERVAL, max(0.0, last + self.every - time.monotonic())))

    def read(self, at: float, samples: str) -> WatchFrame:
        """Reads the counters, at a time in seconds. `samples`: of the transports since the previous reading."""
        self.rolling.add(at, Snapshot(live.snapshot(self.root)), read_samples(samples))
        return make_frame(self.rolling.report(), self.rolling.steps, self.rolling.seconds)

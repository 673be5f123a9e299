"""The records of a sweep: its plan, its runs, and what an analysis of them shows."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from advisor.rulebase.model import Value

EFFECT, NO_DIFFERENCE, CANNOT_TELL = "effect", "no difference that matters", "cannot tell"
LEVEL = 0.05
"""The chance that any effect is reported if there is none."""
Asked = Mapping[str, Value]
"""Tunable → the value that a mount is to have."""
Job = Mapping[str, str]
"""Parameters of fio, as a job file writes them."""


class OwnNamespace(NamedTuple):
    """How a separate network namespace reaches the server. `link`: ipvlan, macvlan or veth; `parent`: the interface
    that it shares (for veth: the bridge); `address`: its own, with the length of the prefix ("192.0.2.9/24");
    `gateway`: "" for none."""

    link: str
    parent: str
    address: str
    gateway: str = ""


class Factor(NamedTuple):
    """A tunable, and the values that are compared. `control`: it can have no effect on the rate; if it shows one, the
    effects of the others are in doubt."""

    tunable: str
    levels: tuple[Value, ...]
    control: bool = False


class SweepPlan(NamedTuple):
    """A sweep. Each block goes through all `points` once, in random order; each point is one mount, on which all jobs
    run, also in random order.

    `export`: SERVER:/PATH as mount takes it. `points`: the number of each factor's level. `fixed`: what every mount has
    besides. `blocks`: how many there are. `drift_every`: after this many mounts the first point is measured again, to
    see how the server drifts; 0: never. `resolution`: of a fraction of all combinations; None: all of them. `aliases`:
    what a fraction cannot tell apart, for people. `own`: the network namespace; None: the host's. `made`: the day, as
    2026-11-22. `server_says`: what the person who planned it knows of the server, fact → value."""

    export: str
    factors: tuple[Factor, ...]
    points: tuple[tuple[int, ...], ...]
    jobs: Mapping[str, Job]
    fixed: Asked
    blocks: int
    seed: int
    drift_every: int
    resolution: int | None
    aliases: tuple[str, ...]
    own: OwnNamespace | None
    made: str
    server_says: Mapping[str, Value] = {}

    def levels(self, point: int) -> dict[str, Value]:
        return {factor.tunable: factor.levels[at] for factor, at in zip(self.factors, self.points[point])}

    def asked(self, point: int) -> dict[str, Value]:
        """What the mounts of a point are to have."""
        return {**self.fixed, **self.levels(point)}

    def without_tied_factors(self) -> SweepPlan:
        """The plan with only the first of the factors that always change together: no run tells their effects apart."""
        columns = list(zip(*self.points))
        kept = [at for at, column in enumerate(columns) if columns.index(column) == at]
        points = tuple(tuple(point[at] for at in kept) for point in self.points)
        return self._replace(factors=tuple(self.factors[at] for at in kept), points=points)

    def plots(self) -> list[Plot]:
        """All mounts, in their order, which is always the same for the same plan."""
        chance = random.Random(self.seed)  # noqa: S311  an order, not a secret
        plots: list[Plot] = []
        for block in range(1, self.blocks + 1):
            points = list(range(len(self.points)))
            chance.shuffle(points)
            for at, point in enumerate(points):
                if self.drift_every and at % self.drift_every == 0:
                    plots.append(self._plot(chance, block, len(plots) + 1, 0, drift=True))
                plots.append(self._plot(chance, block, len(plots) + 1, point, drift=False))
        return plots

    def _plot(self, chance: random.Random, block: int, number: int, point: int, *, drift: bool) -> Plot:
        jobs = list(self.jobs)
        chance.shuffle(jobs)
        return Plot(number, block, point, drift, self.asked(point), tuple(jobs))


class Plot(NamedTuple):
    """One mount. `number`: from 1, in the order of the plan; `drift`: it repeats the first point to show drift, and
    does not count for effects; `jobs`: in the order in which they run."""

    number: int
    block: int
    point: int
    drift: bool
    asked: Asked
    jobs: tuple[str, ...]


class Run(NamedTuple):
    """The result of one direction of one job on one mount: a line of runs.jsonl. A job that gave no data is one line
    with `why` and no rate.

    `plot`: the number of its mount; `direction`: read or write; `rate`: bytes per second; `mean`, `p99`: microseconds
    that a call took, None if not known; `seconds`: how long was measured; `steady`: whether fio's criterion was met,
    None if the job has none; `started`: as 2026-11-22T20:15:00Z; `options`: in effect, as the kernel shows them;
    `counted`: quantities of `advisor observe` over the run; `tool`: fio or dd."""

    plot: int
    block: int
    point: int
    drift: bool
    asked: Asked
    job: str
    direction: str
    rate: float | None
    iops: float | None
    mean: float | None
    p99: float | None
    seconds: float
    steady: bool | None
    started: str
    options: str
    counted: Mapping[str, int | str]
    tool: str
    why: str | None = None


class Environment(NamedTuple):
    """Where a sweep ran: environment.json. Versions are "" if they are not known. `server_says`: what the person who
    planned it knows of the server, fact → value; `facts`: those of this host; `tool`: the version that fio or dd
    prints."""

    client: str
    kernel: str
    nfs_utils: str
    tool: str
    server: str
    address: str
    started: str
    facts: Mapping[str, Value]
    server_says: Mapping[str, Value]


def all_points(factors: Sequence[Factor]) -> tuple[tuple[int, ...], ...]:
    return tuple(itertools.product(*(range(len(factor.levels)) for factor in factors)))


class Mean(NamedTuple):
    """The geometric mean of the rate at one level of a factor, with equal weight for the other factors' levels: bytes
    per second, and its 95 % confidence interval. `job`: "" for all jobs of the direction."""

    factor: str
    level: Value
    job: str
    direction: str
    rate: float
    low: float
    high: float


class LevelEffect(NamedTuple):
    """What one level of a factor does to the rate, against another: 1.38 is 38 % faster. `low`, `high`: the 95 %
    confidence interval. `p`: the p-value; `holm`: the same, corrected for all comparisons; `within`: the p-value of a
    difference as large as the margin. `detectable`: the smallest effect that 80 of 100 such sweeps would have found,
    0.05 for 5 %. `job`: "" for all jobs of the direction."""

    factor: str
    level: Value
    against: Value
    job: str
    direction: str
    ratio: float
    low: float
    high: float
    p: float
    holm: float
    within: float
    detectable: float
    verdict: str


class Cell(NamedTuple):
    """The geometric mean of the rate, bytes per second, where two factors have these levels."""

    levels: tuple[Value, Value]
    rate: float


class Interaction(NamedTuple):
    """Whether the effect of one factor depends on the other. `p`, `holm`: as those of an effect."""

    factors: tuple[str, str]
    job: str
    direction: str
    p: float
    holm: float
    cells: tuple[Cell, ...]


class Drift(NamedTuple):
    """How the rate changed from the first run to the last, as a ratio with its 95 % confidence interval."""

    job: str
    direction: str
    ratio: float
    low: float
    high: float


class Fit(NamedTuple):
    """A model of one job and direction. `mounts`: how many were counted; `between_blocks`, `noise`: how much blocks,
    and like mounts of one block, differ: standard deviations, as shares of the rate (0.04 is 4 %)."""

    job: str
    direction: str
    mounts: int
    between_blocks: float
    noise: float


class NoData(NamedTuple):
    """A run that is not counted, and why."""

    plot: int
    job: str
    why: str


class Analysis(NamedTuple):
    """`control`: effects of the factors that can have none. `unsteady`: how many runs did not become steady; they are
    counted all the same. `margin`: a smaller difference does not matter, 0.05 for 5 %. `untold`: what the runs cannot
    tell, for people."""

    means: tuple[Mean, ...]
    effects: tuple[LevelEffect, ...]
    control: tuple[LevelEffect, ...]
    interactions: tuple[Interaction, ...]
    drifts: tuple[Drift, ...]
    fits: tuple[Fit, ...]
    no_data: tuple[NoData, ...]
    unsteady: int
    margin: float
    untold: tuple[str, ...]

"""What a sweep is told to do, and what came of it: records, and no reading or writing of files."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

Asked = Mapping[str, "Value"]
"""Tunable → the value that a mount is asked for."""
Job = Mapping[str, str]
"""Parameters of fio, as a job file writes them."""


class OwnNamespace(NamedTuple):
    """How a network namespace reaches the server. `link`: ipvlan, macvlan or veth; `parent`: the interface that it
    shares (for veth: the bridge); `address`: its own, with the length of the prefix ("192.0.2.9/24"); `gateway`: or
    ""."""

    link: str
    parent: str
    address: str
    gateway: str = ""


class Factor(NamedTuple):
    """A tunable, and the values that are compared. `control`: it must show no effect on the rate; one that is found
    of it says how far the others can be trusted."""

    tunable: str
    levels: tuple[Value, ...]
    control: bool = False


class SweepPlan(NamedTuple):
    """A sweep. Each block goes once through all `points`, in an order of its own; each point is one mount, on which all
    jobs run, in an order of its own too.

    `export`: SERVER:/PATH as mount takes it. `points`: for each, the number of each factor's level. `fixed`: what every
    mount is asked for besides. `blocks`: how many times the points are gone through. `drift_every`: so many mounts
    apart the first point is measured once more, to see how the server drifts; 0: never. `resolution`: of a fraction
    of all combinations; None: all of them. `aliases`: what a fraction cannot tell apart, for people. `own`: the
    network namespace; None: the host's. `made`: the day, as 2026-11-22. `server_says`: what the person who planned
    knows of the server, fact → value."""

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

    def asked(self, point: int) -> dict[str, Value]:
        """What the mounts of a point are asked for."""
        levels = {one.tunable: one.levels[at] for one, at in zip(self.factors, self.points[point])}
        return {**self.fixed, **levels}

    def untied(self) -> SweepPlan:
        """The plan with one factor of those that always change together: no runs can tell their effects apart."""
        columns = list(zip(*self.points))
        kept = [at for at, column in enumerate(columns) if columns.index(column) == at]
        points = tuple(tuple(point[at] for at in kept) for point in self.points)
        return self._replace(factors=tuple(self.factors[at] for at in kept), points=points)

    def plots(self) -> list[Plot]:
        """All mounts, in the order in which they are made. The same plan always has the same order."""
        chance = random.Random(self.seed)  # noqa: S311  an order, not a secret
        found: list[Plot] = []
        for block in range(1, self.blocks + 1):
            points = list(range(len(self.points)))
            chance.shuffle(points)
            for at, point in enumerate(points):
                if self.drift_every and at % self.drift_every == 0:
                    found.append(self._plot(chance, block, len(found) + 1, 0, drift=True))
                found.append(self._plot(chance, block, len(found) + 1, point, drift=False))
        return found

    def _plot(self, chance: random.Random, block: int, number: int, point: int, *, drift: bool) -> Plot:
        jobs = list(self.jobs)
        chance.shuffle(jobs)
        return Plot(number, block, point, drift, self.asked(point), tuple(jobs))


class Plot(NamedTuple):
    """One mount. `number`: from 1, in the order of the plan; `drift`: it repeats the first point to show drift, and
    counts for no effect; `jobs`: in the order in which they run."""

    number: int
    block: int
    point: int
    drift: bool
    asked: Asked
    jobs: tuple[str, ...]


class Run(NamedTuple):
    """What came of one direction of one job on one mount: a line of runs.jsonl. A job that gave no data is one line
    with `why` and no rate.

    `plot`: the number of its mount; `direction`: read or write; `rate`: bytes per second; `mean`, `p99`: of a call's
    time, in microseconds, None where not known; `seconds`: that were counted; `steady`: whether fio's criterion was
    met, None where the job has none; `started`: as 2026-11-22T20:15:00Z; `options`: in effect, as the kernel shows
    them; `counted`: what the counters of the mount grew by, as `advisor observe` names it; `tool`: fio or dd."""

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
    """Where a sweep ran: environment.json. Versions are "" where they are not known. `server_says`: what of the server
    is known, fact → value (given by the person who planned); `facts`: those of this host."""

    client: str
    kernel: str
    nfs_utils: str
    tool: str
    """The version of fio or dd, as it says it."""
    server: str
    address: str
    started: str
    facts: Mapping[str, Value]
    server_says: Mapping[str, Value]


def every(factors: Sequence[Factor]) -> tuple[tuple[int, ...], ...]:
    """The points of all combinations."""
    return tuple(itertools.product(*(range(len(one.levels)) for one in factors)))

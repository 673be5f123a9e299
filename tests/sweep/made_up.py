"""Sweeps that nobody ran: known effects, blocks, mounts, drift and noise."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any

from advisor.sweep.model import Factor, Run, SweepPlan
from tests import needs

if TYPE_CHECKING:
    from advisor.sweep.analysis import Analysis

Truth = Callable[[tuple[int, ...], str], float]
"""Of the levels' numbers and the direction: what they add to the logarithm of the rate."""

FACTORS = (
    Factor("mount.vers", ("3", "4.1")), Factor("mount.nconnect", (1, 4, 8)), Factor("mount.rsize", (65536, 1048576)),
    Factor("mount.hard", ("hard", "soft"), control=True),
)
JOBS = {"read-1m": {"rw": "read"}, "read-8k": {"rw": "read"}, "write-1m": {"rw": "write"}}


def plan(blocks: int = 5) -> SweepPlan:
    points = tuple(product(*(range(len(one.levels)) for one in FACTORS)))
    return SweepPlan("nas:/data", FACTORS, points, JOBS, {}, blocks, 3, 8, None, (), None, "2026-11-22")


def runs(
    told: SweepPlan, seed: int, truth: Truth, *, noise: float = 0.04, of_mounts: float = 0.03, of_blocks: float = 0.03,
    drift: float = 0.1,
) -> list[Run]:
    """Standard deviations and drift are of the logarithm."""
    chance = random.Random(seed)
    plots = told.plots()
    shifts = {block: chance.gauss(0, of_blocks) for block in range(1, told.blocks + 1)}
    found = []
    for plot in plots:
        luck = chance.gauss(0, of_mounts) + shifts[plot.block] + drift * plot.number / len(plots)
        for job in plot.jobs:
            direction = told.jobs[job]["rw"]
            log = 18 + truth(told.points[plot.point], direction) + luck + chance.gauss(0, noise)
            found.append(Run(
                plot.number, plot.block, plot.point, plot.drift, plot.asked, job, direction, math.exp(log), None, None,
                None, 30.0, True, "2026-11-22T20:15:00Z", "rw", {}, "fio",
            ))
    return found


def analyse(*args: Any, **more: Any) -> Analysis:
    """As the program does. What it needs takes a second to import, so not before a test runs."""
    needs.package("scipy", "sweep")
    from advisor.sweep.analysis import analyse as it

    return it(*args, **more)


def nothing(levels: tuple[int, ...], direction: str) -> float:
    """No factor has any effect."""
    return 0.0


def some(levels: tuple[int, ...], direction: str) -> float:
    """Four and eight connections add 0.2 and 0.3; large reads add 0.15 to reading alone."""
    return (0.0, 0.2, 0.3)[levels[1]] + (0.15 if direction == "read" and levels[2] else 0.0)

"""What a sweep takes, and what it can find, before anything runs."""

from __future__ import annotations

from math import exp, sqrt
from statistics import NormalDist
from typing import NamedTuple

from advisor.sweep import jobs as sweep_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.sweep.model import Factor, Job, SweepPlan

RATE = 100_000_000
"""Bytes per second that are assumed where a job runs until its size is done: nearly what 1 Gbit/s carries."""
_MOUNT, _START = 3.0, 1.0
"""Seconds that a mount takes besides its jobs, and a job besides its measuring."""
POWER, ALPHA = 0.8, 0.05


class SweepCost(NamedTuple):
    """`seconds`: of the whole; `written`: bytes, with the files that are only read; `space`: bytes that the server
    needs for them."""

    mounts: int
    jobs: int
    seconds: float
    written: int
    space: int


def cost(plan: SweepPlan) -> SweepCost:
    """What the plan takes, if the server does RATE."""
    jobs = plan.jobs.values()
    mounts = len(plan.plots())
    space = sum(sweep_jobs.size(job) for job in jobs)
    reads = _laid_out(plan.jobs)
    written = sum(_written(job) for job in jobs if sweep_jobs.writes(job))
    return SweepCost(mounts, mounts * len(plan.jobs), seconds(plan.jobs, mounts),
                     mounts * written + reads, space)


def seconds(jobs: Mapping[str, Job], mounts: int) -> float:
    """How long it takes to write the files that are read, and then to run all jobs on so many mounts."""
    return mounts * (_MOUNT + sum(_START + _seconds(job) for job in jobs.values())) + _laid_out(jobs) / RATE


def _laid_out(jobs: Mapping[str, Job]) -> int:
    return sum(sweep_jobs.size(job) for job in jobs.values() if not _only_writes(job))


def _only_writes(job: Job) -> bool:
    return sweep_jobs.direction(job) in ("write", "randwrite")


def _seconds(job: Job) -> float:
    whole = sweep_jobs.size(job) / RATE
    limit = sweep_jobs.seconds(job)
    return limit if limit and job.get("time_based", "0") != "0" else min(whole, limit) if limit else whole


def _written(job: Job) -> int:
    return int(_seconds(job) * RATE) if job.get("time_based", "0") != "0" else sweep_jobs.size(job)


def effects(factors: tuple[Factor, ...], directions: int) -> int:
    """How many comparisons there are: each level with the first of its factor, in each direction of each job."""
    return max(1, sum(len(one.levels) - 1 for one in factors) * directions)


def directions(jobs: Mapping[str, Job]) -> int:
    """How many rates a mount yields: a job that reads and writes gives two."""
    return sum(2 if sweep_jobs.direction(job) in ("rw", "readwrite", "randrw") else 1 for job in jobs.values())


def smallest_effect(mounts: int, levels: int, blocks: int, comparisons: int, noise: float) -> float:
    """The smallest difference between two levels of a factor, as a part of the rate (0.08: 8 %), that is found with a
    probability of POWER, at ALPHA over all comparisons.

    `mounts`: that count, over all blocks; each level has mounts / levels of them. `noise`: standard deviation of the
    logarithm of the rate between like mounts of a block, about its coefficient of variation. Holm's first and strictest
    step is that of Bonferroni, so with t for `mounts - blocks - levels + 1` degrees of freedom

        exp((t(1 - ALPHA / (2 · comparisons)) + t(POWER)) · noise · sqrt(2 · levels / mounts)) - 1

    Quantiles of t are those of the normal distribution with the first two terms of the expansion in 1 / degrees of
    freedom (Abramowitz and Stegun 26.7.5), good to 1 % from 10 degrees on."""
    free = max(3, mounts - blocks - levels + 1)
    reach = _quantile(1 - ALPHA / (2 * comparisons), free) + _quantile(POWER, free)
    return exp(reach * noise * sqrt(2 * levels / mounts)) - 1


def _quantile(part: float, free: int) -> float:
    z = NormalDist().inv_cdf(part)
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)

"""The design of a sweep: which combinations of levels it measures, what that takes, and what it can find.

It measures all combinations, or a fraction that says which effects it cannot tell apart."""

from __future__ import annotations

import itertools
from math import exp, prod, sqrt
from statistics import NormalDist
from typing import NamedTuple

from advisor.engine.errors import word_list
from advisor.sweep import jobs as sweep_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.sweep.model import Factor, Job, SweepPlan

    Column = Sequence[Factor]

_MAX_TWO_LEVEL_FACTORS = 15
RATE = 100_000_000
"""Bytes per second that are assumed where a job runs until its size is done: nearly what 1 Gbit/s carries."""
_MOUNT, _START = 3.0, 1.0
"""Seconds that a mount takes besides its jobs, and a job besides its measuring."""
POWER, ALPHA = 0.8, 0.05


class DesignError(Exception):
    """No design fits; the text says why and what to drop."""


class Points(NamedTuple):
    """`points`: the number of each factor's level. `resolution`: of a fraction; None: all combinations. `aliases`: what
    cannot be distinguished, for people."""

    points: tuple[tuple[int, ...], ...]
    resolution: int | None
    aliases: tuple[str, ...]


def points(columns: Sequence[Column], most: int) -> Points:
    """At most `most` combinations to measure. Factors of one column change together.

    All combinations if they are few enough; else all those of the factors with more than two levels, each with a
    fraction of those of the others, of the highest resolution that fits. It is at least III, so that no two main
    effects are confused. Raises DesignError."""
    together = tuple(
        f"{' = '.join(factor.tunable for factor in column)}: they change together"
        for column in columns if len(column) > 1
    )
    sizes = [len(column[0].levels) for column in columns]
    count = prod(sizes)
    if count <= most:
        return Points(_by_factor(columns, itertools.product(*map(range, sizes))), None, together)
    two = [at for at, size in enumerate(sizes) if size == 2]
    many = [at for at, size in enumerate(sizes) if size != 2]
    rest = count >> len(two)
    if len(two) >= 3 and rest * 4 <= most:
        if len(two) > _MAX_TWO_LEVEL_FACTORS:
            raise DesignError(f"{len(two)} factors with two levels; a fraction takes {_MAX_TWO_LEVEL_FACTORS} at most: "
                              "drop some")
        for resolution in range(min(len(two), 7), 2, -1):
            rows = _fraction(len(two), resolution)
            if len(rows) * rest > most:
                continue
            chosen: list[tuple[int, ...]] = []
            for levels in itertools.product(*(range(sizes[at]) for at in many)):
                for row in rows:
                    point = {**dict(zip(many, levels)), **dict(zip(two, row))}
                    chosen.append(tuple(point[at] for at in range(len(columns))))
            names = [columns[at][0].tunable for at in two]
            return Points(_by_factor(columns, chosen), resolution, (*together, *_aliases(rows, names)))
    raise DesignError(_too_many_text(columns, count, most))


def _by_factor(columns: Sequence[Column], chosen: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The number of each factor's level, from the number of each column's level."""
    return tuple(tuple(at for at, column in zip(point, columns) for _ in column) for point in chosen)


def _too_many_text(columns: Sequence[Column], count: int, most: int) -> str:
    sizes = word_list([f"{'+'.join(factor.tunable for factor in column)} ({len(column[0].levels)})"
                    for column in columns], "and")
    return (f"{count} combinations of {sizes}; {max(most, 0)} fit the budget. Drop factors or levels, choose shorter "
            "jobs, or raise --budget. Only factors with two levels can be measured in fractions, and at least three "
            "of them; factors with more levels are always measured in full.")


def _fraction(count: int, resolution: int) -> list[tuple[int, ...]]:
    """The rows of a fraction of `count` factors with two levels, as 0 and 1. Raises DesignError."""
    try:
        from pydoe import fracfact_by_res  # noqa: PLC0415  slow to import, and not always installed
    except ImportError:
        raise DesignError("a fraction of all combinations needs pydoe: pip install '.[sweep]' in a checkout of "
                          "advisor, or drop factors or levels until all combinations fit the budget") from None
    return [tuple(int(sign > 0) for sign in row) for row in fracfact_by_res(count, resolution).tolist()]


def _aliases(rows: Sequence[tuple[int, ...]], names: Sequence[str]) -> tuple[str, ...]:
    """The main effects and interactions of two that a fraction cannot tell apart: "a = b × c"."""
    effects: dict[tuple[int, ...], list[str]] = {}
    for size in (1, 2):
        for some in itertools.combinations(range(len(names)), size):
            signs = [sum(row[at] for at in some) % 2 for row in rows]
            if size == 2:
                signs = [1 - sign for sign in signs]
            key = tuple(sign ^ signs[0] for sign in signs)
            effects.setdefault(key, []).append(" × ".join(names[at] for at in some))
    return tuple(" = ".join(same) for same in effects.values() if len(same) > 1)


class SweepCost(NamedTuple):
    """`written`: bytes, including the files that are only read; `space`: bytes that the files need on the server."""

    mounts: int
    jobs: int
    seconds: float
    written: int
    space: int


def cost(plan: SweepPlan) -> SweepCost:
    """What the plan takes, if the server does RATE."""
    jobs = plan.jobs.values()
    mounts = len(plan.plots())
    written = sum(_written(job) for job in jobs if sweep_jobs.writes(job))
    return SweepCost(mounts, mounts * len(plan.jobs), seconds(plan.jobs, mounts),
                     mounts * written + _prepared_bytes(plan.jobs), sum(map(sweep_jobs.size, jobs)))


def seconds(jobs: Mapping[str, Job], mounts: int) -> float:
    """How long it takes to write the files that are read, and then to run all jobs on this many mounts."""
    return mounts * (_MOUNT + sum(_START + _seconds(job) for job in jobs.values())) + _prepared_bytes(jobs) / RATE


def _prepared_bytes(jobs: Mapping[str, Job]) -> int:
    """Bytes of the files that have to exist before the jobs run."""
    return sum(sweep_jobs.size(job) for job in jobs.values() if sweep_jobs.reads(job))


def _seconds(job: Job) -> float:
    whole = sweep_jobs.size(job) / RATE
    limit = sweep_jobs.seconds(job)
    return limit if limit and job.get("time_based", "0") != "0" else min(whole, limit) if limit else whole


def _written(job: Job) -> int:
    return int(_seconds(job) * RATE) if job.get("time_based", "0") != "0" else sweep_jobs.size(job)


def comparisons(plan: SweepPlan) -> int:
    """How many there are: each level with the first of its factor, in each direction of each job."""
    directions = sum(sweep_jobs.reads(job) + sweep_jobs.writes(job) for job in plan.jobs.values())
    return max(1, sum(len(factor.levels) - 1 for factor in plan.factors) * directions)


def smallest_effect(mounts: int, levels: int, blocks: int, comparisons: int, noise: float) -> float:
    """The smallest difference between two levels of a factor, as a part of the rate (0.08: 8 %), that is found with a
    probability of POWER, at ALPHA over all comparisons.

    `mounts`: those of all blocks, without repeats for drift; each level has mounts / levels of them. `noise`: standard
    deviation of the logarithm of the rate between like mounts of a block, which is about its coefficient of variation.
    The first and strictest step of Holm is that of Bonferroni, so with t for `mounts - blocks - levels + 1` degrees of
    freedom

        exp((t(1 - ALPHA / (2 · comparisons)) + t(POWER)) · noise · sqrt(2 · levels / mounts)) - 1

    Quantiles of t are approximated by the first terms of their expansion in 1 / degrees of freedom (Abramowitz and
    Stegun 26.7.5), which is good to 1 % from 10 degrees on."""
    free = max(3, mounts - blocks - levels + 1)
    reach = _quantile(1 - ALPHA / (2 * comparisons), free) + _quantile(POWER, free)
    return exp(reach * noise * sqrt(2 * levels / mounts)) - 1


def _quantile(part: float, free: int) -> float:
    z = NormalDist().inv_cdf(part)
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)

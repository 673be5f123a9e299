"""The statistical analysis of the runs of a sweep.

The logarithm of the rate is modelled, because the effect of an option multiplies it. The unit of comparison is a mount:
jobs on one mount share its luck, so they are averaged before mounts are compared, and never count as separate trials.
Time is a line. Each block has a mean of its own, so nothing is assumed about how blocks vary. Where every block goes
through all points once, a mixed model with random blocks gives the same effects; but it estimates the variance of five
blocks, which often comes out as zero (then its errors cannot be relied on), while these intervals are exact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from advisor.named_tuple import grouped
from advisor.sweep import model
from advisor.sweep.model import Analysis, LevelEffect, Run, SweepPlan

_INTERVAL, _POWER = 0.95, 0.8
_Rate = tuple[Run, float]
"""A run of a mount, and the logarithm of its rate."""
Matrix = NDArray[np.float64]
Numbers = NDArray[np.int64]


def analyse(plan: SweepPlan, runs: Sequence[Run], margin: float = 0.05, *, timed: bool = True) -> Analysis:
    """What the runs of a plan show. `margin`: a smaller difference does not matter (0.05 is 5 %). Factors that change
    together are reported under the name of the first. `timed`: whether the mounts are numbered in their order."""
    plan = plan.without_tied_factors()
    counted = [run for run in runs if run.rate]
    no_data = tuple(model.NoData(run.plot, run.job, run.why or "the rate was 0") for run in runs if not run.rate)
    last = max((run.plot for run in runs), default=1)
    models, drifts, untold = [], [], []
    for (job, direction), rates in _rates(counted).items():
        try:
            models.append(_Model(plan, job, direction, rates, last if timed else None))
        except ValueError as error:
            untold.append(f"{f'{job}, {direction}' if job else f'all jobs, {direction}'}: {error}")
    for (job, direction), rates in _rates(counted, drift=True).items():
        drift = _drift(job, direction, rates, last) if job else None
        drifts += [drift] if drift else []
    interactions = [interaction for each in models for interaction in each.interactions()]
    comparisons = len(interactions) + sum(len(factor.levels) - 1 for factor in plan.factors) * len(models)
    effects = [effect for each in models for effect in each.effects(margin, comparisons)]
    controls = {factor.tunable for factor in plan.factors if factor.control}
    wanted = [effect for effect in effects if effect.factor not in controls]
    control = [effect for effect in effects if effect.factor in controls]
    corrected = holm([*(effect.p for effect in wanted), *(interaction.p for interaction in interactions)])
    return Analysis(
        tuple(mean for each in models for mean in each.means()),
        tuple(map(_with_verdict, wanted, corrected)),
        tuple(map(partial(_with_verdict, control=True), control, holm([effect.p for effect in control]))),
        tuple(each._replace(holm=chance) for each, chance in zip(interactions, corrected[len(wanted) :])),
        tuple(drifts), tuple(each.fit() for each in models), no_data,
        sum(run.steady is False for run in counted), margin,
        (*untold, *dict.fromkeys(words for each in models for words in each.untold)),
    )


def holm(chances: Sequence[float]) -> list[float]:
    """P-values, corrected for their number (Holm 1979): if there is no effect at all, the chance that any of them is
    below the level stays at the level."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    corrected, least = [1.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, chances[at] * (len(chances) - rank)))
        corrected[at] = least
    return corrected


def verdict(corrected: float, within: float) -> str:
    """On an effect with these p-values. A difference that is shown to be smaller than the margin (two one-sided tests)
    does not matter, even if it is shown to exist."""
    if within < model.LEVEL:
        return model.NO_DIFFERENCE
    return model.EFFECT if corrected < model.LEVEL else model.CANNOT_TELL


def _with_verdict(effect: LevelEffect, corrected: float, control: bool = False) -> LevelEffect:
    """A control can have no effect, so any counts, however small."""
    found = model.EFFECT if control and corrected < model.LEVEL else verdict(corrected, effect.within)
    return effect._replace(holm=corrected, verdict=found)


def _rates(runs: Sequence[Run], *, drift: bool = False) -> dict[tuple[str, str], list[_Rate]]:
    """By job and direction, of each mount; the job "" has the means over all jobs of the mounts on which all ran."""
    by_job = grouped(
        ((run.job, run.direction), (run, math.log(run.rate))) for run in runs if run.drift == drift and run.rate
    )
    for direction in dict.fromkeys(direction for _, direction in by_job):
        jobs = [rates for (_, of), rates in by_job.items() if of == direction]
        if len(jobs) > 1:
            by_job["", direction] = _averaged(jobs)
    return {key: rates for key, rates in by_job.items() if rates}


def _averaged(jobs: Sequence[Sequence[_Rate]]) -> list[_Rate]:
    by_mount = grouped((run.plot, (run, rate)) for rates in jobs for run, rate in rates)
    return [(rates[0][0], sum(rate for _, rate in rates) / len(rates)) for rates in by_mount.values()
            if len(rates) == len(jobs)]


def _drift(job: str, direction: str, rates: Sequence[_Rate], last: int) -> model.Drift | None:
    """From a line through the runs of the repeated point."""
    if len(rates) < 3:
        return None
    line = stats.linregress([run.plot / last for run, _ in rates], [rate for _, rate in rates])
    wide = float(stats.t.ppf((1 + _INTERVAL) / 2, len(rates) - 2)) * float(line.stderr)
    slope = float(line.slope)
    return model.Drift(job, direction, math.exp(slope), math.exp(slope - wide), math.exp(slope + wide))


class _Model:
    """The model of one job and direction. Raises ValueError if there are too few runs. `last`: the number of the last
    mount; None if the mounts are not numbered in their order. `untold`: what it cannot tell, for people."""

    def __init__(self, plan: SweepPlan, job: str, direction: str, rates: Sequence[_Rate], last: int | None) -> None:
        self.job, self.direction = job, direction
        self.factors = plan.factors
        self.untold: list[str] = []
        points = np.array([plan.points[run.point] for run, _ in rates])
        times = [run.plot / last - 0.5 if last else 0.0 for run, _ in rates]
        sizes = [len(factor.levels) for factor in plan.factors]
        self.matrix = DesignMatrix(sizes, pairs=True)
        rows = self._rows(points, times)
        if np.linalg.matrix_rank(rows) < rows.shape[1] - (last is None):  # the column of time is empty
            self.matrix = DesignMatrix(sizes, pairs=False)
            rows = self._rows(points, times)
            self.untold.append("whether one factor's effect depends on another: too few combinations ran")
        self._basis = np.linalg.pinv(rows) @ rows
        self._count = len(rates)
        blocks = np.array([run.block for run, _ in rates])
        self.fitted = _fit(rows, np.array([rate for _, rate in rates]), blocks)
        self._t = stats.t(self.fitted.freedom)

    def _rows(self, points: Matrix, times: Sequence[float]) -> Matrix:
        return np.array([self.matrix.row([int(level) for level in point], time) for point, time in zip(points, times)])

    def fit(self) -> model.Fit:
        fitted = self.fitted
        return model.Fit(self.job, self.direction, self._count, fitted.blocks, fitted.noise)

    def _can_estimate(self, contrast: Matrix) -> bool:
        return bool(np.abs(contrast - contrast @ self._basis).max() < 1e-6)

    def _estimate(self, contrast: Matrix) -> tuple[float, float]:
        """Of a weighted sum of coefficients: the value and its standard error."""
        return float(contrast @ self.fitted.beta), float(np.sqrt(contrast @ self.fitted.cov @ contrast))

    def means(self) -> list[model.Mean]:
        means = []
        wide = float(self._t.ppf((1 + _INTERVAL) / 2))
        for at, factor in enumerate(self.factors):
            for level, value in enumerate(factor.levels):
                contrast = self.matrix.at({at: level})
                if self._can_estimate(contrast):
                    mean, error = self._estimate(contrast)
                    low, high = math.exp(mean - wide * error), math.exp(mean + wide * error)
                    means.append(model.Mean(factor.tunable, value, self.job, self.direction, math.exp(mean), low, high))
        return means

    def effects(self, margin: float, comparisons: int) -> list[LevelEffect]:
        """Of each level against the first, neither corrected for the number of comparisons nor judged."""
        seen = float(self._t.ppf(1 - model.LEVEL / 2 / comparisons) + self._t.ppf(_POWER))
        wide, edge = float(self._t.ppf((1 + _INTERVAL) / 2)), math.log1p(margin)
        effects = []
        for at, factor in enumerate(self.factors):
            first = self.matrix.at({at: 0})
            for level, value in enumerate(factor.levels[1:], 1):
                contrast = self.matrix.at({at: level}) - first
                if not self._can_estimate(contrast):
                    self.untold.append(f"{factor.tunable}={value} against {factor.levels[0]}")
                    continue
                size, error = self._estimate(contrast)
                chance = 2 * float(self._t.sf(abs(size) / error))
                within = max(float(self._t.sf((size + edge) / error)), float(self._t.sf((edge - size) / error)))
                effects.append(LevelEffect(
                    factor.tunable, value, factor.levels[0], self.job, self.direction, math.exp(size),
                    math.exp(size - wide * error), math.exp(size + wide * error), chance, 1.0, within,
                    math.expm1(seen * error), "",
                ))
        return effects

    def interactions(self) -> list[model.Interaction]:
        return [self._interaction(term) for term in self.matrix.terms if len(term.factors) == 2]

    def _interaction(self, term: ModelTerm) -> model.Interaction:
        part = self.fitted.beta[term.start : term.end]
        cov = self.fitted.cov[term.start : term.end, term.start : term.end]
        size = float(part @ np.linalg.solve(cov, part)) / len(part)
        chance = float(stats.f.sf(size, len(part), self.fitted.freedom))
        one, other = (self.factors[at] for at in term.factors)
        cells = tuple(
            model.Cell((a, b), math.exp(self._estimate(self.matrix.at(dict(zip(term.factors, levels))))[0]))
            for levels, (a, b) in zip(
                product(range(len(one.levels)), range(len(other.levels))), product(one.levels, other.levels)
            )
        )
        return model.Interaction((one.tunable, other.tunable), self.job, self.direction, chance, 1.0, cells)


class ModelTerm(NamedTuple):
    """The columns of the matrix, from `start` up to `end`, of a factor or of the interaction of two."""

    factors: tuple[int, ...]
    start: int
    end: int


class DesignMatrix:
    """What each run's factors are, as numbers that sum to zero over the levels of each factor (effect coding). So an
    effect is the mean over all levels of the other factors, with equal weight. The first column is the mean, the second
    the time.

    `sizes`: how many levels each factor has. `pairs`: whether to include interactions."""

    def __init__(self, sizes: Sequence[int], pairs: bool) -> None:
        self.sizes = sizes
        self.terms: list[ModelTerm] = []
        end = 2
        for factors in (*combinations(range(len(sizes)), 1), *(combinations(range(len(sizes)), 2) if pairs else ())):
            width = int(np.prod([sizes[at] - 1 for at in factors]))
            self.terms.append(ModelTerm(factors, end, end + width))
            end += width
        self.width = end

    def row(self, levels: Sequence[int], time: float) -> Matrix:
        """Of one run. `levels`: the number of each factor's level; `time`: from -0.5 to 0.5."""
        coded = [self._coded(at, level) for at, level in enumerate(levels)]
        parts = [np.array([1.0, time])]
        for term in self.terms:
            part = coded[term.factors[0]]
            for other in term.factors[1:]:
                part = np.outer(part, coded[other]).ravel()
            parts.append(part)
        return np.concatenate(parts)

    def at(self, levels: dict[int, int]) -> Matrix:
        """For the mean where these factors have these levels, in the middle of the time."""
        weights = np.zeros(self.width)
        weights[0] = 1.0
        for term in self.terms:
            if set(term.factors) <= set(levels):
                part = np.ones(1)
                for factor in term.factors:
                    part = np.outer(part, self._coded(factor, levels[factor])).ravel()
                weights[term.start : term.end] = part
        return weights

    def _coded(self, factor: int, level: int) -> Matrix:
        width = self.sizes[factor] - 1
        if level == width:
            return -np.ones(width)
        coding = np.zeros(width)
        coding[level] = 1.0
        return coding


class Fitted(NamedTuple):
    """`beta`: the coefficients of the matrix's columns; `cov`: their covariances; `freedom`: degrees of freedom of the
    noise; `blocks`, `noise`: standard deviations of the logarithm."""

    beta: Matrix
    cov: Matrix
    freedom: int
    blocks: float
    noise: float


def _fit(matrix: Matrix, rates: Matrix, blocks: Numbers) -> Fitted:
    """Least squares with a mean for each block. `rates`: logarithms, one for each mount; `blocks`: the number of each
    mount's block. Raises ValueError if there are too few mounts."""
    shifts = (blocks[:, None] == np.unique(blocks)[1:]).astype(float)
    full: Matrix = np.hstack([matrix, shifts - shifts.mean(axis=0)])
    freedom = len(rates) - int(np.linalg.matrix_rank(full))
    if freedom < 1:
        raise ValueError("there are too few mounts to distinguish the effects")
    inverse: Matrix = np.linalg.pinv(full.T @ full).astype(np.float64)
    beta = inverse @ full.T @ rates
    left = rates - full @ beta
    noise = float(left @ left) / freedom
    wide = matrix.shape[1]
    moved = np.concatenate([[0.0], beta[wide:]])
    between = float(np.std(moved, ddof=1)) if len(moved) > 1 else 0.0
    return Fitted(beta[:wide], noise * inverse[:wide, :wide], freedom, between, noise**0.5)

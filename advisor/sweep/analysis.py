"""From the runs of a sweep to what they show.

The logarithm of the rate is modelled: what an option does multiplies it. A mount is what is compared: the jobs that run
on one mount share its luck, so they are averaged before mounts are set side by side, and never count as so many trials.
Each block has a mean of its own, and time is a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy import stats

from advisor.sweep.design_matrix import DesignMatrix, Matrix, ModelTerm
from advisor.sweep.effects import (
    EFFECT,
    LEVEL,
    Analysis,
    Cell,
    Drift,
    Fit,
    Interaction,
    LevelEffect,
    Mean,
    NoData,
    holm,
    verdict,
)
from advisor.sweep.fit import Fitted, fit
from advisor.sweep.model import Run, SweepPlan

MARGIN = 0.05
"""A smaller difference does not matter, unless somebody says otherwise."""
_INTERVAL, _POWER = 0.95, 0.8
_Key = tuple[str, str]


def analyse(plan: SweepPlan, runs: Sequence[Run], margin: float = MARGIN, *, timed: bool = True) -> Analysis:
    """What the runs of a plan show. `margin`: a smaller difference does not matter (0.05 is 5 %). Factors that change
    together are told under the name of the first. `timed`: whether the numbers of the mounts say in what order they
    were made."""
    plan = plan.untied()
    counted = [run for run in runs if run.rate]
    no_data = tuple(NoData(run.plot, run.job, run.why or "the rate was 0") for run in runs if not run.rate)
    models, drifts, untold = [], [], []
    for (job, direction), rates in _measured(counted).items():
        try:
            models.append(_Model(plan, job, direction, rates, _last(runs) if timed else None))
        except ValueError as error:
            untold.append(f"{_named(job, direction)}: {error}")
    for (job, direction), rates in _measured(counted, drift=True).items():
        drift = _drift(job, direction, rates, _last(runs)) if job else None
        drifts += [drift] if drift else []
    interactions = [one for model in models for one in model.interactions()]
    looked_at = len(interactions) + sum(len(one.levels) - 1 for one in plan.factors) * len(models)
    effects = [effect for model in models for effect in model.effects(margin, looked_at)]
    idle = {factor.tunable for factor in plan.factors if factor.control}
    wanted = [one for one in effects if one.factor not in idle]
    control = [one for one in effects if one.factor in idle]
    corrected = holm([*(one.p for one in wanted), *(one.p for one in interactions)])
    return Analysis(
        tuple(mean for model in models for mean in model.means()),
        tuple(map(_judged, wanted, corrected)), tuple(map(_checked, control, holm([one.p for one in control]))),
        tuple(one._replace(holm=new) for one, new in zip(interactions, corrected[len(wanted) :])),
        tuple(drifts), tuple(model.fit() for model in models), no_data,
        sum(run.steady is False for run in counted), margin,
        (*untold, *dict.fromkeys(said for model in models for said in model.untold)),
    )


def _judged(one: LevelEffect, corrected: float) -> LevelEffect:
    return one._replace(holm=corrected, verdict=verdict(corrected, one.within))


def _checked(one: LevelEffect, corrected: float) -> LevelEffect:
    """Of a control, an effect counts however small it is: there can be none."""
    return one._replace(holm=corrected, verdict=EFFECT if corrected < LEVEL else verdict(corrected, one.within))


def _last(runs: Sequence[Run]) -> int:
    return max((run.plot for run in runs), default=1)


def _named(job: str, direction: str) -> str:
    return f"{job}, {direction}" if job else f"all jobs, {direction}"


def _measured(runs: Sequence[Run], *, drift: bool = False) -> dict[_Key, list[tuple[Run, float]]]:
    """Job and direction → a run of each mount with the logarithm of its rate; the job "" has the mean of all, of the
    mounts on which all have run."""
    found: dict[_Key, list[tuple[Run, float]]] = {}
    for run in runs:
        if run.drift == drift and run.rate:
            found.setdefault((run.job, run.direction), []).append((run, math.log(run.rate)))
    for direction in dict.fromkeys(direction for _, direction in found):
        jobs = [rates for (_, of), rates in found.items() if of == direction]
        if len(jobs) > 1:
            found["", direction] = _averaged(jobs)
    return {key: rates for key, rates in found.items() if rates}


def _averaged(jobs: Sequence[Sequence[tuple[Run, float]]]) -> list[tuple[Run, float]]:
    each: dict[int, list[tuple[Run, float]]] = {}
    for rates in jobs:
        for run, rate in rates:
            each.setdefault(run.plot, []).append((run, rate))
    return [(one[0][0], sum(rate for _, rate in one) / len(one)) for one in each.values() if len(one) == len(jobs)]


def _drift(job: str, direction: str, rates: Sequence[tuple[Run, float]], last: int) -> Drift | None:
    """A line through the runs of the repeated point."""
    if len(rates) < 3:
        return None
    line = stats.linregress([run.plot / last for run, _ in rates], [rate for _, rate in rates])
    wide = float(stats.t.ppf((1 + _INTERVAL) / 2, len(rates) - 2)) * float(line.stderr)
    slope = float(line.slope)
    return Drift(job, direction, math.exp(slope), math.exp(slope - wide), math.exp(slope + wide))


class _Model:
    """Of one job and direction; raises ValueError where there are too few runs. `last`: the number of the last mount;
    None where numbers tell no order. `untold`: what it cannot tell."""

    def __init__(
        self, plan: SweepPlan, job: str, direction: str, rates: Sequence[tuple[Run, float]], last: int | None
    ) -> None:
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
        self.fitted: Fitted = fit(rows, np.array([rate for _, rate in rates]), blocks)
        self._t = stats.t(self.fitted.freedom)

    def _rows(self, points: Matrix, times: Sequence[float]) -> Matrix:
        return np.array([self.matrix.row([int(level) for level in point], time) for point, time in zip(points, times)])

    def fit(self) -> Fit:
        fitted = self.fitted
        return Fit(self.job, self.direction, self._count, fitted.blocks, fitted.noise)

    def _tells(self, what: Matrix) -> bool:
        """Whether the runs say anything of a sum of columns."""
        return bool(np.abs(what - what @ self._basis).max() < 1e-6)

    def _error(self, what: Matrix) -> float:
        return float(np.sqrt(what @ self.fitted.cov @ what))

    def means(self) -> list[Mean]:
        found = []
        wide = float(self._t.ppf((1 + _INTERVAL) / 2))
        for at, factor in enumerate(self.factors):
            for level, value in enumerate(factor.levels):
                what = self.matrix.at({at: level})
                if self._tells(what):
                    mean, error = float(what @ self.fitted.beta), self._error(what)
                    low, high = math.exp(mean - wide * error), math.exp(mean + wide * error)
                    found.append(Mean(factor.tunable, value, self.job, self.direction, math.exp(mean), low, high))
        return found

    def effects(self, margin: float, looked_at: int) -> list[LevelEffect]:
        """Of each level against the first, not corrected and not judged yet. `looked_at`: so many chances will be
        corrected for."""
        seen = float(self._t.ppf(1 - LEVEL / 2 / looked_at) + self._t.ppf(_POWER))
        wide, edge = float(self._t.ppf((1 + _INTERVAL) / 2)), math.log1p(margin)
        found = []
        for at, factor in enumerate(self.factors):
            first = self.matrix.at({at: 0})
            for level, value in enumerate(factor.levels[1:], 1):
                what = self.matrix.at({at: level}) - first
                if not self._tells(what):
                    self.untold.append(f"{factor.tunable}={value} against {factor.levels[0]}")
                    continue
                size, error = float(what @ self.fitted.beta), self._error(what)
                chance = 2 * float(self._t.sf(abs(size) / error))
                within = max(float(self._t.sf((size + edge) / error)), float(self._t.sf((edge - size) / error)))
                found.append(LevelEffect(
                    factor.tunable, value, factor.levels[0], self.job, self.direction, math.exp(size),
                    math.exp(size - wide * error), math.exp(size + wide * error), chance, 1.0, within,
                    math.expm1(seen * error), "",
                ))
        return found

    def interactions(self) -> list[Interaction]:
        return [self._interaction(term) for term in self.matrix.terms if len(term.factors) == 2]

    def _interaction(self, term: ModelTerm) -> Interaction:
        part = self.fitted.beta[term.start : term.end]
        cov = self.fitted.cov[term.start : term.end, term.start : term.end]
        size = float(part @ np.linalg.solve(cov, part)) / len(part)
        chance = float(stats.f.sf(size, len(part), self.fitted.freedom))
        one, other = (self.factors[at] for at in term.factors)
        cells = tuple(
            Cell((a, b), math.exp(float(self.matrix.at(dict(zip(term.factors, levels))) @ self.fitted.beta)))
            for levels, (a, b) in zip(
                product(range(len(one.levels)), range(len(other.levels))), product(one.levels, other.levels)
            )
        )
        return Interaction((one.tunable, other.tunable), self.job, self.direction, chance, 1.0, cells)

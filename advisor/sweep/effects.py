"""What a sweep has shown: records, how certain each is, and no arithmetic of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from advisor.rulebase.model.types import Value

EFFECT, NO_DIFFERENCE, CANNOT_TELL = "effect", "no difference that matters", "cannot tell"
LEVEL = 0.05
"""The chance of one effect or more among all that are reported, where there is none."""


class Mean(NamedTuple):
    """The geometric mean of the rate at one level of a factor, the other factors' levels counting alike: bytes per
    second, and between what it lies with 95 % confidence. `job`: "" for all jobs of the direction."""

    factor: str
    level: Value
    job: str
    direction: str
    rate: float
    low: float
    high: float


class LevelEffect(NamedTuple):
    """What one level of a factor does to the rate, against another: 1.38 is 38 % faster. `low`, `high`: between what
    it lies with 95 % confidence. `p`: the chance to see this much, or more, where there is nothing; `holm`: the same,
    corrected for all that was looked at; `within`: the chance to see this little where the difference is as large as
    the margin. `detectable`: the smallest effect that would have been seen in 80 of 100 such
    sweeps, 0.05 for 5 %. `job`: "" for all jobs of the direction."""

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
    """Whether what one factor does depends on the other."""

    factors: tuple[str, str]
    job: str
    direction: str
    p: float
    holm: float
    cells: tuple[Cell, ...]


class Drift(NamedTuple):
    """How the rate changed from the first run to the last, as a ratio with its 95 % interval; 1 means that
    it stayed the same."""

    job: str
    direction: str
    ratio: float
    low: float
    high: float


class Fit(NamedTuple):
    """A model of one job and direction. `mounts`: that were counted; `between_blocks`, `noise`: how much blocks, and
    like mounts within one, differ: standard deviations, as shares of the rate (0.04 is 4 %)."""

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
    """`control`: effects of the factors that must have none. `margin`: a smaller difference does not matter, 0.05 for
    5 %. `unsteady`: runs that did not become steady, and are counted all the same. `untold`: what the runs cannot tell,
    for people."""

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


def holm(chances: Sequence[float]) -> list[float]:
    """The chances, corrected for their number: the chance of one below the level, where there is nothing at all, stays
    at the level (Holm 1979)."""
    order = sorted(range(len(chances)), key=chances.__getitem__)
    found, least = [1.0] * len(chances), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, chances[at] * (len(chances) - rank)))
        found[at] = least
    return found


def verdict(corrected: float, within: float) -> str:
    """What is said of an effect with these chances. A difference that is shown to be smaller than the margin (two
    one-sided tests) does not matter, even if it is shown to be one."""
    if within < LEVEL:
        return NO_DIFFERENCE
    return EFFECT if corrected < LEVEL else CANNOT_TELL

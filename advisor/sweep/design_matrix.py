"""The columns of the model: what each run's factors are, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class ModelTerm(NamedTuple):
    """Columns of the matrix from `start` up to `end` that belong to a factor, or to two of them."""

    factors: tuple[int, ...]
    start: int
    end: int


class DesignMatrix:
    """Sums to zero over the levels of each factor, so that what is said of one factor is said of the mean over the
    others' levels, each counting alike. The first column is the mean, the second the time.

    `sizes`: how many levels each factor has. `pairs`: with the interactions of these factors."""

    def __init__(self, sizes: Sequence[int], pairs: bool) -> None:
        self.sizes = sizes
        self.terms: list[ModelTerm] = []
        end = 2
        chosen = [(at,) for at in range(len(sizes))]
        both = list(combinations(range(len(sizes)), 2)) if pairs else []
        for factors in [*chosen, *both]:
            width = int(np.prod([sizes[at] - 1 for at in factors]))
            self.terms.append(ModelTerm(factors, end, end + width))
            end += width
        self.width = end

    def row(self, levels: Sequence[int], time: float) -> Matrix:
        """The numbers of one run. `levels`: the number of each factor's level; `time`: from -0.5 to 0.5."""
        coded = [self._coded(at, level) for at, level in enumerate(levels)]
        parts = [np.array([1.0, time])]
        for term in self.terms:
            part = coded[term.factors[0]]
            for other in term.factors[1:]:
                part = np.outer(part, coded[other]).ravel()
            parts.append(part)
        return np.concatenate(parts)

    def at(self, levels: dict[int, int]) -> Matrix:
        """The mean where these factors have these levels, in the middle of the time."""
        found = np.zeros(self.width)
        found[0] = 1.0
        for term in self.terms:
            if set(term.factors) <= set(levels):
                part = np.ones(1)
                for factor in term.factors:
                    part = np.outer(part, self._coded(factor, levels[factor])).ravel()
                found[term.start : term.end] = part
        return found

    def _coded(self, factor: int, level: int) -> Matrix:
        width = self.sizes[factor] - 1
        if level == width:
            return -np.ones(width)
        found = np.zeros(width)
        found[level] = 1.0
        return found

"""Least squares with blocks, one figure a mount.

Each block has a mean of its own, so that nothing is assumed of how blocks vary. Where every block goes once through all
points, a mixed model with blocks that vary by chance gives the same effects; it estimates how much five blocks vary,
which is often nothing (then its errors cannot be relied on), while these intervals are exact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from advisor.sweep.design_matrix import Matrix

Numbers = NDArray[np.int64]


class Fitted(NamedTuple):
    """`beta`, `cov`: of the matrix's columns; `freedom`: degrees of freedom of the noise; `blocks`, `noise`: standard
    deviations of the logarithm."""

    beta: Matrix
    cov: Matrix
    freedom: int
    blocks: float
    noise: float


def fit(matrix: Matrix, rates: Matrix, blocks: Numbers) -> Fitted:
    """`rates`: logarithms, one a mount; `blocks`: the number of each mount's block. Raises ValueError where there are
    not more mounts than things to tell."""
    shifts = (blocks[:, None] == np.unique(blocks)[1:]).astype(float)
    full: Matrix = np.hstack([matrix, shifts - shifts.mean(axis=0)])
    freedom = len(rates) - int(np.linalg.matrix_rank(full))
    if freedom < 1:
        raise ValueError("there are not more mounts than things to tell")
    inverse: Matrix = np.linalg.pinv(full.T @ full).astype(np.float64)
    beta = inverse @ full.T @ rates
    left = rates - full @ beta
    noise = float(left @ left) / freedom
    wide = matrix.shape[1]
    moved = np.concatenate([[0.0], beta[wide:]])
    between = float(np.std(moved, ddof=1)) if len(moved) > 1 else 0.0
    return Fitted(beta[:wide], noise * inverse[:wide, :wide], freedom, between, noise**0.5)

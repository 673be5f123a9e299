"""Which combinations of levels a sweep measures: all of them, or a fraction that says what it cannot tell apart."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from advisor.rulebase.problems import either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from advisor.sweep.model import Factor

    Column = Sequence[Factor]

_MOST_TWO_LEVEL = 15


class DesignError(Exception):
    """No design fits; the text says why and what to drop."""


class Points(NamedTuple):
    """`points`: for each, the number of each factor's level. `resolution`: of a fraction; None: all combinations.
    `aliases`: what cannot be told apart, for people."""

    points: tuple[tuple[int, ...], ...]
    resolution: int | None
    aliases: tuple[str, ...]


def points(columns: Sequence[Column], most: int) -> Points:
    """The combinations to measure, `most` of them at the most. Factors of one column change together.

    All combinations where that is few enough; else all those of the factors with more than two levels, each with a
    fraction of those of the others, of the highest resolution that fits: III at least, so that no two main effects are
    mixed up. Raises DesignError."""
    together = tuple(
        f"{' = '.join(one.tunable for one in column)}: they change together" for column in columns if len(column) > 1
    )
    sizes = [len(column[0].levels) for column in columns]
    count = 1
    for size in sizes:
        count *= size
    if count <= most:
        whole = itertools.product(*(range(size) for size in sizes))
        return Points(_spread(columns, whole), None, together)
    two = [at for at, size in enumerate(sizes) if size == 2]
    many = [at for at, size in enumerate(sizes) if size != 2]
    rest = count >> len(two)
    if len(two) >= 3 and rest * 4 <= most:
        if len(two) > _MOST_TWO_LEVEL:
            raise DesignError(f"{len(two)} factors with two levels; a fraction takes {_MOST_TWO_LEVEL} at most: drop "
                              "some")
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
            return Points(_spread(columns, chosen), resolution, (*together, *_aliases(rows, names)))
    raise DesignError(_too_many(columns, count, most))


def _spread(columns: Sequence[Column], chosen: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The number of each factor's level, out of that of each column's."""
    return tuple(tuple(at for at, column in zip(point, columns) for _ in column) for point in chosen)


def _too_many(columns: Sequence[Column], count: int, most: int) -> str:
    sizes = either([f"{'+'.join(one.tunable for one in column)} ({len(column[0].levels)})" for column in columns],
                   "and")
    return (f"{count} combinations of {sizes}; {max(most, 0)} fit the budget. Drop factors or levels, choose shorter "
            "jobs, or raise --budget. Only factors with two levels can be measured in fractions, and at least three "
            "of them; a fraction of more levels is not made.")


def _fraction(count: int, resolution: int) -> list[tuple[int, ...]]:
    """The rows of a fraction of `count` factors with two levels, as 0 and 1. Raises DesignError."""
    try:
        from pydoe import fracfact_by_res  # noqa: PLC0415  slow to import, and not always installed
    except ImportError:
        raise DesignError("a fraction of all combinations needs pydoe: pip install 'nfs-advisor[sweep]', or drop "
                          "factors or levels until all combinations fit the budget") from None
    return [tuple(int(one > 0) for one in row) for row in fracfact_by_res(count, resolution).tolist()]


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

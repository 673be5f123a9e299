"""The one search: a witness that no cover touches, or none where trying every point finds none."""

from __future__ import annotations

from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.boxes import Propagation, Space
from advisor.engine.cells import ListedFact
from tests.laws.worlds import LAW, Draw, below

SIZES = [2, 3, 2, 3, 2, 4]


def space() -> Space:
    facts, shift = [], 0
    for number, size in enumerate(SIZES):
        values = [str(value) for value in range(size)]
        facts.append(ListedFact((f"f{number}", "enum", values, True, False), shift))
        shift += size + 1
    return Space(facts)


@st.composite
def alone(draw: Draw) -> dict[str, int]:
    """One fact with some of its cells."""
    number = draw(below(len(SIZES)))
    return {f"f{number}": 1 + draw(below((1 << SIZES[number]) - 2))}


@st.composite
def boxes(draw: Draw) -> dict[str, int]:
    """Two or three facts, each with some of its cells."""
    first, step = draw(below(len(SIZES))), 1 + draw(below(2))
    numbers = [(first + step * turn) % len(SIZES) for turn in range(2 + draw(below(2)))]
    return {f"f{number}": 1 + draw(below((1 << SIZES[number]) - 2)) for number in numbers}


def holds(box: dict[str, int], point: tuple[int, ...]) -> bool:
    return all(mask >> point[int(name[1:])] & 1 for name, mask in box.items())


@pytest.mark.parametrize("easy_steps", [0, 50])
@LAW
@given(st.one_of(st.just({}), boxes()), st.lists(boxes(), min_size=2, max_size=14))
def test_the_search_is_exact(easy_steps: int, box: dict[str, int], covers: list[dict[str, int]]) -> None:
    where = space()
    with patch("advisor.engine.boxes.EASY_STEPS", easy_steps):
        found = where.uncovered(where.pack(box), [where.pack(cover) for cover in covers])
    points = [point for point in product(*map(range, SIZES)) if holds(box, point)]
    free = {point for point in points if not any(holds(cover, point) for cover in covers)}
    witness = where.unpack(found) if found is not None else None
    inside = set() if witness is None else {point for point in product(*map(range, SIZES)) if holds(witness, point)}
    assert bool(inside) == bool(free)
    assert inside <= free
    assert where.escapes(where.pack(box), [where.pack(cover) for cover in covers]) is bool(free)


@LAW
@given(st.one_of(st.just({}), boxes()), st.lists(st.one_of(alone(), boxes()), max_size=14))
def test_propagation_by_facts_leaves_what_looking_at_every_cover_leaves(
    box: dict[str, int], covers: list[dict[str, int]]
) -> None:
    where = space()
    packed = [where.pack(cover) for cover in covers]
    every = where.narrow(where.pack(box), packed)
    propagation, narrowed = Propagation(where, packed), None if every is None else every[0]
    for wider in range(len(box) + 1):  # it goes on from what it made of the wider ones
        left = propagation.narrow(where.pack(dict([*box.items()][:wider])))
    assert left == narrowed == Propagation(where, packed).narrow(where.pack(box))

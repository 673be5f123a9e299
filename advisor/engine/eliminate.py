"""Which constraints a query may leave out: those that can be met whatever the other facts are."""

from __future__ import annotations

from typing import NamedTuple

from advisor.engine.boxes import Space, bits

MAX_TRIES = 2000
"""Combinations of boxes that are tried for one fact; where that is not enough, its constraints are always looked at."""


class Group(NamedTuple):
    """The boxes of one definition or `never`. `defines`: the defined fact (its guard bit), 0 for a `never`."""

    name: str
    boxes: list[int]
    defines: int


def owned(space: Space, groups: list[Group]) -> list[tuple[int, Group]]:
    """Each group with the fact (guard bit) that can always meet it, 0 if none can: a query that neither asks nor knows
    anything of that fact may leave the group out.

    A fact that has a possible cell in every case of the others is taken out of the problem, with all groups that
    mention it; then the next one. Facts with few groups go first, and defined facts before others. So a group comes
    before those of the other facts that it mentions."""
    left = [(_mentioned(space, group), group) for group in groups]
    found: list[tuple[int, Group]] = []
    stuck = 0
    while True:
        fact = _fewest_groups(left, stuck)
        if not fact:
            return found + [(0, group) for _, group in left]
        mine = [(facts, group) for facts, group in left if facts & fact]
        if _always_free(space, fact, [box for _, group in mine for box in group.boxes]):
            found += [(fact, group) for _, group in mine]
            left = [(facts, group) for facts, group in left if not facts & fact]
            stuck = 0
        else:
            stuck |= fact


def _fewest_groups(left: list[tuple[int, Group]], stuck: int) -> int:
    """The fact to try next; 0 if there is none."""
    counts: dict[int, tuple[int, bool, int]] = {}
    defined = {group.defines for _, group in left}
    for facts, _ in left:
        for fact in bits(facts & ~stuck):
            count = counts[fact][0] + 1 if fact in counts else 1
            counts[fact] = (count, fact not in defined, -fact)
    return min(counts, key=counts.__getitem__, default=0)


def _mentioned(space: Space, group: Group) -> int:
    facts = group.defines
    for box in group.boxes:
        facts |= space.facts_of(box)
    return facts


def _always_free(space: Space, fact: int, boxes: list[int]) -> bool:
    """Whether the boxes leave a cell of the fact in every case of the other facts."""
    segment = space.segment[fact]
    tries = 0

    def blocked(case: int, cells: int) -> bool:
        """Whether somewhere in the case (of the other facts) all these cells lie in boxes."""
        nonlocal tries
        tries += 1
        if not cells or tries > MAX_TRIES:
            return True
        cell = cells & -cells
        for box in boxes:
            if box & cell:
                common = space.meet(case, box | segment)
                if common is not None and blocked(common, cells & ~box):
                    return True
        return False

    return not blocked(space.everything, segment)

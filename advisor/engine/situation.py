"""A state of knowledge, worked out: what follows from it at once, and which constraints are still open."""

from __future__ import annotations

from advisor.engine.boxes import bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.engine.boxes import Space
    from advisor.engine.constraints import Constraints


class Neighbourhood:
    """What a question about some facts has to look at: `facts`, and `covers`, the open constraints that bear on them.

    `elsewhere`: all cells of all other facts, as bits of a box. In other facts, the covers leave nothing open."""

    __slots__ = ("covers", "elsewhere", "facts")

    def __init__(self, covers: tuple[int, ...], facts: int, elsewhere: int) -> None:
        self.covers = covers
        self.facts = facts
        self.elsewhere = elsewhere


class Situation:
    """`box`: what is left of the state by plain propagation; every consistent case of the state lies in it.

    `known`: the facts that the state itself restricts. `consistent`: whether there is any case at all."""

    __slots__ = ("_constraints", "_neighbourhoods", "box", "consistent", "known", "space")

    def __init__(self, space: Space, constraints: Constraints, box: int) -> None:
        self.space = space
        self.known = space.facts_of(box)
        self._constraints = constraints
        self._neighbourhoods: dict[int, Neighbourhood] = {}
        left = space.narrow(box, constraints.boxes) if space.meet(box, box) is not None else None
        self.box = left[0] if left else 0
        self.consistent = False
        if left:
            self.consistent = space.escapes(self.box, constraints.relevant(self.known, self.known))

    def near(self, reads: int) -> Neighbourhood:
        """The neighbourhood of some facts. The state must be consistent: then what lies elsewhere does not matter."""
        found = self._neighbourhoods.get(reads)
        if found is None:
            space = self.space
            left = space.narrow(self.box, self._constraints.relevant(reads, self.known))
            facts, covers = reads, []
            waiting = left[1] if left else []
            while True:
                apart = []
                for one in waiting:
                    if one[0] & facts:
                        facts |= one[0]
                        covers.append(one[1])
                    else:
                        apart.append(one)
                if len(apart) == len(waiting):
                    break
                waiting = apart
            elsewhere = space.everything ^ space.cells_of(facts)
            found = Neighbourhood(tuple([cover | elsewhere for cover in covers]), facts, elsewhere)
            self._neighbourhoods[reads] = found
        return found

    def cases(self, boxes: Iterable[int]) -> list[int]:
        """The parts of the boxes that lie in the situation, as far as plain propagation tells."""
        box, everything, guards = self.box, self.space.everything, self.space.guards
        return [common for one in boxes if ((common := one & box) + everything) & guards == guards]

    def possible(self, fact: int) -> int:
        """The cells that a fact (its guard bit) has in some consistent case, as bits of a box."""
        if not self.consistent:
            return 0
        segment = self.space.segment[fact]
        covers = self.near(fact).covers
        left = self.box & segment
        found = 0
        while left:
            case = self.space.uncovered(self.box & ~segment | left, covers)
            if case is None:
                break
            found |= case & segment
            left &= ~case
        return found

    def told(self, case: int) -> dict[str, int]:
        """What a case says beyond the situation: fact -> mask."""
        space = self.space
        more = ((self.box ^ case) + space.everything) & space.guards
        return {
            space.owner[guard].id: case >> space.owner[guard].shift & space.owner[guard].full for guard in bits(more)
        }


def first_case(space: Space, cases: Iterable[int], excluded: Iterable[int], covers: Iterable[int]) -> int | None:
    """A part of one of the cases that is outside of the excluded boxes, and some of it outside of the covers, too."""
    shut = tuple(excluded)
    both = (*shut, *covers)
    for case in cases:
        found = space.uncovered(case, both)
        if found is not None:
            return widened(space, found, case, shut)
    return None


def widened(space: Space, found: int, case: int, excluded: tuple[int, ...]) -> int:
    """Lets go of what is not needed to stay in the case and outside of the excluded boxes."""
    more = ((case ^ found) + space.everything) & space.guards
    for guard in bits(more):
        wider = found | (case & space.segment[guard])
        if all(space.meet(wider, box) is None for box in excluded):
            found = wider
    return found

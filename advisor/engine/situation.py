"""A state of knowledge, worked out: what follows from it at once, which constraints are still open, and what answers
say beyond themselves: what a text shows, and what is presumed until it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from advisor.engine.boxes import Packed, Propagation, Space, State, bits, sharing


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
        left = constraints.propagation.narrow(box) if space.meet(box, box) is not None else None
        self.box = left or 0
        self.consistent = False
        if left is not None:
            self.consistent = space.escapes(self.box, constraints.relevant(self.known, self.known))

    def near(self, reads: int) -> Neighbourhood:
        """The neighbourhood of some facts. The state must be consistent: then what lies elsewhere does not matter."""
        neighbourhood = self._neighbourhoods.get(reads)
        if neighbourhood is None:
            space = self.space
            left = space.narrow(self.box, self._constraints.relevant(reads, self.known))
            facts, part, _ = sharing(reads, left[1]) if left and left[1] else (reads, [], [])
            elsewhere = space.everything ^ space.cells_of(facts)
            neighbourhood = Neighbourhood(tuple([cover | elsewhere for _, cover in part]), facts, elsewhere)
            self._neighbourhoods[reads] = neighbourhood
        return neighbourhood

    def cases(self, boxes: Iterable[int]) -> list[int]:
        """The parts of the boxes that lie in the situation, as far as plain propagation tells."""
        box, everything, guards = self.box, self.space.everything, self.space.guards
        return [common for other in boxes if ((common := other & box) + everything) & guards == guards]

    def possible(self, fact: int) -> int:
        """The cells that a fact (its guard bit) has in some consistent case, as bits of a box."""
        if not self.consistent:
            return 0
        segment = self.space.segment[fact]
        covers = self.near(fact).covers
        left = self.box & segment
        cells = 0
        while left:
            case = self.space.free(self.box & ~segment | left, covers)
            if case is None:
                break
            cells |= case & segment
            left &= ~case
        return cells


def first_case(space: Space, cases: Iterable[int], excluded: Iterable[int], covers: Iterable[int]) -> int | None:
    """A part of one of the cases that is outside of the excluded boxes, and some of it outside of the covers, too."""
    shut = tuple(excluded)
    both = (*shut, *covers)
    for case in cases:
        part = space.uncovered(case, both)
        if part is not None:
            return widened(space, part, case, shut)
    return None


def widened(space: Space, part: int, case: int, excluded: tuple[int, ...]) -> int:
    """Lets go of what is not needed to stay in the case and outside of the excluded boxes."""
    more = ((case ^ part) + space.everything) & space.guards
    for guard in bits(more):
        wider = part | (case & space.segment[guard])
        if all(space.meet(wider, box) is None for box in excluded):
            part = wider
    return part


MAX_MEMORIES = 4096


class Constraints:
    """What cannot be, in groups: boxes that no consistent case touches, and which of them a query has to look at.

    A group is the boxes of one definition (when a fact applies, what a derived fact follows from) or of one `never`.
    Most groups have an owner, a fact that can meet them whatever the other facts are: they matter only where the owner
    is asked for, known, or mentioned by another group that matters. Groups that share no fact with a query cannot
    change its answer unless they contradict the state by themselves, which is asked once for each state.

    Groups in the order given: an owner's come before those that other facts in them own; those without one are last.
    rows: (number of the owner or -1, packed boxes, number of the fact that it defines or -1)."""

    __slots__ = (
        "_groups", "_memories", "_owned", "_parts", "_space", "_supports", "boxes", "definitions", "nevers",
        "propagation",
    )

    def __init__(
        self, space: Space, rows: Iterable[tuple[int, Packed, int]], boxes: Callable[[Packed], tuple[int, ...]]
    ) -> None:
        self._space = space
        self._groups: list[tuple[int, int, tuple[int, ...]]] = []  # (owner, all facts of the group, boxes)
        self.boxes: list[int] = []
        """The boxes of all groups."""
        self.definitions: list[tuple[int, int]] = []
        """(defined fact, that and all facts that its definition mentions)"""
        self.nevers: list[int] = []
        """The facts of each `never`."""
        guards = list(space.guard_of.values())
        for owner, packed, defines in rows:
            covers = boxes(packed)
            self.boxes += covers
            facts = 0 if defines < 0 else guards[defines]
            for cover in covers:
                facts |= space.facts_of(cover)
            if defines < 0:
                self.nevers.append(facts)
            else:
                self.definitions.append((guards[defines], facts))
            self._groups.append((0 if owner < 0 else guards[owner], facts, covers))
        self.propagation = Propagation(space, self.boxes)
        self._parts: list[int] | None = None
        self._supports: dict[int, frozenset[str]] = {}
        self._memories: dict[tuple[int, int], tuple[int, ...]] = {}
        self._owned = lru_cache(MAX_MEMORIES)(self._owned_by)

    def relevant(self, asked: int, known: int) -> tuple[int, ...]:
        """The boxes that matter to a query about the facts `asked` where the facts `known` are restricted."""
        remembered = self._memories.get((asked, known))
        if remembered is not None:
            return remembered
        groups = [self._groups[number] for number in sorted({*self._owned(asked), *self._owned(known)})]
        reached = asked
        boxes: list[int] = []
        while True:  # as `sharing`, written out: thousands of queries begin here
            waiting = []
            for group in groups:
                if group[1] & reached:
                    reached |= group[1]
                    boxes += group[2]
                else:
                    waiting.append(group)
            if len(waiting) == len(groups):
                break
            groups = waiting
        if len(self._memories) >= MAX_MEMORIES:
            self._memories.clear()
        self._memories[asked, known] = tuple(boxes)
        return tuple(boxes)

    def _owned_by(self, facts: int) -> list[int]:
        """The numbers of the groups that matter where these facts are asked for or known: those without an owner, and
        those that one of the facts owns, or a fact of another such group."""
        needed, numbers = facts, []
        for number, (owner, mentioned, _) in enumerate(self._groups):
            if not owner or owner & needed:
                needed |= mentioned
                numbers.append(number)
        return numbers

    def reading(self, facts: int) -> int:
        """The facts from which these follow by definition, themselves included."""
        while True:
            before = facts
            for defined, mentioned in self.definitions:
                if defined & facts:
                    facts |= mentioned
            if facts == before:
                return facts

    def support(self, facts: int) -> frozenset[str]:
        """The ids of `connected` facts. There are few sets of these, however many facts are asked about."""
        connected = self.connected(facts)
        if connected not in self._supports:
            self._supports[connected] = frozenset(self._space.names(connected))
        return self._supports[connected]

    def connected(self, facts: int) -> int:
        """All facts whose knowledge could bear on these, through whatever chain of constraints."""
        if self._parts is None:
            parts: list[int] = []
            for _, part, _ in self._groups:
                whole = part
                apart = []
                for other in parts:
                    if other & whole:
                        whole |= other
                    else:
                        apart.append(other)
                parts = [*apart, whole]
            self._parts = parts
        for part in self._parts:
            if part & facts:
                facts |= part
        return facts


class Presumptions:
    """What is taken to be impossible as long as nothing speaks for it. `named`: id and boxes of each presumption;
    `boxes`: all of these. `covers`: these and all constraints. `ordinary`: cases that no cover touches; 0 if none are
    known."""

    __slots__ = ("boxes", "covers", "named", "ordinary", "propagation", "space")

    def __init__(
        self, space: Space, named: tuple[tuple[str, tuple[int, ...]], ...], constraints: Iterable[int],
        ordinary: int = 0,
    ) -> None:
        self.space = space
        self.named = named
        self.boxes = tuple(box for _, boxes in named for box in boxes)
        self.covers = (*constraints, *self.boxes)
        self.propagation = Propagation(space, self.boxes)
        self.ordinary = ordinary

    def leave(self, box: int) -> bool:
        """Whether the box has a case that no cover touches.

        Facts stay as they are in the ordinary cases, except where they may have to differ: first where the box says so,
        then in whatever the touched covers speak of. A cover that is not touched is ruled out by the box or by a fact
        that stays ordinary, so it need not be looked at."""
        space, everything, guards = self.space, self.space.everything, self.space.guards
        other = guards & ~((box & self.ordinary) + everything)
        while True:
            near = box & (self.ordinary | space.cells_of(other))
            touched = [cover for cover in self.covers if ((near & cover) + everything) & guards == guards]
            if space.escapes(near, touched):
                return True
            before = other
            for cover in touched:
                other |= space.facts_of(cover)
            if other == before:
                return False

    def applied(self, box: int, consistent: Callable[[int], bool]) -> int:
        """The box without what is presumed impossible. Presumptions are applied one after the other, and only where
        they leave a case, so that whatever is known takes precedence."""
        left = self.propagation.narrow(box)
        if left is not None and self.leave(left):  # then each of them leaves a case, in whatever order
            return left
        waiting = self.boxes
        while True:
            later = []
            for cover in waiting:
                narrowed = _outside(self.space, box, cover)
                if narrowed is None:
                    later.append(cover)
                elif consistent(narrowed):
                    box = narrowed
            if len(later) == len(waiting):
                return box
            waiting = tuple(later)

    def behind(self, state: State, fact: str, certain: int) -> tuple[str, ...]:
        """The ids of the presumptions that narrow a fact to what the state says of it: each of them by itself, or else
        all that bear on it. `certain`: its cells without them."""
        space, presumed = self.space, self.space.pack(state)
        box = space.pack({**state, fact: certain})
        bearing = [
            (name, cover) for name, boxes in self.named for cover in boxes
            if space.meet(box, cover) is not None and space.meet(presumed, cover) is None
        ]
        alone = [name for name, cover in bearing if _outside(space, box, cover) is not None]
        return tuple(dict.fromkeys(alone or (name for name, _ in bearing)))


def _outside(space: Space, box: int, cover: int) -> int | None:
    """The part of a box outside a cover that it meets, and from which it sticks out in exactly one fact; None for any
    other box."""
    common = space.meet(box, cover)
    if common is None:
        return None
    sticks_out = ((box ^ common) + space.everything) & space.guards
    if sticks_out & (sticks_out - 1) or not sticks_out:
        return None
    return box ^ common & space.segment[sticks_out]

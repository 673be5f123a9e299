"""Boxes, and the one search that everything rests on.

A box says for each fact which cells are possible. It is one integer: the masks of all facts side by side, each
followed by one guard bit that is 0. Adding `everything` carries into the guard bit of exactly those facts whose mask is
not empty, so that one addition tells whether two boxes meet, however many facts there are. A set of facts is the set of
their guard bits."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.engine.cells import CellFact
from advisor.engine.errors import TooBigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

State = dict[str, int]
"""What is known: fact id -> mask of the cells still possible. A fact that is missing is not known at all."""
Packed = list[list[int]]
"""Boxes, each as fact number, mask, fact number, mask …"""

MAX_STEPS = 50_000
"""Cases that one search looks at before it gives up, loudly."""
MAX_BEFORE = 64
"""Boxes that were narrowed last, among which one is looked for that is a little wider than the next."""
EASY_STEPS = 50
"""Cases after which a search is worth the trouble of solving what is independent apart."""

if sys.version_info >= (3, 10):
    bit_count = int.bit_count
else:

    def bit_count(number: int) -> int:
        """How many bits of a number are 1."""
        return bin(number).count("1")


class Space:
    """Which bits of a box belong to which fact. `everything`: the box that rules nothing out; `guards`: the guard bits
    of all facts; `firsts`: the bits of their first cells."""

    __slots__ = ("everything", "facts", "firsts", "guard_of", "guards", "owner", "segment")

    def __init__(self, facts: Sequence[CellFact]) -> None:
        self.facts = {fact.id: fact for fact in facts}
        self.guard_of: dict[str, int] = {}
        self.segment: dict[int, int] = {}
        """Guard bit of a fact -> its cells, as bits of a box."""
        self.owner: dict[int, CellFact] = {}
        self.everything = self.guards = self.firsts = 0
        for fact in facts:
            guard = 1 << fact.shift + fact.size
            self.guard_of[fact.id] = guard
            self.owner[guard] = fact
            self.segment[guard] = fact.full << fact.shift
            self.everything |= fact.full << fact.shift
            self.guards |= guard
            self.firsts |= 1 << fact.shift

    def pack(self, state: Mapping[str, int]) -> int:
        """The box of a state of knowledge. KeyError for an unknown fact."""
        box = self.everything
        for name, mask in state.items():
            fact = self.facts[name]
            box ^= (fact.full & ~mask) << fact.shift
        return box

    def unpack(self, box: int) -> dict[str, int]:
        """The facts of which a box says something, and their masks."""
        return self.more(self.everything, box)

    def more(self, box: int, inside: int) -> dict[str, int]:
        """What a box says beyond one that it lies in: fact -> mask."""
        facts = ((box ^ inside) + self.everything) & self.guards
        return {
            self.owner[guard].id: inside >> self.owner[guard].shift & self.owner[guard].full for guard in bits(facts)
        }

    def only(self, name: str, mask: int) -> int:
        """The box in which one fact has one of these cells."""
        fact = self.facts[name]
        return self.everything ^ (fact.full & ~mask) << fact.shift

    def facts_of(self, box: int) -> int:
        """Guard bits of the facts of which a box says something."""
        return ((self.everything ^ box) + self.everything) & self.guards

    def cells_of(self, facts: int) -> int:
        """All cells of a set of facts, as bits of a box."""
        cells = 0
        for guard in bits(facts):
            cells |= self.segment[guard]
        return cells

    def names(self, facts: int) -> list[str]:
        """The ids of a set of facts, in the order in which the facts were given."""
        return [self.owner[guard].id for guard in bits(facts)]

    def meet(self, box: int, other: int) -> int | None:
        """What two boxes have in common; None if nothing."""
        common = box & other
        return common if (common + self.everything) & self.guards == self.guards else None

    def narrow(self, box: int, covers: Iterable[int]) -> tuple[int, list[tuple[int, int]]] | None:
        """What plain propagation leaves of a box outside the covers; None if nothing.

        With it, the covers that still touch what is left, each after the facts in which the box sticks out of it. There
        are always several of these: where there is only one, that fact has to lie outside the cover."""
        everything, guards = self.everything, self.guards
        while True:
            live: list[tuple[int, int]] = []
            narrowed = False
            for cover in covers:
                common = box & cover
                if (common + everything) & guards != guards:
                    continue
                if common == box:
                    return None
                sticks_out = ((box ^ common) + everything) & guards
                if sticks_out & (sticks_out - 1):
                    live.append((sticks_out, cover))
                else:
                    box ^= common & self.segment[sticks_out]
                    narrowed = True
            if not narrowed:
                return box, live
            covers = [cover for _, cover in live]

    def escapes(self, box: int, covers: Iterable[int]) -> bool:
        """Whether the covers leave any part of `box` free. Raises TooBigError."""
        return self.free(box, covers) is not None

    def free(self, box: int, covers: Iterable[int]) -> int | None:
        """A part of `box` that no cover touches, perhaps a smaller one than `uncovered` finds; None if there is none.
        Raises TooBigError.

        One cut for each cover settles most boxes; `uncovered` settles the rest."""
        left = self.narrow(box, covers)
        if left is None:
            return None
        everything, guards = self.everything, self.guards
        free = left[0]
        for _, cover in left[1]:
            common = free & cover
            if (common + everything) & guards == guards:
                sticks_out = ((free ^ common) + everything) & guards
                if not sticks_out:
                    return self.uncovered(left[0], [cover for _, cover in left[1]])
                free ^= common & self.segment[1 << sticks_out.bit_length() - 1]
        return free

    def uncovered(self, box: int, covers: Iterable[int]) -> int | None:
        """A part of `box` that no cover touches; None if the covers hold all of it. Raises TooBigError."""
        return self._search(box, covers, [MAX_STEPS])

    def _search(self, box: int, covers: Iterable[int], steps_left: list[int]) -> int | None:
        steps_left[0] -= 1
        if steps_left[0] < 0:
            raise TooBigError(f"more than {MAX_STEPS} cases to look at")
        left = self.narrow(box, covers)
        if left is None:
            return None
        box, live = left
        while live:
            part = live
            rest: list[tuple[int, int]] = []
            if steps_left[0] < MAX_STEPS - EASY_STEPS:
                _, part, rest = sharing(live[0][0], live)  # each can be solved by itself
            free = self._split(box, part, steps_left)
            if free is None:
                return None
            box, live = free, rest
        return box

    def _split(self, box: int, live: list[tuple[int, int]], steps_left: list[int]) -> int | None:
        """Cuts the box along the cover that needs the fewest cuts, and looks at the parts outside it one by one."""
        sticks_out, cover = live[0]
        fewest = bit_count(sticks_out)
        for other, other_cover in live:
            if fewest == 2:
                break  # never fewer
            if (needed := bit_count(other)) < fewest:
                sticks_out, cover, fewest = other, other_cover, needed
        covers = [cover for _, cover in live]
        for guard in bits(sticks_out):
            segment = self.segment[guard]
            free = self._search(box ^ (box & cover & segment), covers, steps_left)
            if free is not None:
                return free
            box ^= box & segment & ~cover
        return None


class Propagation:
    """`Space.narrow` for covers that stay the same: few of them speak of the facts that a box restricts, and only these
    can cut it. What is left does not depend on the order of the cuts, so a box inside of one that was narrowed before
    goes on from there."""

    __slots__ = ("_always", "_before", "_space", "_touching")

    def __init__(self, space: Space, covers: Iterable[int]) -> None:
        self._space = space
        self._touching: dict[int, list[int]] = {guard: [] for guard in space.owner}
        self._always: list[int] = []
        """Covers of at most one fact, which cut every box."""
        self._before: dict[int, int] = {}
        """The last boxes that were narrowed → what was left of each."""
        for cover in covers:
            facts = space.facts_of(cover)
            if not facts & (facts - 1):
                self._always.append(cover)
            for guard in bits(facts):
                self._touching[guard].append(cover)

    def narrow(self, box: int) -> int | None:
        """What plain propagation leaves of a box; None if nothing."""
        everything, guards, segment = self._space.everything, self._space.guards, self._space.segment
        whole, new, start = box, self._space.facts_of(box), (box, self._always)
        for wider, left in self._before.items():
            if box & wider == box:
                more = ((left ^ box & left) + everything) & guards
                if bit_count(more) < bit_count(new):
                    new, start = more, (box & left, [])
        box, always = start
        if (box + everything) & guards != guards:
            return None
        covers = dict.fromkeys((*always, *self._about(new)))
        while covers:
            cut = 0
            for cover in covers:
                common = box & cover
                if (common + everything) & guards != guards:
                    continue
                if common == box:
                    return None
                sticks_out = ((box ^ common) + everything) & guards
                if not sticks_out & (sticks_out - 1):
                    box ^= common & segment[sticks_out]
                    cut |= sticks_out
            covers = dict.fromkeys(self._about(cut))
        if len(self._before) >= MAX_BEFORE:
            del self._before[next(iter(self._before))]
        self._before[whole] = box
        return box

    def _about(self, facts: int) -> Iterator[int]:
        for guard in bits(facts):
            yield from self._touching[guard]


def bits(number: int) -> Iterator[int]:
    """The powers of two that make up a number, smallest first."""
    while number:
        lowest = number & -number
        yield lowest
        number ^= lowest


def sharing(facts: int, of: Sequence[tuple[int, T]]) -> tuple[int, list[tuple[int, T]], list[tuple[int, T]]]:
    """What shares facts with these, directly or through others, and the rest. `of`: each with its facts. Before both,
    these facts and all that are shared with."""
    part: list[tuple[int, T]] = []
    rest = of
    while True:
        waiting: list[tuple[int, T]] = []
        for pair in rest:
            if pair[0] & facts:
                facts |= pair[0]
                part.append(pair)
            else:
                waiting.append(pair)
        if len(waiting) == len(rest):
            return facts, part, waiting
        rest = waiting

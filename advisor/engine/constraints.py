"""What cannot be: boxes that no consistent case touches, and which of them a query has to look at.

A group is the boxes of one definition (when a fact applies, what a derived fact follows from) or of one `never`.
A definition leaves a value for its fact in every case, so that it matters only where its fact is asked for, known, or
part of something that matters. Groups that share no fact with a query cannot change its answer unless they contradict
the state by themselves, which is asked once for each state."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from advisor.engine.boxes import Space

MAX_MEMORIES = 4096


class Constraints:
    """Groups in the order given: a definition comes before those of the facts that it uses."""

    __slots__ = ("_always", "_definitions", "_memories", "_nevers", "_parts", "boxes")

    def __init__(self, space: Space, rows: Iterable[tuple[int, Any]], boxes: Callable[[Any], tuple[int, ...]]) -> None:
        self._definitions: list[tuple[int, int, tuple[int, ...]]] = []  # (the fact, all facts of the group, boxes)
        self._nevers: list[tuple[int, tuple[int, ...]]] = []
        self._always = 0
        self.boxes: list[int] = []
        """The boxes of all groups."""
        guards = list(space.guard_of.values())
        for owner, packed in rows:
            covers = boxes(packed)
            self.boxes += covers
            facts = 0
            for cover in covers:
                facts |= space.facts_of(cover)
            if owner < 0:
                self._nevers.append((facts, covers))
                self._always |= facts
            else:
                self._definitions.append((guards[owner], facts | guards[owner], covers))
        self._parts: list[int] | None = None
        self._memories: dict[tuple[int, int], tuple[int, ...]] = {}

    def relevant(self, asked: int, known: int) -> tuple[int, ...]:
        """The boxes that matter to a query about the facts `asked` where the facts `known` are restricted."""
        remembered = self._memories.get((asked, known))
        if remembered is not None:
            return remembered
        needed = asked | known | self._always
        groups = list(self._nevers)
        for fact, facts, covers in self._definitions:
            if fact & needed:
                needed |= facts
                groups.append((facts, covers))
        reached = asked
        found: list[int] = []
        while True:
            waiting = []
            for group in groups:
                if group[0] & reached:
                    reached |= group[0]
                    found += group[1]
                else:
                    waiting.append(group)
            if len(waiting) == len(groups):
                break
            groups = waiting
        if len(self._memories) >= MAX_MEMORIES:
            self._memories.clear()
        self._memories[asked, known] = tuple(found)
        return tuple(found)

    def reading(self, facts: int) -> int:
        """The facts from which these follow, themselves included."""
        for fact, inputs, _ in self._definitions:
            if fact & facts:
                facts |= inputs
        return facts

    def connected(self, facts: int) -> int:
        """All facts whose knowledge could bear on these, through whatever chain of constraints."""
        if self._parts is None:
            parts: list[int] = []
            for part in [facts for facts, _ in self._nevers] + [facts for _, facts, _ in self._definitions]:
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

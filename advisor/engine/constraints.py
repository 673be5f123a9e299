"""What cannot be: boxes that no consistent case touches, and which of them a query has to look at.

A group is the boxes of one definition (when a fact applies, what a derived fact follows from) or of one `never`. Most
groups have an owner, a fact that can meet them whatever the other facts are: they matter only where the owner is asked
for, known, or mentioned by another group that matters. Groups that share no fact with a query cannot change its answer
unless they contradict the state by themselves, which is asked once for each state."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from advisor.engine.boxes import Space

MAX_MEMORIES = 4096


class Constraints:
    """Groups in the order given: an owner's come before those that other facts in them own; those without one are last.

    rows: (number of the owner or -1, packed boxes, number of the fact that it defines or -1)."""

    __slots__ = ("_groups", "_memories", "_parts", "boxes", "definitions", "nevers")

    def __init__(
        self, space: Space, rows: Iterable[tuple[int, Any, int]], boxes: Callable[[Any], tuple[int, ...]]
    ) -> None:
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
        self._parts: list[int] | None = None
        self._memories: dict[tuple[int, int], tuple[int, ...]] = {}

    def relevant(self, asked: int, known: int) -> tuple[int, ...]:
        """The boxes that matter to a query about the facts `asked` where the facts `known` are restricted."""
        remembered = self._memories.get((asked, known))
        if remembered is not None:
            return remembered
        needed = asked | known
        groups = []
        for owner, facts, covers in self._groups:
            if not owner or owner & needed:
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
        """The facts from which these follow by definition, themselves included."""
        while True:
            before = facts
            for defined, mentioned in self.definitions:
                if defined & facts:
                    facts |= mentioned
            if facts == before:
                return facts

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

"""What answers say beyond themselves: what a text gives away, and what is presumed until somebody says otherwise."""

from __future__ import annotations

from advisor.engine.boxes import Propagation
from advisor.engine.errors import FactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.engine.base import Base, State
    from advisor.engine.boxes import Space


def infer(base: Base, state: State, fact: str, answer: object) -> None:
    """Narrows in the state what the text of an exact value gives away of other facts.

    Raises FactError where they are said to be something else."""
    rules = base.inferences(fact)
    if not rules or not isinstance(answer, str) or answer.startswith(("<", ">", "=", "!")):
        return
    import re  # noqa: PLC0415 - few facts need it

    for pattern, known in rules:
        if re.search(pattern, answer):
            for other, value in known.items():
                mask = base.fact(other).mask(value)
                if other in state and not state[other] & mask:
                    inferred = base.describe(other, state[other])
                    raise FactError(
                        fact, answer, f"{answer!r} means that {other} is {value}, but it is said to be {inferred}"
                    )
                state[other] = state.get(other, mask) & mask


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


    def behind(self, state: State, fact: str, certain: int) -> tuple[str, ...]:
        """The ids of the presumptions that narrow a fact to what the state says of it: each of them by itself, or else
        all that bear on it. `certain`: its cells without them."""
        space, presumed = self.space, self.space.pack(state)
        box = space.pack({**state, fact: certain})
        bearing = [
            (name, one) for name, boxes in self.named for one in boxes
            if space.meet(box, one) is not None and space.meet(presumed, one) is None
        ]
        alone = [name for name, one in bearing if _outside(space, box, one) is not None]
        return tuple(dict.fromkeys(alone or (name for name, _ in bearing)))


def presume(base: Base, state: State, presumptions: Presumptions) -> State:
    """The state without what is presumed impossible. Presumptions are applied one after the other, and only where they
    leave a case, so that whatever is known takes precedence."""
    box = base.space.pack(state)
    left = base.remembered(("presume", presumptions, box), lambda: _presumed(base, presumptions, box))
    return {**state, **base.space.unpack(left)}


def _presumed(base: Base, presumptions: Presumptions, box: int) -> int:
    space = base.space
    left = presumptions.propagation.narrow(box)
    if left is not None and presumptions.leave(left):  # then each of them leaves a case, in whatever order
        return left
    waiting = presumptions.boxes
    while True:
        later = []
        for cover in waiting:
            narrowed = _outside(space, box, cover)
            if narrowed is None:
                later.append(cover)
            elif base.situation(space.unpack(narrowed)).consistent:
                box = narrowed
        if len(later) == len(waiting):
            return box
        waiting = tuple(later)


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

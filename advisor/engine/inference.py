"""What answers say beyond themselves: what a text gives away, and what is presumed until somebody says otherwise."""

from __future__ import annotations

from advisor.engine.errors import FactError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.base import Base, State


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
                    told = base.describe(other, state[other])
                    raise FactError(
                        fact, answer, f"{answer!r} means that {other} is {value}, but it is said to be {told}"
                    )
                state[other] = state.get(other, mask) & mask


def presume(base: Base, state: State) -> State:
    """The state without what is presumed not to be: one presumption after the other, and each only where it leaves a
    case, so that whatever is known goes before it."""
    waiting = base.presumed
    while True:
        later = []
        for box in waiting:
            narrowed = _outside(base, state, box)
            if narrowed is None:
                later.append(box)
            elif base.situation(narrowed).consistent:
                state = narrowed
        if len(later) == len(waiting):
            return state
        waiting = later


def _outside(base: Base, state: State, box: list[tuple[str, int]]) -> State | None:
    """What is left of a state that lies in the box but for one fact; None where that is not so, or changes nothing."""
    found: State | None = None
    for name, mask in box:
        known = state.get(name, base.facts[name].full)
        if known & ~mask:
            if found is not None or not known & mask:
                return None
            found = {**state, name: known & ~mask}
    return found

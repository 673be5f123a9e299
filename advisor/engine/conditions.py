"""Conditions as authors write them, read into trees, and from trees into boxes.

A mapping is AND. Its keys are fact ids, or `all`, `any` (lists of conditions) and `not` (a condition). A fact's value
is a scalar, a list (one of), a range such as ">=5.3 <5.11", or "n/a". A fact that does not apply fulfils none of these
but "n/a" itself; to a `not` it is like any other value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from advisor.engine.boxes import Space, bit_count
from advisor.engine.cells import NOT_APPLICABLE
from advisor.engine.errors import EngineError, FactError, Path, TooBigError, near, word_list
from advisor.engine.versions import comparisons
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Union

    Tree = Union["Comparison", "Junction"]
    Verdict = Optional[bool]

MAX_BOXES = 512
"""Boxes of one condition, also while it is worked out."""


class Comparison(NamedTuple):
    """One fact compared with constants."""

    fact: str
    value: object
    path: Path


class Junction(NamedTuple):
    """`kind` is "all", "any" or "not" (which has one part)."""

    kind: str
    parts: tuple[Comparison | Junction, ...]


ALWAYS = Junction("all", ())


def parse(condition: object, facts: Collection[str], path: Path = ()) -> Tree:
    """The tree of a condition. Raises EngineError for an unknown fact or a malformed condition, with its path."""
    if not isinstance(condition, Mapping):
        raise EngineError(f"a condition is a mapping from facts to values, not {condition!r}", path)
    parts: list[Tree] = []
    for word, value in condition.items():
        place = (*path, str(word))
        if word in ("all", "any"):
            if not isinstance(value, (list, tuple)) or not value:
                raise EngineError(f"{word} takes a list of conditions", place)
            parts.append(Junction(str(word), tuple(parse(part, facts, (*place, i)) for i, part in enumerate(value))))
        elif word == "not":
            parts.append(Junction("not", (parse(value, facts, place),)))
        elif word in facts:
            parts.append(Comparison(str(word), value, place))
        else:
            hint = near(word, facts)
            maybe = f"; did you mean {word_list(hint)}?" if hint else ""
            raise EngineError(f"unknown fact {word!r}{maybe}", place)
    return parts[0] if len(parts) == 1 else Junction("all", tuple(parts))


def leaves(tree: Tree) -> Iterator[Comparison]:
    if isinstance(tree, Comparison):
        yield tree
    else:
        for part in tree.parts:
            yield from leaves(part)


def constants(value: object) -> Iterator[tuple[str, object]]:
    """(operator, constant) of all that a comparison's value compares with. Raises ValueError for a broken range."""
    for alternative in value if isinstance(value, (list, tuple)) else [value]:
        pairs = comparisons(alternative) if isinstance(alternative, str) else []
        yield from pairs
        if not pairs and alternative != NOT_APPLICABLE:
            yield "==", alternative


def mask_of(space: Space, comparison: Comparison) -> int:
    """The cells that fulfil a comparison. Raises EngineError for a value outside the fact's domain."""
    try:
        return space.facts[comparison.fact].mask(comparison.value)
    except FactError as error:
        raise EngineError(str(error), comparison.path) from None


def boxes(space: Space, tree: Tree, negated: bool = False) -> list[int]:
    """Boxes that together hold exactly the cases in which the tree is true (or false, if `negated`)."""
    if isinstance(tree, Comparison):
        mask = mask_of(space, tree)
        if negated:
            mask = space.facts[tree.fact].full & ~mask
        return [space.only(tree.fact, mask)] if mask else []
    if tree.kind == "not":
        return boxes(space, tree.parts[0], not negated)
    parts = [boxes(space, part, negated) for part in tree.parts]
    if (tree.kind == "any") != negated:
        return simplified(space, [box for part in parts for box in part])
    cases = [space.everything]
    for part in sorted(parts, key=len):
        cases = simplified(space, [common for a in cases for b in part if (common := space.meet(a, b)) is not None])
    return cases


def simplified(space: Space, cases: list[int]) -> list[int]:
    """The same cases in fewer boxes: joins boxes that differ in one fact, drops boxes inside others."""
    count = 0
    while count != len(cases):
        count = len(cases)
        for segment in [space.segment[guard] for guard in space.guard_of.values()]:
            if len(cases) < 2:
                break
            joined: dict[int, int] = {}
            for box in cases:
                rest = box | segment
                joined[rest] = joined.get(rest, 0) | box
            cases = list(joined.values())
        cases = _widest(cases)
    if len(cases) > MAX_BOXES:
        raise TooBigError(f"the condition has more than {MAX_BOXES} separate cases; split it")
    return sorted(cases)


def _widest(cases: list[int]) -> list[int]:
    kept: list[int] = []
    for box in sorted(cases, key=lambda box: (-bit_count(box), box)):
        if not any(box & other == box for other in kept):
            kept.append(box)
    return kept


def judge(tree: Tree, verdict_of: Callable[[Comparison], Verdict]) -> Verdict:
    """The tree's three-valued truth, from that of its comparisons."""
    if isinstance(tree, Comparison):
        return verdict_of(tree)
    verdicts = [judge(part, verdict_of) for part in tree.parts]
    if tree.kind == "not":
        return None if verdicts[0] is None else not verdicts[0]
    decisive = tree.kind == "any"
    if decisive in verdicts:
        return decisive
    return None if None in verdicts else not decisive

"""Turn definitions of facts and `never` conditions into impossible boxes, and find those that a query may leave out
because they can be avoided whatever the other facts are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from advisor.engine.boxes import Space, bits
from advisor.engine.conditions import Junction, Tree, boxes
from advisor.engine.declare import Declared, applies_where
from advisor.engine.errors import EngineError, FactError
from advisor.engine.situation import first_case


def impossible(space: Space, fact: Declared) -> list[int]:
    """The boxes that a fact's definition rules out: `n/a` if it applies, values if it does not, and all values but the
    derived one. Raises EngineError for a value that the fact cannot have."""
    name = str(fact.data["id"])
    subject = space.facts[name]
    ruled_out: list[int] = []
    if fact.applies:
        ruled_out += _with(space, boxes(space, fact.applies, negated=True), name, subject.full ^ subject.not_applicable)
        ruled_out += _with(space, boxes(space, fact.applies), name, subject.not_applicable)
    for value, tree, path in fact.values:
        try:
            mask = subject.mask(value)
        except FactError as error:
            raise EngineError(str(error), path) from None
        ruled_out += _with(space, _where(space, fact, tree), name, subject.full & ~mask)
    if fact.derived and fact.otherwise is not None:
        try:
            mask = subject.mask(fact.otherwise)
        except FactError as error:
            raise EngineError(str(error), (*fact.path, "otherwise")) from None
        ruled_out += _with(space, _where(space, fact, _none_of(fact)), name, subject.full & ~mask)
    return ruled_out


def check_derived(space: Space, fact: Declared, constraints: Iterable[int]) -> None:
    """Raises EngineError if a derived fact would have two values, or none. `constraints`: all impossible boxes."""
    name = str(fact.data["id"])
    own = space.guard_of[name]
    covers = [cover for cover in constraints if not space.facts_of(cover) & own]
    subject = space.facts[name]
    for index, (value, tree, path) in enumerate(fact.values):
        for other, other_tree, _ in fact.values[:index]:
            if subject.mask(value) & subject.mask(other):
                continue
            common = boxes(space, Junction("all", (applies_where(fact), tree, other_tree)))
            case = first_case(space, common, (), covers)
            if case is not None:
                words = in_words(space, space.unpack(case))
                raise EngineError(f"{name} would be both {other} and {value}", path, words)
    if fact.derived and fact.otherwise is None:
        case = first_case(space, _where(space, fact, _none_of(fact)), (), covers)
        if case is not None:
            words = in_words(space, space.unpack(case))
            raise EngineError(f"{name} would have no value; add a condition, or otherwise", fact.path, words)


def in_words(space: Space, state: Mapping[str, int]) -> str:
    """A state in words: "client.kernel is older than 5.3 and mount.ro is true"; "" if nothing is known. A comma
    precedes "and" if a fact has several values: "platform is anf or ontap, and mount.ro is true"."""
    *parts, last = [f"{name} is {space.facts[name].describe(mask, 'or')}" for name, mask in state.items()] or [""]
    if not parts:
        return last
    comma = len(parts) > 1 or any(" or " in part for part in (*parts, last))
    return f"{', '.join(parts)}{',' if comma else ''} and {last}"


def _where(space: Space, fact: Declared, tree: Tree) -> list[int]:
    return boxes(space, Junction("all", (applies_where(fact), tree)))


def _none_of(fact: Declared) -> Tree:
    return Junction("not", (Junction("any", tuple(tree for _, tree, _ in fact.values)),))


def _with(space: Space, cases: Iterable[int], name: str, mask: int) -> list[int]:
    """The same boxes, narrowed to the cases in which the fact has one of these cells."""
    return [common for box in cases if (common := space.meet(box, space.only(name, mask))) is not None]


MAX_TRIES = 2000
"""Combinations of boxes that are tried for one fact; if these are not enough, every query reads its constraints."""


class BoxGroup(NamedTuple):
    """The boxes of one definition or `never`. `defines`: the guard bit of the defined fact, 0 for a `never`."""

    name: str
    boxes: list[int]
    defines: int


def owned(space: Space, groups: list[BoxGroup]) -> list[tuple[int, BoxGroup]]:
    """Each group with the guard bit of the fact that owns it, 0 if none does: a fact that can always avoid the group's
    boxes. A query that neither asks nor knows anything about the owner may leave the group out.

    A fact that has a possible cell in every case of the others is eliminated together with all groups that mention it,
    and then the next one. Facts with few groups go first, and defined facts before others, so that a group precedes
    those of the other facts that it mentions."""
    remaining = [(_mentioned(space, group), group) for group in groups]
    eliminated: list[tuple[int, BoxGroup]] = []
    stuck = 0
    while True:
        fact = _fewest_groups(remaining, stuck)
        if not fact:
            return eliminated + [(0, group) for _, group in remaining]
        own = [group for facts, group in remaining if facts & fact]
        if _always_free(space, fact, [box for group in own for box in group.boxes]):
            eliminated += [(fact, group) for group in own]
            remaining = [(facts, group) for facts, group in remaining if not facts & fact]
            stuck = 0
        else:
            stuck |= fact


def _fewest_groups(groups: list[tuple[int, BoxGroup]], stuck: int) -> int:
    """The guard bit of the fact to try next, 0 if there is none. `stuck`: facts that cannot be eliminated for now."""
    counts: dict[int, tuple[int, bool, int]] = {}
    defined = {group.defines for _, group in groups}
    for facts, _ in groups:
        for fact in bits(facts & ~stuck):
            count = counts[fact][0] + 1 if fact in counts else 1
            counts[fact] = (count, fact not in defined, -fact)
    return min(counts, key=counts.__getitem__, default=0)


def _mentioned(space: Space, group: BoxGroup) -> int:
    facts = group.defines
    for box in group.boxes:
        facts |= space.facts_of(box)
    return facts


def _always_free(space: Space, fact: int, boxes: list[int]) -> bool:
    """Whether the boxes leave a cell of the fact in every case of the other facts."""
    segment = space.segment[fact]
    tries = 0

    def blocked(case: int, cells: int) -> bool:
        """Whether in some part of the case, of the other facts, boxes cover all these cells."""
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

"""Definitions and `never` conditions made into boxes that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.engine.boxes import Space
from advisor.engine.conditions import Group, Tree, boxes
from advisor.engine.declare import Declared, applies_where
from advisor.engine.errors import EngineError, FactError
from advisor.engine.situation import first_case


def impossible(space: Space, fact: Declared) -> list[int]:
    """What a fact's definition rules out: n/a where it applies, a value where it does not, all values but its own."""
    name = str(fact.data["id"])
    subject = space.facts[name]
    found: list[int] = []
    if fact.applies:
        found += _with(space, boxes(space, fact.applies, negated=True), name, subject.full ^ subject.not_applicable)
        found += _with(space, boxes(space, fact.applies), name, subject.not_applicable)
    for value, tree, path in fact.values:
        try:
            mask = subject.mask(value)
        except FactError as error:
            raise EngineError(str(error), path) from None
        found += _with(space, _where(space, fact, tree), name, subject.full & ~mask)
    if fact.derived and fact.otherwise is not None:
        try:
            mask = subject.mask(fact.otherwise)
        except FactError as error:
            raise EngineError(str(error), (*fact.path, "otherwise")) from None
        found += _with(space, _where(space, fact, _none_of(fact)), name, subject.full & ~mask)
    return found


def check_derived(space: Space, fact: Declared, constraints: Iterable[int]) -> None:
    """Raises EngineError where a derived fact would have two values, or none. `constraints`: all that cannot be."""
    name = str(fact.data["id"])
    own = space.guard_of[name]
    covers = [cover for cover in constraints if not space.facts_of(cover) & own]
    subject = space.facts[name]
    for index, (value, tree, path) in enumerate(fact.values):
        for other, other_tree, _ in fact.values[:index]:
            if subject.mask(value) & subject.mask(other):
                continue
            both = boxes(space, Group("all", (applies_where(fact), tree, other_tree)))
            case = first_case(space, both, (), covers)
            if case is not None:
                words = in_words(space, space.unpack(case))
                raise EngineError(f"{name} would be both {other} and {value}", path, words)
    if fact.derived and fact.otherwise is None:
        case = first_case(space, _where(space, fact, _none_of(fact)), (), covers)
        if case is not None:
            words = in_words(space, space.unpack(case))
            raise EngineError(f"{name} would have no value; add a condition, or otherwise", fact.path, words)


def in_words(space: Space, state: Mapping[str, int]) -> str:
    """A state for people: "client.kernel is older than 5.3 and mount.ro is true"; empty if nothing is known.
    A comma stands before "and" where a fact has several values: "platform is anf or ontap, and mount.ro is true"."""
    parts = [f"{name} is {space.facts[name].describe(mask, 'or')}" for name, mask in state.items()]
    return (", and " if any(" or " in part for part in parts) else " and ").join(parts)


def _where(space: Space, fact: Declared, tree: Tree) -> list[int]:
    return boxes(space, Group("all", (applies_where(fact), tree)))


def _none_of(fact: Declared) -> Tree:
    return Group("not", (Group("any", tuple(tree for _, tree, _ in fact.values)),))


def _with(space: Space, found: Iterable[int], name: str, mask: int) -> list[int]:
    """The boxes in which the fact has one of these cells besides."""
    if not mask:
        return []
    return [common for box in found if (common := space.meet(box, space.only(name, mask))) is not None]

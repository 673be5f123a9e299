"""Plain data: what `build` takes, and what a compiled base holds. Only what compiles one imports this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from advisor.engine.boxes import Packed
from advisor.engine.cells import FactRow, Value


class Inference(TypedDict):
    match: str
    sets: Mapping[str, object]


class AuthoredFact(TypedDict, total=False):
    """`id` and `type` are always there."""

    id: str
    type: str
    values: Sequence[str]
    scheme: str | None
    minimum: int | None
    maximum: int | None
    applies: object
    derive: Mapping[object, object]
    otherwise: object
    infer: Sequence[Inference]
    builds: Mapping[str, str]


class AuthoredConstraint(TypedDict, total=False):
    """`presumed` and `only_advice` may be left out."""

    id: str
    never: object
    presumed: bool
    only_advice: object


class AuthoredRule(TypedDict, total=False):
    """`when` and `overrides` may be left out."""

    id: str
    layer: str
    when: object
    value: Value
    overrides: Sequence[str]


class AuthoredDecision(TypedDict):
    id: str
    hit: str
    rules: Sequence[AuthoredRule]


class AuthoredBase(TypedDict, total=False):
    """`constraints` and `conditions` may be left out."""

    facts: Sequence[AuthoredFact]
    constraints: Sequence[AuthoredConstraint]
    layers: Sequence[str]
    conditions: Mapping[str, object]
    decisions: Sequence[AuthoredDecision]


ConstraintRow = tuple[int, str, Packed, int]
"""Number of the owner or -1, name, boxes, number of the defined fact or -1."""
RuleRow = tuple[str, int, Value, list[str], Packed]
"""Id, number of the layer, value, what it overrides, boxes."""


class CompiledBase(TypedDict):
    """`only_advice`: which of `presumed` apply to advice alone, by id; `only_once`: which of these apply only to advice
    that asks no questions. `ordinary`: one box outside every constraint and presumption, or none.
    `written`: decision -> rule -> its condition as its author wrote it.

    `circle`: decisions that depend on each other, if there are some; else `decisions` are in the order in which they
    can be decided. They and `written` may decode an entry when it is asked for."""

    format: int
    facts: list[FactRow]
    infer: dict[str, list[tuple[str, Mapping[str, object]]]]
    builds: dict[str, dict[str, str]]
    """Scheme → name of a build → the release that it is, as `VersionFact.builds` has it."""
    layers: list[str]
    constraints: list[ConstraintRow]
    presumed: list[tuple[str, Packed]]
    ordinary: Packed
    only_advice: list[str]
    only_once: list[str]
    circle: list[str]
    decisions: Mapping[str, tuple[str, list[RuleRow]]]
    conditions: dict[str, Packed]
    written: Mapping[str, Mapping[str, object]]

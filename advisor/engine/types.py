"""Plain data: what `build` takes, and what a compiled base holds. Nothing imports this when a command runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Optional, TypedDict, Union

Value = Union[bool, int, float, str]

Packed = list[list[int]]
"""Boxes, each as fact number, mask, fact number, mask …"""


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


# Rows are lists where they were read from JSON. Each fact's is (id, type, domain, applies always, derived).
ListedRow = tuple[str, Literal["enum", "bool"], Optional[list[str]], bool, bool]
IntRow = tuple[str, Literal["int"], tuple[Optional[int], Optional[int], list[int]], bool, bool]
"""Domain: minimum, maximum, edges."""
VersionRow = tuple[str, Literal["version"], tuple[str, list[tuple[str, int]]], bool, bool]
"""Domain: scheme, edges as (constant, 0 before or 1 after)."""
FactRow = Union[ListedRow, IntRow, VersionRow]
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

"""Facts (what can be known), layers (the authority of a rule) and domain constraints."""

from __future__ import annotations

from typing import Literal

from advisor.rulebase.schema.base import ClaimId, Condition, DottedId, Scalar, Slug, Strict, Text


class Infer(Strict):
    """What else is known when an exact value's text matches `match` (a regular expression, searched)."""

    match: Text
    sets: dict[DottedId, Scalar]


class NarrowedBy(Strict):
    """A second setting that narrows the first where that has the value `only_for` (`vers=4,minorversion=1`)."""

    tunable: DottedId
    only_for: Scalar
    map: dict[str, Scalar]


class FromSetting(Strict):
    """The fact is read from a setting of the line that is being judged.

    `absent` is the fact's value when the line does not have the setting; without it the fact stays open
    (the line leaves it to negotiation)."""

    tunable: DottedId
    absent: Scalar | None = None
    map: dict[str, list[Scalar]] = {}
    """A written value that stands for several: `vers=4` is 4.0, 4.1 or 4.2."""
    fstypes: dict[str, list[Scalar]] = {}
    """What the file system type alone says where the setting is absent: `nfs4`."""
    narrowed_by: NarrowedBy | None = None


class Fact(Strict):
    """Something that can be known of an environment. `values` (enum): value -> label for people."""

    id: DottedId
    type: Literal["enum", "bool", "int", "version"]
    says: Text
    values: dict[str, Text] | None = None
    scheme: Literal["kernel", "rpm", "deb"] | None = None
    unit: Text | None = None
    minimum: int | None = None
    maximum: int | None = None
    section: Slug | None = None
    ask: Text | None = None
    help: Text | None = None
    why: Text | None = None
    examples: list[Text] = []
    applies: Condition | None = None
    """Where this is false the fact is `n/a`, a cell of its own; where it is true the fact is never `n/a`."""
    derive: dict[str, Condition] | None = None
    """Derived fact: value -> the condition that makes it so. The conditions must not overlap."""
    otherwise: Scalar | None = None
    """The derived fact's value where no condition of `derive` holds."""
    infer: list[Infer] = []
    setting: FromSetting | None = None


class FactsFile(Strict):
    """rules/facts/*.yaml"""

    section: Slug
    title: Text
    facts: list[Fact]


class Layer(Strict):
    id: Slug
    says: Text


class LayersFile(Strict):
    """rules/layers.yaml: weakest first."""

    layers: list[Layer]


class Constraint(Strict):
    """A state of the world that cannot be."""

    id: Slug
    never: Condition
    why: Text
    cites: list[ClaimId]


class ConstraintsFile(Strict):
    """rules/constraints.yaml"""

    constraints: list[Constraint]

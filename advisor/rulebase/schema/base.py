"""What every authoring model shares: strictness, names, conditions, values."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
"""A name that never changes once released: `nconnect-shared-transport`."""

RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]+/[a-z0-9.-]+$")]
"""`<decision's short name>/<case>`: `nconnect/azure-files`."""

DottedId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(\.[A-Za-z0-9_*-]+)+$")]
"""A fact or tunable: `client.kernel`, `mount.nconnect`, `sysctl.net.core.rmem_max`."""

SourceId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-.][a-z0-9]+)*$")]
"""A document's name; may hold a version: `linux-6.12`."""

ClaimId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+\.[a-z0-9.-]+$")]
"""`<source id>.<what it says>`: `anf-mount.slots-table`."""

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]

Strength = Literal["must", "should", "may"]
Consequence = Literal[
    "mount-fails", "data-loss", "stale-data", "hang", "boot", "security", "ignored", "performance", "unsupported",
    "portability",
]

Scalar = Union[bool, int, float, str]
Condition = dict[str, Any]
"""A mapping is AND. Keys: a fact id, or `all`, `any` (lists of conditions), `not` (a condition).
Values: a scalar, a list (one of), or a range such as ">=5.3 <5.11". Checked by the compiler, not here."""


class Strict(BaseModel):
    """Refuses unknown keys and silent conversions; says so with the place in the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

"""The plain types that records are made of. Nothing imports this when a command runs: type checkers read it, and the
authoring schema, for which the names carry their patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Optional, TypeVar, Union

from pydantic import StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
"""A name that never changes once released: `nconnect-shared-transport`."""

RuleId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]+/[a-z0-9.-]+$")]
"""`<decision's short name>/<case>`: `nconnect/azure-files`."""

DottedId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(\.[A-Za-z0-9_*-]+)+$")]
"""A fact or tunable: `client.kernel`, `mount.nconnect`, `sysctl.net.core.rmem_max`."""

FactId = DottedId
TunableId = DottedId
SettingId = DottedId
DecisionId = DottedId
"""What the id names: a fact; a tunable; a tunable or a part of a line, such as `fstab.type`; a decision. The audit
looks it up."""

SourceId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-.][a-z0-9]+)*$")]
"""A document's name; may hold a version: `linux-6.12`."""

ClaimId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+\.[a-z0-9.-]+$")]
"""`<source id>.<what it says>`: `anf-mount.slots-table`."""

ConclusionId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
"""`rpc_slots`: as it is in the output of `observe`."""

MessageId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+\.[a-z0-9.-]+$")]
"""`<program or area>.<what it says>`: `mount-nfs.access-denied`."""

CheckId = Slug
LayoutId = Slug
FamilyId = Slug
FindingId = Slug
"""The name of a check or an erratum."""

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]

WholeRegex = Text
SearchRegex = Text
LineRegex = Text
StartRegex = Text
"""A regular expression, and what has to match it: the whole text; any part; any part, where ^ and $ are the ends of
lines; the start."""

Strength = Literal["must", "should", "may"]
Consequence = Literal[
    "mount-fails", "data-loss", "stale-data", "errors", "hang", "boot", "security", "ignored", "performance",
    "unsupported", "portability",
]

Scalar = Union[bool, int, float, str]
Value = Optional[Scalar]
"""What a setting is found to be; None if nothing is known of it."""
Values = Union[Scalar, list[Scalar]]
"""One value, or any of several."""
OwnValue = Scalar
OwnValues = list[Scalar]
OwnWord = str
"""Values of the fact or the tunable in whose entry they are."""
Implied = Scalar
"""A value of another setting, or the word `value` for that of this one."""
Filled = Values
"""A fact's value, or `"{field}"` for what stood there."""
Pattern = Values
"""What a setting of a line must be: a value, one of several, a range, `present`, `absent`, or a regular expression."""

R = TypeVar("R")
Added = Annotated[R, "added by the compiler"]
"""A field that no author writes."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Operand = Union[Scalar, list[Scalar], Mapping[str, "Operand"], list[Mapping[str, "Operand"]]]
    Condition = Mapping[str, Operand]
    ById = Mapping[str, R]
else:
    Operand = object
    Condition = dict[str, object]  # checked by the compiler, with better words
    Mapping, Sequence, ById = dict, list, list
"""A mapping is AND. Keys: a fact id, or `all`, `any` (lists of conditions), `not` (a condition).
Values: a scalar, a list (one of), or a range such as ">=5.3 <5.11". `ById` is written as a list of what has an id."""

Cites = Sequence[ClaimId]
"""What an entry rests on; where a field of this type is required, there is at least one that is not refuted."""

WordGroups = Sequence[Sequence[str]]
"""Groups of words; of one of them all must be there."""

Hit = Literal["priority", "collect"]

Grade = Literal["code", "observed", "manual", "vendor", "measurement", "report", "community"]
"""Grade of evidence, strongest first: read in the code; seen on a real kernel; a reference manual; the vendor's
own page; a vendor's measurement; a bug report or issue thread; a blog or forum."""

Kind = Literal[
    "mount-option", "fstab-field", "sysctl", "module-parameter", "nfs.conf", "bdi", "package", "bios", "scheduler",
    "filesystem", "raid", "tuned", "network", "service", "export-option", "layout", "volume", "benchmark", "vm",
    "estimate", "access", "idmapd.conf", "nfs-defaults", "autofs.conf", "autofs-defaults", "systemd-unit",
    "autofs-master", "cluster", "identity", "ganesha.conf", "cib", "kubernetes", "kernel-file", "program",
    "deployment",
]

ValueType = Literal[
    "flag", "uint", "int", "number", "enum", "string", "list", "pattern", "size", "seconds", "version", "prose",
]
"""How a value is written. `flag`: no value. `uint`: as the kernel reads a number (base from the prefix: 0x4, 04;
0 … 4294967295). `list`: enum words joined by `separator`. `pattern`: a regular expression. `seconds`: a number of
seconds or a systemd time span. `version`: one, or a comparison with one. `prose`: words for people, for what no file
holds. `string`: as a setting in a file that is read, anything; what a rule or a pin says has no blank and no character
that a shell or a file format gives a meaning to."""

Date = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]

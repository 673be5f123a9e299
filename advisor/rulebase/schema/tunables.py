"""What an administrator can set, and the grammar of mount options as data."""

from __future__ import annotations

from typing import Literal

from advisor.rulebase.schema.base import ClaimId, Condition, Consequence, DottedId, Scalar, Strict, Text

Kind = Literal[
    "mount-option", "fstab-field", "sysctl", "module-parameter", "nfs.conf", "bdi", "package", "bios", "scheduler",
    "filesystem", "raid", "tuned", "network", "service", "export-option", "layout", "volume", "benchmark", "vm",
]
ValueType = Literal["flag", "uint", "int", "number", "enum", "string", "list", "pattern", "size", "seconds"]
"""How a value is written. `flag`: no value. `uint`: as the kernel reads a number (base from the prefix: 0x4, 04;
0 … 4294967295). `list`: enum words joined by `separator`. `pattern`: a regular expression. `seconds`: a number of
seconds or a systemd time span. `string`: anything."""


class Form(Strict):
    """One spelling of an option. Exactly one of `takes` and `means`."""

    spelling: Text
    """May hold `*` for option families such as `x-systemd.requires-mounts-for=` → `x-systemd.*`."""
    takes: Literal["value", "optional-value"] | None = None
    means: Scalar | None = None
    """The value that this bare word stands for: `tcp` means "tcp" for mount.proto, `nolock` means false."""
    when: Condition | None = None
    """Known only where this holds."""
    note: Text | None = None


class Becomes(Strict):
    """A value that is accepted but changed: `range` is a bound such as "<1024" or ">1048576"."""

    range: Text
    value: Scalar | None = None
    """What it becomes; without it `how` says so in words (rounded down to a multiple of 4096)."""
    multiple_of: int | None = None
    power_of_two: bool = False
    how: Text
    cites: list[ClaimId]


class Verdict(Strict):
    """A circumstance in which the option, or one of its values, is ignored or refused.

    `values`: only these values (default: any). `with`: other settings of the same line that must stand there too,
    closed world: tunable → value, list, range, `present` or `absent`. `when`: a condition over facts, open world."""

    values: list[Scalar] | None = None
    together: dict[DottedId, Scalar | list[Scalar]] = {}
    when: Condition | None = None
    why: Text
    consequence: Consequence | None = None
    cites: list[ClaimId]


class Tunable(Strict):
    id: DottedId
    kind: Kind
    title: Text
    about: Text | None = None
    type: ValueType
    values: list[Scalar] | None = None
    """enum and list: the words that are accepted."""
    value_notes: dict[str, Text] = {}
    pattern: Text | None = None
    separator: Text | None = None
    unit: Text | None = None
    minimum: int | None = None
    maximum: int | None = None
    """A number outside is refused (the mount fails), unless `becomes` covers it."""
    lenient: bool = False
    """A value of the wrong type is accepted in silence (mount.nfs does so for `retry`): reported as ignored."""
    default: Scalar | None = None
    """The value in effect when it is not set; none where it is negotiated, computed or unknown."""
    default_note: Text | None = None
    forms: list[Form] = []
    read_by: Literal["kernel", "mount.nfs", "mount", "systemd", "helper", "comment"] | None = None
    repeat: Literal["last", "first", "fails", "adds"] = "last"
    """What happens when it is written more than once."""
    applies_to: list[Text] = []
    """File system types (`aznfs`, `efs`) that know the option; empty: nfs and nfs4."""
    needs: Condition | None = None
    """Facts without which the client does not know the option: the mount fails."""
    becomes: list[Becomes] = []
    refused: list[Verdict] = []
    ignored: list[Verdict] = []
    implies: dict[DottedId, Scalar] = {}
    """Other settings that this one sets, while it stands (`noac` → actimeo 0 and sync)."""
    misspellings: list[Text] = []
    vendor: Text | None = None
    """The client that knows it, where it is not the Linux kernel's: "VAST NFS driver"."""
    sets: Text | None = None
    verify: Text | None = None
    undo: Text | None = None
    takes_effect: Text | None = None
    persists: Text | None = None
    risk: Text | None = None
    related: list[DottedId] = []
    cites: list[ClaimId] = []


class TunablesFile(Strict):
    """kb/tunables/**.yaml"""

    tunables: list[Tunable]

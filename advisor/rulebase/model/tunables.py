"""What an administrator can set, and the grammar of mount options as data."""

from __future__ import annotations

from advisor.rulebase.model.record import Record
from advisor.rulebase.model.steps import ValueSteps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.facts import Probe
    from advisor.rulebase.model.types import (
        ClaimId,
        Condition,
        Consequence,
        DottedId,
        Kind,
        Pattern,
        RuleId,
        Scalar,
        Text,
        ValueType,
    )


class Form(Record):
    """One spelling of an option. Exactly one of `takes` and `means`. A spelling may have two forms: the bare word and
    one that takes a value; or one without `when` and one that widens it where its `when` certainly holds."""

    spelling: Text
    """May hold `*` for option families such as `x-systemd.requires-mounts-for=` → `x-systemd.*`."""
    takes: Literal["value", "optional-value"] | None = None
    means: Scalar | None = None
    """The value that this bare word stands for: `tcp` means "tcp" for mount.proto, `nolock` means false."""
    stray_value: Literal["any", "empty"] | None = None
    """What may stand behind the bare word and is not looked at: `any` value (`ro=1`), or nothing but an equals sign
    (`nofail=`). It is told; nothing fails over it."""
    values: Sequence[Scalar] | None = None
    """The words that this form accepts, where they are not the tunable's (`rdirplus=force`)."""
    maximum: int | None = None
    """The largest number in this form, where it is not the tunable's (a vendor's client)."""
    when: Condition | None = None
    """Known only where this holds."""
    implies: Mapping[DottedId, Scalar] = {}
    """As `Tunable.implies`, for this form only (`softerr` → softreval)."""
    presumes: Mapping[DottedId, Scalar] = {}
    """Of a file system type: settings that follow where the line does not write them (type `efs` → vers 4.1)."""
    note: Text | None = None


class Becomes(Record):
    """A value that is accepted but changed: `range` is a bound such as "<1024" or ">1048576"."""

    range: Text
    value: Scalar | None = None
    """What it becomes; without it `how` says so in words (rounded down to a multiple of 4096)."""
    multiple_of: int | None = None
    power_of_two: bool = False
    power_before: Text | None = None
    """Kernels older than this cut the number to a power of two instead."""
    meant: int | None = None
    """A power of two that is at most this many per cent away is what was meant, and the remedy names it."""
    how: Text
    cites: Sequence[ClaimId]


class Verdict(Record):
    """A circumstance in which the option, or one of its values, is ignored or refused.

    `values`: only these values or ranges (">16"); default: any. `written`: only where the option as written matches
    this regular expression (a spelling: `v3` for `vers=3`). `together`: other settings of the same line that must
    be in effect too, closed world: tunable → value, list, range, `present` or `absent`; `fstab.type` is one of them.
    `when`: a condition over facts, open world. Where the whole setting is meant and facts tell, it is a gate: no rule
    asks for the setting there. `id`: the name of the gate, where it shall have one of its own."""

    id: RuleId | None = None
    values: Sequence[Scalar] | None = None
    written: Text | None = None
    together: Mapping[DottedId, Pattern] = {}
    when: Condition | None = None
    why: Text
    consequence: Consequence | None = None
    cites: Sequence[ClaimId]


class Overlooked(Record):
    """A circumstance in which a wrong form or value does no harm, because nobody reads it. It is told all the same.

    `written`: a regular expression for the option as written; default: any. `followed`: only where the same setting is
    written again further on. `fixed`: true where nothing of the line is negotiated (`Tunable.tries`), false where it
    is; default: both. `together`: as in a verdict; `absent` means that the line does not write it."""

    written: Text | None = None
    followed: bool = False
    fixed: bool | None = None
    together: Mapping[DottedId, Pattern] = {}
    why: Text
    cites: Sequence[ClaimId]


class Tries(Record):
    """The values that are tried in turn until the client accepts the line, under the settings of `together`."""

    together: Mapping[DottedId, Pattern]
    values: Sequence[Scalar]


class Tunable(ValueSteps):
    id: DottedId
    kind: Kind
    title: Text
    about: Text | None = None
    type: ValueType
    values: Sequence[Scalar] | None = None
    """enum and list: the words that are accepted."""
    others: bool = False
    """There may be more words, so of the others only those are wrong that look like one of `values`."""
    value_notes: Mapping[str, Text] = {}
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
    default_when: Condition | None = None
    """The default is known only where this holds (the port of NFSv4); checks that compare two lines look at it."""
    default_note: Text | None = None
    usual: Sequence[int] = ()
    """The numbers that hold where it is not set and `default` is not one fixed number (`actimeo`: 3, 30 and 60). A
    bound that all of them satisfy needs nothing written; for another one the number nearest to the last is chosen."""
    forms: Sequence[Form] = ()
    read_by: Literal["kernel", "mount.nfs", "mount", "systemd", "helper", "comment"] | None = None
    repeat: Literal["last", "fails", "adds"] = "last"
    """What happens when it is written more than once."""
    repeats_when: Condition | None = None
    """Where a repetition that fails does not fail after all: an older client, which takes it."""
    applies_to: Sequence[Text] = ()
    """File system types (`aznfs`, `efs`) that know the option; empty: nfs and nfs4."""
    needs: Condition | None = None
    """Facts without which the client does not know the option, so that the mount fails, or without which nobody reads
    the setting. `without` says why, for this tunable or for its kind."""
    becomes: Sequence[Becomes] = ()
    refused: Sequence[Verdict] = ()
    ignored: Sequence[Verdict] = ()
    overlooked: Sequence[Overlooked] = ()
    tries: Sequence[Tries] = ()
    """How it is negotiated: one value after the other, until nothing of the line is refused (`vers`)."""
    implies: Mapping[DottedId, Scalar] = {}
    """Other settings that this one sets (`actimeo` → acregmin), over what is written before it; what is written after
    it holds. Of a flag: only while it is true. The word `value` stands for this setting's own value."""
    synonyms: Mapping[str, Scalar] = {}
    """Other words for a value: `pos` → positive."""
    refined_by: Sequence[DottedId] = ()
    """Settings that say more about a value of this one, and go where it is written anew (minorversion of vers=4)."""
    meets: Mapping[str, list[Scalar]] = {}
    """A value → others of which it does all and more (`krb5p` → krb5i, krb5): it meets a rule that asks for them."""
    hides_unknown: bool = False
    """Beside it unknown options are dropped without a word (`sloppy`)."""
    misspellings: Sequence[Text] = ()
    shipped: Sequence[Text] = ()
    """What packages write in files that their releases no longer read: nobody chose it, so nobody is told."""
    lookalikes: Sequence[Text] = ()
    """Words that look like one of the values and mean something else (`ntfs`)."""
    same_as: DottedId | None = None
    """Another name of the same variable (a module parameter and its sysctl): the decision stands under that one."""
    fields: Sequence[Text] = ()
    """The value is several numbers separated by blanks; their names. A rule's value has then one part a field: a
    number, a comparison, or `*` for any number ("4096 * >=16777216")."""
    vendor: Text | None = None
    """The client that knows it, where it is not the Linux kernel's: "VAST NFS driver"."""
    governs: Text | None = None
    """What an option decides, in a few words."""
    other_unit: DottedId | None = None
    """The same knob in another unit: writing one sets the other to 0, so that only one of the two is ever written."""
    probe: Probe | None = None
    """Where the value in effect is read on a host, for kinds that do not tell by themselves."""
    takes_effect: Text | None = None
    persists: Text | None = None
    risk: Text | None = None
    related: Sequence[DottedId] = ()
    places: Sequence[DottedId] = ()
    """The tunables of which it says where they are written: it matters only where one of them is."""
    moot: Mapping[DottedId, Pattern] = {}
    """Settings beside which it makes no difference (`wsize` beside ro), with their patterns: no finding speaks of it
    then but for errors."""
    twin: DottedId | None = None
    """A setting that people write for the same reason and with the same value (`wsize` → rsize): findings about both
    that have one cause are told as one."""
    cites: Sequence[ClaimId] = ()

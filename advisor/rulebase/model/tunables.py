"""What an administrator can set: how it is applied, the files that it is in, the grammar of mount options, how a host
shows what is in effect, and what a client or server is able to do."""

# ruff: noqa: F403, F405  the types of fields

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import *


class Place(Record):
    """Something to read on a host. Exactly one of `file`, `dpkg`, `rpm`, `interface` and `mounted`.

    `key`: what follows `KEY=` in the file, without quotes. `match`, `without`: regular expressions that the text must,
    and must not, hold (searched; ^ and $ are the ends of lines)."""

    file: Text | None = None
    """An absolute path below /proc, /sys, /etc, /usr/lib or /run; others are never read."""
    exists: bool | None = None
    """Only whether the file or folder is there."""
    dpkg: Text | None = None
    """The version of a Debian package, with its epoch."""
    rpm: Text | None = None
    """The version and release of an RPM package, without its epoch."""
    interface: Literal["speed", "mtu"] | None = None
    """Of the interface towards the mounted servers, or with the default route: Mbit/s, bytes."""
    mounted: Sequence[Text] | None = None
    """Mounts in effect of one of these file system types: their targets."""
    key: Text | None = None
    match: LineRegex | None = None
    without: LineRegex | None = None


class Way(Place):
    """A way to find a fact: its value is the text of the place, or the group of `match`, unless this says otherwise."""

    value: OwnValue | None = None
    """The fact's value where the place is as it should be."""
    map: Mapping[str, OwnValue] | None = None
    """Text -> value; other texts say nothing."""
    cases: Mapping[OwnWord, LineRegex] | None = None
    """Value -> the regular expression that is found in the text then, and in no other case."""
    divide: int | None = None
    """A number is divided by this; the nearest whole number from 1 on is taken."""
    at_most: bool = False
    """The number, rounded up, is a bound: the fact may be less."""
    where: Sequence[Place] = ()
    """Other places that must be as they should be."""
    note: Text | None = None


class Probe(Record):
    """How a fact is found on a host. All ways are tried; those that find something must agree, or it stays unknown."""

    ways: Sequence[Way] = ()
    like: FactId | None = None
    """The ways are those of this other fact."""
    where: Sequence[Place] = ()
    """Places that must be as they should be, whatever the way."""
    granted: Mapping[FactId, Scalar] = {}
    """Facts with which `where` is granted: a server whose service is stopped is one all the same."""
    unless: Mapping[FactId, Scalar] = {}
    """Facts of this host with which it does not tell this one."""
    beside: Sequence[FactId] = ()
    """Facts that it means nothing without: not taken where the user said something else of them than this host does,
    or where this host's answer could not be used."""


class StepTexts(Record):
    """How a value is applied, checked and undone.

    In these texts `{value}` is the value, `{text}` what is written for it ("nconnect=8"), `{other}` a flag's other word
    ("nolock"), `{unset}` the text of the default, `{name}` the setting without its kind ("net.core.rmem_max"),
    `{before}` what was there, `{server}`, `{export}` and `{target}` are those of the mount, `{section}` and `{key}` of
    nfs.conf, `{module}` and `{parameter}` of a module; `{value - 28}` is a number less 28."""

    sets: Text | None = None
    """What to write or run."""
    verify: Text | None = None
    """What to run, or where to look."""
    shows: Text | None = None
    """What is seen there when the value is in effect."""
    lacks: Text | None = None
    """What is not seen there then."""
    undo: Text | None = None
    """How to go back if the earlier value was not read."""
    undo_to: Text | None = None
    """How to go back to `{before}`, which was seen."""
    undo_unset: Text | None = None
    """How to go back where it was seen that nothing was set."""
    undo_same: Text | None = None
    """How to go back where the same value was there before."""
    line: Text | None = None
    """How the whole mount is written where the value puts it elsewhere than in fstab. `{options}` are its options."""


class Without(Record):
    """What follows where a tunable's `needs` do not hold, so that the setting cannot be used. `why` may be with the
    kind; without citations of its own it has those of the capabilities that it needs. `id`: the name of the gate, where
    it is to have one of its own."""

    id: RuleId | None = None
    why: Text | None = None
    cites: Cites = ()


class ValueSteps(StepTexts):
    """Steps, and others for single values: "omit", or the value as text ("true", "active-passive"). What is said for
    the value replaces what is said in general."""

    by_value: Mapping[str, StepTexts] = {}
    without: Without | None = None


class Reading(Record):
    """What a program makes of something in its file, and who says so. `number`, `word`: what becomes of a value that is
    none ({digits}: those that it begins with, else 0). `refused`: what becomes of any value that is not taken, out of
    range or none ({section}; {fails}: what becomes of its block). `few`: of too few numbers of several ({count}: how
    many there are). `strength`, `consequence`: where it is worse, or less bad, than usual."""

    number: Text | None = None
    word: Text | None = None
    refused: Text | None = None
    few: Text | None = None
    strength: Strength | None = None
    consequence: Consequence | None = None
    why: Text
    cites: Cites


class Folder(Reading):
    """The directory beside the file (`nfs.conf.d`): the names of the files in it that are read end so. `unless`: where
    it may not be read at all."""

    ending: Text
    unless: Condition | None = None
    kinds: Sequence[Text] = ()
    """Kinds of the files there; by default all that may hold the settings."""


class LateSettings(Reading):
    """Settings that exist only once a module is loaded. `modules`: pattern of names → the module. `kind`: that of the
    tunables which set the same in time."""

    modules: Mapping[str, Text]
    kind: Kind


class ConfusedNames(Reading):
    """Names of other tunables that people write here: `prefix` of their ids, and in words what they are."""

    prefix: Text
    hint: Text
    todo: Text


class Saying(Record):
    """What settings in these sections say of the host by being there, unless a fact is given."""

    sections: Sequence[Text]
    holds: Mapping[FactId, Values]


class SettingsFile(Record):
    """The files that hold tunables of one kind as `name = value`."""

    kinds: Sequence[Text]
    """Of files (advisor.files.kinds)."""
    prefix: Text
    """What a tunable's id has before the name: `nfs.conf.` before nfsd.threads."""
    sections: bool = False
    """The first part of the name is a section."""
    ignores_case: bool = False
    synonyms: Mapping[str, Scalar] = {}
    """Other words for a value of any tunable that has it."""
    unread: Reading
    """What becomes of a name that no tunable has. `*` as the last part of a tunable's id stands for any name."""
    others: bool = False
    """Other programs may read other names, so a name is reported only if it looks like a known one."""
    versions: Sequence[FactId] = ()
    """The versions that decide which names exist. A host newer than what is known of them may have other names."""
    complete: Sequence[Text] = ()
    """Patterns of names (after their section and a dot) all of which are known."""
    exist: Sequence[Text] = ()
    """Patterns of names that exist and are not tunables."""
    of_others: Mapping[str, Sequence[Text]] = {}
    """Sections of these files that hold settings of no tunable, and the patterns of their names. Only names that belong
    into another section are reported there."""
    loaded_by_name: Sequence[Text] = ()
    """Sections that are kernel modules which `blacklist` does not hold back: they are loaded by their own names, or
    because other modules need them."""
    thing: Text = "a setting"
    """What a name is, in a word."""
    called: Text = "[{section}]"
    """A section in words."""
    division: Text = "section"
    """What a section is, in a word."""
    inherits: Mapping[str, Text] = {}
    """Blocks of which there may be several, and the block whose values hold in each if it has none."""
    nested: Mapping[str, Sequence[Text]] = {}
    """Blocks that are allowed only inside others, and inside which."""
    fails: Mapping[str, Text] = {}
    """What becomes of a block with a mistake in it, in words; "" for all others."""
    alone: Sequence[Text] = ()
    """Names (after their section and a dot) whose values no two blocks may share."""
    bare: Sequence[Text] = ()
    """Names whose values the program does not take in quotation marks."""
    written: Text = "{key}={value}"
    """How a setting is written."""
    written_in: Mapping[str, Text] = {}
    """The same for kinds of files in which it is written otherwise."""
    skipped: Reading
    """What becomes of a line that cannot be read."""
    misread: Reading
    """What becomes of a value of the wrong type."""
    twice: Reading | None = None
    """Which of several settings with one name holds: the last, as is said here. None: each of them does."""
    repeated: Reading | None = None
    """What becomes of a block in which a name is set twice."""
    empty: Reading | None = None
    """What becomes of an empty value, if that is not simply empty."""
    comment: Reading | None = None
    """What becomes of a comment behind a value, where the program has none there."""
    late: LateSettings | None = None
    confused: ConfusedNames | None = None
    folder: Folder | None = None
    says: Sequence[Saying] = ()

    def becomes_of(self, section: str) -> str:
        """What becomes of a block with a mistake in it, in words."""
        return self.fails.get(section, self.fails.get("", ""))


class KindSteps(ValueSteps):
    """What the tunables of one kind have in common. A tunable's own steps go before those of its kind."""

    id: Kind
    scope: Literal["host", "server", "mount"]
    """Where one value holds. What holds for the host has to suit all of its mounts."""
    takes_effect: Text | None = None
    persists: Text | None = None
    lives: Sequence[Life] = ()
    """Of their file, which no setting in it is older than."""
    file: SettingsFile | None = None


class Form(Record):
    """One spelling of an option. Exactly one of `takes` and `means`. A spelling may have two forms: the bare word and
    one that takes a value; or one without `when` and one that widens it where its `when` certainly holds."""

    spelling: Text
    """May hold `*` for option families such as `x-systemd.requires-mounts-for=` → `x-systemd.*`."""
    takes: Literal["value", "optional-value"] | None = None
    means: Scalar | None = None
    """The value that this bare word stands for: `tcp` means "tcp" for mount.proto, `nolock` means false."""
    stray_value: Literal["any", "empty"] | None = None
    """What may be behind the bare word and is not looked at: `any` value (`ro=1`), or nothing but an equals sign
    (`nofail=`). It is reported, but nothing fails because of it."""
    values: Sequence[Scalar] | None = None
    """The words that this form accepts, where they are not the tunable's (`rdirplus=force`)."""
    maximum: int | None = None
    """The largest number in this form, where it is not the tunable's (a vendor's client)."""
    when: Condition | None = None
    """Known only where this holds."""
    implies: Mapping[SettingId, Implied] = {}
    """As `Tunable.implies`, for this form only (`softerr` → softreval)."""
    presumes: Mapping[SettingId, Implied] = {}
    """Of a file system type: settings that follow where the line does not write them (type `efs` → vers 4.1)."""
    note: Text | None = None


class Becomes(Record):
    """A value that is accepted but changed: `range` is a bound such as "<1024" or ">1048576"."""

    range: Text
    value: OwnValue | None = None
    """What it becomes; without it `how` says so in words (rounded down to a multiple of 4096)."""
    multiple_of: int | None = None
    power_of_two: bool = False
    power_before: Text | None = None
    """Kernels older than this cut the number to a power of two instead."""
    meant: int | None = None
    """A power of two that is at most this many per cent away is what was meant, and the remedy names it."""
    how: Text
    cites: Cites


class Verdict(Record):
    """A circumstance in which the option, or one of its values, is ignored or refused.

    `values`: only these values or ranges (">16"); default: any. `written`: only where the option as written matches
    this regular expression (a spelling: `v3` for `vers=3`). `together`: other settings of the same line that must
    be in effect too, closed world: tunable → value, list, range, `present` or `absent`; `fstab.type` is one of them.
    `when`: a condition over facts, open world. Where the whole setting is meant and facts tell, it is a gate: no rule
    asks for the setting there. `fixed`: as in Overlooked. `id`: the name of the gate, where it shall have one of its
    own."""

    id: RuleId | None = None
    values: Sequence[Scalar] | None = None
    written: WholeRegex | None = None
    fixed: bool | None = None
    together: Mapping[SettingId, Pattern] = {}
    when: Condition | None = None
    why: Text
    consequence: Consequence | None = None
    cites: Cites


class Overlooked(Record):
    """A circumstance in which a wrong form or value does no harm, because nothing reads it. It is reported anyway.

    `written`: a regular expression for the option as written; default: any. `followed`: only where the same setting is
    written again further on. `fixed`: true where nothing of the line is negotiated (`Tunable.tries`), false where it
    is; default: both. `together`: as in a verdict; `absent` means that the line does not write it."""

    written: WholeRegex | None = None
    followed: bool = False
    fixed: bool | None = None
    together: Mapping[SettingId, Pattern] = {}
    why: Text
    cites: Cites


class Life(Record):
    """From which version on something exists, until which, or from which on it is ignored or has another default.

    Each is a mapping of streams (values of `<fact>_stream`, and `upstream` for the project itself) to the first version
    of which that is true; `until` is the first that no longer has it. `of`: the versions that decide, of which the host
    has one (a client's kernel or a server's)."""

    of: Sequence[FactId]
    since: Mapping[Text, Text] = {}
    until: Mapping[Text, Text] = {}
    ignored_from: Mapping[Text, Text] = {}
    not_before: Mapping[Text, Text] = {}
    """Stream → a version before which it certainly lacks it. Between this and `since`, if that is known, it may have
    it."""
    default: OwnValue | None = None
    before: OwnValue | None = None
    """From `since` on `default` is the default, and `before` was it until then; the setting itself is older."""
    consequence: Consequence | None = None
    """What comes of it on a version that is too old, if it is not simply ignored."""
    why: Text | None = None
    """Why it is gone or ignored, and what does its work now; or what an older version makes of it."""
    cites: Cites


class Tries(Record):
    """The values that are tried in turn until the client accepts the line, under the settings of `together`."""

    together: Mapping[SettingId, Pattern]
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
    pattern: WholeRegex | None = None
    """pattern: a regular expression that the whole value matches; `unit` says the same to people."""
    separator: Text | None = None
    unit: Text | None = None
    """What a number counts; of a pattern, what a value looks like: "y, n or a port"."""
    minimum: int | None = None
    maximum: int | None = None
    """A number outside is refused (the mount fails), unless `becomes` covers it."""
    lenient: bool = False
    """A value of the wrong type is accepted in silence (mount.nfs does so for `retry`): reported as ignored."""
    default: OwnValue | None = None
    """The value in effect when it is not set; none if it is negotiated, computed or unknown."""
    default_when: Condition | None = None
    """The default is known only where this holds (the port of NFSv4); checks that compare two lines look at it."""
    default_note: Text | None = None
    familiar: Text | None = None
    """How advice names an option that many guides set, if it leaves it alone: "timeo=600"."""
    mind: Text | None = None
    """What to watch out for wherever it is set: "Set it before the first mount."."""
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
    """Facts without which the client does not know the option, so that the mount fails, or without which nothing reads
    the setting. `without` says why, for this tunable or for its kind."""
    lives: Sequence[Life] = ()
    """The versions that have it, one entry for each package on which that depends."""
    becomes: Sequence[Becomes] = ()
    refused: Sequence[Verdict] = ()
    ignored: Sequence[Verdict] = ()
    overlooked: Sequence[Overlooked] = ()
    tries: Sequence[Tries] = ()
    """How it is negotiated: one value after the other, until nothing of the line is refused (`vers`)."""
    implies: Mapping[SettingId, Implied] = {}
    """Other settings that this one sets (`actimeo` → acregmin), over what is written before it; what is written after
    it holds. Of a flag: only while it is true. The word `value` stands for this setting's own value."""
    synonyms: Mapping[str, OwnValue] = {}
    """Other words for a value: `pos` → positive."""
    refined_by: Sequence[TunableId] = ()
    """Settings that refine a value of this one, and are removed when it is rewritten (minorversion of vers=4)."""
    meets: Mapping[str, list[OwnValue]] = {}
    """A value → others of which it does all and more (`krb5p` → krb5i, krb5): it meets a rule that asks for them."""
    hides_unknown: bool = False
    """Beside it unknown options are silently dropped (`sloppy`)."""
    misspellings: Sequence[Text] = ()
    shipped: Sequence[Text] = ()
    """What packages write in files that their releases no longer read: it was not chosen, so it is not reported."""
    lookalikes: Sequence[Text] = ()
    """Words that look like one of the values and mean something else (`ntfs`)."""
    derived: bool = False
    """The reader works it out from other settings; nothing writes it, so its name means nothing to people."""
    same_as: TunableId | None = None
    """Another name of the same variable (a module parameter and its sysctl): the decision is under that one."""
    fields: Sequence[Text] = ()
    """The value is several numbers separated by spaces; their names. A rule's value has then one part a field: a
    number, a comparison, or `*` for any number ("4096 * >=16777216")."""
    vendor: Text | None = None
    """The client that knows it, where it is not the Linux kernel's: "VAST NFS driver"."""
    governs: Text | None = None
    """What an option decides, in a few words."""
    other_unit: TunableId | None = None
    """The same knob in another unit: writing one sets the other to 0, so that only one of the two is ever written."""
    probe: Probe | None = None
    """Where the value in effect is read on a host, for kinds that do not tell by themselves."""
    takes_effect: Text | None = None
    persists: Text | None = None
    risk: Text | None = None
    related: Sequence[TunableId] = ()
    places: Sequence[TunableId] = ()
    """The tunables of which it says where they are written: it matters only where one of them is."""
    moot: Mapping[SettingId, Pattern] = {}
    """Settings beside which it makes no difference (`wsize` beside ro), with their patterns: no finding speaks of it
    then but for errors."""
    twin: TunableId | None = None
    """A setting that people write for the same reason and with the same value (`wsize` → rsize): findings about both
    that have one cause are reported as one."""
    cites: Cites = ()

    @property
    def foreign(self) -> bool:
        """Whether only other file systems than NFS know it."""
        return bool(self.applies_to) and self.vendor is None


class Example(Record):
    """What is known, and the value that follows. `expect` may be a list: every value still possible."""

    given: Mapping[FactId, Values]
    expect: Values
    note: Text | None = None


class Capability(Record):
    """A derived yes/no fact: what a client or server is able to do, by upstream version or distribution backport."""

    id: DottedId
    says: Text
    life: Life | None = None
    """Since when it is able. `when` and `unless` follow from it, unless they are written."""
    when: Condition = {}
    """Where it is known to be able."""
    unless: Condition | None = None
    """Where it is known not to be able. If neither is met it is unknown: a distribution kernel may have a backport.
    Without `unless`, whatever `when` does not cover is unable."""
    cites: Cites
    note: Text | None = None
    examples: Sequence[Example]
    """`expect: true` and `expect: false`, at least one of each."""
    kinds: Sequence[Kind] = ()
    """Without it nothing is advised of settings of these kinds."""
    without: Without | None = None
    """Why not. Without citations of its own it has those of the capability."""

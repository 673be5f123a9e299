"""What can be known (facts), and what to do: decisions with their rules, layers and constraints, checks, errata."""

# ruff: noqa: F403, F405  the types of fields

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.tunables import Example, Probe
    from advisor.rulebase.model.types import *


class Infer(Record):
    """What else is known when an exact value's text matches `match` (a regular expression, searched)."""

    match: SearchRegex
    sets: Mapping[FactId, Scalar]


class NarrowedBy(Record):
    """A second setting that narrows the first where that has the value `only_for` (`vers=4,minorversion=1`)."""

    tunable: TunableId
    only_for: Scalar
    map: Mapping[str, OwnValue]


class FromSetting(Record):
    """The fact is read from a setting of the line that is being judged.

    `absent` is the fact's value when the line does not have the setting; without it the fact stays open
    (the line leaves it to negotiation)."""

    tunable: TunableId
    absent: OwnValue | None = None
    negotiated: DecisionId | None = None
    """The estimate of what client and server agree on where the setting is left out; formulas compute with it."""
    map: Mapping[str, OwnValues] = {}
    """A written value that stands for several: `vers=4` is 4.0, 4.1 or 4.2."""
    fstypes: Mapping[str, OwnValues] = {}
    """What the file system type alone says where the setting is absent: `nfs4`."""
    narrowed_by: NarrowedBy | None = None


class AnswerForm(Record):
    """How an answer is written where other facts have these values: `match` fits the whole of each version in it."""

    given: Mapping[FactId, Scalar]
    match: SearchRegex
    examples: Sequence[Text]


class UsualValue(Record):
    """What a fact is taken to be in advice until a value is given. Of several the first whose `when` holds.

    Advice rests on it only if it can do no harm; `lint` never does. A fact whose answer is dangerous either way has
    none."""

    value: OwnValue
    why: Text
    """Why this is what one meets, in words that finish "assumed, because …"."""
    when: Condition | None = None
    once_unknown: bool = False
    """Used only after the answer "I don't know": until then it is asked."""
    cites: Cites = ()


class Named(Record):
    """What the mount point gives away of the fact, unless a value is given: `target` or anything below it.

    `confidence`: medium for a folder of people's own choosing, which only suggests its use."""

    value: OwnValue
    target: Sequence[Text]
    confidence: Literal["high", "medium"] = "high"


class Upstream(Record):
    """What the numbers of a version say of a package: what its project has from a number on, every build with that
    number has, but an older build may have it too, unless it is of one of these streams, or in one of these ranges."""

    name: Text
    """Before a version, for people: "Linux"."""
    streams: Sequence[Text]
    """Of `<fact>_stream`: those that take what is new from the project only with its number."""
    numbers: Sequence[Text] = ()
    """Ranges of numbers which no other stream has."""
    epochs: Sequence[Text] = ()
    """Epochs that some packages write before the number: "1:"."""
    newest: Text
    """The newest version whose settings are known (tools/settings)."""


class Fact(Record):
    """Something that can be known of an environment. `values` (enum): value -> label for people.

    `aliases`: value -> other names that people know it by; capitals, spaces, hyphens and underscores make no
    difference. No two values share a name. `families`: a name that several values share (a maker's) -> these values; it
    is asked back, or, if they are more than four, means all of them. `fillers`: words that people write beside a name,
    and that mean nothing."""

    id: DottedId
    type: Literal["enum", "bool", "int", "version"]
    scope: Literal["host", "server", "mount"]
    """What it is a fact of. What is said for one server or mount leaves the others alone."""
    says: Text
    values: Mapping[str, Text] | None = None
    aliases: Mapping[str, Sequence[Text]] = {}
    families: Mapping[Text, Sequence[Text]] = {}
    fillers: Sequence[Text] = ()
    gone: Mapping[Text, Text] = {}
    """What was a value once → why it is none any more."""
    traits: Mapping[Slug, Text] = {}
    """Names for several values, which conditions use: what a value with this trait is, in words."""
    unlisted: Text | None = None
    """The value that stands for what has none of its own, on a command line."""
    scheme: Literal["kernel", "rpm", "deb"] | None = None
    unit: Text | None = None
    minimum: int | None = None
    maximum: int | None = None
    section: Slug = ""
    capability: Added[bool] = False
    when: Added[Condition | None] = None
    unless: Added[Condition | None] = None
    ask: Text | None = None
    help: Text | None = None
    why: Text | None = None
    examples: Sequence[Text] = ()
    forms: Sequence[AnswerForm] = ()
    """Of a release number, by distribution: what is none of its releases is refused."""
    asked_after: Sequence[FactId] = ()
    """Facts that imply this one, or without which it means little: they are asked first, and after "I don't know" to
    one of them this is not asked."""
    lasting: bool = False
    """It is not changed for the sake of a setting (the storage, the work): what-if lists it last."""
    applies: Condition | None = None
    """Where this is false the fact is `n/a`, a cell of its own; where it is true the fact is never `n/a`."""
    derive: Mapping[str, Condition] | None = None
    """Derived fact: value -> the condition that makes it so. The conditions must not overlap."""
    otherwise: OwnValue | None = None
    """The derived fact's value where no condition of `derive` holds."""
    infer: Sequence[Infer] = ()
    builds: Mapping[Text, Text] = {}
    """Builds whose names hide the release, for all facts of this `scheme`: name → release. A name that ends with its
    hyphen stands for the numbers that are not listed, and its release for any that begins so."""
    usual: Sequence[UsualValue] = ()
    named: Sequence[Named] = ()
    setting: FromSetting | None = None
    probe: Probe | None = None
    """How the fact is found on a host, or in a copy of its files."""
    upstream: Upstream | None = None
    """Of a package's version: how it compares with its project's."""


class Layer(Record):
    id: Slug
    says: Text


class Constraint(Record):
    """A state of the world that cannot be."""

    id: Slug
    never: Condition
    presumed: bool = False
    """It could be, but hardly is: taken to be impossible unless what is known says that it is so. A release says which
    kernel it brings; the kernel's own build says more. Settings say which presumptions they need."""
    only_advice: bool | Literal["once"] = False
    """Presumed in advice alone, which names it beside each setting: an existing line may serve another purpose. `once`:
    only where advice is given at once, without asking."""
    why: Text
    cites: Cites


class Rule(Record):
    """One line of a decision: when → value, how strongly, why."""

    id: RuleId
    when: Condition = {}
    layer: Slug = "default"
    value: Scalar
    """A literal, `omit`, `keep`, `n/a`, a bound ("<=262144", ">=8 <=16"), or a formula over facts
    ("2 * client.count")."""
    strength: Strength | None = None
    """Needed unless the value is `keep` or `n/a`."""
    consequence: Consequence | None = None
    harm: Text | None = None
    """What other values do, for a message: "can lose writes" (of soft). The consequence in words if it is not given."""
    missing: Strength | None = None
    """How much it matters where the setting is not written at all; the same where this is not said."""
    as_good: Sequence[Scalar] = ()
    """Other settings that satisfy the rule and are not reported: a literal, a bound, or a regular expression that
    the whole text matches (`~ …`)."""
    why: Text
    cites: Cites
    overrides: Sequence[RuleId] = ()
    """Rules of the same decision that this one beats, whatever their layer."""
    risk: Text | None = None
    note: Text | None = None
    file: Added[Text] = ""
    examples: Sequence[Example] = ()


class Decision(Record):
    """rules/<area>/<tunable>.yaml: everything the rule base has to say on one tunable."""

    decision: DottedId
    """A tunable of kb/tunables."""
    hit: Hit = "priority"
    about: Text | None = None
    estimate: bool = False
    """The decision computes a figure to show (connections, clients needed) and not a setting."""
    unit: Text | None = None
    file: Added[Text] = ""
    rules: ById[Rule] = {}
    examples: Sequence[Example] = ()


class Pair(Record):
    """A check between two NFS lines of one file. All closed world, on effective settings.

    `same` / `differ`: tunables (`mount.*`, `fstab.*`, plus `fstab.host`, `fstab.export`, `fstab.server`) whose
    effective values must be equal / must not all be equal. A tunable that neither line has counts as equal; one that
    only one line has and that has no default is not known to be equal. `either`: tunable → pattern (as in a check's
    `on`), every entry must match one of the two lines at least; `neither`: no entry may match any of them. The check's
    own `when` must hold for both lines."""

    same: Sequence[SettingId]
    differ: Sequence[SettingId] = ()
    either: Mapping[SettingId, Pattern] = {}
    neither: Mapping[SettingId, Pattern] = {}


class Total(Record):
    """A sum over the NFS lines of one file that must not pass `limit`.

    `of`: a number; a line that does not set it counts with its default. `each`: lines that are equal in all of these
    count once, with the smallest of their numbers, since any of them may be mounted first. `neither`: tunable →
    pattern; a line that matches any of them does not count."""

    of: SettingId
    each: Sequence[SettingId]
    limit: int
    neither: Mapping[SettingId, Pattern] = {}


class CheckExample(Record):
    """A text of one kind of file, and whether this check must find something in it. `given`: facts."""

    fstab: Text | None = None
    exports: Text | None = None
    autofs: Text | None = None
    unit: Text | None = None
    """Of systemd, with a [Mount] section."""
    kubernetes: Text | None = None
    nfsmount: Text | None = None
    host: Mapping[Text, str] | None = None
    """A whole host: path → content of a file; "-> x" is a link."""
    server: Mapping[Text, str] | None = None
    client: Mapping[Text, str] | None = None
    other: Mapping[Text, str] | None = None
    """Hosts that are compared, each as `host`: a server and its client; the other one is a second client
    where there is a client, or else a second server."""
    clients: int = 1
    """How many hosts like `client` there are."""
    kind: Text | None = None
    """Of the file (advisor.files.kinds) that is `text`."""
    text: Text | None = None
    name: Text | None = None
    """Of the file, where a check looks at that."""
    given: Mapping[FactId, Values] = {}
    finds: bool | int
    """True, false, or how many."""
    says: Text | None = None
    """The message of one of these findings, word for word."""
    fixed: Text | None = None
    note: Text | None = None

    def kind_and_text(self) -> tuple[str, str]:
        """The kind of the example's file (advisor.files.kinds, or "host" or "hosts") and its text."""
        if self.kind is not None:
            return self.kind, f"{self.text}\n"
        if self.host is not None:
            return "host", _files(self.host)
        if self.server is not None:
            client = "client" if self.clients == 1 else f"{self.clients} clients like this one"
            hosts = {"server": self.server, client: self.client, "other": self.other}
            return "hosts", "\n".join(f"{name}\n{_files(files)}" for name, files in hosts.items() if files is not None)
        name = next(name for name in _KIND_OF_EXAMPLE if getattr(self, name) is not None)
        return _KIND_OF_EXAMPLE[name], str(getattr(self, name))


_KIND_OF_EXAMPLE = {
    "fstab": "fstab", "exports": "exports", "autofs": "autofs", "unit": "systemd-mount", "kubernetes": "kubernetes",
    "nfsmount": "nfsmount.conf",
}
"""Field of a CheckExample → kind of file."""


def _files(host: Mapping[str, str]) -> str:
    return "\n".join(f"{path}:\n{text}" for path, text in host.items())


class FixTemplate(Record):
    """What to do about it: `remove` and `set` options, `add` those that the line does not set; `safety` says whether it
    may be done unasked, which is never so where the line gets an option that a file of defaults may set. An entry of
    `remove` may be a tunable with a pattern as in `on`: it goes only where that fits."""

    safety: Literal["safe", "unsafe"]
    remove: Sequence[SettingId | Mapping[SettingId, Pattern]] = ()
    set: Mapping[SettingId, Scalar] = {}
    add: Mapping[SettingId, Scalar] = {}


class Figure(Record):
    """A number worked out from the settings of a line and from facts. A setting that is not written counts with its
    default; if it has none, or a fact is not known, the check is silent."""

    formula: Text
    """Over settings and facts that are numbers: + - * / (rounds up), min(), max() and parentheses."""
    unit: Text | None = None
    """Of the result: deciseconds, seconds and minutes are written as people say a time ("4.2 s", "10 minutes")."""
    range: Text | None = None
    """A bound such as "<300": outside of it the check finds nothing."""


class Signs(Record):
    """What gives a line away: at least so many of these circumstances, each as in `on`, must be present. `tells`:
    settings, beside those that the fix corrects, of which this is also the cause."""

    least: int
    of: Sequence[Mapping[SettingId, Pattern]]
    tells: Sequence[SettingId] = ()


class Variant(Record):
    """Other words of a check, for where `when` holds for certain. `cites`: those of the check's claims on which they
    rest; () for all of them."""

    when: Condition
    strength: Strength | None = None
    consequence: Consequence | None = None
    message: Text | None = None
    why: Text | None = None
    remedy: Text | None = None
    cites: Cites = ()


class Difference(Record):
    """Something that differs between what a host set, what is in effect there, and what is asked for elsewhere."""

    found: Literal[
        "overridden", "not-read", "not-in-effect", "set-nowhere", "masked", "not-mounted", "in-no-file", "other-source",
        "otherwise", "size-reduced", "shared-connections", "shared-file-system", "stale-unit", "export-not-made",
        "export-in-no-file", "export-otherwise", "export-on", "export-without-fsid", "include-missing",
        "mount-below-export", "starts", "masked-unit", "export-of-cluster", "not-served", "not-running", "not-enabled",
        "export-missing", "map-missing", "export-not-mounted", "refused-by-wrappers", "no-such-user", "calls-refused",
        "state", "refused-when-asked",
    ]
    of: Sequence[Text] = ()
    """Patterns of tunables of which this speaks, units of systemd, or files with a state. Of several checks those with
    patterns go first."""
    lines: Sequence[LineRegex] = ()
    """Of a state: the lines that a file must have, all of them, to count."""
    who: LineRegex = ""
    """Of a state: the line of such a file that names whom it is about, in a group."""
    not_in: Text | None = None
    """Of a state in one file: a file, none of whose lines begins with what the group names of those that count."""
    types: Sequence[Text] = ()
    """Types of file systems of which this speaks."""
    lacks: Text | None = None
    """An option of a file system with which this is silent."""
    at_default: bool = False
    """It reports only if the value in effect is the default."""
    instead: Sequence[CheckId] = ()
    """Checks that presuppose what this one has found: they are not reported for the same line."""
    besides: Sequence[Text] = ()
    """Paths of which it is silent, with all below them. `*` stands for anything within one name."""


class Sides(Record):
    """What two hosts come to together, which `advisor check --server … --client …` looks at.

    `of`: a mount of a client and what its server makes of it; a client and its server as hosts; two clients of a server
    that may be taken for one; the clients of an export; all clients of a server; two servers that stand in for each
    other. `on`: settings of either side, or what both come to (`sides.…`, docs/rule-language.md), each with a pattern
    as in a check's own `on`; all must hold whichever way things may be that are not known. `differ`: patterns of
    settings, one of which the hosts have in different values."""

    of: Literal["mount", "hosts", "clients", "export", "load", "nodes"]
    on: Mapping[DottedId, Pattern] = {}
    differ: Sequence[Text] = ()
    edit: Literal["client", "server"] = "client"
    """Whose file is shown."""


class Check(Record):
    """rules/checks/<slug>.yaml: a finding that is not a decision.

    Exactly one of `on`, `pair`, `total`, `host`, `sides`, `builtin`.
    `on`: settings that the line must all have: tunable → value, list, range, `present` or `absent`; of a text
    also a regular expression that all of it matches (`~ nas[0-9]+:.*`) or does not (`!~ …`).
    `differ`, beside `on`: settings of the same line of which the values must not all be equal.
    `signs`, beside `on`: the check is about the line as a whole, and tells the cause of what its fix mends: notes and
    warnings about these settings are not told beside it.
    `figures`, beside `on`: numbers worked out from the line, for the words and as a further condition; beside `sides`
    of a load, from the connections to a server and its settings.
    `variants`, beside `on`: other words where more is known; the first that holds for certain speaks.
    `host`: a difference between the files of a host and what is in effect there, which `advisor check` looks for.
    `sides`: what a client and its server, or two servers, come to together.
    `builtin`: a question that the reader or the grammar answers (unknown option, parse error); the words are here.
    `message` may use {value}, {option}, {other}, {file_line} …; docs/rule-language.md lists them."""

    check: Slug
    title: Text
    on: Mapping[SettingId, Pattern] | None = None
    differ: Sequence[SettingId] = ()
    signs: Signs | None = None
    figures: Mapping[Slug, Figure] = {}
    variants: Sequence[Variant] = ()
    pair: Pair | None = None
    total: Total | None = None
    host: Difference | None = None
    sides: Sides | None = None
    builtin: Slug | None = None
    when: Condition = {}
    unless: Condition = {}
    """The check holds only where this certainly does not; where it is open, it is a question."""
    quiet_if: Condition = {}
    """What the check says holds all the same, but is wanted or said elsewhere where this certainly holds."""
    strength: Strength
    consequence: Consequence
    policy: bool = False
    """A matter of house policy: off unless --pedantic."""
    profiles: Sequence[Slug] = ()
    """The security profiles that ask for it: off unless --profile names one of them, and never a part of --pedantic."""
    message: Text
    why: Text
    remedy: Text
    fix: FixTemplate | None = None
    at: SettingId | Sequence[SettingId] | None = None
    """The setting to mark; of several, the first that is written. By default the first of `on`."""
    cites: Cites
    examples: Sequence[CheckExample]
    file: Added[Text] = ""


class VersionRange(Record):
    introduced: Text | None = None
    fixed: Text | None = None
    last_affected: Text | None = None

    @property
    def text(self) -> str:
        """ ">=6.5 <6.6"; "" for all versions."""
        signs = {"introduced": ">=", "fixed": "<", "last_affected": "<="}
        return " ".join(f"{sign}{vars(self)[key]}" for key, sign in signs.items() if vars(self).get(key))


class Erratum(Record):
    """rules/errata/<slug>.yaml: a known bug, by version stream (as OSV has it)."""

    erratum: Slug
    title: Text
    package: Text
    facts: Sequence[FactId]
    """Version facts with the package's version on the host concerned: `client.kernel`, `server.kernel`."""
    affected: Mapping[str, Sequence[VersionRange]]
    """Stream (a value of `<fact>_stream`) → ranges; introduced ≤ affected < fixed, or ≤ last_affected."""
    when: Condition = {}
    unless: Condition | None = None
    """Where it cannot matter, if that is certain: another program serves."""
    strength: Strength
    consequence: Consequence
    symptom: Text
    says: Sequence[Text] = ()
    """How people put it, in words that the title and the symptom do not have."""
    messages: Sequence[Text] = ()
    """What a log or a program prints with it: the words of a line, without what varies."""
    stacks: Sequence[Text] = ()
    """Functions that a kernel's trace names with it, and hardly without it."""
    why: Text
    workaround: Text | None = None
    spoils: Mapping[TunableId, Scalar] = {}
    """Decision → what to set while the fault is there, if what its rules give falls under `when`; never in place of
    what has to be (a rule of strength must)."""
    cites: Cites
    file: Added[Text] = ""
    examples: Sequence[Example]
    """`expect: true` where affected, `expect: false` where not."""

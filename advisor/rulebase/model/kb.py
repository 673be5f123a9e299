"""The knowledge base: sources, claims, platforms, recipes; where a host keeps its NFS files; what programs print,
people see and counters show, and what can explain it."""

# ruff: noqa: F403, F405  the types of fields

from __future__ import annotations

from advisor.rulebase.model.record import Record
from advisor.rulebase.model.rules import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.tunables import Life
    from advisor.rulebase.model.types import *


class Source(Record):
    """kb/sources/<id>.yaml: one document."""

    source: SourceId
    title: Text
    publisher: Text
    language: Text
    date: Text | None = None
    """When it was written or last changed, ISO 8601 as far as known."""
    version: Text | None = None
    address: Text | None = None
    file: Text | None = None
    """A document's file name where it has no public address."""
    grade: Grade
    holds: Mapping[FactId, Values] = {}
    """What it is about, in facts: its claims hold there, unless they say so for themselves."""
    sections: Sequence[Text] = ()
    """The document's sections in order, in English. Where they are given every claim of the source says which one it
    is from, and every section has a claim."""
    note: Text | None = None


class Checked(Record):
    """The result and date of comparing a claim with its source."""

    date: Date
    outcome: Literal["agrees", "corrected", "not-opened"]
    """`agrees`: it said what its source says. `corrected`: it does since then. `not-opened`: the source could not be
    read."""
    against: Text | None = None
    """What was opened: an address, a repository's file at a commit or tag, a manual page of a package's version; and
    the part, if that is not the claim's own place."""
    because: Text | None = None
    """Why it could not be opened. Only with `not-opened`, which has no `against`."""


class Claim(Record):
    """One paraphrased statement of one source."""

    id: ClaimId
    source: SourceId
    at: Text
    """Where in the document. Where the source lists its sections: a section, or a section, a comma and the place in it;
    several places are separated by "; "."""
    says: Text
    figures: Mapping[str, object] | None = None
    """Its numbers, with the unit in the key: `{max_inflight_per_connection: 128}`."""
    row: Mapping[TunableId, Values] | None = None
    """The settings of one line or row of a table, as the source writes them: `{mount.vers: "4.1", mount.timeo: 600}`; a
    list where it offers several values. Each is taken by a rule or check that cites the claim, or is in `left`."""
    left: Mapping[TunableId, Text] = {}
    """Setting of the row → why no rule uses it."""
    verdict: Literal["accepted", "dated", "typo", "disputed", "measured", "wrong"]
    """`wrong`: refuted by a better source. `measured`: true of that vendor's test, to be quoted as such."""
    disputed_by: Sequence[ClaimId] = ()
    better: Sequence[ClaimId] = ()
    """What to believe instead, for a claim that is dated, a typo, disputed or wrong."""
    about: Sequence[SettingId] = ()
    """Tunables that the claim speaks of: `advisor explain` and `kb disputes` find it by these."""
    scope: Text | None = None
    """Where it holds, in words: "NFSv3 on Azure NetApp Files"."""
    holds: Mapping[FactId, Values] | None = None
    """The same in facts, as far as they can say it, where it is not that of the source: who asks about something else
    is not shown its figures."""
    note: Text | None = None
    checked: Checked | None = None
    """Absent: not yet."""
    unused: Text | None = None
    """Why nothing rests on it (a caveat, background, a measured result …). Only if nothing does."""


class ServerName(Record):
    """A server name that gives the platform away. `pattern` is a shell glob over the lower-case host name."""

    pattern: Text
    cites: Cites


class ExportsLine(Record):
    """A line of /etc/exports that gives away which product wrote the file."""

    line: WholeRegex
    """A regular expression that all of the line matches."""
    has: Text | None = None
    """Text that it contains."""
    cites: Cites


class ServerReply(Record):
    """How a server replies to a probe (EXCHANGE_ID, CREATE_SESSION) that gives the platform away. All that is written
    has to be so; "()" is an implementation id that is missing."""

    domain: WholeRegex | None = None
    implementation: WholeRegex | None = None
    """With `domain`, the server's implementation id."""
    tells: FactId | None = None
    """The fact whose value is the first group of `implementation`."""
    owner: WholeRegex | None = None
    scope: WholeRegex | None = None
    owner_is_scope: bool | None = None
    roles: WholeRegex | None = None
    operations: int | None = None
    """The most of one compound."""
    sure: bool = False
    """It names itself; else other servers may reply like that, and it is only likely."""
    also: Sequence[Slug] = ()
    """Other platforms that contain this server, and reply the same."""
    hides_exports: bool = False
    """What it exports to other hosts is not in the export list that it gives."""
    cites: Cites


class PlatformRule(Rule):
    """A rule of the layer `platform` for one platform: `when` is what else has to hold."""

    decision: DecisionId


class Platform(Record):
    """kb/platforms/<id>.yaml: a place where NFS data lives, and how a line gives it away."""

    platform: Slug
    """The same as a value of the fact `storage.platform`."""
    title: Text
    says: Text
    aliases: Sequence[Text] | None = None
    """Other names. With them, even none, the file itself makes the platform an answer to `storage.platform`."""
    serves: Sequence[Literal["3", "4.0", "4.1", "4.2"]] = ()
    """All versions of NFS that it serves, as `cites` say; none where some may be missing here."""
    traits: Mapping[Slug, Cites] = {}
    """What it is: traits of `storage.platform`, which stand for it in conditions, and the claims that say so."""
    rules: Sequence[PlatformRule] = ()
    """What its vendor advises, whatever else holds."""
    sources: Sequence[Source] = ()
    claims: Sequence[Claim] = ()
    """Of documents about nothing else."""
    server_names: Sequence[ServerName] = ()
    fstypes: Sequence[Text] = ()
    """Mount helper types of this platform, such as `efs`."""
    exports_lines: Sequence[ExportsLine] = ()
    replies: Sequence[ServerReply] = ()
    set_in: Text | None = None
    """Where its administrator sets what it writes into /etc/exports. None: it reads that file in a form of its own."""
    guidance: Literal["published", "partial", "none-found"] = "published"
    note: Text | None = None
    cites: Cites = ()


class Parameter(Record):
    """Something that is filled in for `{name}` in the command."""

    name: Slug
    says: Text
    unit: Text | None = None
    default: Scalar | None = None
    """None: the person who runs it must say (a directory, a list of hosts)."""


class Recipe(Record):
    """kb/recipes/<id>.yaml: one benchmark, as a command with parameters. `benchmark.recipe` names these."""

    recipe: Slug
    title: Text
    tool: Literal["fio", "iozone", "mdtest"]
    measures: Text
    parameters: Sequence[Parameter]
    command: Sequence[Text]
    """The words of the command; `{name}` stands for a parameter, nothing else is replaced."""
    runs: Sequence[Mapping[str, Scalar]] = ()
    """Sets of parameters, run one after the other (a series over thread counts); empty: one run with the defaults."""
    caution: Text
    """What it does to the file system and to others."""
    needs: Text | None = None
    note: Text | None = None
    cites: Cites


class HostFile(Record):
    """Files of one kind, in the order in which they are looked for."""

    id: Slug
    title: Text
    """In a sentence: "udev rules"."""
    area: Literal["client-mounts", "client-settings", "kernel", "server"]
    """The heading under which findings in it are reported."""
    kind: Text
    """Of advisor.files.kinds."""
    at: Sequence[Text]
    """Patterns of absolute paths; `*` stands for anything within one name."""
    same_name: Literal["hides", "both"] = "both"
    """Whether a file hides those of its name in later folders."""
    about: Sequence[Text] = ()
    """Words, one of which is in a file that concerns NFS. None: all do."""
    only: Sequence[LayoutId] = ()
    """Layouts of kb/layouts.yaml, where no other copy and no host has them."""
    maps: bool = False
    """They name other files of the kind, as a master file of the automounter does."""
    compared: Mapping[str, Sequence[Text]] = {}
    """What these files are compared with, in a sentence, and the paths one of which shows it."""
    compared_if: Mapping[str, Mapping[str, Sequence[Text]]] = {}
    """Text → what a file with that text is compared with besides."""
    comes_from: Mapping[str, Text] = {}
    """Of mounts in effect: folder of mount points → the sentence that says where such mounts are changed."""


class Held(Record):
    """A path of the host that is elsewhere, or that the output of a command replaces.

    Without `before` and `line` the content is that of the file itself."""

    path: Text
    """Canonical: `/installed-rpms`. With `/**` at its end, everything below."""
    at: Sequence[Text]
    """Places, the first that is there counts. `*` stands for anything within one name."""
    before: str | None = None
    """What a line begins with, the rest of which is the content: `{key} = ` (`key`: what `**` stood for, with dots)."""
    line: StartRegex | None = None
    """A regular expression, matched against each line; the content is `gives` for every line that fits."""
    gives: str | None = None
    """`{1}` is what the first group of `line` matched. A line end follows."""
    joined: bool = False
    """A line that begins with a space continues the line before it."""
    words: Mapping[str, str] = {}
    """Text to replace in the content first: text → its replacement."""


class Layout(Record):
    """What one tool collects. A path that is not mentioned is where it is on the host."""

    id: Slug
    title: Text
    """In words that begin a sentence: "a sosreport"."""
    marks: Sequence[Text]
    """Names at the top by any of which the layout is known. `*` stands for anything within one name."""
    below: Text | None = None
    """The folder in which the files lie, if there is one of that name."""
    blocks: Sequence[Text] = ()
    """Text files whose blocks are files and commands (`/commands/uname -a`), as supportconfig writes them."""
    whole: Sequence[Text] = ()
    """Folders that are collected with all that is in them, if at all: what is missing there does not exist."""
    never: Sequence[Text] = ()
    """Paths that no version collects. `*` stands for anything within one name; what lies below is meant too."""
    places: Sequence[Held] = ()


FIELDS = ("server", "source", "path", "address", "number", "version", "errno", "name", "option", "any")
"""What a field of a message's text can be; a digit may follow."""


class Message(Record):
    """Something that a program prints, or that people see and describe: a message has `text`, a symptom `words`.

    In a text, `{field}` stands for what varies. Its name says what it can be: `{server}` (a name without a slash),
    `{source}` (server:/path), `{path}`, `{address}`, `{number}`, `{version}`, `{errno}` (a system error, in any
    language), `{name}` and `{option}` (anything without a blank), `{any}` (anything). A digit may follow where a name
    is needed twice: `{path2}`. `{{` is a brace."""

    id: MessageId
    """`<program or area>.<what it says>`: `mount-nfs.access-denied`."""
    text: Text | None = None
    """As it is printed, without the timestamp and the program's name that a log puts before it. Capitals, quotation
    marks and the number of spaces make no difference."""
    also: Sequence[Text] = ()
    """Other forms of the same message: of older and newer versions, as other programs pass it on."""
    words: WordGroups = ()
    """Of a symptom: groups of words. All words of one group are in one sentence, in any order; "read only" stands for
    two words that follow each other, `files|folders` for either. Synonyms of kb/phrases count."""
    program: Text = ""
    """Who prints it, if that is not the file's program."""
    source: SourceId | None = None
    """Where `at` is to be found, if that is not the file's source."""
    at: Text | None = None
    """File and function that print it."""
    errno: Text | None = None
    """The system error behind it: `EACCES`."""
    printed: Text | None = None
    """Under which condition it is printed."""
    means: Text
    side: Literal["client", "server"] | None = None
    """On which host it is printed, if that is not the file's side."""
    kind: Literal["error", "transient", "information"] = "error"
    """`transient`: it goes away by itself if all is well. `information`: nothing is wrong, but it tells facts
    (`holds`), such as a line of rpcinfo's output; alone it has no cause."""
    generic: bool = False
    """It has too few words of its own to be known by: it counts only where the text names NFS."""
    legacy: bool = False
    """No current release prints it."""
    life: Life | None = None
    """Of `text`: the versions that print it so. Older ones may print what `also` has."""
    same_text: Sequence[MessageId] = ()
    """Messages that some text fits as well as this one."""
    holds: Mapping[FactId, Filled] = {}
    """Facts that are known where it is read: fact → value, or `"{field}"` for what stood there."""
    note: Text | None = None


class CauseCheck(Record):
    """How to tell this cause from the others."""

    on: Literal["client", "server", "network"]
    do: Text
    """A command, or what to look at. Causes that say the same here are distinguished by the same check."""
    tells: Text
    """What the outcome means: "unmatched host: this cause; authenticated: another one"."""
    cost: Literal["low", "medium", "high"] = "low"
    """`low`: a minute. `medium`: needs preparation, a second host or a colleague. `high`: a maintenance window."""
    risk: Literal["none", "low", "high"] = "none"
    """Of harm to what is running. `low`: it may stall one command. `high`: users notice."""


class Remedy(Record):
    """How to fix it."""

    do: Text
    risk: Text | None = None
    undo: Text | None = None


class Weight(Record):
    """Something that makes a cause likelier, or less likely."""

    when: Condition
    times: float | int
    """How many times as likely where `when` holds; below 1, less likely. What is only stated moves it less."""


class CauseExample(Record):
    """A text as people send it, and what becomes of this cause. `given`: facts known besides."""

    text: Text
    given: Mapping[FactId, Values] = {}
    expect: Literal["first", "confirmed", "possible", "ruled-out", "absent"]
    """`first`: before all others, whether possible or confirmed. `possible`: neither confirmed nor ruled out. `absent`:
    not named at all, or much less likely than the first."""
    note: Text | None = None


class Family(Record):
    """Causes that one check tells from all others and one remedy mends, at least for the first hour. It is the answer
    where none of its causes leads, and says in `check` what tells them apart."""

    id: Slug
    title: Text
    """A sentence without a full stop, which an expert would accept as the answer."""
    when: Condition = {}
    """Without this it cannot be: ruled out where it is certainly false by what was read."""
    words: Sequence[Text] = ()
    """How people put it, a sentence each, as different as people are: reports are compared with them word by word."""
    lines: Sequence[Text] = ()
    """Kinds of files: a line of one that lint says cannot work is a cause of this family, and explains what its causes
    explain."""
    why: Text
    """One or two sentences that a colleague would say."""
    check: CauseCheck
    remedy: Remedy
    cites: Cites
    note: Text | None = None


class Cause(Family):
    """What can be behind a message or symptom."""

    family: FamilyId
    side: Literal["client", "server", "network", "any"] = "any"
    """The side where it is fixed."""
    explains: Mapping[MessageId, int] = {}
    """Message or symptom → in how many counted reports this was the cause; 0: possible, never counted."""
    proved_by: Sequence[MessageId] = ()
    """Messages that nothing else explains."""
    findings: Sequence[FindingId] = ()
    """Checks of rules/checks whose findings in a line of configuration point to it, and confirm it if they make a mount
    or an export fail."""
    proof: Condition = {}
    """Confirmed where this holds by what was read in output; what was only stated makes it likelier."""
    likelier: Sequence[Weight] = ()
    file: Added[Text] = ""
    examples: Sequence[CauseExample]
    """At least one in which it is first, confirmed or possible, and one near miss in which it is ruled out, absent or
    not the first."""


class FamilyWeights(Record):
    """How much speaks for a family and its causes, in hundredths of a natural logarithm. tools/learn_weights.py counts
    it from labelled reports."""

    id: FamilyId
    prior: int
    causes: Mapping[Slug, int] = {}
    """Cause → what it has before the others of the family."""
    weighs: Mapping[Text, int] = {}
    """What a report says or shows, as advisor/diagnose/score.py names it."""


class Phrase(Record):
    """Words in which people state a fact about their systems."""

    id: Slug
    words: WordGroups
    """As in a symptom."""
    unless: WordGroups = ()
    """Groups whose words, in the same sentence, keep it from counting."""
    holds: Mapping[FactId, Values]
    opposite: Mapping[FactId, Values] = {}
    """What holds where the sentence negates it ("no firewall"); without this, a negated phrase tells nothing."""


class Concept(Record):
    """What a clause can say, whatever words it uses. A diagnosis weighs it, alone and with what stands beside it."""

    id: Slug
    part: Literal["outcome", "deed", "event", "actor", "setting", "grammar"]
    """What it is in a clause: what happens; what is done, after what, by whom, under which circumstances. Words of
    `grammar` only say how a text is read, and stand as they are."""
    words: Sequence[Text]
    """In lower case. Several words stand for these in a row; endings make no difference, nor do articles and "is"."""
    opposite: Slug | None = None
    """Of an outcome: the one that its negation says. Without it, a negation says that it does not happen."""
    on_mount: bool = False
    """An outcome that only a mount has which succeeded."""


class ErrorTexts(Record):
    """An error number of the system, and its texts."""

    id: Text
    """Its name: `EACCES`."""
    texts: Mapping[Slug, Sequence[Text]]
    """Language → its texts in glibc and older libraries; `en` is what patterns are written in."""


class ConclusionExample(Record):
    """Quantities of a window, and whether they lead to the conclusion."""

    given: Mapping[FactId, Values]
    expect: bool
    note: Text | None = None


PROBED = (
    "address", "clients", "dead", "domain", "elsewhere", "entry", "flavours", "mode", "mountport", "others", "own",
    "owner", "part", "path", "port", "ports", "server", "status", "uid", "versions",
)
"""Words that the sentence of a conclusion `of: probe` may have besides quantities: `{path}`."""


class Conclusion(Record):
    """What the counters of a window, or the answers of a server, show."""

    id: ConclusionId
    title: Text
    """What it means to the reader, in a few words without a full stop."""
    kind: Literal["limit", "trouble", "work", "verdict", "note"]
    """`limit`: what the work waits for. `trouble`: something that goes wrong. `work`: what the work is like. `verdict`:
    where nothing here is to be tuned. `note`: what is certain besides and limits nothing."""
    of: Literal["mount", "server", "probe"] = "mount"
    when: Condition
    """Only where this is certainly true, by what was counted, is anything concluded."""
    says: Text
    """The evidence, a sentence with quantities in it: `{observed.rtt}`; of a probe also with words of PROBED."""
    means: Text
    """What follows: one to three sentences that a colleague would say."""
    helps: Sequence[TunableId] = ()
    """Tunables of the host that was looked at that can change it."""
    helps_server: Sequence[TunableId] = ()
    """Those of the server that it mounts from."""
    at_most: Mapping[TunableId, FactId] = {}
    """Tunable → the quantity that it can save, all of it at most."""
    useless: Sequence[TunableId] = ()
    """Tunables that people turn for it and that change nothing."""
    holds: Mapping[FactId, Values] = {}
    """Facts of the mount that are so for the work of the window."""
    measures: Mapping[FactId, Text] = {}
    """Facts whose value, or bound, is a quantity: `{observed.rtt}`, `>={observed.in_flight}`."""
    cites: Cites
    note: Text | None = None
    examples: Sequence[ConclusionExample]
    """At least one in which it is concluded, and one in which it is not."""

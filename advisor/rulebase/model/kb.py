"""The knowledge base: sources, claims, platforms, capabilities, recipes; and where a host keeps its NFS files."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.rules import Example
    from advisor.rulebase.model.tunables import Without
    from advisor.rulebase.model.types import (
        Cites,
        ClaimId,
        Condition,
        Date,
        DottedId,
        FactId,
        Grade,
        Kind,
        LayoutId,
        Scalar,
        SettingId,
        Slug,
        SourceId,
        StartRegex,
        Text,
        TunableId,
        Values,
        WholeRegex,
    )


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
    is from, and every section has a claim: `advisor kb coverage`."""
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
    """Absent: not yet. `advisor kb unchecked` lists the claims with figures for which it is."""
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
    owner: WholeRegex | None = None
    scope: WholeRegex | None = None
    owner_is_scope: bool | None = None
    roles: WholeRegex | None = None
    operations: int | None = None
    """The most of one compound."""
    sure: bool = False
    """It names itself; else other servers may reply like that, and it is only likely."""
    hides_exports: bool = False
    """What it exports to other hosts is not in the export list that it gives."""
    cites: Cites


class Platform(Record):
    """kb/platforms/<id>.yaml: a place where NFS data lives, and how a line gives it away."""

    platform: Slug
    """The same as a value of the fact `storage.platform`."""
    title: Text
    says: Text
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


class Capability(Record):
    """A derived yes/no fact: what a client or server is able to do, by upstream version or distribution backport."""

    id: DottedId
    says: Text
    when: Condition
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

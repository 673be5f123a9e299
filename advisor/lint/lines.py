"""Judge the lines of one file: how each is written (what mount(8) ignores, what programs read differently, common
mistakes), what it says, and what they say together. `Result` collects what is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.files.fstab import Entry, split_options
from advisor.files.option_reading import meant_type
from advisor.files.placeholders import has_markup, is_of_template, masked_address, placeholders
from advisor.files.records import MountEntry, Setting, Span
from advisor.files.source import parse_source
from advisor.lint.alike import MountLine, judge, settings_of
from advisor.lint.between import check_pairs, check_stacked, check_targets
from advisor.lint.finding import INTERNAL, LINE, NOTHING, SEVERITIES, Edit, Finding, Fix, placed, report
from advisor.lint.rule_index import Fault, Judged, RuleIndex, State
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Erratum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.embedded_found import Segment
    from advisor.files.exports import Export
    from advisor.files.fstab_readings import Trap

_CAUSES = ("blank-after-comma", "shifted-fields", "glued-text", "trailing-comment", "quoted-path", "nul-byte",
           "typographic-quotes", "non-breaking-space", "carriage-return")
"""Traps that may be why mount(8) drops a line."""
_OF_SERVERS = ("host", "ipv4", "ipv6", "placeholder")
"""Kinds of sources that name a server."""
_USUAL = {"fstype": "nfs", "options": NOTHING}
"""Field → what is written for a missing one."""


FAULT = "fault."
"""What stands before the name of a known bug among settings that were not judged."""


class OpenItem(NamedTuple):
    """A setting that was not judged, and the facts that would help to."""

    line: int
    tunable: str
    facts: tuple[str, ...]


class Silenced(NamedTuple):
    """A finding that is not reported. `reason`: as the comment gives it, or "". `elsewhere`: a baseline accepts it, not
    a comment in the file."""

    finding: Finding
    reason: str
    elsewhere: bool = False


class Result:
    """The findings of one file, in the order of its lines. `open`: what was not judged, because facts are unknown.
    `votes`: fact → how many open settings it would help to judge. `live`: nothing fills in placeholders any more."""

    def __init__(self, name: str, text: str, index: RuleIndex, live: bool = False) -> None:
        self.name = name
        self.text = text
        self.live = live
        self._lines: list[str] | None = None
        self.findings: list[Finding] = []
        self.open: list[OpenItem] = []
        self.votes: dict[str, int] = {}
        self.nfs_lines = 0
        self.silenced: list[Silenced] = []
        """Findings that comments in the file suppress."""
        self.rule_index = index
        """The index by which the lines were judged; explanations of findings need it."""
        self.judged: dict[int, Judged] = {}
        """Number of each NFS line → the judgement of it, perhaps with the settings of a line like it."""
        self.alike: dict[int, MountEntry] = {}
        """Number of each line whose judgement has the settings of another."""
        self.read: set[int] = set()
        """Lines of mounts in a file that may have others inside other text."""
        self.parts = 0
        """How many mounts and texts of other kinds the file has."""
        self.unread: list[int] = []
        """Lines with something of NFS that could not be judged."""
        self.mounts: Sequence[tuple[str, MountEntry]] = ()
        self.segments: Sequence[Segment] = ()
        """What was found inside the text of the file."""

    def add(self, findings: Iterable[Finding], entry: MountEntry | Export | None = None) -> None:
        """Add findings of this file. `entry`: the one in whose fields they are; None if they have their place."""
        self.findings += [
            finding._replace(file=self.name) if entry is None else placed(finding, self.name, entry)
            for finding in findings
        ]

    def add_possible_fault(self, slug: str, fact: str, line: int) -> None:
        """Add a known bug as open. `fact`: the version on whose stream it depends."""
        stream = f"{fact}_stream"
        self.open.append(OpenItem(line, f"{FAULT}{slug}", (stream,)))
        self.votes[stream] = self.votes.get(stream, 0) + 1

    def settings(self, line: int) -> Mapping[str, Setting]:
        """The settings of an NFS line, by tunable."""
        judged, entry = self.judged[line], self.alike.get(line)
        return judged.settings if entry is None else settings_of(judged, entry)

    def line(self, number: int) -> str:
        """A line of the file, without its end."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines[number - 1].rstrip("\r")

    def suppressions(self) -> list[dict[str, object]]:
        """`silenced`, ready for JSON."""
        return [
            {"file": self.name, "line": f.line, "rule": f.rule, "severity": f.severity, "reason": reason}
            for f, reason, _ in self.silenced
        ]


def order(f: Finding) -> tuple[int, int, int, str]:
    return (f.line, f.column, -SEVERITIES.index(f.severity), f.rule)


class FileJudge:
    """Judges the lines of one file, each by itself and then together, and adds what it finds to `result`."""

    def __init__(self, index: RuleIndex, result: Result) -> None:
        self.rule_index, self.result = index, result
        self.whole: list[Entry] = []
        """Entries that mount(8) does not ignore."""
        self.nfs: set[int] = set()
        """Line numbers of NFS mounts."""
        self.mounted: list[MountLine] = []
        self.errata: set[str] = set()
        """Errata that were reported."""
        self.seen: set[tuple[int, str]] = set()
        """The ids of the Judged whose errata were looked up, and the options that have it."""
        self.carriage_returns = False
        """Whether a line with a carriage return was reported: one finding per file is enough."""

    def judge_entry(self, entry: Entry) -> None:
        """Judge one line of fstab as a line, and if it mounts NFS, what it says."""
        index = self.rule_index
        if self.result.live:
            whole = entry.joined()
            if whole is not entry and index.rules.is_nfs(whole):
                self.result.add(_left_in_line(index, entry))
                return
        elif entry.libmount != "ok" and has_markup(entry.raw):
            if "nfs" in entry.raw.casefold():
                self.result.unread.append(entry.line_no)  # it may be right when it is filled in
            return
        is_nfs = index.rules.is_nfs(entry)
        findings = tuple(_form(index, entry, is_nfs, self.carriage_returns))
        self.result.add(findings, entry)
        if entry.libmount != "ok":
            return
        self.carriage_returns = self.carriage_returns or entry.raw.endswith("\r")
        self.whole.append(entry)
        if is_nfs:
            self.nfs.add(entry.line_no)
            self.judge(entry, findings)

    def judge(self, entry: MountEntry, form_findings: Sequence[Finding]) -> None:
        """Judge what one NFS mount says. `form_findings`: those on how it is written."""
        index, result = self.rule_index, self.result
        result.nfs_lines += 1
        line = judge(index, entry, result.name, alike=True)
        judged = result.judged[entry.line_no] = line.judged
        if line.shares:
            result.alike[entry.line_no] = entry
        result.add(line.findings(), entry)
        for tunable, facts in judged.open:
            result.open.append(OpenItem(entry.line_no, tunable, facts))
            for fact in facts:
                result.votes[fact] = result.votes.get(fact, 0) + 1
        left = tuple(left_over(index, entry)) if result.live else ()
        result.add(left, entry)
        findings = (*form_findings, *judged.findings, *left)
        if not any(f.severity == "error" and f.consequence == "mount-fails" for f in findings):
            self.mounted.append(line)  # a mount that fails shares nothing with others
        if (id(judged), entry.options.text) not in self.seen:
            self.seen.add((id(judged), entry.options.text))
            for slug, fact, certain in index.faults(judged.state, _client_errata):
                if not certain:
                    result.add_possible_fault(slug, fact, entry.line_no)
                elif slug not in self.errata:
                    self.errata.add(slug)
                    erratum = index.rulebase.errata[slug]
                    result.add((known_bug(index, judged.state, fact, erratum, LINE),), entry)
        entry.release()

    def drop_others(self, entries: Iterable[Entry]) -> None:
        """Without an NFS mount, keep only findings on lines that may have been meant for one."""
        if not self.nfs:
            meant = {entry.line_no for entry in entries if self._may_mean_nfs(entry)}
            self.result.findings = [f for f in self.result.findings if f.line in meant or f.rule == INTERNAL]

    def _may_mean_nfs(self, entry: Entry) -> bool:
        if not self.rule_index.rules.nfs_types.isdisjoint(entry.raw.split()):
            return True
        source = parse_source(entry.source.value)
        return source.kind in _OF_SERVERS and source.export.startswith("/")

    def judge_pairs(self) -> None:
        """Compare the NFS mounts with one another."""
        for line, finding in check_pairs(self.rule_index, self.mounted):
            self.result.add((finding,), line.entry)
        self.mounted.clear()  # frees most of the memory that a large file needs

    def judge_together(self) -> None:
        """Compare all lines of an fstab with one another."""
        self.judge_pairs()
        for between in (check_targets, check_stacked):
            for entry, finding in between(self.rule_index, self.whole, frozenset(self.nfs)):
                self.result.add((finding,), entry)


def known_bug(
    index: RuleIndex, state: State, fact: str, erratum: Erratum, place: Setting | Span, *, value: str | None = None
) -> Finding:
    """The finding that a package has a bug; `fact`: its version. The remedy names the version that has the fix."""
    fixed, remedy = _fixed_version(index, state, fact, erratum), erratum.workaround or ""
    if fixed and fixed not in remedy:
        remedy = f"{remedy} It is fixed in {erratum.package} {fixed}.".strip()
    return report(erratum, place, tunable=f"package.{erratum.package}", value=value, expected=fixed, remedy=remedy)


def _fixed_version(index: RuleIndex, state: State, fact: str, erratum: Erratum) -> str | None:
    """The first version of the known stream that has the fix; None if none is known."""
    stream, engine = f"{fact}_stream", index.engine
    streams = [
        name for name in erratum.affected
        if stream not in index.rulebase.facts or engine.fact(stream).mask(name) == state.get(stream)
    ]
    for span in erratum.affected[streams[0]] if len(streams) == 1 else ():
        bounds = (f">={span.introduced}" if span.introduced else "", f"<{span.fixed}" if span.fixed else "")
        if span.fixed and engine.fact(fact).mask(" ".join(filter(None, bounds))) & state[fact]:
            return span.fixed
    return None


def has_fault(index: RuleIndex, state: State, slug: str, fact: str) -> bool | None:
    """Whether a known bug applies to the version, `fact`; None if that depends on the stream that it is of."""
    stream, name = f"{fact}_stream", f"erratum:{slug}:{fact}"
    holds = index.holds(name, state)
    if holds is not None or stream not in index.rulebase.facts:
        return bool(holds)
    affected = index.rulebase.errata[slug].affected
    masks = (index.engine.fact(stream).mask(value) & state.get(stream, -1) for value in affected)
    return None if any(mask and index.holds(name, {**state, stream: mask}) for mask in masks) else False


def _client_errata(index: RuleIndex, state: State) -> list[Fault]:
    """The known bugs that what the client runs may have."""
    found: list[Fault] = []
    for fact, slugs in index.rulebase.lint["errata"].items():
        for slug in slugs if fact.startswith("client.") and fact in state else ():
            spared = index.rulebase.errata[slug].unless and index.holds(f"unless:{slug}", state)
            has = False if spared else has_fault(index, state, slug, fact)
            if has is not False:
                found.append((slug, fact, has is True))
    return found


def _form(index: RuleIndex, entry: Entry, is_nfs: bool, carriage_returns: bool) -> Iterator[Finding]:
    """The findings on the form of one line. `carriage_returns`: whether DOS line ends were reported already."""
    traps = entry.traps
    dropped = entry.libmount
    if dropped != "ok":
        yield from _dropped_line(index, "fstab-line-dropped", entry, traps, dropped)
        return
    if traps or entry.difference:
        if entry.difference is not None:
            # Lines of other file systems matter only for what they do to NFS.
            yield from index.report(
                "fstab-readers-differ", LINE, words=entry.difference, severity=None if is_nfs else "note"
            )
        for trap in traps:
            if (trap.slug == "carriage-return" and carriage_returns) or (trap.slug == "empty-option" and is_nfs):
                continue  # reported once per file; reported by the option grammar
            shifted = trap.slug == "shifted-fields"  # the third field is no file system type
            columns = shifted or trap.slug == "beyond-the-end"
            yield from index.report(
                "fstab-trap", _place(trap), words=trap.words, severity="error" if shifted else None,
                consequence="mount-fails" if shifted else None,
                remedy=index.rulebase.checks["fstab-line-dropped"].remedy if columns else None,
                fix=Fix.of("unsafe", _missing_fields(index, entry, trap)),
            )
    if not is_nfs and ":/" in entry.source.value:
        yield from _unknown_type(index, entry)
    if is_nfs:
        yield from source_form(index, entry)


def source_form(index: RuleIndex, entry: MountEntry) -> Iterator[Finding]:
    """The finding on the source of an NFS mount, if it is malformed."""
    source = parse_source(entry.source.value)
    if source.problem and entry.fstype.value in ("nfs", "nfs4"):
        setting = Setting(entry.source.value, "source", 0, len(entry.source.text), entry.source.value)
        # The first of a list of hosts is mounted, and NFSv4 without a path mounts the root. Nothing else mounts.
        mounts = source.kind in ("host", "ipv4", "ipv6")
        yield from index.report(
            "fstab-source-form", setting, words=source.problem, severity="warning" if mounts else None,
            consequence="portability" if mounts else None,
        )


_EXPANDED = {"fstab": False, "systemd-mount": False, "autofs": True, "nfsmount.conf": True}
"""Kind of a file of mounts that a program reads as it is → whether the program expands `$NAME`."""


LEFT = "placeholder-left"


def never_filled_in(index: RuleIndex, place: Setting | Span, words: str) -> tuple[Finding, ...]:
    """The finding on a placeholder in a mount or an export of a live file."""
    return index.report(LEFT, place, words=words, figures={"so": ", so this cannot be mounted"})


def left_over(index: RuleIndex, entry: MountEntry) -> Iterator[Finding]:
    """Findings on placeholders left in an NFS mount that make it fail."""
    expanded = _EXPANDED.get(index.kind)
    if expanded is None:
        return
    source, options = entry.source.value, entry.options.text
    is_open = is_of_template if expanded else has_markup
    host, _, path = source.partition(":/")
    is_placeholder = not expanded and (has_markup(host) or masked_address(host) or "${" in path)
    if is_placeholder or is_of_template(host) or is_of_template(path):
        yield from never_filled_in(index, Setting(source, "source", 0, len(entry.source.text), source), source)
    target = entry.target.value
    if is_of_template(target):
        yield from never_filled_in(index, Setting(target, "target", 0, len(entry.target.text), target), target)
    if not is_open(options):
        return
    fstype = index.rules.type_in_effect(entry.fstype.value, source)
    line = index.rules.grammar.read(fstype, split_options(options))
    for problem in index.rules.grammar.judge(line, lambda _: None):
        if problem.consequence == "mount-fails" and is_open(problem.text):
            at = Setting(problem.text, "options", problem.start, problem.start + len(problem.text), problem.text)
            yield from never_filled_in(index, at, problem.text)


def _left_in_line(index: RuleIndex, entry: Entry) -> Iterator[Finding]:
    """The same of a line that mount(8) drops or misreads, because a placeholder contains a space."""
    match = next(match for match in placeholders(entry.raw) if " " in match[0] or "\t" in match[0])
    yield from never_filled_in(index, Span(entry.line_no, match.start() + 1, match.end() + 1), match[0])


def _unknown_type(index: RuleIndex, entry: Entry) -> Iterator[Finding]:
    source = parse_source(entry.source.value)
    if source.kind not in _OF_SERVERS or not source.export.startswith("/"):
        return
    fstype = entry.fstype
    type_meant = meant_type(fstype.value, index.tunables["fstab.type"])
    if type_meant is not None:
        setting = Setting(fstype.value, "fstype", 0, len(fstype.text), fstype.text)
        yield from index.report(
            "fstab-type-unknown", setting, tunable="fstab.type", value=fstype.value, expected=type_meant,
            fix=Fix("unsafe", (Edit.within("fstype", 0, len(fstype.text), type_meant),)),
        )


def _dropped_line(index: RuleIndex, slug: str, entry: Entry, traps: tuple[Trap, ...], why: str) -> Iterator[Finding]:
    """The one finding on a dropped line, at the trap that explains it and in its words, or else with `why`."""
    # mount(8) strips a carriage return at the end of a line.
    end = ("carriage-return", len(entry.raw))
    cause = next((trap for trap in traps if trap.slug in _CAUSES and (trap.slug, trap.span.column) != end), None)
    if cause is not None:
        yield from index.report(slug, _place(cause), words=cause.words)
    else:
        yield from index.report(slug, LINE, words=why.partition(": mount(8) ")[0])  # the check says that it is dropped


def _missing_fields(index: RuleIndex, entry: Entry, trap: Trap) -> tuple[Edit, ...]:
    """The edit that adds the fields that a line lacks, if its other fields are those of an NFS mount."""
    if not trap.lacks or (entry.target.parts and not entry.target.value.startswith("/")):
        return ()
    source = parse_source(entry.source.value)
    if source.kind not in ("host", "ipv4", "ipv6") or source.problem:
        return ()
    if trap.lacks == ("fstype",) and not _known(index, entry.fstype.text):
        return ()
    if trap.lacks == ("options",) and entry.fstype.value not in index.rules.nfs_types:
        return ()
    at = trap.span.column - 1
    blanks = entry.raw[len(entry.raw[:at].rstrip(" \t")) : at]
    text = "".join(f"{_USUAL[field]}{blanks}" for field in trap.lacks)
    return (Edit(entry.line_no, trap.span.column, trap.span.column, text),)


def _known(index: RuleIndex, options: str) -> bool:
    """Whether an NFS mount knows all of these options."""
    line = index.rules.grammar.read("nfs", split_options(options))
    return not any(problem.kind == "unknown-option" for problem in line.problems)


def _place(trap: Trap) -> Span:
    """At least one character, also at the end of the line."""
    line, column, end_column = trap.span
    return Span(line, column, max(end_column, column + 1))

"""`lint_text` judges one file by the rule base: an fstab here, other kinds in other_kinds."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.files.fstab import is_whole, read
from advisor.files.libmount import shown
from advisor.files.records import Span
from advisor.lint import structure
from advisor.lint.between import MountLine, check_pairs, check_stacked, check_targets
from advisor.lint.finding import INTERNAL, LINE, SEVERITIES, Finding, placed, report
from advisor.lint.judge import judge
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase
from advisor.sections import Section, SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.exports import Export
    from advisor.files.fstab import Entry, Whole
    from advisor.files.records import MountEntry
    from advisor.lint.read_together import Beside
    from advisor.lint.rule_index import Judged, State
    from advisor.lint.suppress import Silenced
    from advisor.rulebase.model.types import Values


class OpenItem(NamedTuple):
    """A setting that was not judged, and the facts that would help to."""

    line: int
    tunable: str
    facts: tuple[str, ...]


class FileJudge:
    """Judges the lines of one file, each by itself and then together, and adds what it finds to `result`."""

    def __init__(self, index: RuleIndex, result: Result) -> None:
        self.rule_index, self.result = index, result
        self.whole: list[Whole] = []
        """Entries that mount(8) does not ignore."""
        self.nfs: set[int] = set()
        """Line numbers of NFS mounts."""
        self.mounted: list[MountLine] = []
        self.errata: set[str] = set()
        """Errata that were reported."""
        self.seen: set[int] = set()
        """The ids of the Judged whose errata were looked up; like lines share one."""
        self.carriage_returns = False
        """Whether a line with a carriage return was reported: one finding per file is enough."""

    def judge_entry(self, written: Entry) -> None:
        """Judge one line of fstab as a line, and if it mounts NFS, what it says."""
        index = self.rule_index
        # A template's placeholder is one word, whatever spaces are in it.
        entry = written.joined() if written.libmount != "ok" and written.template else written
        is_nfs = is_whole(entry) and index.rules.is_nfs(entry)
        findings = tuple(structure.check(index, entry, is_nfs, self.carriage_returns))
        if is_nfs and entry is not written and entry.libmount == "ok":
            findings += tuple(structure.blanks(index, written))
        self.result.add(findings, entry)
        if entry.libmount != "ok" or not is_whole(entry):
            return
        self.carriage_returns = self.carriage_returns or entry.raw.endswith("\r")
        self.whole.append(entry)
        if is_nfs:
            self.nfs.add(entry.line_no)
            self.judge(entry, findings)

    def judge(self, entry: Whole | MountEntry, form_findings: Sequence[Finding]) -> None:
        """Judge what one NFS mount says. `form_findings`: those on how it is written."""
        index, result = self.rule_index, self.result
        result.nfs_lines += 1
        judged, settings = judge(index, entry, result.name)
        result.judged[entry.line_no] = judged
        self.result.add(judged.findings, entry)
        for tunable, facts in judged.open:
            result.open.append(OpenItem(entry.line_no, tunable, facts))
            for fact in facts:
                result.votes[fact] = result.votes.get(fact, 0) + 1
        findings = (*form_findings, *judged.findings)
        if not any(f.severity == "error" and f.consequence == "mount-fails" for f in findings):
            # A mount that fails shares nothing with others, and a setting without effect makes no difference.
            settings = {t: setting for t, setting in {**judged.brought, **settings}.items() if t not in judged.ignored}
            self.mounted.append(MountLine(entry, settings, frozenset(judged.brought), judged.masks, judged.state))
        if id(judged) not in self.seen:
            self.seen.add(id(judged))
            self.result.add(errata(index, judged.state, self.errata), entry)
        entry.release()

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


def errata(index: RuleIndex, state: State, seen: set[str]) -> list[Finding]:
    """Findings on the client's known bugs that certainly apply and are not in `seen`, to which they are added."""
    findings = []
    for fact, slugs in index.rulebase.lint["errata"].items():
        if not fact.startswith("client.") or fact not in state:
            continue
        for slug in slugs:
            erratum = index.rulebase.errata[slug]
            if slug not in seen and index.holds(f"erratum:{slug}:{fact}", state):
                seen.add(slug)
                findings.append(report(erratum, LINE, tunable=f"package.{erratum.package}"))
    return findings


class Result:
    """The findings of one file, in the order of its lines. `open`: what was not judged, because facts are unknown.
    `votes`: fact → how many open settings it would help to judge."""

    def __init__(self, name: str, text: str, index: RuleIndex) -> None:
        self.name = name
        self.text = text
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
        """Number of each NFS line → the judgement of it."""

    def add(self, findings: Iterable[Finding], entry: Entry | MountEntry | Export | None = None) -> None:
        """Add findings of this file. `entry`: the one in whose fields they are; None if they have their place."""
        self.findings += [
            finding._replace(file=self.name) if entry is None else placed(finding, self.name, entry)
            for finding in findings
        ]

    @property
    def suppressed(self) -> int:
        """How many findings comments suppress."""
        return len(self.silenced)

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


def lint_text(
    text: str | bytes, name: str, rulebase: RuleBase, answers: Mapping[str, Values], index: RuleIndex | None = None,
    *, sections: Sequence[Section] = (), kind: str = "fstab", profiles: Collection[str] = (),
    beside: Sequence[Beside] = (),
) -> Result:
    """Judge one file. `answers`: facts that are known, fact → value (raises the engine's FactError if they clash).
    `sections`: facts of some mounts only (raises SectionError if they clash). `kind`: as in advisor.files.kinds.
    `profiles`: the security profiles to check. `beside`: the other files of the run, some of which are read together
    with this one. `index`: reused from an earlier Result for the same rule base, answers, sections and kind, because it
    remembers what it was asked.

    If the program fails on a line, that is a finding (`internal`), and the other lines are still judged."""
    index = index or RuleIndex(rulebase, answers, sections, kind, profiles)
    if kind != "fstab":
        from advisor.lint.other_kinds import judge_other  # noqa: PLC0415  most files are fstab

        try:
            return _silenced(judge_other(index, kind, text, name, beside))
        except SectionError:
            raise
        except Exception as error:
            whole = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
            result = Result(name, whole, index)
            result.add(_failed(index, Span(1, 1, len(result.line(1)) + 1), error))
            return result
    fstab = read(text, name)
    result = Result(name, fstab.text, index)
    lines = FileJudge(index, result)
    for entry in fstab.entries:
        try:
            lines.judge_entry(entry)
        except SectionError:
            raise
        except Exception as error:
            result.add(_failed(index, _whole(entry), error))
    if fstab.entries:
        try:
            lines.judge_together()
        except Exception as error:
            result.add(_failed(index, _whole(fstab.entries[0]), error))
    return _silenced(result)


def _silenced(result: Result) -> Result:
    """The same result, sorted, without the findings that comments in the file suppress."""
    if "advisor:" in result.text:
        from advisor.lint.suppress import suppress  # noqa: PLC0415  few files need it

        suppress(result, result.text)
    result.findings.sort(key=order)
    return result


def order(f: Finding) -> tuple[int, int, int, str]:
    return (f.line, f.column, -SEVERITIES.index(f.severity), f.rule)


def _whole(entry: Entry) -> Span:
    return Span(entry.line_no, 1, len(entry.raw) + 1)


def _failed(index: RuleIndex, place: Span, error: Exception) -> tuple[Finding, ...]:
    """The finding that a line could not be judged. With ADVISOR_DEBUG set, the error is raised again instead."""
    words = shown(f"{type(error).__name__}: {error}", 100)[1:-1]
    findings = index.report(INTERNAL, place, words=words)
    if not findings or os.environ.get("ADVISOR_DEBUG"):
        raise error
    return findings

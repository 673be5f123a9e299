"""`lint_text`: one fstab against the rule base. Lines that say the same are judged once."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.lint import structure
from advisor.lint.between import MountLine, check_overlays, check_pairs, check_targets
from advisor.lint.finding import INTERNAL, SEVERITIES, SEVERITY_OF, Finding, at, from_check, placed
from advisor.lint.judge import Judged, judge
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import NamedTuple
from advisor.options.words import Setting
from advisor.readers.fstab import read
from advisor.readers.fstab.entry import is_whole
from advisor.readers.fstab.libmount import shown
from advisor.readers.spans import Span
from advisor.rulebase.model import RuleBase
from advisor.sections import Section, SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.beside import Beside
    from advisor.lint.suppress import Silenced
    from advisor.readers.fstab.entry import Entry, Whole
    from advisor.readers.mounts.table import MountEntry, TextPart
    from advisor.readers.settings.table import Assignments
    from advisor.rulebase.model.types import Values


_SOURCES = ("systemd-mount", "ansible", "cloud-init")
"""Kinds of files in which the source of a mount is one text, as it is in fstab."""


class OpenItem(NamedTuple):
    """A setting that was not judged: where it stands, and the facts that could settle it."""

    line: int
    tunable: str
    facts: tuple[str, ...]


class Result:
    """Findings of one file, in the order of its lines; `open` is what unknown facts left unjudged."""

    def __init__(self, name: str, text: str, index: RuleIndex) -> None:
        self.name = name
        self.text = text
        self._lines: list[str] | None = None
        self.findings: list[Finding] = []
        self.open: list[OpenItem] = []
        self.votes: dict[str, int] = {}
        self.nfs_lines = 0
        self.silenced: list[Silenced] = []
        """Findings that comments in the file keep silent (advisor.lint.suppress.Silenced)."""
        self.rule_index = index
        """What the lines were judged by, for those who explain findings."""
        self.judged: dict[int, Judged] = {}
        """Number of each NFS line → what it was judged to be."""

    @property
    def suppressed(self) -> int:
        """How many findings comments keep silent."""
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
            for f, reason in self.silenced
        ]


def lint_text(
    text: str | bytes, name: str, rulebase: RuleBase, answers: Mapping[str, Values], index: RuleIndex | None = None,
    *, sections: Sequence[Section] = (), kind: str = "fstab", profiles: Collection[str] = (),
    beside: Sequence[Beside] = (),
) -> Result:
    """Judge one file. `answers`: facts that are known, fact → value (raises the engine's FactError if they clash).
    `sections`: facts of some mounts only (raises SectionError if they clash). `kind`: as in advisor.readers.kinds.
    `profiles`: the security profiles whose checks are made. `beside`: the other files of the run, of which some are
    read together with this one.

    A line on which the program fails is a finding of its own (`internal`), and the others are judged all the same.
    `index`: that of an earlier Result for the same rule base, answers, sections and kind, which remembers much of what
    is asked here."""
    index = index or RuleIndex(rulebase, answers, sections, kind, profiles)
    if kind != "fstab":
        try:
            return _silenced(_other(index, kind, text, name, beside))
        except SectionError:
            raise
        except Exception as error:
            whole = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
            result = Result(name, whole, index)
            result.findings.append(_failed(index, name, Span(1, 1, len(result.line(1)) + 1), error))
            return result
    fstab = read(text, name)
    result = Result(name, fstab.text, index)
    lines = _FileJudge(index, result)
    for entry in fstab.entries:
        try:
            lines.look_at(entry)
        except SectionError:
            raise
        except Exception as error:
            result.findings.append(_failed(index, name, _whole(entry), error))
    if fstab.entries:
        try:
            lines.compare()
        except Exception as error:
            result.findings.append(_failed(index, name, _whole(fstab.entries[0]), error))
    return _silenced(result)


def _silenced(result: Result) -> Result:
    """The same without the findings that comments in the file keep silent, in the order of its lines."""
    if "advisor:" in result.text:
        from advisor.lint.suppress import suppress  # noqa: PLC0415  few files need it

        suppress(result, result.text)
    result.findings.sort(key=_order)
    return result


def _other(index: RuleIndex, kind: str, text: str | bytes, name: str, beside: Sequence[Beside]) -> Result:
    """The mounts of a file of another kind, each judged as a line of fstab is."""
    if kind == "exports":
        return _exports(index, text, name, beside)
    from advisor.readers import settings  # noqa: PLC0415

    result = _settings(index, kind, text, name, beside) if kind in settings.READ else None
    from advisor.readers import mounts  # noqa: PLC0415  most files are fstab

    if kind not in mounts.READ and result is not None:
        return result
    table = mounts.read(kind, text, name, _unit(kind, name, beside))
    result = result or Result(name, table.text, index)
    lines = _FileJudge(index, result)
    unread = index.builtin.get("entry-not-understood")
    if unread is not None:
        for span, words in table.bad:
            finding = from_check(unread, Setting(None, "source", 0, 0, ""), tunable=None, words=words)
            result.findings.append(at(finding, name, span))
    if kind == "nfsmount.conf":
        result.findings += _forgotten(index, table.text, name)
    if beside and kind == "systemd-mount":
        from advisor.lint.units import together  # noqa: PLC0415

        findings, replaced = together(index, table, beside)
        result.findings += findings
        if replaced:
            return result  # the drop-in that counts is judged
    for mount in table.mounts:
        if mount.fstype.value in index.nfs_types:
            mount.fixable = not index.in_effect and _as_written(result, mount.options.parts)
            sourced = kind in _SOURCES and mount.source.parts and mount.source.value
            said = tuple(structure.source_form(index, mount)) if sourced else ()
            if kind == "autofs" and not mount.source.parts:
                result.findings += _of_a_map(index, mount, name)
                continue
            lines.tell(said, mount)
            lines.judge(mount, said)
    if kind != "kubernetes" and not index.in_effect:  # on which node it is mounted, or what came first, is not known
        lines.share()
    result.findings = _once(result.findings)
    return result


def _of_a_map(index: RuleIndex, mount: MountEntry, name: str) -> list[Finding]:
    """What is wrong with the options that a master file gives to all entries of a map, whose types are not known."""
    foreign = {
        form.spelling for one in index.tunables.values() if one.id.startswith("mount.foreign.") for form in one.forms
    }
    if any(part.text.partition("=")[0] in foreign for part in mount.options.parts):
        return []
    own = {check.check for check in index.builtin.values()}
    judged, _ = judge(index, mount, name)
    return [placed(finding, name, mount) for finding in judged.findings if finding.rule in own]


def _as_written(result: Result, parts: Iterable[TextPart]) -> bool:
    """Whether what is called exact stands so in the file: the columns of a line that goes on are those of its first."""
    return all(
        not part.exact or result.line(part.span.line)[part.span.column - 1 : part.span.end_column - 1] == part.text
        for part in parts
    )


def _forgotten(index: RuleIndex, text: str, name: str) -> list[Finding]:
    """Options of nfsmount.conf that older releases of nfs-utils forget."""
    from advisor.readers.mounts.nfsmount import replaced  # noqa: PLC0415

    check = index.builtin.get("nfsmount-option-lost")
    if check is None or index.holds(f"unless:{check.check}", index.state):
        return []
    return [
        at(from_check(
            check, Setting(None, "source", 0, 0, ""), tunable=None, key=one.key, section=one.section, line=one.other,
        ), name, one.span)
        for one in replaced(text, name)
    ]  # fmt: skip


def _unit(kind: str, name: str, beside: Sequence[Beside]) -> str:
    """The text of the mount unit that a drop-in changes."""
    if kind != "systemd-mount" or not beside:
        return ""
    from advisor.lint.beside import unit_of  # noqa: PLC0415

    return unit_of(name, beside)


def _exports(index: RuleIndex, source: str | bytes, name: str, beside: Sequence[Beside]) -> Result:
    from advisor.lint.exports import judge as judge_exports  # noqa: PLC0415  most files are fstab

    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    result = Result(name, text, index)
    from advisor.lint.beside import read_before  # noqa: PLC0415

    findings, result.nfs_lines = judge_exports(index, text, name, read_before(name, beside))
    result.findings = _once(findings)
    return result


def _settings(
    index: RuleIndex, kind: str, source: str | bytes, name: str, beside: Sequence[Beside]
) -> Result:
    from advisor.lint.settings import judge as judge_settings  # noqa: PLC0415  most files are fstab
    from advisor.readers import settings  # noqa: PLC0415

    begins = None
    if beside and kind in settings.INCLUDING:
        from advisor.lint.beside import section_of  # noqa: PLC0415

        begins = section_of(kind, name, beside)
    file = settings.read(kind, source, name, begins)
    others: list[Assignments] = []
    whole: bool | None = None
    if beside and file.blocks:
        from advisor.lint.beside import read_together  # noqa: PLC0415

        others, whole = read_together(kind, name, beside)
    result = Result(name, file.text, index)
    result.findings = sorted(judge_settings(index, file, others, whole if others else None), key=_order)
    return result


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """In order, and each once: mounts and exports of one entry have options and a path in common."""
    different = {(f.line, f.column, f.rule, f.message): f for f in reversed(findings)}
    return sorted(different.values(), key=_order)


def _order(f: Finding) -> tuple[int, int, int, str]:
    return (f.line, f.column, -SEVERITIES.index(f.severity), f.rule)


class _FileJudge:
    """The lines of one file, judged one after the other and then together."""

    def __init__(self, index: RuleIndex, result: Result) -> None:
        self.rule_index, self.result = index, result
        self.whole: list[Whole] = []
        """Entries that mount(8) does not ignore."""
        self.nfs: set[int] = set()
        self.mounted: list[MountLine] = []
        self.errata: set[str] = set()
        self.seen: set[int] = set()
        self.carriage_returns = False

    def look_at(self, written: Entry) -> None:
        index = self.rule_index
        # What stands in one piece of a template is one word, whatever blanks are in it.
        entry = written.joined() if written.libmount != "ok" and written.template else written
        is_nfs = is_whole(entry) and entry.fstype.value in index.nfs_types
        said = tuple(structure.check(index, entry, is_nfs, self.carriage_returns))
        if is_nfs and entry is not written and entry.libmount == "ok":
            said += tuple(structure.blanks(index, written))
        self.tell(said, entry)
        if entry.libmount != "ok" or not is_whole(entry):
            return
        self.carriage_returns = self.carriage_returns or entry.raw.endswith("\r")
        self.whole.append(entry)
        if is_nfs:
            self.nfs.add(entry.line_no)
            self.judge(entry, said)

    def judge(self, entry: Whole | MountEntry, said: Sequence[Finding]) -> None:
        """Judge one NFS mount; `said`: what is wrong with how it is written."""
        index, result = self.rule_index, self.result
        result.nfs_lines += 1
        judged, settings = judge(index, entry, result.name)
        result.judged[entry.line_no] = judged
        self.tell(judged.findings, entry)
        for tunable, facts in judged.open:
            result.open.append(OpenItem(entry.line_no, tunable, facts))
            for fact in facts:
                result.votes[fact] = result.votes.get(fact, 0) + 1
        if not any(d.severity == "error" and d.consequence == "mount-fails" for d in (*said, *judged.findings)):
            # What fails to mount shares nothing, and what has no effect makes no difference.
            settings = {t: found for t, found in {**judged.brought, **settings}.items() if t not in judged.ignored}
            self.mounted.append(MountLine(entry, settings, frozenset(judged.brought), judged.masks, judged.state))
        if id(judged) not in self.seen:  # an erratum is told once a file, and like lines share what they were judged
            self.seen.add(id(judged))
            self.tell(_errata(index, judged.state, self.errata), entry)
        entry.release()

    def share(self) -> None:
        """What mounts have to do with one another."""
        for line, finding in check_pairs(self.rule_index, self.mounted):
            self.tell((finding,), line.entry)
        self.mounted.clear()  # most of what a large file takes

    def compare(self) -> None:
        self.share()
        for between in (check_targets, check_overlays):
            for entry, finding in between(self.rule_index, self.whole, frozenset(self.nfs)):
                self.tell((finding,), entry)

    def tell(self, findings: Iterable[Finding], entry: Entry | MountEntry) -> None:
        self.result.findings.extend(placed(finding, self.result.name, entry) for finding in findings)


def _whole(entry: Entry) -> Span:
    return Span(entry.line_no, 1, len(entry.raw) + 1)


def _failed(index: RuleIndex, name: str, place: Span, error: Exception) -> Finding:
    """The finding that says that a line was not judged; with ADVISOR_DEBUG the error itself, raised again."""
    check = index.builtin.get(INTERNAL)
    if check is None or os.environ.get("ADVISOR_DEBUG"):
        raise error
    words = shown(f"{type(error).__name__}: {error}", 100)[1:-1]
    finding = from_check(check, Setting(None, "source", 0, 0, ""), tunable=None, words=words)
    return at(finding, name, place)


def _errata(index: RuleIndex, state: dict[str, int], seen: set[str]) -> list[Finding]:
    """Known bugs of the client that certainly apply; each is told once a file."""
    findings = []
    for slug, told in index.rulebase.errata.items():
        for fact in told.facts:
            if slug in seen or not fact.startswith("client.") or fact not in state:
                continue
            if index.holds(f"erratum:{slug}:{fact}", state):
                seen.add(slug)
                findings.append(
                    Finding(
                        slug, SEVERITY_OF[told.strength], told.consequence, "high", "", 0, 1, 1,
                        f"package.{told.package}", None, None, f"{told.title}: {told.symptom}", told.why,
                        told.workaround or "", tuple(told.cites), None, field="source",
                    )
                )
    return findings

"""Judge files of other kinds than fstab: mounts, each like a line of fstab, settings, exports, and embedded text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from advisor.files import kinds
from advisor.files.embedded import has_nfs_text, read_embedded
from advisor.files.embedded_found import AT_ONCE, Segment
from advisor.files.exports import cluster_exports
from advisor.files.nfs_conf import lost_options
from advisor.files.placeholders import has_markup, plain_lines
from advisor.files.records import Assignments, MountEntry, MountTable, Placed, Token
from advisor.files.settings_grammar import Settings, SettingsGrammar, in_single_blocks
from advisor.lint.alike import judge
from advisor.lint.exports import judge as judge_exports
from advisor.lint.exports import judge_resources
from advisor.lint.finding import Edit, Finding, Fix
from advisor.lint.lines import FileJudge, Result, order, source_form
from advisor.lint.rule_index import RuleIndex
from advisor.lint.settings import judge as judge_settings
from advisor.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.read_together import Beside

_SOURCES = ("systemd-mount", "ansible", "salt", "cloud-init")
"""Kinds of files that write the source of a mount as one text, as fstab does."""

_CODE = ("script", "systemd-unit")
"""Kinds of files of which only embedded text is read."""
_OF_OTHERS = ("cloud-init", "compose", "kubernetes", "salt", "ansible", "udev", "cib")
"""Kinds of files that most people have without NFS. What is wrong with these is not ours to say."""
_WORDS = ("nfs", "efs", "exportfs", "mountoptions", "mount-options", "read_ahead", "bdi")
MAX_PADDING = 100_000
"""Empty lines in front of embedded texts, in which lines then have the same numbers as in the file around."""
_TOGETHER = ("ansible", "salt", "compose")
"""Kinds of files whose mounts are all made on the same hosts. Of a script, one branch may be run."""
_OF_TEMPLATES = ("entry-not-understood",)
"""Not reported in text that a program writes: the program fills its placeholders in."""
_OF_READERS = ("-placeholder", "placeholder-left", "fstab-line-dropped", "fstab-source-form", "fstab-trap")
"""Ends of what is not reported of documentation."""
_STANDS_FOR = regex(r"\.\.\.|[\[\]…]|(?:^|=)[a-z]{1,40}_(?:version|size|name|id|ip|address|port)$")
"""What people write for what a reader has to put there."""
_OF_BOOT = ("setting-before-module",)
"""Not reported of what a command sets at once."""
_OWN_SCRIPT = "\n# Made by advisor "
"""In the head of a written script, which tests and takes out options with functions of its own."""
_QUOTING = frozenset("'\"\\$`\n#")
Judge = Callable[[RuleIndex, str, str, str], Result]
"""Of the rules for a kind of file, this kind, a text and its name."""


def judge_other(
    index: RuleIndex, kind: str, text: str, name: str, beside: Sequence[Beside], *, live: bool, judge: Judge
) -> Result:
    """Judge a file of any kind but fstab, and what is embedded in it, with `judge`, each part by the reader and the
    rules of its own kind. `beside`: the other files of the run. Raises SectionError."""
    plain = text if live or kind in (*_OF_OTHERS, *_CODE) else plain_lines(text)
    result = Result(name, plain, index, live and kind not in _CODE)
    if kind == "exports":
        result = _exports(index, plain, name, beside, live)
    elif kind not in _CODE and (kind not in _OF_OTHERS or any(word in text.lower() for word in _WORDS)):
        result = _judged(index, kind, result, beside)
    result.text = text
    if kind in kinds.AROUND and has_nfs_text(text):
        _add_embedded(result, judge)
    return result


def _judged(index: RuleIndex, kind: str, of: Result, beside: Sequence[Beside]) -> Result:
    text, name = of.text, of.name
    result = _settings(index, kind, of, beside) if kind in kinds.SETTINGS else of
    if kind not in kinds.MOUNTS:
        return result
    table = kinds.read_mounts(kind, text, name, _unit(kind, name, beside))
    if kind == "systemd-mount" and table.mounts and not any(
        index.rules.is_nfs(mount) or has_markup(mount.fstype.value) for mount in table.mounts
    ):
        return of  # a mount of another file system
    result.live = of.live
    lines = FileJudge(index, result)
    for span, words in table.bad:
        result.add(index.report("entry-not-understood", span, words=words))
    if kind == "nfsmount.conf":
        result.add(_lost_options(index, table.text, name))
    if kind == "systemd-mount":
        findings, is_replaced = _unit_findings(index, table, beside)
        result.add(findings)
        if is_replaced:
            return result  # the drop-in that counts is judged
    result.parts = len(table.mounts) if kind in kinds.MOUNTS else 1
    result.read = {part.span.line for mount in table.mounts for field in mount.fields for part in field.parts}
    for mount in table.mounts:
        if index.rules.is_nfs(mount):
            mount.fixable = not index.rules.in_effect and _as_written(result, mount.options.parts)
            sourced = kind in _SOURCES and mount.source.parts and mount.source.value
            form_findings = tuple(source_form(index, mount)) if sourced else ()
            if kind == "autofs" and not mount.source.parts:
                result.add(_map_findings(index, mount, name), mount)
                continue
            result.add(form_findings, mount)
            lines.judge(mount, form_findings)
    if kind != "kubernetes" and not index.rules.in_effect:  # unknown on which node they are mounted, or in what order
        lines.judge_pairs()
    result.findings = _once(result.findings)
    return result


def _map_findings(index: RuleIndex, mount: MountEntry, name: str) -> list[Finding]:
    """Findings on the options that auto.master gives to a whole map, unless they belong to another type than NFS."""
    foreign = {
        form.spelling for tunable in index.tunables.values() if tunable.foreign for form in tunable.forms
    }
    if any(part.text.partition("=")[0] in foreign for part in mount.options.parts):
        return []
    checks = index.rulebase.checks
    return [
        finding for finding in judge(index, mount, name).findings()
        if index.builtin(finding.rule) is not None or (finding.rule in checks and finding.end_column > finding.column)
    ]


def _as_written(result: Result, parts: Iterable[Token]) -> bool:
    """Whether the columns of these options are right, so that they can be edited. They are not in a continued line, as
    columns count from the start of its first part."""
    return all(
        not part.exact or result.line(part.span.line)[part.span.column - 1 : part.span.end_column - 1] == part.text
        for part in parts
    )


def _lost_options(index: RuleIndex, text: str, name: str) -> Iterator[Finding]:
    """Options of nfsmount.conf that older releases of nfs-utils lose."""
    slug = "nfsmount-option-lost"
    if index.builtin(slug) is not None and not index.holds(f"quiet:{slug}", index.state):
        for lost in lost_options(text, name):
            yield from index.report(slug, lost.span, figures=lost.words)


def _unit(kind: str, name: str, beside: Sequence[Beside]) -> str:
    """The text of the mount unit that a drop-in changes; "" for other files."""
    if kind != "systemd-mount" or not beside:
        return ""
    from advisor.files.read_together import unit_of  # noqa: PLC0415

    return unit_of(name, beside)


def _unit_findings(index: RuleIndex, table: MountTable, beside: Sequence[Beside]) -> tuple[list[Finding], bool]:
    """Findings on a unit by itself and beside its drop-ins and its mount unit, and whether a drop-in replaces its
    options."""
    from advisor.files.read_together import mount_is_missing, replacing  # noqa: PLC0415
    from advisor.files.units import options_at  # noqa: PLC0415

    findings: list[Finding] = []
    if not beside:
        return findings, False
    own = options_at(table.text)
    last = replacing(table.name, beside)
    if own is not None and last is not None:
        place = options_at(last.text)
        line = place.line if place is not None else 1
        findings += index.report("unit-options-replaced", own, place=f"{last.name}:{line}")
    where = next((setting.value for setting in kinds.read_settings("systemd-mount", table.text, table.name).settings
                  if (setting.section, setting.key.text) == ("Automount", "Where")), None)
    if where is not None and mount_is_missing(table.name, where.text, beside):
        name = table.name.rpartition("/")[2]
        findings += index.report(
            "automount-without-mount", where.span, unit=name, right=name.removesuffix(".automount") + ".mount",
            where=where.text,
        )
    return findings, last is not None


def _exports(index: RuleIndex, text: str, name: str, beside: Sequence[Beside], live: bool) -> Result:
    result = Result(name, text, index)
    findings, result.nfs_lines = judge_exports(index, text, name, beside, live)
    result.findings = _once(findings)
    return result


def _settings(index: RuleIndex, kind: str, of: Result, beside: Sequence[Beside]) -> Result:
    begins, name = None, of.name
    if beside:
        from advisor.files.read_together import INCLUDING, section_of  # noqa: PLC0415

        begins = section_of(kind, name, beside) if kind in INCLUDING else None
    file = kinds.read_settings(kind, of.text, name, begins)
    beyond: Settings | None = None
    whole: bool | None = None
    if beside and file.blocks:
        from advisor.files.read_together import RunFiles, read_together  # noqa: PLC0415

        linked = read_together(kind, name, beside)
        if linked is not None:
            files, whole = linked
            grammar = index.rulebase.ready(SettingsGrammar, kind)
            beyond = RunFiles.of(beside).once(("beyond", id(files)), lambda: in_single_blocks(grammar, files))
    result = Result(name, file.text, index)
    resources = _resources(index, file, name) if kind == "cib" else ()
    result.add(_once([*judge_settings(index, file, beyond, whole, live=of.live), *resources]))
    return result


def _resources(index: RuleIndex, file: Assignments, name: str) -> list[Finding]:
    """The findings on the exports that a cluster makes."""
    exports = cluster_exports(file)
    return judge_resources(index.of_kind("exports"), exports, name) if exports else []


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """The findings in order, without duplicates: the mounts or exports of one entry share options and a path."""
    different = {(f.line, f.column, f.rule, f.message): f for f in reversed(findings)}
    return sorted(different.values(), key=order)


def _add_embedded(result: Result, judge: Judge) -> None:
    """Add what is found in the embedded text of a file."""
    found = read_embedded(result.text, result.name, result.rule_index.kind, result.read)
    result.unread = [] if _OWN_SCRIPT in result.text and result.rule_index.kind == "script" else found.unread
    result.parts += len(found.mounts) + len(found.segments)
    result.mounts, result.segments = found.mounts, found.segments
    judges: dict[str, FileJudge] = {}
    for kind, mount in found.mounts:
        index = result.rule_index.of_kind(kind)
        if index.rules.is_nfs(mount):
            mount.fixable = True  # where its options have exact places
            form = tuple(source_form(index, mount)) if kind != "compose" and mount.source.value else ()
            result.add(form, mount)
            judges.setdefault(kind, FileJudge(index, result)).judge(mount, form)
    for kind, lines in judges.items():
        if kind in _TOGETHER:
            lines.judge_pairs()
    padding = MAX_PADDING
    for segment in found.segments:
        padding -= segment.texts[0].numbers()[0]
        _add_segment(result, segment, judge, padded=padding > 0)
    result.findings = [
        finding._replace(severity="warning")
        if finding.severity == "error" and finding.line in found.shown else finding
        for finding in result.findings
        if finding.line not in found.shown
        or not (finding.rule.endswith(_OF_READERS) or _STANDS_FOR.search(
            result.line(finding.line)[finding.column - 1 : finding.end_column - 1]
        ))
    ]
    result.findings = _once(result.findings)


def _add_segment(result: Result, segment: Segment, judge: Judge, *, padded: bool) -> None:
    text = Placed.joined(segment.texts)
    lines: list[str] = []
    starts: dict[int, int] = {}
    at = 0
    for line in text.text.split("\n"):
        number = text.token(at, at).span.line
        lines += [""] * (number - 1 - len(lines) if padded and at < len(text.text) else 0)
        lines.append(line.replace("#{", "${"))
        starts[len(lines)] = at
        at += len(line) + 1
    part = judge(result.rule_index.of_kind(segment.kind), segment.kind, "\n".join(lines), segment.name)
    left_out = _OF_BOOT if segment.name == AT_ONCE else _OF_TEMPLATES
    kept = [finding for finding in part.findings if finding.rule not in left_out]
    result.add(_moved(finding, text, starts, result.name) for finding in kept)
    result.nfs_lines += part.nfs_lines
    result.judged.update((_line(text, starts, line), judged) for line, judged in part.judged.items())
    result.alike.update((_line(text, starts, line), entry) for line, entry in part.alike.items())
    result.open += [item._replace(line=_line(text, starts, item.line)) for item in part.open]
    result.unread += [_line(text, starts, line) for line in part.unread]
    for fact, votes in part.votes.items():
        result.votes[fact] = result.votes.get(fact, 0) + votes


def _line(text: Placed, starts: dict[int, int], number: int) -> int:
    at = starts.get(number, 0)  # what is said of a whole file is said at its first line
    return text.token(at, at).span.line


def _moved(finding: Finding, text: Placed, starts: dict[int, int], name: str) -> Finding:
    """A finding in embedded text, at its place in the file."""
    start = starts.get(finding.line, 0) - 1
    span = text.token(start + finding.column, start + finding.end_column).span
    edits = tuple(_edit(edit, text, starts) for edit in (finding.fix.edits if finding.fix else ()))
    exact = tuple(edit for edit in edits if edit is not None)
    fix = Fix.of(finding.fix.safety, exact) if finding.fix and len(exact) == len(edits) else None
    joint = finding.joint and finding.joint._replace(both=_moved(finding.joint.both, text, starts, name))
    return finding._replace(
        file=name, line=span.line, column=span.column, end_column=span.end_column, fix=fix, joint=joint
    )


def _edit(edit: Edit, text: Placed, starts: dict[int, int]) -> Edit | None:
    """An edit of the file; None if it has the text otherwise there."""
    start = starts.get(edit.line, 0) - 1
    token = text.token(start + edit.column, start + edit.end_column)
    if not token.exact or edit.line not in starts or _QUOTING.intersection(edit.text):
        return None
    return edit._replace(line=token.span.line, column=token.span.column, end_column=token.span.end_column)

"""Judge files of other kinds than fstab: mounts, each like a line of fstab, settings and exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.files import kinds
from advisor.files.exports import cluster_exports
from advisor.files.fstab import split_options
from advisor.files.nfs_conf import lost_options
from advisor.files.placeholders import joined, without_statements
from advisor.files.settings_grammar import SettingsGrammar, in_single_blocks
from advisor.lint.exports import judge as judge_exports
from advisor.lint.exports import judge_resources
from advisor.lint.finding import Finding
from advisor.lint.judge import judge
from advisor.lint.lines import FileJudge, Result, order, source_form
from advisor.lint.rule_index import RuleIndex
from advisor.lint.settings import judge as judge_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.read_together import Beside
    from advisor.files.records import Assignments, MountEntry, MountTable, Token
    from advisor.files.settings_grammar import Settings

_SOURCES = ("systemd-mount", "ansible", "salt", "cloud-init")
"""Kinds of files that write the source of a mount as one text, as fstab does."""

_OF_OTHERS = ("cloud-init", "compose", "kubernetes", "salt", "ansible", "udev", "cib")
"""Kinds of files that most people have without NFS. What is wrong with these is not ours to say."""
_WORDS = ("nfs", "efs", "exportfs", "mountoptions", "mount-options", "read_ahead", "bdi")


def judge_other(
    index: RuleIndex, kind: str, text: str, name: str, beside: Sequence[Beside], *, live: bool = False
) -> Result:
    """Judge a file of any kind but fstab. `beside`: the other files of the run. Raises SectionError."""
    if kind in _OF_OTHERS and not any(word in text.lower() for word in _WORDS):
        return Result(name, text, index)
    plain = text if live or kind in _OF_OTHERS else joined(without_statements(text))
    result = _exports(index, plain, name, beside, live) if kind == "exports" else _judged(
        index, kind, Result(name, plain, index, live), beside
    )
    result.text = text
    return result


def _judged(index: RuleIndex, kind: str, of: Result, beside: Sequence[Beside]) -> Result:
    text, name = of.text, of.name
    result = _settings(index, kind, of, beside) if kind in kinds.SETTINGS else None
    if kind not in kinds.MOUNTS and result is not None:
        return result
    table = kinds.read_mounts(kind, text, name, _unit(kind, name, beside))
    result = result or of
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
        form.spelling for tunable in index.tunables.values() if tunable.id.startswith("mount.foreign.")
        for form in tunable.forms
    }
    if any(part.text.partition("=")[0] in foreign for part in mount.options.parts):
        return []
    judged, _ = judge(index, mount, name)
    return [finding for finding in judged.findings if index.builtin(finding.rule) is not None]


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
    from advisor.files.units import options_at, ordered_after  # noqa: PLC0415

    findings: list[Finding] = []
    options = [item.name for mount in table.mounts for item in split_options(mount.options.value)]
    if "nofail" not in options and any(index.rules.is_nfs(mount) for mount in table.mounts):
        for unit in ordered_after(table.text):
            if unit.text == "remote-fs.target":
                findings += index.report("unit-after-remote-fs", unit.span)
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
    if beside and kind in kinds.INCLUDING:
        from advisor.files.read_together import section_of  # noqa: PLC0415

        begins = section_of(kind, name, beside)
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
    result.add(sorted(judge_settings(index, file, beyond, whole, live=of.live), key=order))
    if kind == "cib":
        result.findings = _once([*result.findings, *_resources(index, file, name)])
    return result


def _resources(index: RuleIndex, file: Assignments, name: str) -> list[Finding]:
    """The findings on the exports that a cluster makes."""
    exports = cluster_exports(file)
    return judge_resources(index.of_kind("exports"), exports, name) if exports else []


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """The findings in order, without duplicates: the mounts or exports of one entry share options and a path."""
    different = {(f.line, f.column, f.rule, f.message): f for f in reversed(findings)}
    return sorted(different.values(), key=order)

"""Files of other kinds than fstab: mounts, each judged as a line of fstab is, settings and exports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.lint import structure
from advisor.lint.exports import judge as judge_exports
from advisor.lint.exports import judge_resources
from advisor.lint.finding import Finding, at, from_check, placed
from advisor.lint.judge import judge
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import FileJudge, Result, order
from advisor.lint.settings import judge as judge_settings
from advisor.options.reading import Setting
from advisor.readers import mounts, settings
from advisor.readers.exports import cluster_exports
from advisor.readers.nfsmount import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.read_together import Beside
    from advisor.readers.tables import Assignments, MountEntry, TextPart

CLUSTER = "cib"
_SOURCES = ("systemd-mount", "ansible", "salt", "cloud-init")
"""Kinds of files that write the source of a mount as one text, as fstab does."""


def judge_other(index: RuleIndex, kind: str, text: str | bytes, name: str, beside: Sequence[Beside]) -> Result:
    """The mounts of a file of another kind, each judged as a line of fstab is."""
    if kind == "exports":
        return _exports(index, text, name, beside)
    result = _settings(index, kind, text, name, beside) if kind in settings.READ else None
    if kind not in mounts.READ and result is not None:
        return result
    table = mounts.read(kind, text, name, _unit(kind, name, beside))
    result = result or Result(name, table.text, index)
    lines = FileJudge(index, result)
    unread = index.builtin("entry-not-understood")
    if unread is not None:
        for span, words in table.bad:
            finding = from_check(unread, Setting(None, "source", 0, 0, ""), tunable=None, words=words)
            result.findings.append(at(finding, name, span))
    if kind == "nfsmount.conf":
        result.findings += _forgotten(index, table.text, name)
    if kind == "systemd-mount":
        from advisor.lint.units import together, waits_for_itself  # noqa: PLC0415

        result.findings += waits_for_itself(index, table)
        findings, replaced = together(index, table, beside) if beside else ([], False)
        result.findings += findings
        if replaced:
            return result  # the drop-in that counts is judged
    for mount in table.mounts:
        if index.is_nfs(mount):
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
    judged, _ = judge(index, mount, name)
    return [placed(finding, name, mount) for finding in judged.findings if index.builtin(finding.rule) is not None]


def _as_written(result: Result, parts: Iterable[TextPart]) -> bool:
    """Whether what is called exact stands so in the file: the columns of a line that goes on are those of its first."""
    return all(
        not part.exact or result.line(part.span.line)[part.span.column - 1 : part.span.end_column - 1] == part.text
        for part in parts
    )


def _forgotten(index: RuleIndex, text: str, name: str) -> list[Finding]:
    """Options of nfsmount.conf that older releases of nfs-utils forget."""
    check = index.builtin("nfsmount-option-lost")
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
    from advisor.lint.read_together import unit_of  # noqa: PLC0415

    return unit_of(name, beside)


def _exports(index: RuleIndex, source: str | bytes, name: str, beside: Sequence[Beside]) -> Result:
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    result = Result(name, text, index)
    from advisor.lint.read_together import read_before  # noqa: PLC0415

    findings, result.nfs_lines = judge_exports(index, text, name, read_before(name, beside))
    result.findings = _once(findings)
    return result


def _settings(
    index: RuleIndex, kind: str, source: str | bytes, name: str, beside: Sequence[Beside]
) -> Result:
    begins = None
    if beside and kind in settings.INCLUDING:
        from advisor.lint.read_together import section_of  # noqa: PLC0415

        begins = section_of(kind, name, beside)
    file = settings.read(kind, source, name, begins)
    others: list[Assignments] = []
    whole: bool | None = None
    if beside and file.blocks:
        from advisor.lint.read_together import read_together  # noqa: PLC0415

        others, whole = read_together(kind, name, beside)
    result = Result(name, file.text, index)
    result.findings = sorted(judge_settings(index, file, others, whole if others else None), key=order)
    if kind == CLUSTER:
        result.findings = _once([*result.findings, *_resources(index, file, name)])
    return result


def _resources(index: RuleIndex, file: Assignments, name: str) -> list[Finding]:
    """What is to be said of the exports of a cluster as of any others."""
    exports = cluster_exports(file)
    of_exports = RuleIndex(index.rulebase, index.known, kind="exports", profiles=index.profiles)
    return judge_resources(of_exports, exports, name) if exports else []


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """The findings in order, each once: mounts and exports of one entry share options and a path."""
    different = {(f.line, f.column, f.rule, f.message): f for f in reversed(findings)}
    return sorted(different.values(), key=order)

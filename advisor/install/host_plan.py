"""The plan of a repair: which files to edit and to add, which values to set at once, and what to do by hand."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.files import HostText
from advisor.check.settings import SetValue, set_values
from advisor.files.fstab import read
from advisor.files.kinds import JUDGED
from advisor.install import host_scripts
from advisor.install.context import data
from advisor.install.host_changes import Change, EditedFile, Lint, changes, edit_files
from advisor.install.host_new_files import NewFiles, plan_new_files
from advisor.install.model import Artefact, for_people
from advisor.pages.escape import visible

if TYPE_CHECKING:
    from advisor.check.files import CollectedFiles
    from advisor.host.probe import ProbedHost
    from advisor.host.tree import Tree
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


class CheckedFiles(NamedTuple):
    """A checked host. `facts`: those known of it, for each of its roles; `found`: the reported findings; `unread`:
    names of files that no program reads."""

    base: RuleBase
    tree: Tree
    collected: CollectedFiles
    probed: ProbedHost
    facts: Sequence[Mapping[str, Values]]
    found: Sequence[Finding]
    unread: frozenset[str]


class RepairScope(NamedTuple):
    """`safeties`: of the fixes to make; `reports`: whether a finding of this rule and severity is reported."""

    safeties: frozenset[str]
    reports: Callable[[str, str], bool]


class Plan(NamedTuple):
    """`edits`: of existing files; `new`: new files; `changes`: of values in effect; `runs`: further commands;
    `by_hand`: sentences, in order; `left`: findings that remain."""

    edits: Sequence[EditedFile]
    new: NewFiles
    changes: Sequence[Change]
    runs: Sequence[str]
    by_hand: Sequence[str]
    left: Sequence[Finding]


_ORDER = ("modprobe", "udev", "sysctl", "nfs.conf", "nfs-defaults", "exports")
"""Kinds whose files are installed first, because mounts depend on them."""


def repair_files(host: CheckedFiles, lint: Lint, scope: RepairScope) -> list[Artefact]:
    """The files to write; [] if there is nothing to do."""
    plan = _plan(host, lint, scope)
    if not (plan.edits or plan.new.files or plan.changes or plan.runs or plan.by_hand):
        return []
    return host_scripts.artefacts(host, plan)


def _plan(host: CheckedFiles, lint: Lint, scope: RepairScope) -> Plan:
    texts = host.collected.texts
    edits = sorted(edit_files(texts, lint, scope.safeties, JUDGED), key=_order)
    new_texts = {edit.file.name: edit.text for edit in edits}
    edited = [text._replace(text=new_texts.get(text.name, text.text)) for text in texts]
    new = NewFiles([], [])
    if host.facts:
        new = plan_new_files(host, host.facts[0], _last_settings(host, edited), scope.reports)
    if len(host.facts) > 1:
        new.left.append("This host mounts and serves; the new files are for mounting only.")
    edits, files = _edit_existing(edits, new.files, texts)
    replaced = {edit.file.path for edit in edits} | {file.install for file in files}
    last = _last_settings(host, [
        *(text for text in edited if text.path not in replaced),
        *(edit.file._replace(text=edit.text) for edit in edits),
        *_as_texts(host.base, files),
    ])
    before = _last_settings(host, texts)
    changed = {name for name, setting in last.items() if name not in before or before[name].value != setting.value}
    reported = {finding.tunable for finding in host.found if finding.tunable}
    at_once = list(changes(host.probed, last, reported | changed))
    runs, by_hand = _steps(host, edits, files)
    installed = {file.install for file in files}
    not_collected = sorted(
        name.partition(".")[2] for name in changed
        if name.startswith("sysctl.") and name not in host.probed.settings and last[name].name not in installed
    )
    if not_collected:
        by_hand.append(data()["not_collected"].format(names=", ".join(not_collected)))
    left = [finding for finding in host.found if not _is_removed(finding, edits, files, at_once)]
    return Plan(edits, new._replace(files=files), at_once, runs, by_hand, left)


def _edit_existing(
    edits: Sequence[EditedFile], files: Iterable[Artefact], texts: Sequence[HostText]
) -> tuple[list[EditedFile], list[Artefact]]:
    """The edits and the new files; a new file that exists already becomes an edit, so that undo restores its text."""
    existing = {text.path: text for text in reversed(texts)}
    again = {
        file.install: EditedFile(existing[file.install], file.text, frozenset())
        for file in files if file.install in existing
    }
    new = [file for file in files if file.install and file.install not in existing]
    return [*(edit for edit in edits if edit.file.path not in again), *again.values()], new


def _order(edit: EditedFile) -> int:
    kind = edit.file.host_file.kind
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _last_settings(host: CheckedFiles, texts: Sequence[HostText]) -> dict[str, SetValue]:
    return {setting.tunable: setting for setting in set_values(host.base, texts) if setting.name not in host.unread}


def _as_texts(base: RuleBase, files: Iterable[Artefact]) -> Iterator[HostText]:
    """New files as texts of the host."""
    for file in files:
        folder = file.install.rpartition("/")[0]
        for host_file in base.host_files.values():
            if any(pattern.rpartition("/")[0] == folder for pattern in host_file.at):
                yield HostText(host_file, file.install, file.install, file.text)
                break


def _steps(host: CheckedFiles, edits: Sequence[EditedFile], files: Sequence[Artefact]) -> tuple[list[str], list[str]]:
    """The commands to run after the files are installed, each once, and the steps to do by hand."""
    texts = data()
    steps = [step for edit in edits for step in texts["edited"].get(edit.file.host_file.kind, ())]
    steps += [step for file in files for step in file.apply if for_people(step)]
    steps += [step for finding in host.found for step in texts["differences"].get(finding.rule, ())]
    by_hand = [*_remounts(host, edits), *(step for step in steps if for_people(step))]
    commands = [step for step in steps if not for_people(step)]
    return list(dict.fromkeys(commands)), list(dict.fromkeys(map(visible, by_hand)))


def _remounts(host: CheckedFiles, edits: Sequence[EditedFile]) -> Iterator[str]:
    """Sentences on the mounts to mount again, and on remedies that no command can carry out."""
    texts = data()
    mounted = {mount.target for mount in host.probed.mounts}
    targets = {
        (text.name, entry.line_no): entry.target.value.rstrip("/") or "/" for text in host.collected.texts
        if text.host_file.kind == "fstab" for entry in read(text.text, text.name).entries if entry.target is not None
    }
    changed = [target for edit in edits if edit.file.host_file.kind == "fstab" for target in _changed_targets(edit)]
    for finding in host.found:
        target = targets.get((finding.file, finding.line))
        if finding.rule in texts["for_people"]:
            if target in mounted:
                changed.append(str(target))
            else:
                yield finding.remedy
    for target in changed:
        if target in mounted:
            yield texts["remount"].format(target=shlex.quote(target))


def _changed_targets(edit: EditedFile) -> Iterator[str]:
    """The mount points of the changed lines."""
    old = edit.file.text.split("\n")
    for entry in read(edit.text, edit.file.name).entries:
        if entry.target is not None and old[entry.line_no - 1] != edit.text.split("\n")[entry.line_no - 1]:
            yield entry.target.value.rstrip("/") or "/"


def _is_removed(
    finding: Finding, edits: Sequence[EditedFile], files: Sequence[Artefact], mine: Sequence[Change]
) -> bool:
    """Whether the plan removes a finding."""
    texts = data()
    if finding.rule in texts["differences"] or finding.rule in texts["for_people"]:
        return True  # a step covers it
    edit = next((edit for edit in edits if edit.file.name == finding.file), None)
    if edit is not None and (finding.line, finding.rule) not in edit.left:
        return True
    return finding.tunable is not None and (
        finding.tunable in {change.tunable for change in mine}
        or any(f"# {finding.tunable}: " in file.text for file in files)
    )

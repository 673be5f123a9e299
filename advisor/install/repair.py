"""The plan of a repair (which files to edit and to add, which values to set at once, what to do by hand), and its
files: new and original texts, the scripts, and the steps to read first."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from advisor import __version__
from advisor.check.host import HostText
from advisor.check.settings import SetValue, set_values
from advisor.files.fstab import read
from advisor.install import host_changes
from advisor.install.context import Artefact, data, for_people, render
from advisor.install.host_changes import CheckedFiles, EditedFile, Lint, NewFiles
from advisor.lint.finding import Finding
from advisor.lint.fix_write import unified
from advisor.pages.blocks import Document, code, dim, text
from advisor.pages.markup import markdown
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase


class Plan(NamedTuple):
    """`edits`: of existing files; `new`: new files; `changes`: of values in effect; `runs`: further commands;
    `by_hand`: sentences, in order; `left`: findings that remain."""

    edits: Sequence[EditedFile]
    new: NewFiles
    changes: Sequence[host_changes.Change]
    runs: Sequence[str]
    by_hand: Sequence[str]
    left: Sequence[Finding]


_ORDER = ("modprobe", "udev", "sysctl", "nfs.conf", "nfs-defaults", "exports")
"""Kinds whose files are installed first, because mounts depend on them."""


def repair_files(
    host: CheckedFiles, lint: Lint, safeties: frozenset[str], reports: Callable[[str, str], bool]
) -> list[Artefact]:
    """The files to write; [] if there is nothing to do. `safeties`: of the fixes to make; `reports`: whether a finding
    of this rule and severity is reported."""
    plan = _plan(host, lint, safeties, reports)
    if not (plan.edits or plan.new.files or plan.changes or plan.runs or plan.by_hand):
        return []
    return repair_artefacts(host, plan)


def _plan(host: CheckedFiles, lint: Lint, safeties: frozenset[str], reports: Callable[[str, str], bool]) -> Plan:
    texts = host.collected.texts
    edits = sorted(host_changes.edit_files(texts, lint, safeties), key=_order)
    new_texts = {edit.file.name: edit.text for edit in edits}
    edited = [text._replace(text=new_texts.get(text.name, text.text)) for text in texts]
    new = NewFiles([], [])
    if host.facts:
        new = host_changes.plan_new_files(host, host.facts[0], _last_settings(host, edited), reports)
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
    at_once = list(host_changes.changes(host.probed, last, reported | changed))
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
        if text.host_file.kind == "fstab" for entry in read(text.text, text.name).entries if entry.target.parts
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
        if entry.target.parts and old[entry.line_no - 1] != edit.text.split("\n")[entry.line_no - 1]:
            yield entry.target.value.rstrip("/") or "/"


def _is_removed(
    finding: Finding, edits: Sequence[EditedFile], files: Sequence[Artefact], mine: Sequence[host_changes.Change]
) -> bool:
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


_BY_HAND = "What you unmounted, mounted or restarted yourself stays so until you undo it."
_MODULES = "A parameter that a module reads only when it is loaded changes back with the next reboot."
_EXPORTS = "What exportfs -a exported for the first time stays exported: exportfs -u withdraws it."


def repair_artefacts(host: CheckedFiles, plan: Plan) -> list[Artefact]:
    """All files; the scripts and STEPS.md come last."""
    made = [artefact for edit in plan.edits for artefact in (
        Artefact(_new(edit), edit.text, "The new text", edit.file.path),
        Artefact(_old(edit), edit.file.text, "The original text"),
    )] + plan.new.files
    diff = "".join(_diff(plan.edits))
    if diff:
        made.append(Artefact("changes.diff", diff, "The changes of existing files"))
    of = "this host" if host.tree.live else f"the host of {visible(host.tree.root)}"
    head = [f"Made by advisor {__version__} from the rule base {host.base.hash}, for {of}."]
    back = [*plan.new.files][::-1]
    made += [
        _script("apply", "Applies all changes", [*head, "Undo it with undo.sh."], edits=[
            {"written": _new(edit), "found": _old(edit), "place": edit.file.path} for edit in plan.edits
        ], steps=[
            *(f"put {shlex.quote(_new(edit))} {shlex.quote(edit.file.path)}" for edit in plan.edits),
            *_commands(step for file in plan.new.files for step in file.apply), *plan.runs,
            *(change.apply for change in plan.changes),
        ], by_hand=plan.by_hand),
        _script("look", "Shows whether the changes are in effect", head,
                steps=_commands(step for file in plan.new.files for step in file.verify),
                values=[(change.place, change.value) for change in plan.changes]),
        _script("undo", "Restores the original state", head, steps=[
            *_commands(step for file in back for step in file.undo),
            *(f"put_back {shlex.quote(_new(edit))} {shlex.quote(_old(edit))} {shlex.quote(edit.file.path)}"
              for edit in plan.edits),
            *plan.runs, *(change.undo for change in plan.changes),
        ], by_hand=_not_undone(plan)),
    ]
    return [*made, Artefact("STEPS.md", _steps_page(plan, head), "What to do, in which order, and what remains")]


def _script(name: str, title: str, head: list[str], **values: object) -> Artefact:
    return Artefact(f"{name}.sh", render(f"host-{name}", head=[f"{title}.", *head], **values), title, mode=0o755)


def _commands(steps: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(step for step in steps if not for_people(step)))


def _not_undone(plan: Plan) -> list[str]:
    """Sentences on what undo.sh does not undo, and on what to do about it."""
    by_hand = (step for file in plan.new.files for step in file.undo if for_people(step))
    lines = list(dict.fromkeys(map(visible, by_hand)))
    lines += [_BY_HAND] * bool(plan.by_hand)
    lines += [_MODULES] * any(change.tunable.startswith("module.") for change in plan.changes)
    return lines + [_EXPORTS] * ("exportfs -a" in plan.runs)


def _new(edit: EditedFile) -> str:
    return f"files{edit.file.path}"


def _old(edit: EditedFile) -> str:
    return f"found{edit.file.path}"


def _diff(edits: Iterable[EditedFile]) -> Iterator[str]:
    for edit in edits:
        name = visible(edit.file.path)
        if edit.file.text.count("\n") == edit.text.count("\n"):
            yield from unified(name, edit.file.text, edit.text)
        else:  # a file that advisor wrote earlier is replaced
            old, new = (text.rstrip("\n").split("\n") for text in (edit.file.text, edit.text))
            yield f"--- {name}\n+++ {name}\n@@ -1,{len(old)} +1,{len(new)} @@\n"
            yield from (f"-{line}\n" for line in old)
            yield from (f"+{line}\n" for line in new)


def _steps_page(plan: Plan, head: list[str]) -> str:
    page = Document()
    page.heading("Repair of this host", 1)
    page.para(head[0])
    page.heading("In this order")
    page.item(text("Read ", code("changes.diff"), " and the new files; nothing has been done to the host yet."))
    page.item(text("As root: ", code("sh apply.sh"), ". It stops if a file was changed since it was read."))
    for step in plan.by_hand:
        page.item(text("By hand: ", step))
    page.item(text(code("sh look.sh"), " shows what is in effect afterwards."))
    page.item(text("To go back: ", code("sh undo.sh"), "."))
    rows = [(code(edit.file.path), code(_new(edit)), code(_old(edit))) for edit in plan.edits]
    rows += [(code(file.install), code(file.path), dim("not there")) for file in plan.new.files]
    if rows:
        page.heading("Files")
        page.table(("on the host", "to be", "was"), rows)
    if plan.changes:
        page.heading("Values that are set at once")
        page.table(("setting", "apply", "undo"), ((code(c.tunable), code(c.apply), code(c.undo)) for c in plan.changes))
    left = [*map(_finding_text, plan.left), *map(visible, plan.new.left)]
    page.listed("Not written: decide for yourself", left)
    page.listed("What undo.sh does not undo", _not_undone(plan))
    return markdown(page.blocks)


def _finding_text(finding: Finding) -> str:
    change = " --unsafe-fixes makes this change." if finding.fix is not None and finding.fix.safety == "unsafe" else ""
    stop = "" if finding.message.endswith((".", "?")) else "."
    return visible(f"{finding.file}:{finding.line}: {finding.message}{stop} {finding.remedy}{change}")

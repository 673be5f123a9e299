"""What there is on a checked host before, and what changes on it: its files with the linter's fixes, values that are
set at once, with the commands to undo both, and new files for settings that no file makes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from advisor.advice.advise import advise
from advisor.advice.answers import FSTAB, Answers, Before, Now
from advisor.advice.model import Advice, Row
from advisor.check.host import CollectedFiles, HostText
from advisor.check.mounts import current_options
from advisor.check.settings import SetValue, current_settings
from advisor.files.fstab import read
from advisor.files.kinds import JUDGED
from advisor.host.probe import HostValue, ProbedHost, whole_number
from advisor.host.tree import Tree, Unread
from advisor.install import Artefact
from advisor.install.build import checked_context
from advisor.install.context import data
from advisor.install.host_files import host_files
from advisor.lint.finding import SEVERITY_OF, Finding, at_least
from advisor.lint.fix import fix_text
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase, Values
from advisor.rulebase.values import LINE_KINDS, kernel_file, supports, why_invalid


def settings_in_effect(base: RuleBase, settings: Mapping[str, HostValue]) -> dict[str, Before]:
    """Tunable → its value before. `settings`: those in effect, as `probe` returns them; invalid values are left out."""
    return {
        name: Before(setting.value, setting.where) for name, setting in settings.items()
        if why_invalid(base.tunables[name], setting.value) is None
    }


def settings_before(
    base: RuleBase, settings: Mapping[str, HostValue], answers: Answers, tree: Tree
) -> dict[str, Before]:
    """`settings_in_effect`, and the line of fstab for the mount point of the answers, if they name one."""
    seen = settings_in_effect(base, settings)
    if "target" in answers.names:
        seen |= _fstab_line(base, answers, tree)
    return seen


def with_current_state(base: RuleBase, tree: Tree, probed: ProbedHost, each: Sequence[Answers]) -> list[Answers]:
    """The answers for each mount, with the settings that the host's files make and those in effect (`Answers.now`)."""
    host = current_settings(base, tree, probed, each[0].facts)
    unread = "not read" if tree.live else "not collected"
    with_state = []
    for answers in each:
        now = {name: Now(_to_before(own), _to_before(effect), unread) for name, (own, effect) in host.items()}
        if "target" in answers.names:
            effects = dict(current_options(base, tree, probed.mounts, answers.name("target")))
            line = {name: before for name, before in _fstab_line(base, answers, tree).items() if name in base.tunables}
            for name in (*line, *effects):
                own = now.get(name, Now(None, None, unread))
                effect = _to_before(effects[name]) if name in effects else own.in_effect
                now[name] = Now(line.get(name, own.set), effect, unread)
        with_state.append(answers._replace(now=now))
    return with_state


def _to_before(setting: HostValue | None) -> Before | None:
    return None if setting is None else Before(setting.value, setting.where)


def files_before(paths: Iterable[str], tree: Tree) -> dict[str, Before]:
    """Path → whether the file exists (a `value` of True or None); paths that cannot be read are left out."""
    seen = {}
    for path in paths:
        try:
            seen[path] = Before(True if tree.exists(path) else None, path)
        except Unread:
            continue
    return seen


def _fstab_line(base: RuleBase, answers: Answers, tree: Tree) -> dict[str, Before]:
    """FSTAB → the line for the mount point, and tunable → value for each of its settings."""
    target = answers.name("target")
    try:
        text = tree.text(FSTAB)
    except Unread:
        return {}
    tunables = [name for name, tunable in base.tunables.items() if tunable.kind in LINE_KINDS]
    entries = read(text, FSTAB).entries
    entry = next((entry for entry in entries if entry.target.value == target), None)
    if entry is None:
        nothing = Before(None, f"{FSTAB}, which has no line for {target}")
        return {**dict.fromkeys(tunables, nothing), FSTAB: nothing}
    result = lint_text(text, FSTAB, base, answers.facts)
    where, line = f"{FSTAB}:{entry.line_no}", visible(result.line(entry.line_no))
    judged = result.judged.get(entry.line_no)
    if judged is None:  # not an NFS line
        return {FSTAB: Before(line, where)}
    seen = {name: Before(None, where) for name in tunables}
    seen |= {
        name: Before(setting.value, where) for name, setting in result.settings(entry.line_no).items()
        if why_invalid(base.tunables[name], setting.value) is None
    }
    return {**seen, FSTAB: Before(line, where)}


Lint = Callable[["HostText"], tuple["Result", list["Finding"]]]
"""Lints a file; returns the result, and those of its findings that are reported."""


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


class EditedFile(NamedTuple):
    """A file and its new text. `left`: line and rule of the findings that remain."""

    file: HostText
    text: str
    left: frozenset[tuple[int, str]]


def edit_files(files: Iterable[HostText], lint: Lint, safeties: frozenset[str]) -> list[EditedFile]:
    """The files below /etc that fixes change. Other files belong to a package; a file in a report is skipped, because
    it may have lost its comments."""
    edited = []
    for file in files:
        if file.host_file.kind not in JUDGED or not file.path.startswith("/etc/") or file.name != file.path:
            continue

        def judge(text: str, file: HostText = file) -> tuple[list[Finding], list[Finding]]:
            result, findings = lint(file._replace(text=text))
            return result.findings, findings

        fixed = fix_text(file.text, judge, safeties, fstab=file.host_file.kind == "fstab")
        if fixed.text != file.text:
            _, left = lint(file._replace(text=fixed.text))
            edited.append(EditedFile(file, fixed.text, frozenset((finding.line, finding.rule) for finding in left)))
    return edited


_READ_AHEAD = "bdi.read_ahead_kb"
_NFSRAHEAD = "nfs.conf.nfsrahead."


class Change(NamedTuple):
    """A value to set at once. `apply`, `undo`: commands; `place`: the file that contains `value` afterwards."""

    tunable: str
    apply: str
    undo: str
    place: str
    value: str


def changes(probed: ProbedHost, last: Mapping[str, SetValue], concerned: Container[str]) -> Iterator[Change]:
    """The changes from the values in effect to those that files set. `last`: tunable → the value that files set;
    `concerned`: the tunables to change."""
    yield from _read_ahead(probed, last)
    for tunable, setting in last.items():
        now, wanted = probed.settings.get(tunable), " ".join(setting.value.split())
        if tunable not in concerned or now is None or str(now.value) == wanted:
            continue
        kind, _, name = tunable.partition(".")
        if kind == "sysctl":
            apply, undo = (f"sysctl -w {shlex.quote(f'{name}={value}')}" for value in (wanted, now.value))
            yield Change(tunable, apply, undo, kernel_file(tunable), wanted)
        elif kind == "module" and f"sysctl.{name}" not in last:  # sysctl.d is applied later, and wins
            yield _write_change(tunable, kernel_file(tunable), wanted, str(now.value))


def _read_ahead(probed: ProbedHost, last: Mapping[str, SetValue]) -> Iterator[Change]:
    """Sets the read-ahead of existing mounts, because udev rules and nfsrahead apply only to later ones."""
    for mount in probed.mounts:
        asked = (last.get(name) for name in (_READ_AHEAD, f"{_NFSRAHEAD}{mount.fstype}", f"{_NFSRAHEAD}default"))
        wanted = next((setting.value for setting in asked if setting is not None and setting.value.isdigit()), None)
        now = mount.read_ahead_kb
        if wanted is not None and now is not None and str(now.value) != wanted:
            yield _write_change(_READ_AHEAD, f"/sys/class/bdi/{mount.device}/read_ahead_kb", wanted, str(now.value))


def _write_change(tunable: str, place: str, wanted: str, now: str) -> Change:
    apply, undo = (f"now {shlex.quote(value)} {shlex.quote(place)}" for value in (wanted, now))
    return Change(tunable, apply, undo, place, wanted)


_KINDS = ("sysctl", "module-parameter", "bdi", "nfs.conf")
"""Kinds of settings that apply to the whole host and have their own files."""
_KIND_OF_FOLDER = {"sysctl.d": "sysctl", "modprobe.d": "modprobe", "nfs.conf.d": "nfs.conf", "udev": "udev"}
"""Folder in which a file is written → the kind as which the linter reads it."""
_READ_AHEAD_RULE = "bdi.read_ahead_rule"
"""The setting that decides which file sets the read-ahead."""
_ARGUMENT = "Reasons and sources: advisor why SETTING"


class NewFiles(NamedTuple):
    """`files`: to install. `left`: sentences on advised settings that are not written, with the reason."""

    files: list[Artefact]
    left: list[str]


def plan_new_files(
    host: CheckedFiles, facts: Mapping[str, Values], last: Mapping[str, SetValue], reports: Callable[[str, str], bool]
) -> NewFiles:
    """`last`: tunable → the value that the host's files set once they are edited. `reports`: whether a finding of this
    rule and severity is reported. Nothing is assumed, and files that the linter objects to are not written."""
    base = host.base
    advice = _advice(base, host.probed, facts)
    twins = {tunable.same_as: last[name] for name, tunable in base.tunables.items() if tunable.same_as and name in last}
    wanted = [
        row for row in advice.part("set")
        if row.kind in _KINDS and row.rule is not None
        and reports(row.rule.id, SEVERITY_OF[row.strength or "may"])
    ]
    places = {file.install for file in host_files(checked_context(base, _only(advice, wanted), _ARGUMENT))}
    missing, kept, left = [], [], []
    for row in wanted:
        own = last.get(row.tunable) or twins.get(row.tunable)
        now = None if own is None else whole_number(own.meaning)
        fits = own is not None and supports(own.meaning if now is None else now, row.value, row.definition.default)
        if own is None or own.file.path in places:
            kept.append(row)
            missing += [] if fits else [row.tunable]
        elif not fits:
            left.append(f"{own.place} sets {own.text}; {row.text or row.written} is advised. {row.why}")
    files = []
    known = _only(advice, kept)
    before = {**advice.answers.before, **files_before(places, host.tree)}
    known = known._replace(answers=known.answers._replace(before=before))
    for file in host_files(checked_context(base, known, _ARGUMENT)):
        if not any(f"# {name}: " in file.text for name in missing):
            continue  # the file exists and needs no change
        if file.path == data()["files"]["nfs-conf-lines"]["path"]:
            left.append(f"{file.title}: {'; '.join(file.lines)}")
        kind = _KIND_OF_FOLDER.get(file.path.partition("/")[0])
        findings = lint_text(file.text, file.install, base, facts, kind=kind).findings if kind else []
        objections = [f.message for f in findings if at_least(f.severity, "warning")]
        left += [f"{file.install} is not written: {message}" for message in objections]
        files += [] if objections else [file]
    return NewFiles(files, left)


def _advice(base: RuleBase, probed: ProbedHost, facts: Mapping[str, Values]) -> Advice:
    """The advice without assumptions, with the settings in effect as those to restore."""
    before = settings_in_effect(base, probed.settings)
    origin = {name: fact.where for name, fact in probed.facts.items() if facts.get(name) == fact.value}
    names = {"target": probed.mounts[0].target} if probed.mounts else {}
    return advise(base, Answers(dict(facts), names=names, origin=origin, before=before), strict=True)


def _only(advice: Advice, wanted: list[Row]) -> Advice:
    """The advice without settings of _KINDS that are not wanted."""
    names = {row.tunable for row in wanted}
    return advice._replace(rows=tuple(
        row for row in advice.rows
        if row.possible or row.kind not in _KINDS or row.tunable in names or row.tunable == _READ_AHEAD_RULE
    ))

"""The state of a host before the advice is followed, for undoing it: settings, files, its line of fstab."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.advice.answers import FSTAB, Answers, Before, Now
from advisor.check.mounts import current_options
from advisor.check.settings import current_settings
from advisor.files.fstab import read
from advisor.host.probe import HostValue
from advisor.host.tree import Tree, Unread
from advisor.lint.run import lint_text
from advisor.pages.escape import visible
from advisor.rulebase.values import LINE_KINDS, why_invalid

if TYPE_CHECKING:
    from advisor.host.probe import ProbedHost
    from advisor.rulebase.model import RuleBase


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
        now = {
            name: Now(_to_before(own), _to_before(effect), unread)
            for name, (own, effect) in host.items()
        }
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
    tunables = {name: tunable for name, tunable in base.tunables.items() if tunable.kind in LINE_KINDS}
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
        name: Before(setting.value, where) for name, setting in judged.settings.items()
        if name in tunables and why_invalid(tunables[name], setting.value) is None
    }
    return {**seen, FSTAB: Before(line, where)}

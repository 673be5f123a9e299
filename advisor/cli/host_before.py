"""What this host has now, so that what is advised can be undone: settings in effect, files, its line for the mount."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.advice.answers import FSTAB, Answers, Before
from advisor.document.escape import visible
from advisor.host import HostValue, Tree, Unread
from advisor.readers.fstab import read
from advisor.rulebase.values import unfit

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase

_LINE = ("mount-option", "fstab-field")


def before(base: RuleBase, found: Mapping[str, HostValue], answers: Answers) -> dict[str, Before]:
    """`found`: settings in effect, as `probe` gives them. What no setting could be is left out.

    Options are read of the line of fstab for the mount point; where nobody named one, of none."""
    sound = {name: one for name, one in found.items() if unfit(base.tunables[name], one.value) is None}
    seen = {name: Before(one.value, one.where) for name, one in sound.items()}
    if "target" in answers.names:
        seen |= _line(base, answers)
    return seen


def files(paths: Iterable[str]) -> dict[str, Before]:
    """Whether the files that would be written are there; those that cannot be looked for are left out."""
    tree = Tree()
    seen = {}
    for path in paths:
        try:
            seen[path] = Before(True if tree.exists(path) else None, path)
        except Unread:
            continue
    return seen


def _line(base: RuleBase, answers: Answers) -> dict[str, Before]:
    """The line of fstab for the mount point, and what each of its settings is."""
    from advisor.lint.run import lint_text

    target = answers.name("target")
    try:
        text = Tree().text(FSTAB)
    except Unread:
        return {}
    tunables = {name: told for name, told in base.tunables.items() if told.kind in _LINE}
    entries = read(text, FSTAB).entries
    entry = next((one for one in entries if one.target is not None and one.target.value == target), None)
    if entry is None:
        nothing = Before(None, f"{FSTAB}, which has no line for {target}")
        return {**dict.fromkeys(tunables, nothing), FSTAB: nothing}
    result = lint_text(text, FSTAB, base, answers.facts)
    where, line = f"{FSTAB}:{entry.line_no}", visible(result.line(entry.line_no))
    judged = result.judged.get(entry.line_no)
    if judged is None:  # no line for NFS: there is nothing to compare
        return {FSTAB: Before(line, where)}
    seen = {name: Before(None, where) for name in tunables}
    seen |= {
        name: Before(one.value, where) for name, one in judged.settings.items()
        if name in tunables and unfit(tunables[name], one.value) is None
    }
    return {**seen, FSTAB: Before(line, where)}

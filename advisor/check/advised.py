"""Settings in effect that no file sets, beside what is advised: each judged as if a file had set it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.engine import consistent
from advisor.lint.finding import at_least
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text

if TYPE_CHECKING:
    from advisor.check.states import States
    from advisor.host import HostMount
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

PLATFORM = "storage.platform"
_CLIENT = ("sysctl", "modprobe", "udev")
"""Kinds of files that would set them on a client."""


def compare(states: States, placed: set[str], known: Mapping[str, Values]) -> None:
    """Tell of what is in effect and certainly ought to be otherwise. `placed`: what files set; they answer for it."""
    if not states.probed.mounts:
        return
    facts = with_platform(states.base, states.index, states.probed.mounts, known)
    files = {steps.id: steps.file for steps in states.base.kinds.values() if steps.file}
    indexes: dict[str, RuleIndex] = {}
    for tunable, now in states.probed.settings.items():
        file = files.get(states.base.tunables[tunable].kind)
        decision = states.base.decisions.get(tunable)
        if tunable in placed or decision is None or file is None or file.kinds[0] not in _CLIENT:
            continue
        kind, name = file.kinds[0], tunable[len(file.prefix):]
        section, _, key = name.partition(".") if file.sections else ("", "", name)
        text = file.written.format(section=section, key=key, value=now.value)
        if kind not in indexes:
            indexes[kind] = RuleIndex(states.base, facts, kind=kind)
        found = [
            one for one in lint_text(f"{text}\n", now.where, states.base, facts, indexes[kind], kind=kind).findings
            if one.rule in decision.rules and at_least(one.severity, "warning")
        ]
        if found:
            shown = states.place("kernel", now.where, f"{text}\n")
            states.results[shown].findings += [one._replace(fix=None) for one in found]


def with_platform(
    base: RuleBase, index: RuleIndex, mounts: Iterable[HostMount], known: Mapping[str, Values]
) -> Mapping[str, Values]:
    """The facts, with the platform where the names of all mounted servers give away the same one."""
    platforms = {index.platform_of(mount.server, mount.fstype) for mount in mounts}
    platform = platforms.pop() if len(platforms) == 1 else None
    if platform is None or PLATFORM in known:
        return known
    facts = {**known, PLATFORM: platform}
    return facts if consistent(base.engine, base.engine.state(facts)) else known

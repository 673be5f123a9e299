"""The changes of advice by an answer, and the answers that would change the mount line."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.arguments import change_effort, ways_to_change
from advisor.advice.model import NOTHING, Advice
from advisor.advice.mount_line import mount_options
from advisor.advice.ranking import in_order
from advisor.rulebase.model import RuleBase

OPEN = "open"
"""The advice on an open setting, in words."""


class AdviceChange(NamedTuple):
    """A setting whose advice changed. `before`, `after`: in words; `why`: the reason for the new value."""

    tunable: str
    title: str
    before: str
    after: str
    why: str


def changes(before: Advice, after: Advice) -> list[AdviceChange]:
    """The settings whose advice changed, in the order of the advice. A setting that needs nothing now and was open, or
    needed nothing before, has not changed."""
    old, new = _advised(before), _advised(after)
    left_out = {setting.tunable for setting in before.advised if setting.value == "omit"}
    changed = []
    for setting in after.settled:
        was, now = old.get(setting.tunable), new[setting.tunable]
        if now == NOTHING and setting.tunable in left_out:
            continue  # it is left out as before
        if was != now and (setting.recommends or was not in (None, OPEN)):
            changed.append(AdviceChange(setting.tunable, setting.title, was or OPEN, now, setting.why))
    settled = {setting.tunable for setting in after.settled}
    for waiting in after.open:
        was = old.get(waiting.tunable)
        if was not in (None, OPEN, NOTHING) and waiting.tunable not in settled:
            why = "It depends on facts not known yet."
            changed.append(AdviceChange(waiting.tunable, waiting.title, str(was), OPEN, why))
    return list({change.tunable: change for change in changed}.values())


def _advised(advice: Advice) -> dict[str, str]:
    """Setting → its advice in words; all values of a setting that collects several."""
    advised: dict[str, str] = {setting.tunable: OPEN for setting in advice.open}
    for setting in advice.advised:
        earlier = advised.get(setting.tunable)
        advised[setting.tunable] = setting.summary if earlier in (None, OPEN) else f"{earlier}, {setting.summary}"
    return advised


class LineChange(NamedTuple):
    """`tunables` of the mount line would change if `fact` had a value in the cells of `mask`."""

    fact: str
    mask: int
    tunables: tuple[str, ...]


def line_changes(base: RuleBase, advice: Advice) -> tuple[LineChange, ...]:
    """The changes of single facts that would change the mount line, the easiest first, then those with the largest
    effect; () for a server."""
    if advice.server:
        return ()
    written = [
        option for option in in_order(mount_options(advice))
        if option.strength in ("must", "should") and not option.pinned
    ]
    assumed = {taken.fact for option in written for taken in (*option.rests_on, *option.presumes)}
    tunables: dict[tuple[str, int], list[str]] = {}
    for option in written:
        for change in ways_to_change(base, advice, option.tunable).changes:
            if len(change.facts) == 1:
                fact = next(iter(change.facts))
                tunables.setdefault((fact, change.state[fact]), []).append(option.tunable)
    single_changes = [LineChange(fact, mask, tuple(names)) for (fact, mask), names in tunables.items()]
    return tuple(sorted(
        single_changes, key=lambda change: (*change_effort(base, change.fact, assumed), -len(change.tunables))
    ))

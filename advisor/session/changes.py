"""What an answer has changed, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

from advisor.advice.model import NOTHING, Advice


class AdviceChange(NamedTuple):
    """One setting whose advice is another now. `before` and `after` in words; `why`: the reason of the new value."""

    tunable: str
    title: str
    before: str
    after: str
    why: str


def changes(before: Advice, after: Advice) -> list[AdviceChange]:
    """The settings that are advised otherwise now, in the order of the advice. That nothing is to be done where nothing
    was to be done, or where it was open, is not news."""
    old, new = _told(before), _told(after)
    found = []
    for one in after.settled:
        was, now = old.get(one.tunable), new[one.tunable]
        if was != now and (one.opinion or was not in (None, OPEN)):
            found.append(AdviceChange(one.tunable, one.title, was or OPEN, now, one.why))
    for waiting in after.open:
        was = old.get(waiting.tunable)
        if was not in (None, OPEN, NOTHING) and waiting.tunable not in {one.tunable for one in after.settled}:
            why = "It depends on facts not known yet."
            found.append(AdviceChange(waiting.tunable, waiting.title, str(was), OPEN, why))
    return list({one.tunable: one for one in found}.values())


OPEN = "open"


def _told(advice: Advice) -> dict[str, str]:
    """Setting → what is advised. Of one that collects several values all are told."""
    told: dict[str, Any] = {one.tunable: OPEN for one in advice.open}
    for one in advice.advised:
        said = told.get(one.tunable)
        told[one.tunable] = one.spoken if said in (None, OPEN) else f"{said}, {one.spoken}"
    return told

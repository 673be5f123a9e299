"""Advice, worked out once for each set of answers (the preview, the progress line and undo ask for the same again), and
what an answer has changed in it, in words."""

from __future__ import annotations

import json
from threading import Lock
from typing import NamedTuple, overload

from advisor.advice.answers import Answers, to_plain
from advisor.advice.build import advise
from advisor.advice.model import NOTHING, Advice
from advisor.advice.several import Several, advise_several
from advisor.rulebase.model import RuleBase

LIMIT = 128


class AskedOfAll(NamedTuple):
    """What is known of several mounts: `answers` with all sections, and those for each mount."""

    answers: Answers
    mounts: tuple[Answers, ...]


Key = tuple[str, ...]
_kept: dict[Key, Advice | Several] = {}
_lock = Lock()
"""The wizard works advice out ahead, in a thread of its own."""


def advice_for(base: RuleBase, answers: Answers) -> Advice:
    """What `advise` says. Raises FactError and EngineError as it does."""
    found = known(base, answers)
    if found is None:
        found = advise(base, answers)
    _keep(key_of(base, answers), found)
    return found


def several_for(base: RuleBase, asked: AskedOfAll) -> Several:
    """What `advise_several` says, from what was worked out for single mounts already. Raises as it does."""
    found = known(base, asked)
    if found is None:
        found = advise_several(base, asked.answers, asked.mounts, first=lambda one: advice_for(base, one))
    _keep(key_of(base, asked), found)
    return found


def work_out(base: RuleBase, asked: Answers | AskedOfAll) -> None:
    """Makes it known."""
    if isinstance(asked, AskedOfAll):
        several_for(base, asked)
    else:
        advice_for(base, asked)


@overload
def known(base: RuleBase, asked: Answers) -> Advice | None: ...
@overload
def known(base: RuleBase, asked: AskedOfAll) -> Several | None: ...
def known(base: RuleBase, asked: Answers | AskedOfAll) -> Advice | Several | None:
    """What was worked out already."""
    return _kept.get(key_of(base, asked))


def key_of(base: RuleBase, asked: Answers | AskedOfAll) -> Key:
    """Equal for equal answers, in whichever order they were given."""
    mounts = asked.mounts if isinstance(asked, AskedOfAll) else (asked,)
    kind = "several" if isinstance(asked, AskedOfAll) else "one"
    # What the host has now is read once, and held by what is remembered: its identity stands for it.
    return kind, base.hash, *(f"{id(one.now)} {json.dumps(to_plain(one), sort_keys=True)}" for one in mounts)


def _keep(key: Key, found: Advice | Several) -> None:
    """Remembers it; what was not asked for longest makes way."""
    with _lock:
        _kept.pop(key, None)
        _kept[key] = found
        while len(_kept) > LIMIT:
            del _kept[next(iter(_kept))]


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
    old, new = _states(before), _states(after)
    left_out = {one.tunable for one in before.advised if one.value == "omit"}
    found = []
    for one in after.settled:
        was, now = old.get(one.tunable), new[one.tunable]
        if now == NOTHING and one.tunable in left_out:
            continue  # it is left out as before
        if was != now and (one.opinion or was not in (None, OPEN)):
            found.append(AdviceChange(one.tunable, one.title, was or OPEN, now, one.why))
    for waiting in after.open:
        was = old.get(waiting.tunable)
        if was not in (None, OPEN, NOTHING) and waiting.tunable not in {one.tunable for one in after.settled}:
            why = "It depends on facts not known yet."
            found.append(AdviceChange(waiting.tunable, waiting.title, str(was), OPEN, why))
    return list({one.tunable: one for one in found}.values())


OPEN = "open"


def _states(advice: Advice) -> dict[str, str]:
    """Setting → what is advised. Of one that collects several values all are told."""
    states: dict[str, str] = {one.tunable: OPEN for one in advice.open}
    for one in advice.advised:
        said = states.get(one.tunable)
        states[one.tunable] = one.spoken if said in (None, OPEN) else f"{said}, {one.spoken}"
    return states

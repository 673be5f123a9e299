"""Advice, worked out once for each set of answers: the preview, the progress line and undo ask for the same again."""

from __future__ import annotations

import json
from threading import Lock
from typing import NamedTuple, overload

from advisor.advice.answers import Answers, to_plain
from advisor.advice.build import advise
from advisor.advice.model import Advice
from advisor.advice.several import Several, advise_several
from advisor.rulebase.model import RuleBase

LIMIT = 128


class Whole(NamedTuple):
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


def several_for(base: RuleBase, asked: Whole) -> Several:
    """What `advise_several` says, from what was worked out for single mounts already. Raises as it does."""
    found = known(base, asked)
    if found is None:
        found = advise_several(base, asked.answers, asked.mounts, first=lambda one: advice_for(base, one))
    _keep(key_of(base, asked), found)
    return found


def work_out(base: RuleBase, asked: Answers | Whole) -> None:
    """Makes it known."""
    if isinstance(asked, Whole):
        several_for(base, asked)
    else:
        advice_for(base, asked)


@overload
def known(base: RuleBase, asked: Answers) -> Advice | None: ...
@overload
def known(base: RuleBase, asked: Whole) -> Several | None: ...
def known(base: RuleBase, asked: Answers | Whole) -> Advice | Several | None:
    """What was worked out already."""
    return _kept.get(key_of(base, asked))


def key_of(base: RuleBase, asked: Answers | Whole) -> Key:
    """Equal for equal answers, in whichever order they were given."""
    mounts = asked.mounts if isinstance(asked, Whole) else (asked,)
    kind = "several" if isinstance(asked, Whole) else "one"
    return kind, base.hash, *(json.dumps(to_plain(one), sort_keys=True) for one in mounts)


def _keep(key: Key, found: Advice | Several) -> None:
    """Remembers it; what was not asked for longest makes way."""
    with _lock:
        _kept.pop(key, None)
        _kept[key] = found
        while len(_kept) > LIMIT:
            del _kept[next(iter(_kept))]

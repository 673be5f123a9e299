"""Advice, worked out once for each set of answers: the preview, the progress line and undo ask for the same again."""

from __future__ import annotations

import json
from threading import Lock
from typing import Any

from advisor.advice.answers import Answers, to_plain
from advisor.advice.build import advise
from advisor.advice.model import Advice

LIMIT = 128
_kept: dict[tuple[str, str], Advice] = {}
_lock = Lock()
"""The wizard works advice out ahead, in a thread of its own."""


def advice_for(base: Any, answers: Answers) -> Advice:
    """What `advise` says. Raises FactError and EngineError as it does."""
    key = key_of(base, answers)
    found = _kept.get(key)
    if found is None:
        found = advise(base, answers)
    keep(key, found)
    return found


def known(base: Any, answers: Answers) -> Advice | None:
    """The advice, if it has been worked out already."""
    return _kept.get(key_of(base, answers))


def keep(key: tuple[str, str], advice: Advice) -> None:
    """Remembers an advice; the one that was not asked for longest makes way."""
    with _lock:
        _kept.pop(key, None)
        _kept[key] = advice
        while len(_kept) > LIMIT:
            del _kept[next(iter(_kept))]


def key_of(base: Any, answers: Answers) -> tuple[str, str]:
    """Equal for equal answers, in whichever order they were given."""
    return base.hash, json.dumps(to_plain(answers), sort_keys=True)

"""What has been worked out already: the preview, the progress line and undo ask for the same advice again and again.

The wizard works ahead in a thread of its own, so two threads use these caches."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar, Union, overload

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, to_plain
from advisor.advice.model import Advice
from advisor.advice.several import Several, advise_several
from advisor.rulebase.model import RuleBase
from advisor.session.changes import LineChange, line_changes

T = TypeVar("T")
Key = tuple[str, ...]


class Cache(Generic[T]):
    """The values that were asked for last, at most `limit`. None is not a value."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: dict[Key, T] = {}
        self._lock = Lock()

    def known(self, key: Key) -> T | None:
        return self._values.get(key)

    def get(self, key: Key, make: Callable[[], T]) -> T:
        """The value of the key; `make` works it out if it is not known."""
        value = self._values.get(key)
        if value is None:
            value = make()
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            while len(self._values) > self._limit:
                del self._values[next(iter(self._values))]
        return value


class AllMounts(NamedTuple):
    """What is known of several mounts: `answers` with a section for each, and the answers for each by itself."""

    answers: Answers
    mounts: tuple[Answers, ...]


class LineChangesOf(NamedTuple):
    """Asks which other answers would change the mount line that follows from these."""

    answers: Answers


Request = Union[Answers, AllMounts, LineChangesOf]
"""What can be worked out: the advice for one mount, or for several, or what would change the mount line."""
_advice: Cache[Advice] = Cache(128)
_several: Cache[Several] = Cache(32)
_line_changes: Cache[tuple[LineChange, ...]] = Cache(64)


def key_of(base: RuleBase, request: Request) -> Key:
    """Equal for equal answers, in whichever order they were given."""
    mounts = request.mounts if isinstance(request, AllMounts) else (
        request.answers if isinstance(request, LineChangesOf) else request,
    )
    # What the host has now is read once and lives as long as the answers: its identity stands for it.
    return base.hash, *(f"{id(one.now)} {json.dumps(to_plain(one), sort_keys=True)}" for one in mounts)


def advice_for(base: RuleBase, answers: Answers) -> Advice:
    """What `advise` says. Raises FactError and EngineError as it does."""
    return _advice.get(key_of(base, answers), lambda: advise(base, answers))


def several_for(base: RuleBase, request: AllMounts) -> Several:
    """What `advise_several` says, from the advice for single mounts that is known already. Raises as it does."""
    return _several.get(key_of(base, request), lambda: advise_several(
        base, request.answers, request.mounts, first=lambda one: advice_for(base, one)
    ))


def compute(base: RuleBase, request: Request) -> None:
    """Makes it known. What would change the mount line takes longer than a key press may."""
    if isinstance(request, AllMounts):
        several_for(base, request)
    elif isinstance(request, LineChangesOf):
        answers = request.answers
        _line_changes.get(key_of(base, request), lambda: line_changes(base, advice_for(base, answers)))
    else:
        advice_for(base, request)


@overload
def cached(base: RuleBase, request: Answers) -> Advice | None: ...
@overload
def cached(base: RuleBase, request: AllMounts) -> Several | None: ...
@overload
def cached(base: RuleBase, request: LineChangesOf) -> tuple[LineChange, ...] | None: ...
def cached(base: RuleBase, request: Request) -> Advice | Several | tuple[LineChange, ...] | None:
    """What has been worked out already."""
    key = key_of(base, request)
    if isinstance(request, AllMounts):
        return _several.known(key)
    return _line_changes.known(key) if isinstance(request, LineChangesOf) else _advice.known(key)

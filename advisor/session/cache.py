"""Caches of advice: the preview, the progress line and undo ask for the same advice again and again.

The wizard prefetches in another thread, so the caches are thread-safe. Answers hold dictionaries, so they are not
hashable: the keys are JSON."""

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
    """A thread-safe cache of the `limit` values that were used last. None is not a value."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: dict[Key, T] = {}
        self._lock = Lock()

    def peek(self, key: Key) -> T | None:
        """The value of the key; None if it is not cached."""
        return self._values.get(key)

    def get(self, key: Key, make: Callable[[], T]) -> T:
        """The value of the key; `make` computes it if it is not cached."""
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
    """The answers for several mounts: `answers` has a section for each; `mounts`: the answers for each."""

    answers: Answers
    mounts: tuple[Answers, ...]


class LineChangesOf(NamedTuple):
    """A request for the answers that would change the mount line for `answers`."""

    answers: Answers


Request = Union[Answers, AllMounts, LineChangesOf]
"""What can be computed: the advice for one mount or for several, or the answers that would change the mount line."""
_advice: Cache[Advice] = Cache(128)
_several: Cache[Several] = Cache(32)
_line_changes: Cache[tuple[LineChange, ...]] = Cache(64)


def key_of(base: RuleBase, request: Request) -> Key:
    """A cache key, equal for equal answers in any order."""
    mounts = request.mounts if isinstance(request, AllMounts) else (
        request.answers if isinstance(request, LineChangesOf) else request,
    )
    # The state of the host is read once and lives as long as the answers, so its identity is enough.
    return base.hash, *(f"{id(mount.now)} {json.dumps(to_plain(mount), sort_keys=True)}" for mount in mounts)


def advice_for(base: RuleBase, answers: Answers) -> Advice:
    """`advise`, cached. Raises FactError and EngineError."""
    return _advice.get(key_of(base, answers), lambda: advise(base, answers))


def several_for(base: RuleBase, request: AllMounts) -> Several:
    """`advise_several`, cached. Raises FactError and EngineError."""
    return _several.get(key_of(base, request), lambda: advise_several(
        base, request.answers, request.mounts, first=lambda mount: advice_for(base, mount)
    ))


def compute(base: RuleBase, request: Request) -> None:
    """Computes a request and caches the result."""
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
    """The result of a request if it is cached, else None."""
    key = key_of(base, request)
    if isinstance(request, AllMounts):
        return _several.peek(key)
    return _line_changes.peek(key) if isinstance(request, LineChangesOf) else _advice.peek(key)

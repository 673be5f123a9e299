"""The advice for answers, cached, how it changes by an answer, and the answers that would change the mount line.

The preview, the progress line and undo ask for the same advice again and again. The wizard prefetches in another
thread, so the caches are thread-safe. Answers hold dictionaries, so they are not hashable: the keys are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar, Union, overload

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, to_plain
from advisor.advice.arguments import change_effort, ways_to_change
from advisor.advice.model import NOTHING, Advice
from advisor.advice.rows import in_order, mount_options
from advisor.advice.several import Several, advise_several
from advisor.rulebase.model import RuleBase

T = TypeVar("T")
Key = tuple[str, ...]


class Cache(Generic[T]):
    """A thread-safe cache of the `limit` values that were used last. None is not a value."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: dict[Key, T] = {}
        self._lock = Lock()

    def peek(self, key: Key) -> T | None:
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


class Work(NamedTuple):
    """Anything else: `make` does it with a rule base, and caches what it finds."""

    make: Callable[[RuleBase], object]


Request = Union[Answers, AllMounts, LineChangesOf]
"""What can be cached here: the advice for one mount or for several, or the answers that would change the mount line."""
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
    return _advice.get(key_of(base, answers), lambda: advise(base, answers, asking=True))


def several_for(base: RuleBase, request: AllMounts) -> Several:
    """`advise_several`, cached. Raises FactError and EngineError."""
    return _several.get(key_of(base, request), lambda: advise_several(
        base, request.answers, request.mounts, asking=True, first=lambda mount: advice_for(base, mount)
    ))


def compute(base: RuleBase, request: Request | Work) -> None:
    if isinstance(request, Work):
        request.make(base)
    elif isinstance(request, AllMounts):
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
    key = key_of(base, request)
    if isinstance(request, AllMounts):
        return _several.peek(key)
    return _line_changes.peek(key) if isinstance(request, LineChangesOf) else _advice.peek(key)


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

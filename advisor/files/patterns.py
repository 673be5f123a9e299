"""The patterns with which the rule base asks for settings: a scalar, a list of patterns, a range, `present`, `absent`,
a regular expression that the whole value matches (`~ …`) or does not match (`!~ …`), or a word, or several in a row,
that it contains (`has …`) or does not contain (`lacks …`).

And patterns for names: `*` matches any text, `?` one character, and any other character itself. The parts between the
asterisks are searched in order, each as early as possible, without backtracking: if a later part is missing, no other
choice would help. So a match takes at most as many steps as the name has characters, times those of the pattern.
(Regular expressions would take longer to compile than a small file takes to lint.)"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from advisor.files.records import Setting
from advisor.rulebase import values
from advisor.rulebase.model import Pattern, Platform, Scalar, ServerName, Value


def matches(pattern: Pattern, setting: Setting | None) -> bool:
    """Whether a setting, None for none, fits a pattern. One of unknown value, which another file may set, fits only
    `present`."""
    if isinstance(pattern, list):
        return any(matches(alternative, setting) for alternative in pattern)
    if pattern == "absent" or setting is None:
        return pattern == "absent" and setting is None
    return pattern == "present" or (setting.value is not None and value_test(pattern)(setting.value))


def value_test(pattern: Pattern) -> Callable[[Value], bool]:
    """`matches`, for one pattern and the values, perhaps unknown ones, of many settings."""
    if not isinstance(pattern, list):
        return _test(pattern)
    tests = [value_test(alternative) for alternative in pattern]
    return lambda value: any(test(value) for test in tests)


@lru_cache(maxsize=4096, typed=True)
def _test(pattern: Scalar) -> Callable[[Value], bool]:
    if pattern in ("present", "absent"):
        return lambda _: pattern == "present"
    if isinstance(pattern, str):
        if pattern.startswith(("has ", "lacks ")):
            has, _, phrase = pattern.partition(" ")
            return lambda value: (f" {phrase} " in f" {' '.join(str(value).replace(',', ' ').split())} ") is (
                has == "has"
            )
        form = expression(pattern)
        if form is not None:
            full, wanted = form.fullmatch, pattern.startswith("~")
            return lambda value: (full(str(value)) is not None) is wanted
        if values.is_bound(pattern):
            return lambda value: values.inside(value, pattern)
    return lambda value: values.same(value, pattern)


@lru_cache(maxsize=64)
def expression(pattern: str) -> re.Pattern[str] | None:
    """The regular expression of a pattern; None if it is not one."""
    return re.compile(pattern.partition(" ")[2]) if pattern.startswith(("~ ", "!~ ")) else None


@lru_cache(maxsize=1024)
def name_parts(pattern: str) -> Sequence[str]:
    """A pattern, prepared for `name_fits`."""
    return tuple(pattern.split("*"))


def by_server_name(platforms: Iterable[Platform], host: str) -> Iterator[tuple[Platform, ServerName]]:
    """The platforms whose servers are named like a host, in its normal form, and which of their names it fits."""
    for platform in platforms:
        for name in platform.server_names:
            if host and name_fits(host, name_parts(name.pattern)):
                yield platform, name


def has_wildcards(text: str) -> bool:
    """Whether a text has `*` or `?`."""
    return "*" in text or "?" in text


def name_matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern. For a pattern that is used often, `name_parts` and `name_fits` are faster."""
    return name_fits(name, name_parts(pattern)) if has_wildcards(pattern) else name == pattern


def name_fits(name: str, pattern: Sequence[str]) -> bool:
    """Whether a name fits a pattern, as `name_parts` gives it."""
    first, *middle = pattern
    if not middle:
        return len(name) == len(first) and _matches_at(first, name, 0)
    last = middle.pop()
    at, end = len(first), len(name) - len(last)
    if at > end or not _matches_at(first, name, 0) or not _matches_at(last, name, end):
        return False
    for part in middle:
        start = _find(part, name, at, end)
        if start < 0:
            return False
        at = start + len(part)
    return True


def _matches_at(part: str, name: str, at: int) -> bool:
    """Whether `name[at:]`, which is at least as long, begins with the part."""
    if "?" not in part:
        return name.startswith(part, at)
    return all(sign in ("?", name[at + place]) for place, sign in enumerate(part))


def _find(part: str, name: str, at: int, end: int) -> int:
    """The first index of the part in name[at:end]; -1 if it is not there."""
    if "?" not in part:
        return name.find(part, at, end)
    return next((place for place in range(at, end - len(part) + 1) if _matches_at(part, name, place)), -1)

"""Patterns for names: `*` matches any text, `?` one character, and any other character itself.

The parts between the asterisks are searched in order, each as early as possible, without backtracking: if a later part
is missing, no other choice would help. So a match takes at most as many steps as the name has characters,
times those of the pattern. (Regular expressions would take longer to compile than a small file takes to lint.)"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def parts(pattern: str) -> list[str]:
    """A pattern, prepared for `fits`."""
    return pattern.split("*")


def has_wildcards(text: str) -> bool:
    """Whether a text has `*` or `?`."""
    return "*" in text or "?" in text


def matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern. For a pattern that is used often, `parts` and `fits` are faster."""
    return fits(name, parts(pattern)) if has_wildcards(pattern) else name == pattern


def fits(name: str, pattern: Sequence[str]) -> bool:
    """Whether a name fits a pattern, as `parts` gives it."""
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

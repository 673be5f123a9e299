"""Patterns for names: `*` stands for any text, `?` for one character, all else for itself.

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


def special(text: str) -> bool:
    """Whether a pattern has `*` or `?`."""
    return "*" in text or "?" in text


def matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern that is used but once."""
    return fits(name, parts(pattern)) if special(pattern) else name == pattern


def fits(name: str, pattern: Sequence[str]) -> bool:
    """Whether a name fits a pattern, as `parts` gives it."""
    first, *middle = pattern
    if not middle:
        return len(name) == len(first) and _stands(first, name, 0)
    last = middle.pop()
    at, end = len(first), len(name) - len(last)
    if at > end or not _stands(first, name, 0) or not _stands(last, name, end):
        return False
    for part in middle:
        found = _find(part, name, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _stands(part: str, name: str, at: int) -> bool:
    """Whether the part is in the name at this place, which leaves room for it."""
    if "?" not in part:
        return name.startswith(part, at)
    return all(sign in ("?", name[at + place]) for place, sign in enumerate(part))


def _find(part: str, name: str, at: int, end: int) -> int:
    """Where the part first is in name[at:end]; -1 for nowhere."""
    if "?" not in part:
        return name.find(part, at, end)
    return next((place for place in range(at, end - len(part) + 1) if _stands(part, name, place)), -1)

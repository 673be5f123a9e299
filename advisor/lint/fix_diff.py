"""A unified diff of two texts with equally many lines, as fixes leave them. Linear, and without difflib."""

from __future__ import annotations

from collections.abc import Iterator

CONTEXT = 3


def unified(name: str, before: str, after: str) -> Iterator[str]:
    """The pieces of the diff, each ending in a newline; none when nothing changed. `patch -p0` takes it."""
    old, new = _lines(before), _lines(after)
    changed = [number for number, (a, b) in enumerate(zip(old, new)) if a != b]
    if not changed:
        return
    yield f"--- {name}\n+++ {name}\n"
    for first, last in _groups(changed):
        start, end = max(first - CONTEXT, 0), min(last + CONTEXT + 1, len(old))
        span = f"{start + 1},{end - start}" if end - start != 1 else f"{start + 1}"
        yield f"@@ -{span} +{span} @@\n"
        number = start
        while number < end:
            stop = number
            while stop < end and old[stop] != new[stop]:
                stop += 1
            if stop == number:
                yield _piece(" ", old[number])
                number += 1
                continue
            yield from (_piece("-", line) for line in old[number:stop])
            yield from (_piece("+", line) for line in new[number:stop])
            number = stop


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a newline ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _groups(changed: list[int]) -> Iterator[tuple[int, int]]:
    """First and last changed line of each hunk."""
    first = last = changed[0]
    for number in changed[1:]:
        if number - last > 2 * CONTEXT:
            yield first, last
            first = number
        last = number
    yield first, last


def _piece(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"

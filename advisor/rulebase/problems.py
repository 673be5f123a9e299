"""Problems of a rule base, worded so that an administrator can act on them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from advisor.engine.errors import word_list


class Problem(NamedTuple):
    """One mistake. `line` and `column` count from 1; `file` is relative to the root that holds `rules/` and `kb/`.

    `found`: what is there. `why`: why that is wrong. `write`: what to write instead."""

    file: str
    line: int
    column: int
    found: str
    why: str
    write: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.found}; {self.why}; {self.write}"


def merge_repeats(problems: Iterable[Problem]) -> list[Problem]:
    """The problems in order of place. A mistake that a file repeats is reported once, with the other lines."""
    groups: dict[tuple[str, str, str, str], list[Problem]] = {}
    for problem in sorted(set(problems)):
        groups.setdefault((problem.file, problem.found, problem.why, problem.write), []).append(problem)
    kept = []
    for first, *others in groups.values():
        if not others:
            kept.append(first)
        else:
            lines = list(dict.fromkeys(str(other.line) for other in others))
            more = word_list(lines if len(lines) < 6 else [*lines[:4], f"{len(lines) - 4} more"], "and")
            kept.append(first._replace(write=f"{first.write} (the same in line{'s' * (len(lines) > 1)} {more})"))
    return sorted(kept)


def near(word: object, known: Iterable[object], otherwise: str) -> str:
    """ "did you mean X?" with up to three names of `known` that look like `word`; `otherwise` when none does."""
    close = close_names(str(word), tuple(sorted({str(name) for name in known})))
    return f"did you mean {word_list(close)}?" if close else otherwise


@lru_cache(maxsize=1024)
def close_names(word: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Up to three of `names` that look like `word`, the most alike first."""
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415  only needed when something is wrong

    close = get_close_matches(word, names, n=3, cutoff=0.6)
    likeness = {name: SequenceMatcher(None, name, word).ratio() for name in close}
    # Ids begin alike; what is clearly less like the word than the best is not a candidate.
    close = [name for name in close if likeness[name] > likeness[close[0]] - 0.1]
    tail = word.rpartition(".")[2]
    return tuple(close or [name for name in names if tail and name.rpartition(".")[2] == tail][:3])


def shown(value: object, source: str | None = None) -> str:
    """A value as it should appear in a message. `source` is how an unquoted value is written in the file."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {source or value}"
    if isinstance(value, str):
        return f'"{value}"'
    return "a list" if isinstance(value, list) else "a mapping"

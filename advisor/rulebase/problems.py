"""What is wrong in a rule base, in words that an administrator can act on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Problem(NamedTuple):
    """One mistake. `line` and `column` count from 1; `file` is relative to the root that holds `rules/` and `kb/`.

    `found`: what stands there. `why`: why that is wrong. `write`: what to write instead."""

    file: str
    line: int
    column: int
    found: str
    why: str
    write: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.found}; {self.why}; {self.write}"


def near(word: object, known: Iterable[object], otherwise: str) -> str:
    """ "did you mean X?" with up to three names of `known` that look like `word`; `otherwise` when none does."""
    from difflib import get_close_matches  # noqa: PLC0415  only needed when something is wrong

    names = sorted({str(name) for name in known})
    close = get_close_matches(str(word), names, n=3, cutoff=0.6)
    if not close:
        tail = str(word).rpartition(".")[2]
        close = [name for name in names if tail and name.rpartition(".")[2] == tail][:3]
    return f"did you mean {either(close)}?" if close else otherwise


def either(words: Iterable[object], conjunction: str = "or") -> str:
    """ "a, b or c"."""
    items = [str(word) for word in words]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def shown(value: Any, source: str | None = None) -> str:
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

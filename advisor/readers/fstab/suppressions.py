"""Comments that ask a linter to keep quiet: `# advisor: ignore[slug, slug] reason` on the line before an entry."""

from __future__ import annotations

import re

from advisor.named_tuple import NamedTuple
from advisor.readers.spans import Span

_COMMENT = re.compile(r"[ \t]*(#+[ \t]*advisor:[ \t]*(.*))", re.DOTALL)
_IGNORE = re.compile(r"ignore[ \t]*\[([^\]]*)\][ \t]*(.*)", re.DOTALL)


class Suppression(NamedTuple):
    """One such comment. `target` is the line of its entry, or None; `problem` says why the comment has no effect."""

    line: int
    target: int | None
    slugs: tuple[str, ...]
    reason: str
    span: Span
    problem: str | None


def read_comment(raw: str, line: int, target: int | None) -> Suppression | None:
    """The suppression in a comment line, or None when it is an ordinary comment."""
    comment = _COMMENT.fullmatch(raw.rstrip())
    if comment is None:
        return None
    span = Span(line, comment.start(1) + 1, comment.end(1) + 1)
    ignore = _IGNORE.fullmatch(comment[2])
    slugs = tuple(slug for part in ignore[1].split(",") if (slug := part.strip())) if ignore else ()
    problem = None
    if not slugs:
        problem = "not understood: write '# advisor: ignore[name, name] reason'"
    elif target is None:
        problem = "no entry follows this comment, so it suppresses nothing"
    return Suppression(line, target, slugs, ignore[2] if ignore else "", span, problem)

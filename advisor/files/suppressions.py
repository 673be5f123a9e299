"""Comments that suppress findings: `# advisor: ignore[slug, slug] reason` on the line before an entry."""

from __future__ import annotations

import re

from advisor.files.records import Span
from advisor.named_tuple import NamedTuple

_COMMENT = re.compile(r"[ \t]*([#;]+[ \t]*advisor:[ \t]*(.*))", re.DOTALL)
_IGNORE = re.compile(r"ignore[ \t]*\[([^\]]*)\][ \t]*(.*)", re.DOTALL)


class Suppression(NamedTuple):
    """One such comment. `target`, `last`: the first and last line of its entry; `target` is None if none follows.
    `problem`: why the comment has no effect."""

    line: int
    target: int | None
    last: int
    slugs: tuple[str, ...]
    reason: str
    span: Span
    problem: str | None


def suppressions(text: str, *, signs: str = "#", continued: bool = False) -> tuple[Suppression, ...]:
    """The suppressions of a file, from its end to its beginning: each is for the entry below it, with only comments
    between. `signs`: with which a comment can begin. `continued`: a backslash at the end of a line continues the
    entry."""
    if "advisor:" not in text:
        return ()
    comments: list[Suppression] = []
    target: int | None = None
    last = 0
    lines = text.split("\n")
    for number in range(len(lines), 0, -1):
        raw = lines[number - 1]
        words = raw.strip()
        if not words:
            target = None
        elif words[0] not in signs:
            goes_on = continued and words.endswith("\\") and target == number + 1
            target, last = number, last if goes_on else number
        elif (comment := _comment(raw, number, target, last)) is not None:
            comments.append(comment)
    return tuple(comments)


def _comment(raw: str, line: int, target: int | None, last: int) -> Suppression | None:
    """The suppression in a comment line, None for an ordinary comment."""
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
    return Suppression(line, target, last, slugs, ignore[2] if ignore else "", span, problem)

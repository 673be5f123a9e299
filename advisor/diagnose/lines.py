"""A pasted text as lines: without fences, quoted mail, prompts and escape codes, each with its number and its time."""

from __future__ import annotations

import re

from advisor.diagnose.folded import plain
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMES = (
    re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"),
    re.compile(r"(?:[A-Z][a-z][a-z] )?[A-Z][a-z][a-z] [ \d]?\d \d\d:\d\d:\d\d(?: \d{4})?"),
    re.compile(r"\[ {0,8}\d{1,9}\.\d{6}\]"),
)
"""ISO 8601; syslog, journalctl and dmesg -T; dmesg."""
_PROMPTS = ("#", "$", "%")
_LEAD = 80
"""A line's time, or a prompt, stands within so many characters."""


class PastedLine(NamedTuple):
    """`number`: in the text, from 1. `text`: what is left of it. `fenced`: it stands in a block of code."""

    number: int
    text: str
    fenced: bool = False


def lines(text: str) -> Iterator[PastedLine]:
    """The lines that say something. What a program has put into one line with \\n is several, with one number."""
    fenced = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = plain(raw)
        line = _unquoted(line)
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            yield PastedLine(number, "", fenced)
            continue
        parts = line.replace("\\r", "").replace('\\"', '"').split("\\n") if "\\n" in line else [line]
        for part in parts:
            yield PastedLine(number, without_prompt(part).rstrip(), fenced)


def _unquoted(line: str) -> str:
    """Without the marks of quoted mail, `> > `. A redirection has something before it."""
    while line.startswith(("> ", ">>")) or line == ">":
        line = line[1:].removeprefix(" ")
    return line


def without_prompt(line: str) -> str:
    """Without a shell's prompt. A lone number sign begins a comment in a file, and a prompt elsewhere: it is kept."""
    bare = line.lstrip()
    if bare.startswith("$ "):
        return bare[2:]
    head, bracket, rest = bare[:_LEAD].partition("]") if bare.startswith("[") else ("", "", bare)
    if bracket and "@" in head and rest[:1] in _PROMPTS:
        return bare[len(head) + 2 :].lstrip()  # [root@host ~]#
    user, at, place = bare[:_LEAD].partition("@")
    end = min((found for mark in _PROMPTS if (found := place.find(mark)) >= 0), default=-1)
    if at and end >= 0 and ":" in place[:end] and not any(map(str.isspace, user + place[:end])):
        return place[end + 1 :].lstrip() + bare[_LEAD:]  # root@host:~#
    return line


def time_of(line: str) -> str | None:
    """The time at the start of a line, as written; None if there is none."""
    head = line[:_LEAD]
    for form in _TIMES:
        found = form.search(head)
        if found:
            return found[0].strip("[] ")
    return None

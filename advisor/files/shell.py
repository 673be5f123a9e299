"""Variables that a shell reads: /etc/default/nfs-*, /etc/sysconfig/nfs, /etc/conf.d/nfs."""

from __future__ import annotations

import re

from advisor.files.placeholders import has_markup
from advisor.files.spans import Span
from advisor.files.tables import Assignment, Assignments, Token

_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)(?:\[[0-9]+\])?\+?=")
_SPACED = re.compile(r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]+=")
_END = " \t;&|"
MAX_LINES = 30
"""Of one value."""


def read_settings(text: str, name: str, kind: str) -> Assignments:
    """The assignments of a script, without its commands. A quotation mark that is not closed on its line may be closed
    on a later one, unless that begins with an assignment."""
    settings: list[Assignment] = []
    bad: list[tuple[Span, str]] = []
    lines = [line.rstrip("\r") for line in text.split("\n")]
    at = 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        begin = len(line) - len(line.lstrip(" \t"))
        whole = Span(number, begin + 1, len(line.rstrip(" \t")) + 1)
        spaced = _SPACED.match(line)
        if spaced and not has_markup(line):
            bad.append((whole, f"a space before the equals sign makes {spaced[1]} a command; write {spaced[1]}=value"))
            continue
        match = _NAME.match(line)
        if match is None:
            continue
        joined = line
        value, end = _word(joined, match.end())
        while end is None and at < min(len(lines), number - 1 + MAX_LINES) and not _NAME.match(lines[at]):
            joined += f"\n{lines[at]}"
            at += 1
            value, end = _word(joined, match.end())
        if end is None and not has_markup(line):
            at = number
            words = f"the quotation mark after {match[1]}= is not closed, so what follows becomes part of the value"
            bad.append((whole, words))
            continue
        rest = joined[end:].lstrip(" \t") if end is not None else ""
        if not value and rest and rest[0] not in "#;&|" and end == match.end() and not _NAME.match(rest):
            bad.append((whole, f"a space after the equals sign leaves {match[1]} empty; write {match[1]}=value"))
            continue
        stop = len(line) if end is None else min(end, len(line))
        quoted = line[match.end():match.end() + 1] in ('"', "'") and line[stop - 1:stop] == line[match.end()]
        first, last = (match.end() + 1, stop - 1) if quoted and stop - match.end() > 1 else (match.end(), stop)
        settings.append(Assignment(
            "", Token(match[1], Span(number, match.start(1) + 1, match.end(1) + 1)),
            Token(value.strip(), Span(number, first + 1, last + 1)),
        ))  # fmt: skip
    return Assignments(text, name, kind, tuple(settings), (), tuple(bad))


def _word(text: str, start: int) -> tuple[str, int | None]:
    """The shell word that begins at `start`, without its quotation marks, and its end; None if a quotation mark is
    not closed. Variables are not expanded."""
    made: list[str] = []
    quote = ""
    at = start
    while at < len(text):
        sign = text[at]
        if quote:
            if sign == quote:
                quote = ""
            elif sign == "\\" and quote == '"' and text[at + 1:at + 2] in ('"', "\\", "$", "`", "\n"):
                at += 1
                made.append(text[at:at + 1].replace("\n", " "))
            else:
                made.append(sign)
        elif sign in "\"'":
            quote = sign
        elif sign == "\\" and at + 1 < len(text):
            at += 1
            made.append(text[at].replace("\n", ""))
        elif sign in _END or sign == "\n":
            break
        else:
            made.append(sign)
        at += 1
    return "".join(made), None if quote else at

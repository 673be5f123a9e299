"""Master files of the automounter (auto.master(5)), as its parser takes them apart: its own options behind a map. Mount
options, here and in maps, are read elsewhere (advisor.readers.mounts.autofs)."""

from __future__ import annotations

import re

from advisor.readers.settings.table import Assignment, Assignments, Token
from advisor.readers.spans import Span

_WORD = re.compile(r"\S+")
_PIECE = re.compile(r"[^,]+")
_MAP = re.compile(
    r"-(?:hosts|null|xfn)$|(?:file|program|yp|nis|nisplus|ldaps?|hesiod|sss|dir|multi|exec)[,:]|/|auto[._]"
)
_NUMBER = ("timeout", "negative-timeout")
_SHORT = {
    "-t": "timeout", "-n": "negative-timeout", "-g": "ghost", "-v": "verbose", "-d": "debug", "-w": "use-weight-only",
    "-r": "random-multimount-selection",
}


def read(text: str, name: str, kind: str) -> Assignments:
    """The options with two dashes, or of one letter, of all lines that name a map."""
    settings: list[Assignment] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = [(found[0], found.start() + 1) for found in _WORD.finditer(line)]
        if len(words) < 2 or not words[0][0].startswith("/") or not _MAP.match(words[1][0]):
            continue
        waiting: Token | None = None
        for word, column in words[2:]:
            if word.startswith("#"):
                end = Span(number, column, len(line.rstrip()) + 1)
                settings.append(Assignment("", Token("", end), Token("", end), Token(line[column - 1:].rstrip(), end)))
                break
            for found in _PIECE.finditer(word):
                place = Span(number, column + found.start(), column + found.end())
                if waiting is not None and found[0][:1].isdigit():
                    settings.append(Assignment("", waiting, Token(found[0], place)))
                    waiting = None
                    continue
                made = _option(found[0], place)
                waiting = None
                if made is not None and made.key.text in _NUMBER and not made.value.text:
                    waiting = made.key
                elif made is not None:
                    settings.append(made)
    return Assignments(text, name, kind, tuple(settings))


def _option(word: str, span: Span) -> Assignment | None:
    """One option of the automounter's own, whether it knows it or not."""
    key, equals, value = word.partition("=")
    if not key.startswith("--") and key not in _SHORT:
        return None
    spelled = _SHORT.get(key, key[2:])
    begin = span.column + len(key) + len(equals)
    return Assignment(
        "", Token(spelled, span._replace(end_column=span.column + len(key))),
        Token(value, Span(span.line, begin, span.end_column)),
    )

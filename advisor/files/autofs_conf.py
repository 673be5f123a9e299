"""autofs.conf and the older file of variables, as automount (lib/defaults.c) reads both."""

from __future__ import annotations

from advisor.files.placeholders import has_markup
from advisor.files.spans import Span
from advisor.files.tables import Assignment, Assignments, Token

_BLANK = " \t"
_QUOTED = _BLANK + '"'


def read_settings(text: str, name: str, kind: str) -> Assignments:
    """The settings; before the first heading they belong to [autofs]. The sections of amd mount points have the same
    settings as [amd]."""
    settings: list[Assignment] = []
    sections: list[Token] = []
    bad: list[tuple[Span, str]] = []
    section = "autofs" if kind == "autofs.conf" else ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r" + _BLANK)
        words = line.lstrip(_BLANK)
        if not words or words[0] in "#;" or has_markup(words.partition("=")[0]):
            continue
        whole = Span(number, len(line) - len(words) + 1, len(line) + 1)
        if line[0] == "[":
            inner, closed, _ = line.partition("]")
            title = inner.lstrip("[" + _BLANK).rstrip(_BLANK)
            if not closed:
                bad.append((whole, "this heading has no ], so what follows belongs to the section before it"))
            elif kind == "autofs.conf":
                begin = len(inner) - len(inner.lstrip("[" + _BLANK))
                section = "amd" if title.startswith("/") else title
                if section == title:
                    sections.append(Token(title, Span(number, begin + 1, begin + len(title) + 1)))
            continue
        key, equals, value = line.partition("=")
        if kind == "autofs-defaults" and not equals:
            continue  # a shell reads this file too, and may have commands in it
        if not (line[0].isascii() and line[0].isalpha()):
            bad.append((whole, "the line does not begin with a letter, so automount skips it"))
        elif not equals:
            bad.append((whole, "this is not an assignment, so it is skipped; write name = value"))
        else:
            settings.append(_assignment(number, section, key, value))
    return Assignments(text, name, kind, tuple(settings), tuple(sections), tuple(bad))


def _assignment(number: int, section: str, key: str, value: str) -> Assignment:
    shown = value.partition("#")[0].rstrip(_QUOTED).lstrip(_QUOTED)
    start = len(key) + 2 + (len(value) - len(value.lstrip(_QUOTED)) if shown else 0)
    name = key.rstrip(_BLANK)
    return Assignment(
        section, Token(name, Span(number, 1, len(name) + 1)), Token(shown, Span(number, start, start + len(shown)))
    )

"""sysctl.conf(5) and sysctl.d(5), as sysctl and systemd-sysctl read them: without sections, continuation lines, and
comments behind a value."""

from __future__ import annotations

import re

from advisor.files.placeholders import has_markup
from advisor.files.spans import Span
from advisor.files.tables import Assignment, Assignments, Token

_ASIDE = re.compile(r"[ \t](?=#|;|//)")


def read_settings(text: str, name: str, kind: str) -> Assignments:
    """The settings of a file, and the lines that are none. Keys have dots, however they are written."""
    settings: list[Assignment] = []
    bad: list[tuple[Span, str]] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        start = len(raw) - len(raw.lstrip()) + 1
        whole = Span(number, start, start + len(line))
        left, equals, right = line.partition("=")
        key = left.rstrip()
        if has_markup(key):
            continue
        if not equals:
            if not key.startswith("-"):  # tells systemd to leave the key alone
                bad.append((whole, "this is not an assignment, so it is skipped; write key = value"))
        elif len(key.split()) > 1 and _program(key) == "sysctl":
            bare = f"{key.split()[-1]} = {right.strip()}"
            bad.append((whole, f"this is a command, and a file has no commands; write {bare}"))
        elif len(key.split()) > 1:
            bad.append((whole, f'no kernel has a key called "{key}", so the line is skipped; write key = value'))
        elif key:
            begin = start + (1 if key.startswith("-") else 0)
            token = Token(dotted(key.removeprefix("-")), Span(number, begin, start + len(key)))
            at = start + len(left) + 1 + len(right) - len(right.lstrip())
            settings.append(_assignment(token, right.strip(), number, at))
        else:
            bad.append((whole, "no key before the equals sign; the line is skipped"))
    return Assignments(text, name, kind, tuple(settings), bad=tuple(bad))


def _program(line: str) -> str:
    """The program that a line would run."""
    words = line.removeprefix("sudo ").split()
    return words[0].rpartition("/")[2] if words else ""


def dotted(key: str) -> str:
    """The key with dots between its parts. If a slash comes first, slashes separate, and dots belong to names."""
    first = next((sign for sign in key if sign in "./"), ".")
    return key if first == "." else key.translate(str.maketrans("./", "/."))


def _assignment(key: Token, value: str, number: int, at: int) -> Assignment:
    aside = _ASIDE.search(value)
    if aside is None:
        return Assignment("", key, Token(value, Span(number, at, at + len(value))))
    taken = value[:aside.start()].rstrip()
    rest = Token(value[aside.end():], Span(number, at + aside.end(), at + len(value)))
    return Assignment("", key, Token(taken, Span(number, at, at + len(taken))), rest)

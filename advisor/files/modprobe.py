"""modprobe.d(5), as kmod reads it, and the parameters behind `options` as the kernel takes them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.placeholders import has_markup
from advisor.files.spans import Span
from advisor.files.tables import Assignment, Assignments, Slip, Token
from advisor.named_tuple import NamedTuple

_COMMANDS = {"alias": 2, "blacklist": 1, "install": 2, "options": 2, "remove": 2, "softdep": 2, "weakdep": 2}
"""Command → how many words have to follow."""
_OLD = ("include", "config")
WORD = re.compile(r'(?:"[^"]*"?|[^\s"])+')
"""A word of a kernel command line or of modprobe.d; spaces in quotation marks do not end it."""
_SYSCTL = re.compile(r"([\w-]+)\.([\w-]+)=([^\s=]+)")
_NOTHING = re.compile(r"(?:/usr)?/bin/(?:true|false)\b|(?:true|false)$|:$|/dev/null$")


class _OptionWord(NamedTuple):
    """A word of a line, which may be a continued one."""

    text: str
    span: Span


def read_settings(text: str, name: str, kind: str) -> Assignments:
    """The parameters of modules, section by section; lines that kmod skips; modules that are never loaded."""
    settings: list[Assignment] = []
    bad: list[tuple[Span, str]] = []
    slips: list[Slip] = []
    for line in _lines(text):
        command, words = line[0].text, line[1:]
        if has_markup(command):
            continue
        wanted = _COMMANDS.get(command)
        if wanted is None:
            if command not in _OLD and not command.startswith("#"):
                bad.append((_whole_line(line), _why_unknown(line)))
        elif len(words) < wanted:
            bad.append((_whole_line(line), f"too few words follow {command}, so the line is skipped"))
        elif command == "options":
            settings += parameters(module(words[0].text), words[1:])
        elif command == "blacklist" or (command == "install" and _NOTHING.match(words[1].text)):
            how, idle = "blacklist", "module-blacklist-idle"
            if command == "install":
                how, idle = f"install … {words[1].text}", ""
            slips.append(Slip("module-disabled", words[0].span, module(words[0].text), {"how": how}, idle))
    return Assignments(text, name, kind, tuple(settings), bad=tuple(bad), slips=tuple(slips))


def module(name: str) -> str:
    """The name of a module as the kernel has it, where a dash is an underscore."""
    return name.replace("-", "_")


def parameters(name: str, words: list[_OptionWord]) -> Iterator[Assignment]:
    """The parameters of the module `name`. To the kernel a number sign does not begin a comment: the words behind it
    are parameters that do not exist."""
    for at, word in enumerate(words):
        if word.text.startswith("#"):
            end = max(piece.span.end_column for piece in words if piece.span.line == word.span.line)
            rest = Token(" ".join(piece.text for piece in words[at:]), Span(word.span.line, word.span.column, end))
            yield Assignment(name, Token("", word.span), Token("", word.span), rest)
            return
        if word.text.startswith("=") or (at and words[at - 1].text.endswith("=") and "=" not in word.text):
            continue  # the rest of an assignment with spaces in it
        key, equals, value = word.text.partition("=")
        if equals and not value and at + 1 == len(words):
            equals = ""
        start = word.span.column + len(key) + len(equals)
        quoted = len(value) > 1 and value[0] == value[-1] == '"'
        if quoted:
            start, value = start + 1, value[1:-1]
        yield Assignment(
            name, Token(module(key), word.span._replace(end_column=word.span.column + len(key))),
            Token(value, Span(word.span.line, start, start + len(value))),
        )


def _lines(text: str) -> Iterator[list[_OptionWord]]:
    """The words of each line that has any; a backslash continues a line, also a comment."""
    words: list[_OptionWord] = []
    comment = False
    begun = False
    for number, raw in enumerate(text.split("\n"), 1):
        more = raw.endswith("\\")
        if not begun:
            comment = raw.startswith("#")
        if not comment:
            for match in WORD.finditer(raw[:-1] if more else raw):
                words.append(_OptionWord(match[0], Span(number, match.start() + 1, match.end() + 1)))
        begun = more
        if not more and words:
            yield words
            words = []
    if words:
        yield words


def _whole_line(line: list[_OptionWord]) -> Span:
    first = line[0].span
    return Span(first.line, first.column, max(word.span.end_column for word in line if word.span.line == first.line))


def _why_unknown(line: list[_OptionWord]) -> str:
    command = line[0].text
    parameter = _SYSCTL.fullmatch("".join(word.text for word in line))
    if parameter:
        name, key, value = parameter.groups()
        return f"modprobe skips the line, which is written as for sysctl; write options {name} {key}={value}"
    known = [name for name in _COMMANDS if name.startswith(command[:3].lower())]
    meant = next((name for name in known if name != command), "options" if command.lower()[:1] == "o" else "")
    hint = f" (did you mean {meant}?)" if meant else ""
    return f"no command is called {command}{hint}, so modprobe skips the line"

"""exports(5): paths, the clients behind each, and their options, taken apart as exportfs takes them apart."""

from __future__ import annotations

import re

from advisor.named_tuple import NamedTuple
from advisor.readers.mounts.table import TextPart, TextParts, pieces
from advisor.readers.spans import Span

_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


class ExportWord(NamedTuple):
    """A word as exportfs hears it: without quotes, octal escapes decoded. `exact`: it is so written."""

    text: str
    span: Span
    exact: bool


class Export(NamedTuple):
    """One client of one path. `client` is "" where none is named, which is everybody. `options` with those that the
    line gives to all its clients. `bad`: what ends the reading of the file here, in words. `apart`: a blank stands
    before the parenthesis, behind this client."""

    path: TextParts
    client: TextParts
    options: TextParts
    listed: bool
    bad: str | None
    apart: ExportWord | None
    line_no: int
    raw: str = ""
    fixable: bool = True

    @property
    def source(self) -> TextParts:
        return self.path

    @property
    def target(self) -> TextParts:
        return self.client

    @property
    def fstype(self) -> TextParts:
        return self.path


def read(text: str) -> list[Export]:
    """Every client of every line, up to the end; what exportfs stops at is `bad`, and the rest is read all the same."""
    found: list[Export] = []
    for words in _entries(text):
        path, clients = words[0], words[1:]
        where = TextParts([TextPart(path.text, path.span, exact=path.exact)], path.span)
        common: list[TextPart] = []
        if clients and clients[0].text.startswith("-"):
            common, clients = _items(clients[0], 1, len(clients[0].text)), clients[1:]
        if not clients:
            found.append(Export(where, TextParts([], path.span), TextParts(common, path.span), bool(common), None, None,
                                path.span.line))
        for number, word in enumerate(clients):
            following = clients[number + 1] if number + 1 < len(clients) else None
            apart = following if following is not None and following.text.startswith("(") else None
            found.append(_export(where, word, common, None if "(" in word.text else apart))
            if found[-1].bad is not None:
                break  # the words that follow belong to the list that cannot be read
    return found


def _export(path: TextParts, word: ExportWord, common: list[TextPart], apart: ExportWord | None) -> Export:
    name, opened, rest = word.text.partition("(")
    bad = None
    items: list[TextPart] = []
    if opened:
        inside, closed, behind = rest.partition(")")
        if not closed:
            bad = "the list of options has no closing parenthesis; it must not contain a space"
        elif behind:
            bad = f"{behind} follows the closing parenthesis directly; put a space between them"
        items = _items(word, len(name) + 1, len(name) + 1 + len(inside))
    span = word.span if not word.exact else Span(word.span.line, word.span.column, word.span.column + len(name))
    client = TextParts([TextPart(name, span, exact=word.exact)] if name else [], word.span)
    near = word.span if not items else items[0].span
    listed = bool(opened or common)
    return Export(path, client, TextParts([*common, *items], near), listed, bad, apart, word.span.line)


def _items(word: ExportWord, start: int, end: int) -> list[TextPart]:
    text = word.text[start:end]
    if not word.exact:
        return [TextPart(one, word.span, exact=False) for one in text.split(",")] if text else []
    return pieces(text, Span(word.span.line, word.span.column + start, word.span.column + end)) if text else []


def _entries(text: str) -> list[list[ExportWord]]:
    """The words of each entry; a backslash at the very end of a line continues it."""
    entries: list[list[ExportWord]] = []
    words: list[ExportWord] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        goes_on = line.endswith("\\")
        words += _words(line[:-1] if goes_on else line, number)
        if not goes_on and words:
            entries.append(words)
            words = []
    return [*entries, words] if words else entries


def _words(line: str, number: int) -> list[ExportWord]:
    words = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
            continue
        if line[at] == "#":
            break
        begin, quoted = at, False
        while at < len(line) and (quoted or line[at] not in " \t"):
            quoted = quoted != (line[at] == '"')
            at += 1
        raw = line[begin:at]
        text = _OCTAL.sub(lambda found: chr(int(found[1], 8)), raw.replace('"', ""))
        words.append(ExportWord(text, Span(number, begin + 1, at + 1), text == raw))
    return words

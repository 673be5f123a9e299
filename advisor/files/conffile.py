"""nfs.conf and its relatives, as the parser of nfs-utils (support/nfs/conffile.c) reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.placeholders import has_markup
from advisor.files.spans import Span
from advisor.files.tables import Assignment, Assignments, Slip, Token
from advisor.named_tuple import NamedTuple

_BLANK = " \t"
_SPACE = " \t\v\f\r"
_MARK = re.compile(r"[^ \t#;]([#;])[^ \t#;]")


class _ContinuedLine(NamedTuple):
    """A line joined with those that continue it; a backslash and its line end become two spaces. `number`: of its first
    line; `starts`: the offset of each of its lines."""

    number: int
    text: str
    starts: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """The place of the characters [start, end), as far as they are on one line."""
        at = max(number for number, begin in enumerate(self.starts) if begin <= start)
        last = self.starts[at + 1] - 1 if at + 1 < len(self.starts) else len(self.text)
        begin = self.starts[at]
        return Span(self.number + at, start - begin + 1, max(start, min(end, last)) - begin + 1)


def read_settings(text: str, name: str, kind: str, begins: str | None = None) -> Assignments:
    """The settings of a file, and what the parser skips. `begins`: the section in which another file includes this
    one."""
    settings: list[Assignment] = []
    sections: list[Token] = []
    bad: list[tuple[Span, str]] = []
    slips: list[Slip] = []
    section = begins
    includes: list[Assignment] = []
    lost = filled_in = False
    for line in _lines(text):
        begin = len(line.text) - len(line.text.lstrip(_SPACE))
        whole = line.span(begin, len(line.text.rstrip(_SPACE)))
        if begin == len(line.text) or line.text[begin] in "#;":
            continue
        if line.text[begin] == "[":
            heading, wrong = _heading(line, begin)
            section, lost = (None, True) if heading is None else (heading.text, False)
            if heading is not None:
                sections.append(heading)
            if wrong:
                bad.append((whole, wrong))
            continue
        made = _assignment(line, begin)
        if isinstance(made, str):
            if has_markup(line.text):
                filled_in = True
            else:
                bad.append((whole, made))
        elif section is not None:
            if made[0].text.lower() == "include":
                includes.append(Assignment(section, *made))
            else:
                settings.append(Assignment(section, *made))
                slips += _comment_inside_word(line, section, *made)
        elif not lost and not has_markup(line.text):
            bad.append((whole, "this comes before the first section, so nothing reads it"))
    last = line.text.strip(_SPACE)  # text behind the last line end, or joined to it by a backslash
    if last and last[0] not in "#;" and not has_markup(line.text):
        why = "the last line ends with a backslash" if text.endswith("\\\n") else "the last line has no line end"
        bad.append((line.span(0, len(line.text)), f"{why}, so it is not read"))
    return Assignments(text, name, kind, tuple(settings), tuple(sections), tuple(bad), tuple(slips),
                       tuple(includes), filled_in=frozenset([None]) if filled_in else frozenset())


def _lines(text: str) -> Iterator[_ContinuedLine]:
    kept: list[str] = []
    starts: list[int] = []
    first = at = 0
    for number, raw in enumerate(text.split("\n"), 1):
        first = first if kept else number
        starts.append(at)
        if raw.endswith("\\"):
            kept.append(raw[:-1] + "  ")
            at += len(raw) + 1
            continue
        yield _ContinuedLine(first, "".join([*kept, raw]), tuple(starts))
        kept, starts, at = [], [], 0
    if kept:
        yield _ContinuedLine(first, "".join(kept), tuple(starts))


def _heading(line: _ContinuedLine, begin: int) -> tuple[Token | None, str | None]:
    """The section that a heading begins, and what is wrong with the heading."""
    close = line.text.find("]", begin)
    if close < 0:
        return None, "this heading has no ], so the lines up to the next section are not read"
    inner, quote, argument = line.text[begin + 1:close].partition('"')
    start = begin + 1 + len(inner) - len(inner.lstrip(_BLANK))
    name = inner.strip(_BLANK)
    if quote and '"' not in argument:
        return Token(name, line.span(start, start + len(name))), "the quotation mark in this heading is never closed"
    span = line.span(start, start + len(line.text[start:close].rstrip(_BLANK)))
    if quote:  # a section of its own, with both names
        name = f'{name} "{argument.partition(quote)[0]}"'
    return Token(name, span), None


def _assignment(line: _ContinuedLine, begin: int) -> tuple[Token, Token] | str:
    """Name and value, or what is wrong with the line."""
    equals = line.text.find("=", begin)
    if equals < 0:
        return "this is not an assignment, so it is skipped; write name=value"
    key = line.text[begin:equals].rstrip(_BLANK)
    after = line.text[equals + 1:]
    start = equals + 1 + len(after) - len(after.lstrip(_BLANK))
    quote = line.text[start:start + 1]
    if quote in ("'", '"'):
        start += 1
        end = line.text.find(quote, start)
        if end < 0:
            return f"the quotation mark {quote} is never closed, so the line is skipped"
    else:
        marks = [at for at in (line.text.find("#", start), line.text.find(";", start)) if at >= 0]
        end = min(marks, default=len(line.text))
        # Trimming leaves one character, such as the carriage return of an empty value.
        end = max(min(start + 1, end), len(line.text[:end].rstrip(_SPACE)))
    if not key:
        return "no name before the equals sign; the line is skipped"
    return Token(key, line.span(begin, begin + len(key))), Token(line.text[start:end], line.span(start, end))


def _comment_inside_word(line: _ContinuedLine, section: str, key: Token, value: Token) -> list[Slip]:
    """A comment that begins inside a word, so that the author may have meant a longer value."""
    equals = line.text.find("=")
    mark = _MARK.search(line.text, equals + 1)
    begin = line.text[equals + 1:].lstrip(_BLANK)[:1]
    if mark is None or begin in ("'", '"') or not value.text:
        return []
    words = {"key": key.text, "value": value.text, "mark": mark[1]}
    return [Slip("setting-cut", line.span(mark.start(1), len(line.text.rstrip(_SPACE))), section, words)]

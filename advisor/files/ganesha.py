"""ganesha.conf: blocks that hold `name = value, value;` and other blocks, as the parser of NFS-Ganesha reads it.

A mistake does not hide what follows it: where the parser gives up, this one continues behind the next semicolon, or
where a statement or a block obviously begins or ends."""

from __future__ import annotations

import re
from bisect import bisect_right

from advisor.files.placeholders import has_markup
from advisor.files.records import Assignment, Assignments, Block, Slip, Span, Token
from advisor.named_tuple import NamedTuple

_GAP = re.compile(r"(?:[ \t\r\f\n]|#[^\n]*|\{%[^%\n]*%\}|<%[^%\n]*%>)*")
"""White space, comments, and statements of templates."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LINE = re.compile(r"[ \t]*(?P<value>\"[^\"\n]*\"|[^\s\";#]*)")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'", re.DOTALL)
_WORD = re.compile(r"[~-][ \t]*[0-9][^\s,;={}#\"']*|(?:\{\{[^}\n]*\}\}|\$\{[^{}\n]*\}|[^\s,;={}#\"'$]|\$(?!\{))+")
_PLAIN = tuple(map(re.compile, (
    r"[~-]?[ \t]*(?:0[xX][0-9a-fA-F]+|[0-9]+)(?:\.(?:0[xX][0-9a-fA-F]+|[0-9]+))?",  # numbers, and two with a dot
    r"9[pP]|@[A-Za-z_][A-Za-z0-9_.-]*|[A-Za-z_?][A-Za-z0-9._-]*",  # words and netgroups
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[1-9][0-9]?)?",
    r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:/[1-9][0-9]?)?",
    r"/(?:[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*/?)?",
    r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+/?",
)))
"""Values that need no quotation marks, apart from patterns of names."""
_PATTERN = re.compile(r"[A-Za-z0-9._*?!\[\]-]+")
_FILLED_IN = re.compile(r"\{\{[^}\n]*\}\}[^;{}\n]*;?")
"""A statement of which a template will write the beginning or all."""
_DIRECTIVES = ("include", "dir", "url", "plugin")


def _is_plain(word: str) -> bool:
    """Whether a value needs no quotation marks."""
    if any(form.fullmatch(word) for form in _PLAIN):
        return True
    return _PATTERN.fullmatch(word) is not None and any(sign in word for sign in "*?]")


class _Text:
    """The text, and the place of each character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def span(self, start: int, end: int) -> Span:
        """The place of [start, end), as far as it is on one line."""
        line = bisect_right(self._starts, start)
        stop = self.text.find("\n", start, end)
        column = start - self._starts[line - 1] + 1
        return Span(line, column, column + max(1, (stop if stop >= 0 else end) - start))

    def token(self, start: int, end: int) -> Token:
        return Token(self.text[start:end], self.span(start, end))


class _GaneshaWord(NamedTuple):
    """One value of a statement: [start, end) in the file, and its text without quotation marks."""

    start: int
    end: int
    text: str
    quoted: bool


def read_settings(text: str, name: str, kind: str, _begins: str | None = None) -> Assignments:
    """The statements of all blocks. The section of a statement is the name of the innermost block. An included file
    begins outside of all blocks."""
    return _GaneshaReader(text).read(name, kind)


class _GaneshaReader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.places = _Text(text)
        self.settings: list[Assignment] = []
        self.includes: list[Assignment] = []
        self.bad: list[tuple[Span, str]] = []
        self.slips: list[Slip] = []
        self.blocks: list[Block] = []
        self.open: list[int] = []
        """The open blocks, outermost first."""
        self.filled_in: set[int | None] = set()

    def read(self, name: str, kind: str) -> Assignments:
        while self._skip():
            self._item()
        for number in self.open:
            heading = self.blocks[number].heading
            self._wrong(heading.span, f"{heading.text} is never closed: a }} is missing")
        return Assignments(
            self.text, name, kind, tuple(self.settings), tuple(block.heading for block in self.blocks),
            tuple(sorted(self.bad)), tuple(self.slips), tuple(self.includes), tuple(self.blocks),
            frozenset(self.filled_in),
        )

    def _skip(self) -> bool:
        """Skip white space and comments. Returns whether anything follows."""
        gap = _GAP.match(self.text, self.at)
        self.at = gap.end() if gap else self.at
        return self.at < len(self.text)

    def _wrong(self, span: Span, words: str) -> None:
        self.bad.append((span, words))

    def _item(self) -> None:
        """A statement, the beginning or the end of a block, or a mistake."""
        start, sign = self.at, self.text[self.at]
        if sign == "}":
            self.at += 1
            if self.open:
                self.open.pop()
            else:
                self._wrong(self.places.span(start, self.at), "this } closes no block")
            return
        if sign == ";":
            self.at += 1
            self._wrong(self.places.span(start, self.at), "no semicolon may stand here: a block ends with its }")
            return
        name, filled_in = _NAME.match(self.text, start), _FILLED_IN.match(self.text, start)
        if name is not None:
            self._named(start, name.end())
        elif filled_in is not None:
            self.at = filled_in.end()
            self._fill_in()
        elif sign == "%":
            self._directive()
        else:
            self._lost(start)

    def _named(self, start: int, end: int) -> None:
        self.at = end
        follows = self.text[self.at] if self._skip() else ""
        if follows == "{":
            self.at += 1
            inside = self.open[-1] if self.open else None
            self.open.append(len(self.blocks))
            self.blocks.append(Block(self.places.token(start, end), inside))
        elif follows == "=":
            self.at += 1
            key = self.places.token(start, end)
            self._statement(key)
        else:
            self.at = end
            self._lost(start)

    def _lost(self, start: int) -> None:
        """Skip unknown text, up to the next semicolon or the end of the line."""
        stop = self.text.find("\n", start)
        stop = len(self.text) if stop < 0 else stop
        ends = [at for at in (self.text.find(sign, start, stop) for sign in ";}") if at >= 0]
        self.at = min(ends, default=stop)
        if self.text[self.at:self.at + 1] == ";":
            self.at += 1
        self.at = max(self.at, start + 1)
        if has_markup(self.text[start:self.at]):
            self._fill_in()
        else:
            self._wrong(
                self.places.span(start, self.at), "not a statement: write name = value; or a block in braces"
            )

    def _fill_in(self) -> None:
        self.filled_in.add(self.open[-1] if self.open else None)

    def _directive(self) -> None:
        """%include and the like, which are only allowed between blocks."""
        start = self.at
        name = _NAME.match(self.text, start + 1)
        word = name[0] if name else ""
        self.at = name.end() if name else start + 1
        rest = _LINE.match(self.text, self.at)
        if word not in _DIRECTIVES or rest is None or not rest["value"]:
            self._lost(start)
            return
        self.at = rest.end()
        key = self.places.token(start, start + 1 + len(word))
        if self.open:
            inside = self.blocks[self.open[-1]].heading.text
            self._wrong(key.span, f"%{word} is not allowed inside {inside}; write it between blocks")
            return
        quote = rest["value"].startswith('"')
        if word == "url" and not rest["value"].startswith("rados://", quote):
            self._wrong(self.places.span(*rest.span("value")), "%url takes addresses only that begin with rados://")
        begin, end = rest.start("value") + quote, rest.end("value") - quote
        self.includes.append(Assignment("", Token(word, key.span), self.places.token(begin, end)))

    def _statement(self, key: Token) -> None:
        """The values up to the semicolon."""
        words: list[_GaneshaWord] = []
        expects = True
        """Whether a value may follow, as at the beginning and after a comma."""
        while True:
            if not self._skip():
                self._unended(key, words)
                break
            sign = self.text[self.at]
            if sign == ";" and (expects is False or not words):
                self.at += 1
                break
            if sign == "}":
                self._unended(key, words)
                break
            if sign == "," and (not expects or not words):
                self.at += 1
                expects = True
                continue
            if not expects and self._begins():
                self._unended(key, words)
                break
            word = self._word() if expects else None
            if word is None:
                self._astray(key, expects)
                return
            words.append(word)
            expects = False
        self._add(key, words)

    def _begins(self) -> bool:
        """Whether a statement or a block begins here, so that a semicolon is missing before it."""
        name = _NAME.match(self.text, self.at)
        gap = _GAP.match(self.text, name.end()) if name else None
        return gap is not None and self.text[gap.end():gap.end() + 1] in ("=", "{")

    def _word(self) -> _GaneshaWord | None:
        """The value that begins here, None for none."""
        start = self.at
        if self.text[start] in "\"'":
            match = _QUOTED.match(self.text, start)
            if match is None:
                return None
            self.at = match.end()
            return _GaneshaWord(start, self.at, match[0][1:-1], True)
        match = _WORD.match(self.text, start)
        if match is None:
            return None
        self.at = match.end()
        if not has_markup(match[0]) and not _is_plain(match[0]):
            self._wrong(self.places.span(start, self.at), f'{match[0]} has to be in quotation marks: "{match[0]}"')
        return _GaneshaWord(start, self.at, match[0], False)

    def _unended(self, key: Token, words: list[_GaneshaWord]) -> None:
        """A statement without its semicolon."""
        span = self.places.span(words[-1].start, words[-1].end) if words else key.span
        self._wrong(span, f"no semicolon ends {key.text}")

    def _astray(self, key: Token, expects: bool) -> None:
        """Skip text that cannot be a value, up to the semicolon or the end of the line."""
        start = self.at
        stop = self.text.find("\n", start)
        stop = len(self.text) if stop < 0 else stop
        end = self.text.find(";", start, stop)
        self.at = stop if end < 0 else end + 1
        if has_markup(self.text[start:self.at]):
            return
        words = "a quotation mark is never closed" if self.text[start] in "\"'" else (
            "a value is missing here" if expects else "a comma or a semicolon is missing before this"
        )
        self._wrong(self.places.span(start, max(start + 1, self.at)), f"{key.text}: {words}")

    def _add(self, key: Token, words: list[_GaneshaWord]) -> None:
        block = self.open[-1] if self.open else None
        section = self.blocks[block].heading.text if block is not None else ""
        if words:
            inner = 1 if words[0].quoted and len(words) == 1 else 0
            span = self.places.span(words[0].start + inner, words[-1].end - inner)
        else:
            span = Span(key.span.line, key.span.end_column, key.span.end_column)
        value = Token(",".join(word.text for word in words), span)
        if block is None:
            self._wrong(key.span, f"{key.text} is in no block, so nothing reads it")
        else:
            values = tuple(
                Token(self.text[word.start:word.end], self.places.span(word.start, word.end)) for word in words
            )
            self.settings.append(Assignment(section, key, value, block=block, values=values))

"""Words and signs of a shell, and of the languages that write blocks in brackets, with the places of all words.

Nothing is run or expanded: `$NAME` and `$(…)` stay in the words as placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.files.records import Placed
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_PLAIN = {True: regex(r"[^\s'\"\\$`#;&|<>(){]+"), False: regex(r"[^\s'\"\\$`#;,<>(){}\[\]=|]+")}
_GAP = regex(
    r"\{\{[^\n{}]*(?:\{[^{}\n]*\}[^{}\n]*){0,4}\}\}|<%[^%\n]*%>|<[A-Za-z_][\w.-]*>"
    r"|<[A-Za-z_][\w. -]*>(?=:)|[#$]\{[^{}\n]*\}|\$[\w@*#?!-]|#|\$(?!\()"
)
"""Placeholders, and signs that are a part of a word."""
_COMMENT = regex(r"#(?!\{)")
_INDEX = regex(r"\[:?(?:'[^'\n]*'|\"[^\"\n]*\"|\w+)\]")
_ARRAY = regex(r"%[wW](?:\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\})")
_BLANK = regex(r"(?:[ \t\r]|\\\r?\n|\{%[^%\n]*%\})+")
_SIGN = {
    True: regex(r"\d{0,3}(?:&>>|>>|>\||<<<|<<-|<<|&>|[<>]&|>|<)|;;|&&|\|\||\|&|[;&|(){}\n]"),
    False: regex(r"<<[-~]?(?=[\"'A-Za-z_])|=[=>~]|[][=;,(){}\n<>|]"),
}
_PIECE = regex(r'[^"\\$#]+|\\.|[$#]\{|\$\(|.', re.DOTALL)
_BRACKET = {")": regex(r"\\.|['\"()]", re.DOTALL), "}": regex(r"\\.|['\"{}\n]", re.DOTALL)}
_INDENTED, _BRACE = regex(r"''[$'\\]|''|\$\{"), regex(r"[{}]")
_NAME = regex(r"[^\s{}()\"]*\}")
_CLOSES = {"<!--": "-->", "<![C": "]]>"}
"""Beginning → end of what has no tags in XML."""
_TAG = regex(r"<(/?)([^<>\s/]+)((?:[\s/][^<>]*)?)>")
_ATTRIBUTE = regex(r"\s([\w:.-]{1,60})=(?:\"([^\"<>]*)\"|'([^'<>]*)')")
_UNNAMED = ("source", "fs:mount_opts")
"""Elements of libvirt whose content counts as that of the element around."""
_DELIMITER = regex(r"[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.:-]+))")


WIDTH = 200
"""Characters in which `${…}` has to end."""


class Word(NamedTuple):
    """`text`: without its quotes. `bare`: nothing of it was quoted."""

    text: Placed
    bare: bool = True

    @property
    def value(self) -> str:
        return self.text.text


class Scanner:
    """`commands`: whether a shell reads the text. `slashes`: whether `//` begins a comment. `long`: the quotes of a
    text of several lines. `inner`: the commands inside `$(…)`."""

    def __init__(self, text: Placed, commands: bool = True, slashes: bool = False, long: tuple[str, ...] = ()) -> None:
        self.source, self.text = text, text.text
        self.commands, self.long = commands, long
        self.comments = () if commands else ("/*", "//") if slashes else ("/*",)
        self.inner: list[Placed] = []

    def tokens(self) -> Iterator[Word | str]:
        """Words, and signs as strings. Behind the sign << comes the here-document."""
        at, resume = 0, 0
        while at < len(self.text):
            blank = _BLANK.match(self.text, at)
            if blank:
                at = blank.end()
            elif not self.commands and (array := _ARRAY.match(self.text, at)):
                at = array.end()
                for item in re.finditer(r"\S+", array[0][3:-1]):
                    yield Word(self.source.cut(*(array.start() + 3 + place for place in item.span())), False)
            elif self.text.startswith(self.comments, at) or _COMMENT.match(self.text, at):
                at = self._find("*/" if self.text.startswith("/*", at) else "\n", at)
            elif (sign := None if _GAP.match(self.text, at) else _SIGN[self.commands].match(self.text, at)) is None:
                word, at = self._word(at)
                yield word
            else:
                at = sign.end()
                name = sign[0].lstrip("0123456789")
                yield "<<" if name in ("<<-", "<<~") else sign[0]
                if name in ("<<", "<<-", "<<~") and (delimiter := _DELIMITER.match(self.text, at)):
                    at = delimiter.end()
                    ending = delimiter[1] or delimiter[2] or delimiter[3]
                    body, resume = self._document(resume or self._find("\n", at) + 1, ending)
                    yield Word(body, bare=self.commands and delimiter[3] is not None)
                elif sign[0] == "\n" and resume:
                    at, resume = resume, 0

    def _find(self, sign: str, at: int) -> int:
        """Where a sign follows; a bracket is passed over."""
        end = self.text.find(sign, at)
        return len(self.text) if end < 0 else end + (len(sign) if sign != "\n" else 0)

    def _document(self, start: int, ending: str) -> tuple[Placed, int]:
        """A here-document that begins here, and where the text goes on."""
        at = start
        while at < len(self.text):
            end = self._find("\n", at)
            if self.text[at:end].strip() == ending:
                return self.source.cut(start, at), end + 1
            at = end + 1
        return self.source.cut(start, at), at

    def _word(self, start: int) -> tuple[Word, int]:
        parts: list[Placed | str] = []
        at, bare = start, True
        while at < len(self.text):
            char, end = self.text[at], at
            long = next((quote for quote in self.long if self.text.startswith(quote, at)), "")
            plain = _PLAIN[self.commands].match(self.text, at) or _GAP.match(self.text, at)
            plain = plain or (_INDEX.match(self.text, at) if parts and not self.commands else None)
            if plain:
                end = plain.end()
            elif long == "''":
                text, end = self._indented(at + len(long))
                parts.append(text)
                at, bare = end, False
                continue
            elif long:
                end = self._find(long, at + len(long))
            elif self.text.startswith("$(", at):
                end = self._bracket(at + 2, ")")
            elif char in "'`":
                end = self._find(char, at + 1)
                if char == "`":
                    self.inner.append(self.source.cut(at + 1, end - 1))
            elif char == '"':
                end = self._double(at + 1)
            elif char == "\\" and self.text[at + 1 : at + 2] not in ("\r", "\n", ""):
                end = at + 2
            elif parts and self.text.startswith("\\\n", at) and self.text[at + 2 : at + 3].strip():
                at += 2
                continue
            if end == at:
                break
            inside = (at, end)
            if char in "'\"" and not plain:
                inside = (at + len(long or "'"), end - len(long or "'"))
                bare = False
            text = self.source.cut(*inside)
            if char == '"' and not plain and not long:
                text = text.unescaped('"\\$`\r\n' if self.commands else "")
            parts.append(text if char != "\\" else self.source.cut(at + 1, end))
            at = end
        return Word(Placed.joined(parts), bare), max(at, start + 1)

    def _indented(self, at: int) -> tuple[Placed, int]:
        """The text of Nix that begins here, and where it goes on behind. `${…}` with code inside becomes a gap."""
        parts: list[Placed | str] = []
        start = at
        while sign := _INDENTED.search(self.text, at):
            at = sign.end()
            if sign[0] == "''":
                return Placed.joined([*parts, self.source.cut(start, sign.start())]), at
            depth = int(sign[0] == "${")
            while depth and (brace := _BRACE.search(self.text, at)):
                depth += 1 if brace[0] == "{" else -1
                at = brace.end()
            if sign[0] == "${" and (depth or not _NAME.fullmatch(self.text, sign.end(), at)):
                parts += [self.source.cut(start, sign.start()), "${_}"]
                at = start = len(self.text) if depth else at
        return Placed.joined([*parts, self.source.cut(start, len(self.text))]), len(self.text)

    def _double(self, at: int) -> int:
        """Where the text goes on behind the double quotes that this is in."""
        while at < len(self.text):
            piece = _PIECE.match(self.text, at)
            at = piece.end() if piece else at + 1
            if piece and piece[0] == '"':
                return at
            if piece and piece[0][-1] in "({" and len(piece[0]) == 2 and (self.commands or piece[0] != "$("):
                at = self._bracket(at, ")" if piece[0] == "$(" else "}")
        return at

    def _bracket(self, start: int, closing: str) -> int:
        """Where `$(…)` or `${…}` ends whose inside begins here."""
        depth, quote = 1, ""
        for sign in _BRACKET[closing].finditer(self.text, start, len(self.text) if closing == ")" else start + WIDTH):
            char = sign[0]
            if quote or char in "'\"":
                quote = "" if char == quote else quote or char
            elif char == "\n":
                return start
            elif char in "(){}":
                depth += -1 if char == closing else 1
                if not depth:
                    if closing == ")":
                        self.inner.append(self.source.cut(start, sign.start()))
                    return sign.end()
        return len(self.text) if closing == ")" else start


def elements(source: Placed) -> Iterator[Word | str]:
    """The elements of XML as blocks. A key with a value is an attribute, an element that has only text, and one that
    has nothing but one attribute. Comments are left out, and no tags are in CDATA."""
    kept: list[str] = []
    at = 0
    while (start := source.text.find("<!", at)) >= 0:
        end = source.text.find(_CLOSES.get(source.text[start : start + 4], ">"), start)
        end = len(source.text) if end < 0 else end
        kept += [source.text[at:start], " " * (end - start)]
        at = end
    text = "".join(kept) + source.text[at:]
    tags = [*_TAG.finditer(text)]
    is_value = False
    for tag, follows in zip(tags, [*tags[1:], None]):
        name = Word(source.cut(*tag.span(2)))
        attributes = [(Word(source.cut(*one.span(1))), one.span(2 if one[2] is not None else 3))
                      for one in _ATTRIBUTE.finditer(text, *tag.span(3))]
        closed = tag[3].endswith("/")
        opens = tag[2] not in _UNNAMED
        if tag[1]:
            yield from "}" if opens and not is_value else ""
            is_value = False
            continue
        is_value = not closed and follows is not None and follows[1] == "/" and follows[2] == tag[2]
        pairs = attributes
        if is_value and follows is not None:
            pairs = [(name, (tag.end(), follows.start()))]
        elif closed and len(attributes) == 1:
            pairs = [(name, attributes[0][1])]
        elif opens:
            yield from (name, "{")
        for key, value in pairs:
            yield from (key, "=", Word(source.cut(*value), False), "\n")
        if opens and closed and pairs is attributes:
            yield "}"


class ShellCommand(NamedTuple):
    """`targets`: the files that its output goes to. `fed`: text that goes to its input, bare if a shell expands it.
    `group`: the same for commands that are all run or none is. `piped`: whether the next command reads its output."""

    words: list[Word]
    targets: list[Word]
    fed: list[Word]
    group: int
    piped: bool


_CONTROL = frozenset((
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "in", "!",
))


def commands(tokens: Iterator[Word | str]) -> list[ShellCommand]:
    """The simple commands of a shell."""
    group, alternative, waiting = 0, False, ""  # odd numbers are of commands behind `||`
    words: list[Word] = []
    targets: list[Word] = []
    fed: list[Word] = []
    read: list[ShellCommand] = []
    opened: list[int] = []  # where the groups begin whose end has not come
    start = array = 0
    behind, feeds = "", -1  # the sign before, and where the group begins whose output the next command reads
    for token in (*tokens, "\n"):
        before, behind = behind, token if isinstance(token, str) else ""
        if array and (token in (")", "\n") or isinstance(token, Word)):
            if isinstance(token, Word):
                words.append(token)
            elif token in (")",):
                items = words[array:]  # one word with the name: a list of options, or arguments
                between = " " if any(word.value.startswith("-") for word in words[array - 1 :]) else ","
                listed = [part for item in items for part in (between, item.text)][1:]
                words[array - 1 :] = [Word(Placed.joined([words[array - 1].text, *listed]))]
                array = 0
            continue
        if token in ("(",) and words and words[-1].value.endswith("="):
            array = len(words)
            continue
        array = 0
        if token in ("{", "(") or (isinstance(token, Word) and token.value == "do" and not words):
            opened.append(len(read))
        elif opened and (token in ("}", ")") or (isinstance(token, Word) and token.value == "done" and not words)):
            start = opened.pop()
        if isinstance(token, Word):
            if not words and not waiting and token.bare and token.value in _CONTROL:
                group += 2 * (token.value != "!")
            elif waiting in ("<<", "<<<"):
                fed.append(token if waiting == "<<" else Word(Placed.joined([token.text, "\n"]), False))
            elif not waiting:
                words.append(token)
            elif waiting.lstrip("1&") in (">", ">>", ">|"):
                targets.append(token)
            waiting = ""
        elif token[-1] in "<>" or token.endswith((">|", ">&", "<&")):
            waiting = token
        elif words or fed or targets:
            if not words and targets:  # of a group of commands
                read[start:] = [one._replace(targets=one.targets or targets) for one in read[start:]]
            else:
                if feeds >= 0:
                    file = _file_written(words)
                    read[feeds:] = [one._replace(targets=one.targets or file) for one in read[feeds:]]
                read.append(ShellCommand(words, targets, fed, group + alternative, token in ("|", "|&")))
            words, targets, fed, feeds = [], [], [], -1
            group += 2 * (token in ("{", "}", "(", ")", ";;"))
            alternative = token in ("||",) or (alternative and token in ("|", "|&"))
        elif token in ("|",) and before in (")", "}"):
            feeds = start
    return read


def _file_written(words: list[Word]) -> list[Word]:
    """The file to which a command writes what it reads: that of tee, and a crontab."""
    at = next((n for n, word in enumerate(words) if word.value.rpartition("/")[2] in ("tee", "crontab")), len(words))
    named = [word for word in words[at + 1 :] if word.value[:1] != "-"] if at < len(words) else []
    return named[-1:] or words[at : at + 1]


MOUNTS = ("mount", "mount.nfs", "mount.nfs4", "systemd-mount")
TYPES = frozenset(("nfs", "nfs4", "efs", "s3files", "aznfs", "nfs3", "vastnfs"))


class MountWords(NamedTuple):
    """The arguments of a mount command: words by number; those of options by number and first character. `surplus`:
    whether there are more words than such a command has."""

    source: int | None
    target: int | None
    fstype: tuple[int, int] | None
    options: list[tuple[int, int]]
    surplus: bool


_LONG = {"--types": "t", "--options": "o", "--source": "s", "--target": "d"}


def mount_words(words: Sequence[str]) -> MountWords:
    """The arguments of the mount command whose name is the first word."""
    given: dict[str, list[tuple[int, int]]] = {"t": [], "o": [], "s": [], "d": []}
    rest: list[int] = []
    waiting = ""
    for number, word in enumerate(words[1:], 1):
        long, equals, _ = word.partition("=")
        sign, first = _LONG.get(long, ""), len(long) + 1 if equals else len(word)
        if not sign and word.startswith("-") and not word.startswith("--"):  # letters, the last of which has a value
            sign = next((char for char in word if char in "to"), "")
            first = word.find(sign) + 1
        if waiting:
            given[waiting].append((number, 0))
            waiting = ""
        elif sign and first < len(word):
            given[sign].append((number, first))
        elif sign:
            waiting = sign
        elif not word.startswith("-"):
            rest.append(number)
    rest = [number for number, _ in given["s"]] + rest
    source = rest[0] if rest else None
    target = given["d"][0][0] if given["d"] else rest[1] if len(rest) > 1 else None
    return MountWords(source, target, given["t"][-1] if given["t"] else None, given["o"], len(rest) > 2)


def long_options(words: Sequence[Word]) -> dict[str, list[Placed]]:
    """The values of the options of a command: `--key value`, `-k value` or `--key=value`."""
    given: dict[str, list[Placed]] = {}
    for before, word in zip(words, words[1:]):
        key, equals, _ = word.value.partition("=")
        if before.value.startswith("-") and "=" not in before.value:
            given.setdefault(before.value.lstrip("-"), []).append(word.text)
        elif equals and key.startswith("--"):
            given.setdefault(key[2:], []).append(word.text.cut(len(key) + 1))
    return given


def printed(words: Sequence[Word]) -> Placed:
    """What echo or printf prints. Some shells' echo needs -e for a backslash; where it is missing it is meant."""
    listed, between, end = [word.text for word in words[1:]], " ", "\n"
    while words[0].value == "echo" and listed and re.fullmatch(r"-[neE]+", listed[0].text):
        end = "" if "n" in listed.pop(0).text else end
    if words[0].value == "printf" and listed:  # a format, or the lines that go into it
        listed, between = (listed[1:], "\n") if listed[0].text.startswith("%s") else (listed[:1], "")
    texts = [text.unescaped("nt\\") for text in listed]
    return Placed.joined([*[part for text in texts for part in (text, between)][:-1], end])


def replacement(text: Placed) -> Placed | None:
    """What `s/NAME=.*/NAME=VALUE/` writes in place of a setting of the same name."""
    parts = text.text.split(text.text[1:2] or "/")
    name, equals, _ = parts[2].partition("=") if len(parts) == 4 and parts[0] == "s" else ("", "", "")
    start = len(parts[1]) + 3 if equals else 0
    return text.cut(start, start + len(parts[2])) if name and f"{name}=" in parts[1] else None


def assigned(word: Word) -> int:
    """Where the value of a word begins that sets a variable; 0 for other words."""
    match = re.match(r"[A-Za-z_]\w*\+?=", word.value)
    return match.end() if match else 0

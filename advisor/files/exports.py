"""exports(5), split into paths, clients and options as exportfs does it, and which of them it keeps; and the exports of
a Pacemaker configuration, which the agent exportfs passes to the command of that name without a file.

What the options mean is in export_options, who a client is in export_clients, and what a client gets that asks for a
path in export_lookup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.files.export_clients import is_dropped, is_placeholder, one_spelling
from advisor.files.mountinfo import decoded
from advisor.files.placeholders import default_of, has_markup, masked
from advisor.files.records import Assignments, Field, Span, Token, pieces
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_STOPS = ("\r", "\f", "\v")
"""White space that exportfs does not skip at the beginning of a line."""
_AGENT = "exportfs"
MAX_DIGITS = 20
"""The most digits of an fsid to which the number of a directory is added."""
LONGEST = 511
"""Bytes that exportfs has room for: a client with its options."""
_NUMBER = regex(r"[+-]?(?:0[xX][0-9A-Fa-f]+|0[0-7]*|[1-9][0-9]*)")
_OTHER = regex(r"[^0-9A-Fa-f]+")
UUID_DIGITS = 32
"""Hexadecimal digits of a UUID; separators between them do not count."""


class Export(NamedTuple):
    """One client of one path. `client`: "" if none is named, which means everybody. `options`: including those that
    the line gives to all its clients. `listed`: options are written. `bad`: why exportfs stops reading the file here,
    for people. `apart`: the list in parentheses that a space separates from this client. `fixable`: the file is edited
    by people, not by a cluster."""

    path: Field
    client: Field
    options: Field
    listed: bool
    bad: str | None
    apart: Token | None
    line_no: int
    raw: str = ""
    fixable: bool = True

    @property
    def is_root(self) -> bool:
        """Whether fsid= makes it the root of NFSv4."""
        return self.file_system == "0"

    @property
    def file_system(self) -> str | None:
        """What the last fsid= says, in one spelling; None without one, or for a value that exportfs refuses."""
        texts = [part.text for part in self.options.parts if part.text.startswith("fsid=")]
        return file_system(texts[-1][len("fsid="):]) if texts else None

    @property
    def names_file_system(self) -> bool:
        """Whether an option says which file system it is, or how those below it are numbered."""
        return any(part.text.startswith(("fsid=", "reexport=")) for part in self.options.parts)

    @property
    def source(self) -> Field:
        return self.path

    @property
    def target(self) -> Field:
        return self.client

    @property
    def fstype(self) -> Field:
        return self.path


class KeptExport(NamedTuple):
    """An export that exportfs makes. `file`: the file that it is in. `path`: without doubled slashes. `client`: in one
    spelling per host."""

    export: Export
    file: str
    path: str
    client: str


def kept(exports: Iterable[Export], file: str = "") -> list[KeptExport]:
    """The exports of one file that exportfs can make. Placeholders are left out: what they become is not known."""
    made = []
    for export in exports:
        path, written = plain(export.path.text), export.client.text
        if export.bad is not None or has_markup(path) or is_placeholder(written) or is_dropped(written):
            continue
        # A list of options by itself, behind a space, is for everybody.
        client = one_spelling(written) or ("*" if export.client.near != export.path.span else "")
        made.append(KeptExport(export, file, path, client))
    return made


def plain(path: str) -> str:
    """A path as exportfs resolves it: one slash between two names, none at the end."""
    return path[:1] + "/".join(part for part in path.split("/") if part) if path.startswith("/") else path


_NUMBERS = regex(r"([0-9]+)")
_UNREAD = regex(r"(?:^|/)exports\.d/(?:\.[^/]*|[^/]*(?<!\.exports))$")


def folder_of(name: str) -> str | None:
    """The folder that contains exports and exports.d; None for a file that exportfs does not read."""
    folder, _, last = name.rpartition("/")
    if last == "exports" and not folder.endswith("exports.d"):
        return folder
    above, _, own = folder.rpartition("/")
    return above if own == "exports.d" and last.endswith(".exports") and not last.startswith(".") else None


def is_ignored(name: str) -> bool:
    """Whether a file is in exports.d under a name that exportfs passes over."""
    return _UNREAD.search(name) is not None


def order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """Sort key: exports first, then the files of exports.d, with numbers in numerical order."""
    last = name.rpartition("/")[2]
    pieces = [(int(piece[:18]), "") if piece.isdigit() else (-1, piece) for piece in _NUMBERS.split(last)]
    return last != "exports", pieces


def read(text: str) -> list[Export]:
    """Every client of every line. Where exportfs would stop, the entry is `bad`, and the rest is read all the same."""
    exports: list[Export] = []
    for words, stop in _entries(text):
        if not words:
            nothing = Field((), stop or Span(1, 1, 1))  # a line of white space other than spaces and tabs
            why = "this empty line contains a carriage return"
            exports.append(Export(nothing, nothing, nothing, False, why, None, nothing.near.line))
            continue
        path, clients = words[0], words[1:]
        where = Field([path], path.span)
        common: list[Token] = []
        everybody = True  # no client follows the path, or the last list of options for those that follow
        for number, word in enumerate(clients):
            listed = word.text.startswith("-") and (number == 0 or not everybody)
            everybody = listed
            if listed:
                if len(common) > LONGEST or len(word.text) > LONGEST:  # each export of the line would have them all
                    bad = f"a list of options is longer than {LONGEST} characters"
                    exports.append(Export(where, Field((), word.span), Field((), word.span), True, bad, None,
                                          word.span.line))
                    everybody = False
                    break
                common = common + _items(word, 1, len(word.text.rstrip(",")))
                continue
            following = clients[number + 1] if number + 1 < len(clients) else None
            apart = following if following is not None and following.text.startswith("(") else None
            exports.append(_export(where, word, common, None if "(" in word.text else apart))
            if exports[-1].bad is not None:
                break  # the following words belong to the list that cannot be read
        if everybody:
            exports.append(Export(where, Field((), path.span), Field(common, path.span), bool(common), None,
                                  None, path.span.line))
        if stop is not None:
            exports[-1] = exports[-1]._replace(bad="a quotation mark is not closed")
    return exports


def _export(path: Field, word: Token, common: list[Token], apart: Token | None) -> Export:
    name, opened, rest = masked(word.text).partition("(")
    name, rest = word.text[: len(name)], word.text[len(name) + len(opened) :]
    long = len(word.text.encode("utf-8", "surrogateescape")) > LONGEST
    bad = f"the client and its options are longer than {LONGEST} characters" if long else None
    items: list[Token] = []
    if opened:
        inside, closed, behind = masked(rest).partition(")")
        if not closed:
            bad = "the list of options has no closing parenthesis; it must not contain a space"
        elif behind and word.text.endswith(behind):  # else it is a placeholder, or a statement of a template
            bad = f"{behind} follows the closing parenthesis directly; put a space between them"
        items = _items(word, len(name) + 1, len(name) + 1 + len(inside))
    span = word.span if not word.exact else Span(word.span.line, word.span.column, word.span.column + len(name))
    client = Field([Token(name, span, exact=word.exact)] if name else [], word.span)
    near = word.span if not items else items[0].span
    listed = bool(opened or common)
    return Export(path, client, Field([*common, *items], near), listed, bad, apart, word.span.line)


def _items(word: Token, start: int, end: int) -> list[Token]:
    text = word.text[start:end]
    if not word.exact:
        return [Token(option, word.span, exact=False) for option in text.split(",")] if text else []
    default = default_of(text)  # of the variable of a template that stands for all options
    start, end = (start + default[0], start + default[1]) if default else (start, end)
    text = word.text[start:end]
    return pieces(text, Span(word.span.line, word.span.column + start, word.span.column + end)) if text else []


def _entries(text: str) -> Iterator[tuple[list[Token], Span | None]]:
    """The words of each entry, and the place of a quotation mark that is not closed. No words: a line at which exportfs
    stops without a message. A backslash at the very end of a line continues it."""
    words: list[Token] = []
    for number, raw in enumerate(text.split("\n"), 1):
        if not words and raw.lstrip(" \t")[:1] in _STOPS:
            yield [], Span(number, 1, len(raw) + 1)
            continue
        more, goes_on, opened = _words(raw, number)
        words += more
        if words and not goes_on:
            yield words, opened
            words = []
    if words:
        yield words, None


def _words(line: str, number: int) -> tuple[list[Token], bool, Span | None]:
    """The words of a line, whether the next line continues it, and the place of a quotation mark that is not closed."""
    words: list[Token] = []
    quoted, shape = False, masked(line)
    end = len(line) - 1 if line.endswith("\\") else len(line)
    runs = re.finditer(r"[^ \t\r\f\v]+", shape[:end])
    for run in runs:
        begin, at = run.span()
        if shape[begin] == "#":
            return words, False, None
        quoted = shape.count('"', begin, at) % 2 == 1
        while quoted:  # the space is part of the word
            more = next(runs, None)
            at = end if more is None else more.end()
            if more is None:
                break
            quoted = shape.count('"', more.start(), at) % 2 == 0
        raw = line[begin:at]
        text = decoded(raw.replace('"', "") if '"' in shape[begin:at] else raw)
        words.append(Token(text, Span(number, begin + 1, at + 1), text == raw))
    return words, end < len(line), words[-1].span if quoted else None


def file_system(fsid: str) -> str | None:
    """One spelling for all values of fsid= that mean the same file system, "0" for the root of NFSv4; None for a value
    that exportfs refuses."""
    if fsid == "root":
        return "0"
    whole = strtoul(fsid)
    if whole is not None:
        return str(whole & 0xFFFFFFFF)
    digits = _OTHER.sub("", fsid)
    return digits.lower() if len(digits) == UUID_DIGITS else None


def strtoul(text: str) -> int | None:
    """A number as strtoul(3) reads it: decimal, hexadecimal or octal; None if it is none."""
    if not _NUMBER.fullmatch(text):
        return None
    bare = text.lstrip("+-")
    return int(text, 16 if bare[:2] in ("0x", "0X") else 8 if bare[:1] == "0" else 10)


def cluster_exports(file: Assignments) -> list[Export]:
    """The exports of all resources of the agent, except for those whose parameters are defined elsewhere."""
    resources: dict[int | None, dict[str, Token]] = {}
    for setting in file.settings:
        if setting.section == _AGENT:
            resources.setdefault(setting.block, {})[setting.key.text] = setting.value
    lines = file.text.split("\n")
    whole = (resource for resource in resources.values() if "agent" in resource)
    return [export for resource in whole for export in _agent_exports(resource, lines)]


def _agent_exports(parameters: Mapping[str, Token], lines: list[str]) -> Iterator[Export]:
    """One for each directory of a resource; `fsid` goes up by one from each to the next."""
    directories = list(_parameter_words(parameters.get("directory"), lines))
    for number, path in enumerate(directories):
        client = parameters.get("clientspec", Token("", path.span))
        # Only the command wants brackets around an IPv6 address.
        name = client.text.replace("[", "").replace("]", "") if client.text.count(":") > 1 else client.text
        parts = list(_agent_options(parameters, lines, number if len(directories) > 1 else None))
        yield Export(
            Field([path], path.span),
            Field([Token(name, client.span, name == client.text and _is_exact(client, lines))], client.span),
            Field(parts, parameters["options"].span if "options" in parameters else parameters["agent"].span),
            True, None, None, path.span.line, fixable=False,
        )


def _agent_options(parameters: Mapping[str, Token], lines: list[str], number: int | None) -> Iterator[Token]:
    """The options, with the fsid that the agent inserts. `number`: of the directory, if there are several."""
    at = parameters.get("fsid")
    given = list(_parameter_words(parameters.get("options"), lines, ","))
    written = next((part for part in reversed(given) if part.text.startswith("fsid=")), None)
    fsid = at.text if at is not None else "" if written is None else written.text[len("fsid="):]
    if fsid.isdecimal() and fsid.isascii() and len(fsid) <= MAX_DIGITS and number is not None:
        fsid = str(int(fsid) + number)
    for part in given:
        own = part.text.startswith("fsid=") and part.text != f"fsid={fsid}"
        yield Token(f"fsid={fsid}", at.span if at is not None else part.span, exact=False) if own else part
    if at is not None and at.text and written is None:
        yield Token(f"fsid={fsid}", at.span, exact=False)


def _parameter_words(token: Token | None, lines: list[str], between: str | None = None) -> Iterator[Token]:
    """The words of a parameter, each with its place."""
    if token is None:
        return
    exact = _is_exact(token, lines)
    line, column, _ = token.span
    at = 0
    for word in token.text.split(between):
        start = token.text.index(word, at)
        at = start + len(word)
        text = word.strip()
        if text:
            begin = column + start + word.index(text)
            yield Token(text, Span(line, begin, begin + len(text)) if exact else token.span, exact)


def _is_exact(token: Token, lines: list[str]) -> bool:
    """Whether the file has the value literally, without entities and line ends."""
    line, column, end = token.span
    return lines[line - 1][column - 1 : end - 1] == token.text

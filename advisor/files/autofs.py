"""The automounter's files: maps in the sun format (autofs(5)), indirect, direct, or with several mounts; master files
(auto.master(5)); and autofs.conf and the older file of variables, as automount (lib/defaults.c) reads both. Maps that
are programs are not run, and other maps than the given one are not opened."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.placeholders import has_markup, masked
from advisor.files.records import (
    Assignment,
    Assignments,
    Field,
    MountEntry,
    MountTable,
    Placed,
    Span,
    Token,
    continued_lines,
    pieces,
)
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

OWN = regex(
    r"fstype=.*|(?:no)?strict|(?:no-)?use-weight-only|(?:no)?symlink|nobind|(?:no)?browse|(?:negative-)?timeout=.*|"
    r"hosts|mode=.*|D\w+=.*|-.*|"
)
"""Options for the automounter itself."""
_LOCATION = regex(r"(?:\[[^\]\s]*\]|[^\s:/\[\]]*):.*")
_MASTER = regex(
    r"\+|/\S*[ \t]+(?:-(?:hosts|null)\b|(?:file|program|yp|nis|nisplus|ldaps?|hesiod|sss|dir|multi|exec)[,:]\S|"
    r"auto[._]\S|/\S*auto[._]\S)"
)
_SHORT = ("-t", "-n", "-g", "-v", "-d", "-w", "-r")
_WITH_NUMBER = ("-t", "-n", "--timeout", "--negative-timeout")
_WORD = regex(r'(?:[^\s"\\]|\\.?|"[^"]*"?)+')
_QUOTING = regex(r'\\(.)|"')
_WEIGHT = regex(r"\(\d+\)")
_MASTER_WORD = regex(r"\S+")
_MASTER_PIECE = regex(r"[^,]+")
_MAP = regex(
    r"-(?:hosts|null|xfn)$|(?:file|program|yp|nis|nisplus|ldaps?|hesiod|sss|dir|multi|exec)[,:]|/|auto[._]"
)
_TAKE_NUMBER = ("timeout", "negative-timeout")
_LONG_FORMS = {
    "-t": "timeout", "-n": "negative-timeout", "-g": "ghost", "-v": "verbose", "-d": "debug", "-w": "use-weight-only",
    "-r": "random-multimount-selection",
}
_FORMATS = ("file", "sun", "program", "exec", "yp", "nis", "nisplus", "ldap", "ldaps", "hesiod", "sss", "dir", "multi")
_BLANK = " \t"
_QUOTED = _BLANK + '"'


class _Word:
    """A word of an entry, and its place. `means`: without its quotation marks and backslashes. `locates`: it has the
    form of a location."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text = text
        self.means = _QUOTING.sub(r"\1", text)
        self.locates = _LOCATION.fullmatch(masked(self.means)) is not None
        self.span = Span(line, column, column + len(text))


def read_maps(text: str, name: str, kind: str) -> MountTable:
    """Every mount of a map, or the options of each line of a master file. A location without a server (`:/dev/cdrom`)
    is not NFS and has the type "none"."""
    mounts: list[MountEntry] = []
    bad: list[tuple[Span, str]] = []
    keys: dict[str, int] = {}
    entry: list[_Word] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip()
        if not entry and (not line.strip() or line.lstrip().startswith("#")):
            continue
        more = line.endswith("\\")
        words = _WORD.finditer(masked(line[:-1] if more else line))
        entry += [_Word(line[match.start() : match.end()], number, match.start() + 1) for match in words]
        if not more:
            _entry(entry, keys, mounts, bad)
            entry = []
    if entry:
        _entry(entry, keys, mounts, bad)
    return MountTable(text, name, kind, tuple(mounts), tuple(bad))


def _entry(words: list[_Word], keys: dict[str, int], mounts: list[MountEntry], bad: list[tuple[Span, str]]) -> None:
    """Read an entry. `keys`: of those before it, with their lines."""
    line = " ".join(word.text for word in words)
    if not words:
        return
    if _MASTER.match(line):
        if not line.startswith("+"):
            mounts.extend(_defaults(line, words))
        return
    key, rest = words[0], words[1:]
    if rest and any(word.text.startswith("-fstype=nfs") for word in rest[:-1]):
        rest[-1].locates |= has_markup(rest[-1].text)
    if not any(word.locates for word in rest):
        if key.text.startswith("/") and rest and rest[0].text.startswith("/"):
            return  # a line of a master file: a map with any file name
        if len(rest) > 1 and has_markup(key.text) and _MASTER.match(f"/ {rest[0].text}"):
            mounts.extend(_defaults(line, words))
        if has_markup(line):
            return  # once filled in, it may be a location or a line of a master map
        end = words[-1].span.end_column if words[-1].span.line == key.span.line else key.span.end_column
        bad.append((Span(key.span.line, key.span.column, end), "no location follows; write server:/path"))
        return
    if "/" in key.means and not key.means.startswith("/"):
        bad.append((key.span, "automount skips a key with a slash in it, unless it begins with one"))
        return
    first = keys.setdefault(key.means, key.span.line)
    if first != key.span.line and not has_markup(key.means):
        bad.append((key.span, f"{key.means} is already a key in line {first}, and automount uses the first entry"))
        return
    common: list[Token] = []
    own: list[Token] = []
    offset: _Word | None = None
    located = False
    for before, word in zip(words, rest):
        if word.text.startswith("-") and located:
            bad.append((word.span, "nothing reads options behind a location; write them before it"))
        elif word.text.startswith("-"):
            (own if offset is not None else common).extend(_options(word))
        elif word.locates:
            target, located = key if offset is None else offset, True
            mounts.append(_mount(line, target, word, [*common, *own]))
        elif word.text.startswith("/"):
            offset, own, located = word, [], False
        elif not located:
            bad.append((word.span, _out_of_place(key, before, word)))


def _out_of_place(key: _Word, before: _Word, word: _Word) -> str:
    """What is wrong with a word that is neither options nor a location."""
    if before.text.startswith("-") and (before.text.endswith(",") or word.text.startswith(",")):
        return f"a space ends the options; write {before.text.rstrip(',')},{word.text.lstrip(',')}"
    if before is key and '"' not in f"{key.text}{word.text}":
        return f'a space ends the key; write "{key.text} {word.text}" if both are the key'
    return "options begin with a dash, and a location is server:/path"


def _defaults(line: str, words: list[_Word]) -> Iterator[MountEntry]:
    """The mount options in a line of a master file, which apply to every entry of its map, as a mount without a
    source."""
    parts: list[Token] = []
    for at, word in enumerate(words[2:], 2):
        if word.text.startswith("#"):
            break
        if not word.text.startswith("--") and not (word.text.isdigit() and words[at - 1].text in _WITH_NUMBER):
            bare = word.text.lstrip("-")
            begins = word.span._replace(column=word.span.column + len(word.text) - len(bare))
            parts += pieces(bare, begins) if word.text not in _SHORT else []
    types = [part.text.partition("=")[2] for part in parts if part.text.startswith("fstype=")]
    near = words[1].span
    options = [part for part in parts if not OWN.fullmatch(part.text)]
    if options:
        yield MountEntry(
            options[0].span.line, line, source=Field((), near, ""), target=Field((), near, ""),
            fstype=Field((), near, (types or ["nfs"])[-1]), options=Field(options, near),
        )


def _options(word: _Word) -> list[Token]:
    start = word.span.column + 1
    return pieces(word.text[1:], Span(word.span.line, start, word.span.end_column))


def _mount(raw: str, target: _Word, location: _Word, options: list[Token]) -> MountEntry:
    types = [part for part in options if part.text.startswith("fstype=")]
    source = _WEIGHT.sub("", location.means)
    local = location.means.startswith(":")
    fstype = Field((), location.span, "none" if local else "nfs")
    if types:
        last = types[-1]
        value = last.text.partition("=")[2]
        column = last.span.end_column - len(value)
        fstype = Field([Token(value, Span(last.span.line, column, last.span.end_column))], location.span)
    here = next((part.span.line for part in options), location.span.line)
    return MountEntry(
        here, raw, source=Field.of(location.text, location.span[:2], source), fstype=fstype,
        target=Field.of(target.text, target.span[:2], target.means),
        options=Field([part for part in options if not OWN.fullmatch(part.text)], location.span),
    )


def read_master(text: str, name: str, kind: str) -> Assignments:
    """The automounter's own options, with two dashes or of one letter, in all lines of a master file."""
    settings: list[Assignment] = []
    for line, words in _master_lines(text):
        if not _MAP.match(words[1][0]):
            continue
        waiting: Token | None = None
        for word in words[2:]:
            if word[0].startswith("#"):
                begin = word.start()
                end = line.token(begin, len(line.text.rstrip()))
                nothing = Token("", end.span)
                settings.append(Assignment("", nothing, nothing, end))
                break
            for match in _MASTER_PIECE.finditer(line.text, *word.span()):
                piece = line.cut(*match.span())
                if waiting is not None and match[0][:1].isdigit():
                    settings.append(Assignment("", waiting, piece.token()))
                    waiting = None
                    continue
                made = _own_option(piece)
                waiting = None
                if made is not None and made.key.text in _TAKE_NUMBER and not made.value.text:
                    waiting = made.key
                elif made is not None:
                    settings.append(made)
    return Assignments(text, name, kind, tuple(settings))


def _master_lines(text: str) -> Iterator[tuple[Placed, list[re.Match[str]]]]:
    """The lines of a master file that name a map, and their words, of which the second is the map."""
    for line in continued_lines(text):
        words = [*_MASTER_WORD.finditer(line.text)]
        if len(words) > 1 and words[0][0].startswith("/"):
            yield line, words


def _own_option(word: Placed) -> Assignment | None:
    """One option of the automounter's own, known or not."""
    key, equals, _ = word.text.partition("=")
    if not key.startswith("--") and key not in _LONG_FORMS:
        return None
    spelled = _LONG_FORMS.get(key, key[2:])
    return Assignment("", word.token(0, len(key))._replace(text=spelled), word.token(len(key) + len(equals)))


class MapName(NamedTuple):
    """A map in a master file. `path`: its file, "" if it has none; `program`: it may be a program; `by_path`: the file
    says where it is, so no directory service is asked."""

    point: str
    text: str
    path: str
    program: bool
    by_path: bool
    span: Span


def maps(text: str) -> list[MapName]:
    """The maps of a master file, in its order, without those of files that it includes (+auto.master)."""
    map_names = []
    for line, words in _master_lines(text):
        written = line.token(*words[1].span())
        if written.text.startswith("-"):
            continue
        kind, colon, rest = written.text.partition(":")
        source = kind.partition(",")[0]
        named = colon == ":" and source in _FORMATS
        name = rest if named else written.text
        in_file = not named or source in ("file", "program", "exec")
        by_path = in_file and name.startswith("/")
        path = "" if not in_file else name if by_path else f"/etc/{name}"
        program = named and source in ("program", "exec")
        map_names.append(MapName(words[0][0], written.text, path, program, by_path, written.span))
    return map_names


def read_autofs_conf(text: str, name: str, kind: str) -> Assignments:
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
                    sections.append(Token.at(number, begin + 1, title))
            continue
        key, equals, value = line.partition("=")
        if kind == "autofs-defaults" and not equals:
            continue  # a shell reads this file too, and may have commands in it
        if not (line[0].isascii() and line[0].isalpha()):
            bad.append((whole, "the line does not begin with a letter, so automount skips it"))
        elif not equals:
            bad.append((whole, "this is not an assignment, so it is skipped; write name = value"))
        else:
            settings.append(_conf_assignment(number, section, key, value))
    return Assignments(text, name, kind, tuple(settings), tuple(sections), tuple(bad))


def _conf_assignment(number: int, section: str, key: str, value: str) -> Assignment:
    shown = value.partition("#")[0].rstrip(_QUOTED).lstrip(_QUOTED)
    start = len(key) + 2 + (len(value) - len(value.lstrip(_QUOTED)) if shown else 0)
    name = key.rstrip(_BLANK)
    return Assignment(section, Token.at(number, 1, name), Token.at(number, start, shown))

"""The files of nfs-utils: nfs.conf and its relatives, as its parser (support/nfs/conffile.c) reads them;
nfsmount.conf(5), a section of options for all mounts, for those of one server, or for one mount point; and the
variables that a shell reads (/etc/default/nfs-*, /etc/sysconfig/nfs, /etc/conf.d/nfs)."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.files.placeholders import has_markup
from advisor.files.records import (
    UNHEADED,
    Assignment,
    Assignments,
    Field,
    MountEntry,
    MountTable,
    Placed,
    Slip,
    Span,
    Token,
    continued_lines,
)
from advisor.regex import regex

_BLANK = " \t"
_SPACE = " \t\v\f\r"
_MARK = regex(r"[^ \t#;]([#;])[^ \t#;]")
_GLOBAL, _SERVER, _POINT = "nfsmount_global_options", "server", "mountpoint"
_RENAMED = {"background": "bg", "foreground": "fg"}
_OPPOSITE = {"bg": "fg", "fg": "bg"}
_SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_NAME = regex(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)(?:\[[0-9]+\])?\+?=")
_SPACED = regex(r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]+=")
_END = " \t;&|"
MAX_LINES = 30
"""Of one value."""


def read_conffile(text: str, name: str, kind: str, begins: str | None = None) -> Assignments:
    """The settings of a file, and what the parser skips. `begins`: the section in which another file includes this
    one."""
    settings: list[Assignment] = []
    sections: list[Token] = []
    bad: list[tuple[Span, str]] = []
    slips: list[Slip] = []
    section = begins
    includes: list[Assignment] = []
    lost = filled_in = False
    for line in continued_lines(text, joint="  "):
        begin = len(line.text) - len(line.text.lstrip(_SPACE))
        whole = line.token(begin, len(line.text.rstrip(_SPACE))).span
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
            bad.append((whole, UNHEADED))
    last = line.text.strip(_SPACE)  # text behind the last line end, or joined to it by a backslash
    if last and last[0] not in "#;" and not has_markup(line.text):
        why = "the last line ends with a backslash" if text.endswith("\\\n") else "the last line has no line end"
        bad.append((line.token(0, len(line.text)).span, f"{why}, so it is not read"))
    return Assignments(text, name, kind, tuple(settings), tuple(sections), tuple(bad), tuple(slips),
                       tuple(includes), filled_in=frozenset([None]) if filled_in else frozenset())


def _heading(line: Placed, begin: int) -> tuple[Token | None, str | None]:
    """The section that a heading begins, and what is wrong with the heading."""
    close = line.text.find("]", begin)
    if close < 0:
        return None, "this heading has no ], so the lines up to the next section are not read"
    inner, quote, argument = line.text[begin + 1:close].partition('"')
    start = begin + 1 + len(inner) - len(inner.lstrip(_BLANK))
    name = inner.strip(_BLANK)
    if quote and '"' not in argument:
        return line.token(start, start + len(name)), "the quotation mark in this heading is never closed"
    span = line.token(start, start + len(line.text[start:close].rstrip(_BLANK))).span
    if quote:  # a section of its own, with both names
        name = f'{name} "{argument.partition(quote)[0]}"'
    return Token(name, span), None


def _assignment(line: Placed, begin: int) -> tuple[Token, Token] | str:
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
    return line.token(begin, begin + len(key)), line.token(start, end)


def _comment_inside_word(line: Placed, section: str, key: Token, value: Token) -> list[Slip]:
    """A comment that begins inside a word, so that the author may have meant a longer value."""
    equals = line.text.find("=")
    mark = _MARK.search(line.text, equals + 1)
    begin = line.text[equals + 1:].lstrip(_BLANK)[:1]
    if mark is None or begin in ("'", '"') or not value.text:
        return []
    words = {"key": key.text, "value": value.text, "mark": mark[1]}
    return [Slip("setting-cut", line.token(mark.start(1), len(line.text.rstrip(_SPACE))).span, section, words)]


def read_nfsmount(text: str, name: str, kind: str) -> MountTable:
    """A mount for each section, with its options, and with its server or mount point where it has one."""
    file = read_conffile(text, name, kind)
    headings: dict[str, Token] = {}
    bad = list(file.bad)
    for heading in file.sections:
        headings.setdefault(heading.text.lower(), heading)
        if _parts(heading.text)[0] not in (_GLOBAL, _SERVER, _POINT):
            words = 'unknown section; the sections are NFSMount_Global_Options, Server "…", MountPoint "…"'
            bad.append((heading.span, words))
    options: dict[str, dict[str, Token]] = {}
    for setting in file.settings:
        key, value = setting.key.text.lower(), setting.value
        end = value.span.end_column if value.span.line == setting.key.span.line else setting.key.span.end_column
        span = setting.key.span._replace(end_column=end)
        held = options.setdefault(setting.section.lower(), {})
        held.pop(key, None)  # the last one counts
        if value.text:
            held[key] = Token(_option(key, value.text), span, exact=False)
    entries = []
    for section, held in options.items():
        title, about = _parts(headings[section].text)
        if held and title in (_GLOBAL, _SERVER, _POINT):
            entries.append(_mount(headings[section].span, title, about, list(held.values())))
    return MountTable(text, name, kind, tuple(entries), tuple(sorted(bad)))


def lost_options(text: str, name: str) -> Iterator[Slip]:
    """The options that nfs-utils before 2.8.3 drops, because a later section for another server or mount point sets
    them too."""
    before: dict[tuple[str, str], tuple[str, Span]] = {}
    for setting in read_conffile(text, name, "nfsmount.conf").settings:
        title, about = _parts(setting.section.lower())
        key = setting.key.text.lower()
        if title not in (_SERVER, _POINT) or not setting.value.text:
            continue
        section, span = before.get((title, key), (about, setting.key.span))
        if section != about:
            words = {"key": key, "section": section, "line": str(setting.key.span.line)}
            yield Slip("nfsmount-option-lost", span, words=words)
        before[title, key] = (about, setting.key.span)


def _parts(section: str) -> tuple[str, str]:
    """A section's title, in lower case, and its server or mount point."""
    title, _, about = section.partition('"')
    return title.strip().lower(), about.partition('"')[0]


def _option(key: str, value: str) -> str:
    """The option that mount.nfs makes of a key: a word for True, "no" and the word for False, and sizes in bytes."""
    key = _RENAMED.get(key, key)
    word = value.lower()
    if word == "true":
        return key
    if word == "false":
        return _OPPOSITE.get(key, f"no{key}")
    number = value[:-1]
    if number.isascii() and number.isdigit() and not number.startswith("0") and word[-1:] in _SIZES:
        value = str(int(number[:12]) * _SIZES[word[-1]])
    return f"{key}={value}"


def _mount(span: Span, section: str, about: str, options: list[Token]) -> MountEntry:
    server = f"{about}:/" if section == _SERVER and about else ""
    target = about if section == _POINT else ""
    passed = [part for part in options if not part.text.startswith(("default", "sloppy"))]
    return MountEntry(
        options[0].span.line, "", source=Field((), span, server), target=Field((), span, target),
        fstype=Field((), span, "nfs"), options=Field(passed, span),
    )


def read_variables(text: str, name: str, kind: str) -> Assignments:
    """The assignments of a script, without its commands. A quotation mark that is not closed on its line may be closed
    on a later one, unless that begins with an assignment."""
    settings: list[Assignment] = []
    bad: list[tuple[Span, str]] = []
    lines = [line.rstrip("\r") for line in text.split("\n")]
    at = 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        begin = len(line) - len(line.lstrip(" \t"))
        whole = Span(number, begin + 1, len(line.rstrip(" \t")) + 1)
        spaced = _SPACED.match(line)
        if spaced and not has_markup(line):
            bad.append((whole, f"a space before the equals sign makes {spaced[1]} a command; write {spaced[1]}=value"))
            continue
        match = _NAME.match(line)
        if match is None:
            continue
        joined = line
        value, end = _shell_word(joined, match.end())
        while end is None and at < min(len(lines), number - 1 + MAX_LINES) and not _NAME.match(lines[at]):
            joined += f"\n{lines[at]}"
            at += 1
            value, end = _shell_word(joined, match.end())
        if end is None and not has_markup(line):
            at = number
            words = f"the quotation mark after {match[1]}= is not closed, so what follows becomes part of the value"
            bad.append((whole, words))
            continue
        rest = joined[end:].lstrip(" \t") if end is not None else ""
        if not value and rest and rest[0] not in "#;&|" and end == match.end() and not _NAME.match(rest):
            bad.append((whole, f"a space after the equals sign leaves {match[1]} empty; write {match[1]}=value"))
            continue
        stop = len(line) if end is None else min(end, len(line))
        quoted = line[match.end():match.end() + 1] in ('"', "'") and line[stop - 1:stop] == line[match.end()]
        first, last = (match.end() + 1, stop - 1) if quoted and stop - match.end() > 1 else (match.end(), stop)
        settings.append(Assignment(
            "", Token.at(number, match.start(1) + 1, match[1]),
            Token(value.strip(), Span(number, first + 1, last + 1)),
        ))  # fmt: skip
    return Assignments(text, name, kind, tuple(settings), (), tuple(bad))


def _shell_word(text: str, start: int) -> tuple[str, int | None]:
    """The shell word that begins at `start`, without its quotation marks, and its end; None if a quotation mark is
    not closed. Variables are not expanded."""
    made: list[str] = []
    quote = ""
    at = start
    while at < len(text):
        sign = text[at]
        if quote:
            if sign == quote:
                quote = ""
            elif sign == "\\" and quote == '"' and text[at + 1:at + 2] in ('"', "\\", "$", "`", "\n"):
                at += 1
                made.append(text[at:at + 1].replace("\n", " "))
            else:
                made.append(sign)
        elif sign in "\"'":
            quote = sign
        elif sign == "\\" and at + 1 < len(text):
            at += 1
            made.append(text[at].replace("\n", ""))
        elif sign in _END or sign == "\n":
            break
        else:
            made.append(sign)
        at += 1
    return "".join(made), None if quote else at

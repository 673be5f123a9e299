"""What few lines of fstab need, and is loaded only then: the line as mount(8) and as getmntent(3) of glibc 2.36 read
it, and common mistakes that show in its text alone. Correct lines have none.

getmntent(3) never rejects a line: columns that are missing are empty, and numbers that do not parse are 0. It reads
into a buffer of 4096 bytes, and takes a line with a NUL byte for one whose newline is still to come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from advisor.files import libmount
from advisor.files.libmount import BUFFER, NAMES, OPTION_WORDS, Columns, Heard, integer, shown, split_options, wrap
from advisor.files.records import Span
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_REST = 1024  # the buffer into which it reads what it throws away

_ESCAPE = regex(r"\\(040|011|012|134|\\)")
_MEANING = {"040": " ", "011": "\t", "012": "\n", "134": "\\", "\\": "\\"}
_BLANKS = regex(r"[ \t]+")
_NUMBER = regex(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_IGNORED = regex(r"(?:\A|,)ignore(?:[=,]|\Z)")
_COLUMNS = ("source", "target", "type", "options", "fifth field", "sixth field")
_TYPES = frozenset((
    "nfs", "nfs4", "efs", "s3files", "aznfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "vfat", "cifs", "smb3", "tmpfs",
    "iso9660",
))
_LOOKS_BLANK = regex("[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff\udca0]")
_CURLY = regex("[\u201c-\u201f\u00ab\u00bb\u2033\u2036]")
_CURLY_SINGLE = regex("[\u2018-\u201b\u2032\u2035]")
_GLUED = regex(r"[+-]?[0-9]+([^0-9].*)\Z", re.DOTALL)
_DIGITS = regex(r"[+-]?[0-9]+\Z")


def getmntent_lines(lines: list[Heard]) -> list[Heard | None]:
    """What glibc has in its buffer for each physical line; None for a line that it swallows with the one before."""
    data = [libmount.as_bytes(raw) + (b"\n" if ended else b"") for raw, ended in lines]
    out: list[Heard | None] = [None] * len(lines)
    index = 0
    while index < len(lines):
        text = data[index][: BUFFER - 1].partition(b"\0")[0]
        ended = text.endswith(b"\n")
        out[index] = (text.removesuffix(b"\n").decode("utf-8", "surrogateescape"), ended)
        if not ended:
            index = _skip(data, index)
        index += 1
    return out


def _skip(data: list[bytes], index: int) -> int:
    """The line in which glibc finds the newline it looks for, when it reads on from the middle of line `index`."""
    start = BUFFER - 1
    while index < len(data):
        line = data[index]
        for at in range(start, len(line), _REST - 1):
            if b"\n" in line[at : at + _REST - 1].partition(b"\0")[0]:
                return index
        index, start = index + 1, 0
    return index


def getmntent_view(line: Heard | None) -> Columns | None:
    """The columns that getmntent(3) returns for one buffer; None when it returns nothing for it."""
    if line is None:
        return None
    text, ended = line
    head = text.rstrip(" \t") if ended else text
    head = head.lstrip(" \t")
    if not head or head[0] == "#":
        return None
    words = _BLANKS.split(head, 4)
    decoded = [_ESCAPE.sub(lambda match: _MEANING[match[1]], word) for word in words[:4]]
    source, target, fstype, options = (*decoded, "", "", "")[:4]
    if fstype == "autofs" and _IGNORED.search(options):
        return None
    freq, passno = _numbers(words[4]) if len(words) > 4 else (0, 0)
    return Columns(source, target, fstype, options, freq, passno)


def _numbers(rest: str) -> tuple[int, int]:
    first = _NUMBER.match(rest)
    if first is None:
        return 0, 0
    second = _NUMBER.match(rest, first.end())
    return wrap(integer(first[1])), wrap(integer(second[1])) if second else 0


class BothReadings:
    """Both readings of a line, each computed on first use. `heard`: what getmntent(3) has in its buffer."""

    def __init__(self, line_no: int, raw: str, ended: bool, heard: Heard | None) -> None:
        self.body = libmount.body_of(raw, ended)
        self.cuts = libmount.tokens(self.body)
        self._line_no, self._raw, self._heard = line_no, raw, heard

    @cached_property
    def reading(self) -> Columns | str:
        """The columns as mount(8) reads them, or why it ignores the line."""
        return libmount.parse(self.body, self.cuts)

    @property
    def glibc(self) -> Columns | None:
        return getmntent_view(self._heard)

    @property
    def difference(self) -> str | None:
        return difference(None if isinstance(self.reading, str) else self.reading, self.glibc)

    @cached_property
    def traps(self) -> tuple[Trap, ...]:
        return find(self._line_no, self._raw, self.body, self.cuts, isinstance(self.reading, Columns))


def difference(mine: Columns | None, theirs: Columns | None) -> str | None:
    """In words, how the reading of mount(8) (`mine`) differs from that of getmntent(3); None when it does not."""
    if mine is None or theirs is None:
        view = mine or theirs
        if view is None:
            return None
        taker, other = ("mount(8)", "getmntent(3)") if mine else ("getmntent(3)", "mount(8)")
        columns = ", ".join(f"{name} {_in_words(value)}" for name, value in zip(_COLUMNS, view))
        return f"{other} ignores the line, {taker} reads it as {columns}"
    parts = []
    for name, my_field, their_field in zip(_COLUMNS, mine, theirs):
        if (my_field or "") != (their_field or ""):
            words = (_in_words(my_field), _in_words(their_field))
            if words[0] == words[1]:  # both shortened
                words = (f"{len(str(my_field))} characters", f"{len(str(their_field))} characters")
            parts.append(f"the {name} as {words[0]}, getmntent(3) as {words[1]}")
    return "mount(8) reads " + "; ".join(parts) if parts else None


def _in_words(value: str | int | None) -> str:
    return libmount.shown(value) if isinstance(value, str) else "nothing" if value is None else str(value)


class Trap(NamedTuple):
    """`slug` is a stable name, `words` say what is wrong and what to write. `lacks`: fields that are missing where the
    span begins ("fstype", "options")."""

    slug: str
    span: Span
    words: str
    lacks: tuple[str, ...] = ()


class _Line(NamedTuple):
    line: int
    raw: str
    body: str
    cuts: list[tuple[int, int]]  # of the first tokens, one more than there are fields
    words: list[str]
    accepted: bool

    def field(self, index: int) -> str:
        return self.words[index] if index < len(self.words) else ""

    def trap(self, slug: str, start: int, end: int, words: str) -> Trap:
        return Trap(slug, Span(self.line, start + 1, end + 1), words)


def find(line: int, raw: str, body: str, cuts: list[tuple[int, int]], accepted: bool) -> tuple[Trap, ...]:
    """The traps of a line from left to right. `body`, `cuts`: as in `libmount`; `accepted`: mount(8) takes the line."""
    cuts = cuts[:7]
    it = _Line(line, raw, body, cuts, [body[start:end] for start, end in cuts], accepted)
    characters, quoted = [*_characters(it)], [*_quoted_paths(it)]
    traps = [*_bytes(it), *characters, *quoted, *_options(it), *_comment(it), *_beyond(it)]
    if not quoted and not any(trap.slug == "non-breaking-space" for trap in characters):
        traps += _columns(it)  # otherwise it is clear already what shifts them
    return tuple(sorted(traps, key=lambda trap: (trap.span, trap.slug)))


def _bytes(it: _Line) -> Iterator[Trap]:
    mark = it.raw.startswith("\ufeff") or 2 * it.raw.startswith(("\udcff\udcfe", "\udcfe\udcff")) if it.line == 1 else 0
    if mark:
        words = "the file begins with a byte order mark, which becomes part of the first field: save it without one"
        yield it.trap("byte-order-mark", 0, mark, words)
    nul = it.raw.find("\0")
    if nul >= 0:
        yield it.trap("nul-byte", nul, nul + 1, "a NUL byte: the file is damaged, or not in UTF-8")
    carriage = it.raw.find("\r")
    if carriage >= 0:
        words = "the line ends with a carriage return, as on Windows: save the file with Unix line endings"
        if carriage < len(it.raw) - 1:
            words = "a carriage return does not end the line: save the file with Unix line endings"
        yield it.trap("carriage-return", carriage, carriage + 1, words)
    stripped = it.body.rstrip(" \t")
    if stripped.endswith("\\"):
        words = "fstab has no continuation lines: the backslash is literal, and the next line is read on its own"
        yield it.trap("backslash-continuation", len(stripped) - 1, len(stripped), words)


def _characters(it: _Line) -> Iterator[Trap]:
    if it.body.isascii():
        return
    for index, text in enumerate(it.words[:6]):
        start = it.cuts[index][0]
        if text[0] == "#" and index:
            return
        blank = _LOOKS_BLANK.search(text, 1 if it.line == 1 and start == 0 and text[0] == "\ufeff" else 0)
        if blank:
            code = ord(blank[0]) - 0xDC00 if blank[0] == "\udca0" else ord(blank[0])
            words = (
                f"U+{code:04X} looks like a space, but is part of the {NAMES[index]} field:"
                " write a plain space, or \\040 for a space in a name"
            )
            yield it.trap("non-breaking-space", start + blank.start(), start + blank.end(), words)
        quote = _CURLY.search(text) or _CURLY_SINGLE.search(text if index > 1 else text[0] + text[-1])
        if quote:
            at = text.index(quote[0])
            words = f"the typographic quote {quote[0]} is part of the {NAMES[index]} field: fstab needs no quotes here"
            yield it.trap("typographic-quotes", start + at, start + at + 1, words)


def _options(it: _Line) -> Iterator[Trap]:
    """Traps in the option list. An empty option is reported at its extra comma."""
    if len(it.cuts) < 4 or it.field(3)[0] == "#":
        return
    start, end = it.cuts[3]
    items = split_options(it.words[3])
    if _blank_at_comma(it):
        items = items[:-1]
    for item in items:
        if not item.closed:
            words = "unclosed quotation mark: mount(8) drops this option and all that follow"
            yield it.trap("unclosed-quote", start + item.start, start + item.start + len(item.text), words)
        elif not item.text and len(items) > 1:
            comma = min(start + item.start, end - 1)
            yield it.trap("empty-option", comma, comma + 1, "extra comma: delete it")


def _quoted_paths(it: _Line) -> Iterator[Trap]:
    for index, text in enumerate(it.words[:2]):
        start = it.cuts[index][0]
        at = 0 if text[0] in "\"'" else max(text.find(':"'), text.find(":'")) + 1
        if at or text[0] in "\"'":
            words = f"quotes do not group words; they become part of the {NAMES[index]} field: write a space as \\040"
            yield it.trap("quoted-path", start + at, start + at + 1, words)


def _comment(it: _Line) -> Iterator[Trap]:
    for index in range(1, min(len(it.cuts), 6)):
        if it.field(index)[0] == "#":
            words = f"the comment is read as the {NAMES[index]} field: put it on a line of its own, above"
            yield it.trap("trailing-comment", it.cuts[index][0], len(it.body.rstrip(" \t")), words)
            return


def _beyond(it: _Line) -> Iterator[Trap]:
    text = it.field(6)
    if it.accepted and text and text[0] != "#" and text != "\\":  # a lone backslash is reported as a continuation
        words = (
            f"nothing reads {shown(text)} and what follows it, for the line ends with its sixth field:"
            " write an option into the fourth field, and another mount on a line of its own"
        )
        yield it.trap("beyond-the-end", it.cuts[6][0], len(it.body.rstrip(" \t")), words)


def _blank_at_comma(it: _Line) -> bool:
    """Whether the option field was cut in two at a comma: `rw, hard` or `rw ,hard`."""
    following = it.field(4)
    if not following or it.accepted or _DIGITS.match(following) or following[0] == "#":
        return False
    return it.field(3)[-1] == "," or following[0] == ","


def _columns(it: _Line) -> Iterator[Trap]:
    """At most one trap on the columns as a whole: once they are shifted, everything after looks wrong as well."""
    count = next((index for index in range(1, len(it.cuts)) if it.field(index)[0] == "#"), len(it.cuts))
    source, target, fstype, options = (it.field(index) if index < count else "" for index in range(4))
    if count < 3:
        return
    begin = it.cuts[0][0]
    if source[-1] == ":" and target[0] == "/" and fstype[0] == "/":
        words = f"a space after the colon cuts the source in two: write {shown(source + target)}"
        yield it.trap("shifted-fields", begin, it.cuts[1][1], words)
    elif target in _TYPES and target != source and fstype not in _TYPES:
        words = f"the second field is {shown(target)}, a file system type: the mount point is missing"
        yield it.trap("shifted-fields", *it.cuts[1], words)
    elif any(word in OPTION_WORDS or "=" in word for word in fstype.split(",")):
        words = f"the third field is {shown(fstype)}, which are mount options: the file system type is missing"
        yield it.trap("shifted-fields", *it.cuts[2], words)._replace(lacks=("fstype",))
    elif _DIGITS.match(fstype) and ":/" in source:
        words = f"the third field is {shown(fstype)}, a number: the file system type and the options are missing"
        yield it.trap("shifted-fields", *it.cuts[2], words)._replace(lacks=("fstype", "options"))
    elif fstype[0] == "/":
        words = f"the third field is {shown(fstype)}, a path, not a file system type: write a space in a path as \\040"
        yield it.trap("shifted-fields", *it.cuts[2], words)
    elif _DIGITS.match(options):
        words = f"the fourth field is {shown(options)}, a number: the options are missing, write 'defaults' there"
        yield it.trap("shifted-fields", *it.cuts[3], words)._replace(lacks=("options",))
    elif not it.accepted:
        yield from _numbers_in_place_of(it, count)


def _numbers_in_place_of(it: _Line, count: int) -> Iterator[Trap]:
    """What is in the fifth and sixth field of a line that mount(8) drops."""
    if _blank_at_comma(it):
        start = it.cuts[3][1] - 1 if it.field(3)[-1] == "," else it.cuts[4][0]
        words = f"a space next to a comma cuts the options in two, and {shown(it.field(4))} lands in the fifth field"
        yield it.trap("blank-after-comma", min(start, it.cuts[3][1]), it.cuts[4][0] + 1, words)
        return
    if it.field(3) == "-o":
        words = "the fourth field is '-o', which belongs on the command line of mount: write the options without it"
        yield it.trap("shifted-fields", *it.cuts[3], words)
        return
    for index in range(4, min(count, 6)):
        text = it.field(index)
        glued = _GLUED.match(text)
        start, end = it.cuts[index]
        if glued:
            if _CURLY.match(glued[1]) or glued[1][0] == "\r":
                return  # said already
            words = f"{shown(glued[1])} is glued to the number in the {NAMES[index]} field: delete it or move it"
            yield it.trap("glued-text", start + glued.start(1), end, words)
            return
        if not _DIGITS.match(text):
            escaped = it.field(index - 1)[-1] == "\\"
            cure = "a backslash does not escape a space" if escaped else "a space in a field shifts the fields after it"
            words = f"the {NAMES[index]} field is {shown(text)} where a number belongs: {cure}; write \\040 for it"
            yield it.trap("shifted-fields", start, end, words)
            return

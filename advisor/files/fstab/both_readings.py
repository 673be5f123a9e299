"""A line as mount(8) and as getmntent(3) of glibc 2.36 read it. Loaded only when a file has a line that needs it.

getmntent(3) never rejects a line: columns that are missing are empty, and numbers that do not parse are 0. It reads
into a buffer of 4096 bytes, and takes a line with a NUL byte for one whose newline is still to come."""

from __future__ import annotations

import re

from advisor.files.fstab import libmount, traps
from advisor.files.fstab.libmount import BUFFER, Columns, Heard, as_bytes, integer, wrap
from advisor.files.fstab.traps import Trap

_REST = 1024  # the buffer into which it reads what it throws away

_ESCAPE = re.compile(r"\\(040|011|012|134|\\)")
_MEANING = {"040": " ", "011": "\t", "012": "\n", "134": "\\", "\\": "\\"}
_BLANKS = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_IGNORED = re.compile(r"(?:\A|,)ignore(?:[=,]|\Z)")


def getmntent_lines(lines: list[Heard]) -> list[Heard | None]:
    """What glibc has in its buffer for each physical line; None for a line that it swallows with the one before."""
    data = [as_bytes(raw) + (b"\n" if ended else b"") for raw, ended in lines]
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
    source, target, fstype, options = (_decode(word) for word in (*words, "", "", "")[:4])
    if fstype == "autofs" and _IGNORED.search(options):
        return None
    freq, passno = _numbers(words[4]) if len(words) > 4 else (0, 0)
    return Columns(source, target, fstype, options, freq, passno)


def _decode(text: str) -> str:
    return _ESCAPE.sub(lambda match: _MEANING[match[1]], text) if "\\" in text else text


def _numbers(rest: str) -> tuple[int, int]:
    first = _NUMBER.match(rest)
    if first is None:
        return 0, 0
    second = _NUMBER.match(rest, first.end())
    return wrap(integer(first[1])), wrap(integer(second[1])) if second else 0


_COLUMNS = ("source", "target", "type", "options", "fifth field", "sixth field")


class BothReadings:
    """Both readings of a line, each computed on first use. `heard`: what getmntent(3) has in its buffer."""

    __slots__ = ("_heard", "_line_no", "_raw", "_reading", "_traps", "body", "cuts")

    def __init__(self, line_no: int, raw: str, ended: bool, heard: Heard | None) -> None:
        self.body = libmount.body_of(raw, ended)
        self.cuts = libmount.tokens(self.body)
        self._line_no = line_no
        self._raw = raw
        self._heard = heard
        self._reading: Columns | str | None = None
        self._traps: tuple[Trap, ...] | None = None

    @property
    def reading(self) -> Columns | str:
        """The columns as mount(8) reads them, or why it ignores the line."""
        if self._reading is None:
            self._reading = libmount.parse(self.body, self.cuts)
        return self._reading

    @property
    def glibc(self) -> Columns | None:
        return getmntent_view(self._heard)

    @property
    def difference(self) -> str | None:
        return difference(None if isinstance(self.reading, str) else self.reading, self.glibc)

    @property
    def traps(self) -> tuple[Trap, ...]:
        if self._traps is None:
            accepted = isinstance(self.reading, Columns)
            self._traps = traps.find(self._line_no, self._raw, self.body, self.cuts, accepted)
        return self._traps


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

"""How getmntent(3) of glibc 2.36 reads fstab.

It never rejects a line: columns that are missing are empty, and numbers that do not parse are 0. It reads into a
buffer of 4096 bytes, and takes a line with a NUL byte for one whose newline is still to come.
"""

from __future__ import annotations

import re

from advisor.readers.fstab.libmount import BUFFER, Columns, Heard, as_bytes, integer, wrap

_REST = 1024  # the buffer into which it reads what it throws away

_ESCAPE = re.compile(r"\\(040|011|012|134|\\)")
_MEANING = {"040": " ", "011": "\t", "012": "\n", "134": "\\", "\\": "\\"}
_BLANKS = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_IGNORED = re.compile(r"(?:\A|,)ignore(?:[=,]|\Z)")


def heard(lines: list[Heard]) -> list[Heard | None]:
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


def view(line: Heard | None) -> Columns | None:
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
    return _ESCAPE.sub(lambda found: _MEANING[found[1]], text) if "\\" in text else text


def _numbers(rest: str) -> tuple[int, int]:
    first = _NUMBER.match(rest)
    if first is None:
        return 0, 0
    second = _NUMBER.match(rest, first.end())
    return wrap(integer(first[1])), wrap(integer(second[1])) if second else 0

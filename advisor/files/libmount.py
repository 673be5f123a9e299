"""How libmount 2.38, and so mount(8), reads one line of fstab.

Its rules, which the tests confirm against the library: spaces and tabs alone separate fields; one carriage
return before the newline is dropped; octal escapes are decoded in the first four fields; three fields are enough; the
fifth and sixth must be decimal numbers when they exist; anything after the sixth is ignored."""

from __future__ import annotations

import re
from functools import lru_cache

from advisor.files.placeholders import masked
from advisor.named_tuple import NamedTuple

BUFFER = 4096
"""Bytes of the buffer into which getmntent(3) reads a line; the last one is for the NUL that ends it."""

Heard = tuple[str, bool]
"""What getmntent(3) has in its buffer for one line: the text, and whether it saw the newline."""


class Columns(NamedTuple):
    """The columns of a line as one program sees them: escapes decoded, numbers read.

    `options` is None when libmount finds no fourth field; getmntent(3) has an empty string there.
    """

    source: str
    target: str
    fstype: str
    options: str | None
    freq: int
    passno: int


DROPPED = "mount(8) ignores the whole line"
OPTION_WORDS = ("defaults", "rw", "ro", "noauto", "bg", "hard", "soft", "nofail", "_netdev", "sync", "async", "noatime")
"""Words that are options of mount(8) and of no file system's name."""
NAMES = ("first", "second", "third", "fourth", "fifth", "sixth")

_OCTAL = rb"\\([0-7]{3})"
# strtol(3) passes over more kinds of white space than the ones that separate fields.
_NUMBER = r"[ \t\n\v\f\r]*([+-]?[0-9]+)"
_WORD = r"[^ \t]+"
_LONG = 1 << 63
_INT = 1 << 31


def shown(text: str, limit: int = 40) -> str:
    """The text in quotes for a message: on one line, shortened to `limit` characters, unprintable ones escaped."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return f"'{plain}'"


def body_of(raw: str, ended: bool) -> str:
    """The part of a line that libmount looks at. `ended`: the line has a newline (`raw` comes without it)."""
    if not ended:
        # Only a last line without newline survives a NUL byte, and it ends there.
        raw = raw.partition("\0")[0]
    return raw[:-1] if raw.endswith("\r") else raw


def skips(body: str) -> bool:
    """Whether the line is blank or a comment, so that libmount silently ignores it. A line with a NUL byte is
    neither."""
    rest = body.lstrip(" \t")
    return (not rest or rest[0] == "#") and "\0" not in body


def tokens(body: str) -> list[tuple[int, int]]:
    """Start and end of everything between spaces."""
    return [match.span() for match in re.finditer(_WORD, body)]


def escaped(text: str) -> str:
    """A field of fstab: spaces, tabs, newlines and backslashes as octal escapes, and a # that would begin a comment.

    Elsewhere # stays: getmntent(3) does not decode it."""
    return "".join(
        f"\\{ord(char):03o}" if char in " \t\n\r\\" or (char == "#" and not place) else char
        for place, char in enumerate(text)
    )


def decode(text: str) -> str:
    """A field with its octal escapes replaced by the bytes they stand for, cut at the first NUL as C strings are."""
    if "\\" not in text:
        return text.partition("\0")[0] if "\0" in text else text
    data = re.sub(_OCTAL, lambda match: bytes((int(match[1], 8) & 0xFF,)), as_bytes(text))
    return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """The bytes behind a decoded text. Text that never came from bytes (lone surrogates) is encoded as it is."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def wrap(number: int) -> int:
    """What a C int holds after strtol(3): clamped to 64 bits, then cut to 32."""
    if -_INT <= number < _INT:
        return number
    clamped = max(-_LONG, min(_LONG - 1, number))
    return (clamped + _INT) % (2 * _INT) - _INT


def parse(body: str, cuts: list[tuple[int, int]]) -> Columns | str:
    """The columns of a line, or the reason in plain words why libmount drops it. `cuts` are the body's tokens."""
    if "\0" in body:
        return f"the line contains a NUL byte: {DROPPED}"
    if len(cuts) < 3:
        count = "one field" if len(cuts) == 1 else "two fields"
        return f"the line has only {count} of the three that it needs: {DROPPED}"
    texts = [decode(body[start:end]) for start, end in cuts[:4]]
    options = texts[3] if len(texts) > 3 else None
    numbers = [0, 0]
    end = cuts[3][1] if len(cuts) > 3 else len(body)
    for place in (0, 1):
        start = next((at for at, _ in cuts if at >= end), len(body))
        if start == len(body):
            break
        rest = body[start:]
        match = re.match(_NUMBER, rest)
        if match is None or rest[match.end() : match.end() + 1] not in ("", " ", "\t"):
            word = re.match(_WORD, rest)
            return f"the {NAMES[place + 4]} field {shown(word[0] if word else '')} is not a number: {DROPPED}"
        end = start + match.end()
        number = integer(match[1])
        if not -_LONG <= number < _LONG and end < len(body):
            return f"the {NAMES[place + 4]} field {shown(match[1])} is too large a number: {DROPPED}"
        numbers[place] = wrap(number)
    return Columns(texts[0], texts[1], texts[2], options, numbers[0], numbers[1])


def integer(text: str) -> int:
    """The number that ASCII digits with an optional sign stand for; inexact beyond 64 bits, but still beyond them."""
    digits = text.lstrip("+-").lstrip("0")[:20]  # Python refuses to convert thousands of digits
    return int(digits or "0") * (-1 if text[0] == "-" else 1)


class Item(NamedTuple):
    """One option. `text` is the raw slice that starts at character `start` of the option string (from 0).

    `name` and `value` have their escapes decoded; `value` is None without `=`. An empty item (`rw,,hard`) has an
    empty text and an empty name. `closed` is False when the item begins a quotation that nothing ends: libmount then
    forgets the item, and all that follows is part of it.
    """

    text: str
    name: str
    value: str | None
    start: int
    closed: bool = True


@lru_cache(maxsize=256)
def split_options(text: str) -> tuple[Item, ...]:
    """The items of an option string. Commas between double quotes do not separate; an escaped comma (`\\054`) does.
    Nothing inside a placeholder of a template separates."""
    plain = masked(text)
    if '"' in plain or "\\" in plain:
        return tuple(_split_escaped(text, plain))
    items = []
    start = 0
    for shape in plain.split(","):
        piece = text[start : start + len(shape)]
        equals = shape.find("=", 1)  # a leading `=` belongs to the name
        name, value = (piece, None) if equals < 0 else (piece[:equals], piece[equals + 1 :])
        items.append(Item(piece, name, value, start))
        start += len(piece) + 1
    return tuple(items)


def _split_escaped(text: str, plain: str) -> list[Item]:
    """Byte by byte, because escapes are decoded before libmount looks for commas, quotes and equals signs."""
    units = _units(text)
    items: list[Item] = []
    begin, quoted, equals = 0, False, -1
    for at, (byte, start, _) in enumerate(units):
        if plain[start] != text[start]:
            continue
        if byte == 0x22:
            quoted = not quoted
        if quoted:
            continue
        if byte == 0x3D and equals < 0 and at > begin:
            equals = at
        elif byte == 0x2C:
            items.append(_item(text, units, begin, at, equals))
            begin, equals = at + 1, -1
    items.append(_item(text, units, begin, len(units), equals)._replace(closed=not quoted))
    return items


def _units(text: str) -> list[tuple[int, int, int]]:
    """Every decoded byte with the raw characters it comes from: byte, start, end. Ends at a NUL."""
    units: list[tuple[int, int, int]] = []
    at = 0
    while at < len(text):
        code = text[at + 1 : at + 4]
        if text[at] == "\\" and len(code) == 3 and all(digit in "01234567" for digit in code):
            data, width = bytes((int(code, 8) & 0xFF,)), 4
        else:
            data, width = as_bytes(text[at]), 1
        if data == b"\0":
            break
        units.extend((byte, at, at + width) for byte in data)
        at += width
    return units


def _item(text: str, units: list[tuple[int, int, int]], begin: int, end: int, equals: int) -> Item:
    if begin == end:
        start = units[begin][1] if begin < len(units) else units[-1][2] if units else 0
        return Item("", "", None, start)
    start, stop = units[begin][1], units[end - 1][2]
    name = _text(units[begin : equals if equals >= 0 else end])
    return Item(text[start:stop], name, _text(units[equals + 1 : end]) if equals >= 0 else None, start)


def _text(units: list[tuple[int, int, int]]) -> str:
    return bytes(byte for byte, _, _ in units).decode("utf-8", "surrogateescape")

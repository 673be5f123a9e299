"""An option string split into its items, as libmount splits it."""

from __future__ import annotations

from functools import lru_cache

from advisor.named_tuple import NamedTuple
from advisor.readers.fstab.libmount import as_bytes
from advisor.readers.placeholders import masked


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


@lru_cache(maxsize=4096)
def split_options(text: str) -> tuple[Item, ...]:
    """The items of an option string. Commas between double quotes do not separate; an escaped comma (`\\054`) does.
    Nothing inside a placeholder of a template separates."""
    plain = masked(text)
    if '"' in plain or "\\" in plain:
        return tuple(_careful(text, plain))
    items = []
    start = 0
    for shape in plain.split(","):
        piece = text[start : start + len(shape)]
        equals = shape.find("=", 1)  # a leading `=` belongs to the name
        name, value = (piece, None) if equals < 0 else (piece[:equals], piece[equals + 1 :])
        items.append(Item(piece, name, value, start))
        start += len(piece) + 1
    return tuple(items)


def _careful(text: str, plain: str) -> list[Item]:
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

"""A lossless reader of fstab: every line kept, every field and option with its place, and what becomes of it.

`read` takes any text or bytes and never raises. `Fstab.text` is the input again, character for character.
"""

from __future__ import annotations

from advisor.files.fstab import libmount
from advisor.files.fstab.entry import AS_WRITTEN, Entry, Field, is_plain
from advisor.files.fstab.libmount import BUFFER, Columns, Heard, Item, split_options
from advisor.files.spans import Span

__all__ = ["Columns", "Entry", "Field", "Fstab", "Item", "Line", "Span", "read", "split_options"]


class Line:
    """A physical line. `raw` includes its newline; `kind` is "blank", "comment" or "entry" (then `entry` is set)."""

    __slots__ = ("entry", "number", "raw")

    def __init__(self, number: int, raw: str, entry: Entry | None) -> None:
        self.number = number
        self.raw = raw
        self.entry = entry

    @property
    def kind(self) -> str:
        return "entry" if self.entry else "comment" if self.raw.lstrip(" \t").startswith("#") else "blank"

    def __repr__(self) -> str:
        return f"Line({self.number}, {self.raw!r})"


class Fstab:
    """A file that has been read. `entries` are the lines that are neither blank nor a comment, also the bad ones."""

    def __init__(self, text: str, name: str, entries: list[Entry]) -> None:
        self.text = text
        self.name = name
        self.entries = entries

    def to_bytes(self) -> bytes:
        """The bytes of the file, the same as those that were read."""
        return libmount.as_bytes(self.text)

    @property
    def lines(self) -> list[Line]:
        """Every physical line, so that the `raw` of all of them together are the text."""
        at_line = {entry.line_no: entry for entry in self.entries}
        return [Line(number, raw, at_line.get(number)) for number, raw in enumerate(physical_lines(self.text), 1)]


def physical_lines(text: str) -> list[str]:
    """The lines with their newlines. Nothing but a newline ends a line: not a carriage return, not a form feed."""
    lines = [raw + "\n" for raw in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def read(source: str | bytes, name: str = "/etc/fstab") -> Fstab:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of an fstab. Never raises."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    raws = text.split("\n")
    last = len(raws)
    heard = _heard(raws) if "\0" in text or len(max(raws, key=len)) >= BUFFER // 4 else None
    entries: list[Entry] = []
    for number, raw in enumerate(raws, 1):
        if heard is None and is_plain(raw):
            entries.append(Entry(number, raw, number < last, True))
        elif not libmount.skips(libmount.body_of(raw, number < last)):
            entries.append(Entry(number, raw, number < last, False, heard[number - 1] if heard else AS_WRITTEN))
    return Fstab(text, name, entries)


def _heard(raws: list[str]) -> list[Heard | None]:
    from advisor.files.fstab import both_readings  # noqa: PLC0415  (seldom needed)

    lines = [(raw, True) for raw in raws[:-1]]
    return both_readings.getmntent_lines([*lines, (raws[-1], False)] if raws[-1] else lines) + [None] * (not raws[-1])

"""A lossless reader of fstab: every line kept, every field and option with its place, and what becomes of it.

`read` takes any text or bytes and never raises. `Fstab.text` is the input again, character for character.
"""

from __future__ import annotations

from advisor.files import libmount
from advisor.files.libmount import BUFFER, OPTION_WORDS, Columns, Heard, Item, split_options
from advisor.files.placeholders import joined
from advisor.files.records import Field, MountEntry, MountTable, Span
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.fstab_readings import BothReadings, Trap

__all__ = ["Columns", "Entry", "Field", "Fstab", "Item", "Span", "read", "split_options"]


class Fstab(NamedTuple):
    """A file that has been read. `entries` are the lines that are neither blank nor a comment, also the bad ones."""

    text: str
    name: str
    entries: list[Entry]


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


def read_mounts(text: str, name: str, kind: str) -> MountTable:
    """The mounts of the lines that mount(8) takes."""
    return MountTable(text, name, kind, tuple(entry for entry in read(text, name).entries if entry.libmount == "ok"))


def _heard(raws: list[str]) -> list[Heard | None]:
    from advisor.files import fstab_readings  # noqa: PLC0415  (seldom needed)

    lines = [(raw, True) for raw in raws[:-1]]
    return fstab_readings.getmntent_lines([*lines, (raws[-1], False)] if raws[-1] else lines) + [None] * (not raws[-1])


_LETTER = r"[!$-&(-\[\]-~]"  # printable ASCII but for the space, both quotes, the hash and the backslash
_PIECE = r"[!$-&(-+\--\[\]-~]"  # and but for the comma
# A line above suspicion, which every program reads alike: most lines of most files. It saves reading twice.
_PLAIN = regex(
    rf"[ \t]*{_LETTER}+[ \t]+(?:/{_LETTER}*|none|swap)[ \t]+([a-z][a-z0-9._-]*)"
    rf"[ \t]+[A-Za-z_]{_PIECE}*(?:,{_PIECE}+)*"
    r"(?:[ \t]+(?:[0-9]{1,9}(?:[ \t]+(?:[0-9]{1,9}(?:[ \t]+(?:\#[ -~\t]*)?)?)?)?)?)?"
)
AS_WRITTEN: Heard = ("", False)


def is_plain(raw: str) -> bool:
    """Whether a quick test shows that all programs read the line alike, and that it has no traps."""
    match = _PLAIN.fullmatch(raw)
    return match is not None and match[1] not in OPTION_WORDS and len(raw) < BUFFER - 1


class Entry(MountEntry):
    """A line that is neither blank nor a comment, and what programs make of it. `raw` comes without the newline."""

    __slots__ = ("_ended", "_heard", "_plain", "_twice")

    def __init__(self, line_no: int, raw: str, ended: bool, plain: bool, heard: Heard | None = AS_WRITTEN) -> None:
        """`ended`: the line has a newline. `plain`: `is_plain(raw)`. `heard`: what glibc has in its buffer for it."""
        self.line_no = line_no
        self.raw = raw
        self.fixable = True
        self._ended = ended
        self._plain = plain
        self._heard = heard
        self._fields = ()
        self._twice: BothReadings | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        if not self._fields:
            fields = []
            for start, end in self.tokens()[:6]:
                text = self.raw[start:end]
                value = None if self._plain else libmount.decode(text)
                fields.append(Field.of(text, (self.line_no, start + 1), value))
            if len(fields) < 6:
                fields += [Field((), fields[-1].near)] * (6 - len(fields))
            self._fields = tuple(fields)
        return self._fields

    def release(self) -> None:
        self._fields = ()

    @property
    def numbers(self) -> tuple[int, int]:
        """The fifth and sixth field as mount(8) reads them: 0 if there is none, or where it ignores the line."""
        if self._plain:
            return super().numbers
        view = self.libmount_view
        return (0, 0) if view is None else (view.freq, view.passno)

    @property
    def libmount(self) -> str:
        """ "ok", or why mount(8) ignores the line, in plain words."""
        if self._plain:
            return "ok"
        reading = self._work().reading
        return reading if isinstance(reading, str) else "ok"

    @property
    def libmount_view(self) -> Columns | None:
        """The columns as mount(8) reads them, None when it ignores the line."""
        reading = self._work().reading
        return None if isinstance(reading, str) else reading

    @property
    def glibc(self) -> Columns | None:
        """The columns as getmntent(3) returns them, None when it ignores the line."""
        return self._work().glibc

    @property
    def difference(self) -> str | None:
        """In words, how mount(8) and getmntent(3) read the line differently; None when they do not."""
        return None if self._plain else self._work().difference

    @property
    def traps(self) -> tuple[Trap, ...]:
        """The common mistakes in this line, from left to right."""
        return () if self._plain else self._work().traps

    def joined(self) -> Entry:
        """The line with each of its placeholders (`{{ name }}`) in one piece, at the same columns."""
        raw = joined(self.raw)
        return self if raw == self.raw else Entry(self.line_no, raw, self._ended, is_plain(raw))

    def tokens(self) -> list[tuple[int, int]]:
        """Where the words between spaces start and end, from 0; the first six are the fields."""
        return libmount.tokens(self.raw) if self._plain else self._work().cuts

    def _work(self) -> BothReadings:
        if self._twice is None:
            from advisor.files.fstab_readings import BothReadings  # noqa: PLC0415  seldom needed

            heard = (self.raw, self._ended) if self._heard is AS_WRITTEN else self._heard
            self._twice = BothReadings(self.line_no, self.raw, self._ended, heard)
        return self._twice

    def __repr__(self) -> str:
        return f"Entry({self.line_no}, {self.raw!r})"

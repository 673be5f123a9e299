"""One entry of fstab: its fields as written, and how mount(8) and getmntent(3) read it. All is worked out on demand."""

from __future__ import annotations

import re

from advisor.readers.fstab import glibc, libmount, traps
from advisor.readers.fstab.glibc import Heard
from advisor.readers.fstab.libmount import View
from advisor.readers.fstab.options import Item, split_options
from advisor.readers.fstab.traps import OPTION_WORDS, Trap
from advisor.readers.placeholders import has_markup
from advisor.readers.spans import Span

_WORD = r"[!$-&(-\[\]-~]"  # printable ASCII but for the blank, both quotes, the hash and the backslash
# A line above suspicion, which every program reads alike: most lines of most files. It saves the careful reading.
_PLAIN = re.compile(
    rf"[ \t]*{_WORD}+[ \t]+(?:/{_WORD}*|none|swap)[ \t]+(?!(?:{'|'.join(OPTION_WORDS)})[ \t])[a-z][a-z0-9._-]*"
    rf"[ \t]+(?![^ \t]*,(?:[, \t]|\Z))[A-Za-z_]{_WORD}*"
    rf"(?:[ \t]+[0-9]{{1,9}}(?:[ \t]+[0-9]{{1,9}}(?:[ \t]+\#[ -~\t]*)?)?)?[ \t]*"
).fullmatch
_COLUMNS = ("source", "target", "type", "options", "fifth field", "sixth field")
AS_WRITTEN: Heard = ("", False)


def is_plain(raw: str) -> bool:
    """Whether it is quickly seen that every program reads the line alike and that nothing in it looks odd."""
    return _PLAIN(raw) is not None and len(raw) < glibc.BUFFER - 1


class Field:
    """A field: `text` as written, `value` as decoded by libmount, and where it stands."""

    __slots__ = ("_entry", "_index", "text")

    def __init__(self, text: str, entry: Entry, index: int) -> None:
        self.text = text
        self._entry = entry
        self._index = index

    @property
    def value(self) -> str:
        return libmount.decode(self.text)

    @property
    def span(self) -> Span:
        start, end = self._entry.tokens()[self._index]
        return Span(self._entry.line_no, start + 1, end + 1)

    def __repr__(self) -> str:
        return f"Field({self.text!r}, {self.span})"


class Option:
    """One item of the option field: `text` as written, `name` and `value` decoded (`value` is None without `=`).

    An empty item (`rw,,hard`) has an empty text and an empty span. `closed`: see `options.Item`.
    """

    __slots__ = ("_field", "_item", "closed", "name", "text", "value")

    def __init__(self, item: Item, field: Field) -> None:
        self.text, self.name, self.value, _, self.closed = item
        self._item = item
        self._field = field

    @property
    def span(self) -> Span:
        line, column, _ = self._field.span
        start = column + self._item.start
        return Span(line, start, start + len(self.text))

    @property
    def value_span(self) -> Span:
        """Where the value stands: empty, at the end of the option, when there is none."""
        line, start, end = self.span
        if self.value is None:
            return Span(line, end, end)
        # An equals sign that is written as an escape cannot be found: then the whole option.
        return Span(line, start + self.text.find("=", 1) + 1, end)

    def __repr__(self) -> str:
        return f"Option({self.text!r}, {self.span})"


class _Careful:
    """What the careful reading of a line finds."""

    __slots__ = ("body", "cuts", "reading", "traps")

    def __init__(self, line_no: int, raw: str, ended: bool) -> None:
        self.body = libmount.body_of(raw, ended)
        self.cuts = libmount.tokens(self.body)
        self.reading = libmount.parse(self.body, self.cuts)
        self.traps = traps.find(line_no, raw, self.body, self.cuts, isinstance(self.reading, View))


class Entry:
    """A line that is neither blank nor a comment. `raw` comes without the newline. Fields that are missing are None."""

    __slots__ = ("_careful", "_ended", "_heard", "_plain", "_words", "line_no", "raw")

    def __init__(self, line_no: int, raw: str, ended: bool, plain: bool, heard: Heard | None = AS_WRITTEN) -> None:
        """`ended`: the line has a newline. `plain`: `is_plain(raw)`. `heard`: what glibc has in its buffer for it."""
        self.line_no = line_no
        self.raw = raw
        self._ended = ended
        self._plain = plain
        self._heard = heard
        self._words: list[str] | None = None
        self._careful: _Careful | None = None

    @property
    def fields(self) -> tuple[Field | None, ...]:
        """The six fields, None where the line ends before."""
        return tuple(self._field(index) for index in range(6))

    @property
    def source(self) -> Field:
        return Field(self._texts()[0], self, 0)  # a line without any field is blank, and no entry

    @property
    def target(self) -> Field | None:
        return self._field(1)

    @property
    def fstype(self) -> Field | None:
        return self._field(2)

    @property
    def options(self) -> Field | None:
        return self._field(3)

    @property
    def freq(self) -> Field | None:
        return self._field(4)

    @property
    def passno(self) -> Field | None:
        return self._field(5)

    def option_items(self) -> list[Option]:
        """The items of the option field, empty ones too; none without that field."""
        field = self.options
        return [] if field is None else [Option(item, field) for item in split_options(field.text)]

    @property
    def libmount(self) -> str:
        """"ok", or why mount(8) ignores the line, in plain words."""
        if self._plain:
            return "ok"
        reading = self._work().reading
        return reading if isinstance(reading, str) else "ok"

    @property
    def libmount_view(self) -> View | None:
        """The columns as mount(8) reads them, None when it ignores the line."""
        reading = self._work().reading
        return None if isinstance(reading, str) else reading

    @property
    def glibc(self) -> View | None:
        """The columns as getmntent(3) returns them, None when it passes over the line."""
        return glibc.view((self.raw, self._ended) if self._heard is AS_WRITTEN else self._heard)

    @property
    def differ(self) -> bool:
        """Whether mount(8) and getmntent(3) read the line differently: only one takes it, or a column differs."""
        return not self._plain and difference(self.libmount_view, self.glibc) is not None

    @property
    def difference(self) -> str | None:
        """In words, how the two readings differ; None when they do not."""
        return None if self._plain else difference(self.libmount_view, self.glibc)

    @property
    def traps(self) -> tuple[Trap, ...]:
        """What is easily got wrong in this line, with its place and in words, from left to right."""
        return () if self._plain else self._work().traps

    @property
    def template(self) -> bool:
        """Whether the line holds placeholders such as `$NAME`, `{{ name }}` or `<name>`, and so is not final."""
        return has_markup(self.raw)

    def tokens(self) -> list[tuple[int, int]]:
        """Where the words between blanks start and end, from 0; the first six are the fields."""
        return self._work().cuts

    def _field(self, index: int) -> Field | None:
        texts = self._texts()
        return Field(texts[index], self, index) if index < len(texts) else None

    def _texts(self) -> list[str]:
        if self._words is None:
            if self._plain:
                self._words = self.raw.split(None, 6)[:6]
            else:
                work = self._work()
                self._words = [work.body[start:end] for start, end in work.cuts[:6]]
        return self._words

    def _work(self) -> _Careful:
        if self._careful is None:
            self._careful = _Careful(self.line_no, self.raw, self._ended)
        return self._careful

    def __repr__(self) -> str:
        return f"Entry({self.line_no}, {self.raw!r})"


def difference(mine: View | None, theirs: View | None) -> str | None:
    """In words, how the reading of mount(8) (`mine`) differs from that of getmntent(3); None when it does not."""
    if mine is None or theirs is None:
        view = mine or theirs
        if view is None:
            return None
        taker, other = ("mount(8)", "getmntent(3)") if mine else ("getmntent(3)", "mount(8)")
        columns = ", ".join(f"{name} {_said(value)}" for name, value in zip(_COLUMNS, view, strict=True))
        return f"{other} ignores the line, {taker} reads it as {columns}"
    parts = []
    for name, one, two in zip(_COLUMNS, mine, theirs, strict=True):
        if (one or "") != (two or ""):
            said = (_said(one), _said(two))
            if said[0] == said[1]:  # both shortened
                said = (f"{len(str(one))} characters", f"{len(str(two))} characters")
            parts.append(f"the {name} as {said[0]}, getmntent(3) as {said[1]}")
    return "mount(8) reads " + "; ".join(parts) if parts else None


def _said(value: str | int | None) -> str:
    return libmount.shown(value) if isinstance(value, str) else "nothing" if value is None else str(value)

"""What the readers of files return: mounts, settings, and the places of all text in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from advisor.files.libmount import integer
from advisor.files.placeholders import divided
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Value


class Span(NamedTuple):
    """A part of one line. All numbers start at 1 and count characters of the decoded line.

    `end_column` is exclusive: `line_text[column - 1:end_column - 1]` is the text. An empty span has equal columns.
    """

    line: int
    column: int
    end_column: int


class Setting(NamedTuple):
    """A tunable's value in one place. `value`: as used, None if unknown. `field`: the field of the line that contains
    it. `start`, `end`: offsets in the text of the field. `text`: as written. `order`: index in its option list."""

    value: Value
    field: str
    start: int
    end: int
    text: str
    tunable: str = ""
    order: int = -1


class Token(NamedTuple):
    """A word, a name or a value as the program that owns the file reads it, and its place, which of several lines is on
    the first. `exact`: in a field of a mount or an export, the file has it there literally."""

    text: str
    span: Span
    exact: bool = True

    @classmethod
    def at(cls, line: int, column: int, text: str) -> Token:
        """A token that the file has at this place."""
        return cls(text, Span(line, column, column + len(text)))


class Field:
    """A field of a mount or an export, in one part or several. `text`: as written, parts joined by commas; `value`:
    decoded. A field that is not written has no parts, and is reported at `near`."""

    __slots__ = ("_at", "_begins", "_near", "_parts", "text", "value")

    def __init__(self, parts: Iterable[Token], near: Span, value: str | None = None) -> None:
        self._parts: tuple[Token, ...] | None = tuple(parts)
        self._begins: list[int] | None = None
        self._near: Span | None = near
        self._at = (near.line, near.column)
        self.text = ",".join(part.text for part in self._parts)
        self.value = self.text if value is None else value

    @classmethod
    def of(cls, text: str, at: tuple[int, int], value: str | None = None) -> Field:
        """A field that the file has in one piece, which begins `at` this line and column."""
        field = cls.__new__(cls)  # a file has many, of which few are asked for their places
        field._parts, field._begins, field._near, field._at, field.text = None, None, None, at, text
        field.value = text if value is None else value
        return field

    @property
    def near(self) -> Span:
        if self._near is None:
            self._near = Span(*self._at, self._at[1] + len(self.text))
        return self._near

    @property
    def parts(self) -> tuple[Token, ...]:
        if self._parts is None:
            self._parts = (Token(self.text, self.near),)
        return self._parts

    @property
    def span(self) -> Span:
        """The place of the first part and of those that follow it on its line."""
        if not self._parts:
            return self.near
        first = self.parts[0].span
        return Span(first.line, first.column, max(p.span.end_column for p in self.parts if p.span.line == first.line))

    def _starts(self) -> list[int]:
        """Where each part begins in the text."""
        if self._begins is None:
            self._begins = [0, *accumulate(len(part.text) + 1 for part in self.parts[:-1])]
        return self._begins

    def _part(self, at: int) -> int:
        """The index of the part that has this character of the text, or ends before it; -1 if none does."""
        which = bisect_right(self._starts(), at) - 1
        return which if which < len(self.parts) and at <= self._starts()[which] + len(self.parts[which].text) else -1

    def at(self, start: int, end: int) -> Span:
        """The place of the characters [start, end) of the text, or else of the part that they belong to."""
        if self._parts is None and 0 <= start <= len(self.text):
            line, column = self._at
            return Span(line, column + start, column + min(end, len(self.text)))
        which = self._part(start)
        if which < 0:
            return self.span
        begin, part = self._starts()[which], self.parts[which]
        if not part.exact:
            return part.span
        last = min(end, begin + len(part.text))
        return Span(part.span.line, part.span.column + start - begin, part.span.column + last - begin)

    def stretch(self, start: int, end: int) -> Span | None:
        """The exact place of the characters [start, end) of the text, commas included; None if the file does not
        have them in one piece."""
        if self._parts is None and 0 <= start <= end <= len(self.text):
            line, column = self._at
            return Span(line, column + start, column + end)
        starts, first, last = self._starts(), self._part(start), self._part(end)
        if first < 0 or last < 0 or not all(part.exact for part in self.parts[first : last + 1]):
            return None
        for part, following in zip(self.parts[first:last], self.parts[first + 1 : last + 1]):
            if (following.span.line, following.span.column) != (part.span.line, part.span.end_column + 1):
                return None
        span = self.parts[first].span
        column = self.parts[last].span.column + end - starts[last]
        return Span(span.line, span.column + start - starts[first], column)

    def __repr__(self) -> str:
        return f"Field({self.text!r}, {self.span})"


class _FieldAt:
    """A property: the field of a mount with this number."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __get__(self, entry: MountEntry, _: object) -> Field:
        return (entry._fields or entry.fields)[self.at]


class MountEntry:
    """One mount, as a line of fstab would have it. `line_no`: where it begins. `fixable`: its text may be changed in
    place. Fields that are missing, or that this kind of file does not have, are empty."""

    __slots__ = ("_fields", "fixable", "line_no", "raw")

    def __init__(
        self, line_no: int, raw: str, *, source: Field, target: Field, fstype: Field, options: Field,
        freq: Field | None = None, passno: Field | None = None,
    ) -> None:
        self.line_no = line_no
        self.raw = raw
        missing = Field((), options.near)
        self._fields: tuple[Field, ...] = (source, target, fstype, options, freq or missing, passno or missing)
        self.fixable = False

    @property
    def fields(self) -> tuple[Field, ...]:
        """All six, in the order of fstab."""
        return self._fields

    source, target, fstype, options, freq, passno = (_FieldAt(at) for at in range(6))

    @property
    def numbers(self) -> tuple[int, int]:
        """The last two fields; 0 if one is missing or not a number."""
        freq, passno = (
            integer(field.value) if field.value.isascii() and field.value.isdigit() else 0 for field in self.fields[4:]
        )
        return freq, passno

    def release(self) -> None:
        """Drop what is computed again on demand, to save memory in a long file."""


class MountTable(NamedTuple):
    """The mounts of a file. `bad`: what cannot be read, and why, for people."""

    text: str
    name: str
    kind: str
    mounts: tuple[MountEntry, ...]
    bad: tuple[tuple[Span, str], ...] = ()


def pieces(text: str, span: Span, separator: str = ",") -> list[Token]:
    """The items of a list of options on one line, each as a part; commas inside quotes and placeholders do not
    separate."""
    return [Token.at(span.line, span.column + start, item) for start, item in divided(text, separator)]


class Assignment(NamedTuple):
    """One assignment. `section`: its name, "" in files without sections. `aside`: text behind the value that its author
    meant as a comment, and the program does not. `block`: the number of its block, in files that have blocks; `values`:
    each of several values with its quotation marks."""

    section: str
    key: Token
    value: Token
    aside: Token | None = None
    block: int | None = None
    values: tuple[Token, ...] = ()


class Block(NamedTuple):
    """A section with a beginning and an end. `inside`: the number of the block around it."""

    heading: Token
    inside: int | None = None


class Slip(NamedTuple):
    """A mistake in something other than a name or a value. `slug`: the check that describes it; `words`: what to fill
    in there. `section`: it is reported only if this section is known. `by_name`: the check to use instead if the
    section is a module that is loaded by its own name."""

    slug: str
    span: Span
    section: str = ""
    words: Mapping[str, str] = {}
    by_name: str = ""


class Assignments(NamedTuple):
    """The settings of a file. `sections`: their headings. `bad`: what the program does not read, and why, for people.
    `slips`: what does something other than it seems to do. `includes`: other files that are read in these places.
    `blocks`: in their order. `filled_in`: the numbers of those in which a template writes statements, None for the rest
    of the file."""

    text: str
    name: str
    kind: str
    settings: tuple[Assignment, ...]
    sections: tuple[Token, ...] = ()
    bad: tuple[tuple[Span, str], ...] = ()
    slips: tuple[Slip, ...] = ()
    includes: tuple[Assignment, ...] = ()
    blocks: tuple[Block, ...] = ()
    filled_in: frozenset[int | None] = frozenset()


UNHEADED = "this comes before the first section, so nothing reads it"
"""What is wrong with an assignment in front of all headings."""
_ESCAPE = r"\\(?:\r?\n|.)"
_SPOKEN = {"n": "\n", "t": "\t"}


class Stretch(NamedTuple):
    """Text without a newline, other than at its end. `exact`: the file has it at this place; else `column` is where
    that begins which it comes from."""

    text: str
    line: int
    column: int
    exact: bool = True


class Placed:
    """`text`, made of runs."""

    __slots__ = ("_runs", "_starts", "text")

    def __init__(self, runs: Iterable[Stretch]) -> None:
        self._runs: list[Stretch] = []
        for run in runs:
            last = self._runs[-1] if run.exact and self._runs else None
            if last and last.exact and (run.line, run.column) == (last.line, last.column + len(last.text)):
                self._runs[-1] = last._replace(text=last.text + run.text)
            elif run.text:
                self._runs.append(run)
        self._starts = [0, *accumulate(len(run.text) for run in self._runs)]
        self.text = "".join(run.text for run in self._runs)

    @classmethod
    def of_file(cls, text: str) -> Placed:
        return cls(Stretch(f"{line}\n", number, 1) for number, line in enumerate(text.split("\n"), 1))

    @classmethod
    def joined(cls, parts: Iterable[Placed | str]) -> Placed:
        """The parts as one text. A string is not in the file: its place is that of its neighbour."""
        listed = [*parts]
        near = next((part._runs[0] for part in listed if isinstance(part, Placed) and part._runs), Stretch("", 1, 1))
        runs: list[Stretch] = []
        for part in listed:
            runs += part._runs if isinstance(part, Placed) else [near._replace(text=part, exact=False)]
            near = runs[-1] if runs else near
        return cls(runs)

    @classmethod
    def in_place(cls, text: str, place: Span) -> Placed:
        """Text that the file does not have, for what it has at this place."""
        return cls([Stretch(text, place.line, place.column, False)])

    def cut(self, start: int, end: int | None = None) -> Placed:
        """The characters [start, end), or all from `start` on."""
        end = len(self.text) if end is None else end
        runs = []
        for number in range(max(bisect_right(self._starts, start) - 1, 0), len(self._runs)):
            run, begin = self._runs[number], self._starts[number]
            if begin >= end:
                break
            first, last = max(start - begin, 0), min(end - begin, len(run.text))
            runs.append(run._replace(text=run.text[first:last], column=run.column + first * run.exact))
        return Placed(runs)

    def token(self, start: int = 0, end: int | None = None) -> Token:
        """The characters [start, end); exact if one run has them. Of text in several places, the first place."""
        end = len(self.text) if end is None else end
        number = max(min(bisect_right(self._starts, start) - 1, len(self._runs) - 1), 0)
        run, begin = self._runs[number] if self._runs else Stretch("", 1, 1, False), self._starts[number]
        column, last = run.column + (start - begin) * run.exact, min(end, begin + len(run.text.rstrip("\n")))
        exact = run.exact and end == last
        return Token(self.text[start:end], Span(run.line, column, column + max(last - start, not exact)), exact)

    @property
    def span(self) -> Span:
        return self.token().span

    def numbers(self) -> list[int]:
        """The lines of the file that it is from."""
        return sorted({run.line for run in self._runs} or {0})

    def items(self) -> list[Token]:
        """The items of a list that commas separate, other than those in quotes and placeholders."""
        return [self.token(start, start + len(item)) for start, item in divided(self.text)]

    def unescaped(self, only: str = "") -> Placed:
        r"""Without backslashes before other characters, all or those in `only`: \n is a newline, \t a tab, and a line
        that ends in a backslash goes on."""
        parts: list[Placed | str] = []
        start = 0
        for escape in re.finditer(_ESCAPE, self.text, re.DOTALL):
            char = escape[0][1]
            if not only or char in only:
                spoken = "" if char in "\r\n" else _SPOKEN.get(char)
                itself = self.cut(escape.start() + 1, escape.end())
                parts += [self.cut(start, escape.start()), itself if spoken is None else spoken]
                start = escape.end()
        return Placed.joined([*parts, self.cut(start)]) if parts else self


def continued_lines(text: str, comments: str = "", joint: str = "") -> Iterator[Placed]:
    """The lines of a file, each with those that a backslash at its end continues. `comments`: signs that begin a line
    to leave out, wherever it is; others then lose the blanks around them. `joint`: what stands for the backslash."""
    begun: list[Stretch] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip() if comments else raw
        if line and line[0] in comments:
            continue
        more = line.endswith("\\")
        column = raw.index(line) + 1
        begun.append(Stretch(line[:-1] + joint[:1] if more else line, number, column))
        if more:
            begun.append(Stretch(joint[1:], number, column + len(line), False))
        else:
            yield Placed(begun)
            begun = []
    if begun:
        yield Placed(begun)

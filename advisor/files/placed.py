"""Text that is taken out of a file, with the place in the file of each of its characters.

    line = Placed.of_file("RUN echo '/srv *(rw)' > /etc/exports\\n").cut(10, 20)
    line.text, line.token().span.column          # '/srv *(rw)', 11
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from advisor.files.placeholders import divided
from advisor.files.records import Span, Token
from advisor.named_tuple import NamedTuple

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
            last = self._runs[-1] if self._runs else Stretch("", 0, 0)
            if run.exact and last.exact and (run.line, run.column) == (last.line, last.column + len(last.text)):
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
        column, last = run.column + (start - begin) * run.exact, min(end, begin + len(run.text))
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

"""Converts positions in a text between the linter and the protocol."""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol.types import Position, PositionEncodingKind, Range

_LINE_END = re.compile(r"\r\n|\n|\r")
"""The line ends of the protocol; for the linter, only a line feed ends a line."""
_WIDTHS: dict[str, tuple[str, int]] = {
    PositionEncodingKind.Utf8.value: ("utf-8", 1),
    PositionEncodingKind.Utf16.value: ("utf-16-le", 2),
    PositionEncodingKind.Utf32.value: ("utf-32-le", 4),
}
"""Negotiated encoding → its name in Python, and the bytes of one unit."""


class Positions:
    """The positions of one text. `encoding`: how the client counts within a line, one of PositionEncodingKind."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._codec, self._unit = _WIDTHS.get(encoding, _WIDTHS["utf-16"])
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._ends = [*(match.start() for match in _LINE_END.finditer(text)), len(text)]
        self._linted = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]

    def span(self, line: int, column: int, end_column: int) -> Range:
        """The range of a finding. The linter counts characters from 1, and the end is exclusive. Positions beyond the
        text become its end."""
        start, end = self._offset(line, column), self._offset(line, end_column)
        return Range(self.position(start), self.position(end))

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        return Position(line, len(before.encode(self._codec, "surrogatepass")) // self._unit)

    def offset(self, place: Position) -> int:
        """The offset of a position; beyond a line or the text, the end of it."""
        if place.line >= len(self._starts):
            return len(self.text)
        start = self._starts[place.line]
        line = self.text[start : self._ends[place.line]]
        head = line.encode(self._codec, "surrogatepass")[: place.character * self._unit]
        return start + len(head.decode(self._codec, "ignore" if self._codec == "utf-8" else "surrogatepass"))

    def linted(self, offset: int) -> tuple[int, int]:
        """The linter's line and column of an offset, both from 1."""
        line = bisect_right(self._linted, offset)
        return line, offset - self._linted[line - 1] + 1

    def _offset(self, line: int, column: int) -> int:
        if line > len(self._linted):
            return len(self.text)
        start = self._linted[line - 1]
        end = self._linted[line] - 1 if line < len(self._linted) else len(self.text)
        return min(start + column - 1, end)

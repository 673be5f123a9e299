"""Lines in, lines out: no escape codes, no cursor, nothing that a screen reader or a serial line cannot take."""

from __future__ import annotations

import os
from typing import TextIO

from advisor.document.escape import visible
from advisor.document.wrap import wrap

USUAL = 80
"""Columns where nobody says how wide the lines may be."""
LONGEST = 2_000
"""Characters beyond which a line is not an answer."""

LEAVE = ("q", "quit", "b", "back")
"""What people write to get out of something, besides nothing at all."""


class Ended(Exception):
    """The input has ended."""


class Talk:
    """`echo`: repeat what was read, for the reader of a transcript whose input nobody has seen typed."""

    def __init__(self, lines: TextIO | None, out: TextIO, columns: int = USUAL, echo: bool = False) -> None:
        self._lines, self._out, self.columns, self._echo = lines, out, columns, echo

    def say(self, text: str = "", first: str = "", rest: str | None = None) -> None:
        """A paragraph, wrapped; `first` and `rest` stand before its first line and the others."""
        rest = " " * len(first) if rest is None else rest
        self._write("\n".join(wrap(visible(text), self.columns, first, rest)))

    def line(self, text: str) -> None:
        """A line that stays whole, because it is to be copied."""
        self._write(visible(text))

    def ask(self, prompt: str) -> str:
        """What is written after the prompt, without blanks around it. Raises Ended."""
        self._out.write(f"{visible(prompt)} ")
        self._out.flush()
        text = self._read()
        if self._echo:
            self._write(visible(text))
        return text

    def ask_on(self, prompt: str) -> str:
        """The same within a command; "" too for the words that leave it."""
        text = self.ask(prompt)
        return "" if text in LEAVE else text

    def _read(self) -> str:
        try:
            text = self._lines.readline(LONGEST + 1) if self._lines is not None else ""
            rest = text
            while len(rest) > LONGEST and not rest.endswith("\n"):
                rest = self._lines.readline(LONGEST + 1) if self._lines is not None else ""
        except (OSError, ValueError):  # closed, or it cannot be read
            text = ""
        if not text:
            self._write("")
            raise Ended
        return text[:LONGEST].strip()

    def _write(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


def width(out: TextIO) -> int:
    """COLUMNS, or the terminal's own width, or the usual one."""
    text = os.environ.get("COLUMNS", "")
    if text.isascii() and text.isdigit() and int(text[:6]) > 0:
        return int(text[:6])
    try:
        return os.get_terminal_size(out.fileno()).columns or USUAL
    except (OSError, ValueError):
        return USUAL

"""Lines in, lines out: no escape codes, no cursor, nothing that a screen reader or a serial line cannot handle."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from advisor.document.blocks import Block
from advisor.document.escape import visible
from advisor.document.wrap import wrap

DEFAULT_COLUMNS = 80
MAX_LINE = 2_000
"""Characters of a line that are read."""
LEAVE = ("q", "quit", "b", "back")
"""What leaves a command, besides an empty line."""


class Ended(Exception):
    """The input has ended."""


class Talk:
    """`echo`: repeats what was read, for a transcript of input that was not typed."""

    def __init__(self, lines: TextIO | None, out: TextIO, columns: int = DEFAULT_COLUMNS, echo: bool = False) -> None:
        self._lines, self._out, self.columns, self._echo = lines, out, columns, echo

    def say(self, text: str = "", first: str = "", rest: str | None = None) -> None:
        """Prints a paragraph, wrapped; `first` and `rest` stand before its first line and the others."""
        rest = " " * len(first) if rest is None else rest
        self._write("\n".join(wrap(visible(text), self.columns, first, rest)))

    def line(self, text: str) -> None:
        """Prints a line that stays whole, because it is to be copied."""
        self._write(visible(text))

    def page(self, blocks: Iterable[Block]) -> bool:
        """Prints a document; False if it is empty."""
        from advisor.document.layout import terminal  # noqa: PLC0415
        from advisor.document.style import Style  # noqa: PLC0415  not on the way to the first question

        lines = terminal(blocks, self.columns, Style(False)).splitlines()
        for line in lines:
            self.line(line)
        return bool(lines)

    def ask(self, prompt: str) -> str:
        """What is written after the prompt, without spaces around it. Raises Ended."""
        self._out.write(f"{visible(prompt)} ")
        self._out.flush()
        text = self._read()
        if self._echo:
            self._write(visible(text))
        return text

    def ask_in_command(self, prompt: str) -> str:
        """The same within a command; "" also for the words that leave it."""
        text = self.ask(prompt)
        return "" if text in LEAVE else text

    def choose(self, ways: Sequence[str]) -> int | None:
        """Asks for one of a few ways; its place, None for anything else. Raises Ended."""
        for number, way in enumerate(ways, 1):
            self.say(way, f"  {number}  ")
        text = self.ask("Which?")
        number = int(text[:4]) if text.isascii() and text.isdigit() else 0
        return number - 1 if 0 < number <= len(ways) else None

    def _read(self) -> str:
        """A line, or as much of it as MAX_LINE allows."""
        try:
            text = part = self._lines.readline(MAX_LINE + 1) if self._lines is not None else ""
            while self._lines is not None and len(part) > MAX_LINE and not part.endswith("\n"):
                part = self._lines.readline(MAX_LINE + 1)
        except (OSError, ValueError):  # closed, or it cannot be read
            text = ""
        if not text:
            self._write("")
            raise Ended
        return text[:MAX_LINE].strip()

    def _write(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


def width(out: TextIO) -> int:
    """COLUMNS, or the width of the terminal, or the default."""
    text = os.environ.get("COLUMNS", "")
    if text.isascii() and text.isdigit() and int(text[:6]) > 0:
        return int(text[:6])
    try:
        return os.get_terminal_size(out.fileno()).columns or DEFAULT_COLUMNS
    except (OSError, ValueError):
        return DEFAULT_COLUMNS

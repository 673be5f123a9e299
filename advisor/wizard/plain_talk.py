"""Line-by-line input and output, without escape codes, for screen readers and serial lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from advisor.pages.blocks import Block
from advisor.pages.escape import visible
from advisor.pages.style import wrap

DEFAULT_COLUMNS = 80
MAX_LINE = 2_000
"""Characters of an input line after which the rest is ignored."""
LEAVE = ("q", "quit", "b", "back")
"""Words that leave a command, as an empty line does."""


class InputEnded(Exception):
    """The input has ended."""


class Talk:
    """`lines`: the input, None for none. `echo`: prints each input line, for a transcript of piped input."""

    def __init__(self, lines: TextIO | None, out: TextIO, columns: int = DEFAULT_COLUMNS, echo: bool = False) -> None:
        self._lines, self._out, self.columns, self._echo = lines, out, columns, echo

    def say(self, text: str = "", first: str = "", rest: str | None = None) -> None:
        """Prints a wrapped paragraph. `first`, `rest`: prefixes of its first line and of the others."""
        rest = " " * len(first) if rest is None else rest
        self._write("\n".join(wrap(visible(text), self.columns, first, rest)))

    def line(self, text: str) -> None:
        """Prints a line without wrapping, so that it can be copied."""
        self._write(visible(text))

    def page(self, blocks: Iterable[Block]) -> bool:
        """Prints a document; False if it is empty."""
        from advisor.pages.layout import terminal  # noqa: PLC0415
        from advisor.pages.style import Style  # noqa: PLC0415  not on the way to the first question

        lines = terminal(blocks, self.columns, Style(False)).splitlines()
        for line in lines:
            self.line(line)
        return bool(lines)

    def ask(self, prompt: str) -> str:
        """Prints a prompt and returns the input line, stripped. Raises InputEnded."""
        self._out.write(f"{visible(prompt)} ")
        self._out.flush()
        text = self._read()
        if self._echo:
            self._write(visible(text))
        return text

    def ask_in_command(self, prompt: str) -> str:
        """`ask` within a command: "" for the words that leave it."""
        text = self.ask(prompt)
        return "" if text in LEAVE else text

    def choose(self, options: Sequence[str]) -> int | None:
        """Asks for one of the options; returns its index, None for any other input. Raises InputEnded."""
        for number, option in enumerate(options, 1):
            self.say(option, f"  {number}  ")
        text = self.ask("Which?")
        number = int(text[:4]) if text.isascii() and text.isdigit() else 0
        return number - 1 if 0 < number <= len(options) else None

    def _read(self) -> str:
        """The next input line, cut after MAX_LINE characters. Raises InputEnded."""
        try:
            text = part = self._lines.readline(MAX_LINE + 1) if self._lines is not None else ""
            while self._lines is not None and len(part) > MAX_LINE and not part.endswith("\n"):
                part = self._lines.readline(MAX_LINE + 1)
        except (OSError, ValueError):  # the input is closed or cannot be read
            text = ""
        if not text:
            self._write("")
            raise InputEnded
        return text[:MAX_LINE].strip()

    def _write(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


def width(out: TextIO) -> int:
    """The columns to wrap at: from the variable COLUMNS, else those of the terminal, else DEFAULT_COLUMNS."""
    text = os.environ.get("COLUMNS", "")
    if text.isascii() and text.isdigit() and int(text[:6]) > 0:
        return int(text[:6])
    try:
        return os.get_terminal_size(out.fileno()).columns or DEFAULT_COLUMNS
    except (OSError, ValueError):
        return DEFAULT_COLUMNS

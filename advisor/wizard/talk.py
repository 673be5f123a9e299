"""Line-by-line input and output, without escape codes, for screen readers and serial lines: steps and rows are printed,
and their choices numbered."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TextIO

from advisor.pages.blocks import Block
from advisor.pages.escape import visible
from advisor.pages.style import wrap
from advisor.wizard.rows import ListRow
from advisor.wizard.steps import FOUND, Choice, WizardStep, typed_keys

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

    def step(self, asked: WizardStep, progress: str = "") -> None:
        """Prints a step: what it is about, the question, its help, and its choices with what is typed for each."""
        self.say()
        for text in (asked.section, asked.about, progress):
            if text:
                self.say(text)
        if asked.section:
            self.say()
        self.say(asked.title)
        for label, text in asked.notes:
            self.say(f"{label or ('Help: ' if asked.fact else '')}{text}", "  ")
        if asked.example:
            self.say(f"Example: {asked.example}", "  ")
        if asked.known is not None:
            label, answer, where = asked.known
            found = label == FOUND
            keeps = " An empty line accepts it." if found else " An empty line keeps it." if asked.fact else ""
            self.say(f"{label}: {answer}{f', in {where}' if found else f' ({where})' if where else ''}.{keeps}", "  ")
        self.choices(asked.choices)

    def choices(self, choices: Sequence[Choice]) -> None:
        """Prints what can be chosen at a prompt."""
        keys = typed_keys(choices)
        wide = max(map(len, (key for key in keys if " " not in key)), default=1)
        for key, choice in zip(keys, choices):
            if key:
                note = f" ({choice.note})" if choice.note and choice.act != "unknown" else ""
                self.say(f"{choice.label}{note}", f"  {key:>{wide}}  ")

    def rows(self, rows: Iterable[ListRow], *, numbered: bool = False) -> None:
        """Prints rows below their headings. `numbered`: by their place, so that they can be chosen."""
        rows = list(rows)
        number = 0
        for row, following in zip(rows, [*rows[1:], None]):
            if row.key is None:
                end = "." if following is None or following.key is None else ":"
                self.say(f"{row.spoken.rstrip('.:')}{end}")
            else:
                number += 1
                self.say(row.spoken, f"  {number}  " if numbered else "  - ")

    def choose(self, choices: Sequence[Choice]) -> Choice | None:
        """Asks for one of the choices; None for any other input. Raises InputEnded."""
        self.choices(choices)
        text = self.ask("Which?")
        return next((choice for key, choice in zip(typed_keys(choices), choices) if key == text), None)

    def confirms(self, safe: str, other: str) -> bool:
        """Asks for one of two ways; whether it is the one that is not safe."""
        choice = self.choose([Choice("way", safe), Choice("way", other)])
        return choice is not None and choice.label == other

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

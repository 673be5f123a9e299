"""Wrapped, styled text for the screens that are read. Text from the rule base and from people never becomes markup."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from textual.content import Content

from advisor.render.escape import visible
from advisor.render.style import Style

HEAD, DIM, GOOD, BAD, WARN = "bold $text-primary", "dim", "$text-success", "$text-error", "$text-warning"


LONG = 40


class Paper:
    """Collects lines that are wrapped at `width`."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 30)
        self.lines: list[Content] = []

    def title(self, text: str, under: str = "") -> None:
        self._wrapped(text, "", "", "bold")
        self._wrapped(under, "", "", DIM)

    def heading(self, text: str) -> None:
        if self.lines:
            self.lines.append(Content(""))
        self._wrapped(text, "", "", HEAD)

    def para(self, text: str | None, indent: int = 2, bullet: str = "", style: str = "") -> None:
        """A paragraph; its lines hang under the text after the bullet."""
        pad = " " * indent
        for line in str(text or "").splitlines():
            self._wrapped(line, pad + bullet, pad + " " * len(bullet), style)

    def pairs(self, rows: Iterable[tuple[str, Any]]) -> None:
        """Labels and texts in two columns."""
        shown = [(label, str(value)) for label, value in rows if value not in (None, "", [], {})]
        wide = max((len(label) for label, _ in shown), default=0) + 2
        for label, value in shown:
            head = label
            for line in value.splitlines() or [""]:
                start = len(self.lines)
                self._wrapped(line, "  " + " " * wide, "  " + " " * wide, "")
                if start < len(self.lines):
                    body = self.lines[start].plain[2 + wide :]
                    self.lines[start] = Content.assemble("  ", (f"{head:<{wide}}", DIM), body)
                head = ""

    def add(self, *parts: Any) -> None:
        """A line of its own, not wrapped."""
        self.lines.append(Content.assemble(*parts))

    def content(self) -> Content:
        return Content("\n").join(self.lines)

    def _wrapped(self, text: str, first: str, rest: str, style: str) -> None:
        if not text:
            return
        wrapper = _Wrapper(self.width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
        for line in wrapper.wrap(visible(text)):
            self.lines.append(Content.styled(line, style))


class _Wrapper(textwrap.TextWrapper):
    """Breaks long option lists after a comma, long addresses after a slash."""

    def _split(self, text: str) -> list[str]:
        parts: list[str] = []
        for chunk in super()._split(text):
            parts += re.findall(r"[^,/]+[,/]?|[,/]", chunk) if len(chunk) > LONG else [chunk]
        return parts


class Marks(Style):
    """What a Page writes in bold becomes a heading, and addresses lead nowhere."""

    MARK = "\x02"

    def __init__(self) -> None:
        super().__init__(False)

    def __call__(self, kind: str, text: str) -> str:
        return self.MARK + text if kind == "bold" else text


def of_page(lines: Iterable[str], width: int) -> Content:
    """The lines of an advisor.render.explain.Page made with Marks."""
    paper = Paper(width)
    for line in lines:
        if line.startswith(Marks.MARK):
            paper.lines += [Content.styled(part, HEAD) for part in textwrap.wrap(line.replace(Marks.MARK, ""), width)]
        else:
            paper.lines.append(Content(line))
    return paper.content()

"""A document on a terminal, or in a pipe."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.document.blocks import Block, TextRun
from advisor.document.layout import BAR, HEADING, PARTS, TITLE, lines
from advisor.document.style import Style

_KINDS = {TITLE: "bold", HEADING: "bold", "strong": "bold", "dim": "dim", "good": "good", BAR: "good",
          "warn": "warning", "bad": "error", **dict(zip(PARTS, ("warning", "note", "good", "dim", "note")))}
"""Look → kind of advisor.document.style; other looks are shown as text."""


def terminal(blocks: Iterable[Block], columns: int, style: Style) -> str:
    """The document's text, wrapped; it ends with a line end."""
    return "".join("".join(_painted(span, style) for span in line) + "\n" for line in lines(blocks, columns))


def _painted(span: TextRun, style: Style) -> str:
    kind = _KINDS.get(span.look)
    shown = style(kind, span.text) if kind else span.text
    return style.link(shown, span.address)

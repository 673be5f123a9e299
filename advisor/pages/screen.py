"""A document for Textual. Text never becomes markup."""

from __future__ import annotations

from textual.content import Content

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.pages.blocks import Block, TextRun

HEAD, DIM, GOOD, BAD, WARN = "bold $text-primary", "dim", "$text-success", "$text-error", "$text-warning"
_STYLES = {
    "title": "bold", "heading": HEAD, "label": DIM, "bar": GOOD, "strong": "bold", "dim": DIM, "good": GOOD,
    "warn": WARN, "bad": BAD,
    "part-0": WARN, "part-1": "$text-primary", "part-2": GOOD, "part-3": DIM, "part-4": "$text-primary",
    "code": "",
}


def content(text: Iterable[TextRun]) -> Content:
    """A text with the colours of its roles; a role that has none is a style of Textual."""
    return Content.assemble(*((span.text, _STYLES.get(span.role, span.role)) for span in text))


def screen(blocks: Iterable[Block], columns: int) -> Content:
    """The document as lines of at most `columns` columns."""
    from advisor.pages.layout import lines  # noqa: PLC0415  the first frame shows no document

    return Content("\n").join(content(line) for line in lines(blocks, columns, whole=False))

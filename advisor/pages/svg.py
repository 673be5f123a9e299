"""A document as a self-contained SVG picture: the lines of a terminal, with bars as shapes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from advisor.pages.blocks import Block, Text, TextRun, plain
from advisor.pages.escape import width
from advisor.pages.layout import BAR, PARTS, bar_columns, lines
from advisor.pages.style import is_address

_COLUMNS = 100
_WIDE, _HIGH = 8.4, 20
"""Pixels of one character; each run of text is stretched to that, whatever font the viewer has."""
_SHAPES = {BAR, *PARTS}
_CSS = """\
.paper { fill: #fff; }
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1b2733; }
.title, .heading, .strong { font-weight: 700; }
.dim, .label { fill: #5b6b7a; }
.bad { fill: #c0392b; } .warn { fill: #a86f10; } .good { fill: #3c7a4c; } .bar { fill: #2b7bba; }
.part-0 { fill: #c98a1b; } .part-1 { fill: #2b7bba; } .part-2 { fill: #4a8f5c; } .part-3 { fill: #8a94a0; }
.part-4 { fill: url(#both); }
@media (prefers-color-scheme: dark) {
  .paper { fill: #151c23; } text { fill: #e4eaf0; } .dim, .label { fill: #9fb0c0; }
}
"""
_BOTH = (
    '<pattern id="both" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="6" height="12" fill="#2b7bba"/><rect x="6" width="6" height="12" fill="#4a8f5c"/></pattern>'
)


def svg(blocks: Iterable[Block], title: str, generator: str) -> str:
    """The picture. `generator`: what made it."""
    rows = lines(blocks, _COLUMNS, whole=False)
    wide = round((max([_COLUMNS, *(width(plain(row)) for row in rows)]) + 2) * _WIDE)
    high = (len(rows) + 1) * _HIGH
    shapes = "\n".join(shape for number, row in enumerate(rows) for shape in _line(row, number))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img">\n<title>{_escape_svg(title)}</title>\n<desc>{_escape_svg(generator)}</desc>\n<style>\n{_CSS}</style>\n'
        f'<defs>{_BOTH}</defs>\n<rect class="paper" width="{wide}" height="{high}"/>\n{shapes}\n</svg>\n'
    )


def _line(words: Text, row: int) -> list[str]:
    runs = []
    at = 1
    for span in words:
        shown = span.text.strip(" ")
        if shown:
            runs.append(_svg_run(span._replace(text=shown), at + len(span.text) - len(span.text.lstrip(" ")), row))
        at += width(span.text)
    return runs


def _svg_run(span: TextRun, column: int, row: int) -> str:
    role = f' class="{_escape_svg(span.role)}"' if span.role else ""
    if span.role in _SHAPES:
        return (f'<rect{role} x="{column * _WIDE:.1f}" y="{row * _HIGH + 11}" '
                f'width="{bar_columns(span.text) * _WIDE:.1f}" height="14"/>')
    text = (f'<text{role} x="{column * _WIDE:.1f}" y="{row * _HIGH + 23}" textLength="{width(span.text) * _WIDE:.1f}" '
            f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{_escape_svg(span.text)}</text>')
    return f'<a href="{_escape_svg(span.address)}">{text}</a>' if span.address and is_address(span.address) else text


def _escape_svg(text: str) -> str:
    return escape("".join(char if char.isprintable() else " " for char in text))

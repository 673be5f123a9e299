"""A document for a browser, self-contained: as an HTML page, which loads nothing and whose script only sorts tables;
and as an SVG picture, the lines of a terminal with bars as shapes."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files

from advisor.pages import blocks as kinds
from advisor.pages.blocks import Block, Text, TextRun, lines_of, plain
from advisor.pages.layout import BAR, PARTS, bar_columns, lines
from advisor.pages.style import is_address, visible, width

_TAGS = {"code": "code", "strong": "strong"}


_WITHIN = re.compile("#[A-Za-z0-9_-]+")
"""An address on the same page: the anchor of a fold."""


def beside(name: str) -> str:
    """The text of a file in this folder: a style sheet or a script."""
    return files("advisor.pages").joinpath(name).read_text(encoding="utf-8")


def html_page(blocks: Iterable[Block], title: str, generator: str) -> str:
    """A whole page. `generator`: what made it."""
    return page(html_blocks(blocks), title, generator)


def page(body: str, title: str, generator: str, css: str = "", script: str = "") -> str:
    """A page with an HTML body. Its Content-Security-Policy allows no requests and only this script, so that text from
    a file could do no harm even if it were not escaped."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    runs = f" script-src 'sha256-{digest}';" if script else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline';{runs} base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="generator" content="{escape_html(generator)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_html(title)}</title>\n<style>\n{beside('page.css')}{css}</style>\n</head>\n<body>\n{body}\n"
        f"{f'<script>{script}</script>' if script else ''}</body>\n</html>\n"
    )


def html_blocks(blocks: Iterable[Block]) -> str:
    return "\n".join(map(_html_block, blocks))


def _html_block(block: Block) -> str:
    if isinstance(block, kinds.Heading):
        tag = f"h{min(block.level, 6)}"
        weight = f' class="{escape_html(block.weight)}"' if block.weight else ""
        return f"<{tag}{weight}>{_inline(block.text)}</{tag}>"
    if isinstance(block, kinds.Paragraph):
        return f"<p>{_inline(block.text)}</p>"
    if isinstance(block, kinds.Pairs):
        rows = "\n".join(f"<dt>{escape_html(label)}:</dt><dd>{_several(words)}</dd>" for label, words in block.rows)
        return f"<dl>\n{rows}\n</dl>"
    if isinstance(block, kinds.Items):
        items = (
            f"<li>{'' if item.mark == '-' else f'{escape_html(item.mark)} '}"
            + "\n".join((_inline(item.text), *map(_html_block, item.blocks))) + "</li>"
            for item in block.items
        )
        return "\n".join(("<ul>", *items, "</ul>"))
    if isinstance(block, kinds.Table):
        heads = "".join(f"<th>{_inline(head)}</th>" for head in block.heads)
        rows = "\n".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
        return f"<table>\n{f'<tr>{heads}</tr>' if heads else ''}\n{rows}\n</table>"
    if isinstance(block, kinds.Chart):
        bars = "\n".join(
            f'<tr><th scope="row">{escape_html(label)}</th><td><meter value="{share:.4f}"></meter></td>'
            f"<td>{escape_html(figure)}</td></tr>" for label, share, figure in block.rows()
        )
        return f"<table>\n{bars}\n</table>"
    if isinstance(block, kinds.Stack):
        return _stack(block)
    if isinstance(block, kinds.Code):
        return f"<pre>{_lines(block.text)}</pre>"
    inner = "\n".join(map(_html_block, block.blocks))
    if block.anchor:  # inside, so that a browser unfolds it for a link to it
        inner = f'<div id="{escape_html(block.anchor)}">\n{inner}\n</div>'
    return f"<details>\n<summary>{_inline(block.title)}</summary>\n{inner}\n</details>"


def _stack(block: kinds.Stack) -> str:
    bar = "".join(f'<span class="part-{part.mark}" style="flex:{share}"></span>'
                  for part, share in zip(block.parts, block.shares(1000)))
    key = "\n".join(
        f'<tr><td><span class="key part-{mark}"></span></td><th scope="row">{escape_html(label)}</th>'
        f"<td>{escape_html(figure)}</td></tr>" for mark, label, figure in block.rows()
    )
    return f'<div class="stack">{bar}</div>\n<table>\n{key}\n</table>'


def _several(words: Text) -> str:
    """A text; as a block if it has several lines, such as commands."""
    return f"<pre>{_lines(plain(words))}</pre>" if len(lines_of(words)) > 1 else _inline(words)


def _inline(words: Text) -> str:
    return "<br>\n".join("".join(map(_span, line)) for line in lines_of(words))


def _span(span: TextRun) -> str:
    written = escape_html(span.text)
    if span.role:
        tag = _TAGS.get(span.role)
        written = f"<{tag}>{written}</{tag}>" if tag else f'<span class="{escape_html(span.role)}">{written}</span>'
    if span.address and (is_address(span.address) or _WITHIN.fullmatch(span.address)):
        return f'<a href="{escape_html(span.address)}">{written}</a>'
    return written


def _lines(text: str) -> str:
    return "\n".join(map(escape_html, text.split("\n")))


def escape_html(text: str) -> str:
    """Text escaped for HTML and SVG, also within quotes."""
    return escape(visible(text))


_COLUMNS = 100
_WIDE, _HIGH = 8.4, 20
"""Pixels of one character; each run of text is stretched to that, whatever font the viewer has."""
_SHAPES = {BAR, *PARTS}
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
        f'role="img">\n<title>{_escape_svg(title)}</title>\n<desc>{_escape_svg(generator)}</desc>\n'
        f'<style>\n{beside("picture.css")}</style>\n'
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

"""A document in a markup language, in which its own text is escaped: GitHub Flavored Markdown, also of single texts; a
self-contained HTML page, which loads nothing and whose script only sorts tables; and an SVG picture, the lines of a
terminal with bars as shapes."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from html import escape

from advisor.pages import blocks as kinds
from advisor.pages.blocks import Block, Text, TextRun, lines_of, merge_runs, plain
from advisor.pages.layout import BAR, PARTS, bar_columns, lines
from advisor.pages.style import is_address, visible, width
from advisor.regex import regex

_MARKUP = regex(r"([\\`*_\[\]<>|~&$])")
_LINKED = regex(r"://|www\.|@|#\d|\b(?:mailto|xmpp):", re.IGNORECASE)
"""What becomes a link or a mention without any markup."""


def escape_markdown(text: str) -> str:
    """Text that is read unchanged in a paragraph or a table cell. A word that would become a link or a mention is set
    as code."""
    if not _LINKED.search(text):
        return literal(text)
    return " ".join(code(word) if _LINKED.search(word) else literal(word) for word in text.split(" "))


def literal(text: str) -> str:
    """Trusted text without markup; an address in it may become a link."""
    return _MARKUP.sub(r"\\\1", visible(text))


def code(text: str, table: bool = True) -> str:
    """A code span. In a table, even there a bar needs a backslash, and must not have one yet."""
    text = visible(text).strip(" ") or "(empty)"
    if table:
        text = text.replace("\\|", "\\ |")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    span = f"{fence}{blank}{text}{blank}{fence}"
    return span.replace("|", "\\|") if table else span


def fenced(text: str, language: str) -> str:
    """A block of code that its text cannot end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join((f"{fence}{language}", *(visible(line) for line in text.split("\n")), fence))


_FIRST = regex(r"^([-+#=]|\d{1,9}(?=[.)]))")
"""What is markup only at the start of a line."""
_PAGE = regex(r"[\w-]+(\.[\w-]+)*\.md(#[\w-]+)?", re.ASCII)
"""The address of a page in the same folder, or of a heading in it."""


def markdown(blocks: Iterable[Block]) -> str:
    """The document's text; it ends with a line end."""
    return "\n\n".join(filter(None, (_markdown_block(block) for block in blocks))).rstrip("\n") + "\n"


def _markdown_block(block: Block) -> str:
    if isinstance(block, kinds.Heading):
        return f"{'#' * min(block.level, 6)} {_inline(block.text, ' ')}"
    if isinstance(block, kinds.Paragraph):
        return _inline(block.text, "\\\n")
    if isinstance(block, kinds.Pairs):
        return "\n".join(f"- {escape_markdown(label)}: {_hanging(words)}" for label, words in block.rows)
    if isinstance(block, kinds.Items):
        return "\n".join(_item(item.text, item.mark, item.blocks) for item in block.items)
    if isinstance(block, kinds.Table):
        return _table([*block.heads], block.rows)
    if isinstance(block, (kinds.Chart, kinds.Stack)):
        named = ([part for part in row if isinstance(part, str)] for row in block.rows())
        return _table([], [tuple((TextRun(part),) for part in row) for row in named])
    if isinstance(block, kinds.Code):
        return fenced(block.text, block.language)
    heading = f"{'#' * min(block.level, 6)} {_inline(block.title, ' ')}"
    return "\n\n".join((heading, *filter(None, (_markdown_block(inner) for inner in block.blocks))))


def _hanging(words: Text) -> str:
    """A text in an item; as a block if it has several lines, such as commands."""
    lines = lines_of(words)
    if len(lines) < 2:
        return _inline(words, " ")
    return "\n\n" + _indented(fenced("\n".join(map(plain, lines)), ""))


def _item(words: Text, mark: str, blocks: Iterable[Block]) -> str:
    first = f"- {'' if mark == '-' else f'{literal(mark)} '}{_inline(words, ' ')}".rstrip()
    below = [_indented(part) for part in map(_markdown_block, blocks) if part]
    return "\n\n".join((first, *below)) + ("\n" if below else "")


def _indented(part: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in part.split("\n"))


def _table(heads: list[Text], rows: Iterable[tuple[Text, ...]]) -> str:
    cells = [[_inline(cell, " ", table=True) for cell in row] for row in rows]
    named = [_inline(head, " ", table=True) for head in heads] or ["" for _ in cells[0]]
    return "\n".join(f"| {' | '.join(row)} |" for row in (named, ["---"] * len(named), *cells))


def _inline(words: Text, line_end: str, *, table: bool = False) -> str:
    """A text as Markdown, its lines joined by `line_end`."""
    shown = (_joined(_spans(merge_runs(_without_unsafe_links(line)), table)).strip(" ") for line in lines_of(words))
    return line_end.join(_FIRST.sub(_escape_start, line) for line in shown if line)


def _escape_start(match: re.Match[str]) -> str:
    """The start of a line, escaped: a backslash before a sign, or between a number and its dot."""
    return match[1] + "\\" if match[1].isdigit() else "\\" + match[1]


def _without_unsafe_links(words: Text) -> Text:
    """The text without addresses that must not become links."""
    return tuple(
        span if span.address is None or is_address(span.address) or _PAGE.fullmatch(span.address)
        else span._replace(address=None) for span in words
    )


def _joined(parts: Iterable[str]) -> str:
    """The parts side by side, with a space where two spans of code would become one."""
    line = ""
    for part in parts:
        if line.endswith("!") and part.startswith("["):  # or the link would be an image
            line = f"{line[:-1]}\\!"
        line += f" {part}" if line.endswith("`") and part.startswith("`") else part
    return line


def _spans(words: Text, table: bool) -> Iterator[str]:
    around = ["", *(span.text for span in words), ""]
    for span, before, after in zip(words, around, around[2:]):
        if span.address:
            yield f"[{literal(span.text)}]({span.address})"
        elif span.role == "code":
            yield code(span.text, table)
        elif span.role == "strong" and _is_emphasis(before, span.text, after):
            yield f"**{escape_markdown(span.text)}**"
        else:
            yield escape_markdown(span.text)


def _is_emphasis(before: str, text: str, after: str) -> bool:
    """Whether asterisks around the text would certainly be read as emphasis."""
    return before[-1:] in ("", " ") and after[:1] in ("", " ") and text == text.strip()


_TAGS = {"code": "code", "strong": "strong"}

_WITHIN = regex("#[A-Za-z0-9_-]+")
"""An address on the same page: the anchor of a fold."""


def beside(name: str) -> str:
    """The text of a file in this folder: a style sheet or a script."""
    from importlib.resources import files  # noqa: PLC0415  output for other programs needs none

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
        return f"<{tag}{weight}>{_runs(block.text)}</{tag}>"
    if isinstance(block, kinds.Paragraph):
        return f"<p>{_runs(block.text)}</p>"
    if isinstance(block, kinds.Pairs):
        rows = "\n".join(f"<dt>{escape_html(label)}:</dt><dd>{_several(words)}</dd>" for label, words in block.rows)
        return f"<dl>\n{rows}\n</dl>"
    if isinstance(block, kinds.Items):
        items = (
            f"<li>{'' if item.mark == '-' else f'{escape_html(item.mark)} '}"
            + "\n".join((_runs(item.text), *map(_html_block, item.blocks))) + "</li>"
            for item in block.items
        )
        return "\n".join(("<ul>", *items, "</ul>"))
    if isinstance(block, kinds.Table):
        heads = "".join(f"<th>{_runs(head)}</th>" for head in block.heads)
        rows = "\n".join("<tr>" + "".join(f"<td>{_runs(cell)}</td>" for cell in row) + "</tr>" for row in block.rows)
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
    return f"<details>\n<summary>{_runs(block.title)}</summary>\n{inner}\n</details>"


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
    return f"<pre>{_lines(plain(words))}</pre>" if len(lines_of(words)) > 1 else _runs(words)


def _runs(words: Text) -> str:
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

"""GitHub Flavored Markdown: single texts, and a document as a page. Markup in the text is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.pages import blocks as kinds
from advisor.pages.blocks import Block, Text, TextRun, lines_of, merge_runs, plain
from advisor.pages.style import is_address, visible

_MARKUP = re.compile(r"([\\`*_\[\]<>|~&$])")
_LINKED = re.compile(r"://|www\.|@|#\d|\b(?:mailto|xmpp):", re.IGNORECASE)
"""What becomes a link or a mention without any markup."""


def escape_markdown(text: str) -> str:
    """Text that is shown as it is, in a paragraph or a table cell; a word that would become a link or a mention becomes
    code."""
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


_FIRST = re.compile(r"^([-+#=]|\d{1,9}(?=[.)]))")
"""What is markup only at the start of a line."""
_PAGE = re.compile(r"[\w-]+(\.[\w-]+)*\.md(#[\w-]+)?", re.ASCII)
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
    if isinstance(block, kinds.Chart):
        bars = [((TextRun(label),), (TextRun(figure),)) for label, _, figure in block.rows()]
        return _table([], bars)
    if isinstance(block, kinds.Stack):
        return _table([], [((TextRun(label),), (TextRun(figure),)) for _, label, figure in block.rows()])
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

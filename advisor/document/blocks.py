"""A document: blocks of text without a medium. Every page that people read is built of these once, and drawn anywhere.

Text from files and people may stand in any of them: it is the backends that make it harmless."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Union

from advisor.document.stack import Stack


class TextRun(NamedTuple):
    """A run of text. `look`: "", "code", "strong", "dim", "good", "warn" or "bad". `address`: where it leads to."""

    text: str
    look: str = ""
    address: str | None = None


Text = tuple[TextRun, ...]
"""A line end in it ends the line."""
Said = Union[str, TextRun, Sequence[TextRun]]
"""What a text can be given as."""


class Heading(NamedTuple):
    """`level`: 1 is the title. `weight`: what is at stake below it, "must", "should" or "may"; "" for nothing."""

    text: Text
    level: int = 2
    weight: str = ""


class Paragraph(NamedTuple):
    text: Text


class Pairs(NamedTuple):
    """Labels with what they label."""

    rows: tuple[tuple[str, Text], ...]


class Table(NamedTuple):
    """`heads` is empty for columns that need no names; all rows have as many cells as there are columns."""

    heads: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


class ListItem(NamedTuple):
    """An item of a list. `mark`: what stands before it; `blocks`: what belongs to it."""

    text: Text
    mark: str = "-"
    blocks: tuple[Block, ...] = ()


class Items(NamedTuple):
    items: tuple[ListItem, ...]


class Bar(NamedTuple):
    """From `low` to `high`, which are the same for a single figure. Neither is negative."""

    label: str
    low: float
    high: float

    @property
    def figure(self) -> str:
        return f"{self.low:,.10g}" if self.low == self.high else f"{self.low:,.10g} to {self.high:,.10g}"


class Chart(NamedTuple):
    """Figures of one unit, drawn to one scale. `most`: the end of the scale; of percents it is 100 at least."""

    unit: str
    bars: tuple[Bar, ...]

    @property
    def most(self) -> float:
        most = max((bar.high for bar in self.bars), default=0) or 1
        return max(most, 100) if self.unit == "%" else most

    def drawn(self) -> list[tuple[str, float, str]]:
        """Label, share of the scale from 0 to 1, and figure with unit, of each bar."""
        return [(bar.label, bar.high / self.most, f"{bar.figure} {self.unit}") for bar in self.bars]


class Code(NamedTuple):
    """Lines that stay as they are. `language`: what they are written in."""

    text: str
    language: str = ""


class Fold(NamedTuple):
    """What some readers skip: a heading and what stands below it, folded where the medium can. `anchor`: letters,
    digits and "-" by which a text leads to it ("#" and the anchor is its address) in HTML; "": none does."""

    title: Text
    level: int
    blocks: tuple[Block, ...]
    anchor: str = ""


Block = Union[Heading, Paragraph, Pairs, Table, Items, Chart, Stack, Code, Fold]


def text(*parts: Said) -> Text:
    """The parts as one text, without those that are empty."""
    found: list[TextRun] = []
    for part in parts:
        if isinstance(part, str):
            found.append(TextRun(part))
        elif isinstance(part, TextRun):
            found.append(part)
        else:
            found += part
    return tuple(span for span in found if span.text)


def code(words: object) -> TextRun:
    return TextRun(str(words), "code")


def strong(words: str) -> TextRun:
    return TextRun(words, "strong")


def dim(words: str) -> TextRun:
    return TextRun(words, "dim")


def plain(words: Text) -> str:
    """The text alone."""
    return "".join(span.text for span in words)


def codes(names: Iterable[object], between: str = ", ") -> Text:
    """Names as code, with something between them."""
    found: list[TextRun] = []
    for name in names:
        found += ([TextRun(between)] if found else []) + [code(name)]
    return tuple(found)


class Document:
    """Collects blocks. What is empty is left out: a paragraph or pair without a text, a list without items."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def heading(self, words: Said, level: int = 2, weight: str = "") -> None:
        self.blocks.append(Heading(text(words), level, weight))

    def para(self, *parts: Said | None) -> None:
        said = text(*(part for part in parts if part))
        if said:
            self.blocks.append(Paragraph(said))

    def pairs(self, rows: Iterable[tuple[str, Said | None]]) -> None:
        pairs = tuple((label, text(said)) for label, said in rows if said and text(said))
        if pairs:
            self.blocks.append(Pairs(pairs))

    def item(self, words: Said, *blocks: Block, mark: str = "-") -> None:
        """One more item of the list with which the document ends, or the first of a new one."""
        one = ListItem(text(words), mark, blocks)
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, Items):
            self.blocks[-1] = Items((*last.items, one))
        else:
            self.blocks.append(Items((one,)))

    def table(self, heads: Sequence[Said], rows: Iterable[Sequence[Said]]) -> None:
        cells = tuple(tuple(text(cell) for cell in row) for row in rows)
        if cells:
            self.blocks.append(Table(tuple(text(head) for head in heads), cells))

    def code(self, lines: str, language: str = "") -> None:
        self.blocks.append(Code(lines, language))

    def add(self, blocks: Iterable[Block]) -> None:
        self.blocks += blocks

    def fold(self, title: Said, blocks: Iterable[Block], level: int = 2, anchor: str = "") -> None:
        content = tuple(blocks)
        if content:
            self.blocks.append(Fold(text(title), level, content, anchor))


def lowered(blocks: Iterable[Block], by: int) -> list[Block]:
    """The blocks as a part of something larger: every heading `by` levels deeper."""
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            found.append(block._replace(level=block.level + by))
        elif isinstance(block, Fold):
            found.append(block._replace(level=block.level + by, blocks=tuple(lowered(block.blocks, by))))
        else:
            found.append(block)
    return found


def folded(blocks: Sequence[Block], title: str) -> list[Block]:
    """A page of which what stands below its first part, up to the next heading, is folded."""
    end = next((at for at, block in enumerate(blocks) if at and isinstance(block, Heading)), len(blocks))
    first = blocks[0]
    level = first.level + 1 if isinstance(first, Heading) else 2
    page = Document()
    page.add(blocks[:end])
    page.fold(title, lowered(blocks[end:], 1), level)
    return page.blocks


def lines_of(words: Text) -> list[Text]:
    """The text line by line."""
    lines: list[list[TextRun]] = [[]]
    for span in words:
        first, *others = span.text.split("\n")
        lines[-1].append(span._replace(text=first))
        for other in others:
            lines.append([span._replace(text=other)])
    return [tuple(span for span in line if span.text) for line in lines]


def merged(words: Text) -> Text:
    """The text with neighbours that look alike, and lead to the same place, as one span."""
    found: list[TextRun] = []
    for span in words:
        if found and found[-1][1:] == span[1:]:
            found[-1] = span._replace(text=found[-1].text + span.text)
        else:
            found.append(span)
    return tuple(found)

"""A document: blocks of text for any output format.

Blocks may contain text from files and users: the backends escape it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False

class TextRun(NamedTuple):
    """A run of text. `role`: "", "code", "strong", "dim", "good", "warn" or "bad". `address`: what it links to."""

    text: str
    role: str = ""
    address: str | None = None


Text = tuple[TextRun, ...]
"""A newline in it starts a new line."""


class Heading(NamedTuple):
    """`level`: 1 is the title. `weight`: the importance of the section, "must", "should", "may" or ""."""

    text: Text
    level: int = 2
    weight: str = ""


class Paragraph(NamedTuple):
    text: Text


class Pairs(NamedTuple):
    """Labels, each with a text."""

    rows: tuple[tuple[str, Text], ...]


class Table(NamedTuple):
    """`heads` is empty for columns that need no names; all rows have as many cells as there are columns."""

    heads: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


class ListItem(NamedTuple):
    """`mark`: the bullet or number; `blocks`: what is below the text."""

    text: Text
    mark: str = "-"
    blocks: tuple[Block, ...] = ()


class Items(NamedTuple):
    items: tuple[ListItem, ...]


class Bar(NamedTuple):
    """A bar from `low` to `high`, which are equal for a single figure. Neither is negative."""

    label: str
    low: float
    high: float

    @property
    def figure(self) -> str:
        return f"{self.low:,.10g}" if self.low == self.high else f"{self.low:,.10g} to {self.high:,.10g}"


class Chart(NamedTuple):
    """Figures of one unit on one scale. `most`: the end of the scale, at least 100 for percentages."""

    unit: str
    bars: tuple[Bar, ...]

    @property
    def most(self) -> float:
        most = max((bar.high for bar in self.bars), default=0) or 1
        return max(most, 100) if self.unit == "%" else most

    def rows(self) -> list[tuple[str, float, str]]:
        """Label, share of the scale from 0 to 1, and figure with unit, of each bar."""
        return [(bar.label, bar.high / self.most, f"{bar.figure} {self.unit}") for bar in self.bars]


class StackPart(NamedTuple):
    """A part of a whole. `amount`: not negative; `figure`: the same in the reader's units. `mark`: number of its
    pattern and colour, the same for the same thing in every stack."""

    label: str
    amount: float
    figure: str
    mark: int


class Stack(NamedTuple):
    """The parts of one whole side by side, in one bar."""

    parts: tuple[StackPart, ...]

    def shares(self, of: int, least: int = 1) -> list[int]:
        """Whole numbers that add up to `of`, in proportion to the parts. A part that is not 0 gets at least `least`, 0
        or 1, if there is room. All are 0 if all parts are 0."""
        whole = sum(part.amount for part in self.parts)
        if not whole:
            return [0] * len(self.parts)
        exact = [part.amount * of / whole for part in self.parts]
        least = least if of >= len(exact) else 0
        shares = [max(int(share), least if part.amount > 0 else 0) for share, part in zip(exact, self.parts)]
        order = sorted(range(len(exact)), key=lambda at: exact[at] - shares[at])
        while sum(shares) > of:  # tiny parts were rounded up: take from the part that is most above its share
            shares[max((at for at in order if shares[at] > 1), key=lambda at: shares[at] - exact[at])] -= 1
        while sum(shares) < of:
            shares[order.pop()] += 1
        return shares

    def rows(self) -> list[tuple[int, str, str]]:
        """Mark, label, and share with the figure, of each part."""
        return [
            (part.mark, part.label, f"{share if share or not part.amount else '<1'} % {part.figure}".rstrip())
            for part, share in zip(self.parts, self.shares(100, 0))
        ]


class Code(NamedTuple):
    """Preformatted lines. `language`: for highlighting."""

    text: str
    language: str = ""


class Fold(NamedTuple):
    """A section that is folded if the output format supports it. `anchor`: letters, digits, "_" and "-"; in HTML, a
    link to "#" and the anchor leads here; in Markdown it leads to the heading that it is made of."""

    title: Text
    level: int
    blocks: tuple[Block, ...]
    anchor: str = ""


if TYPE_CHECKING:
    from typing import Union

    Block = Union[Heading, Paragraph, Pairs, Table, Items, Chart, Stack, Code, Fold]
    TextLike = Union[str, TextRun, Sequence[TextRun]]
    """What the functions here accept as a text."""
else:
    Block = TextLike = object  # annotations alone name them


def text(*parts: TextLike) -> Text:
    spans: list[TextRun] = []
    for part in parts:
        if isinstance(part, str):
            spans.append(TextRun(part))
        elif isinstance(part, TextRun):
            spans.append(part)
        else:
            spans += part
    return tuple(span for span in spans if span.text)


def code(words: object) -> TextRun:
    return TextRun(str(words), "code")


def strong(words: str) -> TextRun:
    return TextRun(words, "strong")


def dim(words: str) -> TextRun:
    return TextRun(words, "dim")


def plain(words: Text) -> str:
    return "".join(span.text for span in words)


def codes(names: Iterable[object], between: str = ", ") -> Text:
    """Names as code, with a separator between them."""
    return joined(map(code, names), between)


def joined(parts: Iterable[TextLike], between: str) -> Text:
    spans: list[TextRun] = []
    for part in parts:
        spans += [*([TextRun(between)] if spans else []), *text(part)]
    return tuple(spans)


class Document:
    """Collects blocks, except empty ones: a paragraph or pair without text, a table without rows, an empty fold."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def heading(self, words: TextLike, level: int = 2, weight: str = "") -> None:
        self.blocks.append(Heading(text(words), level, weight))

    def para(self, *parts: TextLike | None) -> None:
        words = text(*(part for part in parts if part))
        if words:
            self.blocks.append(Paragraph(words))

    def pairs(self, rows: Iterable[tuple[str, TextLike | None]]) -> None:
        pairs = tuple((label, text(words)) for label, words in rows if words and text(words))
        if pairs:
            self.blocks.append(Pairs(pairs))

    def item(self, words: TextLike, *blocks: Block, mark: str = "-") -> None:
        """Adds an item to the list at the end of the document, or starts one."""
        item = ListItem(text(words), mark, blocks)
        last = self.blocks[-1] if self.blocks else None
        if isinstance(last, Items):
            self.blocks[-1] = Items((*last.items, item))
        else:
            self.blocks.append(Items((item,)))

    def listed(self, title: TextLike, items: Iterable[TextLike], mark: str = "-", level: int = 2) -> None:
        """Adds a heading and the items below it; nothing without items."""
        for place, words in enumerate(items):
            if not place:
                self.heading(title, level)
            self.item(words, mark=mark)

    def section(self, title: TextLike, blocks: Iterable[Block]) -> None:
        """Adds a heading and the blocks below it; nothing without blocks."""
        below = [*blocks]
        if below:
            self.heading(title)
            self.add(below)

    def table(self, heads: Sequence[TextLike], rows: Iterable[Sequence[TextLike]]) -> None:
        cells = tuple(tuple(text(cell) for cell in row) for row in rows)
        if cells:
            self.blocks.append(Table(tuple(text(head) for head in heads), cells))

    def code(self, lines: str, language: str = "") -> None:
        self.blocks.append(Code(lines, language))

    def add(self, blocks: Iterable[Block]) -> None:
        self.blocks += blocks

    def fold(self, title: TextLike, blocks: Iterable[Block], level: int = 2, anchor: str = "") -> None:
        content = tuple(blocks)
        if content:
            self.blocks.append(Fold(text(title), level, content, anchor))


def lower_headings(blocks: Iterable[Block], by: int) -> list[Block]:
    """The blocks with every heading `by` levels deeper."""
    lowered: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            lowered.append(block._replace(level=block.level + by))
        elif isinstance(block, Fold):
            lowered.append(block._replace(level=block.level + by, blocks=tuple(lower_headings(block.blocks, by))))
        else:
            lowered.append(block)
    return lowered


def fold_details(blocks: Sequence[Block], title: str) -> list[Block]:
    """The page, folded from its second heading on."""
    end = next((at for at, block in enumerate(blocks) if at and isinstance(block, Heading)), len(blocks))
    first = blocks[0]
    level = first.level + 1 if isinstance(first, Heading) else 2
    page = Document()
    page.add(blocks[:end])
    page.fold(title, lower_headings(blocks[end:], 1), level)
    return page.blocks


def lines_of(words: Text) -> list[Text]:
    lines: list[list[TextRun]] = [[]]
    for span in words:
        first, *others = span.text.split("\n")
        lines[-1].append(span._replace(text=first))
        for other in others:
            lines.append([span._replace(text=other)])
    return [tuple(span for span in line if span.text) for line in lines]


def merge_runs(words: Text) -> Text:
    """The text with neighbouring runs of the same role and address as one."""
    merged: list[TextRun] = []
    for span in words:
        if merged and merged[-1][1:] == span[1:]:
            merged[-1] = span._replace(text=merged[-1].text + span.text)
        else:
            merged.append(span)
    return tuple(merged)

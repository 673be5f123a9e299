"""Lays out blocks as lines of a fixed width, and colours them for a terminal; advisor.wizard.widgets does so for
Textual."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.pages import blocks as kinds
from advisor.pages.blocks import Block, Text, TextRun, joined, lines_of, plain
from advisor.pages.style import NARROWEST, Style, fold_text, is_address, visible, width

VERDICTS = ("good", "warn", "bad")
"""Roles that a heading keeps."""
TITLE, HEADING, LABEL, MARK, BAR = "title", "heading", "label", "mark", "bar"
"""Roles of the runs that the layout adds to those of the text."""
_FULL, _PARTS = "█", " ▏▎▍▌▋▊▉█"
_MARKS = "█░▓▒▚"
"""Patterns of the parts of a stack, which differ without colours, too."""
PARTS = tuple(f"part-{mark}" for mark in range(len(_MARKS)))
"""Their roles."""
_BAR, _NAME, _STACK = 40, 30, 60
"""The most columns for a bar, its label, and a stack."""
_PAD = 2


def lines(blocks: Iterable[Block], columns: int, *, whole: bool = True) -> list[Text]:
    """The lines, printable and without trailing spaces. `whole`: an address alone on a line is not wrapped, so that it
    can be copied."""
    page = _Page(max(columns, NARROWEST), whole)
    for block in blocks:
        page.draw(block, _PAD)
    return page.lines


class _Page:
    def __init__(self, columns: int, whole: bool) -> None:
        self.columns, self.whole = columns, whole
        self.lines: list[Text] = []

    def draw(self, block: Block, pad: int) -> None:
        if isinstance(block, kinds.Heading):
            self.heading(block.text, block.level)
        elif isinstance(block, kinds.Fold):
            self.heading(block.title, block.level)
            for inner in block.blocks:
                self.draw(inner, pad)
        elif isinstance(block, kinds.Paragraph):
            self.put(block.text, " " * pad)
        elif isinstance(block, kinds.Pairs):
            self.pairs(block, pad)
        elif isinstance(block, kinds.Items):
            for item in block.items:
                mark = visible(item.mark)
                inside = pad + width(mark) + 1
                self.put(item.text, f"{' ' * pad}{mark} ", " " * inside, MARK)
                for inner in item.blocks:
                    self.draw(inner, inside)
        elif isinstance(block, kinds.Table):
            self.table(block, pad)
        elif isinstance(block, kinds.Chart):
            self.chart(block, pad)
        elif isinstance(block, kinds.Stack):
            self.stack(block, pad)
        elif isinstance(block, kinds.Code):
            if self.lines and self.lines[-1] and self.lines[-1][0].role not in (TITLE, HEADING):
                self.lines.append(())
            self.lines += [_line(TextRun(" " * (pad + 2) + visible(line))) for line in block.text.split("\n")]

    def heading(self, words: Text, level: int) -> None:
        if self.lines:
            self.lines.append(())
        role = TITLE if level == 1 else HEADING
        self.put(tuple(span if span.role in VERDICTS else span._replace(role=role) for span in words), "")

    def put(self, words: Text, first: str, rest: str | None = None, role: str = "") -> None:
        """Adds a text, wrapped. `first` and `rest`: the start of its first line and of the others; `role`: of
        `first`."""
        rest = " " * len(first) if rest is None else rest
        if self.whole and len(words) == 1 and is_address(words[0].address or ""):
            self.lines.append(_line(TextRun(first, role), words[0]._replace(text=visible(words[0].text))))
            return
        for line in lines_of(words) or [()]:
            self.lines += _wrapped(line, self.columns, first, rest, role)
            first = rest

    def pairs(self, block: kinds.Pairs, pad: int) -> None:
        wide = max(width(visible(label)) for label, _ in block.rows) + 3
        for label, words in block.rows:
            head = f"{visible(label)}:"
            if wide > self.columns // 2:  # no room beside the labels
                self.put((TextRun(head),), " " * pad, role=LABEL)
                self.put(words, " " * (pad + 2))
                continue
            first = " " * pad + head + " " * (wide - width(head))
            self.put(words, first, " " * (pad + wide), LABEL)

    def table(self, block: kinds.Table, pad: int) -> None:
        """Adds a table. If it is too wide, the last column is wrapped and long cells of the first get a separate line,
        or each row becomes a list item."""
        rows = [*([block.heads] if any(map(plain, block.heads)) else []), *block.rows]
        wide = [max(_width(row[at]) for row in rows) for at in range(len(rows[0]))]
        room = self.columns - pad
        behind = sum(wide[:-1]) + 2 * (len(wide) - 1)
        if behind + wide[-1] > room:
            behind -= wide[0]
            most = max(room // 3, 4)
            wide[0] = max((wide_ for row in rows if (wide_ := _width(row[0])) <= most), default=4)
            behind += wide[0]
            if not wide[1:] or behind > room * 2 // 3:
                self.listed(block, pad)
                return
        right = [all(_is_number(plain(row[at])) for row in block.rows) for at in range(len(wide))]
        for row in rows:
            first = [TextRun(" " * pad)]
            for at, cell in enumerate(row[:-1]):
                shown = cell
                if _width(cell) > wide[at]:  # no room beside it
                    self.put(cell, " " * pad)
                    shown = ()
                space = TextRun(" " * (wide[at] - _width(shown)))
                first += [space, *shown] if right[at] else [*shown, space]
                first.append(TextRun("  "))
            last = row[-1]
            if right[-1]:
                last = (TextRun(" " * (wide[-1] - _width(last))), *last)
            self.beside(tuple(first), last, " " * (pad + behind))

    def beside(self, first: Text, words: Text, rest: str) -> None:
        """Adds a text to the right of another one."""
        start = len(self.lines)
        self.put(words, rest)
        drawn = self.lines[start] if len(self.lines) > start else ()
        behind = plain(drawn)[len(rest) :]
        kept = _cut(drawn, len(rest), len(rest) + len(behind))
        head = tuple(span._replace(text=visible(span.text)) for span in first)
        self.lines[start : start + 1] = [_line(*head, *kept)]

    def listed(self, block: kinds.Table, pad: int) -> None:
        for row in block.rows:
            named = zip(block.heads or ((),) * len(row), row)
            parts = [(*head, TextRun(": "), *cell) if head else cell for head, cell in named if cell]
            self.put(joined(parts, "; "), " " * pad + "- ", " " * (pad + 2), MARK)

    def chart(self, block: kinds.Chart, pad: int) -> None:
        drawn = block.rows()
        names = [visible(label) for label, _, _ in drawn]
        wide = min(max(map(width, names)), _NAME, self.columns // 3)
        figures = max(width(visible(figure)) for _, _, figure in drawn)
        room = max(min(_BAR, self.columns - pad - wide - figures - 5), 4)
        for name, (_, share, figure) in zip(names, drawn):
            first = f"{' ' * (pad + 2)}{name}{' ' * (wide - width(name))}  "
            if width(name) > wide:
                self.put((TextRun(name),), " " * (pad + 2))
                first = " " * (pad + wide + 4)
            self.put((TextRun(_bar(share, room), BAR), TextRun(f" {figure}")), first, " " * (pad + 4))

    def stack(self, block: kinds.Stack, pad: int) -> None:
        room = max(min(_STACK, self.columns - pad - 4), 4)
        bar = [TextRun(_MARKS[part.mark] * share, PARTS[part.mark])
               for part, share in zip(block.parts, block.shares(room))]
        self.lines.append(_line(TextRun(" " * (pad + 2)), *bar))
        drawn = block.rows()
        wide = max((width(visible(label)) for _, label, _ in drawn), default=0)
        for mark, label, figure in drawn:
            name = visible(label)
            beside = pad + 6 + wide + len(figure) <= self.columns
            first = f"{' ' * (pad + 2)}{_MARKS[mark]} "
            legend = f"{name}{' ' * (wide - width(name))}  {figure}" if beside else f"{name} {figure}"
            self.put((TextRun(legend),), first, " " * (pad + 4), PARTS[mark])


def _bar(share: float, room: int) -> str:
    """A bar in eighths of a column, at least one unless the share is 0."""
    eighths = max(round(share * room * 8), 1) if share > 0 else 0
    return _FULL * (eighths // 8) + (_PARTS[eighths % 8] if eighths % 8 else "")


def bar_columns(bar: str) -> float:
    """The columns that a bar of a chart, or a part of a stack, fills."""
    return sum(_PARTS.index(sign) / 8 if sign in _PARTS else 1 for sign in bar)


def _width(words: Text) -> int:
    return width(visible(plain(words)))


def _is_number(words: str) -> bool:
    return not words or words.replace(",", "").replace(".", "", 1).removeprefix("-").isdecimal()


def _wrapped(words: Text, columns: int, first: str, rest: str, role: str) -> list[Text]:
    shown = tuple(span._replace(text=visible(span.text)) for span in words)
    whole = plain(shown)
    if not whole.strip(" "):
        return [_line(TextRun(first, role))] if first.strip(" ") else []
    wrapped = []
    at = 0
    for number, (head, body) in enumerate(fold_text(whole, columns, first, rest)):
        wrapped.append(_line(TextRun(head, "" if number else role), *_cut(shown, at, at + len(body))))
        at += len(body)
        at += whole[at : at + 1] == " "  # the space at which the line was broken
    return wrapped


def _cut(words: Text, start: int, end: int) -> list[TextRun]:
    """The characters from `start` up to `end`."""
    spans = []
    at = 0
    for span in words:
        part = span.text[max(start - at, 0) : max(end - at, 0)]
        if part:
            spans.append(span._replace(text=part))
        at += len(span.text)
    return spans


def _line(*spans: TextRun) -> Text:
    """A line without trailing spaces and empty runs."""
    kept: Sequence[TextRun] = [span for span in spans if span.text]
    while kept and not kept[-1].text.strip(" "):
        kept = kept[:-1]
    return (*kept[:-1], kept[-1]._replace(text=kept[-1].text.rstrip(" "))) if kept else ()


_KINDS = {TITLE: "bold", HEADING: "bold", "strong": "bold", "dim": "dim", "good": "good", BAR: "good",
          "warn": "warning", "bad": "error", **dict(zip(PARTS, ("warning", "note", "good", "dim", "note")))}
"""Role → kind of advisor.pages.style; text of other roles is printed as it is."""


def terminal(blocks: Iterable[Block], columns: int, style: Style) -> str:
    """The document's text, wrapped; it ends with a line end."""
    return "".join("".join(_paint(span, style) for span in line) + "\n" for line in lines(blocks, columns))


def _paint(span: TextRun, style: Style) -> str:
    kind = _KINDS.get(span.role)
    shown = style(kind, span.text) if kind else span.text
    return style.link(shown, span.address)


_SPARKS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float | None], columns: int) -> str:
    """A sparkline: the last values, none negative, right-aligned, from 0 to the greatest of them; a space for one that
    is not known."""
    shown = values[max(0, len(values) - columns):]
    most = max((value for value in shown if value is not None), default=0.0)
    signs = "".join(
        " " if value is None
        else _SPARKS[min(int(value / most * len(_SPARKS)), len(_SPARKS) - 1)] if most else _SPARKS[0]
        for value in shown
    )
    return signs.rjust(columns)

"""The widgets that the screens share: fields, the lines at the top and at the bottom, and documents, whose text never
becomes markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.reactive import Reactive
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Input, Static

from advisor.pages.blocks import Block, Fold, Heading, TextRun, plain
from advisor.pages.phrases import clipped
from advisor.wizard.commands import Key
from advisor.wizard.theme import STRENGTH

CUT = " … ? all of it"


if TYPE_CHECKING:
    _Widget = Widget
else:
    _Widget = object  # its style is that of the field that it is mixed into


class Closable(_Widget):
    """A field that takes letters only while it is open: from the start, if its screen begins with it, and after Enter.
    When something else gets the focus, it closes (`KeyedScreen`)."""

    opened = True
    reopened = False
    """Whether Enter has opened it, so that Esc closes it and does not leave the screen."""

    def open(self, *, again: bool = False) -> None:
        self._turn(opened=True, again=again)
        self.screen.set_focus(self, scroll_visible=False)  # at once: else who had the focus before closes it

    def close(self) -> None:
        self._turn(opened=False, again=False)

    def _turn(self, *, opened: bool, again: bool) -> None:
        self.opened, self.reopened = opened, again
        if self.has_focus and self.parent is not None:
            self.parent.post_message(events.DescendantFocus(self))  # other keys do something now

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.MouseDown, events.Paste)):
            self.open(again=self.reopened or not self.opened)
        elif isinstance(event, events.Key) and not self.opened:
            if event.key == "enter":
                self.open(again=True)
                return
            if event.is_printable:
                event.prevent_default()
        await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.opened and super().check_action(action, parameters)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        return self.opened and super().check_consume_key(key, character)


class LineField(Closable, Input):
    """A field of one line."""


class LaidOut(_Widget):
    """Whose size the layout gives: a new one asks for no second layout, and is painted with the first."""

    virtual_size = Reactive(Size(0, 0), repaint=False)


class Passage(LaidOut, Static):
    """A text of some rows."""


class FittingText(LaidOut, Widget):
    """Shows the first of several wordings that fits; if none fits, the last one, cut, with the key to all of it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._wordings: tuple[Content, ...] = ()
        self._beside = self._within = 0

    def show(self, *wordings: Content, beside: int = 0) -> None:
        """`wordings`: the longest first. `beside`: how many rows its neighbours need, if nothing may scroll for it."""
        before, was = self._wordings, self._beside
        self._beside = beside
        if (len(wordings), beside) == (len(before), was) and all(
                wording.is_same(other) for wording, other in zip(wordings, before)):
            return
        self._wordings = wordings
        width, height = self.content_size
        self.refresh(layout=len(self._rows(width)) != height)  # a needless layout would delay the next key

    def render(self) -> Content:
        width, height = self.content_size
        return Content("\n").join(self._rows(width)[:height])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del viewport
        self._within = container.height
        return len(self._rows(width))

    def _rows(self, width: int) -> list[Content]:
        """The rows of the wording that is shown in `width` columns."""
        most = self.styles.max_height
        room = int(most.value) if most is not None and most.is_cells else 1
        room = min(room, self._within - self._beside) if self._beside else room
        rows: list[Content] = []
        for wording in self._wordings if width and room > 0 else ():
            rows = wording.wrap(width)
            if len(rows) <= room:
                return rows
        return [*rows[: room - 1], *(row[: width - len(CUT)] + CUT for row in rows[room - 1 : room])]


class Head(Widget):
    """The line at the top of a screen: its name, and details at the right if there is room."""

    DEFAULT_CSS = "Head { height: 1; padding: 0 1; }"

    def __init__(self, title: str = "", *more: str) -> None:
        super().__init__()
        self.title, self.more = title, more

    def update_with(self, title: str, *more: str) -> None:
        """`more`: wordings of the details, the longest first."""
        if (title, more) != (self.title, self.more):
            self.title, self.more = title, more
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        head = Content.assemble(("advisor", "bold $action"), "  ", (self.title, "$ink"))
        if head.cell_length > width:
            return Content.styled(clipped(self.title, width), "$ink")
        room = width - head.cell_length
        said = next((said for said in self.more if len(said) + 2 <= room), "")
        return Content.assemble(head, (said.rjust(room), DIM))


class KeyBar(Widget):
    """`keys`: (key as shown, label, action), the most useful first. Those that do not fit are only on the help screen,
    except the last, which leaves the screen and is always shown."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; color: $quiet; padding: 0 1; }
    """

    def __init__(self, keys: list[Key]) -> None:
        super().__init__()
        self.auto_links = False  # else they are underlined
        self.keys = keys

    def show(self, keys: list[Key]) -> None:
        if keys != self.keys:
            self.keys = keys
            self.refresh()

    def render(self) -> Content:
        room = self.size.width - sum(len(f"{key} {says}") for key, says, _ in self.keys[-1:])
        shown = []
        for key, says, action in self.keys[:-1]:
            room -= len(f"{key} {says}  ")
            if room < 0:
                break
            shown.append((key, says, action))
        return Content("  ").join(
            Content.assemble((key, "bold $action"), f" {says}").stylize(Style.from_meta({"@click": action}))
            for key, says, action in (*shown, *self.keys[-1:])
        )


class Sections(VerticalScroll):
    """A document. Where there is room, each of its sections is a pane, whose title is the heading."""

    DEFAULT_CSS = """
    Sections { scrollbar-size-vertical: 1; }
    Sections Static { height: auto; }
    """

    def show(self, blocks: Iterable[Block]) -> None:
        """Shows other blocks, at the same place if there are as many sections."""
        room = self.app.size.width - 1  # of the scroll bar
        framed = not (self.screen.has_class("-tiny") or self.screen.has_class("-low"))
        sections = list(_sections(blocks, room - 8)) if framed else [(Content(), list(blocks))]
        shown = list(self.query_children(Static))
        for pane in shown[len(sections):]:
            pane.remove()
        for place, (title, inside) in enumerate(sections):
            pane = shown[place] if place < len(shown) else Static(markup=False, classes="pane")
            pane.border_title = title
            pane.set_class(not place, "-lit")
            pane.update(screen(inside, room - (4 if framed else 2)))
            if place >= len(shown):
                self.mount(pane)


def _sections(blocks: Iterable[Block], room: int) -> Iterator[tuple[Content, list[Block]]]:
    """(title, blocks) of each; a title of more than `room` columns stays a heading."""
    title, inside = Content(), list[Block]()
    for block in blocks:
        if not isinstance(block, (Heading, Fold)) or block.level > 2:
            inside.append(block)
            continue
        name, weight = (block.text, block.weight) if isinstance(block, Heading) else (block.title, "")
        if inside:
            yield title, inside
        fits = len(plain(name)) <= room
        title = Content.styled(plain(name), STRENGTH.get(weight, "")) if fits else Content()
        inside = [] if fits else [Heading(name)]
        if isinstance(block, Fold):
            inside += block.blocks
    if title or inside:
        yield title, inside


HEAD, DIM, GOOD, BAD, WARN = "bold $ink", "$quiet", "$ready", "bold $broken", "$open"
_STYLES = {
    "title": HEAD, "heading": "bold $quiet", "label": DIM, "bar": GOOD, "strong": HEAD, "dim": DIM, "good": GOOD,
    "warn": WARN, "bad": BAD, "key": "bold $action", **STRENGTH, "code": "$ink",
    "part-0": WARN, "part-1": "$action", "part-2": GOOD, "part-3": DIM, "part-4": "$action",
}


def content(text: Iterable[TextRun]) -> Content:
    """A text with the colours of its roles; a role that has none is a style of Textual."""
    return Content.assemble(*((span.text, _STYLES.get(span.role, span.role)) for span in text))


def screen(blocks: Iterable[Block], columns: int) -> Content:
    """The document as lines of at most `columns` columns."""
    from advisor.pages.layout import lines  # noqa: PLC0415  the first frame shows no document

    return Content("\n").join(content(line) for line in lines(blocks, columns, whole=False))

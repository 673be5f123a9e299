"""The widgets that the screens share: the lines at the top and at the bottom, lists of rows and of choices, dialogs,
and documents, whose text never becomes markup.

An unchanged row of a list is not laid out again when its neighbours change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.css.styles import RulesMap
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.pages.blocks import Block, Fold, Heading, Text, TextRun, plain
from advisor.pages.phrases import clipped, some
from advisor.pages.style import wrap
from advisor.wizard.commands import Key
from advisor.wizard.rows import ListRow, list_row
from advisor.wizard.steps import CONTRADICTS, DIGITS, Choice, keys_of
from advisor.wizard.theme import STRENGTH

SHORTEST = 16
"""Columns of the shortest piece of a note that is shown."""
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


class RowList(LaidOut, OptionList):
    """The base of all lists of the wizard."""

    DEFAULT_CSS = """
    RowList {
        border: none; padding: 0; background: transparent; scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    RowList:focus { border: none; background: transparent; background-tint: $paper 0%; }
    RowList > .option-list--option-highlighted { background: transparent; color: $ink; text-style: none; }
    RowList:focus > .option-list--option-highlighted { background: $raise; color: $ink; text-style: bold; }
    RowList:focus:ansi > .option-list--option-highlighted { background: ansi_white; color: ansi_black; }
    RowList:focus:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    RowList > .option-list--option-disabled { color: $quiet; }
    RowList > .option-list--option-hover { background: $raise; }
    """

    def __init__(self, *, classes: str = "") -> None:
        super().__init__(markup=False, compact=True, classes=classes)
        self.auto_links = False  # no row has links, and searching for them takes time
        self._drawn: dict[Text, _CachedText] = {}
        self._columns = 0
        """The width when it was laid out last."""
        self.rows: list[ListRow] = []

    def draw(self, rows: Iterable[ListRow]) -> None:
        """Shows these rows. The caller sets the cursor."""
        self.rows = list(rows)
        before, self._drawn = self._drawn, {}
        options = []
        for row in self.rows:
            text = row.drawn
            self._drawn[text] = before.get(text) or self._drawn.get(text) or _CachedText(content(text), self)
            options.append(Option(self._drawn[text], disabled=row.key is None))
        self.set_options(options)

    def on_resize(self, event: events.Resize) -> None:
        """Counts the lines before they are painted, so that the scroll bar is painted with them."""
        if event.size.width == self._columns:
            event.prevent_default()  # the rows are as they were
        else:
            self._columns = event.size.width
            self._line_cache.clear()
        self._update_lines()

    def action_cursor_up(self) -> None:
        """One row up; from the first one, nowhere: the last file is not above the first name."""
        before = self.highlighted
        super().action_cursor_up()
        if before is not None and self.highlighted is not None and self.highlighted > before:
            self.highlighted = before

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Chooses the row on mouse down, not on click: taking the focus may change the layout, so that another row or
        pane is under the pointer when the button is released."""
        place: int | None = event.style.meta.get("option")
        if event.button == 1 and place is not None and not self.get_option_at_index(place).disabled:
            self.highlighted = place
            self.action_select()

    async def _on_click(self, event: events.Click) -> None:
        event.prevent_default()  # chosen on mouse down


class SettingList(RowList):
    """Rows of settings; Enter explains."""

    DEFAULT_CSS = "SettingList { height: 1fr; }"

    def __init__(self, title: str = "", *, classes: str = "pane") -> None:
        super().__init__(classes=classes)
        self.border_title = title

    def fill(self, rows: list[ListRow]) -> None:
        """Shows these rows; a highlighted row stays highlighted if it is among them."""
        if [row.key for row in rows] == [row.key for row in self.rows]:  # keeps the scroll position
            for place, (row, old) in enumerate(zip(rows, self.rows)):
                if row.drawn != old.drawn:
                    self.replace_option_prompt_at_index(place, content(row.drawn))
            self.rows = rows
            return
        before = self.key
        self.draw(rows)
        self.scroll_home(animate=False)
        if before is not None and self.has_focus:
            self.highlighted = next((place for place, row in enumerate(rows) if row.key == before), None)

    @property
    def key(self) -> tuple[str, str] | None:
        """Kind and name of the highlighted row."""
        if self.highlighted is None or self.highlighted >= len(self.rows):
            return None
        return self.rows[self.highlighted].key

    def on_focus(self) -> None:
        if self.highlighted is None:
            self.action_first()


class _CachedText(Visual):
    """A text that caches its strips. `owner`: the list that shows it."""

    def __init__(self, content: Content, owner: RowList) -> None:
        self._content, self._owner = content, owner
        self._strips: dict[tuple[object, ...], list[Strip]] = {}

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._content.get_optimal_width(rules, container_width)

    def get_minimal_width(self, rules: RulesMap) -> int:
        return self._content.get_minimal_width(rules)

    def get_height(self, rules: RulesMap, width: int) -> int:
        whole = "\n" not in self._content.plain and self._content.cell_length <= width  # nearly all are
        return 1 if whole else self._content.get_height(rules, width)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        if options.selection is not None:
            return self._content.render_strips(width, height, style, options)
        key = width, height, style, self._owner.app.theme
        if key not in self._strips:
            self._strips[key] = self._content.render_strips(width, height, style, options)
        return self._strips[key]


class Choices(RowList):
    """Choices with their keys."""

    DEFAULT_CSS = "Choices { height: 1fr; min-height: 4; }"

    class Unchosen(Message):
        """Enter, while no choice is highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self.choices: list[Choice] = []
        self.keys: list[str] = []
        self._shows_keys = True

    def show_keys(self, shown: bool) -> None:
        """Whether the keys stand beside the choices: a field may take them."""
        if shown != self._shows_keys:
            self._shows_keys = shown
            self._draw_again()

    def _draw_again(self) -> None:
        for place, (key, choice) in enumerate(zip(self.keys, self.choices)):
            self.replace_option_prompt_at_index(place, content(self._row(key, choice).drawn))
        self.refresh(layout=self.styles.auto_dimensions)  # they may have other heights

    def offer(self, choices: list[Choice], at: int | None = 0, *, digits: bool = True) -> bool:
        """Shows the choices, with the current answer highlighted, else number `at`. `digits`: they have digits as keys.
        Returns False, and changes nothing, if they are the lines of fstab that are already shown: these keep their
        marks."""
        shown = [choice._replace(selected=False) for choice in self.choices]
        if choices and choices[0].act == "mount" and choices == shown:
            self.refresh()  # the highlighted line may have changed since it was drawn
            return False
        self.choices = choices
        self.keys = [key if digits or not key.isdecimal() else "" for key in keys_of(choices)]
        self.draw(self._row(key, choice) for key, choice in zip(self.keys, choices))
        with self.prevent(OptionList.OptionHighlighted):  # the cursor has not been moved
            selected = next((place for place, choice in enumerate(choices) if choice.selected), at)
            self.highlighted = selected if choices else None
        if self.highlighted is None and self.scroll_y:
            self.scroll_home(animate=False)
        return True

    def _row(self, key: str, choice: Choice, role: str = "dim") -> ListRow:
        """Its note stands in a column behind all labels; beside answers, or if one has no room there, at the edge."""
        columns = self.content_size.width or self.screen.size.width - 6
        noted = [other for other in self.choices if other.note]
        wide = max((len(other.label) for other in noted), default=0)
        edge = any(other.act == "unknown" or wide + len(other.note) + 8 > columns for other in noted)
        room = columns - len(choice.label) - 8
        parts = choice.note.split("  ")
        told = some(parts, room, "  ")
        told = parts[0] if parts[0][:1] == "✗" and told != "  ".join(parts) else told  # no "and 1 more" for a reason
        note = f"  {clipped(told, room)}" if told and room >= min(len(told), SHORTEST) else ""
        if choice.note == CONTRADICTS:
            note, role = "  ✗ contradicts" if room >= len("✗ contradicts") else "  ✗", "bad"
        mark = ("✓ ", "good") if choice.selected else "  "
        label = choice.label.ljust(columns - len(note) - 6 if edge else wide) if note else choice.label
        if len(choice.label) > columns - 6 and not note:
            label = "\n".join(wrap(label, columns - 6, rest="    "))
        beyond = choice.act == "answer" and len(self.keys) > DIGITS  # / finds it by name
        key_shown = (key or "/" * beyond or " ") if self._shows_keys else " "
        return list_row(("choice", key), (f"{key_shown} ", "key"), mark, label, (note, role))

    def on_key(self, event: events.Key) -> None:
        """Handles arrows too: as bindings they would run after the next key has arrived."""
        if self.press(event.key) or (event.key == "space" and self._toggle_mark()):
            event.stop()
        elif event.key in ("down", "up"):
            event.stop()
            self.action_cursor_down() if event.key == "down" else self.action_cursor_up()

    def press(self, key: str) -> bool:
        """Takes the choice with this key; False if none has it."""
        key = key.lower() if len(key) == 1 else key
        if not key or key not in self.keys:
            return False
        place = self.keys.index(key)
        if self.marked and self.choices[place].act == "mount":
            self.highlighted = place
            self._toggle_mark()
            return True
        # The highlight is not drawn: the next question is drawn at once, and drawing twice would delay the key.
        self.set_reactive(OptionList.highlighted, place)
        self.action_select()
        return True

    def note(self, place: int, note: str, role: str = "dim") -> None:
        """Shows what a choice would do."""
        choice = self.choices[place] = self.choices[place]._replace(note=note)
        self.replace_option_prompt_at_index(place, content(self._row(self.keys[place], choice, role).drawn))

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._columns and any(choice.note for choice in self.choices):
            self._draw_again()
        self.scroll_to_highlight()

    def action_select(self) -> None:
        if self.highlighted is None and self.choices:
            self.post_message(self.Unchosen())
        else:
            super().action_select()

    def place_of(self, act: str, value: object) -> int | None:
        """The index of a choice; None if it is not in the list."""
        return next((
            place for place, choice in enumerate(self.choices) if (choice.act, choice.value) == (act, value)
        ), None)

    @property
    def without_answer(self) -> int | None:
        """The index of "I don't know", or of the choice that continues without an answer; None without either."""
        acts = [choice.act for choice in self.choices]
        return next((acts.index(act) for act in ("unknown", "skip") if act in acts), None)

    def _toggle_mark(self) -> bool:
        """Marks or unmarks the highlighted line of fstab; False if the highlighted choice is something else."""
        place, choice = self.highlighted, self.choice
        if place is None or choice is None or choice.act != "mount":
            return False
        self.choices[place] = choice._replace(selected=not choice.selected)
        text = self._row(self.keys[place], self.choices[place]).text
        self.replace_option_prompt_at_index(place, content(text))
        return True

    @property
    def marked(self) -> list[Any]:
        """The lines of fstab that are marked."""
        return [choice.value for choice in self.choices if choice.act == "mount" and choice.selected]

    @property
    def choice(self) -> Choice | None:
        """The highlighted choice."""
        return self.choices[self.highlighted] if self.highlighted is not None and self.choices else None


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

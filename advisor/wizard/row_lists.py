"""The lists that the screens share: of rows, of settings and of choices.

An unchanged row is not laid out again when its neighbours change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual import events
from textual.content import Content
from textual.css.styles import RulesMap
from textual.message import Message
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.pages.blocks import Text
from advisor.pages.phrases import clipped, some
from advisor.pages.style import wrap
from advisor.wizard.rows import ListRow, list_row
from advisor.wizard.steps import CONTRADICTS, DIGITS, Choice, keys_of
from advisor.wizard.widgets import LaidOut, content

SHORTEST = 16
"""Columns of the shortest piece of a note that is shown."""

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

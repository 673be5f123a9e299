"""A list of rows: answers, settings, sections. A row that stays is not laid out again when its neighbours change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from textual import events
from textual.content import Content, Span
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from textual.css.styles import RulesMap
    from textual.strip import Strip
    from textual.style import Style

Text = tuple[str, tuple[Span, ...]]


class ListRow(NamedTuple):
    """`key`: kind and name of what Enter chooses or explains; None for a heading, which the cursor passes by."""

    key: tuple[str, str] | None
    content: Content


class RowList(OptionList):
    """What all lists of the wizard have in common."""

    DEFAULT_CSS = """
    RowList {
        border: none; padding: 0; background: transparent; scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
    }
    RowList:focus { border: none; background: transparent; }
    RowList > .option-list--option-highlighted { background: $panel; color: $foreground; text-style: none; }
    RowList:focus > .option-list--option-highlighted {
        background: $primary-muted; color: $foreground; text-style: bold;
    }
    RowList:ansi > .option-list--option-highlighted { background: ansi_default; color: ansi_default; }
    RowList:focus:ansi > .option-list--option-highlighted { background: ansi_white; color: ansi_black; }
    RowList:focus:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, compact=True)
        self.auto_links = False  # there are none, and looking for them in each line takes time
        self._drawn: dict[Text, _Kept] = {}
        self.rows: list[ListRow] = []

    def draw(self, rows: Iterable[ListRow]) -> None:
        """Shows these rows; where the cursor is then is for the caller to say."""
        self.rows = list(rows)
        before, self._drawn = self._drawn, {}
        options = []
        for name, row in _named(self.rows):
            text = text_of(row.content)
            self._drawn[text] = before.get(text) or self._drawn.get(text) or _Kept(row.content, self)
            options.append(Option(self._drawn[text], id=name, disabled=row.key is None))
        self.set_options(options)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Chooses what is under the pointer now: the list takes the focus, and where that changes the layout another
        row, or another pane, is there when the button comes up."""
        place: int | None = event.style.meta.get("option")
        if event.button == 1 and place is not None and not self.get_option_at_index(place).disabled:
            self.highlighted = place
            self.action_select()

    async def _on_click(self, event: events.Click) -> None:
        event.prevent_default()  # chosen already


class SettingList(RowList):
    """Rows of settings; Enter explains."""

    DEFAULT_CSS = "SettingList { height: 1fr; }"

    def fill(self, found: list[ListRow]) -> None:
        """Shows these rows; the one that was highlighted stays so if it is still there."""
        if [row.key for row in found] == [row.key for row in self.rows]:  # the view stays where it is
            for place, (row, old) in enumerate(zip(found, self.rows)):
                if text_of(row.content) != text_of(old.content):
                    self.replace_option_prompt_at_index(place, row.content)
            self.rows = found
            return
        before = self.key
        self.draw(found)
        self.scroll_home(animate=False)
        if before is not None and self.has_focus:
            self.highlighted = next((place for place, row in enumerate(found) if row.key == before), None)

    @property
    def key(self) -> tuple[str, str] | None:
        """Kind and name of the highlighted row."""
        if self.highlighted is None or self.highlighted >= len(self.rows):
            return None
        return self.rows[self.highlighted].key

    def on_focus(self) -> None:
        if self.highlighted is None:
            self.action_first()


def text_of(content: Content) -> Text:
    """What makes two texts on the screen the same."""
    return content.plain, tuple(content.spans)


def _named(rows: Iterable[ListRow]) -> Iterator[tuple[str, ListRow]]:
    """The rows with unique ids: a setting may be listed twice."""
    seen: dict[str, int] = {}
    for row in rows:
        name = "/".join(row.key) if row.key else "head"
        seen[name] = seen.get(name, 0) + 1
        yield f"{name}/{seen[name]}", row


class _Kept(Visual):
    """A text that remembers how it was drawn."""

    def __init__(self, content: Content, of: RowList) -> None:
        self._content, self._of = content, of
        self._strips: dict[tuple[object, ...], list[Strip]] = {}

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._content.get_optimal_width(rules, container_width)

    def get_minimal_width(self, rules: RulesMap) -> int:
        return self._content.get_minimal_width(rules)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._content.get_height(rules, width)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        if options.selection is not None:
            return self._content.render_strips(width, height, style, options)
        key = width, height, style, self._of.app.theme
        if key not in self._strips:
            self._strips[key] = self._content.render_strips(width, height, style, options)
        return self._strips[key]

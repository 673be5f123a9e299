"""Lists of rows: answers, settings, sections. An unchanged row is not laid out again when its neighbours change."""

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
    """`key`: kind and name of what Enter opens; None for a heading, which the cursor skips."""

    key: tuple[str, str] | None
    content: Content


class RowList(OptionList):
    """The base of all lists of the wizard."""

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
        self.auto_links = False  # no row has links, and searching for them takes time
        self._drawn: dict[Text, _CachedText] = {}
        self.rows: list[ListRow] = []

    def draw(self, rows: Iterable[ListRow]) -> None:
        """Shows these rows. The caller sets the cursor."""
        self.rows = list(rows)
        before, self._drawn = self._drawn, {}
        options = []
        for name, row in _with_ids(self.rows):
            text = text_of(row.content)
            self._drawn[text] = before.get(text) or self._drawn.get(text) or _CachedText(row.content, self)
            options.append(Option(self._drawn[text], id=name, disabled=row.key is None))
        self.set_options(options)

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

    def fill(self, rows: list[ListRow]) -> None:
        """Shows these rows; a highlighted row stays highlighted if it is among them."""
        if [row.key for row in rows] == [row.key for row in self.rows]:  # keeps the scroll position
            for place, (row, old) in enumerate(zip(rows, self.rows)):
                if text_of(row.content) != text_of(old.content):
                    self.replace_option_prompt_at_index(place, row.content)
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


def text_of(content: Content) -> Text:
    """A key for a text with its styles: equal for contents that look the same."""
    return content.plain, tuple(content.spans)


def _with_ids(rows: Iterable[ListRow]) -> Iterator[tuple[str, ListRow]]:
    """The rows with unique ids: a setting may be listed twice."""
    seen: dict[str, int] = {}
    for row in rows:
        name = "/".join(row.key) if row.key else "head"
        seen[name] = seen.get(name, 0) + 1
        yield f"{name}/{seen[name]}", row


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
        return self._content.get_height(rules, width)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        if options.selection is not None:
            return self._content.render_strips(width, height, style, options)
        key = width, height, style, self._owner.app.theme
        if key not in self._strips:
            self._strips[key] = self._content.render_strips(width, height, style, options)
        return self._strips[key]

"""The list of answers to choose from. A figure chooses at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from textual import events
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class Choice(NamedTuple):
    """`act`: what choosing it does, with `value`; `note`: a word beside the label; `now`: it is the answer so far."""

    act: str
    label: str
    value: Any = None
    note: str = ""
    now: bool = False


class Choices(OptionList):
    """Choices with their numbers."""

    DEFAULT_CSS = """
    Choices {
        height: 1fr; min-height: 4; border: none; padding: 0; background: transparent; scrollbar-size-vertical: 1;
    }
    Choices:focus { border: none; background: transparent; }
    Choices > .option-list--option-highlighted { background: $panel; color: $foreground; text-style: none; }
    Choices:focus > .option-list--option-highlighted {
        background: $primary-muted; color: $foreground; text-style: bold;
    }
    Choices:ansi > .option-list--option-highlighted { background: ansi_default; color: ansi_default; }
    Choices:focus:ansi > .option-list--option-highlighted { background: ansi_white; color: ansi_black; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, compact=True)
        self.choices: list[Choice] = []

    def offer(self, choices: list[Choice]) -> None:
        """Shows these; the answer so far, or the first, is highlighted."""
        self.choices = choices
        self.set_options([Option(self._label(place, one)) for place, one in enumerate(choices)])
        if choices:
            self.highlighted = next((place for place, one in enumerate(choices) if one.now), 0)

    def _label(self, place: int, one: Choice) -> Content:
        number = f"{place + 1}" if place < 9 else " "
        note = f"  {one.note}" if one.note else ""
        mark = ("✓ ", "$text-success") if one.now else ("  ", "")
        return Content.assemble((f"{number} ", "dim"), mark, one.label, (note, "dim"))

    def on_key(self, event: events.Key) -> None:
        place = int(event.key) - 1 if event.key in tuple("123456789") else -1
        if 0 <= place < len(self.choices):
            event.stop()
            self.highlighted = place
            self.action_select()

    @property
    def at(self) -> Choice | None:
        """The choice that is highlighted."""
        return self.choices[self.highlighted] if self.highlighted is not None and self.choices else None

"""What lies over a screen and asks for one thing: a text, one of a few ways, a pane to go to."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from time import monotonic
from typing import Optional

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.wizard.row_lists import Choices
from advisor.wizard.steps import Choice

CANCEL_HINT = "Esc cancels"


class Dialog(ModalScreen[Optional[str]]):
    """Asks for a text; returns it, or None if it is cancelled."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 1 2; background: $paper;
        border: round $action;
    }
    Dialog #title { text-style: bold; }
    Dialog #help { margin-bottom: 1; }
    """
    BINDINGS = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.heading, self.text = title, text

    def compose(self) -> ComposeResult:
        with Vertical() as window:
            window.border_subtitle = CANCEL_HINT
            yield Static(self.heading, id="title", markup=False)
            yield Static(self.text, id="help", markup=False)
            yield from self.answers()

    def answers(self) -> ComposeResult:
        """The widgets that take the answer."""
        yield from ()


class Prompt(Dialog):
    """Asks for a text. `offered`: (text, label) of texts to choose from."""

    DEFAULT_CSS = """
    Prompt #help { color: $quiet; }
    Prompt OptionList { height: auto; max-height: 10; margin-top: 1; border: none; background: transparent; }
    Prompt OptionList:focus { border: none; }
    """
    BINDINGS = [Binding("down", "list", show=False), Binding("tab", "list", show=False)]

    def __init__(
        self, title: str, help_text: str, value: str = "", offered: list[tuple[str, str]] | None = None
    ) -> None:
        super().__init__(title, help_text)
        self.value, self.offered = value, offered or []

    def answers(self) -> ComposeResult:
        yield Input(self.value, compact=True)
        if self.offered:
            yield OptionList(*(Option(label) for _, label in self.offered), markup=False, compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def action_list(self) -> None:
        lists = self.query(OptionList)
        if lists and not lists.first().has_focus:
            lists.first().focus()
        else:
            self.query_one(Input).focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.offered[event.option_index][0])


class Confirm(Dialog):
    """Asks for one of a few options, the first of which is the safe one."""

    DEFAULT_CSS = """
    Confirm Vertical { border: round $broken; }
    Confirm #title { color: $broken; }
    Confirm Choices { height: auto; min-height: 2; }
    """

    def __init__(self, title: str, text: str, ways: list[str]) -> None:
        super().__init__(title, text)
        self.ways, self.painted = ways, inf

    def answers(self) -> ComposeResult:
        yield Choices()

    def on_mount(self) -> None:
        choices = self.query_one(Choices)
        choices.offer([Choice("way", way) for way in self.ways])
        choices.focus()
        self.call_after_refresh(self._show_painted)

    def _show_painted(self) -> None:
        self.painted = monotonic()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.ways[event.option_index])


class Jump(ModalScreen[Optional[Widget]]):
    """Letters over the panes of the screen below; returns the pane whose letter was pressed."""

    DEFAULT_CSS = """
    Jump { background: transparent; }
    Jump Static { width: auto; height: 1; color: $action; text-style: bold reverse; position: absolute; }
    Jump #hint { dock: bottom; position: relative; width: 100%; }
    """
    BINDINGS = [Binding("escape", "dismiss", "Cancel")]

    def __init__(self, panes: Sequence[Widget]) -> None:
        super().__init__()
        self.panes = dict(zip("asdfghjkl", panes))

    def compose(self) -> ComposeResult:
        for letter, pane in self.panes.items():
            label = Static(f"  {letter}  ", markup=False)
            label.styles.offset = pane.region.offset
            yield label
        yield Static(CANCEL_HINT, id="hint", markup=False)

    def on_key(self, event: events.Key) -> None:
        if event.key in self.panes:
            event.stop()
            self.dismiss(self.panes[event.key])

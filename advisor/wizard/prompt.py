"""Dialogs that ask for a text or a choice."""

from __future__ import annotations

from typing import Optional

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.wizard.choices import Choice, Choices

CANCEL_HINT = "Esc cancels"


class Prompt(ModalScreen[Optional[str]]):
    """Returns the text; None if it is cancelled. `offered`: (text, label) of texts to choose from."""

    DEFAULT_CSS = """
    Prompt { align: center middle; }
    Prompt Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 1 2; background: $surface;
        border: round $accent;
    }
    Prompt #title { text-style: bold; }
    Prompt #help { color: $text-muted; margin-bottom: 1; }
    Prompt OptionList { height: auto; max-height: 10; margin-top: 1; border: none; background: transparent; }
    Prompt OptionList:focus { border: none; }
    """
    BINDINGS = [
        Binding("escape", "cancel", "Cancel"), Binding("down", "list", show=False), Binding("tab", "list", show=False),
    ]

    def __init__(
        self, title: str, help_text: str, value: str = "", offered: list[tuple[str, str]] | None = None
    ) -> None:
        super().__init__()
        self.heading, self.help_text, self.value, self.offered = title, help_text, value, offered or []

    def compose(self) -> ComposeResult:
        with Vertical() as window:
            window.border_subtitle = CANCEL_HINT
            yield Static(self.heading, id="title", markup=False)
            yield Static(self.help_text, id="help", markup=False)
            yield Input(self.value, compact=True)
            if self.offered:
                yield OptionList(*(Option(label) for _, label in self.offered), markup=False, compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def action_cancel(self) -> None:
        self.dismiss(None)

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


class Confirm(ModalScreen[Optional[str]]):
    """Asks for one of a few options, the first of which is the safe one. Returns it; None if it is cancelled."""

    DEFAULT_CSS = """
    Confirm { align: center middle; }
    Confirm Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 1 2; background: $surface;
        border: round $error;
    }
    Confirm #title { text-style: bold; }
    Confirm #help { margin-bottom: 1; }
    Confirm Choices { height: auto; min-height: 2; }
    """
    BINDINGS = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str, text: str, ways: list[str]) -> None:
        super().__init__()
        self.heading, self.text, self.ways = title, text, ways

    def compose(self) -> ComposeResult:
        with Vertical() as window:
            window.border_subtitle = CANCEL_HINT
            yield Static(self.heading, id="title", markup=False)
            yield Static(self.text, id="help", markup=False)
            yield Choices()

    def on_mount(self) -> None:
        choices = self.query_one(Choices)
        choices.offer([Choice("way", way) for way in self.ways])
        choices.focus()

    def action_cancel(self) -> None:
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.ways[event.option_index])

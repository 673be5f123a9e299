"""The page that tells what each key of a screen does."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from advisor.document.blocks import Document
from advisor.document.screen import screen
from advisor.wizard.screen import KeyBar, KeyedScreen

SPELLED = {
    "question_mark": "?", "slash": "/", "left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc",
    "enter": "Enter", "tab": "Tab", "U": "Shift+U", "space": "Space", "plus": "+", "equals_sign": "=", "minus": "-",
}


class KeyPage(KeyedScreen):
    """What each key does, on the screen that was shown before. `everywhere`: (keys, what they do) on all screens."""

    DEFAULT_CSS = "KeyPage VerticalScroll { padding: 1 2; scrollbar-size-vertical: 1; }"
    NAME = "Keys"
    KEYS = [("Esc", "back", "leave")]
    BINDINGS = [Binding("escape,q", "leave", "Back")]

    def __init__(self, of: KeyedScreen, everywhere: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self.of = of
        self.everywhere = everywhere

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(id="text", markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        page = Document()
        self.introduce(page)
        page.heading(f"Keys: {self.of.NAME}", 1)
        page.heading("On this screen")
        page.pairs(keys(self.of))
        page.heading("Everywhere")
        page.pairs(self.everywhere)
        self.query_one("#text", Static).update(screen(page.blocks, self.size.width - 6))

    def introduce(self, page: Document) -> None:
        """What stands above the keys."""

    def action_keys(self) -> None:
        self.dismiss(None)

    def action_leave(self) -> None:
        self.dismiss(None)


def keys(sheet: KeyedScreen) -> list[tuple[str, str]]:
    """(keys, what they do) of a screen's own bindings."""
    found: dict[str, list[str]] = {}
    for kind in type(sheet).__mro__:
        for binding in vars(kind).get("BINDINGS", ()) if issubclass(kind, KeyedScreen) else ():
            if isinstance(binding, Binding) and binding.description:
                found.setdefault(binding.description, []).extend(map(spelled, binding.key.split(",")))
    return [(" ".join(dict.fromkeys(names)), says) for says, names in found.items()]


def spelled(key: str) -> str:
    parts = key.split("+")
    return "+".join([part.capitalize() for part in parts[:-1]] + [SPELLED.get(parts[-1], _letter(parts))])


def _letter(parts: list[str]) -> str:
    last = parts[-1]
    return last.upper() if len(parts) > 1 or (last[0] == "f" and last[1:].isdigit()) else last

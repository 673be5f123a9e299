"""The keys of a screen."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from advisor.document.blocks import Document
from advisor.document.screen import screen
from advisor.wizard.question import QuestionPane
from advisor.wizard.screen import KeyBar, KeyedScreen, Leaf, Sheet

SPELLED = {
    "question_mark": "?", "slash": "/", "left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc",
    "enter": "Enter", "tab": "Tab", "U": "Shift+U", "space": "Space", "plus": "+", "equals_sign": "=", "minus": "-",
}
EVERYWHERE = (
    ("↑ ↓ PgUp PgDn", "Move in a list or a text"), ("Enter", "Choose, or explain the line"),
    ("1 … 9", "Choose the answer that has this key before it"), ("Ctrl+P", "All commands"),
    ("F1 … F7", "The same as the letters, while a field takes what is typed"),
    ("Mouse", "Click on an answer, a setting or a key"),
)


class Keys(Leaf):
    """What each key does, on the screen that was shown before."""

    DEFAULT_CSS = "Keys VerticalScroll { padding: 1 2; scrollbar-size-vertical: 1; }"
    NAME = "Keys"
    KEYS = [("Esc", "back", "leave")]

    def __init__(self, of: Sheet) -> None:
        super().__init__()
        self.of = of

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(id="text", markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        page = Document()
        pane = self.of.query(QuestionPane)
        fact = pane.first().fact if pane else None
        if fact is not None:  # with its help, which a low terminal leaves out
            told = self.wizard.base.facts[fact]
            page.heading(told.ask or told.says, 1)
            page.para(QuestionPane.help_for(told).plain)
        page.heading(f"Keys: {self.of.NAME}", 1)
        page.heading("On this screen")
        page.pairs(keys(self.of))
        page.heading("Everywhere")
        page.pairs(EVERYWHERE)
        self.query_one("#text", Static).update(screen(page.blocks, self.size.width - 6))


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

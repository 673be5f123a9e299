"""Base classes of the screens: keys, a page that explains them, and drawing the session after a change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from advisor.pages.blocks import Document
from advisor.pages.screen import BAD, screen
from advisor.wizard.bars import KeyBar
from advisor.wizard.row_list import SettingList

if TYPE_CHECKING:
    from advisor.pages.blocks import Block
    from advisor.wizard.advice_cache import Request
    from advisor.wizard.app import Wizard

THEMES = {"dark": "textual-dark", "light": "textual-light", "ansi": "ansi-dark", "ansi-light": "ansi-light"}
KEY_NAMES = {
    "question_mark": "?", "slash": "/", "left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc",
    "enter": "Enter", "tab": "Tab", "U": "Shift+U", "space": "Space", "plus": "+", "equals_sign": "=", "minus": "-",
}
COMMON_KEYS = (
    ("↑ ↓ PgUp PgDn", "Move in a list or a text"), ("Enter", "Choose, or explain the line"),
    ("1 … 9", "Choose the answer that has this key before it, or this letter"), ("Ctrl+P", "All commands"),
    ("F1 … F7", "The same as the letters, while a field takes what is typed"),
    ("Mouse", "Click on an answer, a setting or a key"),
)


def theme_after(theme: str) -> str:
    names = list(THEMES.values())
    return names[(names.index(theme) + 1) % len(names)] if theme in names else names[0]


class KeyedScreen(Screen[None]):
    """`NAME`: its title; `KEYS`: those for KeyBar, the most useful first."""

    NAME = ""
    KEYS: ClassVar[list[tuple[str, str, str]]] = []
    BINDINGS = [Binding("question_mark,f1", "keys", "The keys of this screen")]
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide"), (120, "-rail"), (160, "-broad")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-short"), (30, "-tall")]

    def bar(self) -> list[tuple[str, str, str]]:
        """The keys for KeyBar."""
        return [(key, says, f"screen.{action}") for key, says, action in self.KEYS]


class KeyPage(KeyedScreen):
    """Explains the keys of a screen. `everywhere`: (keys, description) of all screens; `above`: shown above the
    keys."""

    DEFAULT_CSS = "KeyPage VerticalScroll { padding: 1 2; scrollbar-size-vertical: 1; }"
    NAME = "Keys"
    KEYS = [("Esc", "back", "leave")]
    BINDINGS = [Binding("escape,q", "leave", "Back")]

    def __init__(
        self, of: KeyedScreen, everywhere: Iterable[tuple[str, str]], above: Iterable[Block] = ()
    ) -> None:
        super().__init__()
        self.of, self.everywhere, self.above = of, everywhere, above

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(id="text", markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        page = Document()
        page.add(self.above)
        page.heading(f"Keys: {self.of.NAME}", 1)
        page.heading("On this screen")
        page.pairs(_keys_of(self.of))
        page.heading("Everywhere")
        page.pairs(self.everywhere)
        self.query_one("#text", Static).update(screen(page.blocks, self.size.width - 6))

    def action_keys(self) -> None:
        self.dismiss(None)

    def action_leave(self) -> None:
        self.dismiss(None)


def _keys_of(shown: KeyedScreen) -> list[tuple[str, str]]:
    """(keys, description) of a screen's own bindings."""
    by_description: dict[str, list[str]] = {}
    for kind in type(shown).__mro__:
        for binding in vars(kind).get("BINDINGS", ()) if issubclass(kind, KeyedScreen) else ():
            if isinstance(binding, Binding) and binding.description:
                by_description.setdefault(binding.description, []).extend(map(_key_name, binding.key.split(",")))
    return [(" ".join(dict.fromkeys(names)), says) for says, names in by_description.items()]


def _key_name(key: str) -> str:
    parts = key.split("+")
    return "+".join([part.capitalize() for part in parts[:-1]] + [KEY_NAMES.get(parts[-1], _letter(parts))])


def _letter(parts: list[str]) -> str:
    last = parts[-1]
    return last.upper() if len(parts) > 1 or (last[0] == "f" and last[1:].isdigit()) else last


class SessionScreen(KeyedScreen):
    """A screen that shows the session."""

    BINDINGS = [
        Binding("slash,f3", "find", "Find an answer, question, setting, rule, claim or source"),
        Binding("ctrl+q", "app.quit", "Quit; the answers are saved"),
    ]

    @property
    def wizard(self) -> Wizard:
        return self.app  # type: ignore[return-value]

    def show_session(self) -> None:
        """Draws the current session."""

    def show_computed(self, request: Request) -> None:
        """Draws a result of the prefetch thread."""

    def key_page_text(self) -> Iterable[Block]:
        """The blocks above the keys on their page."""
        return ()

    def recreate(self) -> SessionScreen | None:
        """A new screen with the same content, to return to after `Wizard.go_to_question`; None to return to none."""
        return None

    def on_screen_resume(self) -> None:
        if self.wizard.drawn:
            self.show_session()

    def action_keys(self) -> None:
        self.wizard.push_screen(KeyPage(self, COMMON_KEYS, self.key_page_text()))

    def action_find(self) -> None:
        from advisor.wizard.find import FindScreen  # noqa: PLC0415  the first frame needs no other screen

        self.wizard.push_screen(FindScreen())

    def action_review(self) -> None:
        from advisor.wizard.review import ReviewScreen  # noqa: PLC0415

        self.wizard.push_screen(ReviewScreen())

    def action_export(self) -> None:
        from advisor.wizard.export import ExportScreen  # noqa: PLC0415

        self.wizard.push_screen(ExportScreen())

    def action_compare(self) -> None:
        from advisor.wizard.compare import CompareScreen  # noqa: PLC0415

        self.wizard.push_screen(CompareScreen())

    def action_diagnose(self) -> None:
        from advisor.wizard.diagnose import DiagnoseScreen  # noqa: PLC0415

        self.wizard.push_screen(DiagnoseScreen())

    def action_check(self) -> None:
        from advisor.wizard.check import CheckScreen  # noqa: PLC0415

        self.wizard.push_screen(CheckScreen())

    def action_check_host(self) -> None:
        from advisor.wizard.check import HostScreen  # noqa: PLC0415

        self.wizard.push_screen(HostScreen())

    def action_environments(self) -> None:
        from advisor.wizard.compare import EnvironmentsScreen  # noqa: PLC0415

        self.wizard.push_screen(EnvironmentsScreen())

    def action_watch(self) -> None:
        """Ends the application, because `advisor.wizard.live` is another one; the caller starts the wizard again."""
        from advisor.wizard.app import EXIT_TO_WATCH  # noqa: PLC0415

        self.wizard.leave(EXIT_TO_WATCH)

    def open_mounts(self, written: str = "") -> None:
        from advisor.wizard.mounts_screen import MountsScreen  # noqa: PLC0415

        self.wizard.push_screen(MountsScreen(written))

    def action_mounts(self) -> None:
        self.open_mounts()

    def action_undo(self) -> None:
        self.wizard.undo()

    def action_redo(self) -> None:
        self.wizard.redo()

    def action_theme(self) -> None:
        self.wizard.next_theme()

    def action_quit(self) -> None:
        self.wizard.leave()


class SubScreen(SessionScreen):
    """A screen that Esc leaves."""

    BINDINGS = [Binding("escape", "leave", "Back"), Binding("q", "leave", show=False)]

    def recreate(self) -> SessionScreen | None:
        return type(self)()

    def action_leave(self) -> None:
        self.dismiss(None)


class FieldScreen(SubScreen):
    """A screen with a field, a line for the result, and a list."""

    def action_list(self) -> None:
        """Moves the focus between the field and the list."""
        setting_list = self.query_one(SettingList)
        (self.query_one(Input) if setting_list.has_focus or not setting_list.rows else setting_list).focus()

    def show_result(self, text: str, style: str = BAD) -> None:
        self.query_one("#result", Static).update(Content.styled(text, style))

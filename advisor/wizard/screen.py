"""What every screen of the wizard has: keys, a line at the bottom that shows them and can be clicked, and being shown
again when the session changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from advisor.session import Request
    from advisor.wizard.app import Wizard


THEMES = {"dark": "textual-dark", "light": "textual-light", "ansi": "ansi-dark", "ansi-light": "ansi-light"}


def theme_after(theme: str) -> str:
    names = list(THEMES.values())
    return names[(names.index(theme) + 1) % len(names)] if theme in names else names[0]


class KeyedScreen(Screen[None]):
    """`NAME`: its title; `KEYS`: those that the line at the bottom shows, most wanted first."""

    NAME = ""
    KEYS: ClassVar[list[tuple[str, str, str]]] = []
    BINDINGS = [Binding("question_mark,f1", "keys", "The keys of this screen")]
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide"), (120, "-rail"), (160, "-broad")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-short"), (30, "-tall")]

    def bar(self) -> list[tuple[str, str, str]]:
        """The keys for KeyBar."""
        return [(key, says, f"screen.{action}") for key, says, action in self.KEYS]


class Sheet(KeyedScreen):
    """A screen that shows the session."""

    BINDINGS = [
        Binding("slash,f3", "find", "Find an answer, question, setting, rule, claim or source"),
        Binding("ctrl+q", "app.quit", "Quit; the answers are kept"),
    ]
    @property
    def wizard(self) -> Wizard:
        return self.app  # type: ignore[return-value]

    def show_session(self) -> None:
        """Shows the session as it is now."""

    def worked_ahead(self, answers: Request) -> None:
        """What follows from these answers is known now."""

    def again(self) -> Sheet | None:
        """Another one that shows the same, for those who come back; None where nobody would."""
        return None

    def on_screen_resume(self) -> None:
        if self.wizard.shown:
            self.show_session()

    def action_keys(self) -> None:
        from advisor.wizard.keys import Keys  # noqa: PLC0415  the first frame needs no other screen

        self.wizard.push_screen(Keys(self))

    def action_find(self) -> None:
        from advisor.wizard.find import Find  # noqa: PLC0415

        self.wizard.push_screen(Find())

    def action_review(self) -> None:
        from advisor.wizard.review import Review  # noqa: PLC0415

        self.wizard.push_screen(Review())

    def action_export(self) -> None:
        from advisor.wizard.export import ExportPage  # noqa: PLC0415

        self.wizard.push_screen(ExportPage())

    def action_compare(self) -> None:
        from advisor.wizard.compare import Compare  # noqa: PLC0415

        self.wizard.push_screen(Compare())

    def open_mounts(self, written: str = "") -> None:
        from advisor.wizard.mounts import Mounts  # noqa: PLC0415

        self.wizard.push_screen(Mounts(written))

    def action_mounts(self) -> None:
        self.open_mounts()

    def action_theme(self) -> None:
        self.wizard.next_theme()

    def action_quit(self) -> None:
        self.wizard.leave()


class Leaf(Sheet):
    """A screen that Esc leaves."""

    BINDINGS = [Binding("escape", "leave", "Back"), Binding("q", "leave", show=False)]

    def again(self) -> Sheet | None:
        return type(self)()

    def action_leave(self) -> None:
        self.dismiss(None)


class KeyBar(Widget):
    """`keys`: (key as shown, what it does, action), most wanted first; the last one, the way out, is always there. What
    does not fit is left to the help screen."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; color: $text-muted; padding: 0 1; }
    """

    def __init__(self, keys: list[tuple[str, str, str]]) -> None:
        super().__init__()
        self.keys = keys

    def show(self, keys: list[tuple[str, str, str]]) -> None:
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
            Content.assemble((key, "bold $text-accent"), f" {says}").stylize(Style.from_meta({"@click": action}))
            for key, says, action in (*shown, *self.keys[-1:])
        )

"""What both screens have: their keys, and a line on top that tells how old what they show is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from advisor.document.screen import DIM, HEAD, WARN
from advisor.watch.rows import fitted
from advisor.wizard.key_page import KeyPage
from advisor.wizard.screen import KeyedScreen

if TYPE_CHECKING:
    from advisor.watch.app import Watch

EVERYWHERE = (
    ("↑ ↓ PgUp PgDn", "Move in a list or a text"), ("Mouse", "Click on a mount, a head of the list or a key"),
)


class Watching(KeyedScreen):
    """A screen that shows the last frame."""

    DEFAULT_CSS = "Watching #head { height: 1; background: $panel; padding: 0 1; }"
    BINDINGS = [
        Binding("space,p", "pause", "Pause, and go on"),
        Binding("plus,equals_sign", "pace(1)", "Read less often"),
        Binding("minus", "pace(-1)", "Read more often"),
        Binding("t", "theme", "Other colours"),
        Binding("ctrl+q,ctrl+c", "app.quit", "Quit", priority=True),  # else Ctrl+C copies
    ]

    @property
    def application(self) -> Watch:
        return self.app  # type: ignore[return-value]

    def bar(self) -> list[tuple[str, str, str]]:
        """The keys that do something: a recording neither goes on nor stops."""
        keys = [(key, self.application.leads if says == "quit" else says, does) for key, says, does in super().bar()]
        return keys if self.application.feed is not None else [one for one in keys if one[0] not in ("Space", "+ -")]

    def show_frame(self) -> None:
        """Shows what was read last."""

    def on_resize(self) -> None:
        self.show_frame()

    def head(self, title: str) -> None:
        """The title, and what is told of the readings as far as there is room beside it."""
        room = self.size.width - 4
        text = next((one for one in self.application.notices() if len(title) + len(one) <= room), "")
        shown = title if len(title) <= room else fitted(title, max(room, 8), end=True)
        look = WARN if self.application.paused else DIM
        self.query_one("#head", Static).update(Content.assemble((shown, HEAD), "  ", (text, look)))

    def action_pause(self) -> None:
        self.application.pause()

    def action_pace(self, step: int) -> None:
        self.application.pace(step)

    def action_theme(self) -> None:
        self.application.next_theme()

    def action_keys(self) -> None:
        self.app.push_screen(KeyPage(self, EVERYWHERE))

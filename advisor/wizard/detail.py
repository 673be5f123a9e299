"""What there is to say of the setting under the cursor, beside the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.timer import Timer
from textual.widgets import Static

if TYPE_CHECKING:
    from advisor.wizard.app import Wizard

AFTER = 0.06
"""Seconds that the cursor rests before its setting is explained: who runs through a list wants none of them."""
KINDS = ("setting", "figure", "bug")


class Detail(VerticalScroll):
    """Follows the cursor."""

    DEFAULT_CSS = "Detail { padding: 0 1; scrollbar-size-vertical: 1; }"
    app: Wizard

    def __init__(self) -> None:
        super().__init__(can_focus=False)
        self._timer: Timer | None = None
        self._about: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="detail", markup=False)

    def soon(self, kind: str, name: str) -> None:
        """Explains it in a moment."""
        self._about = (kind, name) if kind in KINDS else None
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(AFTER, self._explain)

    def on_resize(self) -> None:
        self._explain()

    def _explain(self) -> None:
        from advisor.document.screen import screen  # noqa: PLC0415  nobody reads an explanation in the first frame
        from advisor.wizard.explanation import page_of  # noqa: PLC0415

        if self._about is not None and self.display and self.size.width:
            width = self.size.width - 1
            self.query_one(Static).update(screen(page_of(self.app, *self._about, width), width))
            self.scroll_home(animate=False)

"""What one gets: the card, which can be copied and saved as a picture, with the report behind it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from advisor import __version__
from advisor.pages.blocks import plain
from advisor.pages.html import svg
from advisor.pages.layout import lines
from advisor.wizard import files, steps
from advisor.wizard.advice_cache import Request, Work
from advisor.wizard.lists import TextScreen, copy_mount_line, copy_screen
from advisor.wizard.screen import SubScreen, bindings
from advisor.wizard.widgets import Head, KeyBar, screen

WIDEST = 124
"""Columns of the card at most."""
PICTURE = "nfs-result.svg"


class ResultScreen(SubScreen):
    NAME = "Result"
    PLACE = "result"
    DEFAULT_CSS = """
    ResultScreen #card { max-width: 124; }
    """
    BINDINGS = bindings(PLACE)

    def compose(self) -> ComposeResult:
        yield Head(self.NAME, "what you get, for the ticket")
        with VerticalScroll():
            yield Static("Making the files …", id="card", markup=False, classes="pane -lit")
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_session)

    def show_computed(self, request: Request | Work) -> None:
        if isinstance(request, Work):
            self.show_session()

    def show_session(self) -> None:
        app, columns = self.wizard, min(self.size.width, WIDEST) - 6
        if self.made_files() is not None:
            card = steps.result(app.base, app.session, columns, fold=True, most=self.size.height - 4)
            self.query_one("#card", Static).update(screen(card, columns))

    def _text(self) -> str:
        """The card, its mount line whole."""
        card = steps.result(self.wizard.base, self.wizard.session, WIDEST)
        return "\n".join("".join(plain(line)) for line in lines(card, WIDEST, whole=False))

    def action_copy(self) -> None:
        if not copy_mount_line(self.wizard):
            self.action_copy_card()

    def action_copy_card(self) -> None:
        self.wizard.push_screen(copy_screen("The card", self._text()))

    def action_picture(self) -> None:
        card = steps.result(self.wizard.base, self.wizard.session, 100, fold=True)
        self.save_picture(PICTURE, svg(card, "NFS configuration", f"advisor {__version__}"))

    def action_report(self) -> None:
        made = files.made_files(self.wizard.base, self.wizard.session).artefacts
        report = next((one for one in made if one.path.endswith(".md") and one.title.startswith("Report")), None)
        if report is not None:
            self.wizard.push_screen(TextScreen(report.path, report.title, report.text))

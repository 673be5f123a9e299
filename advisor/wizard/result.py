"""What one gets: the card, which can be copied and saved as a picture, with the report behind it."""

from __future__ import annotations

import re
from time import strftime

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from advisor import __version__
from advisor.advice.model import Advice
from advisor.advice.verdict import AdviceVerdict
from advisor.pages.blocks import plain
from advisor.pages.layout import lines
from advisor.wizard import files, questions, steps
from advisor.wizard.advice_cache import Request, Work
from advisor.wizard.hero import badge, gauge_cells, gauge_text, risks, shown_line
from advisor.wizard.lists import TextScreen, copy_mount_line, copy_screen
from advisor.wizard.screen import SubScreen, bindings
from advisor.wizard.theme import STRENGTH
from advisor.wizard.widgets import Head, KeyBar, screen

WIDEST = 124
"""Columns of the card at most."""
WORD = re.compile(r"[^\s,()]+")


def in_colour(card: Content, advice: Advice, found: AdviceVerdict) -> Content:
    """The card with the verdict as a badge, and each option of the line in the colour of its strength."""
    looks = {option.text: STRENGTH.get(option.look, "") for option in shown_line(advice).options}
    card = card.stylize(badge(found)[1], 0, len(found.badge))
    start = 0
    for line in card.plain.partition("Files:")[0].split("\n"):
        for word in WORD.finditer(line) if line[:4] == "    " or "→" in line else ():
            card = card.stylize(looks.get(word[0], ""), start + word.start(), start + word.end())
        start += len(line) + 1
    install = card.plain.rfind("Install:")
    return card.stylize("bold $action", install + len("Install:")) if install > 0 else card


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
            advice = steps.judged(app.base, questions.preview(app.base, app.session))
            pane, every = self.query_one("#card", Static), risks(advice)
            pane.update(in_colour(screen(card, columns), advice, steps.session_verdict(app.base, app.session)))
            pane.border_title = Content.assemble(*gauge_cells(every), gauge_text(every)) if every else ""
            pane.border_subtitle = f"advisor {__version__} · rules {app.base.hash[:8]} · {strftime('%Y-%m-%d')}"

    def _text(self) -> str:
        """The card, its mount line whole."""
        card = steps.result(self.wizard.base, self.wizard.session, WIDEST)
        return "\n".join("".join(plain(line)) for line in lines(card, WIDEST, whole=False))

    def action_copy(self) -> None:
        if not copy_mount_line(self.wizard):
            self.action_copy_card()

    def action_copy_card(self) -> None:
        self.wizard.push_screen(copy_screen("The card", self._text()))

    def action_report(self) -> None:
        made = files.made_files(self.wizard.base, self.wizard.session).artefacts
        report = next((one for one in made if one.path.endswith(".md") and one.title.startswith("Report")), None)
        if report is not None:
            self.wizard.push_screen(TextScreen(report.path, report.title, report.text))

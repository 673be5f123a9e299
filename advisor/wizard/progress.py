"""How far one is, what an answer settles, and what is worked out ahead while nobody types."""

from __future__ import annotations

import re
from typing import Any

from textual import on
from textual.content import Content
from textual.timer import Timer

from advisor import session as state
from advisor.document.screen import DIM
from advisor.render import wording
from advisor.render.phrases import remaining
from advisor.wizard.answering import Answering
from advisor.wizard.choices import Choice, Choices
from advisor.wizard.fitting import Head
from advisor.wizard.question import QuestionPane
from advisor.wizard.working_ahead import IDLE


class Progressing(Answering):
    """The head and the progress line of the first screen."""

    _timer: Timer | None = None

    def show_head(self, fact: str | None) -> None:
        app = self.app
        section = app.base.sections.get(app.base.facts[fact].section, "") if fact else ""
        known = state.known(app.base, app.session.answers) and state.known_advice(app.base, app.session)[0]
        counts = wording.progress(state.counts(known)) if known is not None else ""
        whole = Content.assemble(section, "  " if section else "", (counts, DIM))
        self.query_one(Head).update_with("NFS advisor", whole, counts)

    def show_progress(self) -> None:
        """The line above the question: how far one is, and what this answer settles."""
        app, pane = self.app, self.query_one(QuestionPane)
        now = state.progress(app.base, app.session)
        self.show_head(pane.fact)
        settles = self._settles(now.settles) if pane.fact is not None else ""
        text = remaining(now.matter, now.more)
        pane.place(f"{text}{settles}", text, re.split("[,;]", text)[0])

    def _settles(self, usual: float) -> str:
        """What the highlighted answer settles where that is known, else what an answer settles on average."""
        app, pane = self.app, self.query_one(QuestionPane)
        choice = pane.query_one(Choices).at
        if choice is not None and choice.act in ("answer", "found"):
            trial = self._trial(choice)
            if trial is not None and state.known(app.base, trial) is not None:
                number = state.settles(app.base, app.session, str(pane.fact), choice.value)
                return f"; this answer settles {number}" if number else ""
        return f"; an answer settles about {round(usual)}" if usual >= 1 else ""

    def _trial(self, choice: Choice) -> Any:
        fact = str(self.query_one(QuestionPane).fact)
        if choice.act == "unknown":
            return state.trial_unknown(self.app.base, self.app.session, fact)
        return state.trial(self.app.base, self.app.session, fact, choice.value)

    def _soon_ahead(self) -> None:
        """Works ahead once what has changed is on the screen: until then the processor has other work."""
        self.app.ahead.want(())
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(IDLE, self._look_ahead)

    def _look_ahead(self) -> None:
        """First what the highlighted answer leads to, then what suits all mounts, then the other answers."""
        app, pane = self.app, self.query_one(QuestionPane)
        app.ahead.begin()
        offered = pane.query_one(Choices)
        start = offered.highlighted or 0
        ordered = [*offered.choices[start:], *offered.choices[:start]] if pane.fact is not None else []
        trials = [self._trial(one) for one in ordered if one.act in ("answer", "found", "unknown")]
        whole = state.all_mounts(app.base, app.session) if app.session.others else None
        mounts: list[state.Request] = [*whole.mounts, whole] if whole else []
        app.ahead.want((*trials[:1], *mounts, state.LineChangesOf(app.session.answers), *trials[1:]))

    @on(QuestionPane.Looked)
    def _looked(self) -> None:
        if self.app.shown:
            self.show_progress()
            self._soon_ahead()

    @on(QuestionPane.Understood)
    def _understood(self, event: QuestionPane.Understood) -> None:
        app, fact = self.app, str(self.query_one(QuestionPane).fact)
        app.ahead.want([state.trial(app.base, app.session, fact, event.value)])

"""What is worked out while a question is shown: what each of its answers would do, the advice for all mounts, and what
would change the line; at the end, the files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.timer import Timer

from advisor.advice.answers import Answers
from advisor.rulebase.model import RuleBase
from advisor.wizard import ending, files, mounts, questions, steps
from advisor.wizard.advice_cache import LineChangesOf, Request, Work
from advisor.wizard.hero import effect
from advisor.wizard.panes import QuestionPane
from advisor.wizard.row_lists import Choices
from advisor.wizard.schedule import IDLE
from advisor.wizard.screen import SessionScreen
from advisor.wizard.state import Session

TRIED = ("answer", "found", "unknown")
"""What choosing it does → its effect is shown beside it."""
COLLECT = 0.1
"""Seconds in which the effects of answers are collected."""


class WorkAhead:
    """`trials`: (place of a choice, the answers with it) of the question that is shown."""

    def __init__(self, screen: SessionScreen) -> None:
        self._screen = screen
        self.trials: list[tuple[int, Answers]] = []
        self._inferred: list[tuple[int, Answers]] = []
        """As `trials`, of the last question of which the thread has told `_inferring`."""
        self._inferring: Work | None = None
        self.timer: Timer | None = None
        self._collects = False
        """Whether effects are being collected, to be shown together."""

    def begin_soon(self) -> None:
        """Begins after IDLE seconds: until then the change is being drawn."""
        app = self._screen.wizard
        app.prefetcher.request(())
        self.trials, self._inferring = [], None
        app.pause_prefetching()
        if self.timer is not None:
            self.timer.stop()
        self.timer = self._screen.set_timer(IDLE, self._begin)

    def take(self, request: Request | Work) -> None:
        """Continues with a result of the thread."""
        if request is self._inferring:
            self._request_advice()
        elif not self._collects:
            self._collects = True
            self._screen.set_timer(COLLECT, self.show_effects)

    def show_effects(self) -> None:
        """Shows beside the choices what each would do, as far as that is computed. All at once, since the whole list is
        drawn again."""
        self._collects = False
        app, choices = self._screen.wizard, self._screen.query_one(Choices)
        now = ending.judged(app.base, questions.preview(app.base, app.session))
        for place, trial in self.trials:
            shown = choices.choices[place] if place < len(choices.choices) else None
            then = ending.known_judged(app.base, trial)
            if then is not None and shown is not None and shown.act in TRIED and not shown.note:
                choices.note(place, *effect(now, then, ending.why_failing(app.base, now, then)))

    def _begin(self) -> None:
        """Infers what else each answer says: of dozens in the thread, since it takes as long as a key."""
        app, pane = self._screen.wizard, self._screen.query_one(QuestionPane)
        if app.screen is not self._screen:
            return  # another screen may wait for what it has requested
        app.prefetcher.start()
        offered, fact = pane.query_one(Choices), pane.fact
        start, choices = offered.highlighted or 0, offered.choices
        tried = [
            (place, choices[place]) for place in (*range(start, len(choices)), *range(start))
            if fact is not None and choices[place].act in TRIED
        ]
        infer = partial(self._infer, session=app.session, fact=str(fact), tried=tried)
        self._inferring = Work(infer)
        if app.prefetcher.stopped or not tried:
            infer(app.base)
            self._request_advice()
        else:
            app.prefetcher.request([self._inferring])

    def _infer(
        self, base: RuleBase, session: Session, fact: str, tried: Sequence[tuple[int, steps.Choice]]
    ) -> None:
        self._inferred = [
            (place, questions.trial_answers(base, session, fact, choice.value)) for place, choice in tried
        ]

    def _request_advice(self) -> None:
        """Requests the advice for the highlighted answer, then for all mounts, then for the other answers."""
        app, self.trials = self._screen.wizard, self._inferred
        trials: list[Request | Work] = []
        for _, trial in self.trials:
            trials += (trial, Work(partial(ending.judge, answers=trial)))
        self.show_effects()
        ended = self._screen.query_one(QuestionPane).fact is None
        files_next = partial(files.made_files, session=app.session) if ended else files.prepare
        whole = mounts.all_mounts(app.base, app.session) if app.session.others else None
        for_mounts: list[Request | Work] = [*whole.mounts, whole] if whole else []
        line_changes = LineChangesOf(app.session.answers)
        app.prefetcher.request((*trials[:2], *for_mounts, line_changes, *trials[2:], Work(files_next)))

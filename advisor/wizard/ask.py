"""The first screen: a question, and beside or below it what follows from the answers so far."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from advisor import session as state
from advisor.advice.answers import Answers
from advisor.render.plain import remaining
from advisor.session import Whole, memo
from advisor.wizard import ending, which_mount, words
from advisor.wizard.ask_mount import AskMount
from advisor.wizard.choices import Choice, Choices, ways_on
from advisor.wizard.keybar import KeyBar
from advisor.wizard.paper import DIM, HEAD
from advisor.wizard.preview import Preview
from advisor.wizard.question import QuestionPane

if TYPE_CHECKING:
    from advisor.wizard.app import Wizard

IDLE = 0.08
"""Seconds without a key after which the wizard works ahead."""


class Ask(AskMount):
    """Question and preview."""

    DEFAULT_CSS = """
    Ask #where { height: 1; }
    Ask #head { height: 1; background: $panel; color: $text-muted; padding: 0 1; }
    Ask #body { height: 1fr; layout: vertical; }
    Ask QuestionPane { height: 1fr; }
    Ask Preview { height: 8; border-top: solid $panel-lighten-2; }
    Ask Preview:focus-within { height: 60%; border-top: solid $accent; }
    Ask.-tall Preview { height: 45%; }
    Ask.-wide #body { layout: horizontal; }
    Ask.-wide QuestionPane { width: 1fr; height: 100%; }
    Ask.-wide Preview { width: 1fr; height: 100%; border-top: none; border-left: solid $panel-lighten-2; }
    Ask.-wide Preview:focus-within { height: 100%; border-top: none; border-left: solid $accent; }
    Ask.-short #ask, Ask.-short #help, Ask.-short #typed { margin-bottom: 0; }
    Ask.-short #line, Ask.-narrow #line { margin-bottom: 0; max-height: 3; }
    Ask.-low #help { display: none; }
    Ask.-low #ask { max-height: 2; margin-bottom: 0; }
    Ask.-low Choices { min-height: 3; }
    Ask.-low #typed, Ask.-low #line { margin-bottom: 0; max-height: 2; }
    Ask.-low Preview { height: 3; }
    Ask.-low Preview:focus-within { height: 70%; }
    """
    app: Wizard
    _timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with Container(id="body"):
            yield QuestionPane(self.app.base)
            yield Preview()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.show_question()
        self.call_after_refresh(self._first_advice)

    def _first_advice(self) -> None:
        self.app.shown = True
        self.show_advice()
        gc.collect()
        gc.freeze()  # what is loaded now stays: looking through it again and again would make keys wait
        gc.enable()

    def show_session(self) -> None:
        """Everything again, for the session as it is now."""
        with self.app.batch_update():
            self.show_question()
            self.show_advice()

    def show_question(self) -> None:
        """The question alone, which the first frame does not wait for advice to show."""
        app, pane = self.app, self.query_one(QuestionPane)
        if app.saved is not None:
            self._offer_saved()
            return
        if app.session.at == state.MOUNT:
            self.ask_for_mount()
            return
        fact = state.current(app.base, app.session)
        self.show_head(fact)
        pane.place(Content.styled("…", DIM))
        if fact is None:
            left = state.ending(app.base, app.session)
            pane.offer(ending.title(left), "\n".join(ending.text(app.base, left)), ways_on(app.base, left))
            return
        pane.ask(app.session, app.found, fact)

    def show_head(self, fact: str | None) -> None:
        app = self.app
        section = app.base.sections.get(app.base.facts[fact].get("section", ""), "") if fact else ""
        known = memo.known(app.base, app.session.answers)
        self.query_one("#head", Static).update(Content.assemble(
            ("NFS advisor", HEAD), f"  {section}" if section else "",
            (f"  {words.counted(state.counts(known))}" if known is not None else "", DIM),
        ))

    def _offer_saved(self) -> None:
        """Asks, before anything else, whether to go on where the last session ended."""
        app, pane = self.app, self.query_one(QuestionPane)
        saved = app.saved
        if saved is None:
            return
        self.query_one("#head", Static).update(Content.styled("NFS advisor", HEAD))
        other = "Start with the answers given now" if app.session.order else "Start anew"
        pane.offer("Go on where you stopped?", f"{words.plural(saved.answers, 'answer')}, saved {saved.when}", [
            Choice("resume", "Go on with the saved answers"),
            Choice("anew", other, note="the saved ones are replaced by your next answer"),
        ])

    def show_advice(self) -> None:
        app = self.app
        drawn = [] if app.session.order else which_mount.inferred(app.base, app.session)
        self.query_one(Preview).show(app.base, state.preview(app.base, app.session), app.news, drawn)
        self.show_progress()
        self._soon_ahead()

    def show_progress(self) -> None:
        """The line above the question: how far one is, and what this answer settles."""
        app, pane = self.app, self.query_one(QuestionPane)
        now = state.progress(app.base, app.session)
        self.show_head(pane.fact)
        settles = self._settles(now.settles) if pane.fact is not None else ""
        pane.place(Content.styled(f"{remaining(now.matter, now.more)}{settles}", DIM))

    def worked_ahead(self, answers: Answers | Whole) -> None:
        """What the highlighted answer settles is known now, if these are the answers with it."""
        choice = self.query_one(Choices).at
        if choice is not None and choice.act in ("answer", "found") and self._trial(choice) == answers:
            self.show_progress()

    def _settles(self, usual: float) -> str:
        """What the highlighted answer settles where that is known, else what an answer settles on average."""
        app, pane = self.app, self.query_one(QuestionPane)
        choice = pane.query_one(Choices).at
        if choice is not None and choice.act in ("answer", "found"):
            trial = self._trial(choice)
            if trial is not None and memo.known(app.base, trial) is not None:
                number = state.settles(app.base, app.session, str(pane.fact), choice.value)
                return "" if number is None else f"; this answer settles {number}"
        return f"; an answer settles about {round(usual)}" if usual >= 1 else ""

    def _trial(self, choice: Choice) -> Any:
        fact = str(self.query_one(QuestionPane).fact)
        return state.trial(self.app.base, self.app.session, fact, choice.value)

    def _soon_ahead(self) -> None:
        """Works ahead once what has changed is on the screen: until then the processor has other work."""
        self.app.ahead.want(())
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(IDLE, self._look_ahead)

    def _look_ahead(self) -> None:
        pane = self.query_one(QuestionPane)
        self.app.ahead.begin()
        if pane.fact is None:
            return
        offered = pane.query_one(Choices)
        start = offered.highlighted or 0
        ordered = [*offered.choices[start:], *offered.choices[:start]]
        self.app.ahead.want(self._trial(one) for one in ordered if one.act in ("answer", "found"))

    @on(QuestionPane.Looked)
    def _looked(self) -> None:
        if self.app.shown:
            self.show_progress()
            self._soon_ahead()

    @on(QuestionPane.Understood)
    def _understood(self, event: QuestionPane.Understood) -> None:
        app, fact = self.app, str(self.query_one(QuestionPane).fact)
        app.ahead.want([state.trial(app.base, app.session, fact, event.value)])

    @on(QuestionPane.Chosen)
    def _chosen(self, event: QuestionPane.Chosen) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        fact, act, value = pane.fact, event.act, event.value
        if act in ("export", "review", "compare"):
            self.app.call_later(getattr(self, f"action_{act}"))
        elif act in ("resume", "anew"):
            app.resume(act == "resume")
            self.show_session()
        elif act in ("mount", "skip", "file") or (act == "typed" and fact is None):
            self.take_mount(act, value)
        elif act == "fine":
            app.move(app.session._replace(fine=True, at=None))
        elif act == "look":
            app.look_at(value)
        elif act == "keep":
            self.show_session()
        elif act == "instead":
            fact, value, against = value
            app.change(lambda: state.answer(app.base, app.session, fact, value, instead_of=against))
        elif fact is not None:
            self._answer(fact, act, value)

    def _answer(self, fact: str, act: str, value: Any) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        if act == "unknown":
            app.change(lambda: state.dont_know(app.base, app.session, fact))
            return
        if act == "typed":
            parsed = state.parse(app.base, fact, value)
            if parsed.problem:
                pane.complain(parsed.problem)
                return
            value = parsed.value
        origin = app.found[fact][1] if act == "found" else None
        refused = app.change(lambda: state.answer(app.base, app.session, fact, value, origin=origin))
        if refused is not None:
            self._refuse(fact, value, refused)

    def _refuse(self, fact: str, value: Any, refused: state.Refused) -> None:
        """Says which earlier answer is in the way, and offers to drop it."""
        app, pane = self.app, self.query_one(QuestionPane)
        if not refused.against:
            pane.complain(str(refused))
            return
        names = {**app.session.answers.facts, **app.session.answers.pins}
        earlier = [
            f"{words.question(app.base, one)} {words.said(app.base, one, names[one])}" for one in refused.against
        ]
        pane.offer(
            f"{words.said(app.base, fact, value)}: this contradicts an earlier answer.",
            "\n".join((str(refused), *earlier)),
            [Choice("keep", "Keep the earlier answer")] + [
                Choice("instead", f"Drop it: {text}", (fact, value, (one,)))
                for one, text in zip(refused.against, earlier, strict=True)
            ],
        )

    @on(Preview.Wanted)
    def _wanted(self, event: Preview.Wanted) -> None:
        if event.kind == "review":
            self.action_review()
        elif event.kind == "answer":
            self.app.look_at(event.what)
        else:
            self.app.explain(event.kind, event.what)

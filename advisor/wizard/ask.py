"""The first screen: a question, and beside or below it what follows from the answers so far."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container

from advisor import session as state
from advisor.advice.line import lacking, mounts
from advisor.render.phrases import counted
from advisor.session import AllMounts, Request
from advisor.wizard import which_mount, words
from advisor.wizard.choices import Choice, Choices, ways_on
from advisor.wizard.detail import Detail
from advisor.wizard.fitting import Head
from advisor.wizard.mount_line import LineOnTop
from advisor.wizard.preview import Preview, SettingList
from advisor.wizard.progress import Progressing
from advisor.wizard.question import QuestionPane
from advisor.wizard.rail import Rail
from advisor.wizard.screen import KeyBar

if TYPE_CHECKING:
    from advisor.wizard.app import Wizard



class Ask(Progressing):
    """Question and preview."""

    DEFAULT_CSS = """
    Ask #where { height: 1; }
    Ask #body { height: 1fr; layout: vertical; }
    Ask QuestionPane { height: 1fr; }
    Ask Rail, Ask Detail { display: none; }
    Ask Preview { height: 9; border-top: solid $panel-lighten-2; }
    Ask.-many Preview { height: 6; }
    Ask Preview:focus-within { height: 60%; border-top: solid $accent; }
    Ask.-tall Preview { height: 45%; }
    Ask.-short #ask, Ask.-short #help, Ask.-short #typed { margin-bottom: 0; }
    Ask.-many.-tall.-narrow Preview, Ask.-many.-tall.-tiny Preview { height: 25%; }
    Ask.-many.-tall.-narrow Preview:focus-within, Ask.-many.-tall.-tiny Preview:focus-within { height: 45%; }
    Ask.-many.-short #help { max-height: 2; }
    Ask.-low #help { display: none; }
    Ask.-low #ask { max-height: 2; margin-bottom: 0; }
    Ask.-low Choices { min-height: 3; }
    Ask.-low #typed { margin-bottom: 0; }
    Ask.-low Preview { height: 2; }
    Ask.-low Preview:focus-within { height: 70%; }
    Ask.-wide #body, Ask.-rail #body, Ask.-broad #body { layout: horizontal; }
    Ask.-wide, Ask.-rail, Ask.-broad {
        QuestionPane { width: 1fr; height: 100%; }
        Preview { width: 1fr; height: 100%; border-top: none; border-left: solid $panel-lighten-2; }
        Preview:focus-within { height: 100%; border-top: none; border-left: solid $accent; }
        Toast { width: auto; max-width: 38%; }
    }
    Ask Toast { width: 1fr; max-width: 100%; padding: 0 1; }
    Ask.-rail Rail, Ask.-broad Rail {
        display: block; width: 24; height: 100%; padding: 0 1; border-right: solid $panel-lighten-2;
    }
    Ask.-broad Detail, Ask.-rail.-looking Detail {
        display: block; width: 1fr; height: 100%; border-left: solid $panel-lighten-2;
    }
    Ask.-rail.-looking QuestionPane { display: none; }
    """
    app: Wizard

    def compose(self) -> ComposeResult:
        yield Head()
        yield LineOnTop()
        with Container(id="body"):
            yield Rail()
            yield QuestionPane(self.app.base)
            yield Preview()
            yield Detail()
        yield KeyBar([])

    def on_mount(self) -> None:
        self.show_question()
        self.call_after_refresh(self._first_advice)

    def _first_advice(self) -> None:
        self.app.shown = True
        self.show_advice()
        gc.collect()
        gc.freeze()  # what is loaded now stays: looking through it again and again would make keys wait
        gc.enable()

    def on_resize(self) -> None:
        if self.app.shown:
            self.call_after_refresh(self._show_preview)

    def show_session(self) -> None:
        """Everything again, for the session as it is now."""
        with self.app.batch_update():
            self.show_question()
            self.show_advice()
            self.query_one(KeyBar).show(self.bar())

    def show_question(self) -> None:
        """The question alone, which the first frame does not wait for advice to show."""
        app, pane = self.app, self.query_one(QuestionPane)
        if app.saved:
            self._offer_saved()
            return
        if app.session.at == state.MOUNT:
            self.ask_for_mount()
            return
        fact = state.current(app.base, app.session)
        self.show_head(fact)
        pane.about(words.about(app.base, app.session, fact))
        pane.place("…")
        if fact is None:
            self._show_end()
            return
        found = state.found_value(app.base, app.session, app.found, fact)
        pane.ask(app.session, fact, found, app.pointed.pop(fact, None))

    def _show_end(self) -> None:
        app = self.app
        left, rest = state.ending(app.base, app.session), state.other_mounts(app.base, app.session)
        advice = state.preview(app.base, app.session)
        whole = mounts(advice) and not lacking(app.base, advice)
        self.query_one(QuestionPane).offer(
            words.ended(left, rest), "\n".join(words.left_open(app.base, left, rest)),
            ways_on(app.base, left, rest, line=whole, side=words.side(state.other_role(app.base, app.session))),
        )

    def _offer_saved(self) -> None:
        """Asks, before anything else, whether to go on where the last session ended."""
        app, pane = self.app, self.query_one(QuestionPane)
        self.query_one(Head).update_with("NFS advisor")
        other = "Start with the answers given now" if app.session.order else "Start anew"
        choices = [(f"{counted(one.answers, 'answer')}, saved {one.when}", one) for one in app.saved]
        pane.offer("Go on where you stopped?", choices[0][0] if len(choices) == 1 else "Several sessions are kept.", [
            *(Choice("resume", f"Go on with {one.name or 'the saved answers'}", one, text if len(choices) > 1 else "")
              for text, one in choices),
            Choice("anew", other, note="" if app.kept_apart else "the saved ones are replaced by your next answer"),
        ])

    def show_advice(self) -> None:
        self._show_preview()
        self.show_progress()
        self._soon_ahead()

    def _show_preview(self) -> None:
        app, preview = self.app, self.query_one(Preview)
        drawn = [] if app.session.order else which_mount.inferred(app.base, app.session)
        advice, several = state.known_advice(app.base, app.session)
        found = state.known(app.base, state.LineChangesOf(app.session.answers))
        self.query_one(LineOnTop).update_with(app.base, advice)
        preview.show(app.base, advice, app.news, drawn, several=several, turns=found)
        self.query_one(Rail).show(app.base, app.session)

    def worked_ahead(self, answers: Request) -> None:
        """What the highlighted answer settles is known now, or what suits all mounts, or what would change the line."""
        if isinstance(answers, AllMounts):
            self._all_known(answers)
            return
        if isinstance(answers, state.LineChangesOf):
            if answers.answers == self.app.session.answers:
                self._show_preview()
            return
        choice = self.query_one(Choices).at
        if choice is not None and choice.act in ("answer", "found") and self._trial(choice) == answers:
            self.show_progress()

    def _all_known(self, asked: AllMounts) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        if not app.session.others or asked != state.all_mounts(app.base, app.session):
            return
        self._show_preview()
        self.show_head(pane.fact)
        ended = app.session.at is None and state.current(app.base, app.session) is None
        if ended and pane.query_one(Choices).highlighted in (0, None):  # nobody has chosen anything yet
            self._show_end()

    @on(QuestionPane.Chosen)
    def _chosen(self, event: QuestionPane.Chosen) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        fact, act, value = event.fact, event.act, event.value
        if fact != pane.fact:
            return  # another question is on the screen by now
        if act in ("export", "review", "compare", "copy", "commands"):
            self.app.call_later(getattr(self, f"action_{act}"))
        elif act in ("resume", "anew"):
            app.resume(value)
            self.show_session()
        elif act == "side":
            self.action_side()
        elif act == "other":
            app.move(state.go_to_mount(app.base, app.session, value))
        elif act in ("mount", "marked", "mounts", "skip", "file", "door") or (act == "typed" and fact is None):
            self.take_mount(act, value)
        elif act == "fine":
            app.move(app.session._replace(fine=True, at=None))
        elif act == "look":
            app.look_at(value)
        elif act == "keep":
            self.show_session()
        elif act == "instead":
            self.answer_instead(*value)
        elif fact is not None:
            self.take_answer(fact, act, value)

    @on(Rail.Jumped)
    def _jumped(self, event: Rail.Jumped) -> None:
        self.app.move(state.go(self.app.session, event.fact))
        self.focus_question()

    @on(Preview.LookedAt)
    def _looked_at(self, event: Preview.LookedAt) -> None:
        detail = self.query_one(Detail)
        if detail.display:
            detail.soon(event.kind, event.what)

    @on(events.DescendantFocus)
    def _focus_moved(self) -> None:
        """The keys at the bottom are those of what has the focus; beside the settings stands the highlighted one."""
        self.query_one(KeyBar).show(self.bar())
        settings = self.query_one(SettingList)
        self.set_class(settings.has_focus, "-looking")
        if settings.has_focus and settings.key is not None:
            self.query_one(Detail).soon(*settings.key)

    @on(Preview.Wanted)
    def _wanted(self, event: Preview.Wanted) -> None:
        if event.kind == "review":
            self.action_review()
        elif event.kind == "fold":
            self.action_rest()
        elif event.kind == "turns":
            self.turn()
        elif event.kind == "answer":
            self.app.look_at(event.what)
        else:
            self.app.explain(event.kind, event.what)

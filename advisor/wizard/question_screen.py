"""The first screen: a question, and beside or below it the advice so far."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input

from advisor.advice.mount_line import has_mount, missing_options
from advisor.pages import wording
from advisor.pages.phrases import counted, remaining_questions
from advisor.pages.screen import DIM
from advisor.wizard import advice_cache, mounts, questions, state, typed_answer, words
from advisor.wizard.advice_cache import AllMounts, Request
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.choices import Choice, Choices, ending_choices
from advisor.wizard.explanation import Detail
from advisor.wizard.prefetch import IDLE
from advisor.wizard.preview import MountLineBar, Preview
from advisor.wizard.question_keys import QuestionKeys
from advisor.wizard.question_pane import QuestionPane
from advisor.wizard.row_list import SettingList
from advisor.wizard.sections import SectionList
from advisor.wizard.state import Session

if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.wizard.app import Wizard


class QuestionScreen(QuestionKeys):
    """Question and preview."""

    DEFAULT_CSS = """
    QuestionScreen #where { height: 1; }
    QuestionScreen #body { height: 1fr; layout: vertical; }
    QuestionScreen QuestionPane { height: 1fr; }
    QuestionScreen SectionList, QuestionScreen Detail { display: none; }
    QuestionScreen Preview { height: 9; border-top: solid $panel-lighten-2; }
    QuestionScreen.-many Preview { height: 6; }
    QuestionScreen Preview:focus-within { height: 60%; border-top: solid $accent; }
    QuestionScreen.-tall Preview { height: 45%; }
    QuestionScreen.-short #ask, QuestionScreen.-short #help, QuestionScreen.-short #typed { margin-bottom: 0; }
    QuestionScreen.-many.-tall.-narrow Preview, QuestionScreen.-many.-tall.-tiny Preview { height: 25%; }
    QuestionScreen.-many.-tall.-narrow Preview:focus-within, QuestionScreen.-many.-tall.-tiny Preview:focus-within {
        height: 45%;
    }
    QuestionScreen.-many.-short #help { max-height: 2; }
    QuestionScreen.-low #help { display: none; }
    QuestionScreen.-low #ask { max-height: 2; margin-bottom: 0; }
    QuestionScreen.-low Choices { min-height: 3; }
    QuestionScreen.-low #typed { margin-bottom: 0; }
    QuestionScreen.-low Preview { height: 2; }
    QuestionScreen.-low Preview:focus-within { height: 70%; }
    QuestionScreen.-wide #body, QuestionScreen.-rail #body, QuestionScreen.-broad #body { layout: horizontal; }
    QuestionScreen.-wide, QuestionScreen.-rail, QuestionScreen.-broad {
        QuestionPane { width: 1fr; height: 100%; }
        Preview { width: 1fr; height: 100%; border-top: none; border-left: solid $panel-lighten-2; }
        Preview:focus-within { height: 100%; border-top: none; border-left: solid $accent; }
        Toast { width: auto; max-width: 38%; }
    }
    QuestionScreen Toast { width: 1fr; max-width: 100%; padding: 0 1; }
    QuestionScreen.-rail SectionList, QuestionScreen.-broad SectionList {
        display: block; width: 24; height: 100%; padding: 0 1; border-right: solid $panel-lighten-2;
    }
    QuestionScreen.-broad Detail, QuestionScreen.-rail.-looking Detail {
        display: block; width: 1fr; height: 100%; border-left: solid $panel-lighten-2;
    }
    QuestionScreen.-rail.-looking QuestionPane { display: none; }
    """
    app: Wizard
    _timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Head()
        yield MountLineBar()
        with Container(id="body"):
            yield SectionList()
            yield QuestionPane(self.app.base)
            yield Preview()
            yield Detail()
        yield KeyBar([])

    def on_mount(self) -> None:
        self.show_question()
        self.call_after_refresh(self._first_advice)

    def _first_advice(self) -> None:
        self.app.drawn = True
        self.show_advice()
        gc.collect()
        gc.freeze()  # the loaded rule base is never garbage; scanning it again and again would delay keys
        gc.enable()

    def on_resize(self) -> None:
        if self.app.drawn:
            self.call_after_refresh(self._show_preview)

    @on(SectionList.Hidden)
    def _sections_hidden(self) -> None:
        self.focus_question()

    def show_session(self) -> None:
        """Redraws everything for the current session."""
        with self.app.batch_update():
            self.show_question()
            self.show_advice()
            self.query_one(KeyBar).show(self.bar())

    def show_question(self) -> None:
        """Shows the question without the advice, for which the first frame does not wait."""
        app, pane = self.app, self.query_one(QuestionPane)
        if app.saved:
            self._offer_saved_sessions()
            return
        if app.session.at == state.MOUNT:
            self.ask_for_mount()
            return
        fact = questions.current_question(app.base, app.session)
        self.show_head(fact)
        pane.show_about(words.scope_text(app.base, app.session, fact))
        pane.show_progress("…")
        if fact is None:
            self._show_end()
            return
        found_value = questions.found_value(app.base, app.session, app.found, fact)
        pane.show_question(app.session, fact, found_value, app.wanted_answer.pop(fact, None))

    def _show_end(self) -> None:
        app = self.app
        left, rest = questions.ending(app.base, app.session), mounts.other_mounts(app.base, app.session)
        advice = questions.preview(app.base, app.session)
        whole = has_mount(advice) and not missing_options(advice)
        side = words.side_name(mounts.other_role(app.base, app.session))
        self.query_one(QuestionPane).show_choices(
            words.ending_title(left, rest), "\n".join(words.ending_text(app.base, left, rest)),
            ending_choices(app.base, left, rest, line=whole, side=side),
        )

    def _offer_saved_sessions(self) -> None:
        """Asks, before anything else, whether to continue a session that was saved."""
        app, pane = self.app, self.query_one(QuestionPane)
        self.query_one(Head).update_with("NFS advisor")
        other = words.START_WITH_GIVEN if app.session.order else words.START_AGAIN
        choices = [(f"{counted(saved.answers, 'answer')}, saved {saved.when}", saved) for saved in app.saved]
        several = len(choices) > 1
        pane.show_choices("Continue where you stopped?", "Several sessions are saved." if several else choices[0][0], [
            *(Choice("resume", f"Continue with {saved.name or 'the saved answers'}", saved, text if several else "")
              for text, saved in choices),
            Choice("anew", other, note="" if app.keeps_saved else "the saved ones are replaced by your next answer"),
        ])

    def show_advice(self) -> None:
        self._show_preview()
        self.show_progress()
        self._prefetch_soon()

    def _show_preview(self) -> None:
        app, preview = self.app, self.query_one(Preview)
        drawn = [] if app.session.order else mounts.inferred_answers(app.base, app.session)
        advice, several = mounts.known_advice(app.base, app.session)
        line_changes = advice_cache.cached(app.base, advice_cache.LineChangesOf(app.session.answers))
        self.query_one(MountLineBar).update_with(app.base, advice)
        preview.show(app.base, advice, app.news, drawn, several=several, line_changes=line_changes)
        self.query_one(SectionList).show(app.base, app.session)

    def show_computed(self, request: Request) -> None:
        """Shows a result of the prefetch thread: the effect of the highlighted answer, the advice for all mounts, or
        the answers that would change the mount line."""
        if isinstance(request, AllMounts):
            self._all_mounts_known(request)
            return
        if isinstance(request, advice_cache.LineChangesOf):
            if request.answers == self.app.session.answers:
                self._show_preview()
            return
        choice = self.query_one(Choices).choice
        if choice is not None and choice.act in ("answer", "found") and self._trial(choice) == request:
            self.show_progress()

    def _all_mounts_known(self, request: AllMounts) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        if not app.session.others or request != mounts.all_mounts(app.base, app.session):
            return
        self._show_preview()
        self.show_head(pane.fact)
        ended = app.session.at is None and questions.current_question(app.base, app.session) is None
        if ended and pane.query_one(Choices).highlighted in (0, None):  # the cursor was not moved
            self._show_end()

    @on(QuestionPane.Chosen)
    def _chosen(self, event: QuestionPane.Chosen) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        fact, act, value = event.fact, event.act, event.value
        if fact != pane.fact:
            return  # another question is shown by now
        if act == "do":
            app.call_later(getattr(self, f"action_{value}"))
        elif act in ("resume", "anew"):
            app.resume(value)
            self.show_session()
        elif act == "other":
            app.set_session(mounts.go_to_mount(app.base, app.session, value))
        elif act in ("mount", "marked", "mounts", "skip", "file") or (act == "typed" and fact is None):
            self.take_mount(act, value)
        elif act == "fine":
            app.set_session(app.session._replace(fine=True, at=None))
        elif act == "look":
            app.go_to_question(value)
        elif act == "keep":
            self.show_session()
        elif act == "instead":
            self.answer_instead(*value)
        elif fact is not None:
            self.take_answer(fact, act, value)

    @on(SectionList.Jumped)
    def _jumped(self, event: SectionList.Jumped) -> None:
        self.app.set_session(state.go(self.app.session, event.fact))
        self.focus_question()

    @on(events.DescendantFocus)
    def _focus_moved(self) -> None:
        """Shows the keys of the focused widget, and its explanation."""
        self.query_one(KeyBar).show(self.bar())
        self._show_detail()

    @on(Preview.RowHighlighted)
    def _show_detail(self) -> None:
        """Explains the highlighted setting beside the list; for a row without an explanation, shows the question."""
        settings, detail = self.query_one(SettingList), self.query_one(Detail)
        key = settings.key if settings.has_focus else None
        explained = key is not None and key[0] in detail.KINDS
        self.set_class(explained, "-looking")
        if key is not None and explained:
            detail.explain_soon(*key)

    @on(Preview.RowSelected)
    def _wanted(self, event: Preview.RowSelected) -> None:
        if event.kind == "review":
            self.action_review()
        elif event.kind == "fold":
            self.action_rest()
        elif event.kind == "line-changes":
            self.go_to_line_change()
        elif event.kind == "answer":
            self.app.go_to_question(event.name)
        else:
            self.app.explain(event.kind, event.name)

    def show_head(self, fact: str | None) -> None:
        app = self.app
        section = app.base.sections.get(app.base.facts[fact].section, "") if fact else ""
        known = advice_cache.cached(app.base, app.session.answers) and mounts.known_advice(app.base, app.session)[0]
        counts = wording.progress_text(questions.counts(known)) if known is not None else ""
        whole = Content.assemble(section, "  " if section else "", (counts, DIM))
        self.query_one(Head).update_with("NFS advisor", whole, counts)

    def show_progress(self) -> None:
        """Shows how many questions are left, and how many settings the highlighted answer settles."""
        app, pane = self.app, self.query_one(QuestionPane)
        now = questions.progress(app.base, app.session)
        self.show_head(pane.fact)
        settles = self._settles(now.settles) if pane.fact is not None else ""
        text = remaining_questions(now.matter, now.more)
        pane.show_progress(f"{text}{settles}", text, re.split("[,;]", text)[0])

    def _settles(self, usual: float) -> str:
        """How many settings the highlighted answer settles, if that is computed; else the average of all answers."""
        app, pane = self.app, self.query_one(QuestionPane)
        choice = pane.query_one(Choices).choice
        is_answer = choice is not None and choice.act in ("answer", "found")
        if choice is not None and is_answer and advice_cache.cached(app.base, self._trial(choice)) is not None:
            number = questions.settled_by(app.base, app.session, str(pane.fact), choice.value)
            return f"; this answer settles {number}" if number else ""
        return f"; an answer settles about {round(usual)}" if usual >= 1 else ""

    def _trial(self, choice: Choice) -> Answers:
        """The answers with this choice."""
        fact = str(self.query_one(QuestionPane).fact)
        if choice.act == "unknown":
            return questions.trial_without_answer(self.app.base, self.app.session, fact)
        return questions.trial_answers(self.app.base, self.app.session, fact, choice.value)

    def _prefetch_soon(self) -> None:
        """Prefetches after IDLE seconds: until then the change is being drawn."""
        self.app.prefetcher.request(())
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(IDLE, self._prefetch)

    def _prefetch(self) -> None:
        """Requests the advice for the highlighted answer, then for all mounts, then for the other answers."""
        app, pane = self.app, self.query_one(QuestionPane)
        app.prefetcher.start()
        offered = pane.query_one(Choices)
        start = offered.highlighted or 0
        ordered = [*offered.choices[start:], *offered.choices[:start]] if pane.fact is not None else []
        trials = [self._trial(choice) for choice in ordered if choice.act in ("answer", "found", "unknown")]
        whole = mounts.all_mounts(app.base, app.session) if app.session.others else None
        for_mounts: list[advice_cache.Request] = [*whole.mounts, whole] if whole else []
        app.prefetcher.request((*trials[:1], *for_mounts, advice_cache.LineChangesOf(app.session.answers), *trials[1:]))

    @on(QuestionPane.Highlighted)
    def _looked(self) -> None:
        if self.app.drawn:
            self.show_progress()
            self._prefetch_soon()

    @on(QuestionPane.Understood)
    def _understood(self, event: QuestionPane.Understood) -> None:
        app, fact = self.app, str(self.query_one(QuestionPane).fact)
        app.prefetcher.request([questions.trial_answers(app.base, app.session, fact, event.value)])

    def ask_for_mount(self) -> None:
        """Asks for the mount: a line of fstab or typed names."""
        app, pane = self.app, self.query_one(QuestionPane)
        lines = [Choice("mount", line.label, line, line.note) for line in app.mounts]
        skip = "Continue with these names" if app.session.answers.names else "Continue without names"
        ways = [
            *lines, Choice("file", "Pick a line of another fstab …"), Choice("skip", skip),
            Choice("mounts", "Name several mounts of this host …"),
            *(Choice("do", task.title, task.action, task.note) for task in app.other_tasks),
        ]
        self.query_one(Head).update_with("NFS advisor")
        text = f"{mounts.HELP} Space marks several lines." if len(lines) > 1 else mounts.HELP
        pane.show_about(words.scope_text(app.base, app.session, None))
        pane.show_choices(mounts.TITLE, text, ways, mounts.EXAMPLE)
        pane.say(mounts.known_names(app.session))

    def take_mount(self, act: str, value: Any) -> None:
        """Takes the mount that was chosen or typed."""
        app = self.app
        if act == "file":
            app.ask_for_fstab()
            return
        if act == "mounts":
            self.open_mounts(self.query_one(Input).value)
            return
        ways: dict[str, Callable[[Any, Session, Any], Session]] = {
            "mount": mounts.use_line, "marked": mounts.add_lines,
        }
        step = partial(ways.get(act, mounts.use_text), app.base, app.session, value or "")
        refused = app.change(step)
        if refused is not None:
            self.query_one(QuestionPane).show_problem(str(refused))

    def answer_instead(self, fact: str, value: object, against: tuple[str, ...], of: int | None) -> None:
        """Takes an answer and drops the earlier ones in `against`, which are about mount number `of`."""
        app = self.app
        refused = app.change(lambda: state.answer(app.base, app.session, fact, value, instead_of=against, of=of))
        if refused is not None:
            self._refuse(fact, value, refused)

    def take_answer(self, fact: str, act: str, value: Any) -> None:
        """Takes a chosen or typed answer."""
        app, pane = self.app, self.query_one(QuestionPane)
        if act == "unknown":
            app.change(lambda: state.dont_know(app.base, app.session, fact))
            return
        if act == "typed":
            parsed = typed_answer.parse(app.base, fact, value)
            if parsed.problem:
                pane.show_problem(parsed.problem)
                return
            value = parsed.value
        origin = app.found[fact][1] if act == "found" else None
        refused = app.change(lambda: state.answer(app.base, app.session, fact, value, origin=origin))
        if refused is not None:
            self._refuse(fact, value, refused)

    def _refuse(self, fact: str, value: object, refused: state.Refused) -> None:
        """Shows the earlier answers that contradict the new one, and offers to drop one."""
        app, pane = self.app, self.query_one(QuestionPane)
        if not refused.against:
            pane.show_problem(str(refused))
            return
        earlier = words.contradicted_answers(app.base, app.session, refused)
        pane.show_choices(
            f"{wording.answer_text(app.base, fact, value)}: this contradicts an earlier answer.",
            "\n".join([*([] if refused.place is None else [str(refused)]), *earlier.values()]),
            [Choice("keep", "Keep the earlier answer")] + [
                Choice("instead", f"Drop it: {text}", (fact, value, (name,), refused.place))
                for name, text in earlier.items()
            ],
        )

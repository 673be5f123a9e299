"""The first screen: a question, and beside or below it the advice so far."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input

from advisor.advice.answers import Answers
from advisor.pages import wording
from advisor.pages.blocks import Block, Document
from advisor.pages.phrases import remaining_questions
from advisor.wizard import advice_cache, commands, files, mounts, questions, state, steps
from advisor.wizard.advice_cache import AllMounts, Request, Work
from advisor.wizard.commands import Key
from advisor.wizard.explanation import Detail
from advisor.wizard.panes import MountLineBar, Preview, QuestionPane, SectionList, SectionsScreen
from advisor.wizard.screen import IDLE, SessionScreen, WizardApp, bindings, on_screen
from advisor.wizard.steps import Choice
from advisor.wizard.widgets import DIM, Choices, Head, KeyBar, SettingList


class QuestionScreen(SessionScreen):
    """Question and preview."""

    NAME = "Questions"
    PLACE = "question"
    BINDINGS = bindings(PLACE)
    FIRST_OF_MANY: ClassVar[set[str]] = {"enter", "unknown", "command('back')", "other", "keys", "command('find')"}
    """Actions whose keys come first if there are many answers, among them the search for answers without a key."""

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
    app: WizardApp
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
        gc.freeze()  # the loaded rule base is never garbage; scanning it again and again would delay keys
        gc.set_threshold(50_000, 50)  # nor is advice, which is cached
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
        """Shows the step without the advice, for which the first frame does not wait."""
        app, pane = self.app, self.query_one(QuestionPane)
        fact = None
        if app.saved:
            asked = steps.saved_sessions(app.saved, app.session, keeps=app.keeps_saved)
        elif app.session.at == state.MOUNT:
            asked = steps.mount_question(app.base, app.session, app.mounts, app.tasks)
            if len(app.mounts) > 1:
                asked = asked._replace(notes=(("", f"{mounts.HELP} Space marks several lines."),))
        else:
            fact = questions.current_question(app.base, app.session)
            if fact is None:
                asked = steps.end(app.base, app.session)
            else:
                found = questions.found_value(app.base, app.session, app.found, fact)
                asked = steps.question(app.base, app.session, fact, found)
        if app.saved or app.session.at == state.MOUNT:
            self.query_one(Head).update_with("NFS advisor")
        else:
            self.show_head(fact)
            pane.show_progress("…")
        pane.show(asked, app.wanted_answer.pop(fact, None) if fact is not None else None)

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

    def show_computed(self, request: Request | Work) -> None:
        """Shows a result of the prefetch thread: the effect of the highlighted answer, the advice for all mounts, or
        the answers that would change the mount line."""
        if isinstance(request, (AllMounts, Work)):
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
            pane.show(steps.end(app.base, app.session))

    @on(QuestionPane.Chosen)
    def _chosen(self, event: QuestionPane.Chosen) -> None:
        app, pane = self.app, self.query_one(QuestionPane)
        fact, act, value = event.fact, event.act, event.value
        if fact != pane.fact:
            return  # another question is shown by now
        if act == "do":
            app.call_later(self.action_command, value)
        elif act in ("resume", "anew"):
            app.resume(value)
            self.show_session()
        elif act == "look":
            app.go_to_question(value)
        elif act == "keep":
            self.show_session()
        elif act == "file":
            app.ask_for_fstab()
        elif act == "mounts":
            self.action_command("mounts", self.query_one(Input).value)
        elif act == "typed" and fact is not None:
            parsed = questions.parse(app.base, fact, value)
            if parsed.problem:
                pane.show_problem(parsed.problem)
            else:
                self._take(fact, "answer", parsed.value)
        else:
            self._take(fact, act, value)

    def _take(self, fact: str | None, act: str, value: Any) -> None:
        """Takes what was chosen or written. If it contradicts earlier answers, offers to drop one."""
        app, pane = self.app, self.query_one(QuestionPane)
        refused = app.change(lambda: steps.take(app.base, app.session, fact, act, value, found=app.found))
        if refused is None:
            return
        if act == "instead":
            fact, value = value[:2]
        if refused.against and fact is not None and act != "unknown":
            pane.show(steps.contradiction(app.base, app.session, fact, value, refused))
        else:
            pane.show_problem(str(refused))

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
            self.action_command("review")
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
        files_next = partial(files.made_files, session=app.session) if pane.fact is None else files.prepare
        whole = mounts.all_mounts(app.base, app.session) if app.session.others else None
        for_mounts: list[advice_cache.Request] = [*whole.mounts, whole] if whole else []
        line_changes = advice_cache.LineChangesOf(app.session.answers)
        app.prefetcher.request((*trials[:1], *for_mounts, line_changes, *trials[1:], Work(files_next)))

    @on(QuestionPane.Highlighted)
    def _looked(self) -> None:
        if self.app.drawn:
            self.show_progress()
            self._prefetch_soon()

    @on(QuestionPane.Understood)
    def _understood(self, event: QuestionPane.Understood) -> None:
        app, fact = self.app, str(self.query_one(QuestionPane).fact)
        app.prefetcher.request([questions.trial_answers(app.base, app.session, fact, event.value)])

    def key_page_text(self) -> Iterable[Block]:
        """The question with its help, for which a low terminal has no room."""
        page, fact = Document(), self.query_one(QuestionPane).fact
        if fact is not None:
            page.heading(wording.question(self.app.base, fact), 1)
            for label, note in steps.fact_notes(self.app.base, fact):
                page.para(f"{label}{note}")
        return page.blocks

    def bar(self) -> list[Key]:
        """The keys of the focused widget, without those that do nothing now."""
        focused = self.focused
        place = (
            "settings" if isinstance(focused, SettingList) else "sections" if isinstance(focused, SectionList)
            else "field" if isinstance(focused, Input) else "question"
        )
        keys = commands.bar(place)
        idle = {"unknown"} if place == "question" and self._place_of_unknown() is None else set()
        if state.back(self.app.session) == self.app.session:
            idle.add("command('back')")
        if place == "question" and self.has_class("-many"):
            keys.sort(key=lambda entry: entry[2] not in self.FIRST_OF_MANY)
        left = self.app.left if isinstance(focused, Choices) else []
        back = [("Esc", f"to {screen.NAME.lower()}", "question") for screen in left[-1:]]
        return on_screen((*back, *(entry for entry in keys if entry[2] not in idle)))

    def action_enter(self) -> None:
        focused = self.focused
        if isinstance(focused, (Choices, SettingList, SectionList)):
            focused.action_select()
        elif isinstance(focused, Input):
            self.run_worker(focused.action_submit())

    def action_other(self) -> None:
        """Moves the focus between the question and the settings."""
        settings = self.query_one(SettingList)
        if settings.has_focus:
            self.focus_question()
        else:
            settings.focus()

    def focus_question(self) -> None:
        field = self.query_one(QuestionPane).query_one(Input)
        (field if field.display else self.query_one(Choices)).focus()

    def action_question(self) -> None:
        """Returns from a field or another list to the question; from there to the screens that were left for it."""
        choices = self.query_one(Choices)
        if choices.has_focus and self.app.left:
            self.app.return_to_left_screens()
        elif self.query_one(SectionList).has_focus or self.query_one(SettingList).has_focus:
            self.focus_question()
        else:
            choices.focus()

    def action_unknown(self) -> None:
        """Answers "I don't know"; if the question is not about a fact, continues without an answer."""
        place = self._place_of_unknown()
        if place is not None:
            choices = self.query_one(Choices)
            choices.highlighted = place
            choices.action_select()

    def _place_of_unknown(self) -> int | None:
        """The index of "I don't know", or of the choice that continues without an answer; None without either."""
        acts = [choice.act for choice in self.query_one(Choices).choices]
        return next((acts.index(act) for act in ("unknown", "skip") if act in acts), None)

    def action_rest(self) -> None:
        preview = self.query_one(Preview)
        preview.unfolded = not preview.unfolded
        self.show_session()

    def action_sections(self) -> None:
        rail = self.query_one(SectionList)
        if rail.display:
            rail.focus()
        else:
            self.app.push_screen(SectionsScreen())

    def _explain(self, then: str) -> None:
        """Explains the highlighted setting and runs an action of the explanation."""
        setting = self._highlighted_setting()
        if setting is not None:
            self.app.explain("setting", setting, then)

    def _highlighted_setting(self) -> str | None:
        """The highlighted setting; None, with a hint, if the settings do not have the focus."""
        key = self.query_one(Preview).key
        if key is not None and key[0] == "setting" and self.query_one(SettingList).has_focus:
            return key[1]
        self.tell("p, w, i and a work on a setting: press Tab, then choose one with the arrows.")
        return None

    def tell(self, text: str) -> None:
        """Shows a text above the choices, or as a notification if the settings have the focus."""
        if self.query_one(SettingList).has_focus:
            self.notify(text, timeout=4, markup=False)
        else:
            self.query_one(QuestionPane).say(text)

    def action_why_not(self) -> None:
        self._explain("why_not")

    def action_what_if(self) -> None:
        self._explain("what_if")

    def action_copy(self) -> None:
        self._copy("The mount line", steps.mount_lines(self.app.base, self.app.session))
        for text in steps.incomplete_notes(self.app.base, self.app.session):
            self.notify(text, severity="warning", timeout=8, markup=False)

    def action_copy_command(self) -> None:
        try:
            self._copy("The mount command", files.mount_commands(self.app.base, self.app.session))
        except ValueError as error:
            self.notify(str(error), severity="warning", timeout=8, markup=False)

    def _copy(self, what: str, lines: list[str]) -> None:
        from advisor.wizard.lists import copy_screen  # noqa: PLC0415  few copy anything

        if lines:
            self.app.push_screen(copy_screen(what, "\n".join(lines)))
        else:
            self.tell("There is no mount line yet.")

    def action_answer(self) -> None:
        self._explain("answer")

    def go_to_line_change(self) -> None:
        """Goes to the first question whose answer would change the mount line."""
        facts = self.app.base.facts
        line_changes = advice_cache.cached(self.app.base, advice_cache.LineChangesOf(self.app.session.answers)) or ()
        asked = [change.fact for change in line_changes if change.fact in facts and facts[change.fact].ask]
        if asked:
            self.app.set_session(state.go(self.app.session, asked[0]))
            self.focus_question()

    def action_down(self) -> None:
        """Moves the focus from a field to the list below it. It runs with priority, before the next key arrives; in a
        list it is skipped, so that the list handles the key."""
        if not isinstance(self.focused, Input):
            raise SkipAction
        self.set_focus(self.query_one(Choices), scroll_visible=False)

    def action_forget(self) -> None:
        fact = self.query_one(QuestionPane).fact
        if fact is not None:
            self.app.change(lambda: state.forget(self.app.base, self.app.session, fact))

    def action_pin(self) -> None:
        setting = self._highlighted_setting()
        if setting is not None:
            self.app.pin(setting)

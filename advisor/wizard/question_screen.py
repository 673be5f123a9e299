"""The first screen: a question, and beside or below it the advice so far."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, OptionList, Static

from advisor.pages import wording
from advisor.pages.blocks import Block, Document
from advisor.wizard import advice_cache, commands, ending, files, mounts, questions, state, steps, typed_answer
from advisor.wizard.advice_cache import AllMounts, LineChangesOf, Request, Work
from advisor.wizard.ahead import WorkAhead
from advisor.wizard.commands import Key
from advisor.wizard.explanation import Detail
from advisor.wizard.hero import FAILS, Hero, risk_rows
from advisor.wizard.panes import Preview, QuestionPane
from advisor.wizard.row_lists import Choices
from advisor.wizard.screen import SessionScreen, WizardApp, bindings, on_screen
from advisor.wizard.widgets import BAD, Head, KeyBar, LaidOut, Passage

NO_LINE = "There is no mount line yet."
ROOMY = 36
"""Rows from which on a question with many answers shows its help and still eight answers, and risks have a pane."""


class Covered(LaidOut, Vertical):
    """Covered by the panes in it, so nothing of its own is painted."""

    BLANK = True


class QuestionScreen(SessionScreen):
    """Question and preview."""

    NAME = "Questions"
    PLACE = "question"
    BINDINGS = bindings(PLACE)
    AUTO_FOCUS = "Choices"
    BLANK = True
    FIRST_OF_MANY: ClassVar[set[str]] = {"enter", "question", "unknown", "other", "keys", "command('find')"}
    """Actions whose keys come first if there are many answers, among them the search for answers without a key."""

    DEFAULT_CSS = """
    QuestionScreen #body { height: 1fr; layout: horizontal; }
    QuestionScreen #left { width: 1fr; height: 100%; }
    QuestionScreen QuestionPane { height: 1fr; }
    QuestionScreen #risks { height: auto; max-height: 12; display: none; }
    QuestionScreen.-tall #risks { display: block; }
    QuestionScreen.-narrow #risks, QuestionScreen.-tiny #risks, QuestionScreen #risks.-many { display: none; }
    QuestionScreen.-close #risks { display: none; }
    QuestionScreen Preview, QuestionScreen Detail { width: 1fr; height: 100%; display: none; }
    QuestionScreen.-settings Preview { display: block; }
    QuestionScreen.-settings #left { display: none; }
    QuestionScreen.-short #ask, QuestionScreen.-short #help, QuestionScreen.-short #typed { margin-bottom: 0; }
    #help.-many { margin-bottom: 0; }
    QuestionScreen.-low #help { display: none; }
    QuestionScreen.-low #ask { max-height: 2; }
    QuestionScreen.-low #ask, QuestionScreen.-low #typed { margin-bottom: 0; }
    QuestionScreen.-low Choices { min-height: 3; }
    QuestionScreen.-wide, QuestionScreen.-broad {
        Preview { display: block; }
        #left { display: block; }
    }
    QuestionScreen.-narrow ToastRack, QuestionScreen.-tiny ToastRack { dock: top; align: right top; offset-y: 3; }
    QuestionScreen.-tiny ToastRack, QuestionScreen.-low ToastRack { offset-y: 2; }
    QuestionScreen.-broad Detail, QuestionScreen.-wide.-looking Detail { display: block; }
    QuestionScreen.-wide.-looking #left { display: none; }
    """
    app: WizardApp

    def __init__(self) -> None:
        super().__init__()
        self.ahead = WorkAhead(self)

    def compose(self) -> ComposeResult:
        yield Head()
        yield Hero()
        with Covered(id="body"):
            with Covered(id="left"):
                yield QuestionPane(self.app.base)
                risks = Passage(id="risks", markup=False, classes="pane")
                risks.border_title = "Risks"
                yield risks
            yield Preview("Settings")
            yield Detail()
        yield KeyBar([])

    def on_mount(self) -> None:
        self.show_question()
        self.call_after_refresh(self._first_advice)

    def _first_advice(self) -> None:
        if self.is_current:  # else it comes when the start is left
            self.show_advice()
            self.app.first_frame()
            self.refresh(repaint=False, layout=True)

    def _compositor_refresh(self) -> None:
        """Paints nothing before the first advice, with which nearly all would be painted again."""
        if self.app.drawn:
            super()._compositor_refresh()
        else:
            self._dirty_widgets.clear()

    def on_key(self, event: events.Key) -> None:
        """A digit means the same from every focus: it chooses an answer in sight, or begins a number."""
        pane = self.query_one(QuestionPane)
        if isinstance(self.focused, Input) or not self.query_one("#left").display:
            return
        if pane.takes_digits and event.character and event.character in "0123456789<>=~":
            event.stop()
            pane.open_field(event.character)
        elif self.query_one(Choices).press(event.key):
            event.stop()

    def begin_text(self) -> None:
        pane = self.query_one(QuestionPane)
        if pane.query_one(Input).display and self.query_one("#left").display:
            pane.open_field()
        else:
            super().begin_text()

    def on_paste(self, event: events.Paste) -> None:
        pane = self.query_one(QuestionPane)
        if not isinstance(self.focused, Input) and pane.query_one(Input).display:
            pane.open_field(" ".join(event.text.split()))

    def on_resize(self) -> None:
        self.set_class(self.size.height < ROOMY, "-close")
        if self.app.drawn:
            self.call_after_refresh(self._show_preview)

    def show_session(self) -> None:
        """Redraws everything for the current session."""
        with self.app.batch_update():
            self.show_question()
            self.show_advice()
            self.query_one(KeyBar).show(self.bar())

    def show_question(self) -> None:
        """Shows the step without the advice, for which the first frame does not wait."""
        app, pane = self.app, self.query_one(QuestionPane)
        asked = steps.current(app.base, app.session, app.mounts, app.found)
        if app.session.at == state.MOUNT and len(app.mounts) > 1:
            asked = asked._replace(notes=(("", f"{mounts.HELP} Space marks several lines."),))
        fact = asked.fact
        self.show_head(fact)
        pane.show_progress("…")
        wanted = app.wanted_answer.pop(fact, None) if fact is not None else None
        pane.show(asked, wanted, app.session.answers.facts)

    def show_advice(self) -> None:
        self._show_preview()
        self.show_progress()
        self.ahead.begin_soon()

    def _show_preview(self) -> None:
        app, preview = self.app, self.query_one(Preview)
        drawn = [] if app.session.order else mounts.inferred_answers(app.base, app.session)
        advice, several = mounts.known_advice(app.base, app.session)
        line_changes = advice_cache.cached(app.base, LineChangesOf(app.session.answers))
        asks = questions.upcoming_questions(app.base, app.session)
        hero, verdict = self.query_one(Hero), ending.known_verdict(app.base, app.session)
        hero.show(app.base, ending.judged(app.base, advice), verdict, news=app.news, line_changes=line_changes or (),
                  answered=questions.last_answer(app.base, app.session),
                  asking=bool(asks))
        coming = [ask for ask in asks if ask.fact != self.query_one(QuestionPane).fact]
        preview.show(app.base, advice, app.news, drawn, several=several, coming=coming)
        risks = self.query_one("#risks", Static)
        if risks.display:
            rows = risk_rows(hero.risks, self.size.width // (3 if self.has_class("-broad") else 2) - 6)
            if rows.plain != str(risks.content):
                risks.update(rows)
        self._show_detail()

    def show_computed(self, request: Request | Work) -> None:
        """Shows a result of the prefetch thread: the effect of the highlighted answer, the advice for all mounts, or
        the answers that would change the mount line."""
        if isinstance(request, AllMounts):
            self._all_mounts_known(request)
        elif isinstance(request, LineChangesOf):
            if request.answers == self.app.session.answers:
                self._show_preview()
        else:
            self.ahead.take(request)

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
        elif act == "all the same":
            self._take(*value, sure=True)
        elif act == "look":
            app.go_to_question(value)
        elif act == "keep":
            self.show_session()
        elif act == "file":
            app.ask_for_fstab()
        elif act == "mounts":
            self.action_command("mounts", self.query_one(Input).value)
        elif act == "typed" and fact is not None:
            parsed = typed_answer.parse(app.base, fact, value, app.session.answers.facts)
            named = typed_answer.named_instead(app.base, fact, value) if parsed.problem else {}
            if named:
                self._take(fact, "named", named)
            elif parsed.problem:
                pane.say(parsed.problem, BAD)
            else:
                self._take(fact, "answer", parsed.value)
        else:
            self._take(fact, act, value)

    def _take(self, fact: str | None, act: str, value: Any, *, sure: bool = False) -> None:
        """Takes what was chosen or written. If it contradicts earlier answers, offers to drop one; if it will fail with
        it, asks, unless that is `sure`."""
        app, pane = self.app, self.query_one(QuestionPane)
        try:
            after = steps.take(app.base, app.session, fact, act, value, found=app.found)
        except state.Refused as refused:
            if act == "instead":
                fact, value = value[:2]
            if refused.against and fact is not None and act != "unknown":
                pane.show(steps.contradiction(app.base, app.session, fact, value, refused))
                self.hold_keys()
            else:
                pane.say(str(refused), BAD)
            return
        asks = fact is not None and act in ("answer", "guess", "found") and not sure
        failure = ending.failure(app.base, app.session, after) if asks else ""
        if failure:
            pane.show(steps.failing(app.base, (str(fact), act, value), failure))
            self.hold_keys()
        else:
            app.change(lambda: after)

    @on(events.DescendantFocus)
    @on(OptionList.OptionHighlighted)
    @on(Hero.Moved)
    def _show_detail(self) -> None:
        """Explains beside the list what is looked at; for a row without an explanation, shows the question."""
        settings, looked = self.query_one(Preview), self._looked_at
        self.set_class(looked is not None and settings.has_focus and looked == settings.key, "-looking")
        if looked is not None:
            self.query_one(Detail).explain_soon(*looked)

    @property
    def _looked_at(self) -> tuple[str, str] | None:
        """Kind and name of the highlighted row if the settings have the focus and it can be explained, else of the
        option under the cursor of the line."""
        settings, option = self.query_one(Preview), self.query_one(Hero).option
        if settings.has_focus and settings.key is not None and settings.key[0] in Detail.KINDS:
            return settings.key
        return ("setting", option.tunable) if option is not None and option.tunable else None

    @on(OptionList.OptionSelected)
    def _wanted(self) -> None:
        kind, name = self.query_one(Preview).key or ("", "")
        if kind == "fold":
            self.action_rest()
        elif kind == "answer":
            self.app.go_to_question(name)
        elif kind:
            self.app.explain(kind, name)

    def show_head(self, fact: str | None) -> None:
        app = self.app
        section = app.base.sections.get(app.base.facts[fact].section, "") if fact else ""
        answered = "" if self._is_framed() else questions.last_answer(app.base, app.session)[1]
        what = "server" if app.session.answers.facts.get(state.ROLE) == state.SERVER else "mount"
        title = f"Answered: {answered}" if answered else f"Configure a {what}{' › ' if section else ''}{section}"
        self.query_one(Head).update_with(title)

    def _is_framed(self) -> bool:
        """Whether the line has a frame, which says what was answered last; else the head says it."""
        crowded = self.has_class("-short") and self.query_one(Hero).has_class("-many")
        return not (crowded or self.has_class("-tiny") or self.has_class("-low"))

    def show_progress(self) -> None:
        """Shows how many questions are left."""
        app, pane = self.app, self.query_one(QuestionPane)
        self.show_head(pane.fact)
        if pane.fact is None and app.session.at is None:
            left = questions.remaining(questions.preview(app.base, app.session))
            text = ending.left_questions(ending.known_verdict(app.base, app.session), *left)
        else:
            text = re.split("[,;]", questions.progress(app.base, app.session))[0]
        pane.show_progress(text)

    @on(QuestionPane.Highlighted)
    def _looked(self) -> None:
        if self.app.drawn:
            self.ahead.begin_soon()
            self._say_what_contradicts()

    def _say_what_contradicts(self) -> None:
        """Says which earlier answers speak against the highlighted one, or why the mount fails with it."""
        app, pane = self.app, self.query_one(QuestionPane)
        choice, fact = pane.query_one(Choices).choice, pane.fact
        if choice is not None and choice.note.startswith(FAILS):
            pane.say(choice.note.replace(FAILS, "Fails:").replace("  ", " "), BAD)
        if choice is None or fact is None or choice.note != steps.CONTRADICTS:
            return
        try:
            state.answer(app.base, app.session, fact, choice.value)
        except state.Refused as refused:
            earlier = " ".join(steps.earlier_answers(app.base, app.session, refused).values())
            pane.say(f"Contradicts: {earlier}" if earlier else str(refused), BAD)

    @on(QuestionPane.Understood)
    def _understood(self, event: QuestionPane.Understood) -> None:
        """Requests the advice for what is written, of which what it infers takes as long as a key."""
        session, fact = self.app.session, str(self.query_one(QuestionPane).fact)
        self.app.prefetcher.request([Work(lambda base: advice_cache.advice_for(
            base, questions.trial_answers(base, session, fact, event.value)))])

    def key_page_text(self) -> Iterable[Block]:
        """The question with its help, for which a low terminal has no room."""
        page, fact = Document(), self.query_one(QuestionPane).fact
        if fact is not None:
            page.heading(wording.question(self.app.base, fact), 1)
            for label, note in steps.fact_notes(self.app.base, fact, self.app.session.answers.facts):
                page.para(f"{label}{note}")
        return page.blocks

    def bar(self) -> list[Key]:
        """The keys of the focused widget, without those that do nothing now."""
        focused = self.focused
        place = (
            "settings" if isinstance(focused, Preview) else "field" if isinstance(focused, Input) else "question"
        )
        keys = commands.bar(place, typing=place == "field")
        idle = {"unknown"} if place == "question" and self.query_one(Choices).without_answer is None else set()
        if place == "question" and self.query_one(Hero).has_class("-many"):
            keys.sort(key=lambda entry: entry[2] not in self.FIRST_OF_MANY)
        left = self.app.left[-1:] if isinstance(focused, Choices) else []
        to = f"to {left[0].NAME.lower()}" if left else ""
        return on_screen(
            (key, to if to and action == "question" else says, action) for key, says, action in keys
            if action not in idle
        )

    @on(events.DescendantFocus)
    def _show_what_has_the_focus(self) -> None:
        self.set_class(self.query_one(Preview).has_focus, "-settings")

    def action_other(self) -> None:
        """Moves the focus between the question and the settings."""
        settings = self.query_one(Preview)
        if settings.has_focus:
            self.focus_question()
        else:
            self.add_class("-settings")
            settings.focus()

    def focus_question(self) -> None:
        self.remove_class("-settings")
        self.query_one(Choices).focus()

    def action_question(self) -> None:
        """One step back: from a red question to the one before it; from a field or another list to the question; from
        there to the screens that were left for it, from a question that only fine-tunes to what is next, else to the
        answer before, and from the first to the start."""
        choices = self.query_one(Choices)
        if self.query_one(QuestionPane).refused and choices.has_focus:
            self.show_session()
        elif choices.has_focus and self.app.left:
            self.app.return_to_left_screens()
        elif self.query_one(Preview).has_focus:
            self.focus_question()
        elif not choices.has_focus:
            self.query_one(QuestionPane).drop_refused_text()
            choices.focus(scroll_visible=False)
        elif self.app.session.at == state.MOUNT:
            self.app.show_start()
        elif self.app.session.fine and self.app.session.at is None:
            self.action_command("more")
        else:
            self.action_command("back")

    def action_unknown(self) -> None:
        """Answers "I don't know"; if the question is not about a fact, continues without an answer."""
        choices = self.query_one(Choices)
        if (place := choices.without_answer) is not None:
            choices.highlighted = place
            choices.action_select()

    def action_rest(self) -> None:
        settings = self.query_one(Preview)
        settings.unfolded = not settings.unfolded
        self.show_session()

    def action_option(self, place: int) -> None:
        """Puts the cursor on an option of the line."""
        self.query_one(Hero).move(place)

    def action_along(self, step: int) -> None:
        """Moves the cursor along the line."""
        hero = self.query_one(Hero)
        hero.move(hero.cursor + step)

    def action_explain(self, then: str = "") -> None:
        """Explains the highlighted setting and runs an action of the explanation."""
        if (setting := self._highlighted_setting()) is not None:
            self.app.explain("setting", setting, then)

    def _highlighted_setting(self) -> str | None:
        """The setting that is looked at; None, with a hint, without one."""
        kind, name = self._looked_at or ("", "")
        if kind == "setting":
            return name
        self.tell("p, w, i and a work on a setting: there is none yet.")
        return None

    def tell(self, text: str) -> None:
        """Shows a text above the choices, or as a notification if the settings have the focus."""
        if self.query_one(Preview).has_focus:
            self.notify(text, timeout=4, markup=False)
        else:
            self.query_one(QuestionPane).say(text)

    def action_what_if(self) -> None:
        self.action_explain("what_if")

    def action_copy(self) -> None:
        from advisor.wizard.lists import copy_mount_line  # noqa: PLC0415  few copy anything

        if not copy_mount_line(self.app):
            self.tell(NO_LINE)

    def action_copy_command(self) -> None:
        from advisor.wizard.lists import copy_screen  # noqa: PLC0415

        try:
            lines = files.mount_commands(self.app.base, self.app.session)
        except ValueError as error:
            self.notify(str(error), severity="warning", timeout=8, markup=False)
        else:
            self.app.push_screen(copy_screen("The mount command", "\n".join(lines))) if lines else self.tell(NO_LINE)

    def action_answer(self) -> None:
        self.action_explain("answer")

    def action_down(self) -> None:
        """Moves the focus from a field to the list below it. It runs with priority, before the next key arrives; in a
        list it is skipped, so that the list handles the key."""
        if not isinstance(self.focused, Input):
            raise SkipAction
        self.set_focus(self.query_one(Choices), scroll_visible=False)

    def action_forget(self) -> None:
        if (fact := self.query_one(QuestionPane).fact) is not None:
            self.app.change(lambda: state.forget(self.app.base, self.app.session, fact))

    def action_pin(self) -> None:
        if (setting := self._highlighted_setting()) is not None:
            self.app.pin(setting)

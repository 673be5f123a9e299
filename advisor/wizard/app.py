"""The Textual application, which owns the session, applies changes to it and saves it; and its first screen: what can
be done, the mounts of this host among it. Nothing on that takes text, so a digit always does what stands beside it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult, SystemCommand
from textual.containers import Vertical
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import OptionList, Static

from advisor.advice.answers import FSTAB
from advisor.pages import wording
from advisor.pages.phrases import counted
from advisor.pages.why import refusal
from advisor.rulebase.model import RuleBase, Values
from advisor.user_files import UserFileError
from advisor.wizard import commands, ending, mounts, questions, state, steps
from advisor.wizard.advice_cache import Request, Work
from advisor.wizard.dialogs import Confirm, Prompt
from advisor.wizard.explanation import explanation
from advisor.wizard.files import SavedSession, number_of_answers
from advisor.wizard.panes import QuestionPane
from advisor.wizard.question_screen import QuestionScreen
from advisor.wizard.row_lists import Choices
from advisor.wizard.schedule import IDLE, KeyQueue, Prefetcher
from advisor.wizard.screen import SessionScreen, WizardApp, bindings
from advisor.wizard.state import Found, Refused, Session
from advisor.wizard.widgets import Head, KeyBar

if TYPE_CHECKING:
    from advisor.lint.evidence import NfsLine
    from advisor.lint.fix import LookAtHost

    Probe = Callable[[RuleBase], tuple[Found, list[NfsLine]]]
    """Reads this host: returns facts, and the NFS lines of its fstab."""

SAVE_DELAY = 0.05
"""Seconds between a change and its saving, so that the change is drawn first."""


class Wizard(WizardApp):
    """`load`: makes a second rule base, for the prefetch thread. `found_values`: facts that were read on this host;
    `mounts`: NFS lines to choose from; `probe` reads both after the first frame. `path`: where the session is saved;
    None: it is not saved. `saved`: an earlier session at `path`, offered to continue; `others`: sessions under other
    names. `check_host`: checks this host. `may_watch`: the caller handles the exit code EXIT_TO_WATCH."""

    TITLE = "NFS advisor"
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self, base: RuleBase, session: Session, found_values: Found | None = None, *,
        mounts: list[NfsLine] | None = None, path: Path | None = None, saved: SavedSession | None = None,
        others: Sequence[SavedSession] = (), theme: str = "dark",
        load: Callable[[], RuleBase] | None = None, probe: Probe | None = None,
        check_host: LookAtHost | None = None, may_watch: bool = False,
    ) -> None:
        super().__init__(theme)
        self.keys_typed = KeyQueue(self, super().on_event)
        self.base, self.session, self.found = base, session, found_values or {}
        self.mounts, self.path, self.check_host, self.may_watch = mounts or [], path, check_host, may_watch
        self.saved = tuple(saved_session for saved_session in (saved, *others) if saved_session is not None)
        self.earlier = saved
        self.news = []
        self.wanted_answer: dict[str, Values] = {}
        """Fact → the answer to highlight when its question is shown."""
        self.left: list[SessionScreen] = []
        """Screens that were left to show a question; Esc returns to them."""
        self.kept = {}
        self.left_at: str | None = None
        """The question that was shown before these screens."""
        self.drawn = False
        """Whether the first frame has been drawn; all other work waits for it."""
        self.reading = probe is not None
        """Whether the files of this host are being read."""
        first = partial(self._probe, probe) if probe else None
        self.prefetcher = Prefetcher(load or (lambda: base), self._tell_screen, first)
        self._resume_timer: asyncio.TimerHandle | None = None
        self._saving: asyncio.Task[None] | None = None
        self._writing = threading.Lock()

    def _probe(self, probe: Probe, base: RuleBase) -> None:
        """Reads the host, in the prefetch thread. If that fails, the wizard asks without offering found values."""
        found: tuple[Found, list[NfsLine]] = {}, []
        with contextlib.suppress(Exception):
            found = probe(base)
        with contextlib.suppress(Exception):
            self.call_from_thread(self.offer_found, *found)

    def offer_found(self, found_values: Found, mounts: list[NfsLine]) -> None:
        """Offers what was read on the host, and redraws the first question if it is still shown and concerned."""
        self.reading, self.found = False, {**found_values, **self.found}
        self.mounts = self.mounts or mounts
        if isinstance(self.screen, StartScreen):
            self._redraw()
        if self.session.at == state.MOUNT:
            concerned = bool(mounts)
        else:
            concerned = questions.current_question(self.base, self.session) in found_values
        if concerned and not self.session.past:
            self._redraw()

    def _redraw(self) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.show_session()

    def pause_prefetching(self) -> None:
        """Pauses until nothing was pressed or shown for IDLE seconds, and all is drawn."""
        self.prefetcher.pause()
        if self._resume_timer is not None:
            self._resume_timer.cancel()
        self._resume_timer = asyncio.get_running_loop().call_later(IDLE, self._resume_prefetching)

    def _resume_prefetching(self) -> None:
        if self.keys_typed.messages_wait():
            self.pause_prefetching()
        else:
            self.prefetcher.resume()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and event.key == "ctrl+j":  # what some terminals send for Enter
            event = events.Key("enter", "\r")
        if isinstance(event, (events.Key, events.MouseDown)):
            self.pause_prefetching()
        if isinstance(event, events.Key) and not event.is_forwarded and not self.keys_typed.admit(event):
            return
        await super().on_event(event)

    def get_default_screen(self) -> Screen[None]:
        return QuestionScreen()

    def on_mount(self) -> None:
        if self.saved or (self.session.at == state.MOUNT and not self.session.touched):
            self.show_start()

    def show_question(self) -> None:
        """Closes the start, and what lies over it."""
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def show_start(self) -> None:
        for pane in self.screen_stack[0].query(QuestionPane):
            pane.reopen_field()
        self.push_screen(StartScreen())

    def first_frame(self) -> None:
        """All other work waits for the first frame."""
        if self.drawn:
            return
        self.drawn = True
        self.pause_prefetching()
        self.prefetcher.start()
        gc.freeze()  # the loaded rule base is never garbage; scanning it again and again would delay keys
        gc.set_threshold(50_000, 50)  # nor is advice, which is cached
        gc.enable()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        listed = screen.commands() if isinstance(screen, SessionScreen) else []
        for command in {command.says: command for command in (*self.tasks, *listed)}.values():
            action = f"command({command.name!r})" if command.task else commands.action_of(command)
            action = action if action.startswith("app.") else f"screen.{action}"
            yield SystemCommand(command.title or command.label.capitalize() or command.says, command.says,
                                partial(screen.call_later, screen.run_action, action))

    def change(self, step: Callable[[], Session]) -> Refused | None:
        """Applies a change, draws and saves it; returns the refusal if the change contradicts earlier answers."""
        def changed() -> Session:
            after = step()
            self.left = [screen for screen in self.left if screen.LASTS and self.session.at is not None]
            return after

        try:
            self.apply(changed)
        except Refused as refused:
            return refused
        return None

    def inform(self, text: str) -> None:
        if isinstance(self.screen, QuestionScreen):
            self.screen.tell(text)
        else:
            self.notify(text, timeout=6, markup=False)

    def set_session(self, changed: Session) -> None:
        if changed == self.session:
            return
        if changed.place != self.session.place:
            self.news = []
        self.session, self.wanted_answer = changed, {}
        self.save_soon()
        self._redraw()

    def explain(self, kind: str, name: str, then: str = "") -> None:
        """The parameters are those of `explanation`."""
        self.push_screen(explanation(self, kind, name, then))

    def ask_for_fstab(self) -> None:
        """Asks for a file whose NFS lines are offered as mounts."""
        def done(path: str | None) -> None:
            if not path:
                return
            try:
                self.mounts = mounts.lines_of_file(self.base, path)
            except UserFileError as error:
                self.notify(str(error), severity="warning", timeout=8, markup=False)

        self.push_screen(Prompt("Which file?", "Its NFS lines are offered.", FSTAB), done)

    def pin(self, tunable: str, problem: str = "", written: str = "") -> None:
        """Asks for a value and pins a setting to it, asks again, with the problem and what was written, if it cannot be
        pinned; an empty value unpins it."""
        if tunable not in self.base.decisions:
            self.notify("No rule decides this setting, so there is nothing to pin.", markup=False)
            return
        pinned = self.session.answers.pins.get(tunable)
        advised = questions.preview(self.base, self.session).find(tunable)
        value = pinned if pinned is not None else advised.written if advised is not None else None
        scope = " on all mounts" if self.session.others else ""
        help_text = problem or f"It keeps this value{scope}; the rest follows. Empty: the rule base decides again."
        label = wording.label(self.base.tunables[tunable])

        def done(text: str | None) -> None:
            if text is None:
                return
            if not text:
                self.change(lambda: state.unpin(self.base, self.session, tunable))
                return
            try:
                refused_pin = ending.refusal_of(self.base, self.session, tunable, text)
            except Refused as refused:
                self.pin(tunable, str(refused), text)
                return
            if refused_pin is None:
                self.change(lambda: state.pin(self.base, self.session, tunable, text))
            else:
                self.push_screen(
                    Confirm(f"Pin {label} all the same?", refusal(refused_pin), [steps.KEEP, steps.PIN]),
                    lambda chosen: confirmed(chosen, text),
                )

        def confirmed(chosen: str | None, text: str) -> None:
            if chosen == steps.PIN:
                self.change(lambda: state.pin(self.base, self.session, tunable, text))

        offered = questions.rule_values(self.base, tunable)
        shown = written or ("" if value is None else str(value))
        self.push_screen(Prompt(f"Pin {label} to", help_text, shown, offered), done)

    def go_to_question(self, fact: str, answer: Values | None = None) -> None:
        """Closes all other screens and shows a question, with `answer` highlighted; Esc opens these screens again."""
        left = [screen.recreate() for screen in self.screen_stack[1:] if isinstance(screen, SessionScreen)]
        self.left, self.left_at = [screen for screen in left if screen is not None], self.session.at
        self.show_question()
        self.saved = ()
        self.set_session(state.go(self.session, fact))
        if isinstance(self.screen, QuestionScreen):
            if answer is not None:
                self.wanted_answer = {fact: answer}
            self.screen.show_question()
            self.screen.focus_question()

    def return_to_left_screens(self) -> None:
        """Opens the screens again that `go_to_question` closed."""
        back, self.left = self.left, []
        self.set_session(state.go(self.session, self.left_at))
        for screen in back:
            self.push_screen(screen)

    def resume(self, saved: SavedSession | None) -> None:
        """Continues a saved session, and saves it under its name from now on; None continues none."""
        self.saved = ()
        if saved is not None:
            self.continue_saved(saved)

    def save_soon(self) -> None:
        if self.path is not None and self.session.touched and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save())

    async def _save(self) -> None:
        saved = None
        while saved is not self.session and self.path is not None:
            await asyncio.sleep(SAVE_DELAY)
            saved = self.session
            problem = await asyncio.to_thread(self._write, self.path, saved)
            if problem:
                self.notify(f"The answers cannot be saved: {problem}", severity="warning", timeout=8, markup=False)
                self.path = None

    def _write(self, path: Path, session: Session) -> str | None:
        """Writes a session unless a newer one has replaced it; returns what went wrong. Two threads may call this, and
        the one that was started first may write last."""
        with self._writing:
            return self.save_in(path, session) if session is self.session else None

    def leave(self, code: int = 0) -> None:
        """Saves the session and ends the wizard."""
        if self.path is not None and self.session.touched:
            self._write(self.path, self.session)
        self.prefetcher.stop()
        self.exit(code)

    async def action_quit(self) -> None:
        self.ask_to_leave()

    def ask_to_leave(self, code: int = 0) -> None:
        """Ends the wizard, after a question if answers or text on a screen would be lost. With a `code`, the answers
        are passed on."""
        screens = (*self.screen_stack, *self.kept.values())
        lost = [screen.unsaved for screen in screens if isinstance(screen, SessionScreen) and screen.unsaved]
        if not code and self.path is None and self.session.touched and not self.is_exported:
            lost.insert(0, f"{number_of_answers(self.session)} not saved; e exports them.")
        if not lost:
            self.leave(code)
            return
        self.push_screen(Confirm("Leave?", " ".join(lost), [steps.STAY, steps.LOSE]),
                         lambda chosen: self.leave(code) if chosen == steps.LOSE else None)

    def _tell_screen(self, request: Request | Work) -> None:
        """Called in the prefetch thread."""
        with contextlib.suppress(RuntimeError):  # the application has ended
            self.call_later(self._show_progress, request)

    def _show_progress(self, request: Request | Work) -> None:
        if isinstance(self.screen, SessionScreen):
            with contextlib.suppress(NoMatches):  # the screen is being taken down
                self.screen.show_computed(request)


SAYS = "NFS settings for this place and this work, each with its reason."


class StartScreen(SessionScreen):
    """The tasks and the lines of fstab by number."""

    NAME = "Start"
    PLACE = "start"
    BINDINGS = bindings(PLACE)
    DEFAULT_CSS = """
    StartScreen { align: center middle; }
    StartScreen Head { dock: top; }
    StartScreen #says { color: $quiet; width: 100%; max-width: 104; padding: 0 2; margin-bottom: 1; }
    StartScreen.-low #says, StartScreen.-short #says { display: none; }
    StartScreen #menu { width: 100%; max-width: 104; height: auto; max-height: 100%; }
    StartScreen Choices { height: auto; min-height: 1; max-height: 100%; }
    """

    def compose(self) -> ComposeResult:
        yield Head("", "")
        yield Static(SAYS, id="says", markup=False)
        with Vertical(id="menu", classes="pane") as menu:
            menu.border_title = "What to do"
            yield Choices()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.show_session()
        self.query_one(Choices).focus()
        self.call_after_refresh(self.wizard.first_frame)

    def show_session(self) -> None:
        app, menu = self.wizard, self.query_one(Choices)
        choices = steps.start_choices(app.session, app.tasks, app.saved, app.mounts)
        if [choice._replace(selected=False) for choice in menu.choices] != choices:
            menu.offer(choices)
        self.query_one("#menu").border_subtitle = (
            "reading the files of this host …" if app.reading else
            f"{counted(len(app.mounts), 'NFS line')} found in fstab; no server was asked" if app.mounts else
            "no NFS line found in /etc/fstab"
        )
        self.query_one(Head).update_with("", f"{counted(len(app.found), 'answer')} found here" if app.found else "")

    def on_key(self, event: events.Key) -> None:
        if self.query_one(Choices).press(event.key):
            event.stop()

    def begin_text(self) -> None:
        """What is written before anything is answered is a mount; the field of its question is open."""
        if self.wizard.session.at != state.MOUNT:
            super().begin_text()
            return
        self.wizard.resume(None)
        self.wizard.show_question()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.begin_text()
        self.wizard.call_later(self.wizard.post_message, events.Paste(event.text))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        app, menu = self.wizard, self.query_one(Choices)
        choice, marked = menu.choices[event.option_index], menu.marked
        if choice.act == "do":
            app.call_later(self.action_command, choice.value)
            return
        app.resume(choice.value if choice.act == "resume" else None)
        if choice.act == "mount":
            act, value = ("marked", marked) if marked else ("mount", choice.value)
            refused = app.change(lambda: steps.take(app.base, app.session, None, act, value, found=app.found))
            if refused is not None:
                self.notify(str(refused), severity="warning", markup=False)
                return
        app.show_question()

"""The application: holds the session, changes it, keeps it on disk."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import App, SystemCommand
from textual.css.query import NoMatches
from textual.screen import Screen

from advisor import session as state
from advisor.rulebase.model import RuleBase
from advisor.session import AdviceChange, Refused, Request, Session
from advisor.wizard import autosave, pins, words
from advisor.wizard.ask import Ask
from advisor.wizard.autosave import Saved
from advisor.wizard.doors import DOORS, WATCH, Door
from advisor.wizard.key_queue import KeyQueue
from advisor.wizard.screen import THEMES, Sheet, theme_after
from advisor.wizard.which_mount import Offered
from advisor.wizard.working_ahead import IDLE, Ahead

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values
    from advisor.today.fixing import LookAtHost

TO_WATCH = 70
"""The exit code of a wizard that makes way for the screen of what the mounts do, and then goes on."""
SAVE_AFTER = 0.05
"""Seconds after a change: first it is shown, then it is saved."""

Found = dict[str, tuple["Values", str]]
"""Fact → its value, and where it was read."""
Probe = Callable[[RuleBase], tuple[Found, list[Offered]]]
"""Looks at this host: facts, and the NFS lines of its fstab."""

class Wizard(App[int]):
    """`load`: makes another rule base, for working ahead. `found`: what was read on this host, and `mounts`: the lines
    of fstab to pick from; `probe` finds both once the first frame is on the screen. `path`: where the session is kept;
    None to keep nothing. `saved`: an earlier session at `path`, to go on with; `others`: sessions under other names.
    `look`: checks this host. `may_watch`: whoever runs it shows what the mounts do when it exits with TO_WATCH."""

    TITLE = "NFS advisor"
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self, base: RuleBase, session: Session, found: Found | None = None, *,
        mounts: list[Offered] | None = None, path: Path | None = None, saved: Saved | None = None,
        others: Sequence[Saved] = (), theme: str = "dark",
        load: Callable[[], RuleBase] | None = None, probe: Probe | None = None, look: LookAtHost | None = None,
        may_watch: bool = False,
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)  # else its own colours turn black
        self.keys_typed = KeyQueue(self, super().on_event)
        self.base, self.session, self.found = base, session, found or {}
        self.mounts, self.path, self.look, self.may_watch = mounts or [], path, look, may_watch
        self.saved = tuple(one for one in (saved, *others) if one is not None)
        self.kept_apart = saved is None
        """Whether what is kept already stays, whatever is answered."""
        self.news: list[AdviceChange] = []
        self.pointed: dict[str, Values] = {}
        """Of a question that was gone to, the answer that was looked for."""
        self.came: list[Sheet] = []
        """The screens that were left to look at a question, which Esc shows again; and where the session was."""
        self.came_at: str | None = None
        self.shown = False
        """Whether the first frame is on the screen; what it does not need waits for that."""
        self.ahead = Ahead(load or (lambda: base), self._worked_ahead, partial(self._probe, probe) if probe else None)
        self.theme = THEMES[theme]
        self._go_on: asyncio.TimerHandle | None = None
        self._saving: asyncio.Task[None] | None = None

    def _probe(self, probe: Probe, base: RuleBase) -> None:
        """Looks at the host, in the worker thread. If that fails, the wizard asks its questions without offers."""
        with contextlib.suppress(Exception):
            self.call_from_thread(self.take_found, *probe(base))

    def take_found(self, found: Found, mounts: list[Offered]) -> None:
        """Offers what the host tells, also for the first question if that is still on the screen."""
        self.found = {**found, **self.found}
        self.mounts = self.mounts or mounts
        asked = mounts if self.session.at == state.MOUNT else str(state.current(self.base, self.session)) in found
        if asked and not self.session.past and hasattr(self.screen, "show_session"):
            self.screen.show_session()

    def _hold_ahead(self) -> None:
        """What a key changes is drawn first."""
        self.ahead.hold()
        if self._go_on is not None:
            self._go_on.cancel()
        self._go_on = asyncio.get_running_loop().call_later(IDLE, self.ahead.go_on)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown)):
            self._hold_ahead()
        if isinstance(event, events.Key) and not event.is_forwarded and not self.keys_typed.is_next(event):
            return
        await super().on_event(event)

    def get_default_screen(self) -> Screen[None]:
        return Ask()

    @property
    def doors(self) -> tuple[Door, ...]:
        return (*DOORS, WATCH) if self.may_watch else DOORS

    def open_door(self, door: Door) -> None:
        """What has the terminal to itself finds it free; who comes back finds the wizard as it was."""
        if door.screen is None:
            self.leave(TO_WATCH)
        else:
            self.push_screen(door.screen())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for door in self.doors:
            yield SystemCommand(door.title, door.note, partial(self.open_door, door))
        for title, says, action in (
            ("Review", "all answers and settings", "review"), ("Export", "write the files to install", "export"),
            ("Mounts", "the mounts of this host", "mounts"),
            ("Compare with an fstab", "each of its lines, judged by your answers", "compare"),
            ("Find", "questions, settings, rules, messages, claims", "find"), ("Keys", "of this screen", "keys"),
        ):
            yield SystemCommand(title, says, getattr(screen, f"action_{action}", self.bell))
        yield SystemCommand("Theme", "dark, light, the terminal's own colours", self.next_theme)
        yield SystemCommand("Quit", "the answers are kept", self.leave)

    def change(self, step: Callable[[], Session]) -> Refused | None:
        """Makes a change, shows and saves it; returns the refusal if it cannot be made."""
        before = state.preview(self.base, self.session)
        try:
            changed = step()
        except Refused as refused:
            return refused
        leaves = self._is_here(self.session) and not self._is_here(changed)
        mounts = changed.place, len(changed.others), changed.other_side
        if mounts != (self.session.place, len(self.session.others), self.session.other_side):
            self.news = []
        elif changed.answers != self.session.answers:
            self.news = state.changes(before, state.preview(self.base, changed))
        if self.session.at is None:
            self.came = []
        self.move(changed)
        if leaves:
            self._tell(words.ANOTHER_HOST)
        return None

    def _tell(self, text: str) -> None:
        if isinstance(self.screen, Ask):
            self.screen.tell(text)
        else:
            self.notify(text, timeout=6, markup=False)

    def _is_here(self, session: Session) -> bool:
        return state.fact_of_another_host(self.base, session, self.found) is None

    def move(self, changed: Session) -> None:
        """Takes a session that differs in what is looked at, or that was checked before."""
        if changed == self.session:
            return
        if changed.place != self.session.place:
            self.news = []
        self.session, self.pointed = changed, {}
        self.save_soon()
        if hasattr(self.screen, "show_session"):
            self.screen.show_session()

    def explain(self, kind: str, name: str, then: str = "") -> None:
        """`kind` and `then` as advisor.wizard.explanation.explanation has them."""
        from advisor.wizard.explanation import explanation  # noqa: PLC0415

        self.push_screen(explanation(self, kind, name, then))

    def pin(self, tunable: str) -> None:
        """Asks for the value to which a setting is pinned; an empty one unpins it."""
        pins.ask(self, tunable)

    def look_at(self, fact: str, answer: Values | None = None) -> None:
        """Leaves all other screens and shows a question, with `answer` highlighted; Esc leads back."""
        left = [screen.again() for screen in self.screen_stack[1:] if isinstance(screen, Sheet)]
        self.came, self.came_at = [one for one in left if one is not None], self.session.at
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.move(state.go(self.session, fact))
        if isinstance(self.screen, Ask):
            if answer is not None:
                self.pointed = {fact: answer}
                self.screen.show_question()
            self.screen.focus_question()

    def return_there(self) -> None:
        """To the screens that were left for a question."""
        back, self.came = self.came, []
        self.move(state.go(self.session, self.came_at))
        for screen in back:
            self.push_screen(screen)

    def resume(self, saved: Saved | None) -> None:
        """Takes a saved session, and goes on to keep it where it was; or leaves them all."""
        self.saved = ()
        if saved is None:
            return
        self.path = saved.path
        try:
            resumed = state.from_text(self.base, saved.text)
        except ValueError as error:
            self.notify(str(error), severity="warning", timeout=8, markup=False)
            return
        self.session = resumed.session
        if resumed.lost:
            lost = "\n".join(resumed.lost)
            self.notify(f"Not taken over, as the rules are others now:\n{lost}", timeout=12, markup=False)

    def next_theme(self) -> None:
        self.theme = theme_after(self.theme)

    def save_soon(self) -> None:
        if self.path is not None and self.session.touched and (self._saving is None or self._saving.done()):
            self._saving = asyncio.create_task(self._save())

    async def _save(self) -> None:
        saved = None
        while saved is not self.session and self.path is not None:
            await asyncio.sleep(SAVE_AFTER)
            saved = self.session
            problem = await asyncio.to_thread(autosave.save, self.path, state.to_text(saved))
            if problem:
                self.notify(f"The answers cannot be kept: {problem}", severity="warning", timeout=8, markup=False)
                self.path = None

    def leave(self, code: int = 0) -> None:
        """Ends the wizard; what is not saved yet is saved first."""
        if self.path is not None and self.session.touched:
            autosave.save(self.path, state.to_text(self.session))
        self.ahead.stop()
        self.exit(code)

    async def action_quit(self) -> None:
        self.leave()

    def _worked_ahead(self, asked: Request) -> None:
        """Called in the other thread: the progress line may say more now."""
        with contextlib.suppress(RuntimeError):  # the application has ended meanwhile
            self.call_later(self._tell_progress, asked)

    def _tell_progress(self, asked: Request) -> None:
        if isinstance(self.screen, Sheet):
            with contextlib.suppress(NoMatches):  # the screen is being taken down
                self.screen.worked_ahead(asked)

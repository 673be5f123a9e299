"""Whatever keys are pressed on whatever screen, also ahead and while the terminal gets another size: no answer is lost,
no key has two meanings, what stands at the bottom is what happens, and a way out is in sight."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, assume, example
from hypothesis import given as drawn
from hypothesis import strategies as st
from textual.app import App
from textual.screen import Screen
from textual.widgets import Input, TextArea

from advisor.wizard import ending, files, questions, state
from advisor.wizard.commands import KEY_NAMES, commands_of
from advisor.wizard.dialogs import CANCEL_HINT, Confirm
from advisor.wizard.hero import Hero
from advisor.wizard.lists import ExportScreen
from advisor.wizard.screen import KeyedScreen, SessionScreen
from advisor.wizard.widgets import Closable, KeyBar
from tests.tiers import examples, thorough
from tests.wizard.driving import ANF, BASE, DONE, EDA, NEW, Driver, given, play

SIZES = ((40, 15), (80, 24), (120, 40), (200, 60))
TASKS = [task.name for task in commands_of("tasks") if task.name != "watch"]
KEYS = (
    "1", "2", "3", "d", "A", "enter", "enter", "down", "up", "tab", "shift+tab", "escape", "escape", "left", "right",
    "r", "R", "e", "c", "l", "g", "m", "n", "o", "p", "w", "i", "a", "y", "Y", "t", "s", "f", "b", "u", "U", "x", "j",
    "slash", "question_mark", "f1", "f2", "f3", "f4", "f5", "f7", "space", "home", "end", "ctrl+p", "ctrl+z", "ctrl+o",
    "alt+left", "alt+right", "q",
)
TAKES_BACK = {"u", "U", "x", "ctrl+z", "delete", "f2"}
STEPS = st.one_of(
    st.sampled_from(KEYS), st.sampled_from(KEYS), st.just("at the bottom"), st.just("another focus"),
    st.lists(st.sampled_from(KEYS), min_size=2, max_size=4).map(tuple), st.sampled_from(SIZES),
    st.sampled_from([f"task {name}" for name in TASKS]),
)
"""A key, one of those at the bottom, several typed ahead, a terminal that gets another size, another task."""
TEXTUAL_NAMES = {shown: name for name, shown in KEY_NAMES.items()}
MOVES = {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "tab", "shift+tab", "space",
         "escape", "delete", "backspace"}
"""Keys that move within what has the focus, take what is there, or leave it."""
SESSIONS = {"new": NEW, "first": state.start(), "some": given(**ANF), "more": given(**EDA), "ended": given(**DONE)}


def textual_name(shown: str) -> str:
    """The key that is shown, as Textual names it: "Ctrl+Z" → "ctrl+z"."""
    *before, last = shown.split("+") if len(shown) > 1 else [shown]
    last = TEXTUAL_NAMES.get(last, last.lower() if before or len(last) > 1 else last)
    if before == ["Shift"]:
        return last.upper()
    return "+".join([*(part.lower() for part in before), last])


def what_the_bottom_says(app: App[int]) -> dict[str, str]:
    """Asserts that it happens; returns the action of each key."""
    screen, typing = app.screen, isinstance(app.focused, Closable) and app.focused.opened
    bound = {key: active.binding.action for key, active in screen.active_bindings.items() if active.enabled}
    for shown, says, action in screen.query_one(KeyBar).keys:
        key = textual_name(shown.split()[0])
        if key not in MOVES:
            assert not typing or (len(key) > 1 and key not in ("question_mark", "slash")), f"{shown} goes into a field"
            assert bound.get(key) == action.removeprefix("screen."), (type(screen).__name__, shown, says)
    return bound


class Walk:
    """`meanings`: (screen, key) → the action that it has had from every focus so far."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.app = driver, driver.app
        self.meanings: dict[tuple[type[Screen], str], str] = {}
        self.known = [driver.app.session.answers]

    async def step(self, step: Any, data: st.DataObject) -> None:
        app, driver = self.app, self.driver
        before, screen = app.session, app.screen
        pressed: tuple[str, ...] = ()
        if step in SIZES:
            await driver.pilot.resize_terminal(*step)
            await driver.press()
            assert (app.session, app.screen) == (before, screen), "a resize changes nothing"
        elif isinstance(step, tuple):
            pressed = step
            await driver.type_ahead(step)
        elif step == "at the bottom":
            keys = screen.query_one(KeyBar).keys if isinstance(screen, KeyedScreen) else []
            if keys:
                pressed = (textual_name(data.draw(st.sampled_from(keys))[0].split()[0]),)
                await driver.press(*pressed)
        elif step == "another focus":
            panes = [one for one in screen.focus_chain if one.region.area]
            if panes:
                data.draw(st.sampled_from(panes)).focus()
                await driver.press()
        elif step.startswith("task "):
            if isinstance(screen, SessionScreen) and len(app.screen_stack) < 6:
                screen.action_command(step[5:])
                await driver.press()
        else:
            pressed = (step,)
            await driver.press(step)
        if app._exit:
            return
        lost = {fact for fact in before.order if fact not in app.session.order}
        if TAKES_BACK & set(pressed):
            assert app.session.answers in self.known or len(pressed) > 1 or len(lost) == 1, "no other answer is lost"
        else:
            assert not lost, (step, lost)
        self.known.append(app.session.answers)
        await driver.press()  # the focus comes back once the screen below is drawn again
        self.holds(step)

    def holds(self, step: Any) -> None:
        app, screen, text = self.app, self.app.screen, self.driver.text()
        rows = text.split("\n")
        assert app._exception is None
        assert (len(rows), max(map(len, rows))) <= (app.size.height, app.size.width)
        if not isinstance(screen, KeyedScreen):
            assert CANCEL_HINT in text or type(screen).__module__.startswith("textual"), step
            return
        keys = screen.query_one(KeyBar).keys
        key, says, _ = keys[-1]
        assert says in ("quit", "back"), (screen, says)
        assert f"{key} {says}" in rows[-1], (step, rows[-1])
        assert app.focused is not None, (step, screen)
        assert app.focused.region.area, (step, app.focused)
        for key, action in what_the_bottom_says(app).items():
            if key not in MOVES and not isinstance(app.focused, (Input, TextArea)):  # which have keys of their own
                now = self.meanings.setdefault((type(screen), key), action)
                assert now == action, f"{key} is {now} and {action} on {type(screen).__name__}"

    def ready_is_ready(self) -> None:
        app = self.app
        for hero in app.screen.query(Hero):
            ready = hero.verdict.badge == "READY" and not hero.verdict._replace(unnamed=()).beside
            if ready and app.session.at is None:
                found = [text for text in files.lint_artefacts(BASE, app.session) if not text.startswith("note")]
                assert not found, "READY, and a finding above a note"

    async def leave(self) -> None:
        """From wherever it is, Esc leads back and q ends it."""
        app, driver = self.app, self.driver
        for _ in range(12):
            if app._exit or len(app.screen_stack) == 1:
                break
            before = app.screen
            await driver.press("escape")
            if app.screen is before and isinstance(before, Confirm):
                await driver.press("2")
            if app.screen.__class__.__name__ == "StartScreen":
                break
        assert app._exit or len(app.screen_stack) == 1 or app.screen.__class__.__name__ == "StartScreen"
        if isinstance(app.focused, Input):
            await driver.press("escape")
        for key in ("q", "2"):
            if not app._exit:
                await driver.press(key)
        assert app._exit, f"q ends it from:\n{driver.text()}"


@contextlib.contextmanager
def nothing_is_written() -> Iterator[None]:
    with patch.object(ExportScreen, "_write"), patch("advisor.user_files.save"):
        yield


@examples(2, 25, suppress_health_check=list(HealthCheck), derandomize=True,
          phases=[Phase.generate])
@drawn(
    data=st.data(), walk=st.lists(STEPS, min_size=5, max_size=18), size=st.sampled_from(SIZES),
    begin=st.sampled_from(sorted(SESSIONS)),
)
def test_wherever_one_goes(data: st.DataObject, walk: list[Any], size: tuple[int, int], begin: str) -> None:
    async def scene(driver: Driver) -> None:
        going = Walk(driver)
        going.holds("the start")
        for step in walk:
            await going.step(step, data)
            if driver.app._exit:
                return
        going.ready_is_ready()
        await going.leave()

    with nothing_is_written():
        play(scene, size, session=SESSIONS[begin], check_host=lambda _: [])


def answered_at_random(chance: random.Random) -> state.Session:
    session = state.go(state.start(), None)
    for _ in range(12):
        fact = questions.current_question(BASE, session)
        if fact is None:
            break
        typed = "6.1" if BASE.facts[fact].type == "version" else 64
        values = [offer.value for offer in questions.values_to_choose(BASE, session, fact)] or [typed]
        try:
            session = state.answer(BASE, session, fact, chance.choice(values))
        except state.Refused:
            break
    return session


@thorough
def test_what_is_called_ready_has_no_finding_above_a_note() -> None:
    ready = 0
    for seed in range(20):
        session = answered_at_random(random.Random(seed))
        found = ending.session_verdict(BASE, session)
        if found.state == "ready" and not found.reasons:
            ready += 1
            worse = [text for text in files.lint_artefacts(BASE, session) if not text.startswith("note")]
            assert not worse, (found.badge, session.answers.facts)
    assert ready, "none is ready, so nothing was tried"


AHEAD = st.sampled_from((
    "1", "2", "3", "4", "d", "down", "up", "tab", "escape", "r", "R", "e", "c", "l", "g", "m", "o", "p", "w", "i",
    "a", "s", "u", "U", "x", "b", "slash", "question_mark", "f1", "f2", "f4", "space", "home", "end", "left", "right",
))
"""Without Enter: where it would confirm what was not painted yet, it is left out on purpose."""


@examples(1, 12, suppress_health_check=list(HealthCheck), derandomize=True, phases=[Phase.explicit, Phase.generate])
@example(keys=["a", "home", "g", "end", "slash"], begin="some")
@drawn(keys=st.lists(AHEAD, min_size=3, max_size=12), begin=st.sampled_from(sorted(SESSIONS)))
def test_keys_typed_ahead_do_what_they_do_one_by_one(keys: list[str], begin: str) -> None:
    assume(not any(len(set(three)) > 1 and all(len(key) == 1 and key.isalpha() for key in three)
                   for three in zip(keys, keys[1:], keys[2:])))  # a word is text, and no keys
    ended = []
    for ahead in (False, True):
        async def scene(driver: Driver, ahead: bool = ahead) -> None:
            app = driver.app
            await (driver.type_ahead(keys) if ahead else driver.press(*keys))
            await driver.press()
            fields = [one.value for one in app.screen.query(Input)]
            ended.append((app.session, [type(one) for one in app.screen_stack], type(app.focused), fields))

        with nothing_is_written():
            play(scene, session=SESSIONS[begin], check_host=lambda _: [])
    assert ended[0] == ended[1]

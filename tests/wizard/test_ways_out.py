"""Whatever is pressed on whatever screen: no answer is lost, the way out is on the screen, and Esc leads back."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from advisor.wizard.doors import DOORS, Door
from advisor.wizard.export import ExportPage
from advisor.wizard.prompt import Confirm
from advisor.wizard.screen import KeyBar, Sheet
from tests.wizard.driving import ANF, Driver, given, play

KEYS = (
    "1", "2", "d", "A", "enter", "enter", "down", "up", "tab", "escape", "left", "right", "r", "e", "c", "l", "g", "m",
    "o", "p", "w", "i", "a", "y", "t", "slash", "question_mark", "f1", "f2", "f4", "f7", "space", "s", "home", "end",
)
"""None of them takes an answer back."""
ALL = ((40, 15), (80, 24), (120, 40), (200, 60))
SIZES = st.sampled_from(ALL)
STEPS = st.one_of(st.sampled_from(KEYS), st.lists(st.sampled_from(KEYS), min_size=2, max_size=4).map(tuple), SIZES)
"""A key, several that are typed ahead, or a terminal that gets another size."""


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@drawn(steps=st.lists(STEPS, min_size=4, max_size=12), size=SIZES)
def test_no_key_loses_an_answer_or_leaves_nobody_a_way_out(steps: list[Any], size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        for step in steps:
            before = app.session
            if step in ALL:
                await driver.pilot.resize_terminal(*step)
                await driver.press()
                assert app.session == before
            elif isinstance(step, str):
                await driver.press(step)
            else:
                await driver.type_ahead(step)
            lost = set(before.order) - set(app.session.order)
            assert not lost, (step, lost)
            assert app.is_running
            if isinstance(app.screen, Sheet):
                last = app.screen.query_one(KeyBar).keys[-1]
                assert last[1] in ("quit", "back"), (app.screen, last)
                assert f"{last[0]} {last[1]}" in driver.text().split("\n")[-1]
        for _ in range(10):
            if len(app.screen_stack) == 1:
                break
            await driver.press("escape")
        assert len(app.screen_stack) == 1
        assert app.focused is not None

    with patch.object(ExportPage, "_write"):  # there are enough files here
        play(scene, size, session=given(**ANF))


DOORS_KEYS = ("enter", "down", "up", "tab", "escape", "f", "a", "u", "f1", "f2", "1", "2", "d", "question_mark")


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@drawn(door=st.sampled_from(DOORS), keys=st.lists(st.sampled_from(DOORS_KEYS), min_size=3, max_size=10), size=SIZES)
def test_no_key_behind_a_door_loses_an_answer_or_leaves_nobody_a_way_out(
    door: Door, keys: list[str], size: tuple[int, int]
) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        app.push_screen(door.screen())
        await driver.press()
        for place, key in enumerate(keys):
            before = app.session
            await driver.press(key)
            if place == 1:
                await driver.pilot.resize_terminal(*(80, 24) if size != (80, 24) else (40, 15))
            assert set(before.order) <= set(app.session.order), key
            if isinstance(app.screen, Sheet):
                last = app.screen.query_one(KeyBar).keys[-1]
                assert last[1] in ("quit", "back"), (app.screen, last)
        for _ in range(10):
            if len(app.screen_stack) == 1:
                break
            await driver.press("escape")
            if isinstance(app.screen, Confirm):  # something was mended and not saved
                await driver.press("2")
        assert len(app.screen_stack) == 1

    play(scene, size, session=given(**ANF))

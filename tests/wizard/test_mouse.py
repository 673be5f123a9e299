"""The wizard with the mouse alone: click on what the screen says."""

from __future__ import annotations

import pytest
from textual.events import MouseScrollDown

from advisor.wizard.preview import SettingList
from advisor.wizard.question import QuestionPane
from advisor.wizard.screen import KeyBar, Sheet
from tests.wizard.driving import DONE, EDA, Driver, both, given, play


async def click(driver: Driver, text: str) -> None:
    """On the first place on the screen where this stands."""
    rows = driver.text().split("\n")
    row = next((number for number, one in enumerate(rows) if text in one), None)
    assert row is not None, f"{text!r} is not in:\n{driver.text()}"
    await driver.pilot.click(offset=(rows[row].index(text) + len(text) // 2, row))
    await driver.pilot.pause()
    await driver.pilot.pause()


@both
def test_an_answer_is_a_click(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await click(driver, "Azure NetApp Files")
        assert driver.app.session.answers.facts["storage.platform"] == "anf"
        await click(driver, "d don't know")
        assert driver.app.session.answers.unknown

    play(scene, size)


@both
@pytest.mark.parametrize("key", ["Enter choose", "d don't know", "← back", "Tab settings", "e export", "? keys"])
def test_each_key_of_the_footer_is_a_click(key: str, size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        await driver.press("down")  # to an answer
        before = app.screen, app.focused, app.session
        await click(driver, key)
        assert (app.screen, app.focused, app.session) != before

    play(scene, size, session=given(**EDA))


@both
def test_a_setting_is_explained_by_a_click_and_left_by_another(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        first = driver.app.screen
        await click(driver, "must   vers=3")
        await driver.pilot.pause(1)
        driver.sees("Azure NetApp Files", "mount.vers")
        if driver.app.screen is not first:  # else it stands beside the list
            key, says, _ = driver.app.screen.query_one(KeyBar).keys[-1]
            await click(driver, f"{key} {says}")
            assert driver.app.screen is first

    play(scene, size, session=given(**EDA))


def test_a_section_is_a_click() -> None:
    async def scene(driver: Driver) -> None:
        await click(driver, "The workload")
        fact = driver.app.screen.query_one(QuestionPane).fact
        assert fact is not None
        assert driver.app.base.facts[fact].section == "workload"

    play(scene, (120, 40), session=given(**EDA))


@pytest.mark.parametrize("what", ["Review all answers", "Export the configuration", "Compare with an fstab"])
def test_the_ways_on_at_the_end_are_clicks(what: str) -> None:
    async def scene(driver: Driver) -> None:
        first = driver.app.screen
        await click(driver, what)
        assert driver.app.screen is not first
        assert isinstance(driver.app.screen, Sheet) or driver.app.screen.is_modal

    play(scene, (120, 40), session=given(**DONE))


def test_the_wheel_scrolls_what_is_under_it() -> None:
    async def scene(driver: Driver) -> None:
        settings = driver.app.screen.query_one(SettingList)
        before = settings.scroll_y
        settings.post_message(MouseScrollDown(settings, 5, 2, 0, 1, 0, False, False, False))
        await driver.pilot.pause(0.5)
        assert settings.scroll_y > before

    play(scene, (80, 24), session=given(**EDA))

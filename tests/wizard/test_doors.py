"""What the first screen offers besides a configuration: checking what is there, comparing two environments."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import session as state
from advisor.advice.answers_file import answers_text
from advisor.lint.run import lint_text
from advisor.today.fixing import accept, fix_finding, lint_file
from advisor.wizard import autosave
from advisor.wizard.app import TO_WATCH
from advisor.wizard.checking import CheckPage
from advisor.wizard.doors import DOORS, WATCH
from advisor.wizard.environments import Environments
from advisor.wizard.review import Review
from tests.wizard.driving import ANF, BASE, DONE, EDA, Driver, both, given, play

LINE = "nas:/x /mnt nfs vers=3,nconnect=32,soft 0 0"


@both
def test_each_door_is_on_the_first_screen_and_esc_leads_back(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        for door in DOORS:
            await driver.press("escape")
            choices = driver.app.screen.query_one("Choices")
            place = [one.label for one in choices.choices].index(door.title)
            await driver.press("home", *["down"] * place, "enter")
            assert driver.app.screen.NAME == door.screen().NAME
            assert "Esc back" in driver.text().split("\n")[-1]
            await driver.press("escape")
            assert driver.app.screen.NAME == "Questions"
            assert driver.app.session.at == state.MOUNT

    play(scene, size, session=state.start())


def test_a_line_is_checked_mended_and_accepted(tmp_path: Path) -> None:
    saved = tmp_path / "fstab.mended"

    async def scene(driver: Driver) -> None:
        driver.app.push_screen(CheckPage())
        await driver.press()
        page = driver.app.screen
        page.query_one("Input").value = LINE
        await driver.press("enter")
        driver.sees("nconnect takes a number from 1 to 16")
        before = [one.rule for one in page.findings]
        fixable = next(place for place, one in enumerate(page.findings) if one.fix)
        await driver.press("home", *["down"] * fixable, "f")
        assert page.text != LINE
        assert len(page.findings) < len(before)
        await driver.press("u")
        assert page.text == LINE
        await driver.press("home", "a")
        await driver.write("the vendor asked for it")
        await driver.press("enter")
        assert page.text.startswith("# advisor: ignore[")
        assert len(page.findings) < len(before)
        await driver.press("s", "ctrl+u")
        driver.app.screen.query_one("Input").value = str(saved)
        await driver.press("enter")
        assert saved.read_text() == page.text
        await driver.press("s", "ctrl+u")
        driver.app.screen.query_one("Input").value = str(saved)
        await driver.press("enter")
        assert any("is there already" in one.message for one in driver.app._notifications)

    play(scene, session=given(**ANF))


def test_a_file_that_is_not_understood_is_never_called_clean(tmp_path: Path) -> None:
    (tmp_path / "poem").write_text("roses are red\nviolets are blue\n")

    async def scene(driver: Driver) -> None:
        driver.app.push_screen(CheckPage())
        await driver.press()
        driver.app.screen.query_one("Input").value = str(tmp_path / "poem")
        await driver.press("enter")
        driver.sees("does not look like a file that advisor judges")
        assert "Nothing to object to" not in driver.text()

    play(scene)


def test_mending_one_finding_leaves_the_others() -> None:
    found = lint_file(BASE, LINE, "fstab", {}).findings
    for one in found:
        after = fix_finding(BASE, LINE, "fstab", {}, one)
        rules = {other.rule for other in lint_text(after, "fstab", BASE, {}).findings if other.severity == "error"}
        assert (after == LINE) or one.rule not in rules
        silent = {other.rule for other in lint_file(BASE, accept(LINE, one, "because"), "fstab", {}).findings}
        assert one.rule not in silent


def test_two_environments_are_compared(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(answers_text(given(**DONE).answers))
    autosave.save(tmp_path / "wizard-prod.json", state.to_text(given(**DONE)))

    async def scene(driver: Driver) -> None:
        driver.app.push_screen(Environments())
        await driver.press()
        driver.sees("Sessions: prod")
        for name in (str(tmp_path / "answers.yaml"), "prod"):
            driver.app.screen.query_one("Input").value = name
            driver.app.screen.query_one("Input").focus()
            await driver.press("enter")
            driver.sees("Answered otherwise", "Azure NetApp Files → Amazon EFS", "Advised otherwise there")
        driver.app.screen.query_one("Input").focus()
        driver.app.screen.query_one("Input").value = "/nowhere/answers.yaml"
        await driver.press("enter")
        driver.sees("/nowhere/answers.yaml")

    play(scene, session=given(**EDA), path=tmp_path / "wizard.json")


@both
def test_the_door_to_the_mounts_makes_way_and_loses_nothing(size: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "wizard.json"

    async def scene(driver: Driver) -> None:
        await driver.press("escape")
        choices = driver.app.screen.query_one("Choices")
        place = [one.label for one in choices.choices].index(WATCH.title)
        await driver.press("home", *["down"] * place, "enter")
        assert not driver.app.is_running

    session = state.go(given(**ANF), state.MOUNT)
    app = play(scene, size, session=session, path=path, may_watch=True)
    assert app.return_value == TO_WATCH
    assert app.session == session


def test_there_is_no_such_door_where_nobody_shows_the_mounts() -> None:
    async def scene(driver: Driver) -> None:
        assert WATCH.title not in [one.label for one in driver.app.screen.query_one("Choices").choices]

    play(scene, session=state.start())


@pytest.mark.parametrize("may_watch", [False, True])
def test_each_door_is_among_the_commands_of_every_screen(may_watch: bool) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        await driver.press("1")
        for make in (None, Review):
            if make is not None:
                app.push_screen(make())
                await driver.press()
            offered = {one.title: one.callback for one in app.get_system_commands(app.screen)}
            assert (WATCH.title in offered) == may_watch
            for door in DOORS:
                offered[door.title]()
                await driver.press()
                assert app.screen.NAME == door.screen().NAME
                await driver.press("escape")
                assert (make.NAME if make else "Questions") == app.screen.NAME

    play(scene, may_watch=may_watch)

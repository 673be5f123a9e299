"""A screen that is understood at once: the line on top, reasons below it, the keys of what has the focus, ways out."""

from __future__ import annotations

import pytest
from textual.widgets import Input, OptionList

from advisor import session as state
from advisor.wizard.ask import Ask
from advisor.wizard.ask_keys import AskKeys
from advisor.wizard.choices import LETTERS, Choices, keys_of
from advisor.wizard.compare import Compare
from advisor.wizard.detail import Detail
from advisor.wizard.explanation import Explain
from advisor.wizard.export import ExportPage
from advisor.wizard.find import Find
from advisor.wizard.mounts import Mounts
from advisor.wizard.preview import SettingList
from advisor.wizard.question import choices
from advisor.wizard.rail import Rail
from advisor.wizard.review import Review
from advisor.wizard.screen import KeyBar, Leaf, Sheet
from tests.wizard.driving import ANF, BASE, EDA, NEW, Driver, given, play

ALL = ((40, 15), (80, 24), (120, 40), (200, 60))
every = pytest.mark.parametrize("size", ALL, ids=lambda size: f"{size[0]}x{size[1]}")


@every
def test_the_line_is_on_top_and_quit_at_the_bottom(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        rows = driver.text().split("\n")
        assert "/etc/fstab" in rows[1]
        assert "q quit" in rows[-1]
        assert driver.app.screen.query_one(Choices).size.height >= 3
        await driver.press("tab")
        assert "q quit" in driver.text().split("\n")[-1]

    play(scene, size, session=given(**EDA))


def test_what_must_be_set_is_told_with_its_whole_reason_and_the_rest_folds() -> None:
    async def scene(driver: Driver) -> None:
        rows = driver.app.screen.query_one(SettingList).rows
        advice = state.preview(BASE, driver.app.session)
        told = {row.key[1]: " ".join(row.content.plain.split()) for row in rows if row.key and row.key[0] == "setting"}
        for one in advice.advised:
            if one.tunable in told and one.strength in ("must", "should") and not one.pinned:
                assert one.why in " ".join(told.values())
        assert not any("? " in text for text in told.values())
        await driver.press("o")
        waiting = {one.tunable for one in advice.open}
        assert len(driver.app.screen.query_one(SettingList).rows) > len(rows) + len(waiting)
        await driver.press("o")
        assert len(driver.app.screen.query_one(SettingList).rows) == len(rows)

    play(scene, session=given(**ANF))


def test_what_would_change_the_line_is_true() -> None:
    session = given(**EDA)
    state.work_out(BASE, state.LineChangesOf(session.answers))
    found = state.known(BASE, state.LineChangesOf(session.answers))
    assert found
    turn = next(one for one in found if one.fact == "mount.ro")
    after = state.preview(BASE, state.answer(BASE, session, "mount.ro", True))
    before = state.preview(BASE, session)
    assert all(str(before.find(name)) != str(after.find(name)) for name in turn.tunables)


def test_back_is_offered_where_something_lies_before() -> None:
    async def scene(driver: Driver) -> None:
        bar = driver.app.screen.query_one(KeyBar)
        assert ("←", "back") in [one[:2] for one in bar.keys]  # to the mount
        await driver.press("left")
        assert driver.app.session.at == state.MOUNT
        assert ("←", "back") not in [one[:2] for one in bar.keys]

    play(scene)


@every
def test_the_keys_at_the_bottom_are_those_of_what_has_the_focus(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        bar = driver.app.screen.query_one(KeyBar)
        assert ("d", "don't know") in [one[:2] for one in bar.keys]
        await driver.press("tab")
        assert ("p", "pin") in [one[:2] for one in bar.keys]
        assert ("d", "don't know") not in [one[:2] for one in bar.keys]
        driver.app.look_at("client.memory_gib")
        await driver.press()
        assert ("Esc", "letters are keys") in [one[:2] for one in bar.keys]
        assert bar.keys[-1][0] == "Ctrl+Q"

    play(scene, size, session=given(**ANF))


@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
def test_the_explanation_follows_the_cursor(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        detail, settings = driver.app.screen.query_one(Detail), driver.app.screen.query_one(SettingList)
        await driver.press("tab")
        for _ in range(4):
            await driver.press("down")
            await driver.pilot.pause(0.3)
            kind, name = settings.key or ("", "")
            if kind == "setting":
                assert detail.display
                assert name in str(detail.query_one("#detail").content)
        await driver.press("escape")
        assert driver.app.screen.query_one("QuestionPane").display

    play(scene, size, session=given(**EDA))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_section_is_one_key_and_enter_away(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("g")
        rail = driver.app.screen.query_one(Rail)
        assert rail.has_focus
        place = next(place for place, fact in enumerate(rail.targets) if fact.startswith("workload."))
        await driver.press("home", *["down"] * place, "enter")
        assert str(driver.app.session.at).startswith("workload.")
        assert driver.app.screen.NAME == "Questions"
        assert not driver.app.screen.query_one(Rail).has_focus

    play(scene, size, session=given(**ANF))


@pytest.mark.parametrize("fact", [name for name, fact in BASE.facts.items() if fact.ask])
def test_every_choice_has_a_key_of_its_own(fact: str) -> None:
    keys = keys_of(choices(BASE, state.start(), fact, None))
    pressed = [key for key in keys if key]
    assert len({key.casefold() for key in pressed}) == len(pressed)
    assert all(len(key) == 1 and key.strip() for key in pressed)
    assert len(pressed) == len(keys) or set(LETTERS) < set(pressed)
    assert keys[-1] == "d"


@pytest.mark.parametrize("fact", ["storage.platform", "client.memory_gib", "client.kernel", "workload.static_data"])
def test_d_says_i_do_not_know(fact: str) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.look_at(fact)
        await driver.press("d")
        assert fact in driver.app.session.answers.unknown

    play(scene, session=NEW)


def test_d_at_the_first_question_goes_on_without_a_mount() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("escape", "d")
        assert driver.app.session.at is None

    play(scene, session=state.start())


def test_esc_returns_where_one_came_from() -> None:
    async def scene(driver: Driver) -> None:
        before = driver.app.session.at
        await driver.press("r", "home", "enter")
        assert driver.app.screen.NAME == "Questions"
        driver.sees("Esc to review")
        await driver.press("escape")
        assert driver.app.screen.NAME == "Review"
        assert driver.app.session.at == before
        await driver.press("escape", "slash")
        await driver.write("memory")
        await driver.press("enter")
        assert driver.app.screen.NAME == "Explanation"
        await driver.press("escape")
        assert driver.app.screen.NAME == "Find"
        assert driver.app.screen.query_one(Input).value == "memory"

    play(scene, session=given(**EDA))


@every
def test_a_resize_loses_nothing(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        for keys in ((), ("tab",), ("r",), ("e",), ("slash",), ("question_mark",), ("l",), ("c",)):
            await driver.press(*keys)
            session, name = driver.app.session, driver.app.screen.NAME
            for new in ALL:
                await driver.pilot.resize_terminal(*new)
                await driver.press()
            assert (driver.app.session, driver.app.screen.NAME) == (session, name)
            assert driver.app.focused is not None
            assert all(one.size.height for one in driver.app.screen.query(OptionList) if one.has_focus)
            await driver.press("escape")
            if len(driver.app.screen_stack) > 1:
                await driver.press("escape")
            assert len(driver.app.screen_stack) == 1

    play(scene, size, session=given(**EDA))


def test_no_key_does_two_things() -> None:
    """Neither two commands of one screen, nor a command and a choice."""
    for sheet in (Ask, Review, Mounts, Compare, Find, ExportPage, Explain):
        taken: dict[str, str] = {}
        for kind in sheet.__mro__:
            for binding in vars(kind).get("BINDINGS", ()) if issubclass(kind, Sheet) else ():
                for key in binding.key.split(","):
                    same = taken.setdefault(key, binding.action) == binding.action
                    assert same or kind in (Sheet, Leaf), (sheet, key)
    commands = {key for binding in AskKeys.BINDINGS for key in binding.key.split(",")} - {"d"}
    assert not commands & set(LETTERS)

"""What keys and mouse do on each screen: no answer is lost, no key does two things, and a way out is in sight."""

from __future__ import annotations

import string
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest
from textual.events import AppBlur, AppFocus, MouseScrollDown
from textual.widgets import Input, OptionList

from advisor.lint.evidence import nfs_lines
from advisor.pages import wording
from advisor.wizard import advice_cache, questions, state
from advisor.wizard.app import StartScreen
from advisor.wizard.check import CheckScreen
from advisor.wizard.dialogs import Confirm, Jump
from advisor.wizard.explanation import Detail, ExplanationScreen, FindScreen
from advisor.wizard.hero import Hero
from advisor.wizard.lists import ExportScreen, MountsScreen, ReviewScreen
from advisor.wizard.panes import UNWRITTEN, Preview
from advisor.wizard.question_screen import QuestionScreen
from advisor.wizard.row_lists import Choices, SettingList
from advisor.wizard.rows import holder
from advisor.wizard.schedule import FAR, TOGETHER, KeyQueue
from advisor.wizard.screen import SessionScreen, SubScreen
from advisor.wizard.steps import CONTRADICTS, answer_choices, keys_of
from advisor.wizard.widgets import KeyBar, LineField
from tests.each import each
from tests.tiers import sizes, some, thorough
from tests.wizard.driving import ANF, BASE, DONE, EDA, NEW, Driver, both, given, play

ALL = ((40, 15), (80, 24), (120, 40), (200, 60))
every = sizes(*ALL)


@every
def test_the_line_is_on_top_and_quit_at_the_bottom(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        rows = driver.text().split("\n")
        assert any("nfs-server.example:/export" in row for row in rows[1:4])
        assert "q quit" in rows[-1]
        assert driver.app.screen.query_one(Choices).size.height >= 3
        await driver.press("tab")
        assert "q quit" in driver.text().split("\n")[-1]

    play(scene, size, session=given(**EDA))


def test_what_must_be_set_is_told_in_one_line_with_its_harm_and_the_rest_folds() -> None:
    async def scene(driver: Driver) -> None:
        settings = driver.app.screen.query_one(SettingList)
        rows, room = settings.rows, settings.content_size.width
        advice = questions.preview(BASE, driver.app.session)
        told = {row.key[1]: "".join(run.text for run in row.drawn).rstrip()
                for row in rows if row.key and row.key[0] == "setting"}
        for one in advice.advised:
            if one.part == "set" and one.strength in ("must", "should") and not one.pinned:
                harm, text = wording.OTHERWISE[str(one.consequence)], told[one.tunable]
                assert text.endswith(f"  {one.strength}, or {harm}") or (
                    text.endswith(f"  {one.strength}") and len(" ".join(text.split())) + len(harm) + 6 > room)
        assert sum(text.endswith(tuple(wording.OTHERWISE.values())) for text in told.values()) >= len(told) / 2
        assert not any("\n" in run.text for row in rows if row.key for run in row.drawn)
        await driver.press("o")
        waiting = {one.tunable for one in advice.open}
        assert len(driver.app.screen.query_one(SettingList).rows) > len(rows) + len(waiting)
        await driver.press("o")
        assert len(driver.app.screen.query_one(SettingList).rows) == len(rows)

    play(scene, (120, 40), session=given(**ANF))


def test_what_would_change_the_line_is_true() -> None:
    session = given(**EDA)
    advice_cache.compute(BASE, advice_cache.LineChangesOf(session.answers))
    found = advice_cache.cached(BASE, advice_cache.LineChangesOf(session.answers))
    assert found
    turn = next(one for one in found if one.fact == "mount.ro")
    after = questions.preview(BASE, state.answer(BASE, session, "mount.ro", True))
    before = questions.preview(BASE, session)
    assert all(str(before.find(name)) != str(after.find(name)) for name in turn.tunables)


def test_esc_is_one_step_back_to_the_mount_and_then_to_the_start() -> None:
    async def scene(driver: Driver) -> None:
        assert ("Esc", "back") in [one[:2] for one in driver.app.screen.query_one(KeyBar).keys]
        await driver.press("1", "escape")
        assert driver.app.session.at == "storage.platform"
        await driver.press("escape")
        assert driver.app.session.at == state.MOUNT
        await driver.press("escape", "escape")  # the first leaves the field
        assert isinstance(driver.app.screen, StartScreen)
        assert driver.app.session.answers.facts == {"storage.platform": "anf"}
        await driver.press("1")
        assert isinstance(driver.app.screen, QuestionScreen)

    play(scene)


def test_the_start_has_an_entry_for_a_server() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("2")
        assert isinstance(driver.app.screen, QuestionScreen)
        driver.sees("Where does the data live?", "1 A Linux NFS server (knfsd)")
        assert driver.app.session.answers.facts == {"host.role": "nfs-server"}

    play(scene, session=state.start())


@every
def test_the_keys_at_the_bottom_are_those_of_what_has_the_focus(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        bar = driver.app.screen.query_one(KeyBar)
        assert ("d", "don't know") in [one[:2] for one in bar.keys]
        await driver.press("tab")
        assert ("p", "pin") in [one[:2] for one in bar.keys]
        assert ("d", "don't know") not in [one[:2] for one in bar.keys]
        driver.app.go_to_question("client.memory_gib")
        await driver.press("enter")
        assert ("Esc", "leave the field") in [one[:2] for one in bar.keys]
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
            else:
                assert driver.app.screen.query_one("QuestionPane").display, "there is nothing to explain"
        await driver.press("escape")
        assert driver.app.screen.query_one("QuestionPane").display

    play(scene, size, session=given(**EDA))


@both
def test_every_question_is_two_keys_away(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("slash")
        driver.sees("question")
        listed = [" ".join(row.plain.split()) for row in driver.app.screen.query_one(SettingList).rows]
        assert any("answered Where does the data live? Azure NetApp Files" in row for row in listed)
        await driver.press("enter")
        assert driver.app.session.at == questions.upcoming_questions(BASE, given(**ANF))[0].fact
        await driver.press("g")
        assert isinstance(driver.app.screen, StartScreen)

    play(scene, size, session=given(**ANF))


@each(lambda: [name for name, fact in BASE.facts.items() if fact.ask])
def test_every_choice_has_a_key_of_its_own(fact: str) -> None:
    keys = keys_of(answer_choices(BASE, state.start(), fact))
    pressed = [key for key in keys if key]
    assert pressed == [*"123456789"[: len(keys) - 1], "d"], "a digit is the place in the list, also of a version"


@pytest.mark.parametrize("fact", some(
    ["storage.platform", "client.memory_gib", "client.kernel", "workload.static_data"], 2,
))
def test_d_says_i_do_not_know(fact: str) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question(fact)
        await driver.press("d")
        assert fact in driver.app.session.answers.unknown

    play(scene, session=NEW)


def test_d_at_the_first_question_goes_on_without_a_mount() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "enter")
        driver.sees(UNWRITTEN)
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
        await driver.press("escape", "slash")
        await driver.write("mail store")
        await driver.press("enter")
        driver.sees("Esc to find")
        await driver.press("enter")
        assert driver.app.session.answers.facts["workload.kind"] == "mail"
        assert not driver.app.left, "the search has led to an answer"

    play(scene, session=given(**EDA))


async def resize_through_all(driver: Driver) -> None:
    """Ends at the last size, wherever it began."""
    session, name = driver.app.session, driver.app.screen.NAME
    for new in ALL:
        await driver.pilot.resize_terminal(*new)
        await driver.press()
    assert (driver.app.session, driver.app.screen.NAME) == (session, name)
    assert driver.app.focused is not None
    assert all(one.size.height for one in driver.app.screen.query(OptionList) if one.has_focus)


@every
def test_a_resize_of_the_first_screen_loses_nothing(size: tuple[int, int]) -> None:
    play(resize_through_all, size, session=given(**EDA))


@thorough
def test_a_resize_of_another_screen_or_pane_loses_nothing() -> None:
    async def scene(driver: Driver) -> None:
        for key in ("tab", "r", "e", "slash", "question_mark", "l", "c"):
            await driver.press(key)
            await resize_through_all(driver)
            await driver.press("escape")
            if len(driver.app.screen_stack) > 1:
                await driver.press("escape")
            assert len(driver.app.screen_stack) == 1

    play(scene, ALL[-1], session=given(**EDA))


def test_no_key_does_two_things() -> None:
    """Neither two commands of one screen, nor a command and a choice."""
    screens = QuestionScreen, ReviewScreen, MountsScreen, CheckScreen, FindScreen, ExportScreen, ExplanationScreen
    for sheet in screens:
        taken: dict[str, str] = {}
        for kind in sheet.__mro__:
            for binding in vars(kind).get("BINDINGS", ()) if issubclass(kind, SessionScreen) else ():
                for key in binding.key.split(","):
                    same = taken.setdefault(key, binding.action) == binding.action
                    assert same or kind in (SessionScreen, SubScreen), (sheet, key)
    commands = {key for binding in QuestionScreen.BINDINGS for key in binding.key.split(",")}
    assert not commands & set("0123456789")


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
@pytest.mark.parametrize("key", some(
    ["Enter choose", "d don't know", "Esc back", "Tab settings", "u undo", "? keys"], 3,
))
def test_each_key_of_the_footer_is_a_click(key: str, size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        await driver.press("down")  # to an answer
        app.change(lambda: state.answer(BASE, app.session, "client.memory_gib", 64))
        await driver.press()
        before = app.screen, app.focused, app.session
        await click(driver, key)
        assert (app.screen, app.focused, app.session) != before

    play(scene, size, session=given(**EDA))


@both
def test_a_setting_is_explained_by_a_click_and_left_by_another(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        first = driver.app.screen
        if size[0] < 100:
            await driver.press("tab")
        await click(driver, "vers=3    ")
        await driver.pilot.pause(1)
        driver.sees("Azure NetApp Files", "mount.vers")
        if driver.app.screen is not first:  # else it stands beside the list
            key, says, _ = driver.app.screen.query_one(KeyBar).keys[-1]
            await click(driver, f"{key} {says}")
            assert driver.app.screen is first

    play(scene, size, session=given(**EDA))


@pytest.mark.parametrize("what", ["Review all answers", "Export the configuration", "Compare with an fstab"])
def test_the_ways_on_at_the_end_are_clicks(what: str) -> None:
    async def scene(driver: Driver) -> None:
        first = driver.app.screen
        await click(driver, what)
        assert driver.app.screen is not first
        assert isinstance(driver.app.screen, SessionScreen) or driver.app.screen.is_modal

    play(scene, (120, 40), session=given(**DONE))


def test_the_wheel_scrolls_what_is_under_it() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("tab", "o")
        settings = driver.app.screen.query_one(SettingList)
        before = settings.scroll_y
        settings.post_message(MouseScrollDown(settings, 5, 2, 0, 1, 0, False, False, False))
        await driver.pilot.pause(0.5)
        assert settings.scroll_y > before

    play(scene, (80, 24), session=given(**EDA))


def test_the_focus_is_where_it_was_when_the_terminal_gets_the_focus_back() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("tab")
        settings = driver.app.screen.query_one(SettingList)
        assert settings.has_focus
        for event in (AppBlur(), AppFocus()):
            driver.app.post_message(event)
            await driver.press()
        assert settings.has_focus

    play(scene, session=given(**ANF))


@both
def test_the_line_has_a_cursor_that_tells_the_reason_of_each_option(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        hero = driver.app.screen.query_one(Hero)
        told = []
        for _ in hero.line.options:
            option = hero.option
            assert option is not None
            advice = questions.preview(BASE, driver.app.session)
            row = next(row for row in advice.rows if row.tunable == option.tunable)
            driver.sees(f"{option.text} {holder(advice, row) or option.look}")
            told.append(option.text)
            await driver.press("right")
        assert told[0] == hero.option.text, "it begins anew at the end"
        await click(driver, "rsize=262144")
        assert hero.option.text == "rsize=262144"
        await driver.press("tab", "left")
        assert hero.option.text != "rsize=262144", "the arrows go along the line from every focus"
        await driver.press("w")
        assert isinstance(driver.app.screen, ExplanationScreen)

    play(scene, size, session=given(**EDA))


@pytest.mark.parametrize("key", ["enter", "ctrl+j"])
def test_letters_go_into_a_field_only_after_enter(key: str) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        app.go_to_question("client.memory_gib")
        await driver.press("t", "u")
        assert app.screen.query_one(Input).value == ""
        await driver.press(key, "a", "b")
        assert app.screen.query_one(Input).value == "ab"
        await driver.press("escape")
        assert app.screen.query_one(Input).value == "", "ab is no number"
        await driver.press(*"64", key)
        assert app.session.answers.facts["client.memory_gib"] == 64
        await driver.press("u")
        assert "client.memory_gib" not in app.session.answers.facts

    play(scene, session=given(**EDA))


def test_quitting_asks_if_answers_would_be_lost() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "q")
        assert isinstance(driver.app.screen, Confirm)
        await driver.press("escape")
        assert driver.app.session.answers.facts == {"storage.platform": "anf"}
        await driver.press("q", "2")
        assert not driver.app._running or driver.app._exit

    play(scene)


def test_choices_that_are_refused_are_marked_and_ask_however_they_are_chosen() -> None:
    async def scene(driver: Driver) -> None:
        app, choices = driver.app, driver.app.screen.query_one(Choices)
        for how in ("key", "enter", "click"):
            app.go_to_question("client.distro")
            await driver.press()
            place = next(place for place, choice in enumerate(choices.choices) if choice.value == "debian")
            assert choices.choices[place].note == CONTRADICTS
            driver.sees("Debian ✗ contradicts")
            if how == "key":
                await driver.type_ahead([choices.keys[place], "2"])  # 2 would drop the earlier answer
            elif how == "enter":
                choices.highlighted = place
                await driver.press()
                driver.sees("Contradicts: Which kernel do the clients run?")
                await driver.press("enter")
            else:
                await click(driver, "Debian")
            driver.sees("this contradicts an earlier answer")
            assert app.screen.query_one("#ask").has_class("-refused")
            await driver.press("escape")
            driver.sees("Which distribution do the clients run?", "contradicts")
            assert not app.screen.query_one("#ask").has_class("-refused"), "one step back, not two"
            assert "client.distro" not in app.session.order

    play(scene, session=given(**EDA))


def test_an_answer_with_which_it_fails_asks_first() -> None:
    async def scene(driver: Driver) -> None:
        app, choices = driver.app, driver.app.screen.query_one(Choices)
        choices.highlighted = next(place for place, one in enumerate(choices.choices) if one.value == "not-nfs")
        await driver.press("enter")
        driver.sees("this will fail", "It does not serve NFS")
        assert app.screen.query_one("#ask").has_class("-refused")
        assert not app.session.answers.facts
        await driver.press("2")
        assert app.session.answers.facts == {"storage.platform": "not-nfs"}

    play(scene)


def test_keys_typed_before_a_warning_do_not_confirm_it() -> None:
    async def scene(driver: Driver) -> None:
        app, choices = driver.app, driver.app.screen.query_one(Choices)
        choices.highlighted = next(place for place, one in enumerate(choices.choices) if one.value == "not-nfs")
        await driver.type_ahead(["enter", "2", "2", "enter"])
        driver.sees("this will fail")
        assert not app.session.answers.facts
        await driver.press("2")
        assert app.session.answers.facts == {"storage.platform": "not-nfs"}

    play(scene)


def test_a_letter_jumps_to_a_pane() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("j")
        overlay = driver.app.screen
        assert isinstance(overlay, Jump)
        letter = next(letter for letter, pane in overlay.panes.items() if isinstance(pane, SettingList))
        await driver.press(letter)
        assert driver.app.screen.query_one(SettingList).has_focus

    play(scene, session=given(**EDA))


def test_an_open_field_has_the_focus_before_the_next_message() -> None:
    async def scene(driver: Driver) -> None:
        page = driver.app.screen_stack[0]
        page.set_focus(page.query_one(Choices))  # it tells the screen later that it has the focus
        page.query_one(LineField).open()
        assert page.focused is page.query_one(LineField)
        await driver.press("1", "n")
        assert page.query_one(LineField).value == "n"

    app = play(scene, session=state.start())
    assert not app.screen_stack
    app._resume_prefetching()  # a timer that was set by the last key


@pytest.mark.parametrize("lines", some([2, 0], 2))
def test_what_is_written_at_the_first_question_goes_into_its_field(lines: int) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        app.mounts = nfs_lines(BASE, "nas1:/a /a nfs hard 0 0\nnas1:/b /b nfs hard 0 0\n", "fstab")[:lines]
        before = app.session
        written = [char for char in string.printable if char.isprintable()]
        await driver.type_ahead(["1", *written])
        assert app.screen.query_one(Input).value == "".join(written)
        assert app.session == before
        choices = app.screen.query_one(Choices)
        assert not any(str(option.prompt).startswith("1") for option in choices.options), "a digit chooses nothing now"
        await driver.press("escape", "escape", "1", "x")
        assert app.screen.query_one(Input).value.endswith("x"), "it is open again when it is shown again"
        await driver.press("ctrl+u", "escape", "1")
        assert app.session.answers.names.get("target") == ("/a" if lines else None)

    play(scene, session=state.start())


@pytest.mark.parametrize("size", [(40, 15), (80, 24)])
def test_the_settings_are_one_a_line_also_when_they_are_shown_first(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("tab")
        settings = driver.app.screen.query_one(Preview)
        of_mount = [row.drawn for row in settings.rows if row.key and row.key[1].startswith("mount.")]
        longest = max(len("".join(run.text for run in drawn).rstrip()) for drawn in of_mount)
        assert longest <= settings.content_size.width

    play(scene, size, session=given(**ANF))


@pytest.mark.parametrize("pane", ["Preview", "Choices"])
def test_what_has_the_focus_is_in_sight_also_after_a_resize_and_a_step_back(pane: str) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        app.screen.query_one(pane).focus()  # as a click does
        await driver.press()
        await driver.pilot.resize_terminal(40, 15)
        await driver.press()
        assert app.focused is app.screen.query_one(pane)
        assert app.focused.region.area
        await driver.press("b")
        assert app.focused is not None
        assert app.focused.region.area, "the field of the mount, too"

    play(scene, session=state.go(state.start(), None))


KERNEL = "client.kernel"


def test_a_word_goes_into_the_field_of_the_question() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question(KERNEL)
        await driver.press()
        await driver.type_ahead([*"Rocky 9.4", "enter"])
        assert isinstance(driver.app.screen, QuestionScreen)
        known = driver.app.session.answers
        assert known.facts["client.distro"] == "rhel"
        assert known.facts["client.release"] == "9.4"
        driver.sees("answered: that of Red Hat Enterprise Linux")
        await driver.press("r")
        driver.sees("Which kernel do the clients run? that of Red Hat")

    play(scene, session=given(**ANF))


@pytest.mark.parametrize("keys", some([[], ["r"], ["g"], ["tab", "enter"]], 4))
def test_a_word_that_no_field_takes_is_searched_for(keys: list[str]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press(*keys)
        before = driver.app.session
        await driver.type_ahead("Amazon Linux 2023")
        assert driver.app.session == before
        assert isinstance(driver.app.screen, FindScreen)
        assert driver.app.screen.query_one(Input).value == "Amazon Linux 2023"

    play(scene, session=given(**ANF))


@pytest.mark.parametrize("text", ["fs-0a1b.efs.amazonaws.com:/ /w", "x.y:/v /v", "10.0.0.4:/v /v", "n1:/v /v"])
def test_a_mount_sent_at_once_goes_into_its_field_however_it_begins(text: str) -> None:
    async def scene(driver: Driver) -> None:
        await driver.type_ahead(text)
        assert driver.app.screen.query_one(Input).value == text
        assert not driver.app.session.touched

    play(scene, session=state.start())


@pytest.mark.parametrize("keys", ["ur", "uuuu"])
def test_what_is_no_word_are_commands(keys: str) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "1")
        await driver.type_ahead(keys)
        assert not isinstance(driver.app.screen, FindScreen)
        assert not driver.app.session.answers.facts.get("workload.kind")
        assert driver.app.session.future

    play(scene)


def test_letters_pressed_one_by_one_are_commands() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("u", "r")
        assert isinstance(driver.app.screen, ReviewScreen)
        await driver.press("escape", "m", "e")
        assert isinstance(driver.app.screen, ExportScreen)

    play(scene, session=given(**ANF))


def test_undo_says_what_it_undid_and_more_what_it_asks() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1")
        asked = wording.question(BASE, "storage.platform")
        await driver.press("u")
        driver.sees(f"Undone: {asked} Azure NetApp Files")
        await driver.press("1", "m")
        driver.sees("m leaves them out again")

    play(scene)


def test_esc_in_more_questions_goes_to_what_is_next() -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("What next")
        await driver.press("m")
        assert driver.app.screen.query_one("QuestionPane").fact is not None
        await driver.press("escape")
        driver.sees("What next")

    play(scene, session=given(**DONE))


def test_the_panes_show_through_the_jump_letters() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("j")
        assert isinstance(driver.app.screen, Jump)
        assert driver.app.screen.styles.background.a == 0

    play(scene)


def test_a_pin_that_loses_data_is_asked_back() -> None:
    async def scene(driver: Driver) -> None:
        for value, asks in (("soft", True), ("hard", False)):
            driver.app.pin("mount.hard")
            await driver.press("ctrl+u")
            await driver.write(value)
            await driver.press("enter")
            assert isinstance(driver.app.screen, Confirm) is asks
            if asks:
                driver.sees("soft can lose writes")
                await driver.press("1")
                assert not driver.app.session.answers.pins
        assert driver.app.session.answers.pins == {"mount.hard": "hard"}

    play(scene, session=given(**ANF))


def test_a_refused_pin_stays_in_the_field() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.pin("mount.nconnect")
        await driver.press("ctrl+u")
        await driver.write("32")
        await driver.press("enter")
        driver.sees("it can be 1 to 16")
        assert driver.app.screen.query_one(Input).value == "32"

    play(scene, session=given(**ANF))


@each(lambda: [
    ("nas", 0, True), ("aaa", 0, False), ("na", 0, False), ("n1:", 0, True), ("fs-0a", 0, True), ("12:", 0, True),
    ("na.", 0, True), ("na,", 0, False), ("-ab", 0, False), ("nas", TOGETHER, True), ("nas", TOGETHER * 2, False),
    ("1" * (FAR - 1) + ":", 0, True), ("1" * FAR + ":", 0, False), ("aa\0", 0, False),
    ("1nas:", 0, False), ("12nas:", 0, True), ("1.2", 0, True),
])
def test_letters_at_once_are_a_word_and_one_that_is_held_down_is_none(text: str, gap: float, word: bool) -> None:
    keys: Any = deque(SimpleNamespace(character=letter.strip("\0"), time=at * gap) for at, letter in enumerate(text))
    queue: Any = SimpleNamespace(waiting=keys)
    assert KeyQueue._is_word(queue) is word

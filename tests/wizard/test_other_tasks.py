"""What the first screen offers besides a configuration: check, check this host, something is wrong, compare, watch."""

from __future__ import annotations

import argparse
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key

from advisor.advice.answers_file import answers_text
from advisor.cli.wizard import configure, judge_host
from advisor.diagnose.diagnosis import ASK, CANNOT
from advisor.lint.fix import LookAtHost, accept, fix_finding, lint_file
from advisor.lint.run import lint_text
from advisor.wizard import files, mounts, state
from advisor.wizard.check import CheckScreen, EnvironmentsScreen, HostScreen
from advisor.wizard.commands import command_at, commands_of
from advisor.wizard.diagnose import DiagnoseScreen
from advisor.wizard.lists import ReviewScreen
from advisor.wizard.screen import EXIT_TO_WATCH
from advisor.wizard.texts import CheckedText
from tests.tiers import some
from tests.wizard.driving import ANF, BASE, DONE, EDA, Driver, both, given, play
from tests.wizard.prompting import run

WATCH = command_at("watch", "tasks")
TASKS = [task for task in commands_of("tasks") if task.screen]
SCREENS = {"diagnose": DiagnoseScreen, "check": CheckScreen, "check_host": HostScreen,
           "environments": EnvironmentsScreen}
LINE = "nas:/x /mnt nfs vers=3,nconnect=32,soft 0 0"


@both
def test_each_task_is_on_the_first_screen_and_esc_leads_back(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        for task in TASKS:
            choices = driver.app.screen.query_one("Choices")
            place = [one.label for one in choices.choices].index(task.title)
            await driver.press("home", *["down"] * place, "enter")
            assert driver.app.screen.NAME == SCREENS[task.name].NAME
            assert "Esc back" in driver.text().split("\n")[-1]
            await driver.press("escape")
            assert driver.app.screen.NAME == "Start"
            assert driver.app.session.at == state.MOUNT

    play(scene, size, session=state.start())


def test_escape_and_return_are_alt_and_enter() -> None:
    keys = [event.key for event in XTermParser().feed("\x1b\r\r") if isinstance(event, Key)]
    assert keys == ["alt+enter", "enter"]


async def told(driver: Driver, screen: CheckScreen | DiagnoseScreen, text: str, *before: str) -> Any:
    """The screen that was opened and given a text; `before`: what it shows until then."""
    driver.app.push_screen(screen)
    await driver.press()
    driver.sees(*before)
    if isinstance(screen, CheckScreen):
        screen.query_one("Input").value = text
    else:
        screen.query_one("TextArea").text = text
    await driver.press("enter" if isinstance(screen, CheckScreen) else "f2")
    return driver.app.screen


def test_a_line_is_checked_mended_and_accepted(tmp_path: Path) -> None:
    saved = tmp_path / "fstab.mended"

    async def scene(driver: Driver) -> None:
        page = await told(driver, CheckScreen(), LINE)
        driver.sees("nconnect takes a number from 1 to 16")
        before = [one.rule for one in page.findings]
        fixable = next(place for place, one in enumerate(page.findings) if one.fix)
        await driver.press("home", *["down"] * fixable, "f")
        assert page.checked.text != LINE
        assert len(page.findings) < len(before)
        await driver.press("u")
        assert page.checked.text == LINE
        await driver.press("home", "a")
        await driver.write("the vendor asked for it")
        await driver.press("enter")
        assert page.checked.text.startswith("# advisor: ignore[")
        assert len(page.findings) < len(before)
        await driver.press("s", "ctrl+u")
        driver.app.screen.query_one("Input").value = str(saved)
        await driver.press("enter")
        assert saved.read_text() == page.checked.text
        await driver.press("s", "ctrl+u")
        driver.app.screen.query_one("Input").value = str(saved)
        await driver.press("enter")
        assert any("exists; choose another name" in one.message for one in driver.app._notifications)

    play(scene, session=given(**ANF))


def test_a_file_that_is_not_understood_is_never_called_clean(tmp_path: Path) -> None:
    (tmp_path / "poem").write_text("roses are red\nviolets are blue\n")

    async def scene(driver: Driver) -> None:
        await told(driver, CheckScreen(), str(tmp_path / "poem"))
        driver.sees("does not look like a file that advisor judges")
        assert "Nothing to object to" not in driver.text()

    play(scene)


def test_mending_one_finding_leaves_the_others() -> None:
    found = lint_file(BASE, LINE, "fstab", {}).findings
    for one in found:
        after = fix_finding(BASE, LINE, "fstab", {}, one)
        rules = {other.rule for other in lint_text(after, "fstab", BASE, {}).findings if other.severity == "error"}
        assert (after == LINE) or one.rule not in rules
        accepted = accept(BASE, LINE, "fstab", {}, one, reason="because")
        assert one.rule not in {other.rule for other in lint_file(BASE, accepted, "fstab", {}).findings}


def test_a_finding_within_an_entry_is_accepted_above_it() -> None:
    text = "/srv \\\n  192.0.2.1(rw,no_root_squash,insecure)\n"
    found = [one for one in lint_file(BASE, text, "/etc/exports", {}).findings if one.line == 2]
    assert found
    for one in found:
        accepted = accept(BASE, text, "/etc/exports", {}, one, reason="because")
        assert accepted.startswith("# advisor: ignore[")
        assert accepted.endswith(text)


def test_the_output_of_a_program_takes_no_comment() -> None:
    text = "nas1:/data on /mnt type nfs (rw,relatime,vers=3,soft,proto=udp,addr=192.0.2.1)\n"
    found = lint_file(BASE, text, "mount", {}).findings
    assert found
    assert {accept(BASE, text, "mount", {}, one, reason="because") for one in found} == {text}


def test_two_environments_are_compared(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(answers_text(given(**DONE).answers))
    files.save_session(tmp_path / "wizard-prod.json", files.to_text(given(**DONE)))

    async def scene(driver: Driver) -> None:
        driver.app.push_screen(EnvironmentsScreen())
        await driver.press()
        driver.sees("Sessions: prod")
        for name in (str(tmp_path / "answers.yaml"), "prod"):
            driver.app.screen.query_one("Input").value = name
            driver.app.screen.query_one("Input").focus()
            await driver.press("enter")
            driver.sees("Different answers", "Azure NetApp Files → Amazon EFS", "Different advice there")
        driver.app.screen.query_one("Input").focus()
        driver.app.screen.query_one("Input").value = "/nowhere/answers.yaml"
        await driver.press("enter")
        driver.sees("/nowhere/answers.yaml")

    play(scene, session=given(**EDA), path=tmp_path / "wizard.json")


@both
def test_the_door_to_the_mounts_makes_way_and_loses_nothing(size: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "wizard.json"

    async def scene(driver: Driver) -> None:
        await driver.press("escape", "escape")
        choices = driver.app.screen.query_one("Choices")
        place = [one.label for one in choices.choices].index(WATCH.title)
        await driver.press("home", *["down"] * place, "enter")
        assert not driver.app.is_running

    session = state.go(given(**ANF), state.MOUNT)
    app = play(scene, size, session=session, path=path, may_watch=True)
    assert app.return_value == EXIT_TO_WATCH
    assert app.session == session


def test_watching_is_not_offered_where_nobody_shows_the_mounts() -> None:
    async def scene(driver: Driver) -> None:
        assert WATCH.title not in [one.label for one in driver.app.screen.query_one("Choices").choices]

    play(scene, session=state.start())


@pytest.mark.parametrize("may_watch", some([True, False], 2))
def test_each_task_is_among_the_commands_of_every_screen(may_watch: bool) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        await driver.press("1")
        for make in (None, ReviewScreen):
            if make is not None:
                app.push_screen(make())
                await driver.press()
            offered = {one.title: one.callback for one in app.get_system_commands(app.screen)}
            assert (WATCH.title in offered) == may_watch
            for task in TASKS:
                offered[task.title]()
                await driver.press()
                assert app.screen.NAME == SCREENS[task.name].NAME
                await driver.press("escape")
                assert (make.NAME if make else "Questions") == app.screen.NAME

    play(scene, may_watch=may_watch)


@pytest.fixture
def look(tmp_path: Path) -> LookAtHost:
    """A host with a line that mount(8) refuses, and an export to everybody."""
    etc = tmp_path / "etc"
    etc.mkdir()
    (etc / "fstab").write_text("nas:/x /mnt nfs vers=3,intr,nconnect=32 0 0\n")
    (etc / "exports").write_text("/srv *(rw,no_root_squash)\n")
    top = argparse.ArgumentParser()
    configure(top)
    return partial(judge_host, top.parse_args(["--no-config"]), str(tmp_path))


@both
def test_each_finding_of_a_host_is_explained_and_mended_in_its_file(size: tuple[int, int], look: LookAtHost) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.push_screen(HostScreen())
        await driver.press()
        page = driver.app.screen
        assert isinstance(page, HostScreen)
        for _ in range(600):
            if page.findings:
                break
            await driver.pilot.pause(0.05)
        files = {one.result.name for one, _ in page.findings}
        assert {name.rsplit("/", 1)[-1] for name in files} >= {"fstab", "exports"}
        place = next(
            row for row, one in enumerate(page.query_one("SettingList").rows) if "intr" in one.plain
        )
        page.query_one("SettingList").highlighted = place
        await driver.press("enter")
        driver.sees("intr")
        await driver.press("escape", "f")
        text = driver.app.screen
        assert text.NAME == "Check"
        assert "intr" in (text.finding.message if text.finding else "")
        await driver.press("f")
        assert "intr" not in text.checked.text
        await driver.press("escape")
        driver.sees("1 change to", "not saved")
        await driver.press("1")
        assert driver.app.screen is text
        await driver.press("escape", "2")
        assert driver.app.screen is page
        await driver.press("escape")
        assert driver.app.session.at == state.MOUNT

    play(scene, size, session=state.start(), check_host=look)


def test_the_same_at_the_prompts(look: LookAtHost, tmp_path: Path) -> None:
    saved = tmp_path / "mended"
    listed = run("host", "", "q", check_host=look).says("Looking at this host", "nconnect takes a number from 1 to 16")
    number = re.findall(r"(\d+) \w+, \S*fstab, line 1: intr", listed.flat)[0]
    ran = run("host", number, f"f {number}", "f 1", "f 2", "f 3", f"s {saved}", "", "", "q", check_host=look)
    ran.says("Saved", "Where does the data live?")
    assert "intr" not in saved.read_text()


def test_a_host_that_cannot_be_looked_at_is_no_clean_host() -> None:
    def look(_: object) -> list:
        raise ValueError("--root /nowhere: there is no such folder")

    run("host", "q", check_host=look).says("there is no such folder").lacks("Nothing to object to")


DENIED = "mount.nfs: access denied by server while mounting nas:/srv/data"


@both
def test_a_check_narrows_the_causes_and_can_be_taken_back(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        page = await told(driver, DiagnoseScreen(), DENIED, "Paste a message")
        driver.sees("Check on the")
        first = page.step
        await driver.press("d")
        assert page.evidence == [CANNOT]
        assert page.step != first
        await driver.press("u")
        assert page.step == first
        await driver.press("1")
        assert page.step is None
        assert [one.cause.id for one in page.diagnosis.confirmed()] == [first.choices[0][0]]
        driver.sees("the check showed it")
        await driver.press("u")
        assert page.step == first
        refused = "refused mount request from 10.0.0.9 for /srv/data (/): unmatched host"
        page.query_one("TextArea").text = f"{DENIED}\n{refused}"
        await driver.press("f2")
        driver.sees("proof")
        assert len(page.evidence) == 1
        assert "mountd.unmatched-host" in page.diagnosis.evidence.seen
        assert page.step != first
        await driver.press("u")
        assert page.step == first
        await driver.press("escape")
        assert driver.app.screen.NAME == "Start"

    play(scene, size, session=state.start())


@both
@pytest.mark.parametrize(
    "text", some([DENIED, "mount_nfs: can't mount /srv from nas onto /mnt: Operation not permitted"], 2)
)
def test_every_outcome_is_in_sight_and_whatever_is_below_is_announced(size: tuple[int, int], text: str) -> None:
    async def scene(driver: Driver) -> None:
        page = await told(driver, DiagnoseScreen(), text)
        await driver.press()
        driver.sees(*(word for _, words in page.step.choices for word in words.split()))
        assert "I cannot check that" in driver.text()
        for pane, parts in (("#causes", ("#causes",)), ("#next", ("#how", "Choices"))):
            rest = [page.query_one(part).max_scroll_y > 0 for part in parts]
            assert any(rest) == ("more:" in str(page.query_one(pane).border_subtitle)), driver.text()
        while page.focused.id != "causes":
            await driver.press("tab")
        step = page.step
        await driver.press("d")
        assert page.evidence == [CANNOT]
        await driver.press("u")
        page.query_one("#causes").focus()
        await driver.press("enter")
        assert page.evidence == [step.choices[0][0]]

    play(scene, size, session=state.start())


def test_a_key_that_is_typed_during_a_diagnosis_answers_its_check() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.push_screen(DiagnoseScreen())
        await driver.press()
        page: Any = driver.app.screen
        assert not driver.app.keys_typed._busy(), "no key waits before there is something to work out"
        page.query_one("TextArea").text = DENIED
        await driver.type_ahead(["f2", "1"])
        assert page.query_one("TextArea").text == DENIED
        assert len(page.evidence) == 1

    play(scene, (100, 40), session=state.start())


def test_the_server_is_asked_if_one_chooses_so(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def ask(_: object, server: str, path: str) -> dict[str, object]:
        asked.append((server, path))
        return {"probe.path": "absent", "probe.listed": True, "probe.inside": False, "probe.admitted": "no"}

    monkeypatch.setattr("advisor.probe.evidence.ask", ask)

    async def scene(driver: Driver) -> None:
        page = await told(driver, DiagnoseScreen(), DENIED)
        driver.sees("Ask nas over the network now")
        assert asked == [], "it is offered, and not done"
        first = page.step
        await driver.press(str([value for value, _ in first.choices].index(ASK) + 1))
        await driver.app.workers.wait_for_complete()
        await driver.press()
        assert asked == [("nas", "/srv/data")]
        driver.sees("nas was asked: that rules out")
        assert [one.cause.id for one in page.diagnosis.confirmed()] == ["export-other-clients"]
        await driver.press("u")
        assert page.step == first
        assert len(asked) == 1, "taking it back asks nothing"

    play(scene, (100, 40), session=state.start())


def test_nothing_is_no_name_of_a_file() -> None:
    async def scene(driver: Driver) -> None:
        for screen in (EnvironmentsScreen(), CheckScreen()):
            driver.app.push_screen(screen)
            await driver.press("ctrl+u", "enter")
            driver.sees("Write the name of a")
            assert "not found" not in driver.text()

    play(scene, session=state.start())


def test_a_file_can_be_named_and_nothing_is_no_question(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(DENIED)

    async def scene(driver: Driver) -> None:
        driver.app.push_screen(DiagnoseScreen())
        await driver.press("f2")
        driver.sees("Paste a message")
        driver.app.screen.query_one("TextArea").text = str(log)
        await driver.press("f2")
        driver.sees("The export names other clients")
        assert driver.app.screen.diagnosis.possible()

    play(scene, (80, 24), session=state.start())


@both
def test_letters_go_into_the_text_only_after_enter_and_nothing_written_is_lost(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        page = await told(driver, DiagnoseScreen(), DENIED)
        first, field = page.step, page.query_one("TextArea")
        while not field.has_focus:
            await driver.press("tab")
        driver.sees("Enter write in it")
        await driver.press("1")
        assert field.text == DENIED, "a digit is that of an outcome"
        assert page.evidence == [first.choices[0][0]]
        await driver.press("u")
        field.focus()
        await driver.press("question_mark")
        driver.sees("Keys: Something is wrong")
        await driver.press("escape", "backspace", "enter", "x", "1")
        assert field.text == f"x1{DENIED}"
        await driver.press("escape", "escape")
        assert driver.app.screen.NAME == "Start"
        await driver.press("3")
        again = driver.app.screen
        assert again.query_one("TextArea").text == f"x1{DENIED}"
        assert again.step == first
        await driver.press("x")
        assert driver.app.screen.query_one("TextArea").text == ""

    play(scene, size, session=state.start())


@pytest.mark.parametrize("name", ["check", "environments", "mounts", "export"])
def test_letters_go_into_a_field_only_while_it_is_open_and_stay_there(name: str) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        app.screen.action_command(name)
        await driver.press()
        field = app.screen.query_one("Input")
        await driver.press("end", "a")
        written = field.value
        assert written.endswith("a")
        app.screen.query_one("SettingList").focus()
        await driver.press()
        field.focus()
        await driver.press("b", "backspace")
        assert field.value == written
        await driver.press("enter", "end", "b", "escape", "c")
        assert field.value == f"{written}b"
        await driver.press("escape")
        app.screen.action_command(name)
        await driver.press()
        kept = "nfs-config" if name == "export" else f"{written}b"  # a folder in which nothing was written is dropped
        assert app.screen.query_one("Input").value == kept

    play(scene, session=given(**ANF))


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
def test_what_was_written_and_not_used_yet_is_not_lost_when_one_quits(key: str) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("3")
        await driver.write("access denied")
        await driver.press("ctrl+q" if key == "ctrl+q" else "escape", *["q"] * (key == "q"))
        driver.sees("Leave?", "'Something is wrong' is not diagnosed yet")
        await driver.press("escape", *["3"] * (key == "q"))
        assert driver.app.screen.query_one("TextArea").text == "access denied"
        await driver.press("enter", "ctrl+q")
        assert driver.app._exit, "what was diagnosed is not lost"

    play(scene, session=state.start())


def test_a_fix_that_is_not_saved_is_not_lost_when_one_quits() -> None:
    async def scene(driver: Driver) -> None:
        await told(driver, CheckScreen(), LINE)
        await driver.press("down", "f", "ctrl+q")
        driver.sees("Leave?", "1 change to the line not saved")

    play(scene)


def test_a_line_of_another_server_is_not_judged_by_the_answers() -> None:
    session = mounts.use_text(BASE, state.start(), "nas1:/vol1 /mnt/a")
    session = state.answer(BASE, state.answer(BASE, session, "storage.platform", "synology"), "host.role", "nfs-client")
    for server, wrong in (("nas1", True), ("nas9", False)):
        line = f"{server}:/vol1 /mnt/a nfs vers=4.2 0 0"
        text = CheckedText.read(BASE, line, {})
        mounts.judge_by_answers(BASE, session, text)
        text.check()
        assert ["vers=4.2: the server has at most" in one.message for one in text.findings] == [True] * wrong
        ran = run(f"check {line}", "", "q", session=session)
        assert ("vers=4.2: the server has at most" in ran.flat) is wrong
    assert "storage.platform" not in mounts.host_facts(BASE, session)
    unnamed = given(storage__platform="synology", host__role="nfs-client")
    assert mounts.host_facts(BASE, unnamed)["storage.platform"] == "synology"

"""Every screen at every size, and after a resize: what nobody can do without is there, whole."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import cast

import pytest
from textual.screen import Screen
from textual.widgets import Static

import advisor.wizard
from advisor.lint.fix import JudgedFile
from advisor.wizard import state
from advisor.wizard.app import StartScreen, Wizard
from advisor.wizard.check import CheckScreen, EnvironmentsScreen, HostScreen
from advisor.wizard.diagnose import DiagnoseScreen
from advisor.wizard.dialogs import CANCEL_HINT, Confirm, Jump, Prompt
from advisor.wizard.explanation import FindScreen, explanation
from advisor.wizard.lists import ExportScreen, MountsScreen, ResultScreen, ReviewScreen, TextScreen
from advisor.wizard.question_screen import QuestionScreen
from advisor.wizard.screen import KeyedScreen, KeyPage
from advisor.wizard.widgets import KeyBar
from tests.tiers import sizes, thorough
from tests.wizard.driving import DONE, EDA, Driver, given, play

SIZES = ((40, 15), (80, 24), (120, 40), (200, 60))
every_size = sizes(*SIZES)
Make = Callable[[Wizard], Screen]
MAKE: dict[str, Make] = {
    "explanation": lambda app: explanation(app, "setting", "mount.nconnect"),
    "why not": lambda app: explanation(app, "setting", "mount.nconnect", "why_not"),
    "what if": lambda app: explanation(app, "setting", "mount.nconnect", "what_if"),
    "pin": lambda app: explanation(app, "setting", "mount.nconnect", "pin"),
    "claim": lambda app: explanation(app, "page", "anf-module.slots-table"),
    "review": lambda _: ReviewScreen(), "export": lambda _: ExportScreen(), "result": lambda _: ResultScreen(),
    "find": lambda _: FindScreen(), "keys": lambda app: KeyPage(cast(KeyedScreen, app.screen)),
    "mounts": lambda _: MountsScreen(), "check": lambda _: CheckScreen(),
    "host": lambda _: HostScreen(), "environments": lambda _: EnvironmentsScreen(), "wrong": lambda _: DiagnoseScreen(),
    "jump": lambda app: Jump([app.focused] if app.focused else []),
    "text": lambda _: TextScreen("fstab", "the mount line", "nas1:/data /mnt/data nfs hard 0 0"),
    "prompt": lambda _: Prompt("Which file?", "Its NFS lines are offered.", "/etc/fstab"),
    "confirm": lambda _: Confirm("Pin it?", "The mount would fail.", ["Leave it", "Pin it all the same"]),
}


def no_files(_: object) -> list[JudgedFile]:
    return []


def every_screen() -> set[str]:
    for one in pkgutil.iter_modules(advisor.wizard.__path__):
        if one.name != "web":  # it needs packages that only it uses
            importlib.import_module(f"advisor.wizard.{one.name}")
    found, kinds = set(), [Screen]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        mine = kind.__module__.startswith("advisor.wizard") and kind.__module__ != "advisor.wizard.live"
        if mine and not kind.__subclasses__():
            found.add(kind.__name__)
    return found


def out_of_here(driver: Driver) -> None:
    """The way out can be read, and the way on: what is asked, and the line that comes of it."""
    screen = driver.app.screen
    text = driver.text()
    width, height = driver.app.size
    rows = text.split("\n")
    assert len(rows) == height
    for one in screen.query(Static):
        room = one.content_size
        assert one.get_content_height(room, driver.app.size, room.width) <= room.height, f"{one} is cut off"
    assert all(len(row) <= width for row in rows)
    if not isinstance(screen, KeyedScreen):
        assert CANCEL_HINT in text
        return
    key, says, _ = screen.query_one(KeyBar).keys[-1]
    assert says in ("quit", "back")
    assert rows[-1].rstrip().endswith(f"{key} {says}"), rows[-1]


@thorough
def test_the_way_out_is_on_every_screen_also_after_a_resize() -> None:
    """Each screen is opened at each size, and gets each size from another one."""
    async def scene(driver: Driver) -> None:
        app = driver.app
        for name, make in MAKE.items():
            for other in (*SIZES[1:], SIZES[0]):
                app.push_screen(make(app))
                await driver.press()
                out_of_here(driver)
                await driver.pilot.resize_terminal(*other)
                await driver.press()
                assert app.size == other
                out_of_here(driver)
                seen.update(type(one).__name__ for one in app.screen_stack)
                while len(app.screen_stack) > 1:
                    before = len(app.screen_stack)
                    await driver.press("escape")
                    assert len(app.screen_stack) < before, name
        assert app.session == session

    session, seen = given(**EDA), set[str]()
    play(scene, SIZES[0], session=session, check_host=no_files)
    assert seen == every_screen() - {"StartScreen"}, "which is left by a choice"


@every_size
def test_the_start_is_whole_at_every_size(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        assert isinstance(driver.app.screen, StartScreen)
        out_of_here(driver)
        driver.sees("1 Configure a mount", "2 Configure a server", "6 Compare two environments")
        await driver.pilot.resize_terminal(*next(one for one in SIZES if one != size))
        await driver.press()
        out_of_here(driver)

    play(scene, size, session=state.start())


@thorough
def test_a_question_is_found_from_every_screen_and_esc_leads_back() -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        for name, make in MAKE.items():
            screen = make(app)
            app.push_screen(screen)
            await driver.press()
            app.go_to_question("client.kernel")
            await driver.press()
            assert app.screen.NAME == "Questions", name
            await driver.press("escape", "escape")
            assert type(app.screen) in (type(screen), QuestionScreen), name
            while len(app.screen_stack) > 1:
                await driver.press("escape")

    play(scene, session=given(**EDA), check_host=no_files)


@every_size
@pytest.mark.parametrize("at", ["question", "mount", "end", "number"])
def test_what_is_asked_and_the_line_are_whole(at: str, size: tuple[int, int]) -> None:
    session = given(**(DONE if at == "end" else EDA))
    session = state.go(session, {"mount": state.MOUNT, "number": "client.memory_gib"}.get(at))

    async def scene(driver: Driver) -> None:
        for now in (size, next(one for one in SIZES if one != size), size):
            await driver.pilot.resize_terminal(*now)
            await driver.press()
            out_of_here(driver)
            shown = " ".join(" ".join(driver.panes()).split())
            asked = driver.app.screen.query_one("#ask").content.plain
            assert " ".join(asked.split()) in shown
            assert "nfs-server.example:/export" in " ".join(driver.text().split())
        assert driver.app.session == session

    play(scene, size, session=session)

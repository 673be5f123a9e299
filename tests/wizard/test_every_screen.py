"""Every screen at every size, and after a resize: what nobody can do without is there, whole."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

import pytest
from textual.screen import Screen
from textual.widgets import Static

import advisor.wizard
from advisor import session as state
from advisor.today.fixing import JudgedFile
from advisor.wizard.app import Wizard
from advisor.wizard.checking import CheckPage
from advisor.wizard.compare import Compare
from advisor.wizard.copying import Copied
from advisor.wizard.diagnosing import Diagnosing
from advisor.wizard.environments import Environments
from advisor.wizard.explanation import explanation
from advisor.wizard.export import ExportPage, Shown
from advisor.wizard.find import Find
from advisor.wizard.keys import Keys
from advisor.wizard.mounts import Mounts
from advisor.wizard.prompt import OUT, Confirm, Prompt
from advisor.wizard.rail import Sections
from advisor.wizard.review import Review
from advisor.wizard.screen import KeyBar, Sheet
from advisor.wizard.whole_host import HostPage
from tests.wizard.driving import DONE, EDA, Driver, given, play

SIZES = ((40, 15), (80, 24), (120, 40), (200, 60))
every_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
Make = Callable[[Wizard], Screen]
MAKE: dict[str, Make] = {
    "explanation": lambda app: explanation(app, "setting", "mount.nconnect"),
    "why not": lambda app: explanation(app, "setting", "mount.nconnect", "why_not"),
    "what if": lambda app: explanation(app, "setting", "mount.nconnect", "what_if"),
    "pin": lambda app: explanation(app, "setting", "mount.nconnect", "pin"),
    "claim": lambda app: explanation(app, "page", "anf-module.slots-table"),
    "review": lambda _: Review(), "export": lambda _: ExportPage(), "compare": lambda _: Compare(),
    "find": lambda _: Find(), "keys": lambda app: Keys(next(one for one in app.screen_stack if isinstance(one, Sheet))),
    "mounts": lambda _: Mounts(), "sections": lambda _: Sections(), "check": lambda _: CheckPage(),
    "host": lambda _: HostPage(), "environments": lambda _: Environments(), "wrong": lambda _: Diagnosing(),
    "copied": lambda _: Copied("The mount line", "nas1:/data /mnt/data nfs hard 0 0"),
    "file": lambda app: Shown("fstab"),
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
        if kind.__module__.startswith("advisor.wizard") and not kind.__subclasses__():
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
    if not isinstance(screen, Sheet):
        assert OUT in text
        return
    key, says, _ = screen.query_one(KeyBar).keys[-1]
    assert says in ("quit", "back")
    assert rows[-1].rstrip().endswith(f"{key} {says}"), rows[-1]


@every_size
def test_the_way_out_is_on_every_screen_also_after_a_resize(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        app = driver.app
        for name, make in MAKE.items():
            app.push_screen(make(app))
            for now in (size, next(one for one in SIZES if one != size), size):
                await driver.pilot.resize_terminal(*now)
                await driver.press()
                out_of_here(driver)
            seen.update(type(one).__name__ for one in app.screen_stack)
            while len(app.screen_stack) > 1:
                before = len(app.screen_stack)
                await driver.press("escape")
                assert len(app.screen_stack) < before, name
        assert app.session == session

    session, seen = given(**EDA), set[str]()
    play(scene, size, session=session, look=no_files)
    assert seen == every_screen()


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
            assert "/etc/fstab nfs-server.example:/export" in " ".join(driver.text().split())
        assert driver.app.session == session

    play(scene, size, session=session)

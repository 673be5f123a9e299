"""Check this host: everything of it that concerns NFS, on the screen and at the prompts."""

from __future__ import annotations

import argparse
import re
from functools import partial
from pathlib import Path

import pytest

from advisor import session as state
from advisor.cli.wizard import configure, judge_host
from advisor.today.fixing import LookAtHost
from advisor.wizard.whole_host import HostPage
from tests.wizard.driving import Driver, both, play
from tests.wizard.prompting import run


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
        driver.app.push_screen(HostPage())
        await driver.press()
        page = driver.app.screen
        assert isinstance(page, HostPage)
        for _ in range(600):
            if page.found:
                break
            await driver.pilot.pause(0.05)
        files = {one.result.name for one, _ in page.found}
        assert {name.rsplit("/", 1)[-1] for name in files} >= {"fstab", "exports"}
        place = next(
            row for row, one in enumerate(page.query_one("SettingList").rows) if "intr" in one.content.plain
        )
        page.query_one("SettingList").highlighted = place
        await driver.press("enter")
        driver.sees("intr")
        await driver.press("escape", "f")
        text = driver.app.screen
        assert text.NAME == "Check"
        assert "intr" in (text.at.message if text.at else "")
        await driver.press("f")
        assert "intr" not in text.text
        await driver.press("escape")
        driver.sees("1 change to", "not saved")
        await driver.press("1")
        assert driver.app.screen is text
        await driver.press("escape", "2")
        assert driver.app.screen is page
        await driver.press("escape")
        assert driver.app.session.at == state.MOUNT

    play(scene, size, session=state.start(), look=look)


def test_the_same_at_the_prompts(look: LookAtHost, tmp_path: Path) -> None:
    saved = tmp_path / "mended"
    listed = run("host", "", "q", look=look).says("Looking at this host", "nconnect takes a number from 1 to 16")
    number = re.findall(r"(\d+) \w+, \S*fstab, line 1: intr", listed.flat)[0]
    ran = run("host", number, f"f {number}", "f 1", "f 2", "f 3", f"s {saved}", "", "", "q", look=look)
    ran.says("Saved", "Where does the data live?")
    assert "intr" not in saved.read_text()


def test_a_host_that_cannot_be_looked_at_is_no_clean_host() -> None:
    def look(_: object) -> list:
        raise ValueError("--root /nowhere: there is no such folder")

    run("host", "q", look=look).says("there is no such folder").lacks("Nothing to object to")

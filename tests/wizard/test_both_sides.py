"""Clients and server in one session, on the screen, at the prompts and in what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import session as state
from advisor.advice.answers_file import read_answers
from advisor.lint.run import lint_text
from advisor.wizard.exported import install_commands
from tests.scenarios.golden import HERE
from tests.wizard.driving import BASE, Driver, both, given, play
from tests.wizard.prompting import run

HOME = {
    "storage__platform": "knfsd", "host__role": "nfs-client", "mount__sec": "sys", "workload__kind": "home",
    "client__kernel": "6.1",
}
SERVER = read_answers(BASE, str(HERE / "home-1gbe-server.yaml"))


@both
def test_the_other_side_is_a_key_away_and_is_exported_with_this_one(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        await driver.press("s")
        driver.sees("the clients", "/etc/fstab")
        assert driver.app.session.answers.facts["host.role"] == "nfs-client"
        assert driver.app.news == []
        await driver.press("s")
        driver.sees("the server")
        assert driver.app.session.answers.facts == SERVER.facts
        await driver.press("u", "tab", "e", "enter")
        driver.sees("written")
        await driver.press("f6")
        assert "cd clients" in driver.app.screen.text
        assert "exportfs" in driver.app.screen.text
        await driver.press("escape")

    play(scene, size, session=state.start(SERVER))
    folder = tmp_path / "nfs-config"
    assert (folder / "clients" / "fstab").exists()
    for name, role in (("clients", "nfs-client"), ("server", "nfs-server")):
        assert read_answers(BASE, str(folder / name / "answers.yaml")).facts["host.role"] == role
    text = next((folder / "server").glob("exports.d/*")).read_text()
    assert not [one for one in lint_text(text, "exports", BASE, {}, kind="exports").findings if one.severity == "error"]


def test_the_same_at_the_prompts() -> None:
    ran = run("side", "side", "side", "q", session=given(**HOME))
    assert ran.session.answers.facts["host.role"] == "nfs-server"
    ran.says("the server", "the clients")
    run("side", "q", session=given(storage__platform="anf")).says("There is no other side")


def test_the_commands_that_install_are_commands_or_comments() -> None:
    lines = install_commands(BASE, given(**HOME), "/tmp/nfs config")
    assert lines[0] == "cd '/tmp/nfs config'"
    assert "cat fstab >> /etc/fstab" in lines
    assert not [line for line in lines if line[0].isupper()]
    assert not [line for line in lines if "systemd/" in line]

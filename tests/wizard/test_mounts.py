"""Several mounts of one host on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key

from advisor import session as state
from advisor.advice.answers_file import read_answers
from advisor.advice.mounts import each
from advisor.session import Session
from advisor.wizard.app import Wizard
from advisor.wizard.choices import Choices
from advisor.wizard.preview import SettingList
from advisor.wizard.which_mount import of_file
from tests.wizard.driving import BASE, Driver, both, play

START = state.start()
DATA = {"server": "10.0.0.4", "export": "/data", "target": "/hana/data/HDB"}
LOG = {"server": "10.0.0.4", "export": "/log", "target": "/hana/log/HDB"}
EFS = {"server": "fs-0123abcd.efs.eu-west-1.amazonaws.com", "export": "/", "target": "/efs"}
FSTAB = """\
nas1:/vol/data /mnt/data nfs vers=3,hard,sec=krb5,ro 0 0
nas2:/home /home nfs rw,hard 0 0
fs-0123abcd.efs.eu-west-1.amazonaws.com:/ /efs nfs4 rw,hard 0 0
"""


def session(*names: dict[str, str]) -> Session:
    told = state.start()
    for one in names:
        told = state.add(BASE, told, one)
    return state.go(told, None)


def know_nothing(app: Wizard) -> None:
    """Answers every question on the mount at hand with "I don't know"."""
    while (fact := state.current(BASE, app.session)) is not None:
        app.move(state.dont_know(BASE, app.session, fact))


@both
def test_lines_are_marked_with_space_and_taken_with_enter(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a long name takes two lines, and the first choice is scrolled away
    Path("fstab").write_text(FSTAB)

    async def scene(driver: Driver) -> None:
        await driver.press("down", "enter")
        driver.app.screen.query_one("Input").value = "fstab"
        await driver.press("enter")
        driver.sees("Space marks several")
        await driver.press("down", "space", "down", "space", "space", "down", "space")
        driver.sees("1 ✓ nas1:/vol/data", "3 ✓ fs-0123abcd")
        await driver.press("enter")
        assert [one.answers.names["target"] for one in driver.app.session.mounts] == ["/mnt/data", "/efs"]
        driver.sees("mount 1 of 2: /mnt/data")
        await driver.press("escape", "u")
        assert driver.app.session.mounts == START.mounts, "it was one step"

    play(scene, size, session=START)


def test_keys_that_come_at_once_are_taken_in_their_order(tmp_path: Path) -> None:
    """The key after an arrow or after a field is left finds the list as these left it."""
    fstab = tmp_path / "fstab"
    fstab.write_text(FSTAB)

    async def scene(driver: Driver) -> None:
        driver.app.mounts = of_file(driver.app.base, str(fstab))
        driver.app.screen.show_session()
        await driver.press()
        for key in ("down", "space", "down", "space", "down", "space"):
            driver.app.post_message(Key(key, " " if key == "space" else None))
        await driver.press()
        assert len(driver.app.screen.query_one(Choices).marked) == 3

    play(scene, session=START)


@both
def test_a_question_says_what_it_is_about_and_is_asked_once(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.look_at("client.kernel")
        await driver.press()
        driver.sees("about the host, for all 3 mounts")
        await driver.write("6.1")
        await driver.press("enter")
        assert all(one.answers.facts["client.kernel"] == "6.1" for one in driver.app.session.mounts)
        driver.app.look_at("storage.platform")
        await driver.press()
        driver.sees("about the server 10.0.0.4, for 2 of 3 mounts")
        driver.app.look_at("workload.durable_writes")
        await driver.press()
        driver.sees("mount 1 of 3: /hana/data/HDB")

    play(scene, size, session=session(DATA, LOG, EFS))


@both
def test_mounts_are_written_gone_to_and_taken_out(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("f7")
        driver.sees("Mounts", "10.0.0.4:/data on /hana/data/HDB")
        await driver.write("nas7")
        await driver.press("enter")
        driver.sees("Each of several mounts needs a server, an export and a mount point")
        driver.app.screen.query_one("Input").value = ""
        for names in (LOG, EFS):
            await driver.write("{server}:{export} {target}".format(**names))
            await driver.press("enter")
        driver.sees("3 mounts of this host", "10.0.0.4:/log on /hana/log/HDB", "/efs")
        await driver.press("down", "down", "down", "enter")
        driver.sees("mount 3 of 3: /efs")
        assert driver.app.session.answers.names == EFS
        await driver.press("escape", "l", "down", "down", "x")
        driver.sees("2 mounts of this host")
        assert [one.answers.names for one in driver.app.session.mounts] == [DATA, EFS]
        await driver.press("u")
        driver.sees("3 mounts of this host")
        await driver.press("escape")
        driver.sees("mount 3 of 3: /efs")

    play(scene, size, session=session(DATA))


def test_what_is_written_first_goes_along_to_the_list() -> None:
    async def scene(driver: Driver) -> None:
        await driver.write("nas1:/a /a")
        await driver.press("down", "3")
        driver.sees("1 mount of this host", "nas1:/a on /a")
        await driver.write("nas2:/b /b")
        await driver.press("enter", "escape")
        assert [one.answers.names["server"] for one in driver.app.session.mounts] == ["nas1", "nas2"]

    play(scene, session=START)


@both
def test_it_is_complete_when_every_mount_is(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        know_nothing(driver.app)
        state.several_advice(BASE, driver.app.session)
        driver.app.screen.show_session()
        await driver.press()
        driver.sees("This mount is complete", "Go on with /efs", "still matter")
        await driver.press("enter")
        driver.sees("mount 2 of 2: /efs")
        know_nothing(driver.app)
        state.several_advice(BASE, driver.app.session)
        driver.app.screen.show_session()
        await driver.press()
        driver.sees("The configuration is complete", "/hana/data/HDB: still open:")

    play(scene, size, session=session(DATA, EFS))


def disagreeing() -> Session:
    """Two mounts of which one is of SAP HANA and the other of chip design: they want different profiles of tuned."""
    told = session({"server": "nas1", "export": "/eda", "target": "/eda"}, DATA)
    for fact, value in (
        ("client.kernel", "6.1"), ("client.distro", "rhel"), ("client.release", "9.3"), ("host.role", "nfs-client"),
        ("network.cloud", "none"), ("storage.platform", "anf"), ("storage.volume_protocol", "3"),
        ("workload.kind", "eda"), ("workload.static_data", True), ("client.count", 100),
    ):
        told = state.answer(BASE, told, fact, value)
    told = state.go_to_mount(BASE, told, 1)
    told = state.answer(BASE, state.answer(BASE, told, "storage.platform", "anf"), "storage.volume_protocol", "4.1")
    return state.go_to_mount(BASE, told, 0)


@both
def test_a_conflict_is_named_with_both_mounts_and_explained(size: tuple[int, int]) -> None:
    told = disagreeing()
    found = state.several_advice(BASE, told)
    assert found is not None
    (conflict,) = [one for one in found.conflicts if one.tunable == "tuned.profile"]

    async def scene(driver: Driver) -> None:
        await driver.press("r")
        driver.sees("Review", "mount 1 of 2: /eda")
        rows = {row.content.plain: row.key for row in driver.app.screen.query_one(SettingList).rows}
        assert f"No value suits all mounts: {conflict.title}" in rows
        told_rows = [text for text, key in rows.items() if key == ("setting", "tuned.profile")]
        assert sorted(text.split(":")[0] for text in told_rows) == ["! /eda", "! /hana/data/HDB"]
        driver.app.explain("setting", "tuned.profile")
        await driver.press()
        driver.sees("latency-performance")

    play(scene, size, session=told)


def test_an_answer_in_the_way_on_another_mount_is_named_and_dropped() -> None:
    told = session(
        {"server": "nas1", "export": "/a", "target": "/a"}, {"server": "nas2", "export": "/b", "target": "/b"},
    )
    told = state.answer(BASE, state.go_to_mount(BASE, told, 1), "storage.platform", "anf")
    told = state.go(state.go_to_mount(BASE, told, 0), "host.role")

    async def scene(driver: Driver) -> None:
        values = list(BASE.facts["host.role"].values)
        await driver.press(str(values.index("nfs-server") + 1))
        driver.sees("It contradicts earlier answers for /b", "Azure NetApp Files", "Drop it")
        await driver.press("2")
        first, second = driver.app.session.mounts
        assert first.answers.facts == second.answers.facts == {"host.role": "nfs-server"}

    play(scene, session=told)


def test_the_export_holds_all_mounts_and_its_answers_are_read_again(tmp_path: Path) -> None:
    told = state.answer(BASE, session(DATA, LOG, EFS), "client.kernel", "6.1")

    async def scene(driver: Driver) -> None:
        await driver.press("e")
        driver.app.screen.query_one("Input").value = str(tmp_path / "out")
        await driver.press("enter")
        driver.sees("files in")

    play(scene, session=told)
    fstab = (tmp_path / "out" / "fstab").read_text()
    assert [line.split()[1] for line in fstab.splitlines() if line[:1] not in ("#", "")] == [
        "/hana/data/HDB", "/hana/log/HDB", "/efs",
    ]
    read = each(BASE, read_answers(BASE, str(tmp_path / "out" / "answers.yaml")))
    assert [one.facts for one in read] == [one.facts for one in state.all_mounts(BASE, told).mounts]
    again = state.start_mounts(BASE, *read)
    assert [one.answers.names for one in again.mounts] == [DATA, LOG, EFS]

"""An end: what is copied, what stays on the terminal, several sessions, and finding by symptom."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.advice.answers import Answers
from advisor.advice.rows import mount_line
from advisor.wizard import ending, files, mounts, questions, state
from advisor.wizard.check import HostScreen
from advisor.wizard.explanation import all_hits, search
from advisor.wizard.row_lists import Choices, SettingList
from advisor.wizard.texts import NO_NFS
from tests.tiers import thorough
from tests.wizard.driving import ANF, BASE, DONE, EDA, NEW, Driver, both, given, play
from tests.wizard.prompting import run


@both
def test_the_end_offers_the_line_and_the_command_to_copy(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("1 Show the result", "2 Copy the mount command", "3 Export the configuration")
        await driver.press("1", "y")
        line = mount_line(questions.preview(BASE, driver.app.session))
        assert driver.app.clipboard == line
        driver.sees("The mount line was sent to the terminal's clipboard", line.split()[0])
        await driver.press("escape", "escape", "2")
        assert driver.app.clipboard.splitlines()[-1].startswith("mount -t ")
        await driver.press("escape")
        driver.sees("The configuration is complete, but names are missing")

    play(scene, size, session=given(**DONE))


def test_a_server_has_no_line_to_copy() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("y")
        driver.sees("There is no mount line yet.")
        assert not driver.app._notifications

    play(scene, session=given(host__role="nfs-server", storage__platform="knfsd"))


def test_on_quitting_the_line_and_the_way_back_stay(tmp_path: Path) -> None:
    session = given(**EDA)
    told = ending.farewell(BASE, session, tmp_path / "wizard-prod.json")
    assert mount_line(questions.preview(BASE, session)) in told
    assert "advisor wizard --session prod continues from here. The answers are saved in" in told
    assert ending.farewell(BASE, session, None)[-1] == "The answers are not saved."
    written = session._replace(folder="my out")
    assert ending.farewell(BASE, written, None, exported=True)[-2:] == [
        "advisor wizard --answers 'my out/answers.yaml' continues from here. The answers are saved in",
        "  my out/answers.yaml",
    ]
    run("q", session=session, path=tmp_path / "wizard.json").says("The mount line:", "advisor wizard --plain continues")


def test_sessions_have_names_and_are_offered_side_by_side(tmp_path: Path) -> None:
    for name, facts in (("wizard", ANF), ("wizard-prod", EDA), ("wizard-lab", DONE)):
        files.save_session(tmp_path / f"{name}.json", files.to_text(given(**facts)))
    path = tmp_path / "wizard.json"
    others = files.other_sessions(path)
    assert {one.name for one in others} == {"prod", "lab"}

    async def scene(driver: Driver) -> None:
        driver.sees("Continue with the saved answers", "Continue with prod", "Continue with lab", "2 Configure a mount")
        place = [one.label for one in driver.app.screen.query_one(Choices).choices].index("Continue with prod")
        await driver.press(*["down"] * place, "enter")
        assert driver.app.session.answers.facts["workload.kind"] == "eda"
        assert driver.app.path == tmp_path / "wizard-prod.json"

    play(scene, path=path, saved=files.read_session(path), others=others, session=NEW)


@pytest.mark.parametrize(("name", "fits"), [
    ("prod", True), ("a.b-1", True), ("../x", False), ("", False), (".x", False),
])
def test_a_name_of_a_session_is_no_path(name: str, fits: bool) -> None:
    assert files.is_valid_name(name) is fits


def test_the_folder_of_the_last_export_is_offered_again(tmp_path: Path) -> None:
    folder = tmp_path / "mine"

    async def scene(driver: Driver) -> None:
        await driver.press("e")
        driver.app.screen.query_one("Input").value = str(folder)
        await driver.press("enter", "escape", "e")
        assert driver.app.screen.query_one("Input").value == str(folder)

    app = play(scene, session=given(**EDA))
    assert files.from_text(BASE, files.to_text(app.session)).session.folder == str(folder)


HITS = list(all_hits(BASE))


@pytest.mark.parametrize(("text", "wanted"), [
    ("failover", "failover"), ("slow ls", "ls"), ("nconnect", "mount.nconnect"), ("permission denied", "denied"),
    ("stale file handle", "stale"), ("slot table entries", "slot"),
])
def test_it_is_found_by_symptom(text: str, wanted: str) -> None:
    found = search(HITS, text, BASE.reading["synonyms"])
    assert found
    assert any(wanted in f"{one.name} {one.title} {one.text}".lower() for one in found[:6])


def test_words_that_mean_the_same_are_found() -> None:
    assert search(HITS, "frobnicate", [["frobnicate", "nconnect"]]) == search(HITS, "frobnicate nconnect", [
        ["frobnicate", "nconnect"]
    ])
    assert search(HITS, "frobnicate", []) == []


def test_a_line_that_lacks_something_is_never_told_as_if_it_were_whole() -> None:
    session = state.answer(BASE, NEW, "storage.platform", "anf")
    lacks = "NOT READY: first decide NFS protocol version (mount.vers)."
    assert lacks in ending.farewell(BASE, session, None)
    run("s", "q", session=session).says(lacks)
    for version in ("3", "4.1"):
        session = state.answer(BASE, session, "storage.volume_protocol", version)
    assert lacks not in ending.farewell(BASE, session, None)
    run("s", "q", session=session).lacks("NOT READY: first")

    async def scene(driver: Driver) -> None:
        await driver.press("y")
        driver.sees(lacks)
        assert not driver.app._notifications, "a message would cover the line"

    play(scene, session=state.answer(BASE, NEW, "storage.platform", "anf"))


@thorough
@both
def test_the_commands_that_install_are_seen_whole_and_up_stays_at_the_first_name(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    facts = {"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True, "server.distro": "rhel",
             "server.cluster_stack": "pacemaker", "server.shared_storage": "sas", "server.v3_clients": True}
    names = {"server": "10.0.0.10", "export": "/srv/x", "clients": "10.0.0.0/24"}
    session = mounts.go_to_other_side(BASE, state.start(Answers(facts, names=names)))

    async def scene(driver: Driver) -> None:
        await driver.press("e")
        await driver.press("enter")
        driver.sees("cib-push", "diff-against=nfs-group.xml.before", "clients/apply.sh",
                    "Copy the folder to each host.", "The head of nfs-group.sh says what each … is",
                    "Ctrl+Q ends the wizard")
        listed = driver.app.screen.query_one(SettingList)
        await driver.press("home", "up")
        assert listed.highlighted == 1, "below the heading"
        await driver.press("escape", "R")
        assert "e write files" in driver.text().split("\n")[-1]

    app = play(scene, size, session=session._replace(folder=""))
    told = ending.farewell(BASE, app.session, None, exported=app.is_exported)
    assert f"The files are in {tmp_path / files.FOLDER}." in told


def test_a_host_without_nfs_is_not_praised() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.push_screen(HostScreen())
        await driver.press()
        driver.sees(NO_NFS)
        assert "Nothing to object to" not in driver.text()

    play(scene, check_host=lambda _: [])

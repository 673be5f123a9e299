"""Explaining, reviewing, finding, comparing, exporting; leaving and coming back."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from math import inf
from pathlib import Path

import pytest

from advisor.pages.phrases import clipped
from advisor.pages.wording import OTHERWISE
from advisor.wizard import files
from advisor.wizard.advice_cache import Work
from advisor.wizard.hero import risk_rows
from advisor.wizard.risks import Risk
from advisor.wizard.theme import SIGN
from advisor.wizard.widgets import KeyBar, LineField
from tests.tiers import some, thorough
from tests.wizard.driving import ANF, EDA, Driver, both, given, play
from tests.wizard.prompting import run


@both
def test_enter_explains_a_setting_with_reason_proof_and_sources(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.explain("setting", "mount.nconnect")
        await driver.press("home")
        driver.sees("nconnect=8", "Because", "Where does the data live? Azure NetApp Files (storage.platform=anf")
        seen = ""
        for _ in range(12):
            seen += driver.text()
            await driver.press("pagedown")
        for text in ("The rule nconnect/anf", "Sources",
                     "vendor's documentation", "What others measured", "█", "undo", "risk"):
            assert text in seen, text

    play(scene, size, session=given(**EDA))


def test_an_open_setting_says_what_settles_it_and_leads_there() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.explain("setting", "mount.nconnect")
        await driver.press("home")
        driver.sees("mount.nconnect: ", "Open: the known facts leave", "What settles it")
        await driver.press("a")
        assert driver.app.screen.NAME == "Questions"
        assert driver.app.session.at is not None

    play(scene, session=given(**ANF))


@both
def test_why_not_and_what_if(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.explain("setting", "mount.nconnect")
        await driver.press("w", "4", "enter")
        driver.sees("mount.nconnect: not nconnect=4", "instead: nconnect=8")
        await driver.press("escape", "i")
        driver.sees("What if", "Where does the data live?")

    play(scene, size, session=given(**EDA))


@both
def test_a_setting_can_be_held_and_let_go(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.explain("setting", "mount.nconnect")
        await driver.press("p", "9", "9", "enter")
        driver.sees("it can be 1 to 16")
        await driver.press("2", "enter")
        assert driver.app.session.answers.pins == {"mount.nconnect": 2}
        driver.sees("pinned by you", "What pinning it costs")
        await driver.press("p", "backspace", "enter")
        assert driver.app.session.answers.pins == {}

    play(scene, size, session=given(**EDA))


@both
def test_review_changes_an_answer(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("r")
        driver.sees("6 answers", "Where does the data live? Azure NetApp Files", "What uses the data?")
        await driver.press("home", "enter")
        assert driver.app.screen.NAME == "Questions"
        driver.sees("Where does the data live?", "Your answer: Azure NetApp Files")
        await driver.press("r", "home", "down", "down", "enter")
        driver.sees("Your answer: Electronic design automation")
        await driver.press("2")
        assert driver.app.session.answers.facts["workload.kind"] == "hpc"
        assert driver.app.session.answers.facts["storage.platform"] == "anf"

    play(scene, size, session=given(**EDA))


@thorough
@both
def test_find_reaches_questions_settings_and_disputed_claims(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("slash")
        await driver.write("nconnect")
        driver.sees("setting nconnect: Number of connections", "rule", "hits")
        await driver.press("enter")
        driver.sees("nconnect=8")
        await driver.press("escape", *["backspace"] * 8)
        await driver.write("disputed claim slot")
        driver.sees("claim", "[disputed]")
        await driver.press("down", "enter")
        driver.sees("a claim, disputed", "source")

    play(scene, size, session=given(**EDA))


@both
def test_the_keys_of_each_screen_are_listed(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("question_mark")
        driver.sees("Keys: Questions", "One step back")
        await driver.press("end", "up", "up", "up", "up", "up", "up", "up")
        driver.sees("Undo the last change", "Ctrl+Z")
        await driver.press("escape", "r", "question_mark")
        driver.sees("Keys: Review", "Delete the answer")

    play(scene, size)


@both
def test_an_fstab_is_compared_and_its_findings_are_explained(size: tuple[int, int], tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text("nas:/x /mnt nfs vers=3,nconnect=32,rsize=8192 0 0\n")

    async def scene(driver: Driver) -> None:
        await driver.press("c")
        driver.app.screen.query_one("Input").value = str(fstab)
        await driver.press("enter")
        driver.sees("2 findings", "Findings", "nconnect takes a number from 1 to 16", "Differs from the advice")
        await driver.press("home", "enter")
        driver.sees("nas:/x /mnt nfs", "^^^", "why:", "do:", "Sources")

    play(scene, size, session=given(**EDA))


def test_a_missing_fstab_is_told() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("c")
        driver.app.screen.query_one("Input").value = "/nowhere/fstab"
        await driver.press("enter")
        driver.sees("/nowhere/fstab: file not found")

    play(scene)


def test_a_file_that_was_edited_is_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        await driver.press("e", "enter")
        edited = tmp_path / "nfs-config" / "REPORT.md"
        edited.write_text("mine\n")
        await driver.press("tab", "enter", "enter")
        driver.sees("1 kept as edited, f overwrites")
        assert edited.read_text() == "mine\n"
        await driver.press("f")
        assert edited.read_text() != "mine\n"

    play(scene, session=given(**EDA))


@pytest.mark.parametrize("prefetch", [False, True])
def test_enter_that_was_typed_before_the_files_are_shown_writes_them_then(
    prefetch: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        await driver.type_ahead(["e", "enter"])
        while "files in nfs-config" not in " ".join(driver.text().split()):
            assert driver.app.screen.painted < inf or not (tmp_path / "nfs-config").exists()
            await driver.pilot.pause(0.02)
        driver.app.screen.show_computed(Work(files.prepare))  # a result of the thread that comes late
        driver.sees("files in nfs-config", "written", "Copy the folder to each host. Once it is named: ",
                    "on each client sudo sh nfs-config/apply.sh")
        assert (tmp_path / "nfs-config" / "apply.sh").exists()

    play(scene, (120, 60), session=given(**EDA), prefetch=prefetch)


def test_an_abandoned_folder_is_forgotten_and_enter_does_what_the_bar_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        await driver.press("e", "r", "escape", "e")
        assert driver.app.screen.query_one(LineField).value == "nfs-config"
        bar = driver.app.screen.query_one(KeyBar)
        assert bar.keys[0][:2] == ("Enter", "write the files")
        await driver.press("enter")
        assert (tmp_path / "nfs-config").is_dir()
        assert bar.keys[0][:2] == ("Enter", "change or open it")
        await driver.press("enter")
        driver.sees("server: the NFS server's name")

    play(scene, session=given(**EDA))


def test_names_are_asked_for_and_checked() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("e", "down", "home", "enter")
        await driver.write("two words")
        await driver.press("enter")
        driver.sees("write a host name or an address")
        await driver.press(*["backspace"] * 9)
        await driver.write("10.0.0.4")
        await driver.press("enter")
        assert driver.app.session.answers.names == {"server": "10.0.0.4"}

    play(scene, session=given(**EDA))


@both
def test_answers_are_kept_and_offered_at_the_next_start(size: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "state" / "advisor" / "wizard.json"

    async def first(driver: Driver) -> None:
        def kept() -> list[str]:
            return json.loads(path.read_text())["order"] if path.exists() else []

        await driver.press("1", "1")
        for _ in range(500):
            if len(kept()) == 2:
                break
            await driver.pilot.pause(0.02)
        assert kept() == ["storage.platform", "storage.volume_protocol"]

    play(first, size, path=path)
    assert path.stat().st_mode & 0o777 == 0o600
    saved = files.read_session(path)

    async def second(driver: Driver) -> None:
        driver.sees("Continue with the saved answers", "2 answers, saved 20")
        await driver.press("enter")
        assert driver.app.session.order == ("storage.platform", "storage.volume_protocol")
        await driver.press("ctrl+z")
        assert driver.app.session.order == ("storage.platform",)

    play(second, size, path=path, saved=saved)


@pytest.mark.parametrize(("keys", "name"), some(
    product([(), ("1",), ("1", "u"), ("d", "d", "d")], ["wizard", "wizard-prod"]), 5,
))
def test_starting_anew_loses_no_saved_answers(keys: tuple[str, ...], name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.json"
    files.save_session(path, files.to_text(given(**ANF)))

    def answers() -> list[int]:
        """The number of answers of each saved session."""
        return [kept.answers for kept in map(files.read_session, sorted(tmp_path.iterdir())) if kept is not None]

    async def scene(driver: Driver) -> None:
        await driver.press("2")
        driver.sees("Where does the data live?")
        assert driver.app.session.order == ()
        await driver.press(*keys)

    for _ in range(2):  # the second time what was answered the first time is kept too
        before, saved = Counter(answers()), files.read_session(path)
        if saved is not None:
            play(scene, path=path, saved=saved)
        assert not before - Counter(answers())


def test_the_prompts_lose_no_saved_answers_either(tmp_path: Path) -> None:
    path = tmp_path / "wizard.json"
    files.save_session(path, files.to_text(given(**ANF)))
    run("2", "3", "q", path=path)
    assert [other.answers for other in files.other_sessions(path)] == ["2 answers"]
    run("1", "u", "q", path=path)
    assert len(files.other_sessions(path)) == 1, "what is continued is no other session"


def test_a_place_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")

    async def scene(driver: Driver) -> None:
        await driver.press("1")
        await driver.pilot.pause(0.3)
        assert driver.app.path is None
        assert any("cannot be saved" in told.message for told in driver.app._notifications)

    play(scene, path=blocked / "wizard.json")


def test_every_theme_can_be_read() -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("Where does the data live?")
        first = driver.app.theme
        await driver.press("t")
        assert driver.app.theme != first
        driver.sees("Where does the data live?")

    for theme in ("dark", "light", "ansi", "ansi-light"):
        play(scene, theme=theme)


@both
def test_what_is_exported_is_named_whole(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("e", "down")
        made, _, _ = files.made_files(driver.app.base, driver.app.session)
        rows = driver.app.screen.query_one("SettingList").rows
        seen = " ".join("".join(span.text for span in row.drawn) for row in rows)
        assert "…" not in driver.text().partition("Names in the files")[2].replace("Making the files …", "")
        words = " ".join(seen.split())
        assert [one.title for one in made if " ".join(one.title.split()) not in words] == []

    play(scene, size, session=given(**EDA))


@pytest.mark.parametrize("width", [30, 40, 54, 90])
def test_two_spaces_stand_between_a_risk_and_its_settings(width: int) -> None:
    every = [
        Risk(harm, state, settings) for harm in OTHERWISE for state in SIGN
        for settings in (("vers",), ("lock", "packet_size"), ("a.very_long_name.of_a_setting",))
    ]
    for risk, row in zip(every, risk_rows(every, width).plain.split("\n")):
        said = OTHERWISE[risk.harm]
        harm, rest = row[2 : 2 + len(said)], row[2 + len(said) :]
        assert harm.lower() == said.lower()
        assert not rest.strip() or rest.startswith("  ")
        assert len(row.rstrip()) <= max(width, len(harm) + 2)
        assert rest.strip() in ("", ", ".join(risk.settings), f"{risk.settings[0]}, …",
                                f"{risk.settings[0]} and 1 more",
                                clipped(risk.settings[0], len(rest.strip()))), row


def test_a_session_that_cannot_be_read_stays_as_it_is(tmp_path: Path) -> None:
    path, other = tmp_path / "wizard.json", tmp_path / "wizard-new.json"
    text = files.to_text(given(**ANF)).replace(files.SCHEMA, "advisor-session/99")
    other.write_text(text)

    async def scene(driver: Driver) -> None:
        await driver.press("1", "1")
        assert driver.app.session.order == ("storage.platform",)
        assert driver.app._saving is not None
        await driver.app._saving

    play(scene, path=path, others=files.other_sessions(path))
    assert other.read_text() == text
    assert path.exists()

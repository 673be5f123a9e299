"""What an administrator has to be able to rely on: keys typed ahead, colours, what was found on the host, pins."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.color import Color
from textual.widgets import Static

from advisor.advice.answers import Answers, Before, Now
from advisor.wizard import commands, ending, files, questions, state
from advisor.wizard.app import Wizard
from advisor.wizard.files import lint_artefacts
from advisor.wizard.hero import shown_line
from advisor.wizard.rows import preview_rows
from tests.tiers import some
from tests.wizard.driving import ANF, BASE, DONE, EDA, NEW, Driver, given, play
from tests.wizard.prompting import run


@pytest.mark.parametrize("keys", some(["131", "13e", "13r", "1u2", "2rq1", "4115.14\n", "1\t\n", "?q13"], 4))
def test_keys_typed_ahead_do_what_they_do_one_by_one(keys: str) -> None:
    ends = []

    async def slowly(driver: Driver) -> None:
        for key in keys:
            await driver.type_ahead(key)
        ends.append((driver.app.session.answers, driver.app.session.at, type(driver.app.screen).__name__))

    async def at_once(driver: Driver) -> None:
        await driver.type_ahead(keys)
        ends.append((driver.app.session.answers, driver.app.session.at, type(driver.app.screen).__name__))

    play(slowly)
    play(at_once)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("choice", ["pasted", "", "1"])
def test_a_mount_that_is_written_before_a_task_is_chosen_is_in_its_field(choice: str) -> None:
    """With the digit of a task before it, too."""

    async def scene(driver: Driver) -> None:
        if choice == "pasted":
            driver.app.post_message(events.Paste("nas:/data /mnt/data"))
            await driver.press()
            await driver.press("enter")
        else:
            await driver.type_ahead(f"{choice}nas:/data /mnt/data\n")
        assert driver.app.session.answers.names == {"server": "nas", "export": "/data", "target": "/mnt/data"}

    play(scene, session=state.start())


def test_an_answer_carries_its_question() -> None:
    """A click on a list that shows another question by now answers neither."""

    async def scene(driver: Driver) -> None:
        choices = driver.app.screen.query_one("Choices")
        late = choices.OptionSelected(choices, choices.get_option_at_index(1), 1)
        await driver.press("1")
        before = driver.app.session
        choices.post_message(late)
        await driver.pilot.pause()
        assert driver.app.session == before

    play(scene)


@pytest.mark.parametrize("theme", ["dark", "light", "ansi", "ansi-light"])
def test_no_color_leaves_the_colours_to_the_terminal(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scene(driver: Driver) -> None:
        await driver.press("down")
        marked = ""
        for strip in driver.app.screen._compositor.render_strips():
            for segment in strip.apply_filter(driver.app._filters[-1], Color(0, 0, 0)):
                style = segment.style
                if segment.text.strip() and style is not None:
                    assert style.color is None or style.color.is_default, (segment.text, style)
                    assert style.bgcolor is None or style.bgcolor.is_default, (segment.text, style)
                    marked += segment.text if style.underline else ""
        assert "Azure NetApp Files" in marked, "what is highlighted can be told without colours"

    play(scene, theme=theme)


HOST = {
    "client.distro": ("debian", "/etc/os-release: ID"), "client.kernel": ("6.1.0-26-amd64", "/proc/version"),
    "client.memory_gib": (24, "/proc/meminfo"),
}


def test_what_was_found_on_another_host_is_not_offered() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.memory_gib")
        await driver.press()
        driver.sees("Found on this host: 24")
        driver.app.change(lambda: state.answer(BASE, driver.app.session, "client.distro", "rhel"))
        await driver.press()
        driver.sees(commands.ANOTHER_HOST)
        driver.app.go_to_question("client.memory_gib")
        await driver.press()
        assert "found" not in driver.text()
        assert not driver.app._notifications

    play(scene, found=HOST, session=given(storage__platform="anf"))


def test_the_prompts_too_say_once_that_it_is_another_host() -> None:
    found = {name.replace(".", "__"): value for name, value in HOST.items()}
    ran = run("a client.distro", "rhel", "a client.memory_gib", "64", session=given(storage__platform="anf"), **found)
    assert ran.flat.count(commands.ANOTHER_HOST) == 1
    ran.lacks("Found on this host: 24")


def test_what_was_found_is_offered_while_nothing_speaks_against_it() -> None:
    session = given(storage__platform="anf", client__kernel=">=5.15")
    assert questions.found_value(BASE, session, HOST, "client.memory_gib") == HOST["client.memory_gib"]
    assert questions.found_value(BASE, given(client__kernel="4.18"), HOST, "client.memory_gib") is None
    assert questions.about_another_host(BASE, given(client__kernel="4.18"), HOST)


def test_the_prompts_offer_nothing_of_another_host() -> None:
    session = given(storage__platform="anf", client__distro="rhel")
    run("a client.memory_gib", "q", session=session, client__distro=HOST["client.distro"],
        client__memory_gib=HOST["client.memory_gib"]).lacks("Found on this host")


V3 = {"storage__platform": "anf", "host__role": "nfs-client", "storage__volume_protocol": "3"}


@pytest.mark.parametrize(("pin", "why"), some([
    (("mount.vers", "4.1"), "The volume is set up for NFSv3 only."), (("mount.proto", "udp"), "refused"),
], 2))
def test_a_pin_that_makes_the_mount_fail_is_confirmed_and_stays_red(pin: tuple[str, str], why: str) -> None:
    tunable, value = pin

    async def scene(driver: Driver) -> None:
        driver.app.explain("setting", tunable)
        await driver.press("p", "ctrl+u")
        await driver.write(value)
        await driver.press("enter")
        driver.sees("all the same?", "the mount fails", why)
        await driver.press("escape")
        assert not driver.app.session.answers.pins
        await driver.press("p", "ctrl+u")
        await driver.write(value)
        await driver.press("enter", "2")
        assert driver.app.session.answers.pins == {tunable: value}
        await driver.press("escape")
        advice, option = questions.preview(BASE, driver.app.session), f"{tunable.partition('.')[2]}={value}"
        line = shown_line(ending.judged(BASE, advice))
        assert option in [one.text for one in line.options if one.look == "broken"]
        driver.sees("WILL FAIL", f"✗ {option} pinned", "the mount fails")
        await driver.press("e")
        driver.sees("error: ", option)

    session = given(**V3) if tunable == "mount.vers" else given(**{**V3, "storage__volume_protocol": "4.1"})
    play(scene, session=session)


def test_the_prompts_ask_before_they_pin_against_a_must() -> None:
    ran = run("p vers=4.1", "1", "p vers=4.1", "2", "s", "q", session=given(**V3))
    ran.says("(vers=3): the mount fails", "It is not pinned.", "vers=4.1 pinned. ")
    assert ran.session.answers.pins == {"mount.vers": "4.1"}


def test_the_files_say_which_rule_a_pin_defies(tmp_path: Path) -> None:
    session = state.pin(BASE, given(**V3), "mount.vers", "4.1")
    run(f"x {tmp_path}/out", "q", session=session).says("Beware: error: vers=4.1 would make the mount fail; use vers=3")
    comment = " ".join((tmp_path / "out" / "fstab").read_text().replace("#", " ").split())
    assert "Pinned against rule vers/v3-volume: 3 (must, mount-fails). The volume is set up for NFSv3 only." in comment


@pytest.mark.parametrize("facts", [V3, EDA, DONE, ANF])
def test_what_is_exported_lints_clean(facts: dict[str, Any]) -> None:
    session = given(**facts)
    assert lint_artefacts(BASE, session) == []


FOUND = {"client.kernel": ("6.1.0-26-amd64", "/proc/sys/kernel/osrelease")}


async def _started(probe: Any) -> Wizard:
    app = Wizard(BASE, state.start(), probe=probe)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            if app.found:
                break
            await pilot.pause(0.05)
        else:
            await pilot.pause()
    app.prefetcher.stop()
    return app


def test_the_host_is_asked_in_the_background() -> None:
    assert asyncio.run(_started(lambda _: (FOUND, []))).found == FOUND


def test_a_host_that_tells_nothing_stops_nobody() -> None:
    def fails(_: Any) -> Any:
        raise OSError("no /proc")

    async def scene() -> Wizard:
        app = Wizard(BASE, NEW, probe=fails)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("1")
            await pilot.pause(0.3)
            assert app.session.answers.facts == {"storage.platform": "anf"}
        app.prefetcher.stop()
        return app

    assert asyncio.run(scene()).found == {}


def test_what_the_host_has_stands_beside_what_is_advised() -> None:
    """In the preview where there is room, and with its places where the setting is explained."""
    now = {"mount.nconnect": Now(Before("8", "/etc/fstab:3"), Before(2, "/proc/self/mountinfo"))}
    facts = {"storage.platform": "azure-files", "client.kernel": "6.1", "host.role": "nfs-client"}
    session = state.start(Answers(facts, now=now))
    advice = questions.preview(BASE, session)
    assert any("nconnect=4 should now 2" in row.plain for row in preview_rows(BASE, advice, [], 42))
    assert not any("now 2" in row.plain for row in preview_rows(BASE, advice, [], 20))

    async def scene() -> str:
        app = Wizard(BASE, session)
        app.prefetcher.stop()
        async with app.run_test(size=(80, 24)) as pilot:
            app.explain("setting", "mount.nconnect")
            await pilot.pause(0.2)
            return "\n".join(str(one.render()) for one in app.screen.query(Static))

    text = asyncio.run(scene())
    for part in ("nconnect=8", "/etc/fstab:3", "nconnect=2", "/proc/self/mountinfo"):
        assert part in text


def test_a_late_thread_does_not_replace_the_last_answers(tmp_path: Path) -> None:
    path = tmp_path / "wizard.json"

    async def scene(driver: Driver) -> None:
        app = driver.app
        older = app.session
        await driver.press("1")
        app.leave()
        app._write(path, older)

    app = play(scene, session=NEW, path=path)
    assert files.read_session(path).text == files.to_text(app.session)

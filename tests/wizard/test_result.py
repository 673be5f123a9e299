"""The result: the card on a screen of any size, its copies and its picture, the report; and the same card at the
prompts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from advisor.advice.answers import Answers
from advisor.advice.verdict import AdviceVerdict
from advisor.pages.card import LINES
from advisor.pages.layout import lines, terminal
from advisor.pages.recommend_json import document
from advisor.pages.style import Style
from advisor.pages.wording import OTHERWISE
from advisor.rulebase.values import told_name
from advisor.wizard import ending, files, mounts, questions, state, steps
from advisor.wizard.dialogs import Prompt
from advisor.wizard.hero import badge, effect
from advisor.wizard.risks import Risk, gauge_texts, left_word, risks
from advisor.wizard.theme import STRENGTH
from tests.tiers import thorough
from tests.wizard.driving import BASE, DONE, EDA, Driver, given, play
from tests.wizard.prompting import run

SIZES = [(80, 24), (120, 40), (40, 15)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_card_is_on_the_screen_whole(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("R")
        text = driver.text()
        assert max(map(len, text.splitlines())) <= size[0]
        card = driver.app.screen.query_one("#card")
        if size[0] >= 80:
            assert card.region.height <= LINES + 2
            advice = ending.judged(BASE, questions.preview(BASE, driver.app.session))
            words = " ".join(driver.app.screen.query_one("#details").visual.plain.split())
            for row in advice.part("set"):
                if row.kind in ("mount-option", "sysctl") and row.rule and row.text not in ("hard", "lock"):
                    assert row.text in words, row.text
            driver.sees("All of it", "harm avoided", "Install:", "on each client sudo sh nfs-config/apply.sh")
        else:
            assert ending.session_verdict(BASE, driver.app.session).badge in text

    names = {"server": "anf1.example", "export": "/eda", "target": "/mnt/eda"}
    play(scene, size, session=state.mount(BASE, given(**EDA), names))


@thorough
def test_a_card_on_a_small_screen_is_whole_and_says_everything_in_words() -> None:
    pair = {"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True, "server.distro": "rhel"}
    for known in ({**pair, "server.shared_storage": "replicated"}, pair, {"storage.platform": "synology"}, EDA):
        session = state.start(Answers({name.replace("__", "."): value for name, value in known.items()}))
        for fact in [one.fact for one in questions.upcoming_questions(BASE, session)] if known is pair else ():
            session = state.dont_know(BASE, session, fact)
        card = ending.result(BASE, session, 74, fold=True, ask=("press n for", "{}"))
        text = terminal(card, 74, Style(False))
        assert len(text.splitlines()) <= LINES, text
        found = ending.session_verdict(BASE, session)
        told = " ".join((text, *found.reasons, *ending.sentences(BASE, questions.ending(BASE, session), (), found)))
        assert not [name for name in BASE.facts if f" {name}" in told]
        assert not [name for name, one in BASE.tunables.items() if f" {name}" in told and told_name(one) == one.title]
        assert " --" not in told
        assert "advisor why" not in told
        assert (known is pair) is ("depends on: How do the two servers reach their shared disks?" in told)


def test_a_verdict_is_one_word_while_it_is_asked_and_at_the_end() -> None:
    """What is left open is named beside it, not in it."""
    for session in (given(**EDA), given(**DONE)):
        found = ending.known_verdict(BASE, session)
        assert found.state == "ready"
        assert badge(found)[0] == " READY "

        async def scene(driver: Driver, left: int) -> None:
            for _ in range(left):
                driver.sees("READY", "risks closed")
                await driver.press("d")
            driver.sees("READY", "; left to defaults: " if left else "6 of 6 risks closed")
            assert "; open: " not in driver.text()
            for word in ("SO FAR", "RISK", "MISSING"):
                assert word not in driver.text()

        count, asked = 0, session
        while (fact := questions.current_question(BASE, asked)) is not None:
            asked, count = state.dont_know(BASE, asked, fact), count + 1
        play(partial(scene, left=count), session=session)
        run("q", session=asked).says("READY", "; left to defaults: " if count else "6 of 6 risks closed")


@pytest.mark.parametrize("session", [given(**EDA), given(**DONE)])
def test_the_card_names_the_risks_that_the_gauge_shows_open(session: state.Session) -> None:
    while (fact := questions.current_question(BASE, session)) is not None:
        session = state.dont_know(BASE, session, fact)
    shown = risks(ending.judged(BASE, questions.preview(BASE, session)))
    told = terminal(ending.result_details(BASE, session, 118), 118, Style(False)).partition("\nOpen\n")[2]
    for one in shown:
        assert (f"- {OTHERWISE[one.harm]}: " in told) is (one.state == "open"), one


def test_an_answer_with_which_it_fails_is_marked_and_has_a_cross_among_the_risks() -> None:
    session = given(storage__platform="synology", host__role="nfs-client", workload__kind="home")
    asked = steps.question(BASE, session, "mount.vers", None)
    marked = {choice.value: choice.note for choice in steps.marked_choices(BASE, session, asked)}
    assert marked["4.2"].startswith("fails: vers=4.2: the server has at most NFSv3, NFSv4.0 and NFSv4.1")
    assert marked["4.1"] == marked["3"] == ""
    now = ending.judged(BASE, questions.preview(BASE, session))
    assert not [one for one in risks(now) if one.state == "broken"]
    for version, cross in (("4.2", True), ("4.1", False)):
        trial = questions.trial_answers(BASE, session, "mount.vers", version)
        ending.judge(BASE, trial)
        then = ending.known_judged(BASE, trial)
        assert then is not None
        told, role = effect(now, then, ending.why_failing(BASE, now, then))
        assert (told.startswith("✗ fails  vers=4.2: the server has"), role == "bad") == (cross, cross)
        crosses = [one for one in risks(then) if one.state == "broken"]
        assert crosses == [Risk("mount-fails", "broken", ("vers",))] * cross
    run("h", "q", session=state.go(session, "mount.vers")).says("4 NFSv4.2 (fails: vers=4.2: the server has at most")


def test_the_gauge_names_the_risks_that_are_not_closed() -> None:
    every = [Risk("data-loss", "closed", ("a",)), Risk("hang", "assumed", ("b",)), Risk("performance", "open", ("c",)),
             Risk("unsupported", "open", ("d",))]
    assert gauge_texts(every) == [
        "2 of 4 risks closed, 1 on an assumption; open: access is slower, the setup is not supported",
        "2 of 4 risks closed; open: access is slower, the setup is not supported",
        "2 of 4 risks closed; open: access is slower and 1 more", "2 of 4 risks closed, 1 on an assumption",
        "2 of 4 risks closed", "",
    ]
    for found, word in ((AdviceVerdict(), "left to defaults"), (AdviceVerdict(reasons=("A known fault.",)), "open"),
                        (AdviceVerdict("open", 1), "open")):
        assert gauge_texts(every, left_word(found))[2] == f"2 of 4 risks closed; {word}: access is slower and 1 more"
    assert not any(";" in text for text in gauge_texts(every, ""))
    assert {*gauge_texts(every[:1])} == {"1 of 1 risk closed", ""}
    assert gauge_texts([]) == [""]


def test_the_card_can_be_copied_saved_and_followed_to_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        await driver.press("R", "y")
        assert driver.app.clipboard == "\n".join(ending.mount_lines(BASE, driver.app.session))
        await driver.press("escape", "Y")
        assert len(driver.app.clipboard.splitlines()) <= LINES
        assert ending.mount_lines(BASE, driver.app.session)[0] in driver.app.clipboard
        await driver.press("escape", "S")
        assert not list(tmp_path.iterdir()), "nothing is written before it is named"
        await driver.press("enter")
        picture = (tmp_path / "advisor-result.svg").read_text()
        assert picture.startswith("<svg ")
        drawn = driver.app.screen.query_one("#card").visual
        look = {drawn.plain[span.start : span.end]: str(span.style) for span in drawn.spans}
        assert (look["vers=3"], look["nconnect=8"], look["hard"]) == (*map(STRENGTH.get, ("must", "may", "should")),)
        assert look[ending.session_verdict(BASE, driver.app.session).badge].startswith("reverse")
        await driver.press("r")
        driver.sees("REPORT.md", "harm avoided")

    play(scene, session=given(**EDA))


def test_files_that_cannot_be_made_say_why() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("R")
        driver.sees("The files cannot be written: target contains a control character")

    session = given(**EDA)
    play(scene, session=session._replace(answers=session.answers._replace(names={"target": "/a\nb"})))


def test_both_sides_have_a_command_each() -> None:
    session = given(**{"storage.platform": "knfsd", "host.role": "nfs-client"})
    session = mounts.go_to_other_side(BASE, session)
    told = terminal(ending.result(BASE, session, 200), 200, Style(False))
    commands = "on the server sudo sh nfs-config/server/apply.sh; on each client sudo sh nfs-config/clients/apply.sh"
    assert commands in told, "first what is mounted"
    assert told.splitlines()[0].endswith("/mnt/nfs from nfs-server.example:/export")
    export = next(line for line in told.splitlines() if line.strip().startswith("/export "))
    assert export.strip() in ending.farewell(BASE, session, None)


def test_a_failover_pair_shows_its_group_and_where_it_is_loaded() -> None:
    session = given(**{
        "storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True, "server.v3_clients": False,
        "server.cluster_stack": "pacemaker", "server.distro": "rhel",
    })
    for side in (session, mounts.go_to_other_side(BASE, session)):
        told = " ".join(terminal(ending.result(BASE, side, 200), 200, Style(False)).split())
        for line in ("# cluster group: nfs-state, nfs-data, nfs-server, nfs-export-1, nfs-address",
                     "# nfs-export-1 directory=/export clientspec="):
            assert line in told
            assert any(one.startswith(line) for one in ending.farewell(BASE, side, None))
        install = told.partition("Install:")[2]
        order = [*map(install.index, (
            "on every node sudo sh", "/apply.sh; on one node STATE_DEVICE=…", "nfs-group.sh", "then pcs cluster",
        ))]
        assert order == sorted(order)
        assert install.find("clients/apply.sh") > order[-1] or side is session
        made = files.made_files(BASE, side).artefacts
        assert not any("crm" in one.path for one in made), "RHEL has pcs and no crmsh"


def test_the_card_comes_when_the_files_are_made_by_the_thread() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("R")
        while files.known_files(BASE, driver.app.session) is None:
            driver.sees("Making the files")
            await driver.pilot.pause(0.02)
        await driver.pilot.pause(0.1)
        driver.sees("sudo sh nfs-config/apply.sh")

    async def at_once(driver: Driver) -> None:
        """Keys so fast that the question's own work would come after the request of the screen above it."""
        await driver.type_ahead(["1", "R"])
        await driver.pilot.pause(0.3)
        for _ in range(500):
            if "nfs-config/apply.sh" in driver.text():
                return
            await driver.pilot.pause(0.02)
        driver.sees("nfs-config/apply.sh")

    play(at_once, session=given(**{**EDA, "storage.volume_protocol": "3"}), prefetch=True)
    session = given(**EDA)
    play(scene, session=session._replace(answers=session.answers._replace(names={"target": "/new"})), prefetch=True)


def test_one_verdict_everywhere_and_the_names_are_typed_where_they_are_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = given(**EDA)
    found = ending.session_verdict(BASE, session)
    assert (found.state, found.unnamed) == ("ready", ("server", "export"))
    said = run("x out", "q", session=session)
    said.says("READY: names missing · ", "write name server=… and name export=…, else apply.sh changes nothing")
    assert found.title in ending.farewell(BASE, session, None)
    assert Path("out/REPORT.md").read_text().startswith("# READY: names missing · ")
    advice = ending.judged(BASE, questions.preview(BASE, session))
    data = document(BASE, advice)
    assert data["verdict"] == {"state": "ready", "open": 0, "reasons": []}

    async def scene(driver: Driver) -> None:
        driver.sees("READY names missing")
        await driver.press("r")
        driver.sees("READY names missing")
        await driver.press("escape", "R")
        driver.sees("READY: names missing · ", "press n for server and export, else apply.sh changes nothing")
        assert "--server" not in driver.text()
        await driver.press("n", *"nas5", "enter", *"/v", "enter")
        driver.sees("READY · /mnt/nfs from nas5:/v")
        assert "names missing" not in driver.text()
        await driver.press("n")
        assert not isinstance(driver.app.screen, Prompt)
        assert any("No name is missing" in told.message for told in driver.app._notifications)
        await driver.press("escape")
        driver.sees("READY")
        assert "names missing" not in driver.text()
        assert ending.session_verdict(BASE, driver.app.session).unnamed == ()

    play(scene, (120, 40), session=session)


@pytest.mark.parametrize(("known", "text", "names"), [
    ({"storage.platform": "anf"}, "nas5:/v", {"server": "nas5", "export": "/v"}),
    ({"storage.platform": "anf"}, "nas5 /v", {"server": "nas5", "export": "/v"}),
    ({"storage.platform": "knfsd", "host.role": "nfs-server"}, "/v 10.0.0.9", {"export": "/v", "clients": "10.0.0.9"}),
])
def test_the_missing_names_can_be_written_at_once(known: dict[str, str], text: str, names: dict[str, str]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("R", "n")
        driver.sees("all at once")
        driver.app.screen.query_one(Input).value = text
        await driver.press("enter")
        assert driver.app.session.answers.names == names
        assert not isinstance(driver.app.screen, Prompt)

    play(scene, session=given(**{"host.role": "nfs-client", **known}))


def test_prompts_mark_what_fails_before_it_is_chosen() -> None:
    said = run("q", session=state.go(state.mount(BASE, state.start(), {"server": "10.1.0.4", "export": "/v"}), None))
    said.says("Azure Files (NFS share) (fails: ")
    assert "Azure NetApp Files (fails" not in said.flat


def test_a_name_that_is_refused_is_asked_again_and_both_sides_get_it() -> None:
    session = mounts.go_to_other_side(BASE, given(**{"storage.platform": "knfsd", "host.role": "nfs-client"}))

    async def scene(driver: Driver) -> None:
        await driver.press("R", "n", *"a b", "enter")
        assert isinstance(driver.app.screen, Prompt)
        assert driver.app.session.answers.names == {}
        await driver.press(*(["backspace"] * 3), *"nas5", "enter", "escape")
        assert not isinstance(driver.app.screen, Prompt)
        assert "server" not in ending.session_verdict(BASE, driver.app.session).unnamed

    play(scene, session=session)


def test_what_linux_does_not_mount_has_no_mount_point() -> None:
    session = given(client__system="esxi", storage__platform="ontap", workload__kind="vm-images",
                    host__role="nfs-client")
    assert ending.title(questions.ending(BASE, session)) == "This system mounts it in its own way."
    said = "\n".join("".join(run.text for run in line) for line in lines(ending.result(BASE, session, 100), 100))
    assert "READY: 2 warnings · nfs-server.example:/export\n" in said
    assert "/mnt/nfs" not in said
    assert "Names:" not in said

"""The mount that it is about, several mounts of one host, and both sides."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key

from advisor.advice.answers_file import answers_by_mount, read_answers
from advisor.lint.evidence import nfs_lines
from advisor.lint.run import lint_text
from advisor.wizard import ending, mounts, questions, state
from advisor.wizard.app import Wizard
from advisor.wizard.files import install_commands
from advisor.wizard.mounts import lines_of_file
from advisor.wizard.row_lists import Choices, SettingList
from advisor.wizard.state import Session
from tests.scenarios.golden import HERE
from tests.tiers import thorough
from tests.wizard.driving import BASE, DONE, Driver, both, given, play
from tests.wizard.prompting import run

pytestmark = thorough

START = state.start()
SHARES_FSTAB = """\
/dev/sda1 / ext4 defaults 0 1
nas1:/vol/data /mnt/data nfs vers=3,hard,sec=krb5,ro 0 0
[fd00::1]:/x /hana/data/H01 nfs rw,hard 0 0
"""
AZURE = "acct.file.core.windows.net:/acct/share /mnt/share"


@both
def test_names_are_written_and_what_they_give_away_is_told(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1")
        driver.sees("Which mount is this for?", "server:/export /mount/point", "Pick a line of another fstab")
        await driver.write("acct.file.core.windows.net")
        await driver.press("enter")
        await driver.press("tab")
        driver.sees("Inferred from the mount", "Where does the data live? Azure Files (NFS share)")
        assert driver.app.session.answers.names == {"server": "acct.file.core.windows.net"}
        assert driver.app.session.order == ()
        await driver.press("escape", "alt+left")
        driver.sees("So far: server acct.file.core.windows.net", "Continue with these names")

    play(scene, size, session=START)


@both
def test_a_line_is_picked(size: tuple[int, int], tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(SHARES_FSTAB)

    async def scene(driver: Driver) -> None:
        await driver.press("1", "escape", "2")
        driver.sees("Which file?")
        driver.app.screen.query_one("Input").value = str(fstab)
        await driver.press("enter")
        driver.sees("1 nas1:/vol/data on /mnt/data", "2 [fd00::1]:/x on /hana/data/H01")
        await driver.press("down", "1")
        facts = driver.app.session.answers.facts
        assert (facts["mount.vers"], facts["mount.sec"], facts["mount.ro"]) == ("3", "krb5", True)
        await driver.press("tab")
        driver.sees("Inferred from the mount; your answers override it")
        told = [fact for fact, _ in mounts.inferred_answers(BASE, driver.app.session)]
        assert told.index("mount.ro") < told.index("host.role"), "what is usual anyway comes last"
        await driver.press("r")
        driver.sees("Inferred from the mount; your answers override it", "nas1:/vol/data /mnt/data")

    play(scene, size, session=START)


def test_it_is_skipped_with_one_key_and_a_wrong_name_or_file_is_told(tmp_path: Path) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "enter", *"ab", "space", *"cd", "enter")
        driver.sees("cd is extra; write server:/export /mount/point", "Which mount")
        await driver.press(*["backspace"] * 5, "down", "2")
        driver.app.screen.query_one("Input").value = str(tmp_path / "none")
        await driver.press("enter")
        assert any("file not found" in told.message for told in driver.app._notifications)
        await driver.press("d")
        driver.sees("Where does the data live?")
        assert driver.app.session.answers == START.answers
        await driver.press("alt+left")
        driver.sees("Which mount is this for?")

    play(scene, session=START)


def test_what_is_being_written_stays_when_the_host_tells_its_lines() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "enter")
        await driver.write("nas9")
        driver.app.offer_found({}, nfs_lines(BASE, SHARES_FSTAB, "/etc/fstab"))
        await driver.press(*"8")
        driver.sees("nas98", "nas1:/vol/data on /mnt/data /etc/fstab:2")
        await driver.press("enter")
        assert driver.app.session.answers.names == {"server": "nas98"}

    play(scene, session=START)


def test_plain_takes_names_a_line_of_a_file_or_nothing(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(SHARES_FSTAB)
    run(AZURE, "s", session=START).says(
        "Inferred: Where does the data live? Azure Files (NFS share)", "Inferred from the mount; your answers override",
    )
    ran = run(f"fstab {fstab}", "1", session=START)
    ran.says("1 nas1:/vol/data on /mnt/data", "Inferred: Is the mount read-only? yes")
    assert ran.session.answers.names == {"server": "nas1", "export": "/vol/data", "target": "/mnt/data"}
    for skip in ("", "d", "f"):
        assert run(skip, "1", session=START).session.answers.facts == {"storage.platform": "anf"}
    run(f"fstab {tmp_path}/none", "fstab /etc/passwd", "ab cd", "9", "q", session=START).says(
        "file not found", "no NFS line found", "cd is extra", "No NFS line was found to choose by number",
        "Nothing was answered.",
    )


def test_plain_ends_says_so_and_goes_on_with_one_key() -> None:
    session = given(**DONE)
    ran = run("m", "m", "a mount.ro", "1", "w hard", "a nothing", "s", session=session)
    ran.says("The configuration is complete, but names are missing (server, export).",
             "a mount.ro Assumed: Is the mount read-only? no", "could fine-tune", "Unknown question 'nothing'.")
    assert ran.session.answers.facts["mount.ro"] is True
    run("w hard", session=session).says("a mount.ro Assumed: Is the mount read-only? no",
                                         "To answer what it assumes: a mount.ro")


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
        told = mounts.add(BASE, told, one)
    return state.go(told, None)


def know_nothing(app: Wizard) -> None:
    """Answers every question on the mount at hand with "I don't know"."""
    while (fact := questions.current_question(BASE, app.session)) is not None:
        app.set_session(state.dont_know(BASE, app.session, fact))


@both
def test_lines_are_marked_with_space_and_taken_with_enter(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a long name takes two lines, and the first choice is scrolled away
    Path("fstab").write_text(FSTAB)

    async def scene(driver: Driver) -> None:
        await driver.press("1", "escape", "2")
        driver.app.screen.query_one("Input").value = "fstab"
        await driver.press("enter")
        driver.sees("Space marks several")
        await driver.press("space", "down", "space", "space", "down", "space")
        driver.sees("1 ✓ nas1:/vol/data", "3 ✓ fs-0123abcd")
        await driver.press("enter")
        assert [one.answers.names["target"] for one in driver.app.session.mounts] == ["/mnt/data", "/efs"]
        driver.sees("mount 1 of 2: /mnt/data")
        await driver.press("u")
        assert driver.app.session.mounts == START.mounts, "it was one step"

    play(scene, size, session=START)


def test_keys_that_come_at_once_are_taken_in_their_order(tmp_path: Path) -> None:
    """The key after an arrow or after a field is left finds the list as these left it."""
    fstab = tmp_path / "fstab"
    fstab.write_text(FSTAB)

    async def scene(driver: Driver) -> None:
        await driver.press("1")
        driver.app.mounts = lines_of_file(driver.app.base, str(fstab))
        driver.app.screen.show_session()
        assert driver.app.screen.query_one("Input").has_focus
        for key in ("down", "space", "down", "space", "down", "space"):
            driver.app.post_message(Key(key, " " if key == "space" else None))
        await driver.press()
        assert len(driver.app.screen.query_one(Choices).marked) == 3

    play(scene, session=START)


@both
def test_a_question_says_what_it_is_about_and_is_asked_once(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.kernel")
        await driver.press()
        driver.sees("about the host, for all 3 mounts")
        await driver.write("6.1")
        await driver.press("enter")
        assert all(one.answers.facts["client.kernel"] == "6.1" for one in driver.app.session.mounts)
        driver.app.go_to_question("storage.platform")
        await driver.press()
        driver.sees("about the server 10.0.0.4, for 2 of 3 mounts")
        driver.app.go_to_question("workload.durable_writes")
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
        await driver.press("escape", "escape", "l", "down", "down", "x")
        driver.sees("2 mounts of this host")
        assert [one.answers.names for one in driver.app.session.mounts] == [DATA, EFS]
        await driver.press("u")
        driver.sees("3 mounts of this host")
        await driver.press("escape")
        driver.sees("mount 3 of 3: /efs")

    play(scene, size, session=session(DATA))


def test_what_is_written_first_goes_along_to_the_list() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "enter")
        await driver.write("nas1:/a /a")
        await driver.press("down", "4")
        driver.sees("1 mount of this host", "nas1:/a on /a")
        await driver.write("nas2:/b /b")
        await driver.press("enter", "escape")
        assert [one.answers.names["server"] for one in driver.app.session.mounts] == ["nas1", "nas2"]

    play(scene, session=START)


@both
@pytest.mark.parametrize("known", [False, True])
def test_it_is_complete_when_every_mount_is(size: tuple[int, int], known: bool) -> None:
    """Each mount has its own questions; the end is about all of them, and is ready if no must of any is open."""
    told = session(DATA, EFS)
    if known:
        for fact, value in (
            ("storage.platform", "anf"), ("storage.volume_protocol", "4.1"), ("workload.kind", "sap-hana"),
            ("host.role", "nfs-client"), ("network.cloud", "azure"), ("client.distro", "rhel"),
        ):
            told = state.answer(BASE, told, fact, value)
        told = state.answer(BASE, mounts.go_to_mount(BASE, told, 1), "storage.encrypted_transit", True)
        told = mounts.go_to_mount(BASE, told, 0)

    async def scene(driver: Driver) -> None:
        async def end() -> None:
            know_nothing(driver.app)
            mounts.several_advice(BASE, driver.app.session)
            driver.app.screen.show_session()
            await driver.press()

        await end()
        driver.sees("This mount is ready;" if known else "This mount is complete", "Continue with /efs")
        await driver.press("enter")
        driver.sees("mount 2 of 2: /efs")
        await end()
        title = "The configuration is ready;" if known else "things that must be right are open."
        driver.sees(title, f"/hana/data/HDB: {'the defaults stay for' if known else 'open until more is known:'}")
        assert "This mount is" not in driver.text()
        assert not [one for one in driver.app.screen.query_one(Choices).choices if one.act == "other"]
        asked = {fact for fact in driver.app.session.order if BASE.facts[fact].scope == "mount"}
        assert asked >= {"storage.encrypted_transit", "workload.kind"}, "eight answers on one mount are none on another"
        driver.app.set_session(mounts.go_to_mount(BASE, driver.app.session, 0))
        await driver.press()
        driver.sees(title)

    play(scene, size, session=told)


def disagreeing() -> Session:
    """Two mounts of which one is of SAP HANA and the other of chip design: they want different profiles of tuned."""
    told = session({"server": "nas1", "export": "/eda", "target": "/eda"}, DATA)
    for fact, value in (
        ("client.kernel", "6.1"), ("client.distro", "rhel"), ("client.release", "9.3"), ("host.role", "nfs-client"),
        ("network.cloud", "none"), ("storage.platform", "anf"), ("storage.volume_protocol", "3"),
        ("workload.kind", "eda"), ("workload.static_data", True), ("client.count", 100),
    ):
        told = state.answer(BASE, told, fact, value)
    told = mounts.go_to_mount(BASE, told, 1)
    told = state.answer(BASE, state.answer(BASE, told, "storage.platform", "anf"), "storage.volume_protocol", "4.1")
    return mounts.go_to_mount(BASE, told, 0)


@both
def test_a_conflict_is_named_with_both_mounts_and_explained(size: tuple[int, int]) -> None:
    told = disagreeing()
    found = mounts.several_advice(BASE, told)
    assert found is not None
    (conflict,) = [one for one in found.conflicts if one.tunable == "tuned.profile"]
    judgement = ending.session_verdict(BASE, told)
    assert judgement.state == "open"
    assert f"{conflict.says}." in judgement.reasons

    async def scene(driver: Driver) -> None:
        await driver.press("r")
        driver.sees("Review", "mount 1 of 2: /eda", judgement.badge)
        rows = {row.plain: row.key for row in driver.app.screen.query_one(SettingList).rows}
        assert conflict.says in rows
        told_rows = [text for text, key in rows.items() if key == ("setting", "tuned.profile")]
        assert sorted(text.split(":")[0] for text in told_rows) == ["✗ /eda", "✗ /hana/data/HDB"]
        driver.app.explain("setting", "tuned.profile")
        await driver.press()
        driver.sees("latency-performance")

    play(scene, size, session=told)


def test_an_answer_in_the_way_on_another_mount_is_named_and_dropped() -> None:
    told = session(
        {"server": "nas1", "export": "/a", "target": "/a"}, {"server": "nas2", "export": "/b", "target": "/b"},
    )
    told = state.answer(BASE, mounts.go_to_mount(BASE, told, 1), "storage.platform", "anf")
    told = state.go(mounts.go_to_mount(BASE, told, 0), "host.role")

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
    read = answers_by_mount(BASE, read_answers(BASE, str(tmp_path / "out" / "answers.yaml")))
    assert [one.facts for one in read] == [one.facts for one in mounts.all_mounts(BASE, told).mounts]
    again = mounts.start_mounts(BASE, *read)
    assert [one.answers.names for one in again.mounts] == [DATA, LOG, EFS]


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
        driver.sees("the clients", "nas.example:/srv/home /mnt/home nfs")
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

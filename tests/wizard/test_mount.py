"""The question before all others: which mount it is about."""

from __future__ import annotations

from pathlib import Path

from advisor import session as state
from advisor.advice.answers import Answers
from advisor.wizard import which_mount
from tests.wizard.driving import BASE, Driver, both, play
from tests.wizard.prompting import run

START = state.start()
FSTAB = """\
/dev/sda1 / ext4 defaults 0 1
nas1:/vol/data /mnt/data nfs vers=3,hard,sec=krb5,ro 0 0
[fd00::1]:/x /hana/data/H01 nfs rw,hard 0 0
"""
AZURE = "acct.file.core.windows.net:/acct/share /mnt/share"


@both
def test_names_are_written_and_what_they_give_away_is_told(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("Which mount is this for?", "server:/export /mount/point", "1 Pick a line of another fstab")
        await driver.write("acct.file.core.windows.net")
        await driver.press("enter")
        driver.sees("Inferred from the mount", "Where does the data live? Azure Files (NFS share)")
        assert driver.app.session.answers.names == {"server": "acct.file.core.windows.net"}
        assert driver.app.session.order == ()
        await driver.press("left")
        driver.sees("So far: server acct.file.core.windows.net", "Go on with these names")

    play(scene, size, session=START)


@both
def test_a_line_is_picked(size: tuple[int, int], tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(FSTAB)

    async def scene(driver: Driver) -> None:
        await driver.press("down", "enter")
        driver.sees("Which file?")
        driver.app.screen.query_one("Input").value = str(fstab)
        await driver.press("enter")
        driver.sees("1 nas1:/vol/data on /mnt/data", "2 [fd00::1]:/x on /hana/data/H01")
        await driver.press("down", "1")
        facts = driver.app.session.answers.facts
        assert (facts["mount.vers"], facts["mount.sec"], facts["mount.ro"]) == ("3", "krb5", True)
        driver.sees("Inferred from the mount; your answers override it")
        told = [fact for fact, _ in which_mount.inferred(BASE, driver.app.session)]
        assert told.index("mount.ro") < told.index("host.role"), "what is usual anyway comes last"
        await driver.press("r")
        driver.sees("Inferred from the mount; your answers override it", "nas1:/vol/data /mnt/data")

    play(scene, size, session=START)


def test_it_is_skipped_with_one_key_and_a_wrong_name_or_file_is_told(tmp_path: Path) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press(*"ab", "space", *"cd", "enter")
        driver.sees("cd is extra; write server:/export /mount/point", "Which mount")
        await driver.press(*["backspace"] * 5, "down", "enter")
        driver.app.screen.query_one("Input").value = str(tmp_path / "none")
        await driver.press("enter")
        assert any("file not found" in told.message for told in driver.app._notifications)
        await driver.press("enter")
        driver.sees("Where does the data live?")
        assert driver.app.session.answers == START.answers
        await driver.press("left")
        driver.sees("Which mount is this for?")

    play(scene, session=START)


def test_what_is_being_written_stays_when_the_host_tells_its_lines() -> None:
    async def scene(driver: Driver) -> None:
        await driver.write("nas9")
        driver.app.take_found({}, which_mount.of_text(BASE, FSTAB, "/etc/fstab"))
        await driver.press(*"8")
        driver.sees("nas98", "1 nas1:/vol/data on /mnt/data /etc/fstab:2")
        await driver.press("enter")
        assert driver.app.session.answers.names == {"server": "nas98"}

    play(scene, session=START)


def test_plain_takes_names_a_line_of_a_file_or_nothing(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(FSTAB)
    run(AZURE, "s", session=START).says(
        "Inferred: Where does the data live? Azure Files (NFS share)", "Inferred from the mount; your answers override",
    )
    ran = run(f"fstab {fstab}", "1", session=START)
    ran.says("1 nas1:/vol/data on /mnt/data", "Inferred: Is the mount read-only? yes")
    assert ran.session.answers.names == {"server": "nas1", "export": "/vol/data", "target": "/mnt/data"}
    for skip in ("", "d", "f"):
        assert run(skip, "1", session=START).session.answers.facts == {"storage.platform": "anf"}
    run(f"fstab {tmp_path}/none", "fstab /etc/passwd", "ab cd", "9", "q", session=START).says(
        "file not found", "no NFS line found", "cd is extra", "Line 9 is not in the list.",
        "Nothing was answered.",
    )


def test_plain_ends_says_so_and_goes_on_with_one_key() -> None:
    done = {"storage__platform": "aws-efs", "storage__encrypted_transit": True, "workload__static_data": False,
            "workload__kind": "web", "network__cloud": "aws", "workload__durable_writes": False,
            "workload__prompt_changes": False}
    session = state.start(Answers({name.replace("__", "."): value for name, value in done.items()}))
    ran = run("m", "m", "a mount.ro", "1", "w hard", "a nothing", "s", session=session)
    ran.says("The configuration is complete.", "Is the mount read-only? no (mount.ro)", "could fine-tune",
             "a FACT answers", "Unknown question 'nothing'.")
    assert ran.session.answers.facts["mount.ro"] is True
    run("w hard", session=session).says("Is the mount read-only? no (mount.ro). ",
                                         "a mount.ro answers what it assumes.")

"""The numbered prompts: mounts, checking, diagnosing, watching and comparing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.advice.answers_file import answers_by_mount, answers_text, read_answers
from advisor.cli.wizard import observation_page
from advisor.pages.blocks import Block, Document
from advisor.wizard import mounts, questions, state
from tests.tiers import thorough
from tests.wizard.driving import BASE, DONE, EDA
from tests.wizard.driving import given as answered
from tests.wizard.prompting import run
from tests.wizard.test_mounts import DATA, EFS, FSTAB, LOG, session

ROOT = Path(__file__).parents[2]
START = state.start()


def test_several_lines_are_picked(tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(FSTAB)
    ran = run(f"fstab {fstab}", "1,9", "1,3,1", "q", session=START)
    ran.says("1,2 takes several of them", "Line 9 is not in the list.", "mount 1 of 2: /mnt/data")
    assert [one.answers.names["target"] for one in ran.session.mounts] == ["/mnt/data", "/efs"]


def test_mounts_are_written_before_the_first_question_and_later() -> None:
    ran = run("l nas1:/a /a", "l nas2", "l nas2:/b /b", "", "l nas2:/c /c", "l", "q", session=START)
    ran.says(
        "Each of several mounts needs a server, an export and a mount point", "So far: nas1:/a on /a, nas2:/b on /b",
        "1 nas1:/a on /a (current)", "3 nas2:/c on /c ",
    )
    assert ran.session.place == 0


@thorough
def test_one_is_gone_to_and_taken_out() -> None:
    ran = run("l 3", "l -1", "l 9", "u", "q", session=session(DATA, LOG, EFS))
    ran.says("mount 3 of 3: /efs", "2 mounts left.", "Mount 9 is not in the list; l shows it.")
    assert (len(ran.session.mounts), ran.session.place, ran.session.answers.names) == (3, 2, EFS)


def test_the_only_one_stays() -> None:
    run("l -1", session=session(DATA)).says("Refused: It is the only mount.")


def test_a_question_says_what_it_is_about() -> None:
    told = session(DATA, LOG, EFS)
    ran = run("a client.kernel", "6.1", "a storage.platform", "h", "q", session=told)
    ran.says("about the host, for all 3 mounts", "about the server 10.0.0.4, for 2 of 3 mounts")
    assert all(one.answers.facts["client.kernel"] == "6.1" for one in ran.session.mounts)


def test_an_earlier_answer_for_another_mount_makes_way() -> None:
    told = session(DATA, {**EFS, "server": "nas2"})
    told = state.answer(BASE, mounts.go_to_mount(BASE, told, 1), "storage.platform", "anf")
    told = state.go(mounts.go_to_mount(BASE, told, 0), "host.role")
    ran = run("nfs-server", "2", "q", session=told)
    ran.says("It contradicts earlier answers for /efs", "Drop it: Where does the data live? Azure NetApp Files")
    assert ran.session.mounts[1].answers.facts == {"host.role": "nfs-server"}


def test_the_end_names_the_mounts_that_wait() -> None:
    told = session(DATA, EFS)
    asked = frozenset(name for name, fact in BASE.facts.items() if fact.ask and name not in told.answers.facts)
    told = told._replace(answers=told.answers._replace(unknown=asked))
    assert questions.current_question(BASE, told) is None
    run("l 2", "q", session=told).says(
        "This mount is complete", "l 2 Continue with /efs", "still matter", "mount 2 of 2: /efs"
    )


def test_all_lines_are_shown_and_the_files_hold_all_mounts(tmp_path: Path) -> None:
    told = state.answer(BASE, session(DATA, LOG, EFS), "client.kernel", "6.1")
    ran = run("s", f"x {tmp_path / 'out'}", "q", session=told)
    ran.says("The mount lines:", " /hana/data/HDB nfs ", " /hana/log/HDB nfs ", " /efs ", "reports/3-efs.md")
    read = answers_by_mount(BASE, read_answers(BASE, str(tmp_path / "out" / "answers.yaml")))
    assert [one.facts for one in read] == [one.facts for one in mounts.all_mounts(BASE, told).mounts]


@thorough
def test_an_answers_file_with_mounts_is_gone_on_with(tmp_path: Path) -> None:
    told = state.dont_know(BASE, state.answer(BASE, session(DATA, LOG), "client.kernel", "6.1"), "client.distro")
    given, out = tmp_path / "answers.yaml", tmp_path / "out"
    given.write_text(answers_text(mounts.combined_answers(BASE, told)._replace(asked=True)))
    ran = subprocess.run(
        [sys.executable, "-m", "advisor", "wizard", "--plain", f"--answers={given}"], input=f"l\nx {out}\n",
        capture_output=True, text=True, timeout=60, cwd=ROOT, check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "2 10.0.0.4:/log on /hana/log/HDB" in " ".join(ran.stdout.split())
    assert (out / "answers.yaml").read_text() == given.read_text()


def test_a_session_about_several_mounts_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "wizard.json"
    first = run("l 2", "a client.kernel", "6.1", "q", session=session(DATA, LOG), path=path)
    again = run("1", "q", path=path).says("Continue with ")
    assert (again.session.mounts, again.session.place) == (first.session.mounts, 1)


LINE = "nas:/x /mnt nfs vers=3,nconnect=32,soft 0 0"


def test_a_line_is_checked_mended_accepted_and_saved(tmp_path: Path) -> None:
    saved = tmp_path / "fstab.mended"
    ran = run(f"check {LINE}", "1", "f 2", f"s {saved}", f"s {saved}", "a 1 vendor wants it", f"s {saved}2", "q")
    ran.says("nconnect takes a number from 1 to 16", "Saved; install it yourself", "exists; choose another name")
    assert saved.read_text() == LINE.replace("soft", "hard")
    text = Path(f"{saved}2").read_text()
    assert text.startswith("# advisor: ignore[")
    assert "vendor wants it" in text


def test_what_is_not_saved_is_not_lost_without_a_word() -> None:
    ran = run(f"check {LINE}", "f 2", "", "1", "u", "", "q")
    ran.says("1 change to the line not saved", "Stay here")
    assert ran.out.count("change to the line not saved") == 1


def test_a_file_that_is_none_and_a_number_that_is_none() -> None:
    run("check /nowhere/fstab", "q").says("/nowhere/fstab")
    run(f"check {LINE}", "99", "zzz", "", "q").says("A number explains a finding")
    run("check", LINE, "", "q").says("Which file, or which line of fstab?", "nconnect takes a number")


def test_something_is_wrong() -> None:
    ran = run("wrong mount.nfs: access denied by server while mounting nas:/srv/data", "99", "1", "q")
    ran.says("Check on the", "Number, or paste", "A number from 1 to")
    denied = "mount.nfs: access denied by server while mounting nas:/srv/data"
    run(f"wrong {denied}", "total 0", "", "unmatched host", "", "q").says("Nothing in it is known here")
    refused = "refused mount request from 10.0.0.9 for /srv/data (/): unmatched host"
    run(f"wrong {denied}", refused, "", "q").says("The export names other clients").lacks("Nothing in it is known here")
    run("wrong", "mount.nfs: access denied by server while mounting nas:/srv/data", "", "", "q").says("Check on the")


@pytest.mark.parametrize("leave", ["", "q", "back"])
@pytest.mark.parametrize("door", [f"check {LINE}", "wrong mount.nfs: access denied by server while mounting nas:/x"])
def test_what_leaves_a_door_leads_back_to_the_question(door: str, leave: str) -> None:
    ran = run(door, leave, "s", "q", session=answered(**EDA))
    assert ran.flat.count("Must every write be on stable storage") == 2, "before the door and after it"
    ran.says("The mount line:")


def test_another_environment_beside_this_one(tmp_path: Path) -> None:
    other = tmp_path / "answers.yaml"
    other.write_text(answers_text(answered(**DONE).answers))
    ran = run(f"compare {other}", "compare", str(tmp_path / "none"), "q", session=answered(**EDA))
    ran.says("differ: here, then there", "Azure NetApp Files → Amazon EFS", str(tmp_path / "none"))


def test_a_door_does_not_answer_the_question_and_leads_back_to_it() -> None:
    ran = run(f"check {LINE}", "", "q", session=state.start())
    assert not ran.session.touched
    assert ran.flat.count("Which mount") >= 2


def test_the_mounts_are_watched_for_as_long_as_somebody_says() -> None:
    asked: list[str] = []

    def observe(span: str) -> list[Block]:
        asked.append(span)
        if span == "soon":
            raise ValueError("write 30s")
        page = Document()
        page.para("/mnt/data: nothing limits it")
        return page.blocks

    ran = run("watch", "watch 3s", "watch soon", "q", observe=observe)
    ran.says("Watching the mounts for 10s", "/mnt/data: nothing limits it", "write 30s")
    assert asked == ["10s", "3s", "soon"]
    run("watch", "q").says("advisor observe shows what the mounts of a host do.")


def test_this_host_is_watched_as_observe_does() -> None:
    assert isinstance(observation_page(BASE, "1s"), list)
    with pytest.raises(ValueError, match="is not a length of time"):
        observation_page(BASE, "soon")

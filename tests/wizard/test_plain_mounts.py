"""Several mounts of one host at the numbered prompts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from advisor import session as state
from advisor.advice.answers_file import answers_text, read_answers
from advisor.advice.mounts import each
from tests.wizard.prompting import BASE, run
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
        "1 nas1:/a on /a (the one that is asked about)", "3 nas2:/c on /c: ",
    )
    assert ran.session.place == 0


def test_one_is_gone_to_and_taken_out() -> None:
    ran = run("l 3", "l -1", "l 9", "u", "q", session=session(DATA, LOG, EFS))
    ran.says("mount 3 of 3: /efs", "2 mounts left.", "Mount 9 is not in the list; l shows it.")
    assert (len(ran.session.mounts), ran.session.place, ran.session.answers.names) == (3, 2, EFS)


def test_the_only_one_stays() -> None:
    run("l -1", session=session(DATA)).says("Not taken: It is the only mount.")


def test_a_question_says_what_it_is_about() -> None:
    told = session(DATA, LOG, EFS)
    ran = run("a client.kernel", "6.1", "a storage.platform", "h", "q", session=told)
    ran.says("about the host, for all 3 mounts", "about the server 10.0.0.4, for 2 of 3 mounts")
    assert all(one.answers.facts["client.kernel"] == "6.1" for one in ran.session.mounts)


def test_an_earlier_answer_for_another_mount_makes_way() -> None:
    told = session(DATA, {**EFS, "server": "nas2"})
    told = state.answer(BASE, state.go_to_mount(BASE, told, 1), "storage.platform", "anf")
    told = state.go(state.go_to_mount(BASE, told, 0), "host.role")
    ran = run("nfs-server", "2", "q", session=told)
    ran.says("It contradicts earlier answers for /efs", "Drop it: Where does the data live? Azure NetApp Files")
    assert ran.session.mounts[1].answers.facts == {"host.role": "nfs-server"}


def test_the_end_names_the_mounts_that_wait() -> None:
    told = session(DATA, EFS)
    while (fact := state.current(BASE, told)) is not None:
        told = state.dont_know(BASE, told, fact)
    run("l 2", "q", session=told).says(
        "This mount is complete", "l 2 goes on with /efs", "still matter", "mount 2 of 2: /efs"
    )


def test_all_lines_are_shown_and_the_files_hold_all_mounts(tmp_path: Path) -> None:
    told = state.answer(BASE, session(DATA, LOG, EFS), "client.kernel", "6.1")
    ran = run("s", f"x {tmp_path / 'out'}", "q", session=told)
    ran.says("The mount lines:", " /hana/data/HDB nfs ", " /hana/log/HDB nfs ", " /efs ", "reports/3-efs.md")
    read = each(BASE, read_answers(BASE, str(tmp_path / "out" / "answers.yaml")))
    assert [one.facts for one in read] == [one.facts for one in state.all_mounts(BASE, told).mounts]


def test_an_answers_file_with_mounts_is_gone_on_with(tmp_path: Path) -> None:
    told = state.dont_know(BASE, state.answer(BASE, session(DATA, LOG), "client.kernel", "6.1"), "client.distro")
    given, out = tmp_path / "answers.yaml", tmp_path / "out"
    given.write_text(answers_text(state.combined_answers(BASE, told)))
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
    again = run("1", "q", path=path).says("There is an earlier session")
    assert (again.session.mounts, again.session.place) == (first.session.mounts, 1)

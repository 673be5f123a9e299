"""The doors at the numbered prompts: the same as on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import session as state
from advisor.advice.answers_file import answers_text
from advisor.cli.wizard import observed
from advisor.document.blocks import Block, Document
from tests.wizard.driving import BASE, DONE, EDA
from tests.wizard.driving import given as answered
from tests.wizard.prompting import run

LINE = "nas:/x /mnt nfs vers=3,nconnect=32,soft 0 0"


def test_a_line_is_checked_mended_accepted_and_saved(tmp_path: Path) -> None:
    saved = tmp_path / "fstab.mended"
    ran = run(f"check {LINE}", "1", "f 2", f"s {saved}", f"s {saved}", "a 1 vendor wants it", f"s {saved}2", "q")
    ran.says("nconnect takes a number from 1 to 16", "Saved; install it yourself", "is there already")
    assert saved.read_text() == LINE.replace("soft", "hard")
    text = Path(f"{saved}2").read_text()
    assert text.startswith("# advisor: ignore[")
    assert "vendor wants it" in text


def test_what_is_not_saved_is_not_lost_without_a_word() -> None:
    ran = run(f"check {LINE}", "f 2", "", "1", "u", "", "q")
    ran.says("1 change not saved", "Stay here")
    assert ran.out.count("change not saved") == 1


def test_a_file_that_is_none_and_a_number_that_is_none() -> None:
    run("check /nowhere/fstab", "q").says("/nowhere/fstab")
    run(f"check {LINE}", "99", "zzz", "", "q").says("A number explains a finding")
    run("check", LINE, "", "q").says("Which file, or which line of fstab?", "nconnect takes a number")


def test_something_is_wrong() -> None:
    ran = run("wrong mount.nfs: access denied by server while mounting nas:/srv/data", "99", "1", "q")
    ran.says("Check on the", "Number (q leaves)", "A number from 1 to")
    run("wrong", "mount.nfs: access denied by server while mounting nas:/srv/data", "", "", "q").says("Check on the")


@pytest.mark.parametrize("leave", ["", "q", "back"])
@pytest.mark.parametrize("door", [f"check {LINE}", "wrong mount.nfs: access denied by server while mounting nas:/x"])
def test_what_leaves_a_door_leads_back_to_the_question(door: str, leave: str) -> None:
    ran = run(door, leave, "s", "q", session=answered(**EDA))
    assert ran.flat.count("Usual for cluster nodes that share an address") == 2, "before the door and after it"
    ran.says("The mount line:")


def test_another_environment_beside_this_one(tmp_path: Path) -> None:
    other = tmp_path / "answers.yaml"
    other.write_text(answers_text(answered(**DONE).answers))
    ran = run(f"compare {other}", "compare", str(tmp_path / "none"), "q", session=answered(**EDA))
    ran.says("differ: here, then there", "Azure NetApp Files, there Amazon EFS", str(tmp_path / "none"))


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
    run("watch", "q").says("advisor observe tells what the mounts of a host do.")


def test_this_host_is_watched_as_observe_does() -> None:
    assert isinstance(observed(BASE, "1s"), list)
    with pytest.raises(ValueError, match="is not a length of time"):
        observed(BASE, "soon")

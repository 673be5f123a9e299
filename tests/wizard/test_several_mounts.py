"""Several mounts of one host: what they share, what is refused, and that each is advised on as if it were alone."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.answers_file import answers_by_mount, answers_text, parse_answers
from advisor.advice.rows import mount_line
from advisor.advice.several import advise_several
from advisor.rulebase.base import load
from advisor.wizard import mounts, questions, state
from advisor.wizard.state import Session
from tests.tiers import thorough

BASE = load()
DATA = {"server": "10.0.0.4", "export": "/data", "target": "/hana/data/HDB"}
LOG = {"server": "10.0.0.4", "export": "/log", "target": "/hana/log/HDB"}
EFS = {"server": "fs-0123abcd.efs.eu-west-1.amazonaws.com", "export": "/", "target": "/efs"}


def session(*names: dict[str, str]) -> Session:
    told = state.start()
    for one in names:
        told = mounts.add(BASE, told, one)
    return told


def said(told: Session, place: int) -> dict[str, Any]:
    return told.mounts[place].answers.facts


def test_the_first_names_are_those_of_the_only_mount() -> None:
    told = session(DATA)
    assert (told.others, told.answers.names) == ((), DATA)
    assert told == state.mount(BASE, state.start(), DATA), "as it was before there could be several"


def test_answers_hold_for_what_they_are_about() -> None:
    told = session(DATA, LOG, EFS)
    told = state.answer(BASE, told, "client.kernel", "6.1")
    told = state.answer(BASE, told, "storage.platform", "ontap")
    told = state.answer(BASE, told, "workload.durable_writes", True)
    assert said(told, 0) == {"client.kernel": "6.1", "storage.platform": "ontap", "workload.durable_writes": True}
    assert said(told, 1) == {"client.kernel": "6.1", "storage.platform": "ontap"}, "it is another mount of that server"
    assert said(told, 2) == {"client.kernel": "6.1"}, "it is another server"
    told = state.forget(BASE, state.dont_know(BASE, told, "client.kernel"), "storage.platform")
    assert [one.order for one in told.mounts] == [
        ("client.kernel", "workload.durable_writes"), ("client.kernel",), ("client.kernel",),
    ]


def test_a_question_about_the_host_is_asked_once() -> None:
    told = state.answer(BASE, session(DATA, EFS), "client.kernel", "6.1")
    other = mounts.go_to_mount(BASE, told, 1)
    assert "client.kernel" not in [ask.fact for ask in questions.upcoming_questions(BASE, other)]
    assert questions.trial_answers(BASE, other, "workload.kind", "web").facts["client.kernel"] == "6.1"


def test_what_is_said_of_a_server_holds_for_a_mount_that_comes_later() -> None:
    told = state.answer(BASE, session(DATA), "storage.platform", "ontap")
    told = mounts.add(BASE, told, LOG)
    assert said(told, 1) == {"storage.platform": "ontap"}
    assert told.place == 0, "adding a mount leads nowhere else"


def test_an_answer_that_another_mount_contradicts_is_refused_and_can_be_given_instead() -> None:
    told = state.answer(BASE, session(EFS, DATA, LOG), "workload.kind", "web")
    told = state.answer(BASE, mounts.go_to_mount(BASE, told, 2), "storage.platform", "anf")
    told = mounts.remove(BASE, mounts.go_to_mount(BASE, told, 0), 1)
    told = state.mount(BASE, told, {"server": "nas2"})
    with pytest.raises(state.Refused, match="/hana/log/HDB") as refused:
        state.answer(BASE, told, "host.role", "nfs-server")
    assert (refused.value.place, refused.value.against) == (1, ("storage.platform",))
    given = state.answer(BASE, told, "host.role", "nfs-server", instead_of=("storage.platform",), of=1)
    assert said(given, 0) == {"workload.kind": "web", "host.role": "nfs-server"}
    assert said(given, 1) == {"host.role": "nfs-server"}
    assert state.undo(given).step == told.step


def test_undo_goes_across_mounts() -> None:
    told = session(DATA, LOG)
    first = state.answer(BASE, told, "workload.durable_writes", True)
    second = state.answer(BASE, mounts.go_to_mount(BASE, first, 1), "client.kernel", "6.1")
    removed = mounts.remove(BASE, second, 0)
    assert (removed.others, removed.answers.names) == ((), LOG)
    assert state.undo(removed).step == second.step
    assert state.undo(state.undo(removed)).mounts == first.mounts
    assert state.redo(state.undo(removed)).step == removed.step


def test_names_that_are_no_mount_of_several_are_refused() -> None:
    told = session(DATA, LOG)
    for names in ({"server": "nas"}, {**DATA, "target": "/hana/data/HDB/"}, {**EFS, "target": "efs"}):
        with pytest.raises(state.Refused):
            mounts.add(BASE, told, names)
    for which in ("server", "export", "target"):
        with pytest.raises(state.Refused):
            state.name(BASE, told, which, "")
    with pytest.raises(state.Refused, match="already in the list"):
        state.mount(BASE, told, LOG)
    with pytest.raises(state.Refused, match="only mount"):
        mounts.remove(BASE, session(DATA), 0)
    with pytest.raises(state.Refused, match="Complete"):
        mounts.add(BASE, session({"server": "nas7"}), LOG)


def test_the_name_of_the_clients_and_what_is_held_are_of_all_mounts() -> None:
    told = state.name(BASE, session(DATA, EFS), "clients", "10.0.0.0/24")
    told = state.pin(BASE, told, "mount.nconnect", "4")
    assert [one.answers.names["clients"] for one in told.mounts] == ["10.0.0.0/24"] * 2
    assert [one.answers.pins for one in told.mounts] == [{"mount.nconnect": 4}] * 2
    assert state.unpin(BASE, mounts.go_to_mount(BASE, told, 1), "mount.nconnect").mounts[0].answers.pins == {}


def test_a_line_says_of_the_host_what_holds_for_all() -> None:
    told = mounts.add(BASE, session(DATA), EFS, {"host.role": "nfs-client", "mount.ro": True}, "/etc/fstab:2")
    assert told.answers.facts["host.role"] == "nfs-client"
    assert "mount.ro" not in told.answers.facts
    assert mounts.go_to_mount(BASE, told, 1).answers.facts["mount.ro"] is True


def test_a_mounts_own_line_goes_before_that_of_another() -> None:
    """Each line of fstab says something of the server of both: of itself each mount believes its own."""
    told = mounts.add(BASE, state.start(), DATA, {"storage.platform": "ontap"}, "/etc/fstab:1")
    told = mounts.add(BASE, told, LOG, {"storage.platform": "knfsd"}, "/etc/fstab:2")
    for place, platform in enumerate(("ontap", "knfsd")):
        there = mounts.go_to_mount(BASE, told, place).answers
        assert (there.facts["storage.platform"], there.origin["storage.platform"]) == (
            platform, f"/etc/fstab:{place + 1}"
        )
    assert BASE.facts["storage.platform"].scope == "server"


@thorough
def test_the_order_of_the_mounts_changes_no_advice() -> None:
    def lines(*names: dict[str, str]) -> dict[str, str]:
        told = state.answer(BASE, session(*names), "client.kernel", "6.1")
        found = mounts.several_advice(BASE, told)
        assert found is not None
        return {one.answers.name("target"): mount_line(one) for one in found.mounts}

    assert lines(DATA, LOG, EFS) == lines(EFS, LOG, DATA)  # any order: tests/advice/test_several.py


def test_each_mount_is_advised_on_as_recommend_does_and_its_file_says_the_same() -> None:
    told = session(DATA, LOG, EFS)
    told = state.answer(BASE, told, "client.kernel", "6.1")
    told = state.answer(BASE, mounts.go_to_mount(BASE, told, 1), "storage.platform", "ontap")
    found = mounts.several_advice(BASE, told)
    assert found is not None
    read = parse_answers(BASE, answers_text(mounts.combined_answers(BASE, told)), "answers.yaml")
    again = advise_several(BASE, read, answers_by_mount(BASE, read), asking=True)
    resumed = mounts.start_mounts(BASE, *answers_by_mount(BASE, read))
    assert answers_text(mounts.combined_answers(BASE, resumed)) == answers_text(mounts.combined_answers(BASE, told))
    assert [mount_line(one) for one in found.mounts] == [mount_line(one) for one in again.mounts]
    assert (found.host, found.open, found.conflicts) == (again.host, again.open, again.conflicts)
    assert mounts.mount_advice(BASE, told) == found.mounts[1]
    assert questions.preview(BASE, told) == advise(BASE, told.answers, asking=True)


def test_what_is_shown_at_once_waits_for_no_other_mount() -> None:
    told = state.answer(BASE, session(DATA, EFS), "client.kernel", "5.15.7")
    assert mounts.known_advice(BASE, told) == (questions.preview(BASE, told), None)
    found = mounts.several_advice(BASE, told)
    assert found is not None
    assert mounts.known_advice(BASE, told) == (found.mounts[0], found)


def test_a_session_that_begins_with_sections_knows_a_server_once() -> None:
    names = {"server": "nas1", "export": "/a", "target": "/a"}
    first = Answers({"storage.platform": "ontap"}, names=names)
    second = Answers({"client.count": 5}, names={**names, "target": "/b"})
    told = mounts.start_mounts(BASE, first, second)
    assert said(told, 1)["storage.platform"] == "ontap"
    wrong = second._replace(facts={"storage.platform": "aws-efs", "storage.encrypted_transit": True})
    with pytest.raises(state.Refused, match="nas1 cannot be true for /b"):
        mounts.start_mounts(BASE, first, wrong)

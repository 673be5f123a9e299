"""What a mount gives away, and that answers go before it."""

from __future__ import annotations

import pytest

from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from advisor.wizard import files, mounts, questions, state

BASE = load()
NEW = state.start()
AZURE = {"server": "acct.file.core.windows.net", "export": "/acct/share", "target": "/hana/log/H01"}


def test_a_session_without_answers_begins_with_the_mount() -> None:
    assert NEW.at == state.MOUNT
    assert state.start(Answers({"storage.platform": "anf"})).at is None
    assert state.forward(NEW).at is None
    assert state.back(state.go(NEW, None)).at == state.MOUNT


def test_names_are_kept_and_what_they_give_away_is_marked() -> None:
    session = state.mount(BASE, NEW, AZURE)
    assert session.answers.names == AZURE
    assert session.answers.facts == {
        "storage.platform": "azure-files", "workload.kind": "sap-hana", "workload.hana_volume": "log",
    }
    assert session.order == ()
    assert "*.file.core.windows.net" in session.answers.origin["storage.platform"]
    assert "storage.platform" not in [ask.fact for ask in questions.upcoming_questions(BASE, session)]


def test_an_answer_goes_before_what_was_inferred_and_takes_what_hangs_on_it_along() -> None:
    session = state.answer(BASE, state.mount(BASE, NEW, AZURE), "workload.kind", "general")
    assert session.answers.facts["workload.kind"] == "general"
    assert "workload.hana_volume" not in session.answers.facts
    assert "workload.kind" not in session.answers.origin
    again = state.forget(BASE, session, "workload.kind")
    assert again.answers.facts["workload.hana_volume"] == "log", "inferred again where nobody says otherwise"
    assert "workload.kind" not in state.dont_know(BASE, session, "workload.kind").answers.facts


def test_another_mount_leaves_nothing_of_the_first() -> None:
    first = state.mount(BASE, NEW, AZURE, {"mount.ro": True}, "fstab:1")
    names = {"server": "nas1", "export": "/x", "target": "/mnt/x"}
    second = state.mount(BASE, first, names, {"mount.ro": False}, "fstab:2")
    assert second.answers.facts == {"mount.ro": False}
    assert second.answers.origin == {"mount.ro": "fstab:2"}
    undone = state.undo(second)
    assert (undone.answers, undone.line) == (first.answers, first.line)


@pytest.mark.parametrize(("server", "vers", "kept"), [
    ("nas1", "3", "3"), ("fs-1.efs.eu-west-1.amazonaws.com", "3", None),
    ("fs-1.efs.eu-west-1.amazonaws.com", "4.1", "4.1"),
])
def test_a_version_that_the_rules_refuse_is_not_held(server: str, vers: str, kept: str | None) -> None:
    session = state.mount(BASE, NEW, {"server": server}, {"mount.vers": vers}, "fstab:1")
    assert session.answers.facts.get("mount.vers") == kept


def test_what_is_held_goes_before_a_line() -> None:
    held = state.pin(BASE, NEW, "mount.vers", "4.1")
    assert "mount.vers" not in state.mount(BASE, held, {}, {"mount.vers": "3"}, "fstab:1").answers.facts


def test_a_wrong_name_is_refused() -> None:
    with pytest.raises(state.Refused, match="absolute path"):
        state.mount(BASE, NEW, {"target": "mnt"})


def test_what_was_drawn_is_drawn_again_from_a_saved_session() -> None:
    session = state.answer(BASE, state.mount(BASE, NEW, AZURE, {"mount.ro": True}, "fstab:1"), "client.count", 5)
    resumed = files.from_text(BASE, files.to_text(session)).session
    assert (resumed.answers, resumed.order, resumed.line) == (session.answers, session.order, session.line)


def test_names_of_the_command_line_are_drawn_too() -> None:
    named = state.mount(BASE, NEW, AZURE).answers
    session = mounts.start_mounts(BASE, named._replace(facts={**named.facts, "client.count": 5}))
    assert session.order == ("client.count",)
    assert session.answers.facts["storage.platform"] == "azure-files"


def test_an_answer_that_does_not_matter_keeps_nothing_from_being_inferred() -> None:
    session = state.mount(BASE, state.start(), {"server": "nas1", "export": "/a", "target": "/hana/data/A"})
    session = state.answer(BASE, state.answer(BASE, session, "host.role", "nfs-client"), "server.fencing_s", 0)
    assert session.answers.facts["workload.hana_volume"] == "data"

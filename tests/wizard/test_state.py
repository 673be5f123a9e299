"""What is asked first, what an answer changes, and what is refused."""

from __future__ import annotations

import json

import pytest

from advisor.advice.answers import Answers
from advisor.advice.model import NOTHING
from advisor.rulebase.base import load
from advisor.wizard import advice_cache, files, questions, state
from advisor.wizard.advice_cache import advice_for
from advisor.wizard.rows import preview_rows

BASE = load()
NEW = state.go(state.start(), None)
ANF = state.answer(BASE, NEW, "storage.platform", "anf")


def test_the_first_question_needs_no_advice_and_is_the_authored_one() -> None:
    first = questions.current_question(BASE, NEW)
    assert first == questions.upcoming_questions(BASE, NEW)[0].fact


def test_the_most_telling_question_comes_first_and_fine_tuning_last() -> None:
    given = state.start(Answers({"storage.platform": "anf", "workload.kind": "eda", "host.role": "nfs-client"}))
    asked = [ask.fact for ask in questions.upcoming_questions(BASE, given)]
    assert "client.kernel" in asked, "nconnect waits for it"
    assert "workload.block_kib" not in asked
    finer = [ask.fact for ask in questions.upcoming_questions(BASE, given._replace(fine=True))]
    assert finer[:len(asked)] == asked
    assert "workload.block_kib" in finer


def test_a_question_for_another_platform_is_not_asked() -> None:
    files = state.answer(BASE, state.start(), "storage.platform", "azure-files")
    assert "storage.volume_protocol" not in [ask.fact for ask in questions.upcoming_questions(BASE, files)]
    assert "storage.volume_protocol" in [ask.fact for ask in questions.upcoming_questions(BASE, ANF)]


def test_questions_about_the_server_wait_until_it_is_known_who_is_asked() -> None:
    asked = {BASE.facts[ask.fact].section for ask in questions.upcoming_questions(BASE, ANF._replace(fine=True))}
    assert not asked & {"server", "hardware"}


def test_every_question_comes_to_an_end() -> None:
    session = ANF
    for _ in range(80):
        fact = questions.current_question(BASE, session)
        if fact is None:
            return
        session = state.dont_know(BASE, session, fact)
    pytest.fail("questions without end")


def test_a_contradiction_names_the_earlier_answer_and_changes_nothing() -> None:
    session = state.answer(BASE, ANF, "client.kernel", "4.18.0-193.el8")
    with pytest.raises(state.Refused, match="rhel") as refused:
        state.answer(BASE, session, "client.distro", "debian")
    assert refused.value.against == ("client.kernel",)
    changed = state.answer(BASE, session, "client.distro", "debian", instead_of=("client.kernel",))
    assert "client.kernel" not in changed.answers.facts
    assert state.undo(changed).answers == session.answers


def test_an_answer_that_is_given_again_keeps_its_place() -> None:
    session = state.answer(BASE, state.answer(BASE, ANF, "client.kernel", "6.1"), "network.rtt_us", 300)
    asked = ("storage.platform", "client.kernel", "network.rtt_us")
    again = state.answer(BASE, session, "client.kernel", "5.14")
    assert (session.order, again.order, again.answers.facts["client.kernel"]) == (asked, asked, "5.14")
    unsure = state.dont_know(BASE, session, "client.kernel")
    assert (unsure.order, unsure.answers.unknown) == (asked, {"client.kernel"})
    assert state.answer(BASE, unsure, "client.kernel", "6.1").order == asked
    assert state.dont_know(BASE, session, "client.memory_gib").order == (*asked, "client.memory_gib")


def test_changes_say_what_is_otherwise_and_why() -> None:
    v3 = state.answer(BASE, ANF, "storage.volume_protocol", "3")
    told = {one.tunable: one for one in advice_cache.changes(questions.preview(BASE, ANF), questions.preview(BASE, v3))}
    assert (told["mount.vers"].before, told["mount.vers"].after) == ("open", "vers=3")
    assert told["mount.vers"].why
    back = {one.tunable: one for one in advice_cache.changes(questions.preview(BASE, v3), questions.preview(BASE, ANF))}
    assert (back["mount.vers"].before, back["mount.vers"].after) == ("vers=3", "open")
    assert advice_cache.changes(questions.preview(BASE, v3), questions.preview(BASE, v3)) == []


def test_progress_counts_what_an_answer_settles() -> None:
    now, after = (questions.preview(BASE, one) for one in (ANF, state.answer(BASE, ANF, "workload.kind", "eda")))
    counts, then = questions.counts(now), questions.counts(after)
    assert questions.settled(now, after) == counts[2] - then[2]
    assert then[0] - counts[0] >= 1


def test_what_was_answered_or_found_is_not_called_pinned() -> None:
    for session, word in (
        (state.answer(BASE, ANF, "mount.sec", "sys"), "answered"), (state.pin(BASE, ANF, "mount.sec", "sys"), "pinned"),
        (state.answer(BASE, ANF, "mount.sec", "sys", origin="/etc/fstab"), "found"),
    ):
        told = [row.plain for row in preview_rows(BASE, questions.preview(BASE, session), [], 54)]
        assert [one.split()[-1] for one in told if "sec=sys" in one] == [word]


def test_a_pin_that_no_rule_allows_is_held_and_wrong_ones_are_refused() -> None:
    held = state.pin(BASE, ANF, "mount.nconnect", "2")
    found = questions.preview(BASE, held).find("mount.nconnect")
    assert found is not None
    assert (found.pinned, found.text) == (True, "nconnect=2")
    for tunable, value in (("mount.nconnect", "99"), ("mount.vers", "9"), ("nothing", "1"), ("mount.rsize", "large")):
        with pytest.raises(state.Refused):
            state.pin(BASE, ANF, tunable, value)


def test_found_values_are_answers_only_when_given_and_keep_their_place() -> None:
    session = state.answer(BASE, ANF, "client.kernel", "6.1", origin="/proc/sys/kernel/osrelease")
    assert session.answers.origin == {"client.kernel": "/proc/sys/kernel/osrelease"}
    assert state.answer(BASE, session, "client.kernel", "6.2").answers.origin == {}


def test_an_answer_that_the_rules_no_longer_know_is_told_and_the_others_stay() -> None:
    data = json.loads(files.to_text(state.answer(BASE, ANF, "client.count", 5)))
    data["answers"]["facts"]["storage.platform"] = "gone"
    data["answers"]["facts"]["no.such"] = True
    data["answers"]["pins"]["mount.nconnect"] = 99
    resumed = files.from_text(BASE, json.dumps(data))
    assert resumed.session.answers.facts == {"client.count": 5}
    assert len(resumed.lost) == 3


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"schema": "advisor-session/1"}', "[" * 100_000])
def test_a_text_that_is_no_session_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a saved session"):
        files.from_text(BASE, text)


def test_what_was_left_out_and_needs_nothing_now_is_no_news() -> None:
    before = advice_for(BASE, Answers({"host.role": "nfs-client"}))
    after = advice_for(BASE, Answers({"host.role": "nfs-client", "storage.platform": "anf"}))
    left_out = {one.tunable for one in before.advised if one.value == "omit"}
    silent = {one.tunable for one in after.advised if one.summary == NOTHING}
    assert left_out & silent
    assert not left_out & silent & {one.tunable for one in advice_cache.changes(before, after)}

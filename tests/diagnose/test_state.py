"""A diagnosis as a screen drives it: one check or question at a time."""

from __future__ import annotations

import pytest

from advisor.cli import main
from advisor.diagnose.diagnosis import CANNOT, NONE_OF_THEM, Diagnosis
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase

DENIED = "mount.nfs: access denied by server while mounting nas:/srv/data"


@pytest.fixture(scope="module")
def base() -> RuleBase:
    return load()


def test_a_check_that_shows_a_cause_confirms_it_and_rules_out_its_neighbours(base: RuleBase) -> None:
    told = Diagnosis(base, DENIED)
    following = told.next_check()
    assert following is not None
    shown, *others = following.tells
    told.add_outcome(following.check.do, shown)
    assert [one.cause.id for one in told.confirmed()] == [shown]
    assert {one.cause.id for one in told.causes if one.status == "ruled-out"} >= set(others)
    assert told.next_check() is None


def test_checks_come_to_an_end_whatever_is_answered(base: RuleBase) -> None:
    for outcome in (NONE_OF_THEM, CANNOT):
        told = Diagnosis(base, DENIED)
        seen = []
        while (following := told.next_check()) is not None:
            assert following.check.do not in seen
            seen.append(following.check.do)
            told.add_outcome(following.check.do, outcome)
        assert seen
        assert told.confirmed() == []
        assert bool(told.possible()) is (outcome == CANNOT)


def test_what_is_stated_never_confirms_or_rules_out(base: RuleBase) -> None:
    before = {one.cause.id: one.status for one in Diagnosis(base, DENIED).causes}
    told = Diagnosis(base, DENIED)
    for _ in range(20):
        question = told.question()
        if question is None:
            break
        told.add_fact(question.fact.id, question.values[0])  # type: ignore[arg-type]
    assert {one.cause.id: one.status for one in told.causes} == before


def test_likelihoods_are_shares(base: RuleBase) -> None:
    for text in (DENIED, "ls hangs on the mount", "nothing known"):
        causes = Diagnosis(base, text).causes
        assert sum(one.likelihood for one in causes) == pytest.approx(1 if causes else 0)


def test_explain_leads_from_a_message_to_its_causes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", DENIED]) == 0
    assert "Check next" in capsys.readouterr().out


@pytest.mark.parametrize("pick", [0, -1, -2])
def test_steps_come_to_an_end_and_offer_a_way_around_each(base: RuleBase, pick: int) -> None:
    told = Diagnosis(base, DENIED)
    seen = []
    while (step := told.step()) is not None:
        assert step.do not in seen
        seen.append(step.do)
        assert step.choices[-1][0] in (CANNOT, None)
        told.choose(step, step.choices[pick][0])
    assert seen
    assert bool(told.confirmed()) is (pick == 0)

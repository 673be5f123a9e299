"""What an answer changes, as it is told."""

from __future__ import annotations

from advisor.advice.answers import Answers
from advisor.advice.model import NOTHING
from advisor.session import advice_for, changes
from tests.wizard.driving import BASE


def test_what_was_left_out_and_needs_nothing_now_is_no_news() -> None:
    before = advice_for(BASE, Answers({"host.role": "nfs-client"}))
    after = advice_for(BASE, Answers({"host.role": "nfs-client", "storage.platform": "anf"}))
    left_out = {one.tunable for one in before.advised if one.value == "omit"}
    silent = {one.tunable for one in after.advised if one.spoken == NOTHING}
    assert left_out & silent
    assert not left_out & silent & {one.tunable for one in changes(before, after)}

"""What is concluded: the cause that was set up, and never more for knowing less."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.observe.conclude import conclusions
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase
from tests.observe.recorded import SHARED, WRITTEN, rows

RECORDED = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def base() -> RuleBase:
    return load()


@pytest.mark.parametrize("recorded", RECORDED, ids=[one["id"] for one in RECORDED])
def test_the_cause_that_was_set_up_is_found_and_no_other(base: RuleBase, recorded: dict[str, dict[str, int]]) -> None:
    drawn = {one.conclusion.id for one in conclusions(base, {**recorded["quantities"], **recorded["server"]})}
    assert drawn >= set(recorded["conclusions"])
    assert drawn - set(recorded["conclusions"]) <= set(recorded["may_also"])


@given(st.sampled_from(RECORDED), st.data())
def test_who_knows_less_concludes_no_more(recorded: dict[str, dict[str, int]], data: st.DataObject) -> None:
    whole = recorded["quantities"]
    kept = data.draw(st.sets(st.sampled_from(sorted(whole))))
    base = load()
    fewer = {one.conclusion.id for one in conclusions(base, {name: whole[name] for name in kept})}
    assert fewer <= {one.conclusion.id for one in conclusions(base, whole)}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings are not beside the project")
def test_what_was_recorded_is_what_the_files_say() -> None:
    assert list(rows()) == RECORDED, "run: python -m tests.observe.recorded"

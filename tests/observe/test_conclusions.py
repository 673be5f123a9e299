"""What is concluded: the cause that was set up, and never more for knowing less."""

from __future__ import annotations

import json
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine import consistent
from advisor.observe.quantities import DrawnConclusion, conclusions
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase
from tests import needs
from tests.each import each
from tests.observe.recorded import SHARED, WRITTEN, rows

RECORDED = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]


@each(lambda: RECORDED, itemgetter("id"))
def test_the_cause_that_was_set_up_is_found_and_no_other(recorded: dict[str, dict[str, int]]) -> None:
    drawn = {
        one.conclusion.id for one in conclusions(load(), {**recorded["quantities"], **recorded["server"]})
        if one.conclusion.kind not in ("verdict", "note")
    }
    assert drawn >= set(recorded["conclusions"])
    assert drawn - set(recorded["conclusions"]) <= set(recorded["may_also"])


@given(st.sampled_from(RECORDED), st.data())
def test_who_knows_less_concludes_no_more(recorded: dict[str, dict[str, int]], data: st.DataObject) -> None:
    whole = recorded["quantities"]
    kept = data.draw(st.sets(st.sampled_from(sorted(whole))))
    base = load()
    fewer = {one.conclusion.id for one in conclusions(base, {name: whole[name] for name in kept})}
    assert fewer <= {one.conclusion.id for one in conclusions(base, whole)}


@pytest.mark.skipif(not SHARED.is_dir(), reason=needs.SHARED)
def test_what_was_recorded_is_what_the_files_say() -> None:
    assert list(rows()) == RECORDED, "run: python -m tests.observe.recorded"


def drawn(base: RuleBase, recorded: dict[str, dict[str, int]]) -> list[DrawnConclusion]:
    return conclusions(base, {**recorded["quantities"], **recorded["server"]})


def test_only_a_slow_server_is_said_to_leave_nothing_to_tune_here(base: RuleBase) -> None:
    said = {
        one["id"]: one["cause"] for one in RECORDED
        if any(found.conclusion.kind == "verdict" for found in drawn(base, one))
    }
    assert set(said.values()) == {"server_disk", "server_threads"}
    slow = {one["id"] for one in RECORDED if one["cause"] in said.values() and "sync_writes" not in one["conclusions"]}
    assert set(said) == slow


@each(lambda: RECORDED, itemgetter("id"))
def test_nothing_is_said_to_help_and_to_change_nothing(recorded: dict[str, dict[str, int]]) -> None:
    found = drawn(load(), recorded)
    assert not {name for one in found for name in one.conclusion.helps} & {
        name for one in found for name in one.conclusion.useless
    }


@each(lambda: RECORDED, itemgetter("id"))
def test_facts_of_one_window_go_together(recorded: dict[str, dict[str, int]]) -> None:
    """What is observed is fit to be told to other commands, and two conclusions never say different things."""
    base, facts = load(), dict[str, object]()
    for one in drawn(base, recorded):
        for name, value in one.holds.items():
            assert facts.setdefault(name, value) == value, name
    mount = {name: value for name, value in facts.items() if not name.startswith("server.")}
    assert consistent(base.engine, base.engine.state(mount))


def test_a_bound_is_a_bound_and_a_value_a_value(base: RuleBase) -> None:
    quantities = {"observed.throughput": 54, "observed.calls": 900, "observed.least_tcp_rtt": 412}
    facts = {name: value for one in conclusions(base, quantities) for name, value in one.holds.items()}
    assert facts == {"workload.required_mibps": ">=54", "network.rtt_us": 412}


def test_what_attribute_options_can_save_is_bounded(base: RuleBase) -> None:
    """No option saves more than the calls took that it is about."""
    quantities = {
        "observed.calls": 4000, "observed.metadata_share": 1000, "observed.concurrency": 900,
        "observed.attribute_time": 54_000, "observed.getattr_time": 21_000,
    }
    (one,) = (one for one in conclusions(base, quantities) if one.conclusion.id == "revalidation")
    assert one.at_most == {"mount.actimeo": "54 s", "mount.nocto": "21 s", "mount.noatime": "21 s"}


def test_what_cannot_be_seen_is_in_no_rule(base: RuleBase) -> None:
    """That data is static, or that writes must be durable, no counter proves."""
    all_ = base.conclusions.values()
    told = {name for one in all_ for name in (*one.holds, *one.measures)}
    assert not told & {"workload.static_data", "workload.durable_writes", "workload.prompt_changes"}
    denied = {(one.of, name.partition(".")[0]) for one in all_ for name, value in one.holds.items() if value is False}
    assert denied <= {("probe", "server"), ("probe", "export")}, "only a server says what it does not do"
    settings = {name for name, fact in base.facts.items() if fact.setting}
    assert not {name for one in all_ for name in one.holds} & settings
    measured = {(one.of, name, how[:2]) for one in all_ for name, how in one.measures.items()}
    assert {each for each in measured if each[1] in settings} == {
        ("probe", "mount.rsize", "<="), ("probe", "mount.wsize", "<="),
    }, "what is in effect is no wish to keep it so; a server's own limit binds every wish"

"""Figures are worked out under usual values where nobody told the numbers, and say so."""

from __future__ import annotations

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import Estimate
from advisor.advice.supposed import usual_values
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Values

PAIR: dict[str, Values] = {
    "host.role": "nfs-server", "storage.platform": "knfsd", "server.ha": True, "server.start_s": 8,
    "server.v3_clients": False,
}


def figure(name: str, **facts: Values) -> Estimate:
    told = advise(load(), Answers({**PAIR, **facts}))
    return next(one for one in told.estimates if one.tunable == f"estimate.{name}")


def test_a_number_that_nobody_told_is_the_usual_one() -> None:
    fenced = figure("failover_fenced")
    assert fenced.value == 7 + 60  # 3 s and 1.2 times that, rounded up; stonith-timeout
    assert {one.fact for one in fenced.rests_on} == {"server.token_ms", "server.fencing_s"}


def test_a_number_that_was_told_goes_before() -> None:
    fenced = figure("failover_fenced", **{"server.token_ms": 10000, "server.fencing_s": 15})
    assert fenced.value == 22 + 15
    assert fenced.rests_on == ()


def test_a_range_is_no_number_and_makes_the_usual_one_wrong() -> None:
    fenced = figure("failover_fenced", **{"server.fencing_s": ">=90"})
    assert fenced.value is None
    assert fenced.missing == ("server.fencing_s",)


def test_version_3_costs_the_grace_period_of_its_lock_manager() -> None:
    # Clients ask again after 15 s at the latest.
    assert figure("failover_locks_soonest").value == 75  # 7 s to notice, 60 s to fence, 8 s to start
    assert figure("failover_locks_soonest", **{"server.v3_clients": True}).value == 75 + 50 + 15
    assert figure("failover_locks_soonest", **{"server.v40_clients": True}).value == 75 + 90 + 15


def test_what_is_usual_under_a_condition_is_so_only_where_it_holds() -> None:
    base, fact = load(), "workload.required_mibps"
    (usual,) = base.facts[fact].usual
    assert usual.when == {"storage.platform": "anf"}
    states = [base.engine.state({"storage.platform": name}) for name in ("anf", "knfsd")] + [base.engine.state({})]
    assert [[*usual_values(base, fact, state, (True,))] for state in states] == [[usual], [], []]
    assert [[*usual_values(base, fact, state)] for state in states] == [[usual], [], [usual]]
    assert [*usual_values(base, "server.token_ms", states[1], (True,))] == [*base.facts["server.token_ms"].usual]

"""What would change a setting: first what somebody can find out or change, never a state that cannot be."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.arguments import WaysToChange, counterarguments, ways_to_change
from advisor.engine import consistent
from tests.advice.environments import base
from tests.tiers import some

ANF: dict[str, Any] = {"storage.platform": "anf", "workload.kind": "eda", "client.kernel": "6.1"}


def found(tunable: str, **facts: Any) -> WaysToChange:
    told = Answers({**ANF, **{name.replace("__", "."): value for name, value in facts.items()}})
    return ways_to_change(base(), advise(base(), told), tunable)


def test_security_comes_before_another_platform() -> None:
    told = found("mount.nconnect", mount__sec="krb5", client__has_nconnect=True)
    assert [(tuple(one.facts), one.value) for one in told.changes] == [(("mount.sec",), 8)]
    assert told.elsewhere
    assert all("storage.platform" in one.facts for one in told.elsewhere)


def test_a_newer_kernel_is_something_to_do() -> None:
    told = found("mount.nconnect", client__kernel="5.2", client__kernel_stream="mainline", mount__sec="sys")
    assert {tuple(one.facts) for one in told.changes} == {("client.kernel",)}


def test_what_is_not_known_is_found_out_first() -> None:
    assert found("mount.vers").asks == ("storage.volume_protocol",)
    assert found("mount.vers", storage__volume_protocol="3").asks == ()


def test_what_is_assumed_can_be_otherwise() -> None:
    told = found("mount.hard")
    assert [(one.facts, one.value) for one in told.changes] == [({"mount.ro": "true"}, "keep")]


def test_a_row_that_another_mount_gave_may_rest_on_what_this_one_does_not_suppose() -> None:
    told = advise(base(), Answers(ANF))
    resting = next(row for row in told.advised if row.rests_on)
    assert {one.fact for one in resting.rests_on} <= told.supposed.keys()
    alone = told._replace(supposed={})
    assert isinstance(ways_to_change(base(), alone, resting.tunable), WaysToChange)


@pytest.mark.parametrize(("tunable", "facts"), some(product(
    ["mount.nconnect", "mount.vers", "mount.lock", "mount.rsize", "mount.nocto"],
    [{}, {"storage__volume_protocol": "4.1"}, {"workload__static_data": True}, {"client__distro": "rhel",
     "client__release": "8.2", "client__kernel": "4.18.0-193.el8"}],
), 3))
def test_no_change_leads_to_what_cannot_be(tunable: str, facts: dict[str, Any]) -> None:
    told = found(tunable, **facts)
    for change in (*told.changes, *told.elsewhere):
        assert consistent(base().engine, change.state)
        assert "both" not in change.facts.get("storage.volume_protocol", ""), "no such volume"


@pytest.mark.parametrize(("tunable", "value"), [
    ("mount.hard", "soft"), ("mount.lock", False), ("mount.noresvport", True),
])
def test_why_not_knows_what_a_server_or_the_work_demands(tunable: str, value: Any) -> None:
    demanding = {
        "mount.hard": {"workload.kind": "postgresql"}, "mount.lock": {"workload.locks": True, "mount.vers": "3",
                                                                       "storage.platform": "knfsd", "server.nlm": True},
        "mount.noresvport": {"storage.platform": "knfsd", "server.insecure_ports": False, "mount.sec": "sys"},
    }[tunable]
    told = counterarguments(base(), Answers(demanding), tunable, value)
    assert told.wanted
    assert not told.fits


def test_an_option_to_write_comes_before_a_host_to_change() -> None:
    told = found("mount.nconnect", storage__volume_protocol="3", client__kernel="5.14", mount__sec="sys")
    assert [tuple(one.facts) for one in told.changes] == [("mount.sec",), ("client.kernel",)]
    told = found("mount.lock", storage__volume_protocol="3")
    assert set(told.changes[0].facts) == {"mount.vers"}

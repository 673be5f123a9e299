"""First runs of people whose environments nobody had in mind: at most ten answers, and a line that suits them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor import session as state
from advisor.advice.line import mount_line
from tests.wizard.driving import BASE

RUNS: dict[str, tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "web pages on Filestore": (
        {"storage.platform": "gcp-filestore", "storage.volume_protocol": "3", "workload.kind": "web",
         "client.kernel": "6.1", "network.cloud": "gcp", "network.transport": "tcp", "mount.vers": "3",
         "workload.static_data": False, "workload.durable_writes": False, "workload.prompt_changes": False},
        ("hard",), ("soft", "nolock", "intr"),
    ),
    "renders on FSx for ONTAP": (
        {"storage.platform": "aws-fsx-ontap", "workload.kind": "media", "client.kernel": "5.14.0-427.el9",
         "network.cloud": "aws", "workload.static_data": False, "workload.durable_writes": False,
         "workload.prompt_changes": False, "mount.sec": "sys"},
        ("hard",), ("soft", "nolock", "intr"),
    ),
    "home folders on EFS": (
        {"storage.platform": "aws-efs", "workload.kind": "home", "client.kernel": "6.8",
         "storage.encrypted_transit": False, "network.cloud": "aws", "workload.static_data": False,
         "workload.durable_writes": False, "workload.prompt_changes": False},
        ("hard", "noresvport", "vers=4.1"), ("soft", "nconnect", "vers=3"),
    ),
    "an old client on Azure NetApp Files": (
        {"storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "eda",
         "client.kernel": "3.10.0-1160.el7", "mount.sec": "sys", "network.azure_load_balancer": False,
         "workload.static_data": False, "workload.durable_writes": False, "workload.shared_writes": False},
        ("hard", "vers=3"), ("nconnect", "soft"),
    ),
}


LONG = pytest.mark.xfail(reason="eleven answers: the version, locks and the server's lock manager", strict=True)


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=LONG if one == "renders on FSx for ONTAP" else ()) for one in RUNS]
)
def test_it_ends_within_ten_answers_with_a_line_that_is_right(name: str) -> None:
    known, wanted, never = RUNS[name]
    session, asked = state.go(state.start(), None), []
    while (fact := state.current(BASE, session)) is not None:
        asked.append(fact)
        assert len(asked) <= 10, asked
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    options = mount_line(state.preview(BASE, session)).split()[3].split(",")
    assert set(wanted) <= set(options), options
    assert not [one for one in options if one.partition("=")[0] in never or one in never], options
    assert not [one for one in state.ending(BASE, session).waiting if one.strength == "must"]

"""An appliance's administrator is not advised on the files of a Linux host, nor asked about one."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.engine import consistent
from tests.advice.environments import base
from tests.tiers import some

LINUX = {"knfsd", "ganesha", "cephfs-nfs", "storage-scale", "other"}
OWN = {"volume", "network", "mount-option", "fstab-field", "access", "benchmark", "estimate", "identity"}
"""What an appliance's administrator decides, or tells those who mount from it."""


def _server(platform: str) -> dict[str, object]:
    return {"host.role": "nfs-server", "storage.platform": platform}


SERVERS = [
    one for one in base().facts["storage.platform"].values
    if consistent(base().engine, base().engine.judging(_server(one)))
]


@pytest.mark.parametrize("platform", some((one for one in SERVERS if one not in LINUX), 3))
def test_an_appliance_is_not_set_up_like_a_linux_host(platform: str) -> None:
    advice = advise(base(), Answers(_server(platform)))
    assert {one.kind for one in advice.part("set")} <= OWN
    assert {one.kind for one in advice.open} <= OWN
    asked = {one.fact for one in advice.questions}
    assert not asked & {"server.ha", "server.cpu_generation", "server.threads", "server.kernel"}
    bears = {base().tunables[setting].kind for one in advice.questions for setting in one.decisions}
    assert bears <= OWN, "a question on its disks, too, settles what its administrator decides"


@pytest.mark.parametrize("platform", [one for one in SERVERS if one in LINUX])
def test_a_linux_server_is(platform: str) -> None:
    advice = advise(base(), Answers(_server(platform)))
    told = {one.kind for one in advice.open} | {one.kind for one in advice.part("set")}
    assert told - OWN

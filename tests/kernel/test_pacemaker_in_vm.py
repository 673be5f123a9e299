"""Pacemaker with the kernel's NFS server in a virtual machine: the active server dies while a client writes.

Three minutes under emulation, so it is done where ADVISOR_VM=all asks for it."""

from __future__ import annotations

import os

import pytest

from tests.install.tools import tool
from tests.kernel.failover.boot import told
from tests.kernel.failover.cases import cases
from tests.kernel.failover.outcome import outcomes
from tests.kernel.failover.recipe import PAIR
from tests.kernel.test_failover_agreement import harmed
from tests.kernel.vm.image import image
from tests.kernel.vm.packages import Missing, missing_programs
from tests.tiers import thorough

pytestmark = thorough


@pytest.mark.skipif(os.environ.get("ADVISOR_VM") != "all", reason="takes minutes; ADVISOR_VM=all asks for it")
def test_pacemaker_moves_the_exported_group_and_nothing_is_lost() -> None:
    tool("crm")
    if missing_programs():
        pytest.skip(f"not installed: {', '.join(missing_programs())}")
    try:
        built = image("6.12", PAIR)
    except Missing as error:
        pytest.skip(str(error))
    (seen,) = outcomes(told(built, [cases()["pacemaker-crash"]]))
    assert not harmed(seen)
    assert seen.asked is not None, "nobody was fenced"
    assert seen.asked < seen.stopped <= seen.started
    assert seen.pause is not None, "the program never went on"

"""The group of a failover pair: the resources in their order, accepted by Pacemaker's own tools."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from advisor.advice import Answers, advise
from advisor.artefacts import artefacts
from advisor.today.lines import objections
from tests.artefacts.cases import CASES, HOSTILE, base, made
from tests.artefacts.tools import lines, run, written

PAIR = CASES["failover-pair"]
AGENT = re.compile(r"^add (\S+) ocf:heartbeat:(\S+)", re.MULTILINE)


def script(**changed: Any) -> str:
    found = {one.path: one for one in artefacts(base(), advise(base(), Answers(facts={**PAIR, **changed})), objections)}
    assert "exports.d/nfs-advisor.exports" not in found  # the cluster exports, and exportfs -ra would withdraw that
    return "\n".join(lines(found["cluster/nfs-group.sh"].text))


def test_the_address_follows_the_exports_and_file_systems_go_first() -> None:
    agents = [agent for _, agent in AGENT.findall(script())]
    assert agents == ["Filesystem", "Filesystem", "nfsserver", "exportfs", "IPaddr2", "nfsnotify"]


def test_without_clients_of_version_3_nobody_is_notified() -> None:
    text = script(**{"server.v3_clients": False, "package.resource-agents": "4.16.0-1.el10"})
    assert "nfsnotify" not in text
    assert "nfs_no_notify" not in text
    assert "nfsv4_only=true" in text


def test_a_server_alone_has_a_file_of_exports() -> None:
    facts = {name: value for name, value in PAIR.items() if name != "server.cluster_stack"} | {"server.ha": False}
    alone = {one.path for one in artefacts(base(), advise(base(), Answers(facts=facts)), objections)}
    assert "exports.d/nfs-advisor.exports" in alone
    assert "cluster/nfs-group.sh" not in alone


@pytest.mark.parametrize("names", [pytest.param(None, id="plain"), pytest.param(HOSTILE, id="hostile")])
def test_pacemaker_accepts_it_once_there_is_fencing(tmp_path: Path, names: Any) -> None:
    folder = written(tmp_path, made("failover-pair", names))
    given = {"STATE_DEVICE": "/dev/a", "STATE_TYPE": "ext4", "DATA_DEVICE": "/dev/b", "DATA_TYPE": "xfs"}
    cib = tmp_path / "cib.xml"
    cib.write_text(run("cibadmin", "--empty").stdout)
    refused = run("sh", str(folder / "cluster/nfs-group.sh"), str(cib), ADDRESS="192.0.2.10", **given)
    assert refused.returncode != 0
    assert "STONITH" in refused.stderr
    cib.write_text(run("cibadmin", "--empty").stdout)
    run("pcs", "-f", str(cib), "stonith", "create", "fence", "fence_any", "--force")
    told = run("sh", str(folder / "cluster/nfs-group.sh"), str(cib), ADDRESS="192.0.2.10", **given)
    assert told.returncode == 0, told.stderr
    group = re.findall(r'<primitive id="(nfs-[^"]+)"', cib.read_text())
    assert group == [name for name, _ in AGENT.findall((folder / "cluster/nfs-group.sh").read_text())]


def test_it_does_nothing_before_the_variables_are_set(tmp_path: Path) -> None:
    folder = written(tmp_path, made("failover-pair"))
    told = run("sh", str(folder / "cluster/nfs-group.sh"), cwd=tmp_path)
    assert told.returncode != 0
    assert "STATE_DEVICE" in told.stderr
    assert not list(tmp_path.glob("*.xml"))
    assert os.access(folder / "cluster/nfs-group.sh", os.X_OK)

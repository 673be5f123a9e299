"""A setting that is pinned to its default is written, though it would be in effect anyway; one that must not be pinned
to its value is not put into effect."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, Before
from advisor.advice.verdict import verdict, with_refusals
from advisor.install import artefacts
from tests.install.cases import CASES, base
from tests.tiers import some


@pytest.mark.parametrize(("case", "tunable", "path", "line"), some([
    ("home-1gbe", "module.nfs.max_session_slots", "modprobe.d/91-nfs.conf", "options nfs max_session_slots=64"),
    ("home-1gbe", "sysctl.net.ipv4.tcp_sack", "sysctl.d/91-nfs.conf", "net.ipv4.tcp_sack = 1"),
    ("home-1gbe", "mount.hard", "fstab", ",hard"),
    ("debian-server", "nfs.conf.nfsd.lease-time", "nfs.conf.d/91-nfs.conf", "lease-time=90"),
], 3))
def test_a_pinned_default_is_written(case: str, tunable: str, path: str, line: str) -> None:
    told = advise(base(), Answers(CASES[case], pins={tunable: base().tunables[tunable].default}))
    row = told.find(tunable)
    assert row is not None
    assert (row.pinned, row.already, row.part) == (True, True, "set")
    files = {file.path: file.text for file in artefacts(base(), told)}
    assert line in files[path], sorted(files)
    alone = {file.path: file.text for file in artefacts(base(), advise(base(), Answers(CASES[case])))}
    assert line not in alone.get(path, "") or tunable == "mount.hard"


@pytest.mark.parametrize("vers", some(["3", "4.0", "4.1", "4.2"], 4))
def test_what_will_fail_is_not_installed(vers: str) -> None:
    """Whatever the server: no file acts on its own, and the scripts say why before they do anything."""
    names = {"server": "nas", "export": "/x", "target": "/data"}
    states = set()
    for platform in ("alibaba-nas", "cephfs-nfs", "ontap", "azure-files", "knfsd"):
        told = advise(base(), Answers({"storage.platform": platform, "mount.vers": vers, "mount.sec": "sys",
                                       "workload.shared_writes": True, "host.role": "nfs-client"}, names=names))
        found = verdict(base(), [with_refusals(base(), told)])
        files = {file.path: file.text for file in artefacts(base(), told)}
        states.add(found.state)
        refuses = "Nothing was done, since this will fail" in files.get("apply.sh", "")
        assert refuses is ("apply.sh" in files and found.state == "will-fail"), platform
        if found.state == "will-fail":
            assert not {"playbook.yml", "cloud-init/user-data"} & {*files}, platform
            assert files["apply.sh"].index("this will fail") < files["apply.sh"].index("mkdir -p \"$state\")")
            assert files["mount.sh"].index("exit 1") < files["mount.sh"].index("mount -t")
    assert "will-fail" in states


@pytest.mark.parametrize(("pins", "needed"), [({"mount.hard": "hard"}, True), ({"mount.nofail": True}, False)])
def test_startup_waits_for_a_unit_as_it_does_for_a_line(pins: dict[str, Any], needed: bool) -> None:
    whole = advise(base(), Answers(facts=CASES["home-1gbe"], pins=pins))
    (unit,) = (one.text for one in artefacts(base(), whole) if one.path.endswith(".mount"))
    assert ("\nRequiredBy=remote-fs.target" in unit, "\nWantedBy=remote-fs.target" in unit) == (needed, not needed)


@pytest.mark.parametrize(("there", "restored"), [(None, False), (0, True), (1, False)])
def test_undo_restores_a_value_at_once_if_it_was_seen_and_was_another(there: int | None, restored: bool) -> None:
    sack = "sysctl.net.ipv4.tcp_sack"
    before = {} if there is None else {sack: Before(there, "/proc/sys/net/ipv4/tcp_sack")}
    told = advise(base(), Answers(CASES["home-1gbe"], pins={sack: 1}, before=before))
    (made,) = (file for file in artefacts(base(), told) if file.path == "sysctl.d/91-nfs.conf")
    assert any("net.ipv4.tcp_sack=0" in step for step in made.undo) is restored

"""A setting that is pinned to its default is written, though it would be in effect anyway."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
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

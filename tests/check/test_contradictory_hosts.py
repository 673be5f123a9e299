"""Hosts whose files contradict one another, as in a container or an archive of several: what contradicts is left open,
and nothing fails."""

from __future__ import annotations

import pytest

from advisor.check.check_host import check_host
from advisor.check.compared_host import ComparedHost
from advisor.check.host import GivenFacts, WholeHost
from advisor.diagnose.diagnosis import Diagnosis
from advisor.engine import consistent
from advisor.fleet.fingerprint import serialize
from advisor.fleet.judge import Knowledge, judge
from advisor.host.bundle import read
from advisor.host.tree import tree_of
from advisor.rulebase.base import load
from tests.each import each
from tests.fleet.test_bundle import bundle_of

BASE = load()
KERNELS = (
    "5.14.0-427.13.1.el9_4.x86_64", "6.1.0-21-amd64", "5.15.0-1064-azure", "6.4.0-150600.21-default",
    "4.18.0-553.el8.x86_64",
)
RELEASES = (
    'ID=debian\nVERSION_ID="12"\n', 'ID=ubuntu\nVERSION_ID="22.04"\n', 'ID="rhel"\nVERSION_ID="7.9"\n',
    'ID="sles"\nVERSION_ID="15.6"\n', 'ID=alpine\nVERSION_ID=3.20\n',
)
STATUS = "Package: nfs-kernel-server\nStatus: install ok installed\nVersion: 1:2.6.2-4+deb12u1\n"
CLIENT_ONLY = {"storage.volume_protocol": "4.1"}


def files(kernel: str, release: str) -> dict[str, str]:
    return {
        "/proc/sys/kernel/osrelease": f"{kernel}\n", "/etc/os-release": release, "/var/lib/dpkg/status": STATUS,
        "/etc/exports": "/srv 192.0.2.0/24(rw)\n", "/etc/nfs.conf": "[nfsd]\nthreads=8\n",
        "/etc/fstab": "nas:/a /a nfs defaults,_netdev 0 0\n",
    }


@each(lambda: zip(KERNELS, RELEASES), "{} {!r}".format)
def test_what_contradicts_is_left_open(kernel: str, release: str) -> None:
    tree = tree_of(files(kernel, release))
    server = ComparedHost(BASE, tree, "server").as_server
    assert consistent(BASE.engine, server.state)
    host = WholeHost(BASE, tree, lambda _: GivenFacts({}, BASE.profiles))
    check_host(host)
    for role in (False, True):
        assert consistent(BASE.engine, BASE.engine.state(host.known("", role)))
    judged = judge("", serialize(read(bundle_of(files(kernel, release)), "x.json")), Knowledge())
    assert judged.failed is None
    told = f"Linux version {kernel}\n{release}mount.nfs: access denied by server while mounting nas:/a\n"
    assert Diagnosis(BASE, told).leading() is not None


@pytest.mark.parametrize("release", RELEASES)
def test_facts_of_a_client_say_nothing_of_its_server(release: str) -> None:
    host = WholeHost(BASE, tree_of(files(KERNELS[1], release)), lambda _: GivenFacts(CLIENT_ONLY, BASE.profiles))
    assert consistent(BASE.engine, BASE.engine.state(host.known("", True)))
    assert host.known("", False)["storage.volume_protocol"] == "4.1"
    assert "storage.volume_protocol" not in host.known("", True)

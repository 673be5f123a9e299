"""The roles, run by Ansible over ssh: one on a real server, one on three hosts with a network of their own, which then
mount from it and hand over their bundles.

Ten minutes under emulation, so it is done where ADVISOR_VM=all asks for it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import artefacts
from tests import needs
from tests.install.cases import CASES, base
from tests.install.roots import HERE, ansible, changed
from tests.install.test_ansible_collection import installed
from tests.install.tools import run, written
from tests.kernel.vm.hosts import ADDRESS, CLIENTS, Reached, missing, started
from tests.kernel.vm.packages import Missing, missing_programs
from tests.test_single_file import build
from tests.tiers import thorough

pytestmark = thorough

needs.package("ansible")
FACTS = {**CASES["anf-eda-static"], "storage.volume_protocol": "4.1"}
ADVISED = {"vers=4.1", "nconnect=8", "hard", "nocto", "acregmin=600", "rsize=262144", "wsize=262144"}
NAMES = {"server": ADDRESS, "export": "/srv/data", "clients": "10.9.0.0/24", "target": "/mnt/a b"}
OLD = "10.9.0.1:/srv/data  /mnt/a\\040b/  nfs  vers=4.2,soft  0 0"
PARAMETER = "/sys/module/nfs/parameters/max_session_slots"
FIXED = f"cat {PARAMETER} >/tmp/fixed; mount --bind /tmp/fixed {PARAMETER}; mount -o remount,bind,ro {PARAMETER}"
"""A parameter that nothing can set while its module is loaded."""


def advised(folder: Path, facts: dict[str, Any]) -> Path:
    told = advise(base(), Answers(facts=facts, names=NAMES))
    return written(folder, {one.path: one for one in artefacts(base(), told)})


def play(hosts: Reached, folder: Path, *words: str, **values: object) -> tuple[list[int], str]:
    """How many tasks changed something, of each host, and what Ansible said."""
    (folder / "inventory").write_text(hosts.inventory())
    given = json.dumps({"nfs_advice_install": False, "nfs_advice_tuned_profile": "", **values})
    told = ansible("ansible-playbook", "-i", "inventory", "-e", given, *words, "playbook.yml", cwd=folder,
                   ANSIBLE_PIPELINING="1", ANSIBLE_TIMEOUT="60", within=900)
    return changed(told), told.stdout


def mounted(hosts: Reached, name: str) -> set[str]:
    """The options of the mount, as the kernel's table has them; empty without one."""
    rows = hosts.run(name, "cat /proc/self/mountinfo").splitlines()
    return {word for row in rows if " /mnt/a\\040b " in row and " - nfs4 " in row for word in re.split("[ ,]", row)}


@pytest.mark.skipif(os.environ.get("ADVISOR_VM") != "all", reason="takes minutes; ADVISOR_VM=all asks for it")
@pytest.mark.skipif(bool(missing_programs() + missing()), reason="not installed: qemu, apt or ssh")
def test_a_server_and_three_hosts_become_as_advised(tmp_path: Path) -> None:
    """Host 1 is new. Host 2 has mounted it already, with a line of its own. Host 3 has a parameter that waits."""
    try:
        with started("6.12", tmp_path) as hosts:
            serve(hosts, advised(tmp_path / "server", CASES["debian-server"]))
            mount(hosts, advised(tmp_path / "clients", FACTS))
            collect(hosts, tmp_path)
    except Missing as error:
        pytest.skip(f"no virtual machine: {error}")


def serve(hosts: Reached, folder: Path) -> None:
    line = re.search(r'- "(/srv/data .*)\)"', (folder / "roles/nfs_advice/defaults/main.yml").read_text())
    assert line is not None
    exports = [f"{line[1]},fsid=1)"]  # a file system in memory has no identity of its own
    for again in (False, True):
        (number,), told = play(hosts, folder, nfs_advice_exports=exports, nfs_advice_restart_server=True)
        assert bool(number) is not again, told
        assert hosts.run("server", "cat /proc/fs/nfsd/threads") == "64\n", "restarted with its settings"
        assert hosts.run("server", "exportfs -s").startswith("/srv/data  10.9.0.0/24(")


def mount(hosts: Reached, folder: Path) -> None:
    hosts.run("host2", f"printf '%s\\n' '{OLD}' >/etc/fstab; mkdir -p '/mnt/a b'; mount '/mnt/a b'")
    before = mounted(hosts, "host2")
    assert "soft" in before
    hosts.run("host3", FIXED)

    assert all(play(hosts, folder, "--check", "--diff")[0])
    fstab = {name: hosts.run(name, "cat /etc/fstab") for name in CLIENTS}
    assert fstab == {"host1": "", "host2": f"{OLD}\n", "host3": ""}, "check mode changes nothing"
    assert not mounted(hosts, "host1")

    numbers, told = play(hosts, folder)
    assert all(numbers)
    assert mounted(hosts, "host1") >= ADVISED
    assert mounted(hosts, "host2") == before
    assert "keeps the options that it was mounted with" in told
    assert not mounted(hosts, "host3"), "nothing is mounted before the parameter counts"
    assert "/mnt/a b is not mounted: module parameters wait" in told
    fstab = {name: hosts.run(name, "cat /etc/fstab") for name in CLIENTS}
    assert {*fstab.values()} == {fstab["host1"]}, "the same line on all"
    assert len(fstab["host2"].splitlines()) == 1

    hosts.run("host2", "umount '/mnt/a b' && mount '/mnt/a b'")
    hosts.run("host3", f"umount {PARAMETER}; mount '/mnt/a b'")  # what a restart would do
    for name in CLIENTS:
        assert mounted(hosts, name) >= ADVISED, name
        assert hosts.run(name, f"echo {name} >'/mnt/a b/{name}'; cat '/mnt/a b/{name}'") == f"{name}\n"
    assert not any(play(hosts, folder)[0]), "a second run changes nothing"


def collect(hosts: Reached, folder: Path) -> None:
    """The collection's playbook, with the single file, on the three hosts that are mounted now."""
    (folder / "inventory").write_text(hosts.inventory())
    build(folder / "advisor.pyz")
    given = {"program_file": str(folder / "advisor.pyz"), "collect_folder": str(folder / "bundles"),
             "advisor_hosts": "nfs_clients"}
    told = ansible("ansible-playbook", "-i", "inventory", "-e", json.dumps(given), "nfs.advisor.collect", cwd=folder,
                   ANSIBLE_PIPELINING="1", ANSIBLE_TIMEOUT="60", ANSIBLE_COLLECTIONS_PATH=installed(folder), within=600)
    changed(told)
    bundles = sorted((folder / "bundles").iterdir())
    assert [one.stem for one in bundles] == list(CLIENTS)
    report = run(str(HERE / "advisor"), "fleet", "report", *map(str, bundles))
    assert report.stdout.startswith("3 hosts"), report.stdout + report.stderr
    assert all("nconnect=8" in one.read_text() for one in bundles)

"""The role, as Ansible itself reads and runs it, on hosts that are each a root and a network namespace of their own.

Three hosts take a minute, so they are tried where ADVISOR_VM=all asks; otherwise one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests import needs
from tests.install.cases import HOSTILE, made
from tests.install.roots import Hosts, ansible, changed, started
from tests.install.tools import run, tool, written
from tests.tiers import thorough

pytestmark = thorough

needs.package("ansible")
NAMED = ("host1", "host2", "host3") if os.environ.get("ADVISOR_VM") == "all" else ("host1",)
NAMES = [pytest.param(None, id="plain"), pytest.param(HOSTILE, id="hostile")]


@pytest.mark.parametrize("names", NAMES)
def test_syntax(tmp_path: Path, names: Any) -> None:
    folder = written(tmp_path, made("anf-eda-static", names))
    told = ansible("ansible-playbook", "--syntax-check", "-i", "localhost,", "playbook.yml", cwd=folder)
    assert told.returncode == 0, told.stdout + told.stderr


def test_lint(tmp_path: Path) -> None:
    folder = written(tmp_path, made("hpc-server"))
    told = ansible("ansible-lint", "--offline", "--profile", "production", "--strict", ".", cwd=folder)
    assert told.returncode == 0, told.stdout + told.stderr


VALUES = """
nfs_advice_install: false
nfs_advice_restart_server: false
nfs_advice_tuned_profile: throughput-performance
nfs_advice_nfs_conf: {nfsd: {threads: "64"}}
nfs_advice_server: true
nfs_advice_exports: ["/export  client.example(rw,no_subtree_check)"]
nfs_advice_mounts:
  - {source: tmpfs, path: /mnt/a b, type: tmpfs, options: [size=1m, nosuid]}
  - {source: tmpfs, path: /mnt/kept, type: tmpfs, options: [size=1m]}
"""
KEPT = "tmpfs  /mnt/kept  tmpfs  size=1m  0 0\n"

ROLE = ("-e", "@values.yml", "playbook.yml")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    folder = written(tmp_path_factory.mktemp("role"), made("anf-eda-static"))
    (folder / "values.yml").write_text(VALUES)
    with started(folder, NAMED) as there:
        for name in there.roots:
            kept = run(str(folder / f"{name}.sh"), "-c", "mkdir /mnt/kept; mount -t tmpfs -o size=2m tmpfs /mnt/kept")
            assert kept.returncode == 0, kept.stderr
        yield there


def test_check_then_for_real_then_again(hosts: Hosts) -> None:
    """One test, since each step begins where the one before ended. /mnt/kept is mounted with other options before."""
    before = hosts.state()
    assert all("size=2048k" in before[f"{name} mounts"] for name in hosts.roots)
    told = hosts.play(*ROLE, "--check", "--diff", "-e", "nfs_advice_clustered=true")
    assert all(changed(told))
    assert hosts.state() == before, "check mode changes nothing"
    assert "+tmpfs  /mnt/a\\040b  tmpfs  size=1m,nosuid  0 0" in told.stdout, "the diff shows what will change"
    assert "+net.core.rmem_max = 16777216" in told.stdout
    assert "exportfs -ra was not run: it would withdraw what Pacemaker exports" in told.stdout
    assert "crm_resource --restart --resource nfs-server" in told.stdout
    assert {name: hosts.calls(name) for name in hosts.roots} == {name: ["tuned-adm active"] for name in hosts.roots}

    told = hosts.play(*ROLE)
    assert all(changed(told))
    assert "/mnt/kept keeps the options that it was mounted with" in told.stdout
    after = hosts.state()
    for name in hosts.roots:
        assert after[f"{name} etc/fstab"] == f"tmpfs  /mnt/a\\040b  tmpfs  size=1m,nosuid  0 0\n{KEPT}"
        assert "threads=64" in after[f"{name} etc/nfs.conf.d/91-nfs.conf"]
        done = hosts.calls(name)
        assert {"tuned-adm profile throughput-performance", "exportfs -ra", "udevadm control --reload",
                "sysctl -e -p /etc/sysctl.d/91-nfs.conf"} <= set(done)
        assert not [call for call in done if "restart" in call], "clients are not interrupted unasked"
        slots = after[f"{name} sys/module/sunrpc/parameters/tcp_max_slot_table_entries"]
        mounted = after[f"{name} mounts"]
        assert before[f"{name} mounts"] in mounted, "the role unmounts nothing"
        assert (slots, "a\\040b" in mounted) == (("65536\n", False) if name == "host3" else ("128\n", True))

    told = hosts.play(*ROLE, "--diff")
    assert hosts.state() == after
    assert not any(changed(told)[:2]), told.stdout


PACKAGE = "nfs-advisor-tried"
CONTROL = (
    f"Package: {PACKAGE}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example>\nDescription: nothing\n"
)
EMPTY = """rm -rf /etc/apt/sources.list.d /var/lib/apt/lists/* /var/lib/apt/periodic
touch -d @0 /var/lib/apt/lists"""


@pytest.mark.skipif(os.environ.get("ADVISOR_VM") != "all", reason="takes half a minute; ADVISOR_VM=all asks for it")
def test_it_installs_what_it_needs(tmp_path: Path) -> None:
    """On a host like the image of a new machine, whose lists of packages are empty, from a repository of its own."""
    tool("dpkg-deb")
    folder = written(tmp_path, made("anf-eda-static"))
    (tmp_path / "package/DEBIAN").mkdir(parents=True)
    (tmp_path / "package/DEBIAN/control").write_text(CONTROL)
    (tmp_path / "repository").mkdir()
    deb = tmp_path / "repository/a.deb"
    assert run("dpkg-deb", "--build", str(tmp_path / "package"), str(deb)).returncode == 0
    content = deb.read_bytes()
    listed = f"Filename: ./a.deb\nSize: {len(content)}\nSHA256: {sha256(content).hexdigest()}\n"
    (tmp_path / "repository/Packages").write_text(CONTROL + listed)
    values = {"nfs_advice_packages": [PACKAGE], "nfs_advice_mounts": [], "nfs_advice_udev_rule": "",
              "nfs_advice_tuned_profile": "", "nfs_advice_sysctl": {}}
    with started(folder, ["host1"]) as there:
        shell, root = str(folder / "host1.sh"), there.roots["host1"]
        assert run(shell, "-c", EMPTY).returncode == 0
        (root / "etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{tmp_path}/repository ./\n")
        (root / "etc/apt/apt.conf.d/99sandbox").write_text('APT::Sandbox::User "root";\n')  # it may not see tmp_path
        for options, wanted in ((("--check",), False), ((), True), ((), True)):
            told = there.play("-e", json.dumps(values), *options, "playbook.yml")
            (number,) = changed(told)
            assert (run(shell, "-c", f"dpkg -s {PACKAGE}").returncode == 0) is wanted
        assert not number, "a second run changes nothing"

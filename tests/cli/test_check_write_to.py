"""`advisor check --write-to`: the scripts are run on a tree that stands for the host; afterwards nothing is found, and
undo brings back every byte and every value."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.host import archives, trees

SLOTS = "/proc/sys/sunrpc/tcp_max_slot_table_entries"
READ_AHEAD = "/sys/class/bdi/0:52/read_ahead_kb"
IDMAPPING = "/sys/module/nfs/parameters/nfs4_disable_idmapping"
HOST = {
    **trees.DEBIAN12,
    "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("acct.file.core.windows.net:/acct/a", "/a"),
    "/etc/fstab": "# mine\nacct.file.core.windows.net:/acct/a  /a  nfs  vers=4.1,hard,intr,nconect=4  0 0\n",
    "/etc/sysctl.d/50-nfs.conf": "vm.swappiness = 10\nsunrpc.tpc_max_slot_table_entries = 128\n",
    SLOTS: "65536\n",
    "/etc/modprobe.d/nfs.conf": "options nfs nfs4_disable_idmaping=Y\n",
    IDMAPPING: "N\n",
    READ_AHEAD: "128\n",
}
FACTS = ("workload.access=sequential", "client.has_nfsrahead=no", "client.has_readahead_15x=no")
STUBS = {
    "id": "echo 0",
    "sysctl": 'shift; key=${1%%=*}; echo "${1#*=}" > "$ROOT/proc/sys/$(echo "$key" | tr . /)"',
    "udevadm": "true", "systemctl": "true", "exportfs": "echo exportfs >> \"$ROOT/ran\"", "mountpoint": "echo 0:52",
}


@pytest.fixture
def host(advisor, tmp_path):
    return OnTree(advisor, tmp_path)


class OnTree:
    """A host that is a tree, on which what was written is run."""

    def __init__(self, advisor, tmp_path: Path) -> None:
        self.advisor, self.root, self.out = advisor, tmp_path / "host", tmp_path / "out"
        self.stubs = tmp_path / "stubs"
        self.stubs.mkdir()
        for name, body in STUBS.items():
            (self.stubs / name).write_text(f"#!/bin/sh\n{body}\n")
            (self.stubs / name).chmod(0o755)

    def plant(self, files: dict[str, str]) -> None:
        trees.plant(self.root, files)

    def check(self, *more: str):
        sets = [word for fact in FACTS for word in ("--set", fact)]
        return self.advisor("check", "--root", str(self.root), *sets, *more)

    def write(self, *more: str):
        ran = self.check("--write-to", str(self.out), *more)
        assert ran.code == 0, ran.err
        return ran

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        text = (self.out / script).read_text()
        for place in ("/etc/", "/sys/", "/run/"):
            text = text.replace(f" {place}", f" {self.root}{place}")
        moved = self.out / f"{script}.moved"
        moved.write_text(text)
        env = {"PATH": f"{self.stubs}:{os.environ['PATH']}", "ROOT": str(self.root)}
        return subprocess.run(["/bin/sh", str(moved)], env=env, capture_output=True, text=True, check=False)

    def state(self) -> dict[str, tuple[str, int]]:
        return {
            str(path.relative_to(self.root)): (path.read_text(), stat.S_IMODE(path.stat().st_mode))
            for path in self.root.rglob("*") if path.is_file()
        }


def test_what_was_written_mends_the_host_and_undo_brings_back_all_of_it(host):
    host.plant(HOST)
    (host.root / "etc/modprobe.d/nfs.conf").chmod(0o600)
    (host.root / "etc/udev/rules.d").mkdir(parents=True)
    before = host.state()
    host.write("--unsafe-fixes")
    assert host.state() == before, "the host itself is not touched"
    ran = host.run("apply.sh")
    assert ran.returncode == 0, ran.stderr
    after = host.state()
    assert "vers=4.1,hard,nconnect=4" in after["etc/fstab"][0]
    assert after["etc/fstab"][0].startswith("# mine\n")
    assert after["etc/modprobe.d/nfs.conf"] == ("options nfs nfs4_disable_idmapping=Y\n", 0o600)
    assert [after[place[1:]][0].strip() for place in (SLOTS, READ_AHEAD, IDMAPPING)] == ["128", "15360", "Y"]
    found = host.check("--min-severity", "warning", "--output-format", "concise").out
    assert "not-in-effect" not in found
    assert "unknown" not in found
    assert "read-ahead" not in found
    assert host.run("look.sh").stdout.count("128") >= 1
    ran = host.run("undo.sh")
    assert ran.returncode == 0, ran.stderr
    assert {name: (text.strip(), mode) for name, (text, mode) in host.state().items()} == {
        name: (text.strip(), mode) for name, (text, mode) in before.items()
    }


def test_only_safe_fixes_are_made_unless_more_is_asked_for(host):
    host.plant(HOST)
    host.write()
    assert (host.out / "files/etc/fstab").read_text() == HOST["/etc/fstab"].replace(",intr", "")
    assert not (host.out / "files/etc/modprobe.d").exists()
    told = (host.out / "STEPS.md").read_text()
    assert "unknown option nconect=4; did you mean nconnect=4? Write nconnect=4. --unsafe-fixes" in told
    assert "umount /a" in told


def test_a_file_that_changed_since_is_left_alone(host):
    host.plant(HOST)
    host.write("--unsafe-fixes")
    (host.root / "etc/fstab").write_text("other\n")
    before = host.state()
    ran = host.run("apply.sh")
    assert ran.returncode == 1
    assert "changed since" in ran.stderr
    assert host.state() == before
    assert host.run("undo.sh").returncode == 1
    assert (host.root / "etc/fstab").read_text() == "other\n"


def test_a_second_run_writes_the_same_and_keeps_what_somebody_edited(host):
    host.plant(HOST)
    host.write()
    assert all(line.startswith("same") for line in host.write().out.splitlines()[:-1])
    (host.out / "files/etc/fstab").write_text("mine\n")
    ran = host.check("--write-to", str(host.out))
    assert ran.code == 1
    assert "kept" in ran.out
    assert (host.out / "files/etc/fstab").read_text() == "mine\n"


def test_a_file_of_an_earlier_run_keeps_its_settings_and_comes_back(host):
    """Somebody took one of two settings out of it again."""
    host.plant({**HOST, "/etc/udev/rules.d/x.rules": "\n"})
    host.write()
    host.run("apply.sh")
    place = host.root / "etc/udev/rules.d/90-nfs-read-ahead.rules"
    old = place.read_text().replace("15360", "4096")
    place.write_text(old)
    host.write()
    assert host.run("apply.sh").returncode == 0
    assert "15360" in place.read_text()
    assert host.run("undo.sh").returncode == 0
    assert place.read_text() == old


def test_what_stands_in_a_report_is_not_written_back(host, advisor, tmp_path):
    """supportconfig leaves comments out: as a whole file it would lose them."""
    archive = archives.pack(tmp_path / "sc.tar.gz", archives.SUPPORTCONFIG, mode="w:gz")
    advisor("check", "--root", archive, "--write-to", str(host.out), "--unsafe-fixes")
    assert not list(host.out.rglob("fstab"))


def test_a_value_that_was_not_collected_cannot_be_brought_back_and_is_told(host):
    host.plant({path: text for path, text in HOST.items() if path != SLOTS})
    host.write("--unsafe-fixes")
    told = (host.out / "STEPS.md").read_text()
    assert "the values in effect of sunrpc.tcp\\_max\\_slot\\_table\\_entries were not collected" in told
    assert "sysctl -w" not in (host.out / "apply.sh").read_text()


@pytest.mark.parametrize("etab", [
    "/a\t10.0.0.0/8(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash,no_all_squash)\n",
    "/a\t10.0.0.0/8(rw,sync,wdelay,hide)\n/by-hand\t10.0.0.9(rw,sync,wdelay,hide)\n",
])
def test_exports_made_by_hand_are_not_withdrawn(host, etab):
    host.plant({**trees.DEBIAN12, "/etc/exports": "/a 10.0.0.0/8(rw)\n/b 10.0.0.0/8(ro)\n", "/var/lib/nfs/etab": etab})
    host.write()
    assert "run 'exportfs -a'" in (host.out / "apply.sh").read_text()
    assert not [path for path in host.out.rglob("*.sh") if "exportfs -r" in path.read_text()]


def test_a_host_without_nfs_gets_nothing(host):
    host.plant({**trees.DEBIAN12, "/etc/fstab": "/dev/sda1 / ext4 defaults 0 1\n", "/etc/hostname": "x\n"})
    assert "Nothing to write" in host.write().out
    assert not host.out.exists()


@pytest.mark.parametrize("options", [("--force",), ("--unsafe-fixes",), ("--write-to", "x", "--area", "server")])
def test_options_that_go_together(host, options):
    host.plant(HOST)
    assert host.check(*options).code == 2

"""Hosts for Ansible: each a root, a mount and a network namespace of its own, whose changes stay in memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(sys.executable).parent


def ansible(program: str, *words: str, cwd: Path, within: int = 300, **env: str) -> subprocess.CompletedProcess[str]:
    """Run one of Ansible's programs. `within`: seconds; `env`: further variables."""
    command = HERE / program
    if not command.exists():
        pytest.skip(f"{program} is not installed")
    settings = {"HOME": str(cwd), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(cwd / ".ansible"), "NO_COLOR": "1",
                "PATH": f"{HERE}:{os.environ['PATH']}:/usr/sbin:/sbin"}
    return subprocess.run([str(command), *words], cwd=cwd, env={**os.environ, **settings, **env}, timeout=within,
                          capture_output=True, text=True, check=False)


PREPARE = r"""
set -e
mkdir -p "$1"/upper "$1"/work "$1"/root "$1"/calls
mount -t tmpfs tmpfs "$1"/upper
mkdir "$1"/upper/upper "$1"/upper/work
mount -t overlay overlay -o lowerdir=/,upperdir="$1"/upper/upper,workdir="$1"/upper/work "$1"/root
cd "$1"/root
mkdir -p ".$2" sys/module/sunrpc/parameters etc/modprobe.d etc/udev/rules.d
mount --bind "$2" ".$2"
mount -t proc proc proc
mount -t tmpfs tmpfs run
rm -rf etc/nfs.conf.d etc/exports.d etc/sysctl.d/91-nfs.conf etc/modprobe.d/91-nfs.conf
rm -f etc/udev/rules.d/90-nfs-read-ahead.rules
: > etc/fstab
echo 65536 > sys/module/sunrpc/parameters/tcp_max_slot_table_entries
if [ "$3" = host3 ]; then
    echo 65536 > fixed
    mount --bind fixed sys/module/sunrpc/parameters/tcp_max_slot_table_entries
    mount -o remount,bind,ro sys/module/sunrpc/parameters/tcp_max_slot_table_entries
fi
echo ready
exec sleep 600
"""
"""A root whose changes stay in memory, with the folders of kmod and udev, and without a file that the role writes:
Ansible copies the attributes of one into its backup, and a file system in memory has none. On host 3 a parameter
cannot be set while the module is loaded."""
SHELL = """#!/bin/sh
export PATH={folder}/bin:{here}:/usr/sbin:/usr/bin:/sbin:/bin HOST={name}
exec nsenter --target {pid} --mount --net chroot {folder}/{name}/root /bin/sh "$@"
"""
FAKE = """#!/bin/sh
echo "${{0##*/}} $*" >> {folder}/$HOST/calls/all
case "${{0##*/}} $1" in
    tuned-adm\\ active) cat {folder}/$HOST/profile 2>/dev/null ;;
    tuned-adm\\ profile) echo "Current active profile: $2" > {folder}/$HOST/profile ;;
esac
"""
"""What would change the kernel that all share, or talk to a service, is noted and not done."""
class Hosts(NamedTuple):
    """`folder`: where the playbook and the inventory lie. `roots`: how each host's files are reached."""

    folder: Path
    roots: dict[str, Path]

    def play(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run ansible-playbook. `words`: options and the playbook."""
        return ansible("ansible-playbook", "-i", "inventory", *words, cwd=self.folder, ANSIBLE_PIPELINING="1",
                       ANSIBLE_FORKS="3", **env)

    def state(self) -> dict[str, str]:
        """What stands in the files that the role nfs_advice may write, and what is mounted."""
        return {
            f"{name} {place}": (root / place).read_text() if (root / place).is_file() else ""
            for name, root in self.roots.items() for place in PLACES
        } | {f"{name} mounts": self.mounted(name) for name in self.roots}

    def mounted(self, name: str) -> str:
        found = self.roots[name].parent.joinpath("mounts").read_text()
        return "".join(line for line in found.splitlines(True) if f"/{name}/root/mnt/" in line)

    def calls(self, name: str) -> list[str]:
        noted = self.folder / name / "calls" / "all"
        return noted.read_text().splitlines() if noted.exists() else []


PLACES = ("etc/fstab", "etc/sysctl.d/91-nfs.conf", "etc/modprobe.d/91-nfs.conf", "etc/nfs.conf.d/91-nfs.conf",
          "etc/udev/rules.d/90-nfs-read-ahead.rules", "etc/exports.d/nfs-advisor.exports",
          "sys/module/sunrpc/parameters/tcp_max_slot_table_entries")


@contextmanager
def started(folder: Path, names: Sequence[str]) -> Iterator[Hosts]:
    """The hosts, while they run; the test is skipped where there can be none. `folder`: is seen by all of them."""
    (folder / "bin").mkdir()
    for fake in ("sysctl", "udevadm", "exportfs", "systemctl", "tuned-adm"):
        (folder / "bin" / fake).write_text(FAKE.format(folder=folder))
        (folder / "bin" / fake).chmod(0o755)
    running: list[subprocess.Popen[str]] = []
    roots: dict[str, Path] = {}
    inventory = ["[nfs_clients]"]
    try:
        for name in names:
            process = subprocess.Popen(
                ["unshare", "--mount", "--net", "sh", "-c", PREPARE, "sh", str(folder / name), str(folder), name],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            running.append(process)
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                pytest.skip(f"no roots of their own here: {process.communicate()[1].strip()}")
            shell = folder / f"{name}.sh"
            shell.write_text(SHELL.format(folder=folder, here=HERE, pid=process.pid, name=name))
            shell.chmod(0o755)
            roots[name] = Path(f"/proc/{process.pid}/root{folder}/{name}/root")
            (roots[name].parent / "mounts").symlink_to(f"/proc/{process.pid}/mounts")
            inventory.append(
                f"{name} ansible_connection=local ansible_become=false ansible_shell_executable={shell} "
                f"ansible_python_interpreter=/usr/bin/python3 ansible_remote_tmp={folder}/{name}/tmp"
            )
        (folder / "inventory").write_text("\n".join(inventory) + "\n")
        yield Hosts(folder, roots)
    finally:
        for process in running:
            process.kill()
            process.wait()


def changed(told: subprocess.CompletedProcess[str]) -> list[int]:
    """How many tasks changed something, of each host. Fails where one failed."""
    assert told.returncode == 0, told.stdout + told.stderr
    return [int(number) for number in re.findall(r"changed=(\d+)", told.stdout)]

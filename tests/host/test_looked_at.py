"""What `advisor check` looks at on a live host: files of settings, of the kernel and of packages, and nothing that lies
on a network file system. The list is the one that was seen with strace, beside a server that had been stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]

WATCH = """
import json, os, sys
seen = set()
def watched(real):
    def call(path=".", *rest, dir_fd=None, **more):
        if isinstance(path, (str, bytes, os.PathLike)):
            text = os.fsdecode(path)
            base = kept_readlink(f"/proc/self/fd/{dir_fd}") if dir_fd is not None else os.getcwd()
            seen.add(os.path.normpath(os.path.join(base, text)))
        elif isinstance(path, int) and real.__name__ in ("statvfs", "listdir", "scandir"):
            seen.add(kept_readlink(f"/proc/self/fd/{path}"))
        return real(path, *rest, **more) if dir_fd is None else real(path, *rest, dir_fd=dir_fd, **more)
    return call
kept_readlink = os.readlink
def opened(event, args):
    if event == "open" and isinstance(args[0], str) and args[0].startswith("/"):
        seen.add(os.path.normpath(args[0]))
sys.addaudithook(opened)
for name in ("open", "stat", "lstat", "readlink", "access", "statvfs", "listdir", "scandir"):
    setattr(os, name, watched(getattr(os, name)))
from advisor.cli import main
try:
    code = main(["check", "--output-format", "json", "--no-config"])
except SystemExit as ended:
    code = ended.code
print()
print(json.dumps([code, sorted(seen)]))
"""
LOOKED_AT = (
    "/proc", "/sys", "/etc", "/lib", "/usr/lib", "/usr/local/lib", "/usr/bin/rpm", "/var/lib/nfs", "/var/lib/dpkg",
    "/var/lib/pacemaker", "/var/lib/rpm", "/run/systemd", "/run/sysctl.d", "/run/modprobe.d", "/run/udev",
    "/run/.containerenv", "/.dockerenv", "/dev/null",
)  # fmt: skip
"""These, and what lies below them."""
ON_THE_WAY = ("/", "/usr", "/usr/local", "/var", "/var/lib", "/run", "/usr/bin", "/bin", "/sbin", "/usr/sbin")
"""Folders that are opened to go on from there."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_else_is_looked_at() -> None:
    ran = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    code, seen = json.loads(ran.stdout.rstrip().rpartition("\n")[2])
    assert code in (0, 1)
    own = tuple({sys.prefix, sys.base_prefix, *sys.path[1:], str(PROJECT)})
    other = [
        path for path in seen
        if path not in ON_THE_WAY and not any(path == one or path.startswith(f"{one}/") for one in (*LOOKED_AT, *own))
    ]
    assert not other
    assert any(path.endswith("/mountinfo") for path in seen)
    assert "/etc/fstab" in seen

"""Reading the files of a host: bounds, links, network file systems, and what `advisor check` touches on a live host."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import advisor.host
from advisor.host.probe import probe
from advisor.host.tree import MAX_BYTES, Tree, Unread
from advisor.rulebase.model import Fact
from tests.host import trees

BASE = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"


def guarded(folder: Path, mountinfo: str, files: dict[str, str]) -> Tree:
    return Tree(trees.plant(folder, {"/proc/self/mountinfo": mountinfo, **files}), guarded=True)


@pytest.mark.parametrize(
    ("mountinfo", "refused"),
    [
        (BASE, False),
        (BASE + "30 22 0:40 / /etc rw - nfs4 nas:/etc rw\n", True),
        (BASE + "30 22 0:40 / /etc/x.conf rw - nfs4 nas:/etc rw\n", True),
        (BASE + "30 22 0:40 / /et rw - nfs4 nas:/etc rw\n", False),
        (BASE + "30 22 0:40 / /etc rw - autofs systemd-1 rw\n", True),
        (BASE + "30 22 0:40 / /etc rw - fuse.sshfs u@h:/ rw\n", True),
        (BASE + "30 22 0:40 / /etc rw - never-heard-of x rw\n", True),
        # What is mounted over a network file system hides it, and the other way round.
        (BASE + "30 22 0:40 / /etc rw - nfs4 nas:/etc rw\n31 30 0:41 / /etc rw - tmpfs tmpfs rw\n", False),
        (BASE + "30 22 0:41 / /etc rw - tmpfs tmpfs rw\n31 30 0:40 / /etc rw - nfs4 nas:/etc rw\n", True),
        # A mount below one that is hidden is not to be seen either.
        (BASE + "30 22 0:41 / /etc/x.conf rw - tmpfs tmpfs rw\n31 22 0:40 / /etc rw - nfs4 nas:/etc rw\n", True),
        ("22 1 0:40 / / rw - nfs nas:/root rw\n", True),
        ("22 1 0:40 / / rw - overlay o rw,lowerdir=/ro\n30 22 0:41 / /ro ro - nfs nas:/root ro\n", True),
        ("22 1 0:40 / / rw - overlay o rw,lowerdir=/ro\n30 22 0:41 / /ro ro - squashfs /dev/loop0 ro\n", False),
        ("nonsense\n", True),
        ("", True),
    ],
)
def test_only_local_file_systems_are_read(tmp_path: Path, mountinfo: str, refused: bool) -> None:
    tree = guarded(tmp_path, mountinfo, {"/etc/x.conf": "told"})
    if refused:
        with pytest.raises(Unread):
            tree.text("/etc/x.conf")
        with pytest.raises(Unread):
            tree.exists("/etc/x.conf")
    else:
        assert tree.text("/etc/x.conf") == "told"


def test_a_link_onto_a_network_file_system_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mountinfo = BASE + "30 22 0:40 / /usr/lib rw - nfs4 nas:/lib rw\n"
    tree = guarded(tmp_path, mountinfo, {"/etc/os-release": "-> ../usr/lib/os-release", "/usr/lib/os-release": "ID=x"})
    touched: list[str] = []
    for name in ("lstat", "open", "readlink", "stat", "listdir"):
        def noted(path: object, *rest: object, real: object = getattr(os, name), **more: object) -> object:
            touched.append(str(path))
            return real(path, *rest, **more)  # type: ignore[operator]

        monkeypatch.setattr(os, name, noted)
    with pytest.raises(Unread, match="nfs4 at /usr/lib"):
        tree.text("/etc/os-release")
    monkeypatch.undo()
    assert f"{tmp_path}/etc/os-release" in touched
    assert not [path for path in touched if path.startswith(f"{tmp_path}/usr/lib")]


def test_a_diskless_client_still_has_its_kernel(tmp_path: Path) -> None:
    files = {**trees.DEBIAN12, "/proc/self/mountinfo": trees.DISKLESS}
    tree = Tree(trees.plant(tmp_path, files), guarded=True)
    definitions = {
        "a.kernel": {"type": "version", "probe": {"ways": [{"file": "/proc/sys/kernel/osrelease"}]}},
        "a.distro": {"type": "enum", "probe": {"ways": [{"file": "/etc/os-release", "key": "ID"}]}},
        "a.package": {"type": "version", "probe": {"ways": [{"dpkg": "nfs-common"}]}},
    }
    seen = probe({name: Fact.from_data(told) for name, told in definitions.items()}, tree)
    assert seen.facts["a.kernel"].value == "6.1.0-48-amd64"
    assert seen.unknown["a.distro"] == "/etc is on nfs and was not read: a dead server would hang advisor"
    assert "/var is on nfs" in seen.unknown["a.package"]
    assert seen.mounts[0].target == "/"


@pytest.mark.parametrize("target", ["/etc/secret", "../../../../../../../../etc/secret", "/../etc/secret"])
def test_no_link_leads_out_of_the_root(tmp_path: Path, target: str) -> None:
    root = tmp_path / "root"
    trees.plant(root, {"/etc/os-release": f"-> {target}", "/etc/secret": "inside"})
    assert Tree(str(root)).text("/etc/os-release") == "inside"


@pytest.mark.parametrize("target", ["/home/x", "../srv/x", "os-release"])
def test_links_to_elsewhere_and_in_circles_are_refused(tmp_path: Path, target: str) -> None:
    trees.plant(tmp_path, {"/etc/os-release": f"-> {target}", "/home/x": "a", "/srv/x": "b"})
    with pytest.raises(Unread):
        Tree(str(tmp_path)).text("/etc/os-release")


def test_what_is_no_ordinary_file_is_not_opened_for_ever(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    os.mkfifo(tmp_path / "etc/fifo")
    with pytest.raises(Unread, match="not an ordinary file"):
        Tree(str(tmp_path)).text("/etc/fifo")
    with pytest.raises(Unread):
        Tree(str(tmp_path)).text("/etc")


def test_reads_are_bounded(tmp_path: Path) -> None:
    trees.plant(tmp_path, {"/etc/fits": "x" * MAX_BYTES, "/etc/large": "x" * (MAX_BYTES + 1)})
    assert len(Tree(str(tmp_path)).text("/etc/fits")) == MAX_BYTES
    with pytest.raises(Unread, match="larger than"):
        Tree(str(tmp_path)).text("/etc/large")


@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names came with Python 3.10")
def test_the_package_imports_nothing_that_is_to_be_installed() -> None:
    for file in Path(advisor.host.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.split(".")[0]
                assert top == "advisor" or top in sys.stdlib_module_names, (file.name, name)


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
    "/var/lib/nfs-advisor", "/var/lib/pacemaker", "/var/lib/rpm", "/run/systemd", "/run/sysctl.d", "/run/modprobe.d",
    "/run/udev", "/run/.containerenv", "/.dockerenv", "/dev/null", "/unit-files",  # the last is of copies
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

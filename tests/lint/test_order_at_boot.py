"""What is said of the order of boot, beside systemd's own generator and its own check of the order."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.lint.run import lint_text
from advisor.rulebase.base import load

GENERATOR = Path("/usr/lib/systemd/system-generators/systemd-fstab-generator")
SHIPPED = Path("/usr/lib/systemd/system")
NETWORK = {  # as NetworkManager brings the network up, after sysinit.target
    "bring-up.service": "[Unit]\nWants=network.target\nBefore=network.target\n[Service]\nExecStart=/bin/true\n",
    "wait-online.service": "[Unit]\nRequires=bring-up.service\nAfter=bring-up.service\nBefore=network-online.target\n"
                           "[Service]\nType=oneshot\nExecStart=/bin/true\n",
}
WANTED = {
    "multi-user.target": ("remote-fs.target", "bring-up.service"), "network-online.target": ("wait-online.service",),
}

pytestmark = pytest.mark.skipif(
    not (GENERATOR.exists() and (SHIPPED / "remote-fs.target").exists() and shutil.which("systemd-analyze")),
    reason="systemd, its units and its fstab generator are not installed",
)


def _circles(units: Path) -> bool:
    """Whether systemd finds a circle in the order of a boot into multi-user.target with these units too."""
    for name, text in NETWORK.items():
        (units / name).write_text(text)
    for target, names in WANTED.items():
        (units / f"{target}.wants").mkdir(exist_ok=True)
        for name in names:
            (units / f"{target}.wants" / name).symlink_to((units if name in NETWORK else SHIPPED) / name)
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "multi-user.target"], check=False, capture_output=True, text=True,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:{SHIPPED}"},
    )
    return "ordering cycle" in told.stderr


@pytest.mark.parametrize("nfs", ["defaults", "_netdev,hard", "noauto", "nofail", "noauto,x-systemd.automount"])
@pytest.mark.parametrize(("source", "fstype", "options"), [
    ("/srv/home/tester", "none", "bind"),
    ("/srv/home/disk.img", "ext4", "loop"),
    ("/srv/home/tester", "none", "rbind,x-systemd.requires=srv-home.mount"),
    ("/srv/home/tester", "none", "bind,_netdev"),
    ("/srv/home/tester", "none", "bind,nofail"),
    ("/srv/home/tester", "none", "bind,noauto"),
    ("/srv/home/tester", "none", "bind,x-systemd.automount"),
    ("/srv/other", "none", "bind"),
])
def test_what_is_bound_from_nfs(nfs: str, source: str, fstype: str, options: str, tmp_path: Path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(f"nas:/home /srv/home nfs {nfs} 0 0\n{source} /mnt/it {fstype} {options} 0 0\n")
    folders = [tmp_path / name for name in ("normal", "early", "late")]
    for folder in folders:
        folder.mkdir()
    subprocess.run([GENERATOR, *folders], check=True, env={**os.environ, "SYSTEMD_FSTAB": str(fstab)})
    found = {one.rule for one in lint_text(fstab.read_text(), "fstab", load(), {}).findings}
    assert ("bound-before-nfs" in found) is _circles(folders[0])


@pytest.mark.parametrize("options", ["hard", "hard,nofail"])
@pytest.mark.parametrize("unit", [
    "After=remote-fs.target", "After=network.target remote-fs.target\nRequires=remote-fs.target",
    "Requires=remote-fs.target", "After=remote-fs-pre.target",
    "After=remote-fs.target\nDefaultDependencies=no", "After=remote-fs.target\nAfter=",
])
def test_a_mount_after_all_mounts(unit: str, options: str, tmp_path: Path) -> None:
    text = f"[Unit]\n{unit}\n[Mount]\nWhat=nas:/data\nWhere=/mnt/data\nType=nfs\nOptions={options}\n"
    (tmp_path / "mnt-data.mount").write_text(text)
    (tmp_path / "multi-user.target.wants").mkdir()
    (tmp_path / "multi-user.target.wants/mnt-data.mount").symlink_to(tmp_path / "mnt-data.mount")
    found = {one.rule for one in lint_text(text, "mnt-data.mount", load(), {}, kind="systemd-mount").findings}
    assert ("unit-after-remote-fs" in found) is _circles(tmp_path)

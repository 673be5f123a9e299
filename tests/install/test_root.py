"""A root file system on NFS: what would mount it once more, or unmount it, is not written."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import Artefact, artefacts
from advisor.rulebase.base import load

FACTS: dict[str, Any] = {
    "host.role": "nfs-client", "storage.platform": "knfsd", "workload.kind": "general", "client.init": "systemd",
    "mount.ro": False, "mount.vers": "4.2", "workload.durable_writes": False,
}


def made(target: str) -> dict[str, Artefact]:
    base = load()
    names = {"server": "nas.example", "export": "/srv/root", "target": target}
    return {one.path: one for one in artefacts(base, advise(base, Answers(FACTS, names=names)))}


@pytest.mark.parametrize("target", ["/", "//"])
def test_nothing_mounts_the_root_file_system(target: str) -> None:
    files = made(target)
    assert "fstab" in files
    assert not files.keys() & {"mount.sh", "systemd/-.mount", "systemd/-.automount"}
    assert not [path for path in files if path.startswith(("autofs", "systemd"))]
    fstab = files["fstab"]
    assert f"nas.example:/srv/root  {target}  nfs" in fstab.text
    steps = " ".join((*fstab.apply, *fstab.undo))
    assert "mkdir" not in steps
    assert "mount /" not in steps
    assert "eboot" in steps
    assert "nfs_advice_mount_now: false" in files["roles/nfs_advice/defaults/main.yml"].text
    assert "No command, units or autofs maps" in files["REPORT.md"].text


def test_any_other_place_is_mounted() -> None:
    files = made("/mnt/a")
    assert {"mount.sh", "systemd/mnt-a.mount", "systemd/mnt-a.automount", "autofs/auto.nfs-advisor"} <= files.keys()
    assert "mkdir -p /mnt/a" in files["fstab"].apply
    assert "nfs_advice_mount_now: true" in files["roles/nfs_advice/defaults/main.yml"].text

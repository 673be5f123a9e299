"""The configuration that Pacemaker is given in the machine: the exported group, and a fencing device for both nodes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.install.clusters import exported, fenced_cib, load

_FACTS = {"server.distro": "debian", "server.release": "12", "export.filesystem": "ext4"}
_NAMES = {"export": "/srv/data", "clients": "192.0.2.0/24"}
_DEVICE = """<primitive id="fence" class="stonith" type="fence_vm"><instance_attributes id="fence-attributes">
<nvpair id="fence-hosts" name="pcmk_host_list" value="a b"/></instance_attributes></primitive>"""
_DISK = {"fstype=xfs": "fstype=ext4"}
"""What the file says is an example, and differs here."""


def cib(replaced: dict[str, str]) -> str:
    """XML of the group as exported, in which words are replaced (old → new)."""
    group = exported(_NAMES, **_FACTS)
    for old, new in {**_DISK, **replaced}.items():
        assert old in group, f"{old} is not in the exported group"
        group = group.replace(old, new)
    with tempfile.TemporaryDirectory(prefix="advisor-cib-") as folder:
        file = Path(folder) / "cib.xml"
        fenced_cib(file, _DEVICE)
        load(file, group)
        return file.read_text()

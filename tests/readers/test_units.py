"""Keys of mount and automount units, and names of units that do not fit their mount points."""

from __future__ import annotations

import pytest

from advisor.readers.settings import read


@pytest.mark.parametrize(("name", "where", "right"), [
    ("/etc/systemd/system/mnt-data.mount", "/mnt/data", ""),
    ("/etc/systemd/system/mnt-data.mount", "/mnt/data/", ""),
    ("/etc/systemd/system/data.mount", "/mnt/data", "mnt-data.mount"),
    ("/etc/systemd/system/mnt-my-data.mount", "/mnt/my-data", "mnt-my\\x2ddata.mount"),
    ("/etc/systemd/system/mnt-my\\x2ddata.mount", "/mnt/my-data", ""),
    ("/etc/systemd/system/data.mount.d/more.conf", "/mnt/data", "mnt-data.mount"),
    ("kept-mnt-data.mount", "/mnt/data", ""), ("mnt-data.unit", "/srv", ""), ("a@.mount", "/srv/%i", ""),
    ("data.mount", "$WHERE", ""), ("data.mount", "relative", ""), ("data.mount", "/a/../b", ""),
])  # fmt: skip
def test_the_name_of_a_mount_unit(name: str, where: str, right: str) -> None:
    file = read("systemd-mount", f"[Mount]\nWhat=nas:/data\nWhere={where}\n", name)
    assert [slip.words["right"] for slip in file.slips] == ([right] if right else [])


def test_an_automount_unit() -> None:
    text = "[Unit]\nDescription=x\n[Automount]\n Where = /mnt/dat\nTimeoutIdleSec=5min\n[X-Own]\na=1\n[Service]\nb=2\n"
    file = read("systemd-mount", text, "mnt-data.automount")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == [
        ("Unit", "Description", "x"), ("Automount", "Where", "/mnt/dat"), ("Automount", "TimeoutIdleSec", "5min"),
        ("Service", "b", "2"),
    ]
    assert [one.text for one in file.sections] == ["Automount", "Service"]
    assert [(slip.slug, slip.span) for slip in file.slips] == [("unit-name-differs", (4, 10, 18))]

"""Kernel command lines: the root file system, and parameters of modules."""

from __future__ import annotations

import pytest

from advisor.readers import mounts
from advisor.readers.settings import read


@pytest.mark.parametrize(("text", "source", "fstype", "options"), [
    ("root=/dev/nfs nfsroot=192.0.2.1:/srv/r,v3,tcp ip=dhcp", "192.0.2.1:/srv/r", "nfs", "v3,tcp"),
    ("root=/dev/nfs nfsroot=/srv/r,v3", "/srv/r", "nfs", "v3"),
    ("quiet root=nfs:nas:/srv/r:vers=4,ro", "nas:/srv/r", "nfs", "vers=4,ro"),
    ("root=dhcp:nfs4:nas:/srv/r", "nas:/srv/r", "nfs4", ""),
    ("netroot=nfs4:[2001:db8::1]:/srv:hard", "[2001:db8::1]:/srv", "nfs4", "hard"),
    ('"nfsroot=192.0.2.1:/srv/r,hard"', "192.0.2.1:/srv/r", "nfs", "hard"),
])  # fmt: skip
def test_the_root_file_system(text: str, source: str, fstype: str, options: str) -> None:
    [mount] = mounts.read("cmdline", f"# nfsroot=x:/y\n{text}\n", "cmdline").mounts
    assert (mount.source.text, mount.fstype.value, mount.options.text) == (source, fstype, options)


def test_options_stand_where_they_are_said_to() -> None:
    line = "root=/dev/nfs nfsroot=192.0.2.1:/srv/r,v3,hrad ip=dhcp"
    [mount] = mounts.read("cmdline", line, "cmdline").mounts
    span = mount.options.at(3, 7)
    assert line[span.column - 1:span.end_column - 1] == "hrad"


def test_parameters_of_modules() -> None:
    line = "quiet sunrpc.tcp_max_slot_table_entries=128 nfs-x.a-b=1 usbcore.x rw"
    file = read("cmdline", line, "cmdline")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == [
        ("sunrpc", "tcp_max_slot_table_entries", "128"), ("nfs_x", "a_b", "1"), ("usbcore", "x", ""),
    ]
    assert [line[one.value.span.column - 1:one.value.span.end_column - 1] for one in file.settings] == ["128", "1", ""]


@pytest.mark.parametrize(("text", "told"), [
    ("root=/dev/nfs nfsroot=nas:/srv/r", ["nfsroot-name"]), ("root=nfs:nas:/srv/r", []),
    ("root=/dev/nfs nfsroot=192.0.2.1/srv/r", ["nfsroot-form"]), ("nfsroot=192.0.2.1:/srv/r,v3", []),
    ("ip=dchp", ["ip-form"]), ("ip=dhcp", []), ("ip=any", []), ("ip=192.0.2.5:::::eth0:off", []), ("ip=$IP", []),
])  # fmt: skip
def test_forms(text: str, told: list[str]) -> None:
    assert [slip.slug for slip in read("cmdline", text, "cmdline").slips] == told

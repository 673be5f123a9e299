"""Kernel command lines: the root file system, and parameters of modules."""

from __future__ import annotations

import pytest

from advisor.files import kinds
from advisor.files.kinds import read_settings
from tests.each import each
from tests.files.spans import written


@pytest.mark.parametrize(("text", "source", "fstype", "options"), [
    ("root=/dev/nfs nfsroot=192.0.2.1:/srv/r,v3,tcp ip=dhcp", "192.0.2.1:/srv/r", "nfs", "v3,tcp"),
    ("root=/dev/nfs nfsroot=/srv/r,v3", "/srv/r", "nfs", "v3"),
    ("quiet root=nfs:nas:/srv/r:vers=4,ro", "nas:/srv/r", "nfs", "vers=4,ro"),
    ("root=dhcp:nfs4:nas:/srv/r", "nas:/srv/r", "nfs4", ""),
    ("netroot=nfs4:[2001:db8::1]:/srv:hard", "[2001:db8::1]:/srv", "nfs4", "hard"),
    ('"nfsroot=192.0.2.1:/srv/r,hard"', "192.0.2.1:/srv/r", "nfs", "hard"),
])  # fmt: skip
def test_the_root_file_system(text: str, source: str, fstype: str, options: str) -> None:
    [mount] = kinds.read_mounts("cmdline", f"# nfsroot=x:/y\n{text}\n", "cmdline").mounts
    assert (mount.source.text, mount.fstype.value, mount.options.text) == (source, fstype, options)


def test_options_stand_where_they_are_said_to() -> None:
    line = "root=/dev/nfs nfsroot=192.0.2.1:/srv/r,v3,hrad ip=dhcp"
    [mount] = kinds.read_mounts("cmdline", line, "cmdline").mounts
    span = mount.options.at(3, 7)
    assert line[span.column - 1:span.end_column - 1] == "hrad"


def test_parameters_of_modules() -> None:
    line = "quiet sunrpc.tcp_max_slot_table_entries=128 nfs-x.a-b=1 usbcore.x rw"
    file = read_settings("cmdline", line, "cmdline")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == [
        ("sunrpc", "tcp_max_slot_table_entries", "128"), ("nfs_x", "a_b", "1"), ("usbcore", "x", ""),
    ]
    assert [line[one.value.span.column - 1:one.value.span.end_column - 1] for one in file.settings] == ["128", "1", ""]


@each(lambda: [
    ("root=/dev/nfs nfsroot=nas:/srv/r", ["nfsroot-name"]), ("root=nfs:nas:/srv/r", []),
    ("root=/dev/nfs nfsroot=192.0.2.1/srv/r", ["nfsroot-form"]), ("nfsroot=192.0.2.1:/srv/r,v3", []),
    ("ip=dchp", ["ip-form"]), ("ip=dhcp", []), ("ip=any", []), ("ip=192.0.2.5:::::eth0:off", []), ("ip=$IP", []),
])  # fmt: skip
def test_forms(text: str, told: list[str]) -> None:
    assert [slip.slug for slip in read_settings("cmdline", text, "cmdline").slips] == told


@pytest.mark.parametrize(("text", "source", "options"), [
    ("quiet nfsroot=192.0.2.1:/a,rw,,hard x", "192.0.2.1:/a", ["rw", "hard"]), ("nfsroot=/a", "/a", []),
    ("\nroot=nfs:[::1]:/a:rw", "[::1]:/a", ["rw"]), ("root=nfs:nas:a:b", "nas", ["a:b"]),
    ("netroot=dhcp:nfs:/a:b,c", "/a", ["b", "c"]),
])  # fmt: skip
def test_where_the_root_file_system_is_written(text: str, source: str, options: list[str]) -> None:
    (mount,) = kinds.read_mounts("cmdline", text, "cmdline").mounts
    assert (mount.source.text, written(text, mount.source.span)) == (source, source)
    assert [written(text, part.span) for part in mount.options.parts] == options
    assert [part.text for part in mount.options.parts] == options
    assert (mount.line_no, mount.target.value) == (mount.source.span.line, "/")


@pytest.mark.parametrize("text", ["root=nfs", "root=/dev/nfs", "xnfsroot=/a", "# nfsroot=/a", "  # root=nfs:a:/b"])
def test_what_names_no_root_file_system(text: str) -> None:
    assert kinds.read_mounts("cmdline", text, "cmdline").mounts == ()


def test_where_parameters_of_modules_are_written() -> None:
    line = 'a  sunrpc.tcp-x="12" nfs.y # b.c=1'
    settings = read_settings("cmdline", f"\n#a.b=1\n{line}", "cmdline").settings
    assert [(tuple(one.key.span), tuple(one.value.span)) for one in settings] == [
        ((3, 11, 16), (3, 18, 20)), ((3, 26, 27), (3, 27, 27)), ((3, 32, 33), (3, 34, 35)),
    ]
    assert [(one.section, one.key.text, one.value.text) for one in settings] == [
        ("sunrpc", "tcp_x", "12"), ("nfs", "y", ""), ("b", "c", "1"),
    ]


AUTO = "off, none, on, any, dhcp, bootp, rarp, both"


@each(lambda: [
    ("root=/dev/nfs  nfsroot=nas:/a,v3", "nfsroot=nas:/a,v3", {"host": "nas"}),
    ("root=/dev/nfs nfsroot=:/a", "nfsroot=:/a", {"host": ""}),
    (" nfsroot=192.0.2.1/a/b,v3", "nfsroot=192.0.2.1/a/b,v3", {"todo": "nfsroot=192.0.2.1:/a/b"}),
    ("nfsroot=192.0.2.1", "nfsroot=192.0.2.1", {"todo": "nfsroot=192.0.2.1:/DIRECTORY"}),
    ("ip=dchp", "ip=dchp", {"value": "dchp", "words": AUTO}),
    ("nfsroot=nas:/a", "", {}), ("root=/dev/nfs nfsroot=nas:a", "", {}), ("root=/dev/nfs nfsroot=[::1]:/a", "", {}),
    ("root=/dev/nfs nfsroot=192.0.2.1:/a", "", {}), ("root=/dev/nfs nfsroot=", "", {}), ("nfsroot=/a", "", {}),
    ("root=/dev/nfs nfsroot=/1.2.3.4", "", {}), ("ip=", "", {}), ("ip=ibft", "", {}), ("ip=link6", "", {}),
    ("iq=dchp", "", {}),
])  # fmt: skip
def test_what_is_written_in_another_form(text: str, word: str, words: dict[str, str]) -> None:
    slips = read_settings("cmdline", text, "cmdline").slips
    assert [(written(text, slip.span), slip.words) for slip in slips] == ([(word, words)] if word else [])

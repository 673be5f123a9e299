"""What the makers of files decide, beside them: what is shown, merged, set at once, put back, and where names end."""

from __future__ import annotations

import stat
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import artefacts, build, context, host_changes, host_files, scripts
from advisor.install.context import Artefact, Unwritable
from advisor.pages.blocks import Document
from advisor.pages.markup import markdown
from tests.advice.environments import base
from tests.each import each

SLOTS = "tcp_slot_table_entries"


def said(value: str, place: str = "f:1") -> Any:
    return SimpleNamespace(value=value, where=place, place=place)


@pytest.mark.parametrize("rows", [0, 1, 59, 60, 61, 70])
def test_a_list_in_the_report_ends_after_sixty_rows_and_says_how_many_more_there_are(rows: int) -> None:
    page = Document()
    build._table(page, "Things", ("a", "b"), [(f"row{number}", "x") for number in range(rows)])
    text = markdown(page.blocks)
    assert text.count("| row") == min(rows, 60)
    assert ("## Things" in text) == (rows > 0)
    assert ("more are in the details" in text) == (rows > 60)
    assert rows <= 60 or f"{rows - 60} more are in the details." in text


@each(lambda: [
    ({"recommends": True, "strength": "should"}, True),
    ({"recommends": True, "strength": "should", "already": True}, True),
    ({"recommends": True, "strength": "may"}, True),
    ({"recommends": True, "strength": "may", "already": True}, False),
    ({"recommends": True, "strength": "may", "value": "omit"}, False),
    ({"recommends": True, "strength": "must", "value": "omit"}, True),
    ({}, False), ({"pinned": True}, True), ({"pinned": True, "already": True, "strength": "may"}, True),
    ({"pinned": True, "recommends": True, "kind": "benchmark"}, False),
])
def test_which_settings_the_report_shows(row: dict[str, object], shown: bool) -> None:
    plain = {"kind": "sysctl", "pinned": False, "recommends": False, "strength": None, "already": False, "value": 1}
    assert build._is_shown(SimpleNamespace(**{**plain, **row})) is shown  # type: ignore[arg-type]


def test_files_of_two_mounts_become_one_in_which_a_line_is_once() -> None:
    first = Artefact("a", "#!/bin/sh\n# one\nx\n", "t", apply=("do", "then"), verify=("v",), undo=("u",))
    more = "#!/bin/sh\n# one\nx\n# two\ny\n"
    other = Artefact("a", more, "other", apply=("then", "last"), verify=("v",), undo=("w",))
    made = build._merge_files(first, other)
    assert made.text == "#!/bin/sh\n# one\nx\n\n# one\n# two\ny\n"
    assert (made.title, made.apply, made.verify, made.undo) == ("t", ("do", "then", "last"), ("v",), ("u", "w"))


def test_the_names_of_files_of_several_mounts() -> None:
    assert [build._name(number, path) for number, path in enumerate(("/mnt/data", "/", "/a b//c/"), 1)] == [
        "1-mnt-data", "2-root", "3-a-b-c"]
    assert [build._for_mount(Artefact(path, "", ""), "2-x").path for path in ("identity/STEPS.md", "idmapd.conf")] == [
        "identity/STEPS-2-x.md", "idmapd.conf"]


@pytest.mark.parametrize(("mode", "words"), [
    (stat.S_IFLNK, "a symbolic link"), (stat.S_IFDIR, "a folder"), (stat.S_IFREG, "a file"), (stat.S_IFIFO, "a device"),
])
def test_what_is_in_the_way_has_a_name(mode: int, words: str) -> None:
    assert build._type_of(SimpleNamespace(st_mode=mode | 0o644)) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(("folder", "where", "twins"), [
    ("/etc/sysctl.d", "sysctl", 0), ("keep", "sysctl", 0), ("/etc/modprobe.d", "module", 1), (None, "module", 1),
])
def test_slots_are_parameters_of_the_module_unless_files_of_sysctl_are_known_to_do(
    folder: str | None, where: str, twins: int
) -> None:
    row: Any = SimpleNamespace(tunable=f"sysctl.sunrpc.{SLOTS}", written=64, text=f"sunrpc.{SLOTS} = 64", kind="sysctl")
    tunables = {f"module.sunrpc.{SLOTS}": SimpleNamespace(same_as=row.tunable), "other": SimpleNamespace(same_as=None)}
    found = None if folder is None else SimpleNamespace(value=folder)
    of: Any = SimpleNamespace(
        advice=SimpleNamespace(find=lambda name: found if name == "service.slot_table_file" else None),
        base=SimpleNamespace(tunables=tunables, ready=lambda work: work(of.base)), about=lambda row: [],
        settled=lambda kind: [row] if kind == "sysctl" else [])
    assert [line.name for line in host_files.sysctls(of)] == [f"sunrpc.{SLOTS}"] * (where == "sysctl")
    assert [line.line for line in host_files.modules(of)] == [f"options sunrpc {SLOTS}=64"] * twins
    for line in (*host_files.sysctls(of), *host_files.modules(of)):
        assert line.place == (f"/proc/sys/sunrpc/{SLOTS}" if where == "sysctl" else
                              f"/sys/module/sunrpc/parameters/{SLOTS}")


@pytest.mark.parametrize(("value", "asked", "word"), [
    ("{hosts}", ["hosts"], '"$hosts"'), ("{hosts}", [], "web1"), ("-n{count}", ["count"], "-n4"),
    ("{dir}", [], "'/a b'"), ("plain", ["plain"], "plain"), ("x{hosts}", ["hosts"], "xweb1"),
])
def test_a_word_of_a_benchmark_is_an_argument_or_a_value(value: str, asked: list[str], word: str) -> None:
    assert scripts._word(value, {"hosts": "web1", "count": 4, "dir": "/a b"}, asked) == word


@pytest.mark.parametrize(("length", "writable"), [(249, True), (250, True), (251, False)])
def test_the_name_of_a_unit_has_at_most_255_characters(length: int, writable: bool) -> None:
    path = "/" + "a" * length
    if writable:
        assert len(context.unit_name(path, "moun")) == length + 5
    else:
        with pytest.raises(Unwritable, match="too long"):
            context.unit_name(path, "moun")


def test_lines_of_a_file_are_those_that_say_something() -> None:
    assert Artefact("a", "# x\n\n  \na = 1\n b = 2 # c\n", "t").lines == ("a = 1", " b = 2 # c")
    assert [context.for_people(step) for step in ("Restart it.", "systemctl restart x", "")] == [True, False, False]
    assert context.comment(["a", "", "b\\", "c  "]) == "# a\n#\n# b\\x5c\n# c"


SYSCTL, MODULE, TWIN = "sysctl.vm.dirty_ratio", "module.nfs.max_session_slots", "module.vm.dirty_ratio"


@each(lambda: [
    ({SYSCTL: "5"}, {SYSCTL: 7}, {SYSCTL}, [("sysctl -w vm.dirty_ratio=5", "sysctl -w vm.dirty_ratio=7")]),
    ({SYSCTL: "4  5"}, {SYSCTL: "4 5"}, {SYSCTL}, []),
    ({SYSCTL: "5"}, {SYSCTL: 7}, set(), []), ({SYSCTL: "5"}, {}, {SYSCTL}, []),
    ({SYSCTL: "5"}, {SYSCTL: 5}, {SYSCTL}, []),
    ({MODULE: "9"}, {MODULE: 64}, {MODULE}, [
        ("now 9 /sys/module/nfs/parameters/max_session_slots", "now 64 /sys/module/nfs/parameters/max_session_slots")]),
    ({TWIN: "9", SYSCTL: "5"}, {TWIN: 64, SYSCTL: 5}, {TWIN, SYSCTL}, []),
    ({"nfs.conf.nfsd.threads": "9"}, {"nfs.conf.nfsd.threads": 8}, {"nfs.conf.nfsd.threads"}, []),
])
def test_what_is_set_at_once_and_how_it_is_undone(
    last: dict[str, str], now: dict[str, object], concerned: set[str], made: list[tuple[str, str]]
) -> None:
    probed: Any = SimpleNamespace(mounts=[], settings={name: said(str(value)) for name, value in now.items()})
    settings: Any = {name: said(value) for name, value in last.items()}
    assert [(one.apply, one.undo) for one in host_changes.changes(probed, settings, concerned)] == made


@each(lambda: [
    ({"bdi.read_ahead_kb": "128", "nfs.conf.nfsrahead.nfs4": "64"}, 256, "128"),
    ({"nfs.conf.nfsrahead.nfs4": "64", "nfs.conf.nfsrahead.default": "32"}, 256, "64"),
    ({"nfs.conf.nfsrahead.default": "32"}, 256, "32"), ({"nfs.conf.nfsrahead.nfs": "32"}, 256, None),
    ({"bdi.read_ahead_kb": "large"}, 256, None), ({"bdi.read_ahead_kb": "256"}, 256, None),
    ({"bdi.read_ahead_kb": "128"}, None, None), ({}, 256, None),
])
def test_the_read_ahead_of_mounts_in_effect(last: dict[str, str], now: int | None, made: str | None) -> None:
    mount = SimpleNamespace(fstype="nfs4", device="0:44", read_ahead_kb=None if now is None else said(str(now)))
    probed: Any = SimpleNamespace(mounts=[mount], settings={})
    settings: Any = {name: said(value) for name, value in last.items()}
    found = [*host_changes.changes(probed, settings, ())]
    assert [(one.value, one.place) for one in found] == (
        [(made, "/sys/class/bdi/0:44/read_ahead_kb")] if made else [])


TLS = {"storage.platform": "knfsd", "server.distro": "rhel", "server.release": "10", "client.distro": "rhel",
       "client.release": "10", "identity.wire": "private", "client.count": 12, "mount.sec": "sys"}
NAMED = {"server": "nas", "export": "/srv/data", "target": "/mnt/nfs", "clients": "10.0.0.0/24"}


def files_of(facts: dict[str, Any], **more: Any) -> dict[str, str]:
    advice = advise(base(), Answers({**facts, **more}, names=NAMED))
    return {file.path: file.text for file in artefacts(base(), advice)}


@pytest.mark.parametrize("role", ["nfs-client", "nfs-server"])
def test_tls_comes_with_its_daemon_and_nothing_mounts_without_a_certificate(role: str) -> None:
    files = files_of(TLS, **{"host.role": role})
    cloud = yaml.safe_load(files["cloud-init/user-data"])
    assert "ktls-utils" in cloud["packages"]
    assert ["systemctl", "enable", "--now", "tlshd"] in cloud["runcmd"]
    assert "command -v tlshd " in files["apply.sh"]
    values = files["roles/nfs_advice/defaults/main.yml"]
    assert "['ktls-utils']" in values
    assert "nfs_advice_services: [tlshd]" in values
    if role == "nfs-client":
        assert ["mount", "/mnt/nfs"] not in cloud["runcmd"]
        assert "no certificate" in cloud["runcmd"][-2]
        assert "no certificate" in files["apply.sh"]
        assert "nfs_advice_mount_now: false" in values


def test_a_mount_without_tls_needs_no_daemon_for_it() -> None:
    files = files_of(TLS, **{"host.role": "nfs-client", "identity.wire": "open", "export.requires_tls": False})
    cloud = yaml.safe_load(files["cloud-init/user-data"])
    assert ["mount", "/mnt/nfs"] in cloud["runcmd"]
    assert not [path for path, text in files.items() if "tlshd" in text and not path.startswith("REPORT")]
    assert "nfs_advice_mount_now: true" in files["roles/nfs_advice/defaults/main.yml"]


PORTS = {"storage.platform": "knfsd", "host.role": "nfs-server", "server.v3_clients": True, "mount.vers": "3",
         "server.firewall": True, "workload.locks": True, "mount.proto": "tcp"}


@pytest.mark.parametrize("older", [
    {"server.distro": "rhel", "server.release": "8"}, {"server.nfs_utils": "2.3.3"}, {"server.nfs_utils": "1:2.5.2-1"},
])
def test_settings_for_a_folder_that_is_not_read_are_lines_for_the_file(older: dict[str, Any]) -> None:
    files = files_of(PORTS, **older)
    assert "nfs.conf.d/91-nfs.conf" not in files
    assert "port=20048" in files["nfs.conf"]
    assert "/etc/nfs.conf, since" in files["apply.sh"]
    for path in ("apply.sh", "cloud-init/user-data", "verify.sh"):
        assert "/etc/nfs.conf.d/91" not in files[path]
    assert "Left to do by hand: nfs.conf" in files["cloud-init/user-data"]
    assert "# Not set by this role: nfs.conf." in files["roles/nfs_advice/defaults/main.yml"]


@pytest.mark.parametrize("newer", [
    {}, {"server.distro": "rhel", "server.release": "9"}, {"server.nfs_utils": "2.5.3"},
    {"server.nfs_utils": "1:2.6.2-4"}, {"client.nfs_utils": "2.3.3"},
])
def test_settings_go_into_the_folder_where_it_is_read(newer: dict[str, Any]) -> None:
    files = files_of(PORTS, **newer)
    assert "nfs.conf" not in files
    assert "/etc/nfs.conf.d/91-nfs.conf" in files["apply.sh"]


def test_a_client_that_does_not_read_the_folder() -> None:
    facts = {**PORTS, "host.role": "nfs-client"}
    assert "nfs.conf" in files_of(facts, **{"client.nfs_utils": "2.3.3"})
    assert "nfs.conf.d/91-nfs.conf" in files_of(facts, **{"client.nfs_utils": "2.6.1"})

"""Copies that support tools make: where things lie in them, and that what is not collected proves nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.check.facts import HostFacts, facts_of
from advisor.cli.options import tree_of
from advisor.host import tree
from advisor.host.tree import FilesInMemory, NotCollected, Tree
from tests.each import each
from tests.host import archives, trees


def look(base: Any, root: str | None = None, given: Any = None, **options: bool) -> HostFacts:
    """The facts of the host whose files are below `root`; None: this host."""
    return facts_of(base, tree_of(base, root), given, **options)


COPIES = {
    "sos on Ubuntu": (archives.SOS_UBUNTU, {
        "client.kernel": ("5.15.0-112-generic", "sos_commands/kernel/uname_-a"),
        "client.kernel_stream": ("ubuntu", "sos_commands/kernel/uname_-a"),
        "client.nfs_utils": ("1:2.6.1-1ubuntu1.2", "sos_commands/dpkg/dpkg_-l: nfs-common"),
        "client.nfs_utils_stream": ("ubuntu", "sos_commands/dpkg/dpkg_-l: nfs-common"),
        "client.distro": ("ubuntu", "/etc/os-release: ID"),
        "client.init": ("systemd", "/run/systemd/system"),
        "host.role": ("nfs-client", "the mount /data"),
    }),
    "sos on RHEL": (archives.SOS_RHEL, {
        "client.kernel_stream": ("el8", "sos_commands/kernel/uname_-a"),
        "client.nfs_utils": ("2.3.3-59.el8", "sos_commands/rpm/sh_-c_rpm_--nodigest_-qa_--qf_NAME_sort_-V: nfs-utils"),
        "package.lvm2": ("2.03.14-14.el8_10", "sos_commands/rpm/sh_-c_rpm_--nodigest_-qa_--qf_NAME_sort_-V: lvm2"),
    }),
    "supportconfig": (archives.SUPPORTCONFIG, {
        "client.kernel_stream": ("sles15", "basic-environment.txt: uname -a"),
        "client.kernel": ("5.14.21-150500.55.83-default", "basic-environment.txt: uname -a"),
        "client.release": ("15.5", "basic-environment.txt: /etc/os-release: VERSION_ID"),
        "client.nfs_utils": ("2.1.1-150500.22.3.1", None),
        "host.role": ("nfs-client", "the mount /data"),
    }),
    "Insights": (archives.INSIGHTS, {
        "client.kernel_stream": ("el9", "insights_commands/uname_-a"),
        "client.nfs_utils": ("2.5.4-27.el9", "insights_commands/rpm_-qa_--qf_name_NAME: nfs-utils"),
        "host.role": ("nfs-client", "the mount /data"),
    }),
}


@pytest.mark.parametrize("way", ["folder", "folder in a folder", "tar", "tar.gz", "tar.xz", "tar.bz2", "flat tar"])
@pytest.mark.parametrize("name", COPIES)
def test_facts_are_found_where_the_tool_puts_them(base: Any, tmp_path: Path, name: str, way: str) -> None:
    files, expected = COPIES[name]
    place = tmp_path / f"copy.{way}"
    if way == "folder":
        root = trees.plant(place, files)
    elif way == "folder in a folder":
        trees.plant(place / "sosreport-web1", files)
        root = str(place)
    else:
        mode = f"w:{way[4:]}" if "." in way else "w"
        root = archives.pack(place, files, "" if way == "flat tar" else "report-web1-2026", mode)
    seen = look(base, root)
    found = {fact: (seen.facts[fact].value, seen.facts[fact].where) for fact in expected if fact in seen.facts}
    wanted = {fact: (value, where or found[fact][1]) for fact, (value, where) in expected.items()}
    assert found == wanted, seen.unknown
    assert "client.container" not in seen.facts


def test_settings_in_effect_come_from_what_sysctl_printed(base: Any, tmp_path: Path) -> None:
    tree = tree_of(base, trees.plant(tmp_path, archives.SOS_UBUNTU))
    assert tree.read("/proc/sys/net/ipv4/tcp_rmem") == ("4096\t131072\t6291456\n", "sos_commands/kernel/sysctl_-a")
    with pytest.raises(NotCollected):
        tree.text("/proc/sys/net/ipv4/tcp")


TIMEDATECTL = "sos_commands/systemd/timedatectl"
CLOCKS = {
    "follows nothing": ({TIMEDATECTL: "System clock synchronized: no\n              NTP service: inactive\n"}, "false"),
    "follows": ({TIMEDATECTL: "System clock synchronized: yes\n              NTP service: active\n"}, "true"),
    "RHEL 7": ({TIMEDATECTL: "     NTP enabled: yes\nNTP synchronized: yes\n"}, "true"),
    "nobody asked": ({}, None),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_whether_the_clock_follows_a_time_server(base: Any, tmp_path: Path, name: str) -> None:
    told, follows = CLOCKS[name]
    seen = look(base, trees.plant(tmp_path, {**archives.SOS_UBUNTU, **told}))
    found = seen.facts.get("host.clock_synchronised")
    assert (None if found is None else str(found.value).lower()) == follows


def test_existence_has_three_values(base: Any, tmp_path: Path) -> None:
    tree = tree_of(base, trees.plant(tmp_path, archives.SOS_UBUNTU))
    assert tree.exists("/etc/sysctl.d/10-nfs.conf")
    assert tree.exists("/lib/sysctl.d/50-default.conf")
    assert not tree.exists("/etc/sysctl.d/20-other.conf")
    assert tree.names("/lib/sysctl.d") == ["50-default.conf"]
    for path, why in (("/run/systemd/container", "never contains it"), ("/etc/exports", "was not collected"),
                      ("/etc/modprobe.d/x.conf", "was not collected"), ("/etc/nfs.conf.d", "never contains it")):
        with pytest.raises(NotCollected, match=why):
            tree.exists(path)
        with pytest.raises(NotCollected, match=why):
            tree.text(path)
    with pytest.raises(NotCollected):
        tree.names("/etc/exports.d")


def test_supportconfig_says_which_files_a_host_does_not_have(base: Any, tmp_path: Path) -> None:
    tree = tree_of(base, trees.plant(tmp_path, archives.SUPPORTCONFIG))
    assert tree.read("/etc/nfs.conf") == ("[nfsd]\nthreads=16\n", "nfs.txt: /etc/nfs.conf")
    assert not tree.exists("/etc/exports")
    with pytest.raises(NotCollected):
        tree.exists("/etc/exports.d")


def test_an_empty_folder_of_a_plain_copy_says_nothing(tmp_path: Path) -> None:
    tree = Tree(trees.plant(tmp_path, {"/run/": "", "/proc/": "", "/etc/hostname": "web1\n"}))
    assert not tree.exists("/etc/exports")
    for path in ("/run/systemd/container", "/proc/fs/nfsd/threads", "/sys/module/nfs"):
        with pytest.raises(NotCollected):
            tree.exists(path)


def test_a_link_to_what_was_not_copied_says_nothing(tmp_path: Path) -> None:
    tree = Tree(trees.plant(tmp_path, {"/etc/os-release": "-> ../usr/lib/os-release"}))
    with pytest.raises(NotCollected):
        tree.exists("/etc/os-release")


@each(lambda: [
    ("/sys/class/net/eth0/mtu", "/sys/class/net/*/mtu", True), ("/a/b/mtu/x", "/a/*/mtu", True),
    ("/sys/class/net/eth0", "/sys/class/net/*/mtu", False), ("/etc/auto.home", "/etc/auto*", True),
    ("/etc/xauto", "/etc/auto*", False), ("/a/sh_-c_rpm_-qa_x", "/a/*-qa*", True), ("/a/b", "/a/*-qa*", False),
    ("/a/aba", "/a/ab*ba", False),
])
def test_patterns_of_paths(path: str, pattern: str, fits: bool) -> None:
    assert tree.is_at_or_below(path, [pattern]) is fits


ALL = {
    **archives.SOS_UBUNTU, **trees.SERVER, "/run/systemd/container": "lxc\n", "/etc/exports": "/a *(ro)\n",
    "/etc/os-release": 'ID="rhel"\n', "/proc/self/mountinfo": archives.MOUNTINFO,
}
FILES = {path: text.encode() for path, text in ALL.items() if not path.endswith("/") and not text.startswith("-> ")}
PATHS = [*FILES, "/etc/sysctl.d/x.conf", "/run/systemd/x", "/etc/nfs.conf", "/sys/module/nfs/parameters/x"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(held=st.sets(st.sampled_from(sorted(FILES))), path=st.sampled_from(PATHS))
def test_what_is_not_collected_never_turns_yes_into_no(base: Any, held: set[str], path: str) -> None:
    """Law: with fewer files collected an answer may become unknown, but `there` never becomes `not there`."""
    known = [*base.layouts.values()]
    whole = known[0].whole  # the tool collects these folders as one, so they are left out as one
    kept = {one: text for one, text in FILES.items() if one in held or tree.is_at_or_below(one, whole)}

    def there(files: dict[str, bytes]) -> bool | None:
        tree = Tree("/copy", False, known, FilesInMemory({"/sos_commands/x": b"", **files}))
        try:
            return tree.exists(path)
        except NotCollected:
            return None

    if there(FILES):
        assert there(kept) is not False

"""What is found on made-up hosts, with the probes of the shipped rule base."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from advisor.check.facts import HostFacts, facts_of
from advisor.cli.options import tree_of
from advisor.host.network import interface
from advisor.host.probe import rounded
from advisor.host.tree import Tree
from tests.each import each
from tests.host import trees

pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="the routes of the trees are a little-endian host's")


def look(base: Any, root: str | None = None, given: Any = None, **options: bool) -> HostFacts:
    """The facts of the host whose files are below `root`; None: this host."""
    return facts_of(base, tree_of(base, root), given, **options)


HOSTS = {
    "rhel 8": (trees.RHEL8, {
        "client.distro": "rhel", "client.release": "8.10", "client.kernel": "4.18.0-553.16.1.el8_10.x86_64",
        "client.kernel_stream": "el8", "client.nfs_utils": "2.3.3-59.el8", "client.nfs_utils_stream": "el8",
        "package.lvm2": "2.03.14-14.el8_10", "client.init": "systemd", "client.container": False,
        "client.memory_gib": 63, "client.network_mbit": 10000, "network.speed_gbps": "<=10",
    }),
    "rocky 9": (trees.ROCKY9, {"client.distro": "rhel", "client.release": "9.5", "client.kernel_stream": "el9"}),
    "sles 15": (trees.SLES15, {
        "client.distro": "sles", "client.release": "15.5", "client.kernel_stream": "sles15",
        "client.nfs_utils": "2.1.1-150500.22.3.1",
    }),
    "debian 12": (trees.DEBIAN12, {
        "client.distro": "debian", "client.release": "12", "client.kernel_stream": "debian",
        "client.nfs_utils": "1:2.6.2-4+deb12u1", "client.nfs_utils_stream": "debian",
    }),
    "ubuntu 24.04": (trees.UBUNTU2404, {
        "client.distro": "ubuntu", "client.release": "24.04", "client.kernel_stream": "ubuntu",
        "client.nfs_utils_stream": "ubuntu",
    }),
    "rhel 10": (trees.RHEL10, {
        "client.distro": "rhel", "client.release": "10.0", "client.kernel_stream": "el10",
        "client.nfs_utils": "2.8.2-3.el10", "client.nfs_utils_stream": "el10",
    }),
    "sles 16": (trees.SLES16, {"client.distro": "sles", "client.release": "16.0", "client.kernel_stream": "sles16"}),
    "debian 13": (trees.DEBIAN13, {
        "client.distro": "debian", "client.release": "13", "client.kernel_stream": "debian",
        "client.kernel": "6.12.48+deb13-amd64", "client.nfs_utils_stream": "debian",
    }),
    "ubuntu 26.04": (trees.UBUNTU2604, {
        "client.distro": "ubuntu", "client.release": "26.04", "client.kernel_stream": "ubuntu",
    }),
    "amazon 2023": (trees.AMAZON2023, {
        "client.distro": "amazon", "client.release": "2023", "client.kernel_stream": "amazon",
    }),
    "alpine": (trees.ALPINE, {
        "client.distro": "alpine", "client.release": "3.20.3", "client.kernel_stream": "mainline",
        "client.init": "other",
    }),
    "an EFS client": (trees.EFS, {
        "host.role": "nfs-client", "storage.platform": "aws-efs", "client.network_mbit": 25000,
    }),
    "a server": (trees.SERVER, {
        "host.role": "nfs-server", "server.distro": "rhel", "server.kernel_stream": "el9", "server.init": "systemd",
        "server.release": "9.5", "server.kernel": "5.14.0-503.14.1.el9_5.x86_64",
    }),
    "the passive node of a cluster": (trees.CLUSTER_NODE, {
        "host.role": "nfs-server", "server.ha": True, "server.cluster_stack": "pacemaker",
        "server.shared_storage": "replicated", "server.fencing_s": 45,
    }),
}


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_is_known_by_its_files(base: Any, tmp_path: Path, name: str) -> None:
    files, expected = HOSTS[name]
    seen = look(base, trees.plant(tmp_path, files), settings=True)
    assert {fact: seen.facts[fact].value for fact in expected if fact in seen.facts} == expected, seen.unknown
    assert all(one.where for one in seen.facts.values())
    assert not seen.facts.keys() & seen.unknown.keys()


def test_a_server_says_nothing_of_its_clients_and_a_client_nothing_of_its_server(base: Any, tmp_path: Path) -> None:
    server = look(base, trees.plant(tmp_path / "server", trees.SERVER))
    assert not [fact for fact in server.facts if fact.startswith(("client.", "network."))]
    assert server.unknown["client.kernel"] == "host.role is nfs-server here"
    client = look(base, trees.plant(tmp_path / "client", trees.EFS))
    assert not [fact for fact in client.facts if fact.startswith("server.")]


def test_what_means_nothing_on_most_hosts_makes_no_host_one_of_those(base: Any, tmp_path: Path) -> None:
    """A client whose kernel lacks Microsoft's patch is no client of Azure Blob for that."""
    root = trees.plant(tmp_path, {**trees.EFS, "/sys/module/sunrpc/parameters/pool_mode": "global\n"})
    assert "client.azure_nconnect" in look(base, root, platform=False).unknown
    there = look(base, root, {"storage.platform": "azure-blob"})
    assert there.facts["client.azure_nconnect"].value is False


def test_a_host_that_is_both_has_no_role(base: Any, tmp_path: Path) -> None:
    both = {**trees.EFS, "/proc/net/rpc/nfsd": "th 8 0\n"}
    seen = look(base, trees.plant(tmp_path, both))
    assert "nfs-server by /proc/net/rpc/nfsd but nfs-client by the mount /mnt/efs" in seen.unknown["host.role"]
    assert {"client.kernel", "server.kernel"} <= seen.facts.keys()


def test_the_role_that_was_told_steers_what_is_looked_for(base: Any, tmp_path: Path) -> None:
    seen = look(base, trees.plant(tmp_path, trees.SERVER), {"host.role": "nfs-client"})
    assert seen.facts["client.kernel_stream"].value == "el9"
    assert "host.role" not in seen.facts


def test_settings_and_mounts_in_effect(base: Any, tmp_path: Path) -> None:
    files = {
        **trees.EFS, "/proc/sys/sunrpc/tcp_max_slot_table_entries": "128\n",
        "/proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
        "/sys/module/nfs/parameters/max_session_slots": "180\n",
    }
    probe = look(base, trees.plant(tmp_path, files), settings=True).probe
    assert {name: one.value for name, one in probe.settings.items()} == {
        "sysctl.sunrpc.tcp_max_slot_table_entries": 128, "sysctl.net.ipv4.tcp_rmem": "4096 131072 6291456",
        "module.nfs.max_session_slots": 180, "bdi.read_ahead_kb": 15360, "network.mtu": 9000,
    }
    [mount] = probe.mounts
    assert (mount.server, mount.export, mount.target) == ("fs-0123.efs.eu-west-1.amazonaws.com", "/", "/mnt/efs")
    assert "vers=4.1" in mount.options
    assert probe.unset["sysctl.vm.dirty_ratio"] == "/proc/sys/vm/dirty_ratio does not exist"
    assert probe.inventory["interface"].value == "eth1"  # the route to the mounted server, not the default one


def test_mounts_that_differ_have_no_common_read_ahead(base: Any, tmp_path: Path) -> None:
    files = {**trees.EFS, "/sys/class/bdi/0:53/read_ahead_kb": "128\n"}
    files["/proc/self/mountinfo"] += trees.nfs("nas:/x", "/x", device="0:53", number=61)
    seen = look(base, trees.plant(tmp_path, files), settings=True)
    assert seen.probe.unset["bdi.read_ahead_kb"] == "the NFS mounts differ"
    assert "nas" in seen.unknown["storage.platform"]


def test_a_tunnel_on_this_host_says_nothing_of_the_way_to_the_storage(base: Any, tmp_path: Path) -> None:
    files = {**trees.EFS}
    files["/proc/self/mountinfo"] += trees.nfs("127.0.0.1:/", "/x", address="127.0.0.1", number=61)
    seen = look(base, trees.plant(tmp_path, files))
    assert seen.facts["client.network_mbit"].value == 25000


def test_the_card_of_a_virtual_machine_is_not_believed(base: Any, tmp_path: Path) -> None:
    files = {**trees.DEBIAN12, "/proc/cpuinfo": "flags\t\t: fpu vme hypervisor sse2\n"}
    seen = look(base, trees.plant(tmp_path, files))
    assert not {"client.network_mbit", "network.speed_gbps"} & seen.facts.keys()


@pytest.mark.parametrize("speed", ["-1\n", "", "fast\n"])
def test_a_card_without_speed_leaves_it_unknown(base: Any, tmp_path: Path, speed: str) -> None:
    seen = look(base, trees.plant(tmp_path, {**trees.DEBIAN12, "/sys/class/net/eth0/speed": speed}))
    assert "client.network_mbit" in seen.unknown


@pytest.mark.parametrize(
    ("release", "build"),
    [
        ("6.8.12-4-pve", "#1 SMP PREEMPT_DYNAMIC PMX 6.8.12-4"),
        ("5.15.0-302.167.6.el8uek.x86_64", "#2 SMP Tue Jan 1 2026"),
        ("6.9.7-1.el8.elrepo.x86_64", "#1 SMP Tue Jan 1 2026"),
        ("6.8.9-060809-generic", "#202405171256 SMP"),
        ("4.4.302+", "#72806 SMP"),
    ],
)
def test_a_kernel_of_unknown_make_belongs_to_no_stream(base: Any, tmp_path: Path, release: str, build: str) -> None:
    seen = look(base, trees.plant(tmp_path, {**trees.COMMON, **trees.kernel(release, build)}))
    assert seen.facts["client.kernel"].value == release
    assert "client.kernel_stream" in seen.unknown


def test_centos_is_not_taken_for_release_8_0(base: Any, tmp_path: Path) -> None:
    files = {**trees.RHEL8, "/usr/lib/os-release": "ID=centos\nVERSION_ID=8\n"}
    stream = look(base, trees.plant(tmp_path / "a", {**files, "/etc/centos-release": "CentOS Stream release 8\n"}))
    assert "client.release" in stream.unknown
    seven = {**files, "/etc/centos-release": "CentOS Linux release 7.9.2009 (Core)\n"}
    assert look(base, trees.plant(tmp_path / "b", seven)).facts["client.release"].value == "7.9"


def test_a_container_on_another_distribution_keeps_what_the_kernel_says(base: Any, tmp_path: Path) -> None:
    files = {**trees.UBUNTU2404, **trees.kernel("4.18.0-553.el8.x86_64"), "/run/systemd/container": "podman\n"}
    seen = look(base, trees.plant(tmp_path, files))
    assert seen.facts["client.kernel_stream"].value == "el8"
    assert "ubuntu" in seen.unknown["client.distro"]
    assert seen.unknown["client.container"] == "/run/systemd/container exists"


def test_a_removed_package_is_not_installed(base: Any, tmp_path: Path) -> None:
    files = {
        **trees.DEBIAN12,
        "/var/lib/dpkg/status": "Package: nfs-common\nStatus: deinstall ok config-files\nVersion: 1:2.6.2-4\n",
    }
    assert "client.nfs_utils" in look(base, trees.plant(tmp_path, files)).unknown


def test_an_empty_tree_has_no_facts(base: Any, tmp_path: Path) -> None:
    seen = look(base, str(tmp_path), settings=True)
    assert not seen.facts
    assert not seen.probe.settings
    assert not seen.probe.mounts
    assert seen.unknown["client.kernel"] == "/proc/sys/kernel/osrelease was not collected"


@pytest.mark.parametrize("garbage", ["", "\0\0\0", "\udcff\udcfe", "x " * 400, "=\n=\n", "9" * 5000, "\x1b[31mred"])
def test_garbage_is_no_fact(base: Any, tmp_path: Path, garbage: str) -> None:
    files = dict.fromkeys([path for path in trees.RHEL8 if not path.endswith("/")], garbage)
    del files["/etc/os-release"]
    seen = look(base, trees.plant(tmp_path, {**files, "/etc/os-release": garbage}), settings=True)
    base.engine.state({name: one.value for name, one in seen.facts.items()})
    assert "client.memory_gib" in seen.unknown


def test_what_the_user_told_wins(base: Any, tmp_path: Path) -> None:
    root = trees.plant(tmp_path, trees.DEBIAN12)
    seen = look(base, root, {"client.has_nconnect": False, "client.memory_gib": 8})
    assert "contradicts other facts" in seen.unknown["client.kernel"]
    assert "client.memory_gib" not in seen.facts
    assert seen.facts["client.distro"].value == "debian"


def test_facts_of_two_hosts_are_not_mixed(base: Any, tmp_path: Path) -> None:
    root = trees.plant(tmp_path, trees.DEBIAN12)
    both = {"client.release", "client.kernel", "client.kernel_stream", "client.nfs_utils", "client.nfs_utils_stream"}
    assert both <= look(base, root, {"client.distro": "debian"}).facts.keys()
    assert both <= look(base, root, {"client.distro": ["debian", "ubuntu"]}).facts.keys()
    other = look(base, root, {"client.distro": "rhel"})
    assert not both & other.facts.keys()
    assert other.unknown["client.release"] == "client.distro was given as rhel, and is debian here"
    # The kernel that was given belongs to another distribution, so the release of this host's means nothing.
    kernel = look(base, root, {"client.kernel": "4.18.0-553.el8"})
    assert not {"client.distro", "client.release", "client.kernel_stream"} & kernel.facts.keys()


def test_this_host_is_read_without_error(base: Any) -> None:
    seen = look(base, settings=True)
    assert seen.facts["client.kernel"].where == "/proc/sys/kernel/osrelease" or "client.kernel" in seen.unknown


@pytest.mark.parametrize("number", ["110000000A", "-1", "x", "9" * 5000, "٣"])
@pytest.mark.parametrize("field", [1, 3, 6, 7])
def test_a_route_that_is_none_is_passed_over(tmp_path: Path, number: str, field: int) -> None:
    odd = ["odd0", "00000000", "0100000A", "0003", "0", "0", "100", "00000000", "0", "0", "0"]
    odd[field] = number
    lines = trees.ROUTES.replace("Iface", "\t".join(odd) + "\nIface")
    tree = Tree(trees.plant(tmp_path, {"/proc/net/route": lines}))
    assert interface(tree, ["10.0.2.9"])[0] == "eth1"


@each(lambda: [
    (0, 1, 0), (7, 1, 7), (0, 10, 1), (4, 10, 1), (14, 10, 1), (15, 10, 2), (65679312, 1 << 20, 63),
])
def test_a_number_in_larger_units_is_the_nearest_and_never_none(number: int, by: int, units: int) -> None:
    assert rounded(number, by) == units

"""Thirty servers, each with what the vendor's guide or a measurement asks for there. The values were written down from
the sources, which are named by their ids, before the rule base was asked."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from tests.tiers import some

BASE = load()
ONE = {"host.role": "nfs-server", "storage.platform": "knfsd", "server.ha": False}
PAIR = {"host.role": "nfs-server", "storage.platform": "knfsd", "server.ha": True, "server.cluster_stack": "pacemaker"}
RHEL9 = {"server.distro": "rhel", "server.release": "9.4"}
SLES15 = {"server.distro": "sles", "server.release": "15.5", "server.shared_storage": "replicated"}
DEBIAN12 = {"server.distro": "debian", "server.release": "12"}
FENCED = {"cluster.fencing": "a fencing device for every node", "cluster.boot": "only by the cluster"}

SERVERS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    # phd-nfs.group, resource-agents.*, failover-observed.*
    "a pair on a SAN with NFSv4 only": (
        {**PAIR, **RHEL9, "server.shared_storage": "fc", "server.v3_clients": False},
        {**FENCED, "cluster.volume_group": "only by LVM-activate, if the disks carry LVM",
         "cluster.exports_file": "in exportfs resources only",
         "nfs.conf.nfsd.vers3": "n", "layout.cluster": "active-passive", "cluster.scope": "one constant*"},
    ),
    "a pair on a SAN with NFSv3 as well": (
        {**PAIR, "server.distro": "rhel", "server.release": "8.8", "server.shared_storage": "fc",
         "server.v3_clients": True},
        {**FENCED, "cluster.notify": "nfsnotify, last in the group", "nfs.conf.nfsd.vers3": "y|keep"},
    ),
    # suse-ha-nfs
    "a pair on DRBD": (
        {**PAIR, **SLES15, "server.v3_clients": False},
        {**FENCED, "cluster.replication": "protocol C and fencing resource-and-stonith",
         "cluster.volume_group": "keep"},
    ),
    # azure-nfs-ha
    "a pair in Azure": (
        {**PAIR, **SLES15, "network.cloud": "azure"},
        {"cluster.address": "azure-lb before IPaddr2", "sysctl.net.ipv4.tcp_timestamps": "0"},
    ),
    "a pair in AWS": (
        {**PAIR, **RHEL9, "network.cloud": "aws"}, {"cluster.address": "aws-vpc-move-ip in place of IPaddr2"},
    ),
    "a pair in Google Cloud": (
        {**PAIR, **SLES15, "network.cloud": "gcp"}, {"cluster.address": "gcp-vpc-move-vip beside IPaddr2"},
    ),
    # dell-nss74
    "Dell's appliance": (
        {**PAIR, "server.distro": "rhel", "server.release": "7.6", "server.shared_storage": "sas",
         "server.cpu_generation": "cascade-lake", "workload.kind": "hpc"},
        {"bios.logical_processor": "disabled", "layout.disk_paths": "two SAS cards*", "filesystem.export": "xfs",
         "bios.system_profile": "performance", "layout.cluster": "active-passive"},
    ),
    "a pair with Kerberos": (
        {**PAIR, **RHEL9, "mount.sec": "krb5p", "identity.directory": "ipa"},
        {"identity.cluster_key": "the key of the service name*", "identity.server_key": "ipa-getkeytab"},
    ),
    "a pair that mounts its own export": (
        {**PAIR, "server.mounts_itself": True}, {"cluster.own_mounts": "with NFSv3"},
    ),
    "a pair whose disks are XFS": ({**PAIR, "export.filesystem": "xfs"}, {"exports.fsid": "101|keep"}),
    "a pair without Pacemaker": (
        {**PAIR, "server.cluster_stack": "other"}, {"cluster.order": "keep", "cluster.state": "on shared storage*"},
    ),
    "Kerberos with FreeIPA": (
        {**ONE, **RHEL9, "mount.sec": "krb5p", "identity.directory": "ipa"},
        {"exports.sec": "krb5p", "identity.server_key": "ipa-getkeytab", "identity.clock": "synchronised"},
    ),
    "Kerberos with Active Directory": (
        {**ONE, **DEBIAN12, "mount.sec": "krb5i", "identity.directory": "ad"},
        {"exports.sec": "krb5i", "identity.server_key": "adcli"},
    ),
    "Kerberos of one's own": (
        {**ONE, **DEBIAN12, "mount.sec": "krb5", "identity.directory": "realm"},
        {"identity.server_key": "kadmin", "identity.names": "the full name*"},
    ),
    # redhat-nfs-guide
    "a firewall and NFSv3": (
        {**ONE, **RHEL9, "server.firewall": True, "server.v3_clients": True},
        {"nfs.conf.mountd.port": "20048", "nfs.conf.statd.port": "662", "nfs.conf.lockd.port": "32803"},
    ),
    "a firewall and NFSv4 only": (
        {**ONE, **RHEL9, "server.firewall": True, "server.v3_clients": False},
        {"nfs.conf.mountd.port": "keep", "nfs.conf.nfsd.vers3": "n"},
    ),
    "users in many groups, whom the server knows": (
        {**ONE, "workload.over_16_groups": True, "server.knows_users": True, "mount.sec": "sys"},
        {"nfs.conf.mountd.manage-gids": "y"},
    ),
    "users in many groups, whom Debian does not know": (
        {**ONE, **DEBIAN12, "workload.over_16_groups": True, "server.knows_users": False, "mount.sec": "sys"},
        {"nfs.conf.mountd.manage-gids": "n"},
    ),
    "ZFS": (
        {**ONE, "export.filesystem": "zfs"},
        {"filesystem.zfs_sync": "standard", "filesystem.zfs_sharenfs": "off, or a list of networks"},
    ),
    "a database on ZFS": (
        {**ONE, "export.filesystem": "zfs", "workload.kind": "postgresql"},
        {"filesystem.zfs_sync": "standard", "filesystem.zfs_log": "a mirrored log device*", "exports.async": "False"},
    ),
    # kernel-observed.export-needs-fsid
    "FUSE": ({**ONE, "export.filesystem": "fuse"}, {"exports.fsid": "101"}),
    "another server's NFS": ({**ONE, "export.filesystem": "nfs"}, {"exports.fsid": "101"}),
    "memory": ({**ONE, "export.filesystem": "tmpfs"}, {"exports.fsid": "keep"}),
    # exports5
    "XFS on one server": (
        {**ONE, "export.filesystem": "xfs"},
        {"exports.fsid": "keep", "exports.async": "omit|False", "exports.root_squash": "keep|True"},
    ),
    "roots of diskless clients": (
        {**ONE, "workload.kind": "diskless-root"}, {"exports.root_squash": "False", "nfs.conf.nfsd.vers3": "y|keep"},
    ),
    # exports5.xprtsec, tlshd.needs
    "TLS": (
        {**ONE, "export.requires_tls": True, "server.kernel": "6.12", "server.nfs_utils": "2.8.2",
         "server.nfs_utils_stream": "upstream", "client.kernel": "6.12", "mount.proto": "tcp"},
        {"exports.xprtsec": "tls:mtls", "identity.tlshd": "tlshd of ktls-utils on both sides, certificate*"},
    ),
    "RDMA": ({**ONE, "network.transport": "rdma"}, {"nfs.conf.nfsd.rdma": "y"}),
    "files of one owner": (
        {**ONE, "identity.owners": "one", "identity.owner_uid": 1000, "identity.owner_gid": 1000},
        {"exports.all_squash": "True", "exports.anonuid": "1000", "exports.anongid": "1000"},
    ),
    "a file system mounted below the export": ({**ONE, "export.has_mounts_below": True}, {"exports.crossmnt": "True"}),
    "threads that run out": (
        {**ONE, "server.threads": 64, "server.threads_starved": True, "server.kernel": "6.1"},
        {"nfs.conf.nfsd.threads": "128"},
    ),
}


@pytest.mark.parametrize("name", some(SERVERS, 2))
def test_what_its_guide_asks_for(name: str) -> None:
    facts, wanted = SERVERS[name]
    advice = advise(BASE, Answers(facts=facts))
    for tunable, patterns in wanted.items():
        one = advice.find(tunable)
        if one is not None:
            found = [{str(one.value), str(one.written)}]
        else:
            (waiting,) = (each for each in advice.open if each.tunable == tunable)
            found = [{str(possible.value)} for possible in waiting.possible]
        for values in found:
            right = any(fnmatchcase(value, pattern) for value in values for pattern in patterns.split("|"))
            assert right, (tunable, values)

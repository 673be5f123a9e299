"""Reports whose cause does not stand in the client's mount options (see cases.py)."""

from __future__ import annotations

from typing import NamedTuple

from tests.lint.cases import EFS, EFS_GOOD


class Elsewhere(NamedTuple):
    """A report whose cause is not in the client's mount options."""

    id: str
    symptom: str
    reason: str
    speaks: str = ""
    """The tunable whose page (`advisor explain`) speaks of it, if there is one."""
    line: str = ""
    """The line that was suspected and is right: nothing but notes is found in it."""


ELSEWHERE = (
    Elsewhere(
        "case-006", "A diskless client reads at a tenth of its speed",
        "read-ahead of the mount, in /sys", "bdi.read_ahead_kb",
    ),
    Elsewhere(
        "case-007", "Reading is slower on kernels since 5.4",
        "read-ahead of the mount, in /sys or by udev", "bdi.read_ahead_kb",
    ),
    Elsewhere(
        "case-012", "Fifty thousand small files take three quarters of an hour",
        "the size of the share limits its operations", "",
        "a.file.core.windows.net:/a/s  /mnt  nfs  vers=4.1,sec=sys,nconnect=4,rsize=1048576,wsize=1048576  0 0",
    ),
    Elsewhere(
        "case-033", "A pod cannot mount after an upgrade", "a Kubernetes volume that cannot have options", "mount.vers",
    ),
    Elsewhere("case-061", "The server has too many connections", "nfs.conf of the server", "nfs.conf.nfsd.threads"),
    Elsewhere("case-062", "The server asks for more threads", "nfs.conf of the server", "nfs.conf.nfsd.threads"),
    Elsewhere(
        "case-063", "Clients with nconnect get no more than without",
        "too few threads on the server, in nfs.conf", "nfs.conf.nfsd.threads",
    ),
    Elsewhere("case-065", "A mount of EFS times out", "a security group", "", f"{EFS}{EFS_GOOD},_netdev,nofail  0 0"),
    Elsewhere("case-077", "A database on a FUSE client loses its mount", "the client is not the kernel's"),
    Elsewhere("case-084", "Writing is half as fast as the disk", "sync on the server's export", "exports.async"),
    Elsewhere("case-086", "The desktop stalls while a lot is written", "the test itself; limits of dirty pages",
              "sysctl.vm.dirty_bytes"),
    Elsewhere(
        "case-087", "Writing over wireless is slow and hangs",
        "the wireless driver; that rsize=1024 and timeo=14 make it worse is found (rsize-tiny, timeo-too-short)",
    ),
    Elsewhere("case-094", "A few MB/s with one busy processor", "IPsec"),
    Elsewhere("case-102", "A database is damaged after crashes", "async on the server's export", "exports.async"),
    Elsewhere("case-104", "Listing many small files takes hours", "the network path to the server", "",
              "nas:/photos  /photos  nfs  vers=3,hard  0 0"),
    Elsewhere("case-108", "Permission denied although the modes look right", "nfs.conf of the server",
              "nfs.conf.mountd.manage-gids"),
    Elsewhere("case-109", "Volumes cannot be written", "nfs.conf of the server", "nfs.conf.mountd.manage-gids"),
    Elsewhere("case-120", "A file system cannot be exported", "its driver on the server"),
    Elsewhere("case-121", "Access is denied, and an fsid is required", "exports of the server", "exports.fsid"),
    Elsewhere("case-125", "All files belong to nobody", "the domain of the id mapper",
              "module.nfs.nfs4_disable_idmapping"),
    Elsewhere("case-126", "All files belong to nobody", "the domain of the id mapper",
              "module.nfs.nfs4_disable_idmapping"),
)

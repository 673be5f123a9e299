"""Public reports of NFS trouble with an accepted diagnosis, put as fstab lines with the facts that go with them.

docs/cases.md is this table; test_cases.py keeps the two, and the linter, true to one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A report about mount options: the line that its author had, and what would have helped."""

    id: str
    symptom: str
    line: str
    facts: Mapping[str, Any]
    finds: tuple[str, ...]
    """Rules that name the accepted diagnosis; none where `reason` says why there is none."""
    mended: str
    """The line after the diagnosis was heeded; those rules find nothing in it."""
    reason: str = ""


EFS = "fs-1.efs.eu-west-1.amazonaws.com:/  /efs  nfs  "
EFS_GOOD = "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport"
STATD: dict[str, Any] = {"client.container": True, "mount.vers": "3"}

CASES = (
    Case(
        "case-004", "A node does not reboot while its NFS server is down",
        "share:/vol  /vol  nfs  vers=4.1,hard  0 0", {}, (), "",
        "hard is right; what it costs is shown by `advisor explain hard`, as the risk of the rule hard/default",
    ),
    Case(
        "case-013", "A larger rsize is wanted, because the default is thought to be 8 KiB",
        "nas:/share  /mnt  nfs  soft,rsize=32768,wsize=32768  0 0", {}, ("rsize-small", "wsize-small", "hard/default"),
        "nas:/share  /mnt  nfs  defaults  0 0",
    ),
    Case(
        "case-015", "Very many metadata requests, and long waits for them",
        "fs:/share  /mnt  nfs  lookupcache=none,noac,tcp,rsize=524288  0 0",
        {"storage.platform": "gcp-filestore", "workload.kind": "general", "workload.prompt_changes": False},
        ("noac/default", "lookupcache-none-cost"),
        "fs:/share  /mnt  nfs  lookupcache=positive,tcp,rsize=524288  0 0",
    ),
    Case(
        "case-022", "noatime was added to gain speed",
        "nas:/opt  /opt  nfs  vers=3,noatime  0 0", {}, ("option-ignored",), "nas:/opt  /opt  nfs  vers=3  0 0",
    ),
    Case(
        "case-025", "Writing stops in the middle of a large installation",
        "host:/work  /work  nfs  vers=3,udp  0 0", {}, ("nfs-over-udp",), "host:/work  /work  nfs  vers=3,tcp  0 0",
    ),
    Case(
        "case-026", "A virtual machine hangs while many files are copied",
        "host:/work  /work  nfs  udp  0 0", {}, ("nfs-over-udp",), "host:/work  /work  nfs  tcp  0 0",
    ),
    Case(
        "case-027", "mount says that the requested version or transport is not supported",
        "host:/work  /work  nfs  vers=4,udp,nolock,vers=4,udp,noatime  0 0", {}, ("option-refused", "option-repeated"),
        "host:/work  /work  nfs  vers=4  0 0",
    ),
    Case(
        "case-028", "A mount over UDP fails on a recent distribution",
        "host:/work  /work  nfs  vers=3,udp  0 0", {"client.kernel": "5.11"}, ("option-refused",),
        "host:/work  /work  nfs  vers=3,tcp  0 0",
    ),
    Case(
        "case-030", "A server that has NFSv3 only cannot be mounted",
        "nas:/shared  /mnt  nfs  defaults  0 0", {}, ("vers-not-pinned",), "nas:/shared  /mnt  nfs  vers=3  0 0",
    ),
    Case(
        "case-032", "A server that has NFSv4.1 only answers that the minor version does not fit",
        "nas:/data  /mnt  nfs  defaults  0 0", {}, ("vers-not-pinned",), "nas:/data  /mnt  nfs  vers=4.1  0 0",
    ),
    Case(
        "case-037", "SQLite says that its database is locked, until the service is restarted",
        "nas:/data  /data  nfs  rw,nfsvers=4,async  0 0", {"workload.kind": "sqlite"}, ("sqlite-on-nfs",),
        "/dev/sda2  /data  ext4  defaults  0 2",
    ),
    Case(
        "case-038", "An application's SQLite database on a NAS is locked",
        "nas:/config  /config  nfs  nfsvers=4.1  0 0", {"workload.kind": "sqlite"}, ("sqlite-on-nfs",),
        "/dev/sda2  /config  ext4  defaults  0 2",
    ),
    Case(
        "case-040", "Research code cannot open its SQLite file on the cluster's share",
        "nas:/data  /data  nfs  defaults  0 0", {"workload.kind": "sqlite"}, ("sqlite-on-nfs",),
        "/dev/sda2  /data  ext4  defaults  0 2",
    ),
    Case(
        "case-041", "A build tool cannot lock the files of its cache",
        "host:/work  /work  nfs  vers=3  0 0", {"server.nlm": False}, ("lock/server-without-nlm",),
        "host:/work  /work  nfs  vers=4  0 0",
    ),
    Case(
        "case-043", "In a container the mount requires rpc.statd",
        "nas:/x  /mnt  nfs  rsize=32768,wsize=32768,noatime,intr  0 0", STATD, ("v3-locks-in-container",),
        "nas:/x  /mnt  nfs  vers=4.1  0 0",
    ),
    Case(
        "case-044", "kubelet runs in a container, and cannot mount a volume without rpc.statd",
        "nas:/x  /mnt  nfs  vers=3  0 0", STATD, ("v3-locks-in-container",), "nas:/x  /mnt  nfs  vers=4.1  0 0",
    ),
    Case(
        "case-052", "A machine cannot be reached after a mount failed at boot",
        "nas:/data  /data  nfs  defaults  0 0", {}, ("no-nofail-policy",), "nas:/data  /data  nfs  nofail  0 0",
    ),
    Case(
        "case-053", "Other clients find new log files half a minute late",
        "nas:/logs  /logs  nfs  defaults  0 0", {"workload.prompt_changes": True}, ("new-files-seen-late",),
        "nas:/logs  /logs  nfs  lookupcache=none  0 0",
    ),
    Case(
        "case-056", "Tools that watch source files notice changes late",
        "host:/src  /src  nfs  defaults  0 0", {"workload.prompt_changes": True}, ("changes-seen-late",),
        "host:/src  /src  nfs  actimeo=1  0 0",
    ),
    Case(
        "case-060", "Options of another kind of share on an NFS mount",
        "host:/www  /www  nfs  vers=3,tcp,fsc,actimeo=2,dmode=777,fmode=666  0 0", {}, ("unknown-option",),
        "host:/www  /www  nfs  vers=3,tcp,fsc,actimeo=2  0 0",
    ),
    Case(
        "case-066", "The mount does not come back after a network fault",
        f"{EFS}nfsvers=4.1  0 0", {}, ("noresvport/asked-for",), f"{EFS}{EFS_GOOD}  0 0",
    ),
    Case(
        "case-068", "sync is wanted, because output is seen late on another node",
        "head:/opt  /opt  nfs  sync  0 0", {"workload.kind": "hpc", "workload.durable_writes": False},
        ("sync/default",), "head:/opt  /opt  nfs  defaults  0 0",
    ),
    Case(
        "case-074", "A server that is down delays the other mounts for minutes",
        "nas:/data  /data  nfs  defaults  0 0", {}, ("no-nofail-policy",),
        "nas:/data  /data  nfs  nofail,x-systemd.automount  0 0",
    ),
    Case(
        "case-079", "Many users together get too little throughput",
        "nas:/home  /home  nfs  defaults  0 0", {}, (), "",
        "16 connections helped there, as was measured; no number is published for that server, so no rule asks for one",
    ),
    Case(
        "case-081", "nconnect with NFSv4.0 on ONTAP",
        "nas:/data  /data  nfs  vers=4.0,nconnect=8  0 0",
        {"storage.platform": "ontap", "client.has_nconnect": True}, ("nconnect/ontap-v40",),
        "nas:/data  /data  nfs  vers=4.1,nconnect=8  0 0",
    ),
    Case(
        "case-113", "mount.nfs reports an incorrect mount option",
        "host:/work  /work  nfs  dmode=777,fmode=777  0 0", {}, ("unknown-option",),
        "host:/work  /work  nfs  nfsvers=4  0 0",
    ),
    Case(
        "case-117", "mount reports a bad option, whose last letter a program had cut off",
        "share:/vol  /vol  nfs  vers=4.1,noresvport,timeo=600,retrans=5,sof  0 0", {}, ("unknown-option",),
        "share:/vol  /vol  nfs  vers=4.1,noresvport,timeo=600,retrans=5,soft  0 0",
    ),
)

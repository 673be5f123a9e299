"""Archives made of hosts' files, as support tools make them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path


def pack(place: Path, files: dict[str, str], top: str = "host-1", mode: str = "w") -> str:
    """A tar archive with these files (as in `trees`) below the folder `top`."""
    with tarfile.open(place, mode) as tar:  # type: ignore[call-overload]
        for path, content in files.items():
            add(tar, f"{top}/{path.lstrip('/')}" if top else path.lstrip("/"), content)
    return str(place)


def add(tar: tarfile.TarFile, name: str, content: str) -> None:
    member = tarfile.TarInfo(name)
    if content.startswith("-> "):
        member.type, member.linkname = tarfile.SYMTYPE, content[3:]
        tar.addfile(member)
    elif name.endswith("/"):
        member.type = tarfile.DIRTYPE
        tar.addfile(member)
    else:
        data = content.encode("utf-8", "surrogateescape")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))


def block(title: str, head: str, body: str) -> str:
    return f"#==[ {title} ]{'=' * 20}#\n# {head}\n{body}\n\n"


UNAME = "Linux web1 {} {} x86_64 x86_64 x86_64 GNU/Linux\n"
DPKG_L = (
    "Desired=Unknown/Install/Remove/Purge/Hold\n"
    "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n"
    "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n"
    "||/ Name                 Version                 Architecture Description\n"
    "+++-====================-=======================-============-==========\n"
    "ii  libc6:amd64          2.35-0ubuntu3.8         amd64        GNU C Library\n"
    "ii  nfs-common           1:2.6.1-1ubuntu1.2      amd64        NFS support files\n"
    "rc  nfs-kernel-server    1:2.6.1-1ubuntu1.1      amd64        support for NFS kernel server\n"
)
MOUNTINFO = (
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "60 22 0:52 / /data rw,relatime shared:9 - nfs4 nas:/data rw,vers=4.1,hard,proto=tcp,addr=10.0.2.9\n"
)
SOS_UBUNTU = {
    "/sos_commands/kernel/uname_-a": UNAME.format("5.15.0-112-generic", "#122-Ubuntu SMP Thu May 23 07:48:21 UTC 2024"),
    "/sos_commands/kernel/sysctl_-a": "net.core.rmem_max = 212992\nsunrpc.tcp_max_slot_table_entries = 128\n"
                                      "net.ipv4.tcp_rmem = 4096\t131072\t6291456\n",
    "/sos_commands/dpkg/dpkg_-l": DPKG_L,
    "/etc/os-release": "-> ../usr/lib/os-release",
    "/usr/lib/os-release": 'ID=ubuntu\nVERSION_ID="22.04"\n',
    "/proc/self": "-> 4711",
    "/proc/4711/mountinfo": MOUNTINFO,
    "/proc/mounts": "-> self/mounts",
    "/proc/meminfo": "MemTotal:       65679312 kB\n",
    "/run/systemd/system/netplan.service": "[Unit]\n",
    "/etc/sysctl.d/10-nfs.conf": "sunrpc.tcp_max_slot_table_entries = 256\n",
    "/lib": "-> usr/lib",
    "/usr/lib/sysctl.d/50-default.conf": "net.core.rmem_max = 1\n",
}
"""A report of sos 4 on Ubuntu, in an LXD container: that it is one is nowhere to be read."""
SOS_RHEL = {
    "/sos_commands/kernel/uname_-a": UNAME.format(
        "4.18.0-553.16.1.el8_10.x86_64", "#1 SMP Thu Aug 1 00:00:00 UTC 2024"
    ),
    "/sos_commands/rpm/sh_-c_rpm_--nodigest_-qa_--qf_NAME_sort_-V":
        "lvm2-2.03.14-14.el8_10.x86_64                Thu Jan  1 00:00:00 2026\n"
        "nfs-utils-2.3.3-59.el8.x86_64                Thu Jan  1 00:00:00 2026\n",
    "/etc/os-release": 'ID="rhel"\nVERSION_ID="8.10"\n',
    "/proc/sys/kernel/osrelease": "4.18.0-553.16.1.el8_10.x86_64\n",
    "/sys/module/sunrpc/parameters/pool_mode": "global\n",
    "/proc/self": "-> 99",
    "/proc/99/mountinfo": MOUNTINFO,
}
SUPPORTCONFIG = {
    "/basic-environment.txt":
        block("Command", "/usr/bin/date", "Thu Jan  1")
        + block("Command", "/usr/bin/uname -a",
                UNAME.format("5.14.21-150500.55.83-default", "#1 SMP PREEMPT_DYNAMIC Wed Oct 2 08:09:10 UTC 2024"))
        + block("Configuration File", "/etc/os-release", 'ID="sles"\nVERSION_ID="15.5"'),
    "/env.txt": block("Configuration File", "/etc/sysctl.conf", "net.core.rmem_max = 16777216")
        + block("Command", "/sbin/sysctl -a", "net.core.rmem_max = 16777216\nvm.dirty_ratio = 10"),
    "/fs-diskio.txt": block("Configuration File", "/etc/fstab", "nas:/data /data nfs4 hard,nconect=8 0 0")
        + block("Configuration File", "/proc/mounts",
                "/dev/sda2 / xfs rw,relatime 0 0\nnas:/data /data nfs4 rw,vers=4.2,hard,addr=10.0.2.9 0 0"),
    "/nfs.txt": block("Configuration File", "/etc/nfs.conf", "[nfsd]\nthreads=16").replace("\n\n\n", "\n\n")
        + "#==[ Configuration File ]===========================#\n# /etc/exports - File not found\n\n",
    "/rpm.txt": block(
        "Command", "rpm -qa --queryformat \"%-35{NAME} %-35{DISTRIBUTION} %{VERSION}-%{RELEASE}\\n\" | sort -k 1,2",
        "NAME                                DISTRIBUTION                        VERSION\n"
        "nfs-client                          SUSE Linux Enterprise 15            2.1.1-150500.22.3.1",
    ),
}
INSIGHTS = {
    "/insights_archive.txt": "", "/meta_data/x.json": "{}",
    "/data/insights_commands/uname_-a": UNAME.format(
        "5.14.0-503.14.1.el9_5.x86_64", "#1 SMP PREEMPT_DYNAMIC Fri Nov 15 12:04:32 UTC 2024"
    ),
    "/data/insights_commands/rpm_-qa_--qf_name_NAME":
        '{"name":"nfs-utils","epoch":"1","version":"2.5.4","release":"27.el9","arch":"x86_64","installtime":"x"}\n',
    "/data/insights_commands/sysctl_-a": "sunrpc.tcp_slot_table_entries = 2\n",
    "/data/insights_commands/mount": "nas:/data on /data type nfs4 (rw,vers=4.2,hard,addr=10.0.2.9)\n",
    "/data/etc/os-release": 'ID="rhel"\nVERSION_ID="9.5"\n',
}

"""Copies of hosts, made up: path → content. A content that begins with "-> " is a symbolic link."""

from __future__ import annotations

from pathlib import Path

MEMORY = "MemTotal:       65679312 kB\nMemFree:        1000 kB\n"
ROOT_MOUNT = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n23 22 0:21 / /proc rw - proc proc rw\n"
NFS_OPTIONS = "rw,vers=4.1,rsize=1048576,wsize=1048576,hard,proto=tcp,timeo=600,sec=sys,clientaddr=10.0.0.5"
ROUTES = (
    "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    "eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
    "eth1\t0002000A\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
)
"""The default route by eth0, 10.0.2.0/24 by eth1 (numbers as a little-endian machine prints them)."""
CARDS = {
    "/proc/net/route": ROUTES,
    "/sys/class/net/eth0/speed": "10000\n", "/sys/class/net/eth0/mtu": "1500\n",
    "/sys/class/net/eth1/speed": "25000\n", "/sys/class/net/eth1/mtu": "9000\n",
    "/proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme sse2\n",
}


def nfs(source: str, target: str, address: str = "10.0.2.9", device: str = "0:52", number: int = 60) -> str:
    return f"{number} 22 {device} / {target} rw,relatime shared:9 - nfs4 {source} {NFS_OPTIONS},addr={address}\n"


def systemd() -> dict[str, str]:
    return {"/run/systemd/system/": "", "/proc/1/comm": "systemd\n"}


def kernel(release: str, build: str = "#1 SMP PREEMPT_DYNAMIC Thu Jan 1 00:00:00 UTC 2026") -> dict[str, str]:
    return {
        "/proc/sys/kernel/osrelease": f"{release}\n",
        "/proc/version": f"Linux version {release} (builder@host) (gcc (Debian 12.2.0-14) 12.2.0, ld 2.40) {build}\n",
    }


def dpkg(*packages: tuple[str, str]) -> dict[str, str]:
    stanzas = (f"Package: {n}\nStatus: install ok installed\nPriority: optional\nVersion: {v}\n" for n, v in packages)
    return {"/var/lib/dpkg/status": "\n".join(stanzas)}


def distribution(text: str) -> dict[str, str]:
    return {"/etc/os-release": "-> ../usr/lib/os-release", "/usr/lib/os-release": text}


COMMON = {"/proc/meminfo": MEMORY, "/proc/self/mountinfo": ROOT_MOUNT, **CARDS}

RHEL8 = {
    **COMMON, **systemd(), **kernel("4.18.0-553.16.1.el8_10.x86_64"),
    **distribution('NAME="Red Hat Enterprise Linux"\nID="rhel"\nID_LIKE="fedora"\nVERSION_ID="8.10"\n'),
    "/installed-rpms": "nfs-utils-2.3.3-59.el8.x86_64                Thu Jan  1 00:00:00 2026\n"
                       "lvm2-2.03.14-14.el8_10.x86_64                Thu Jan  1 00:00:00 2026\n",
}
ROCKY9 = {
    **COMMON, **systemd(), **kernel("5.14.0-503.14.1.el9_5.x86_64"),
    **distribution('NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.5"\n'),
}
SLES15 = {
    **COMMON, **systemd(), **kernel("5.14.21-150500.55.83-default"),
    **distribution('NAME="SLES"\nID="sles"\nID_LIKE="suse"\nVERSION_ID="15.5"\n'),
    "/installed-rpms": "nfs-client-2.1.1-150500.22.3.1.x86_64        Thu Jan  1 00:00:00 2026\n",
}
DEBIAN12 = {
    **COMMON, **systemd(), **kernel("6.1.0-48-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.172-1 (2026-05-20)"),
    **distribution('NAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n'),
    **dpkg(("libc6", "2.36-9"), ("nfs-common", "1:2.6.2-4+deb12u1"), ("zlib1g", "1:1.2.13")),
}
UBUNTU2404 = {
    **COMMON, **systemd(), **kernel("6.8.0-49-generic", "#49-Ubuntu SMP PREEMPT_DYNAMIC Mon Nov  4 02:06:24 UTC 2024"),
    **distribution('PRETTY_NAME="Ubuntu 24.04.1 LTS"\nVERSION_ID="24.04"\nID=ubuntu\nID_LIKE=debian\n'),
    **dpkg(("nfs-common", "1:2.6.4-3ubuntu5.1")),
}
RHEL10 = {
    **COMMON, **systemd(), **kernel("6.12.0-55.9.1.el10_0.x86_64"),
    **distribution('NAME="Red Hat Enterprise Linux"\nID="rhel"\nVERSION_ID="10.0"\n'),
    "/installed-rpms": "nfs-utils-2.8.2-3.el10.x86_64                Thu Jan  1 00:00:00 2026\n",
}
SLES16 = {
    **COMMON, **systemd(), **kernel("6.12.0-160000.5-default"),
    **distribution('NAME="SLES"\nID="sles"\nID_LIKE="suse"\nVERSION_ID="16.0"\n'),
}
DEBIAN13 = {
    **COMMON, **systemd(), **kernel("6.12.48+deb13-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1 (2025-09-20)"),
    **distribution('NAME="Debian GNU/Linux"\nVERSION_ID="13"\nID=debian\n'),
    **dpkg(("nfs-common", "1:2.8.3-1")),
}
UBUNTU2604 = {
    **COMMON, **systemd(), **kernel("7.0.0-14-generic", "#14-Ubuntu SMP PREEMPT_DYNAMIC Mon Apr 13 2026"),
    **distribution('PRETTY_NAME="Ubuntu 26.04 LTS"\nVERSION_ID="26.04"\nID=ubuntu\nID_LIKE=debian\n'),
}
AMAZON2023 = {
    **COMMON, **systemd(), **kernel("6.1.119-129.201.amzn2023.x86_64", "#1 SMP PREEMPT_DYNAMIC Tue Dec  3 2024"),
    **distribution('NAME="Amazon Linux"\nVERSION_ID="2023"\nID="amzn"\nID_LIKE="fedora"\n'),
}
ALPINE = {
    **COMMON, **kernel("6.6.58-0-lts", "#1-Alpine SMP PREEMPT_DYNAMIC Tue Oct 22 2024"), "/proc/1/comm": "init\n",
    "/etc/os-release": 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.3\n',
    "/run/openrc/softlevel": "default\n",
}
EFS = {
    **DEBIAN12, "/proc/self/mountinfo": ROOT_MOUNT + nfs("fs-0123.efs.eu-west-1.amazonaws.com:/", "/mnt/efs"),
    "/sys/class/bdi/0:52/read_ahead_kb": "15360\n",
}
SERVER = {**ROCKY9, "/proc/net/rpc/nfsd": "rc 0 0 0\nth 8 0 0.000\n"}
CLUSTER_NODE = {
    **ROCKY9,
    "/var/lib/pacemaker/cib/cib.xml": (
        '<cib><configuration><crm_config><cluster_property_set id="o">'
        '<nvpair id="o-1" name="stonith-timeout" value="45s"/></cluster_property_set></crm_config><resources>'
        '<primitive id="fence" class="stonith" type="fence_ipmilan"><instance_attributes id="f">'
        '<nvpair id="f-1" name="passwd" value="hunter12"/>\n</instance_attributes></primitive>'
        '<clone id="d"><primitive id="drbd" class="ocf" provider="linbit" type="drbd"/></clone>'
        '<group id="nfs"><primitive id="server" class="ocf" provider="heartbeat" type="nfsserver"/></group>'
        "</resources></configuration></cib>"
    ),
}
"""The node that does not serve at the moment."""
DISKLESS = (
    f"22 1 0:30 / / rw - nfs 10.0.2.9:/roots/a {NFS_OPTIONS},addr=10.0.2.9\n"
    "23 22 0:21 / /proc rw - proc proc rw\n24 22 0:22 / /sys rw - sysfs sysfs rw\n"
    "25 22 0:23 / /run rw - tmpfs tmpfs rw\n"
)


def plant(folder: Path, files: dict[str, str]) -> str:
    """Write the files below `folder`; a path that ends with a slash is a folder."""
    for path, content in files.items():
        place = folder / path.lstrip("/")
        (place if path.endswith("/") else place.parent).mkdir(parents=True, exist_ok=True)
        if content.startswith("-> "):
            place.symlink_to(content[3:])
        elif not path.endswith("/"):
            place.write_bytes(content.encode("utf-8", "surrogateescape"))
    return str(folder)

"""Which NFS servers are mounted where: a sweep must not share their connections.

The kernel shares one connection, and one NFSv4 lease, among all mounts of a server in a network namespace
(nfs_match_client in fs/nfs/client.c): beside another mount `nconnect` has no effect, and the sweep would load the
connections of production. So it mounts in a separate network namespace, or in the host's if that server is not
mounted there. `/proc/PID/net/nfsfs/servers` lists the servers of the namespace of a process."""

from __future__ import annotations

import ipaddress

from advisor.engine.errors import word_list
from advisor.files.mountinfo import read as read_mountinfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from advisor.sweep.system import System

    Wanted = Callable[[str, str], bool]


class SweepRefused(Exception):
    """The sweep must not run here; `lines` say why and what to do."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def servers(system: System, process: str = "self") -> set[str] | None:
    """The addresses of NFS servers that are mounted in the network namespace of a process; None if the kernel does
    not list them."""
    try:
        text = system.text(f"/proc/{process}/net/nfsfs/servers")
    except OSError:
        return None
    addresses = set()
    for line in text.splitlines()[1:]:
        words = line.split()
        if len(words) >= 4:
            addresses.add(_address(words[1]))
    return addresses


def _address(digits: str) -> str:
    try:
        number = int(digits, 16)
    except ValueError:
        return digits
    return str(ipaddress.IPv6Address(number) if len(digits) > 8 else ipaddress.IPv4Address(number))


def server_mounts(system: System, addresses: Collection[str]) -> list[str]:
    """The mounts of a server, by any of its addresses, in this network namespace: "/data (192.0.2.1:/srv)". Empty
    where the kernel lists none."""
    listed = servers(system)
    if listed is None or not listed & set(addresses):
        return []
    own = system.linked("/proc/self/ns/net")
    mounts = _mounts(system, lambda address, network: address in addresses and network == own)
    return mounts or [f"a mount of {word_list(sorted(listed & set(addresses)))} that no process shows"]


def all_nfs_mounts(system: System) -> list[str]:
    """Every NFS mount of this host, in any namespace: settings of the whole kernel affect all of them."""
    networks = {system.linked(f"/proc/{process}/ns/net"): process for process in _processes(system)}
    if not any(servers(system, process) for process in networks.values()):
        return []
    return _mounts(system, lambda _address, _network: True) or ["an NFS mount that no process shows"]


def _processes(system: System) -> list[str]:
    return ["self", *(name for name in system.names("/proc") if name.isdecimal())]


def _mounts(system: System, wanted: Wanted) -> list[str]:
    mounts: dict[str, None] = {}
    seen = set()
    for process in _processes(system):
        namespaces = system.linked(f"/proc/{process}/ns/mnt"), system.linked(f"/proc/{process}/ns/net")
        if namespaces in seen:
            continue
        seen.add(namespaces)
        try:
            text = system.text(f"/proc/{process}/mountinfo")
        except OSError:
            continue
        for mount in read_mountinfo(text).mounts:
            if mount.fstype in ("nfs", "nfs4"):
                options = dict(word.partition("=")[::2] for word in mount.super_options.split(","))
                if wanted(options.get("addr", ""), namespaces[1]):
                    mounts[f"{mount.target} ({mount.source})"] = None
    return list(mounts)

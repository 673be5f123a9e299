"""The mounts of a host, in effect, as any host that mounts the same would list them."""

from __future__ import annotations

BDI = "/sys/class/bdi/"
NFS = ("nfs", "nfs4")
_PASSING = (
    "/run/user/", "/run/credentials/", "/run/netns/", "/run/docker/", "/run/containerd/", "/run/snapd/", "/snap/",
    "/var/lib/docker/", "/var/lib/containers/", "/var/lib/kubelet/", "/var/lib/containerd/",
)
"""Below these, file systems come and go with users and containers."""
_OF_MEMORY = ("tmpfs", "devtmpfs", "ramfs")
_VARYING = ("size=", "nr_inodes=", "nr_blocks=", "fd=", "pgrp=", "pipe_ino=", "clientaddr=")
"""Options whose values come from the size of memory, from processes, or from the host's own address."""


class SameMounts:
    """`text`: as /proc/self/mountinfo would list them, in the order of their targets; those of one target keep theirs.
    `servers`: addresses of the NFS servers. Below what a host serves any file system may matter: then all are kept."""

    def __init__(self, mountinfo: str, serves: bool) -> None:
        self.servers: list[str] = []
        self.devices: dict[str, str] = {}
        numbers: dict[str, int] = {}
        lines = []
        found = []
        for line in mountinfo.split("\n"):
            fields = line.split(" ")
            try:
                dash = fields.index("-", 6)
                fstype = fields[dash + 1]
            except (ValueError, IndexError):
                if line:
                    found.append(("", [line], 0))
                continue
            if fstype not in NFS and not serves and fields[4].startswith(_PASSING):
                continue
            found.append((fields[4], fields, dash))
        for _, fields, dash in sorted(found, key=lambda one: one[0]):
            lines.append(" ".join(self._line(fields, dash, numbers)) if dash else fields[0])
        self.text = "".join(f"{line}\n" for line in lines)

    def renamed(self, path: str) -> str:
        """The path of a device's file in /sys/class/bdi, by the number that it has here."""
        device, slash, rest = path[len(BDI) :].partition("/")
        return f"{BDI}{self.devices.get(device, device)}{slash}{rest}"

    def _line(self, fields: list[str], dash: int, numbers: dict[str, int]) -> list[str]:
        number, parent = (numbers.setdefault(one, len(numbers) + 1) for one in fields[:2])
        device = self.devices.setdefault(fields[2], f"{fields[2].partition(':')[0]}:{len(self.devices) + 1}")
        options = []
        for option in fields[dash + 3].split(",") if len(fields) > dash + 3 else ():
            name, equals, _ = option.partition("=")
            if f"{name}{equals}" in _VARYING:
                if name == "clientaddr":
                    options.append("clientaddr=192.0.2.1")
                continue
            if name == "addr" and equals:
                self.servers.append(option[5:])
            options.append(option)
        tags = [tag.partition(":")[0] + ":1" for tag in fields[6:dash]]
        columns = [str(number), str(parent), device, *fields[3:6], *tags, *fields[dash : dash + 3]]
        return [*columns, ",".join(options), *fields[dash + 4 :]]

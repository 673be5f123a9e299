"""Where a sweep mounts: in its own namespaces, and never beside another mount of the server.

The kernel shares one connection, and one NFSv4 lease, among all mounts of a server in a network namespace
(nfs_match_client in fs/nfs/client.c): beside another mount `nconnect` has no effect, and the sweep would load the
connections of production. So it mounts in a separate network namespace, or in the host's if that server is not
mounted there. `/proc/PID/net/nfsfs/servers` lists the servers of the namespace of a process."""

from __future__ import annotations

import contextlib
import ipaddress
import secrets
from collections.abc import Callable, Collection

from advisor.engine import word_list
from advisor.files.mountinfo import MountInfo
from advisor.files.mountinfo import read as read_mountinfo
from advisor.sweep.model import OwnNamespace
from advisor.sweep.system import Done, Journal, JournalStep, System, TooSlow

Wanted = Callable[[str, str], bool]
Condition = Callable[[], bool]

PROGRAMS = ("unshare", "nsenter", "modprobe", "mount.nfs", "umount", "mkdir", "rm", "rmdir", "stat", "cat", "tee")
OWN_PROGRAMS = ("ip", "mount")
"""What a separate network namespace needs besides."""
MOUNT_POINT = "/run/nfs-advisor-sweep"
"""In the sweep's own mount namespace."""
IDENTIFIER = "/sys/fs/nfs/net/nfs_client/identifier"
"""Of the network namespace in which sysfs was mounted; since Linux 5.3."""
LINK_STEP = "link"
"""A network interface, here or in the namespace, with which it goes."""
PLACE_STEP = "place"
"""The folder of the mount point."""
QUICK = 10.0
"""Seconds for a command that does not wait for the server."""
_MOUNT_SECONDS = 60.0
_IDLE_SECONDS = 120.0
_POLL_SECONDS = 0.1


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
            if mount.is_nfs and wanted(mount.address, namespaces[1]):
                mounts[f"{mount.target} ({mount.source})"] = None
    return list(mounts)


class MountFailed(Exception):
    """The export was not mounted with these options; the text says why. Nothing stays mounted."""


class NoAnswer(MountFailed):
    """The server did not answer in time."""


class Stuck(Exception):
    """The server does not answer any more; the text says to what."""


class Bench:
    """One export on one server: `source` as mount takes it, `address` as a number, because names are not resolved in a
    separate namespace. `own`: how that reaches the server; None: the host's network namespace."""

    def __init__(self, system: System, journal: Journal, address: str, source: str, own: OwnNamespace | None) -> None:
        self._system = system
        self._journal = journal
        self._address = address
        self._source = source
        self._own = own
        self._link: JournalStep | None = None
        self._holder = ""
        self._enter: tuple[str, ...] = ()
        self.name = f"advisor-{secrets.token_hex(8)}"
        """Of this NFSv4 client in a separate namespace."""

    def open(self) -> None:
        """Build the namespaces. Raises SweepRefused."""
        system = self._system
        self._check_requirements()
        system.run("modprobe", "-a", "nfs", "nfsv3", "nfsv4", within=QUICK)
        if servers(system) is None:
            raise SweepRefused(
                "the kernel does not list its NFS servers (/proc/fs/nfsfs/servers); has it an NFS client?"
            )
        if self._own is None:
            self._refuse_server_mounts()
        step = JournalStep(PLACE_STEP, MOUNT_POINT)
        self._journal.begin(step)
        made = system.run("mkdir", "-p", MOUNT_POINT, within=QUICK)
        if made.code:
            raise SweepRefused(f"{MOUNT_POINT} cannot be created: {made.message}")
        flags = ("--mount",) if self._own is None else ("--mount", "--net", "--uts")
        # A file system that the host unmounts goes from here too; what is mounted here is not visible there.
        self._holder = str(system.hold("unshare", *flags, "--propagation", "slave", "cat"))
        self._enter = ("nsenter", "--target", self._holder, *flags, "--")
        self._wait(lambda: self._holder_command() == "cat", 10, "unshare did not make the namespaces")
        if self._own is not None:
            self._connect(self._own)
            self._identify()

    def close(self) -> None:
        """Remove the link and the namespaces."""
        if self._holder:
            with contextlib.suppress(OSError, Stuck, SweepRefused, TooSlow):
                self.unmount()  # while the server can be reached: the kernel would wait for it
        if self._link is not None:
            self._disconnect(self._link)
        if self._holder:
            self._system.release()
            self._holder = ""
        step = JournalStep(PLACE_STEP, MOUNT_POINT)
        if step in self._journal.pending():
            self._system.run("rmdir", "--ignore-fail-on-non-empty", MOUNT_POINT, within=QUICK)
            self._journal.undone(step)

    def run(self, *command: str, within: float, feed: str = "") -> Done:
        """Run a command in the namespaces. Raises TooSlow."""
        try:
            return self._system.run(*self._enter, *command, within=within, feed=feed)
        except TooSlow:
            raise TooSlow(command, within) from None

    def mount(self, options: str) -> MountInfo:
        """Mount the export. Raises MountFailed; SweepRefused where the host has mounted the server meanwhile."""
        if self._address in (servers(self._system, self._holder) or ()):
            self._refuse_server_mounts()
            raise SweepRefused(f"the kernel still uses {self._address} from an earlier mount")
        try:
            done = self.run("mount.nfs", self._source, MOUNT_POINT, "-o", f"{options},retry=0", within=_MOUNT_SECONDS)
        except TooSlow as error:
            self.abandon()
            raise NoAnswer(f"the server did not answer within {error.seconds:g} s") from None
        if done.code:
            raise MountFailed(done.message.removeprefix("mount.nfs: "))
        mounted = self.mounted()
        if mounted is None:
            raise MountFailed("mount.nfs succeeded, but the kernel does not list the mount")
        if self._address not in (servers(self._system, self._holder) or ()):
            # NFSv4.1 finds that two addresses are one server, and uses the existing connection.
            self.unmount()
            raise SweepRefused(
                f"{self._source} shares the connection of a mount from another address of the same server",
                "unmount that one, or let the plan use a separate network namespace",
            )
        return mounted

    def mounted(self) -> MountInfo | None:
        """The mount as the kernel lists it."""
        text = self._system.text(f"/proc/{self._holder}/mountinfo")
        return next((mount for mount in read_mountinfo(text).mounts if mount.target == MOUNT_POINT), None)

    def counters(self) -> str:
        return self._system.text(f"/proc/{self._holder}/mountstats")

    def unmount(self) -> None:
        """Unmount, and wait until the kernel has left the server. Raises Stuck, or SweepRefused where it does not."""
        if self.mounted() is not None:
            try:
                done = self.run("umount", MOUNT_POINT, within=_MOUNT_SECONDS)
            except TooSlow:
                self.abandon()
                raise Stuck("the unmount did not end") from None
            if done.code:
                self.abandon()
        self._wait(
            lambda: self._address not in (servers(self._system, self._holder) or ()), _IDLE_SECONDS,
            f"{self._address} is still in use {_IDLE_SECONDS:g} s after the unmount",
        )

    def abandon(self) -> None:
        """Make all requests fail, and detach the mount: the kernel removes it when nothing uses it."""
        for flags in ("-f", "-l"):
            if self.mounted() is None:
                return
            try:
                self.run("umount", "-i", "-c", flags, MOUNT_POINT, within=QUICK)
            except TooSlow:
                continue

    def _check_requirements(self) -> None:
        """Raises SweepRefused if a program is missing."""
        wanted = (*PROGRAMS, *(OWN_PROGRAMS if self._own else ()))
        missing = [program for program in wanted if not self._system.has(program)]
        if missing:
            raise SweepRefused(
                f"not installed: {', '.join(missing)}",
                "they are in the packages util-linux, coreutils, kmod, iproute2, and nfs-utils or nfs-common",
            )

    def _refuse_server_mounts(self) -> None:
        others = server_mounts(self._system, [self._address])
        if others:
            raise SweepRefused(
                f"{', '.join(others)}: mounted from the same server, whose connections the sweep would share",
                "unmount it, or let the plan use a separate network namespace",
            )

    def _connect(self, own: OwnNamespace) -> None:
        """Give the namespace its link. Raises SweepRefused."""
        address = own.address.partition("/")[0]
        # An address that answers belongs to another machine, which would lose its connections.
        if self._system.has("ping") and not self._system.run("ping", "-c", "1", "-W", "1", address, within=QUICK).code:
            raise SweepRefused(f"{address} answers already", "give the plan an address that no machine has (isolation)")
        name = f"adv{secrets.token_hex(4)}"
        inner = f"{name}n" if own.link == "veth" else name
        self._link = JournalStep(LINK_STEP, name)
        self._journal.begin(self._link)
        if own.link == "veth":
            size = self._system.text(f"/sys/class/net/{own.parent}/mtu").strip()
            self._ip("link", "add", name, "mtu", size, "type", "veth", "peer", "name", inner, "mtu", size)
            self._ip("link", "set", name, "master", own.parent, "up")
        else:
            mode = "l2" if own.link == "ipvlan" else "bridge"
            self._ip("link", "add", "link", own.parent, "name", inner, "type", own.link, "mode", mode)
        self._ip("link", "set", inner, "netns", self._holder)
        self._ip("link", "set", "lo", "up", inside=True)
        self._ip("address", "add", own.address, "dev", inner, inside=True)
        self._ip("link", "set", inner, "up", inside=True)
        if own.gateway:
            self._ip("route", "add", "default", "via", own.gateway, inside=True)
        self._wait(lambda: self._is_up(inner), 10, f"the link on {own.parent} does not come up")

    def _disconnect(self, step: JournalStep) -> None:
        """Delete the link at once: a namespace in which the kernel still tries to connect stays for minutes."""
        with contextlib.suppress(TooSlow):
            if step.what in self._system.names("/sys/class/net"):
                self._system.run("ip", "link", "del", step.what, within=QUICK)
            elif self._holder:
                self.run("ip", "link", "del", step.what, within=QUICK)
        self._journal.undone(step)
        self._link = None

    def _is_up(self, link: str) -> bool:
        output = self.run("ip", "-oneline", "link", "show", "dev", link, within=QUICK).out
        own = self.run("ip", "-oneline", "address", "show", "dev", link, within=QUICK).out
        return "LOWER_UP" in output and "tentative" not in own  # an IPv6 address is checked for duplicates first

    def _ip(self, *words: str, inside: bool = False) -> None:
        run = self.run if inside else self._system.run
        done = run("ip", *words, within=QUICK)
        if done.code:
            raise SweepRefused(f"the network namespace cannot be connected: ip {' '.join(words)}: {done.message}")

    def _identify(self) -> None:
        """Give the NFSv4 client of the namespace a name of its own, and read it back. Raises SweepRefused."""
        host = self._system.text("/proc/sys/kernel/hostname").strip()
        self.run("mount", "-t", "sysfs", "sysfs", "/sys", within=QUICK)  # the host's shows the host's network namespace
        self.run("tee", "/proc/sys/kernel/hostname", within=QUICK, feed=self.name)
        named = self.run("cat", "/proc/sys/kernel/hostname", within=QUICK).out.strip()
        shown = self.run("cat", IDENTIFIER, within=QUICK)
        if not shown.code:
            self.run("tee", IDENTIFIER, within=QUICK, feed=self.name)
            shown = self.run("cat", IDENTIFIER, within=QUICK)
        own = shown.code != 0 or shown.out.strip() == self.name
        if named != self.name or named == host or not own:
            raise SweepRefused(
                "the namespace did not get its own NFSv4 identity, so a mount in it would take the lease of this "
                "host's mounts, and their locks",
                f"{IDENTIFIER} or the name of the UTS namespace could not be set",
            )

    def _holder_command(self) -> str:
        try:
            return self._system.text(f"/proc/{self._holder}/comm").strip()
        except OSError:
            return ""

    def _wait(self, until: Condition, seconds: float, otherwise: str) -> None:
        end = self._system.now() + seconds
        while not until():
            if self._system.now() > end:
                raise SweepRefused(otherwise)
            self._system.sleep(_POLL_SECONDS)

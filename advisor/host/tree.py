"""Reading a host's files: bounded, below one root, and never from a file system whose server may be dead."""

from __future__ import annotations

import os
from typing import NamedTuple

from advisor.host.layouts import Lies, fits
from advisor.host.store import Disk, Kept, Unread
from advisor.readers.mountinfo import MountInfo, mount_of, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from advisor.rulebase.model import Layout

__all__ = ["FileRead", "Missing", "NotCollected", "Tree", "Unread"]

MAX_BYTES = 1 << 22
MAX_LINKS = 40
MOUNTINFO = "/proc/self/mountinfo"

ALLOWED = ("/proc", "/sys", "/etc", "/lib", "/usr/lib", "/usr/local/lib", "/run", "/var/lib/dpkg", "/var/lib/rpm",
           "/var/lib/nfs", "/var/lib/pacemaker/cib", "/var/log", "/usr/bin/rpm", "/installed-rpms", "/ip-addr",
           "/ss", "/logs", "/cluster-scoped-resources")
"""Nothing else is read, but for the places that a layout names. The last five are of copies: a list of packages, what
`ip addr`, `ss` and commands for logs printed, objects of a cluster."""

LOCAL = frozenset((
    "proc", "sysfs", "tmpfs", "ramfs", "rootfs", "devtmpfs", "nfsd", "rpc_pipefs", "securityfs", "cgroup", "cgroup2",
    "configfs", "debugfs", "tracefs", "bpf", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "reiserfs", "zfs",
    "bcachefs", "overlay", "aufs", "squashfs", "erofs", "cramfs", "iso9660", "vfat", "ubifs",
))
"""File systems that answer without a network. Whatever is not here is left alone: a list of network file systems
would never be complete, and one that was forgotten could hang the program."""


class NotCollected(Unread):
    """A copy of a host does not hold this path, from which nothing follows."""


class Missing(Unread):
    """There is nothing at `at`, a step on the way to the path."""

    def __init__(self, text: str, at: str) -> None:
        super().__init__(text)
        self.at = at


class FileRead(NamedTuple):
    """The text of a path, and how people find where it stands."""

    text: str
    where: str


class Tree:
    """The files below `root`. `mounts` are those of the host that the files are of.

    Where root is "/", every path is looked up in them first, and one that lies on a network or automounted file system
    is refused. A copy of another host's files is read as it stands: the person who named it chose where it lies.
    `layouts`: of the tools that make copies. `store`: what was kept of an archive, which `root` then names for people.

    In a copy a path may be there, may certainly not exist on the host, or may just not have been collected."""

    def __init__(
        self, root: str = "/", guarded: bool | None = None, layouts: Sequence[Layout] = (), store: Kept | None = None
    ) -> None:
        self.root = os.path.abspath(root)  # noqa: PTH100  pathlib costs 15 ms at import
        self.live = self.root == "/" and store is None
        self.runs = self.live
        """Whether the host's programs can be asked, or were."""
        self.store: Disk | Kept = store or Disk(self.root)
        self.lies = Lies(self.store, () if self.live else layouts)
        self.guarded = False
        self.mounts: tuple[MountInfo, ...] = ()
        self.unmounted = ""
        """Why the mounts are not known; "" where they are."""
        self.denied: dict[str, None] = {}
        """Paths that only others, such as root, may read."""
        self._kept: dict[str, FileRead] = {}
        self._safe: set[str] = set()
        try:  # on this host no step on the way there can be mounted elsewhere: the list of mounts is the kernel's own
            text = self._content(MOUNTINFO, MOUNTINFO, 1 << 24) if self.live else self.read(MOUNTINFO, 1 << 24).text
            self.mounts = read(text).mounts
        except Unread as error:
            self.unmounted = str(error)
        self.guarded = self.live if guarded is None else guarded

    def text(self, path: str, limit: int = MAX_BYTES) -> str:
        """The content of an absolute path of the host, at most `limit` bytes. Raises Unread."""
        return self.read(path, limit).text

    def read(self, path: str, limit: int = MAX_BYTES) -> FileRead:
        """The content of an absolute path of the host, and where it was read. Raises Unread, and NotCollected."""
        if path not in self._kept:
            self._kept[path] = self._own(path, limit)
        return self._kept[path]

    def exists(self, path: str) -> bool:
        """Whether there is something at an absolute path of the host. Raises Unread where that cannot be told, and
        NotCollected where a copy does not hold it and does not say that the host has none."""
        try:
            self._resolved(path)
        except Missing as missing:
            if self._elsewhere(path, MAX_BYTES) is not None:
                return True
            if self._absent(path, missing.at):
                return False
            raise self._not_collected(path) from missing
        return True

    def names(self, folder: str) -> list[str]:
        """The names in a folder of the host, sorted; none if the folder does not exist. Raises as `exists` does."""
        try:
            return self.store.names(self._resolved(folder))
        except Missing as missing:
            if self._absent(folder, missing.at):
                return []
            raise self._not_collected(folder) from missing
        except OSError as error:
            raise self._unread(folder, error) from error

    def real(self, path: str) -> str:
        """The path without links of what the host sees at `path`. Raises Unread."""
        return self._resolved(path)

    def program(self, words: str, ask: Callable[[], str]) -> str:
        """What a program of the host prints. `words`: of its command line; `ask` runs it, and raises Unread."""
        if not self.runs:
            raise NotCollected(f"what {words} prints was not collected")
        return ask()

    def masked(self, path: str) -> bool:
        """Whether a path is a link to /dev/null, by which a file of that name is switched off. Raises Unread."""
        folder, _, name = path.rpartition("/")
        try:
            return self.store.link(f"{self._resolved(folder)}/{name}") == "/dev/null"
        except (Missing, FileNotFoundError):
            return False
        except OSError as error:
            raise self._unread(path, error) from error

    def _own(self, path: str, limit: int) -> FileRead:
        try:
            place = self._resolved(path)
            return FileRead(self._content(place, path, limit), self.store.where(place, path))
        except Missing as missing:
            found = self._elsewhere(path, limit)
            if found is not None:
                return found
            if self._absent(path, missing.at):
                raise
            raise self._not_collected(path) from missing

    def _elsewhere(self, path: str, limit: int) -> FileRead | None:
        """What stands for a path in another place of the archive."""
        for place, content in self.lies.elsewhere(path):
            try:
                real = self._resolved(place)
                text = content(self._content(real, place, max(limit, 1 << 24)))
            except Unread:
                continue
            if text:
                return FileRead(text, self.store.where(real, real.lstrip("/")))
        return None

    def _absent(self, path: str, step: str) -> bool:
        """Whether the host certainly has nothing at a path whose `step` is not in the copy."""
        if self.live or (isinstance(self.store, Kept) and path in self.store.absent):
            return True
        folder = step.rpartition("/")[0]
        if self.lies.layout is not None:  # what it collects, and nothing else, can be missing
            return fits(folder, self.lies.layout.whole)
        try:  # a folder with nothing in it may be where something was mounted that was not copied
            return bool(folder and self.store.names(folder))
        except OSError:
            return False

    def _not_collected(self, path: str) -> NotCollected:
        layout = self.lies.layout
        if layout is not None and fits(path, layout.never):
            return NotCollected(f"{path} is not known: {layout.title} never holds it")
        return NotCollected(f"{path} was not collected")

    def refuse(self, path: str) -> None:
        """Raises Unread where an absolute, normalised path must not be touched."""
        if path in self._safe:
            return
        if not (fits(path, ALLOWED) or fits(path, self.lies.tops) or _above(path)):
            raise Unread(f"{path} is outside of what is read")
        if self.guarded:
            self._look_up(path)
        self._safe.add(path)

    def _look_up(self, path: str) -> None:
        if self.unmounted:
            raise Unread(f"the mounts are not known ({self.unmounted}), so nothing else was read")
        mount = mount_of(path, self.mounts)
        if mount is None:
            raise Unread(f"{path}: the list of mounts does not show which file system it is on, so it was not read")
        remote = self._remote(mount)
        if remote is not None:
            on = "" if remote.target == "/" else f" at {remote.target}"
            raise Unread(f"{path} lies on {remote.fstype}{on} and was not read: a dead server would hang advisor")

    def _remote(self, mount: MountInfo) -> MountInfo | None:
        """The mount that a look into this one would have to wait for, if any."""
        if mount.fstype not in LOCAL:
            return mount
        if mount.fstype not in ("overlay", "aufs"):
            return None
        for option in mount.super_options.split(","):
            name, _, value = option.partition("=")
            for layer in value.split(":") if name.startswith(("lowerdir", "upperdir", "br")) else ():
                # Layers named from another mount namespace are not found; then the overlay itself stands for them.
                under = mount_of(os.path.normpath(layer), self.mounts) if layer.startswith("/") else None
                if under is not None and under is not mount and under.fstype not in (*LOCAL, "overlay"):
                    return under
        return None

    def _resolved(self, path: str) -> str:
        """The path below the root of what the host sees at `path`, by following links below the root only.

        The guard is asked before every single step, so that no link leads onto a file system that was not looked up."""
        waiting = [part for part in reversed(path.split("/")) if part not in ("", ".")]
        at, links = "", 0
        while waiting:
            part = waiting.pop()
            if part == "..":
                at = at.rpartition("/")[0]
                continue
            step = f"{at}/{part}"
            self.refuse(step)
            try:
                target = self.store.link(step)
            except (FileNotFoundError, NotADirectoryError) as error:
                raise Missing(f"{path} does not exist", step) from error
            except (OSError, ValueError) as error:
                raise self._unread(path, error) from error
            if target is None:
                at = step
                continue
            links += 1
            if links > MAX_LINKS:
                raise Unread(f"{path}: too many symbolic links")
            if target.startswith("/"):
                at = ""
            waiting += [part for part in reversed(target.split("/")) if part not in ("", ".")]
        return at or "/"

    def _content(self, place: str, path: str, limit: int) -> str:
        """The text of the file at `place`, shown to people as `path`."""
        try:
            return self.store.content(place, path, limit).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, NotADirectoryError) as error:
            raise Missing(f"{path} does not exist", place) from error
        except OSError as error:
            raise self._unread(path, error) from error

    def _unread(self, path: str, error: Exception) -> Unread:
        if isinstance(error, PermissionError):
            self.denied[path] = None
            return Unread(f"{path} is not readable")
        return Unread(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})")


def _above(path: str) -> bool:
    """Whether a path is on the way to something that may be read."""
    return any(one.startswith(path + "/") for one in ALLOWED)

"""Reading a host's files: bounded, below one root, and never from a file system whose server may be dead."""

from __future__ import annotations

import os
import stat

from advisor.readers.mountinfo import Mount, mount_of, read

MAX_BYTES = 1 << 22
MAX_LINKS = 40
MOUNTINFO = "/proc/self/mountinfo"

ALLOWED = ("/proc", "/sys", "/etc", "/usr/lib", "/run", "/var/lib/dpkg", "/var/lib/rpm", "/usr/bin/rpm",
           "/installed-rpms", "/sos_commands/rpm")
"""Nothing else is read. The last two are where a sosreport keeps its list of packages."""

LOCAL = frozenset((
    "proc", "sysfs", "tmpfs", "ramfs", "rootfs", "devtmpfs", "nfsd", "rpc_pipefs", "securityfs", "cgroup", "cgroup2",
    "configfs", "debugfs", "tracefs", "bpf", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "reiserfs", "zfs",
    "bcachefs", "overlay", "aufs", "squashfs", "erofs", "cramfs", "iso9660", "vfat", "ubifs",
))
"""File systems that answer without a network. Whatever is not here is left alone: a list of network file systems
would never be complete, and one that was forgotten could hang the program."""


class Unread(Exception):
    """A path was not read; the text says why."""


class Tree:
    """The files below `root`. `mounts` are those of the host that the files are of.

    Where root is "/", every path is looked up in them first, and one that lies on a network or automounted file system
    is refused. A copy of another host's files is read as it stands: the person who named it chose where it lies."""

    def __init__(self, root: str = "/", guarded: bool | None = None) -> None:
        self.root = os.path.abspath(root)  # noqa: PTH100  pathlib costs 15 ms at import
        self.live = self.root == "/"
        self.guarded = False
        self.mounts: tuple[Mount, ...] = ()
        self.unmounted = ""
        """Why the mounts are not known; "" where they are."""
        self._kept: dict[str, str] = {}
        self._safe: set[str] = set()
        try:  # on this host no step on the way there can be mounted elsewhere: the list of mounts is the kernel's own
            place = MOUNTINFO if self.live else self._resolved(MOUNTINFO)
            self.mounts = read(_content(place, MOUNTINFO, 1 << 24)).mounts
        except Unread as error:
            self.unmounted = str(error)
        self.guarded = self.live if guarded is None else guarded

    def text(self, path: str, limit: int = MAX_BYTES) -> str:
        """The content of an absolute path of the host, at most `limit` bytes. Raises Unread."""
        if path not in self._kept:
            self._kept[path] = _content(self._resolved(path), path, limit)
        return self._kept[path]

    def exists(self, path: str) -> bool:
        """Whether there is something at an absolute path of the host. Raises Unread where that cannot be told."""
        try:
            self._resolved(path)
        except Unread as error:
            if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)):
                return False
            raise
        return True

    def refuse(self, path: str) -> None:
        """Raises Unread where an absolute, normalised path must not be touched."""
        if path in self._safe:
            return
        if not any(path == one or path.startswith(one + "/") or one.startswith(path + "/") for one in ALLOWED):
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

    def _remote(self, mount: Mount) -> Mount | None:
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

    def _place(self, path: str) -> str:
        return path if self.live else self.root.rstrip("/") + path

    def _resolved(self, path: str) -> str:
        """The real path of the file that the host sees at `path`, by following links below the root only.

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
                place = self._place(step)
                mode = os.lstat(place).st_mode
                target = os.readlink(place) if stat.S_ISLNK(mode) else None  # noqa: PTH115
            except (OSError, ValueError) as error:
                raise Unread(f"{path} {_trouble(error)}") from error
            if target is None:
                at = step
                continue
            links += 1
            if links > MAX_LINKS:
                raise Unread(f"{path}: too many symbolic links")
            if target.startswith("/"):
                at = ""
            waiting += [part for part in reversed(target.split("/")) if part not in ("", ".")]
        return self._place(at or "/")


def _content(place: str, path: str, limit: int) -> str:
    """The text of the file at `place`, shown to people as `path`."""
    try:
        # A FIFO would make open() wait for a writer; nothing but ordinary files holds facts.
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unread(f"{path} is not an ordinary file")
            pieces, size = [], 0
            while size <= limit and (piece := os.read(handle, min(1 << 20, limit + 1 - size))):
                pieces.append(piece)
                size += len(piece)
        finally:
            os.close(handle)
    except OSError as error:
        raise Unread(f"{path} {_trouble(error)}") from error
    if size > limit:
        raise Unread(f"{path} is larger than {limit} bytes")
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def _trouble(error: Exception) -> str:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return "does not exist"
    if isinstance(error, PermissionError):
        return "is not readable"
    return f"cannot be read ({getattr(error, 'strerror', None) or error})"

"""Reading a host's files: bounded, below one root, and never from a file system whose server may be dead. In a copy a
path is at the same place, or where the tool that made the copy puts it (kb/layouts.yaml)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Union

from advisor.files.mountinfo import MountInfo, mount_of, read
from advisor.files.patterns import name_matches
from advisor.rulebase.model import Held, Layout

MAX_BYTES = 1 << 22
MAX_LINKS = 40
MOUNTINFO = "/proc/self/mountinfo"

_EVERY_HOST_HAS = ("/etc/passwd", "/etc/group", "/etc/nsswitch.conf")
"""What a copy without them has left out."""
ALLOWED = ("/proc", "/sys", "/etc", "/lib", "/usr/lib", "/usr/local/lib", "/run", "/var/lib/dpkg", "/var/lib/rpm",
           "/var/lib/nfs", "/var/lib/nfs-advisor/probes", "/var/lib/pacemaker/cib", "/var/log", "/usr/bin/rpm",
           "/installed-rpms", "/ip-addr", "/ss", "/logs", "/unit-files", "/cluster-scoped-resources")
"""Nothing else is read, except for the places that a layout names. The last six are of copies: a list of packages,
the output of `ip addr`, `ss`, commands for logs and `systemctl list-unit-files`, objects of a cluster."""

LOCAL = frozenset((
    "proc", "sysfs", "tmpfs", "ramfs", "rootfs", "devtmpfs", "nfsd", "rpc_pipefs", "securityfs", "cgroup", "cgroup2",
    "configfs", "debugfs", "tracefs", "bpf", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "jfs", "reiserfs", "zfs",
    "bcachefs", "overlay", "aufs", "squashfs", "erofs", "cramfs", "iso9660", "vfat", "ubifs",
))
"""File systems that answer without a network. No other is touched: a list of network file systems would never be
complete, and one that is missing could hang the program."""


class Unread(Exception):
    """A path was not read; the text says why."""


class NotCollected(Unread):
    """A copy of a host does not contain this path; the host may have it."""


class MissingPath(Unread):
    """A path does not exist: there is nothing at `at`, a step on the way to it."""

    def __init__(self, text: str, at: str) -> None:
        super().__init__(text)
        self.at = at


class FileRead(NamedTuple):
    """The text of a path, and how people find it."""

    text: str
    where: str


class Link(NamedTuple):
    target: str


class ShownFile(NamedTuple):
    """Content that is a part of a larger file. `where`: how people find it there."""

    content: bytes
    where: str


class LargeFile(NamedTuple):
    """A file that was not kept because of its size, in bytes."""

    size: int


Entry = Union[bytes, Link, ShownFile, LargeFile, None]
"""None is a folder."""


class Disk:
    """A folder. Paths are absolute, and links are never followed."""

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/")

    def link(self, path: str) -> str | None:
        """The target of a link; None if it is not a link. OSError if it does not exist."""
        place = self.root + path
        return os.readlink(place) if stat.S_ISLNK(os.lstat(place).st_mode) else None  # noqa: PTH115

    def names(self, path: str) -> list[str]:
        """What is in a folder, sorted. OSError if it is none."""
        return sorted(os.listdir(self.root + path))  # noqa: PTH208

    def content(self, path: str, shown: str, limit: int) -> bytes:
        """At most `limit` bytes of an ordinary file, called `shown` for people. OSError and Unread."""
        # A FIFO would make open() wait for a writer; nothing but ordinary files holds facts.
        handle = os.open(self.root + path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unread(f"{shown} is not an ordinary file")
            pieces, size = [], 0
            while size <= limit and (piece := os.read(handle, min(1 << 20, limit + 1 - size))):
                pieces.append(piece)
                size += len(piece)
        finally:
            os.close(handle)
        if size > limit:
            raise Unread(f"{shown} is larger than {limit} bytes")
        return b"".join(pieces)

    def where(self, _path: str, shown: str) -> str:
        """How people find what is at a path that is called `shown`."""
        return shown


class FilesInMemory:
    """Files in memory: absolute path → content. The folders above them are there too.

    `absent`: paths of which the archive says that the host does not have them."""

    def __init__(self, entries: Mapping[str, Entry], absent: frozenset[str] = frozenset()) -> None:
        self.entries = entries
        self.absent = absent
        self.folders: dict[str, set[str]] = {"": set()}
        for path, entry in entries.items():
            at = path
            while at:
                above, _, name = at.rpartition("/")
                known = above in self.folders
                self.folders.setdefault(above, set()).add(name)
                if known:
                    break
                at = above
            if entry is None:
                self.folders.setdefault(path, set())

    def link(self, path: str) -> str | None:
        entry = self.entries.get(path)
        if entry is None and path not in self.folders:
            raise FileNotFoundError(path)
        return entry.target if isinstance(entry, Link) else None

    def names(self, path: str) -> list[str]:
        if path.rstrip("/") not in self.folders:
            raise NotADirectoryError(path) if path in self.entries else FileNotFoundError(path)
        return sorted(self.folders[path.rstrip("/")])

    def content(self, path: str, shown: str, limit: int) -> bytes:
        entry = self.entries.get(path)
        content = entry.content if isinstance(entry, ShownFile) else entry
        if isinstance(content, LargeFile):
            raise Unread(f"{shown} is too large to be read from the archive ({content.size} bytes)")
        if not isinstance(content, bytes):
            raise Unread(f"{shown} is not an ordinary file")
        if len(content) > limit:
            raise Unread(f"{shown} is larger than {limit} bytes")
        return content

    def where(self, path: str, shown: str) -> str:
        entry = self.entries.get(path)
        return entry.where if isinstance(entry, ShownFile) else shown


class Tree:
    """The files below `root`. `mounts` are those of the host that the files are of.

    Where root is "/", every path is looked up in them first, and one that is on a network or automounted file system
    is refused. A copy of another host's files is read unguarded: the person who named it chose its place.
    `layouts`: of the tools that make copies. `store`: what was kept of an archive, which `root` then names for people.

    In a copy a path may exist, may certainly not exist on the host, or may just not have been collected."""

    def __init__(
        self, root: str = "/", guarded: bool | None = None, layouts: Sequence[Layout] = (),
        store: FilesInMemory | None = None,
    ) -> None:
        self.root = os.path.abspath(root)  # noqa: PTH100  pathlib costs 15 ms at import
        self.live = self.root == "/" and store is None
        self.runs = self.live
        """Whether the host's programs can be asked, or were."""
        self.store: Disk | FilesInMemory = store or Disk(self.root)
        self.copy = CopyLayout(self.store.names, () if self.live else layouts)
        self.guarded = False
        self.mounts: tuple[MountInfo, ...] = ()
        self.unmounted = ""
        """Why the mounts are not known; "" if they are known."""
        self.looked_for: set[str] = set()
        """Paths outside of ALLOWED of which it is looked whether they are there."""
        self.denied: dict[str, None] = {}
        """Paths that this user may not read."""
        self._kept: dict[str, FileRead] = {}
        self._safe: set[str] = set()
        try:  # on this host no step on the way there can be mounted elsewhere: the list of mounts is the kernel's own
            text = self._content(MOUNTINFO, MOUNTINFO, 1 << 24) if self.live else self.read(MOUNTINFO, 1 << 24).text
            self.mounts = read(text).mounts
        except Unread as error:
            self.unmounted = str(error)
        self.guarded = self.live if guarded is None else guarded

    @property
    def layout(self) -> Layout | None:
        """Of a copy that a support tool wrote; None for this host and a plain copy."""
        return self.copy.layout

    def text(self, path: str, limit: int = MAX_BYTES) -> str:
        """The content of an absolute path of the host, at most `limit` bytes. Raises Unread."""
        return self.read(path, limit).text

    def optional_text(self, path: str) -> str:
        """The content of an absolute path of the host; "" if it cannot be read."""
        try:
            return self.text(path)
        except Unread:
            return ""

    def read(self, path: str, limit: int = MAX_BYTES) -> FileRead:
        """The content of an absolute path of the host, and where it was read. Raises Unread, and NotCollected."""
        if path not in self._kept:
            self._kept[path] = self._read(path, limit)
        return self._kept[path]

    def exists(self, path: str) -> bool:
        """Whether an absolute path exists on the host. Raises Unread if that is not known, and NotCollected where
        a copy does not hold it and does not say that the host has none."""
        try:
            self._resolved(path)
        except MissingPath as missing:
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
        except MissingPath as missing:
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
        """Whether a path is a link to /dev/null, which turns off the file of that name. Raises Unread."""
        folder, _, name = path.rpartition("/")
        try:
            return self.store.link(f"{self._resolved(folder)}/{name}") == "/dev/null"
        except (MissingPath, FileNotFoundError):
            return False
        except OSError as error:
            raise self._unread(path, error) from error

    def _read(self, path: str, limit: int) -> FileRead:
        try:
            place = self._resolved(path)
            return FileRead(self._content(place, path, limit), self.store.where(place, path))
        except MissingPath as missing:
            file = self._elsewhere(path, limit)
            if file is not None:
                return file
            if self._absent(path, missing.at):
                raise
            raise self._not_collected(path) from missing

    def _elsewhere(self, path: str, limit: int) -> FileRead | None:
        """The content of a path that a copy has in another place."""
        for place, content in self.copy.elsewhere(path):
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
        if self.live or (isinstance(self.store, FilesInMemory) and path in self.store.absent):
            return True
        folder = step.rpartition("/")[0]
        if path in _EVERY_HOST_HAS:
            return False
        if self.layout is not None:  # what it collects, and nothing else, can be missing
            return is_at_or_below(folder, self.layout.whole)
        try:  # a folder with nothing in it may be where something was mounted that was not copied
            return bool(folder and self.store.names(folder))
        except OSError:
            return False

    def _not_collected(self, path: str) -> NotCollected:
        if self.layout is not None and is_at_or_below(path, self.layout.never):
            return NotCollected(f"{path} is not known: {self.layout.title} never contains it")
        return NotCollected(f"{path} was not collected")

    def refuse(self, path: str) -> None:
        """Raises Unread if an absolute, normalised path must not be touched."""
        if path in self._safe:
            return
        named = path in self.looked_for or is_at_or_below(path, ALLOWED) or is_at_or_below(path, self.copy.tops)
        if not (named or any(allowed.startswith(path + "/") for allowed in ALLOWED)):
            raise Unread(f"{path} is outside of what is read")
        if self.guarded:
            self._refuse_remote(path)
        self._safe.add(path)

    def _refuse_remote(self, path: str) -> None:
        if self.unmounted:
            raise Unread(f"the mounts are not known ({self.unmounted}), so nothing else was read")
        mount = mount_of(path, self.mounts)
        if mount is None:
            raise Unread(f"{path}: the list of mounts does not show which file system it is on, so it was not read")
        remote = self._remote(mount)
        if remote is not None:
            on = "" if remote.target == "/" else f" at {remote.target}"
            raise Unread(f"{path} is on {remote.fstype}{on} and was not read: a dead server would hang advisor")

    def _remote(self, mount: MountInfo) -> MountInfo | None:
        """The network file system that reading below this mount would wait for, if any."""
        if mount.fstype not in LOCAL:
            return mount
        if mount.fstype not in ("overlay", "aufs"):
            return None
        for option in mount.super_options.split(","):
            name, _, value = option.partition("=")
            for layer in value.split(":") if name.startswith(("lowerdir", "upperdir", "br")) else ():
                # Layers named from another mount namespace are not found; then the overlay counts as local.
                under = mount_of(os.path.normpath(layer), self.mounts) if layer.startswith("/") else None
                if under is not None and under is not mount and under.fstype not in (*LOCAL, "overlay"):
                    return under
        return None

    def _resolved(self, path: str) -> str:
        """The path below the root of what the host sees at `path`; links are followed below the root only.

        Each single step is checked first, so that no link leads onto a file system that must not be touched."""
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
                raise MissingPath(f"{path} does not exist", step) from error
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
        """The text of the file at `place`, which people know as `path`."""
        try:
            return self.store.content(place, path, limit).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, NotADirectoryError) as error:
            raise MissingPath(f"{path} does not exist", place) from error
        except OSError as error:
            raise self._unread(path, error) from error

    def _unread(self, path: str, error: Exception) -> Unread:
        if isinstance(error, PermissionError):
            self.denied[path] = None
            return Unread(f"{path} is not readable")
        return Unread(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})")


def tree_of(files: Mapping[str, str], name: str = "example") -> Tree:
    """A host that is written down: path → content; "-> x" is a link."""
    entries: dict[str, Entry] = {
        path: Link(text[3:].strip()) if text.startswith("-> ") else text.encode() for path, text in files.items()
    }
    return Tree(f"/{name}", False, (), FilesInMemory(entries))


Reading = Callable[[str], str]
"""The text of a place → the text of the path; "" if there is none."""


def is_at_or_below(path: str, patterns: Sequence[str]) -> bool:
    """Whether a path is one of these, or below one. `*` stands for anything within one name."""
    names = path.split("/")
    return any(
        len(parts) <= len(names) and all(map(name_matches, names, parts))
        for parts in (pattern.split("/") for pattern in patterns)
    )


def paths_like(
    pattern: str, names: Callable[[str], Sequence[str]], unlisted: Callable[[str, Exception], object] = lambda *_: None
) -> Iterator[str]:
    """The paths that fit a pattern, in which the names of folders may have asterisks too. `names`: of what is in a
    folder; `unlisted`: is told of a folder that cannot be listed."""
    if "*" not in pattern:
        yield pattern
        return
    above, _, name = pattern.rpartition("/")
    for folder in paths_like(above, names, unlisted):
        try:
            there = names(folder or "/") if "*" in name else [name]
        except (OSError, Unread) as error:
            unlisted(pattern, error)
            continue
        for candidate in there:
            hides = candidate.startswith(".") and name != "*"
            if candidate == name or (name_matches(candidate, name) and not hides):
                yield f"{folder}/{candidate}"


def detect_layout(names: Sequence[str], layouts: Sequence[Layout]) -> Layout | None:
    """The layout of a folder that holds these names; None for a plain copy."""
    return next(
        (layout for layout in layouts if any(name_matches(name, mark) for mark in layout.marks for name in names)), None
    )


class CopyLayout:
    """`layout`: that of the copy, None for this host and a plain copy. `tops`: the places that it names, and the
    folders above them."""

    def __init__(self, names: Callable[[str], Sequence[str]], layouts: Sequence[Layout]) -> None:
        """`names`: gives what is in a folder of the copy. OSError if it is none."""
        self.names = names
        self.layout: Layout | None = None
        self.tops: list[str] = []
        if layouts:
            try:
                self.layout = detect_layout(names("/"), layouts)
            except OSError:
                return
        for place in () if self.layout is None else self.layout.places:
            for at in place.at:
                parts = at.split("/")
                self.tops += ["/".join(parts[:number]) for number in range(2, len(parts) + 1)]

    def elsewhere(self, path: str) -> Iterator[tuple[str, Reading]]:
        """The places where a path may be, and how to read each."""
        for held in () if self.layout is None else self.layout.places:
            above = held.path.removesuffix("/**")
            if path != held.path and not (above != held.path and path.startswith(above + "/")):
                continue
            reading = _reading(held, path[len(above) + 1 :].replace("/", "."))
            for at in held.at:
                yield from ((place, reading) for place in paths_like(at, self.names))


def _reading(held: Held, key: str) -> Reading:
    if held.before is not None:
        return lambda text: _last_value(text, held.before.format(key=key) if held.before else "")
    if held.line is None:
        return lambda text: text
    form, gives = re.compile(held.line), held.gives or ""

    def read(text: str) -> str:
        if held.joined:
            text = text.replace("\n\t", "\t").replace("\n ", " ")
        for word, meaning in held.words.items():
            text = text.replace(word, meaning)
        fitting = filter(None, map(form.match, text.split("\n")))
        return "".join([f"{gives.format(match[0], *match.groups(''))}\n" for match in fitting])

    return read


def _last_value(text: str, before: str) -> str:
    """The rest of the last line that begins with `before`; "" if there is none."""
    at = text.rfind(f"\n{before}")
    begin = at + 1 + len(before) if at >= 0 else len(before) if text.startswith(before) else -1
    return "" if begin < 0 else text[begin : text.find("\n", begin) if "\n" in text[begin:] else None] + "\n"

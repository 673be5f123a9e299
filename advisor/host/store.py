"""What a tree's files are read from: a folder on a disk, or what was kept of an archive."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import NamedTuple, Union


class Unread(Exception):
    """A path was not read; the text says why."""


class Link(NamedTuple):
    target: str


class ShownFile(NamedTuple):
    """Content that stands in a larger file. `where`: how people find it there."""

    content: bytes
    where: str


class Large(NamedTuple):
    """A file that was not kept because of its size, in bytes."""

    size: int


Entry = Union[bytes, Link, ShownFile, Large, None]
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
        """What is in a folder, sorted. OSError where it is none."""
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


class Kept:
    """Files held in memory: absolute path → content. The folders above them are there too.

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
        if isinstance(content, Large):
            raise Unread(f"{shown} is too large to be read from the archive ({content.size} bytes)")
        if not isinstance(content, bytes):
            raise Unread(f"{shown} is not an ordinary file")
        if len(content) > limit:
            raise Unread(f"{shown} is larger than {limit} bytes")
        return content

    def where(self, path: str, shown: str) -> str:
        entry = self.entries.get(path)
        return entry.where if isinstance(entry, ShownFile) else shown

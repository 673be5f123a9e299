"""Atomic writes: a new file beside the old one, synced to disk, then moved over it."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

_SUFFIX = ".advisor-new"


class WriteError(Exception):
    """A file could not be written and is unchanged; the text says why, and what to do."""


class NewFile:
    """A complete new file beside `target`, synced to disk, under a hidden name. It is removed unless it is moved to its
    place.

    It is locked while open. An unlocked one was left by a killed run; the next run for the same target removes it.
    `set_attributes` is called with the open file's descriptor; without it the file gets `mode` less the
    umask. Raises OSError."""

    def __init__(
        self, target: Path, content: bytes, set_attributes: Callable[[int], None] | None = None, mode: int = 0o666
    ) -> None:
        prefix = f".{target.name[:100]}."
        _remove_leftovers(target.parent, prefix)
        self.path, self._handle = _create_locked(target.parent, prefix)
        try:
            with os.fdopen(os.dup(self._handle), "wb") as file:
                file.write(content)
            if set_attributes is None:
                os.fchmod(self._handle, mode & ~_umask())
            else:
                set_attributes(self._handle)
            os.fsync(self._handle)
        except BaseException:
            self.discard()
            raise

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def replace(self, place: Path) -> None:
        """Move the file to this path, over an existing file. Raises OSError."""
        os.replace(self.path, place)  # noqa: PTH105  Path.replace keeps an older os.replace
        os.close(self._handle)
        self._handle = -1

    def link(self, place: Path) -> None:
        """Give the file this name as well. Raises FileExistsError if the name is taken."""
        try:
            os.link(self.path, place)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(place):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from None
            self.replace(place)

    def discard(self) -> None:
        """Remove the file, unless it was moved to its place."""
        if self._handle >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1


def _create_locked(folder: Path, prefix: str) -> tuple[Path, int]:
    while True:
        handle, name = tempfile.mkstemp(_SUFFIX, prefix, folder)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return Path(name), handle  # a file system without locks: no other run can lock it either, and so remove it
        if os.fstat(handle).st_nlink:
            return Path(name), handle
        os.close(handle)  # another run removed it before this one could lock it


def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove the files that killed runs left in a folder."""
    try:
        left = [path for path in folder.iterdir() if path.name.startswith(prefix) and path.name.endswith(_SUFFIX)]
    except OSError:
        return  # a folder that can be written but not read
    for path in left:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
        except OSError:
            pass  # in use, or another run was quicker
        finally:
            os.close(handle)


def save(path: str, content: bytes, mode: int = 0o666) -> None:
    """Replace the file at `path`, or create it. Raises WriteError."""
    check(path)
    target = Path(path).resolve()
    try:
        with NewFile(target, content, mode=mode) as fresh:
            fresh.replace(target)
    except OSError as error:
        raise WriteError(failure_text(path, error)) from None


def check(path: str) -> None:
    """Raises WriteError if `save` could not write. Call it before long work."""
    target = Path(path).resolve()
    if target.is_dir():
        raise WriteError(f"{path}: a folder; name a file")
    if target.exists() and not target.is_file():
        raise WriteError(f"{path}: a device, pipe or socket, which would be replaced by a file; name a file")
    if not target.parent.is_dir():
        raise WriteError(failure_text(path, FileNotFoundError(errno.ENOENT, "")))
    if not os.access(target.parent, os.W_OK):
        raise WriteError(failure_text(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES))))


def sync(folder: Path) -> None:
    """Make sure that the names in a folder are on disk."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return  # a folder that can be written but not read
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def failure_text(path: str, error: OSError) -> str:
    """The message for an error in writing `path`."""
    if error.errno == errno.ELOOP:
        return f"{path}: became a symbolic link in the meantime, so it was not touched"
    folder = Path(path).absolute().parent
    if error.errno == errno.ENOENT:
        return f"{path}: is gone" if folder.is_dir() else f"{path}: there is no folder {folder}; create it first"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{path}: cannot be replaced ({error.strerror}); {folder} must be writable, and the file not immutable"
    return f"{path}: cannot be written: {error.strerror}"


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

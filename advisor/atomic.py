"""Writing files whole or not at all: a new file beside the old one, synced to disk, then moved to its place."""

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
    """The file was left as it is; the text says why, and what to do."""


class Fresh:
    """A new file beside `target`, whole and synced to disk. It has a hidden name until it is moved to its place, and is
    removed if it never is.

    The lock on it tells it from files that a killed run left, which the next run for the same target removes. `dress`
    gives the open file its attributes; without it the file gets `mode`, less the umask."""

    def __init__(
        self, target: Path, content: bytes, dress: Callable[[int], None] | None = None, mode: int = 0o666
    ) -> None:
        prefix = f".{target.name[:100]}."
        _sweep(target.parent, prefix)
        self.path, self._handle = _locked(target.parent, prefix)
        try:
            with os.fdopen(os.dup(self._handle), "wb") as file:
                file.write(content)
            if dress is None:
                os.fchmod(self._handle, mode & ~_umask())
            else:
                dress(self._handle)
            os.fsync(self._handle)
        except BaseException:
            self.drop()
            raise

    def __enter__(self) -> Fresh:
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()

    def replace(self, place: Path) -> None:
        """Move the file to this place, and replace what is there."""
        os.replace(self.path, place)  # noqa: PTH105  Path.replace keeps an older os.replace
        os.close(self._handle)
        self._handle = -1

    def link(self, place: Path) -> None:
        """Give the file this name too. Raises FileExistsError if the name is taken."""
        try:
            os.link(self.path, place)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(place):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from None
            self.replace(place)

    def drop(self) -> None:
        if self._handle >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1


def _locked(folder: Path, prefix: str) -> tuple[Path, int]:
    while True:
        handle, name = tempfile.mkstemp(_SUFFIX, prefix, folder)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return Path(name), handle  # a file system without locks: no other run can lock it either, and so remove it
        if os.fstat(handle).st_nlink:
            return Path(name), handle
        os.close(handle)  # another run removed it before this one could lock it


def _sweep(folder: Path, prefix: str) -> None:
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
    """Write a file of our own, whole or not at all. Raises WriteError."""
    check(path)
    target = Path(path).resolve()
    try:
        with Fresh(target, content, mode=mode) as fresh:
            fresh.replace(target)
    except OSError as error:
        raise WriteError(failure_text(path, error)) from None


def check(path: str) -> None:
    """Raises WriteError if `save` could not write: better before long work than after it."""
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
    """What went wrong, for people."""
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

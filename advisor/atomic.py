"""Files written whole or not at all: a new one beside the old, on disk, then put in its place."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


class WriteError(Exception):
    """The file was left as it is; the text says why, and what to do."""


def beside(target: Path, content: bytes, made: list[Path], dress: Callable[[int], None] | None = None,
           mode: int = 0o666) -> Path:
    """A new file in the folder of `target`, on disk. It is added to `made`, for whoever cleans up after a failure.

    `dress` gives the open file its attributes; without it the file gets `mode`, less what the umask takes away."""
    handle, name = tempfile.mkstemp(".advisor-new", f".{target.name[:100]}.", target.parent)
    path = Path(name)
    made.append(path)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        if dress is None:
            os.fchmod(handle, mode & ~_umask())
        else:
            dress(handle)
        os.fsync(handle)
    return path


def save(path: str, content: bytes, mode: int = 0o666) -> None:
    """Write a file of our own, whole or not at all. Raises WriteError."""
    made: list[Path] = []
    target = Path(path).resolve()
    try:
        fresh = beside(target, content, made, mode=mode)
        fresh.replace(target)
        made.clear()
    except OSError as error:
        raise WriteError(told(path, error)) from None
    finally:
        for left in made:
            left.unlink(missing_ok=True)


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


def told(path: str, error: OSError) -> str:
    """What went wrong, for people."""
    if error.errno == errno.ELOOP:
        return f"{path}: became a symbolic link meanwhile and was left as it is"
    if error.errno == errno.ENOENT:
        return f"{path}: is gone"
    folder = Path(path).absolute().parent
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{path}: cannot be replaced ({error.strerror}); {folder} must be writable, and the file not immutable"
    return f"{path}: cannot be written: {error.strerror}"


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

"""Writes a file anew: whole or not at all, with owner, mode and label, and with a backup. Never through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from advisor.atomic import WriteError, beside, save, sync, told

__all__ = ["SUFFIX", "WriteError", "save", "write"]

SUFFIX = ".advisor~"


def write(path: str, old: bytes, new: bytes) -> list[str]:
    """Replace the content of `path`, which must still be `old`, by `new`; the old one goes to `path` + SUFFIX.

    Returns remarks for the user. Raises WriteError, after which `path` is untouched and nothing new lies beside it."""
    target = _target(path)
    backup = target.with_name(target.name + SUFFIX)
    made: list[Path] = []
    try:
        status = _checked(target, path, old)
        remarks = _backup_remarks(backup)
        fresh = beside(target, new, made, lambda handle: _dress(handle, target, status, remarks))
        kept = beside(target, old, made, lambda handle: _dress(handle, target, status, []))
        os.utime(kept, ns=(status.st_atime_ns, status.st_mtime_ns))
        again = _checked(target, path, old)
        if (again.st_dev, again.st_ino) != (status.st_dev, status.st_ino):
            raise WriteError(_CHANGED.format(path))
        kept.replace(backup)
        fresh.replace(target)
        made.clear()
        sync(target.parent)
    except OSError as error:
        raise WriteError(told(path, error)) from None
    finally:
        for left in made:
            left.unlink(missing_ok=True)
    return remarks


_CHANGED = "{}: has changed meanwhile and was left as it is; run again"


def _target(path: str) -> Path:
    """The file itself, for a link that stays in its folder."""
    file = Path(path)
    if not file.is_symlink():
        return file.absolute()
    target = file.resolve()
    if target.parent != file.parent.resolve():
        raise WriteError(f"{path}: is a symbolic link to {target}, in another folder; name that file to have it fixed")
    return target


def _checked(target: Path, path: str, old: bytes) -> os.stat_result:
    """The file's status, if it is one that may be replaced and its content is still `old`."""
    handle = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise WriteError(f"{path}: is no regular file, and cannot be fixed in place")
        if status.st_nlink > 1:
            raise WriteError(
                f"{path}: has {status.st_nlink} names (hard links), which replacing it would part;"
                " use --diff and change it by hand"
            )
        if file.read() != old:
            raise WriteError(_CHANGED.format(path))
    return status


def _backup_remarks(backup: Path) -> list[str]:
    try:
        status = backup.lstat()
    except FileNotFoundError:
        return [f"backup in {backup}"]
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{backup}: is in the way of the backup and is no regular file; move it away")
    return [f"backup in {backup}, in place of an older one"]


def _dress(handle: int, target: Path, like: os.stat_result, remarks: list[str]) -> None:
    """Give an open file the owner, mode and extended attributes (SELinux label, ACL) of `target`."""
    own = os.fstat(handle)
    mode = stat.S_IMODE(like.st_mode)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(handle, like.st_uid, like.st_gid)
        except OSError:
            mode &= 0o777
            remarks.append("owner and group could not be kept")
    os.fchmod(handle, mode)
    lost = []
    for name in _attributes(target):
        try:
            value = os.getxattr(target, name)
            try:
                if os.getxattr(handle, name) == value:
                    continue
            except OSError:
                pass  # the new file has none yet
            os.setxattr(handle, name, value)
        except OSError:
            lost.append(name)
    if lost:
        remarks.append(f"could not be kept: {', '.join(lost)}")


def _attributes(target: Path) -> list[str]:
    try:
        return os.listxattr(target)
    except OSError:  # a file system without them
        return []

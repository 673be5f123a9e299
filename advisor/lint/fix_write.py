"""Writes a fixed file anew: whole or not at all, with owner, mode and label, and with backups; or shows what would
change."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from advisor.atomic import Fresh, WriteError, failure_text, save, sync

__all__ = ["FIRST", "LAST", "WriteError", "save", "write"]

FIRST = ".advisor~"
"""Behind the name of a file: its text before it was ever fixed."""
LAST = ".advisor-last~"
"""Its text before the last run that fixed it, where that is not the first one."""


def write(path: str, old: bytes, new: bytes) -> list[str]:
    """Replace the content of `path`, which must still be `old`, by `new`, and keep the old one beside it.

    Returns remarks for the user. Raises WriteError, after which all files are as they were."""
    target = _target(path)
    first, last = (target.with_name(target.name + suffix) for suffix in (FIRST, LAST))
    remarks: list[str] = []
    try:
        status = _checked(target, path, old)
        for place in (first, last):
            _refuse_other(place)
        with (
            Fresh(target, new, lambda handle: _dress(handle, target, status, remarks)) as fresh,
            Fresh(target, old, lambda handle: _dress(handle, target, status, [])) as kept,
        ):
            os.utime(kept.path, ns=(status.st_atime_ns, status.st_mtime_ns))
            again = _checked(target, path, old)
            if (again.st_dev, again.st_ino) != (status.st_dev, status.st_ino):
                raise WriteError(_CHANGED.format(path))
            made = _linked(kept, first)
            try:
                fresh.replace(target)
            except OSError:
                if made:
                    first.unlink(missing_ok=True)
                raise
            if made:
                remarks.insert(0, f"backup in {first}")
            else:
                remarks.insert(0, f"the first original is still in {first}{_keep_too(kept, old, first, last)}")
        sync(target.parent)
    except OSError as error:
        raise WriteError(failure_text(path, error)) from None
    return remarks


def _linked(kept: Fresh, first: Path) -> bool:
    """Put the old text where it is kept for good; False where an older one is."""
    try:
        kept.link(first)
    except FileExistsError:
        return False
    return True


def _keep_too(kept: Fresh, old: bytes, first: Path, last: Path) -> str:
    """Keep what was replaced, unless it is the first original itself; gives the words that say so."""
    try:
        if first.read_bytes() == old:
            return ""
        kept.replace(last)
    except OSError as error:
        return f", and the text replaced now could not be kept ({error.strerror})"
    return f", and the text replaced now is in {last}"


_CHANGED = "{}: has changed in the meantime, so it was not touched; run again"


def _target(path: str) -> Path:
    """The file itself, for a link that stays in its folder."""
    file = Path(path)
    if not file.is_symlink():
        return file.absolute()
    target = file.resolve()
    if target.parent != file.parent.resolve():
        raise WriteError(f"{path}: is a symbolic link to {target}, in another folder; to fix it, name that file")
    return target


def _checked(target: Path, path: str, old: bytes) -> os.stat_result:
    """The file's status, if it is one that may be replaced and its content is still `old`."""
    handle = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise WriteError(f"{path}: is not a regular file and cannot be fixed in place")
        if status.st_nlink > 1:
            raise WriteError(
                f"{path}: has {status.st_nlink} names (hard links), and replacing it would separate them;"
                " use --diff and change it by hand"
            )
        if file.read() != old:
            raise WriteError(_CHANGED.format(path))
    return status


def _refuse_other(place: Path) -> None:
    """Raises WriteError where something other than a file is in the place of a backup."""
    try:
        status = place.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{place}: is not a regular file and blocks the backup; move it away")


def _dress(handle: int, target: Path, like: os.stat_result, remarks: list[str]) -> None:
    """Give an open file the owner, mode and extended attributes (SELinux label, ACL) of `target`."""
    own = os.fstat(handle)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(handle, like.st_uid, like.st_gid)
        except OSError:
            whose = f"user {like.st_uid} and group {like.st_gid}"
            raise WriteError(f"{target}: belongs to {whose}, and only root can preserve that; use --diff") from None
    os.fchmod(handle, stat.S_IMODE(like.st_mode))
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
    if _ACL in lost:
        raise WriteError(f"{target}: its access control list could not be preserved; use --diff and change it by hand")
    if lost:
        remarks.append(f"could not be kept: {', '.join(lost)}")


_ACL = "system.posix_acl_access"


def _attributes(target: Path) -> list[str]:
    try:
        return os.listxattr(target)
    except OSError:  # a file system without them
        return []


CONTEXT = 3


def unified(name: str, before: str, after: str) -> Iterator[str]:
    """The pieces of the diff, each ending in a newline; none when nothing changed. `patch -p0` takes it."""
    old, new = _lines(before), _lines(after)
    changed = [number for number, (a, b) in enumerate(zip(old, new)) if a != b]
    if not changed:
        return
    yield f"--- {name}\n+++ {name}\n"
    for first, last in _groups(changed):
        start, end = max(first - CONTEXT, 0), min(last + CONTEXT + 1, len(old))
        span = f"{start + 1},{end - start}" if end - start != 1 else f"{start + 1}"
        yield f"@@ -{span} +{span} @@\n"
        number = start
        while number < end:
            stop = number
            while stop < end and old[stop] != new[stop]:
                stop += 1
            if stop == number:
                yield _piece(" ", old[number])
                number += 1
                continue
            yield from (_piece("-", line) for line in old[number:stop])
            yield from (_piece("+", line) for line in new[number:stop])
            number = stop


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a newline ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _groups(changed: list[int]) -> Iterator[tuple[int, int]]:
    """First and last changed line of each hunk."""
    first = last = changed[0]
    for number in changed[1:]:
        if number - last > 2 * CONTEXT:
            yield first, last
            first = number
        last = number
    yield first, last


def _piece(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"

"""Replace a file by its fixed text, whole or not at all, with backups and the same owner, mode and label; or show the
change as a diff."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from advisor.user_files import NewFile, WriteError, failure_text, sync

FIRST = ".advisor~"
"""Suffix of the backup of a file as it was before it was ever fixed."""
LAST = ".advisor-last~"
"""Suffix of the backup of a file as it was before the last run that fixed it, if that was not the first."""


def write(path: str, old: bytes, new: bytes) -> list[str]:
    """Replace the content of `path`, which must still be `old`, by `new`, and keep a backup beside it.

    Returns remarks for the user. Raises WriteError and leaves all files as they were."""
    target = _target(path)
    first, last = (target.with_name(target.name + suffix) for suffix in (FIRST, LAST))
    remarks: list[str] = []
    try:
        status = _checked(target, path, old)
        for place in (first, last):
            _refuse_other(place)
        with (
            NewFile(target, new, lambda handle: _copy_metadata(handle, target, status, remarks)) as fresh,
            NewFile(target, old, lambda handle: _copy_metadata(handle, target, status, [])) as kept,
        ):
            os.utime(kept.path, ns=(status.st_atime_ns, status.st_mtime_ns))
            again = _checked(target, path, old)
            if (again.st_dev, again.st_ino) != (status.st_dev, status.st_ino):
                raise WriteError(_CHANGED.format(path))
            is_first = _link_first(kept, first)
            try:
                fresh.replace(target)
            except OSError:
                if is_first:
                    first.unlink(missing_ok=True)
                raise
            if is_first:
                remarks.insert(0, f"backup in {first}")
            else:
                remarks.insert(0, f"the first original is still in {first}{_keep_last(kept, old, first, last)}")
        sync(target.parent)
    except OSError as error:
        raise WriteError(failure_text(path, error)) from None
    return remarks


def _link_first(kept: NewFile, first: Path) -> bool:
    """Make the old text the first backup; False if there is one already."""
    try:
        kept.link(first)
    except FileExistsError:
        return False
    return True


def _keep_last(kept: NewFile, old: bytes, first: Path, last: Path) -> str:
    """Keep the replaced text in `last`, unless it equals the first backup; returns the end of the remark about that."""
    try:
        if first.read_bytes() == old:
            return ""
        kept.replace(last)
    except OSError as error:
        return f", and the text replaced now could not be kept ({error.strerror})"
    return f", and the text replaced now is in {last}"


_CHANGED = "{}: has changed in the meantime, so it was not touched; run again"


def _target(path: str) -> Path:
    """The file to replace: for a symbolic link, its target, which must be in the same folder."""
    file = Path(path)
    if not file.is_symlink():
        return file.absolute()
    target = file.resolve()
    if target.parent != file.parent.resolve():
        raise WriteError(f"{path}: is a symbolic link to {target}, in another folder; to fix it, name that file")
    return target


def _checked(target: Path, path: str, old: bytes) -> os.stat_result:
    """The status of a file that may be replaced and whose content is still `old`. Raises WriteError for others."""
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
    """Raises WriteError if something other than a regular file has the name of a backup."""
    try:
        status = place.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{place}: is not a regular file and blocks the backup; move it away")


def _copy_metadata(handle: int, target: Path, like: os.stat_result, remarks: list[str]) -> None:
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
"""Unchanged lines around each change in a diff."""


def unified(name: str, before: str, after: str) -> Iterator[str]:
    """A diff for `patch -p0` in pieces that each end in a newline; none if nothing changed. Both texts must have the
    same number of lines, which fixes never change."""
    old, new = _lines(before), _lines(after)
    changed = [number for number, (a, b) in enumerate(zip(old, new)) if a != b]
    if not changed:
        return
    yield f"--- {name}\n+++ {name}\n"
    for first, last in _hunks(changed):
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
    """The lines, each with its newline; unlike str.splitlines, nothing else ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _hunks(changed: list[int]) -> Iterator[tuple[int, int]]:
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

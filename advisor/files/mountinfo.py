"""The mounts in effect, from /proc/self/mountinfo, and which of them a path is on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.named_tuple import NamedTuple

_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


class MountInfo(NamedTuple):
    """One mount. `device`: as "major:minor"; `root`: the folder of the file system that is visible at `target`.

    `source`, `target`, `root` and `fstype` are decoded; `options` (of this mount) and `super_options` (of the file
    system) are as written, joined by commas. `tags`: the optional fields, such as "shared:1"."""

    number: int
    parent: int
    device: str
    root: str
    target: str
    options: str
    tags: tuple[str, ...]
    fstype: str
    source: str
    super_options: str


class MountsInEffect(NamedTuple):
    """`bad`: numbers, from 1, of lines that are neither entries nor empty."""

    mounts: tuple[MountInfo, ...]
    bad: tuple[int, ...]


def read(source: str | bytes) -> MountsInEffect:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a mountinfo. Never raises."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    mounts, bad = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        mount = _mount(line)
        if mount is None:
            bad.append(number)
        else:
            mounts.append(mount)
    return MountsInEffect(tuple(mounts), tuple(bad))


def _mount(line: str) -> MountInfo | None:
    fields = line.split(" ")
    try:
        dash = fields.index("-", 6)
        number, parent = int(fields[0]), int(fields[1])
    except ValueError:
        return None
    if len(fields) < dash + 3:
        return None
    # An empty source leaves its field empty; the superblock's options come last, and may have spaces in them.
    source = fields[dash + 2]
    super_options = " ".join(fields[dash + 3 :])
    return MountInfo(
        number, parent, fields[2], decoded(fields[3]), decoded(fields[4]), fields[5], tuple(fields[6:dash]),
        decoded(fields[dash + 1]), decoded(source), super_options,
    )


def decoded(field: str) -> str:
    """A field with its octal escapes (`\\040`) decoded."""
    if "\\" not in field:
        return field
    # The escapes stand for bytes, and several may make one character: Latin-1 holds them until all are there.
    try:
        raw = field.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return field  # text that does not come from a file
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), raw).encode("latin-1").decode("utf-8", "surrogateescape")


def below(path: str, folder: str) -> bool:
    """Whether an absolute, normalised path is `folder` or in it."""
    return folder in ("/", path) or path.startswith(folder + "/")


def parents(path: str) -> Iterator[str]:
    """The directories above an absolute, normalised path, the nearest first."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


def mount_of(path: str, mounts: tuple[MountInfo, ...]) -> MountInfo | None:
    """The mount that an absolute, normalised path is on; None if the list has neither a root nor a mount above it.

    It goes from the root's mount to what is mounted on it, as the kernel does: the longest target alone may be that of
    a mount that another one hides."""
    numbers = {mount.number for mount in mounts}
    at = next((m for m in mounts if m.target == "/" and (m.parent not in numbers or m.parent == m.number)), None)
    if at is None:
        return max((m for m in mounts if below(path, m.target)), key=lambda m: len(m.target), default=None)
    children: dict[int, list[MountInfo]] = {}
    for mount in mounts:
        if below(path, mount.target):
            children.setdefault(mount.parent, []).append(mount)
    seen = {at.number}
    while True:
        nearer = [m for m in children.get(at.number, ()) if m.number not in seen]
        if not nearer:
            return at
        shortest = min(len(m.target) for m in nearer)
        at = [m for m in nearer if len(m.target) == shortest][-1]
        seen.add(at.number)

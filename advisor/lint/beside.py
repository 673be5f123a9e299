"""Files that are read together: exports.d after exports, a drop-in with the unit that it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.lint.exports_together import plain
from advisor.named_tuple import NamedTuple
from advisor.readers.fstab import read as read_fstab
from advisor.readers.settings import INCLUDING, included
from advisor.readers.settings import read as read_settings

TOGETHER = ("exports", "systemd-mount", "fstab", *INCLUDING)
"""Kinds of which one file changes what another one says."""
_NUMBERS = re.compile(r"([0-9]+)")


class Beside(NamedTuple):
    """Another file of the same run. `kind`: as in advisor.readers.kinds."""

    kind: str
    name: str
    text: str


def read_before(name: str, beside: Sequence[Beside]) -> dict[str, str]:
    """The files of exports that exportfs reads before this one, name → text, in its order."""
    folder = _exports_folder(name)
    if folder is None:
        return {}
    files = [one for one in beside if one.kind == "exports" and _exports_folder(one.name) == folder]
    files = [one for one in files if _order(one.name) < _order(name)]
    return {one.name: one.text for one in sorted(files, key=lambda one: _order(one.name))}


def _exports_folder(name: str) -> str | None:
    """The folder in which exports and exports.d stand; None for a file that exportfs does not read."""
    folder, _, last = name.rpartition("/")
    if last == "exports" and not folder.endswith("exports.d"):
        return folder
    above, _, own = folder.rpartition("/")
    return above if own == "exports.d" and last.endswith(".exports") and not last.startswith(".") else None


def _order(name: str) -> tuple[bool, list[tuple[int, str]]]:
    """exports goes first, then exports.d, numbers in their order."""
    last = name.rpartition("/")[2]
    pieces = [(int(piece[:18]), "") if piece.isdigit() else (-1, piece) for piece in _NUMBERS.split(last)]
    return last != "exports", pieces


def unit_of(name: str, beside: Sequence[Beside]) -> str:
    """The text of the mount unit that a drop-in changes; "" if the file is not a drop-in or its unit is missing."""
    unit = _changed(name)
    return next((one.text for one in beside if unit and _last(one.name) == unit), "")


def drop_ins(name: str, beside: Sequence[Beside]) -> list[Beside]:
    """The drop-ins of a mount unit, or those that are read after this drop-in."""
    unit = _changed(name) or _last(name)
    after = _last(name) if _changed(name) else ""
    found = [one for one in beside if unit.endswith(".mount") and _changed(one.name) == unit]
    return sorted((one for one in found if _last(one.name) > after), key=lambda one: _last(one.name))


def section_of(kind: str, name: str, beside: Sequence[Beside]) -> str | None:
    """The section in which another file includes this one; None where none does."""
    path = name.rpartition(": ")[2]
    return next((
        one.section for other in beside if other.kind == kind and other.name != name and "include" in other.text.lower()
        for one in read_settings(kind, other.text, other.name).includes
        if included(other.name.rpartition(": ")[2], one.value.text)[0] == path
    ), None)


def mount_is_missing(name: str, where: str, beside: Sequence[Beside]) -> bool:
    """Whether a run over the folder of an automount unit shows that nothing says what to mount there."""
    if not name.endswith(".automount") or not where.startswith("/"):
        return False
    mount = _last(name).removesuffix(".automount") + ".mount"
    folder = name.rpartition("/")[0]
    units = [one.name for one in beside if one.kind == "systemd-mount" and one.name != name]
    if not any(one.rpartition("/")[0] == folder for one in units):
        return False  # one file by itself, and not a folder
    targets = (
        entry.target.value for one in beside if one.kind == "fstab" for entry in read_fstab(one.text, one.name).entries
        if entry.target is not None
    )
    return not any(_last(one.name) == mount for one in beside) and plain(where) not in map(plain, targets)


def _changed(name: str) -> str:
    """The unit that a drop-in changes; "" for what is none."""
    folder, _, last = name.rpartition("/")
    unit = _last(folder)
    return unit.removesuffix(".d") if unit.endswith(".mount.d") and last.endswith(".conf") else ""


def _last(name: str) -> str:
    return name.rpartition("/")[2]

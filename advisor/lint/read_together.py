"""Files that are read together: exports.d after exports, a drop-in with the unit that it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from posixpath import normpath

from advisor.globs import fits, parts
from advisor.lint.exports_together import plain
from advisor.named_tuple import NamedTuple
from advisor.readers.fstab import read as read_fstab
from advisor.readers.settings import INCLUDING, included, included_folder
from advisor.readers.settings import read as read_settings
from advisor.readers.units import leaves_type_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.readers.tables import Assignments

TOGETHER = ("exports", "systemd-mount", "fstab", *INCLUDING)
"""Kinds of which one file changes what another one says."""
_ALL = "mount"
"""Of which the drop-ins change all mount units."""
_NFS_UNIT = re.compile(r"^Type=nfs4?$", re.MULTILINE)
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
    """The text of the mount unit that a drop-in changes, of several the first of type nfs; "" if the file is not a
    drop-in or its unit is missing."""
    units = [one.text for one in beside if _changed(name) and _changes(name, _last(one.name))]
    return next((text for text in units if _NFS_UNIT.search(text)), next(iter(units), ""))


def without_unit(name: str, text: str, beside: Sequence[Beside]) -> bool:
    """Whether a file gives options to mounts, and the unit that says of what type they are is not here."""
    return bool(_changed(name)) and leaves_type_open(text, unit_of(name, beside))


def drop_ins(name: str, beside: Sequence[Beside]) -> list[Beside]:
    """The drop-ins of a mount unit, or those that are read after this drop-in."""
    changed = _changed(name)
    unit, after = changed or _last(name), _last(name) if changed else ""
    several = changed == _ALL or (changed.endswith("-.mount") and changed != "-.mount")
    found = [] if several else [one for one in beside if _changes(one.name, unit)]
    return sorted((one for one in found if _last(one.name) > after), key=lambda one: _last(one.name))


def read_together(kind: str, name: str, beside: Sequence[Beside]) -> tuple[list[Assignments], bool]:
    """The files of blocks that are read with this one, and whether all that they include is among them."""
    linked = _linked(tuple(one for one in beside if one.kind == kind))
    own = name.rpartition(": ")[2]
    reached, left = {own}, [own]
    while left:
        more = linked.to.get(left.pop(), set()) - reached
        reached |= more
        left += more
    together = [file for path, file in linked.files.items() if path in reached and path != own]
    return together, bool(together) and not linked.lacking & reached


class _Linked(NamedTuple):
    """Files by their paths, which of them one includes or is included in, and those of which an included one is not
    here."""

    files: dict[str, Assignments]
    to: dict[str, set[str]]
    lacking: set[str]


@lru_cache(maxsize=2)
def _linked(beside: tuple[Beside, ...]) -> _Linked:
    """Once for all files of a run."""
    files = {one.name.rpartition(": ")[2]: read_settings(one.kind, one.text, one.name) for one in beside}
    linked = _Linked(files, {path: set() for path in files}, set())
    for path, file in files.items():
        for one in file.includes:
            folder = included_folder(path, one)
            wanted = normpath(folder or included(path, one.value.text)[0])
            named = [wanted] if one.key.text.lower() == "include" and wanted in files else []
            for other in [each for each in files if fits(each, parts(wanted))] if folder else named:
                linked.to[path].add(other)
                linked.to[other].add(path)
                named = [other]
            if not named:
                linked.lacking.add(path)
    return linked


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
    """The mount unit that a drop-in changes. Where it changes several: `mount` for all mount units, `srv-.mount` for
    those whose names begin with `srv-`. "" for a file that is not a drop-in."""
    folder, _, last = name.rpartition("/")
    unit = _last(folder).removesuffix(".d")
    is_one = _last(folder).endswith(".d") and (unit == _ALL or unit.endswith(".mount")) and last.endswith(".conf")
    return unit if is_one else ""


def _changes(name: str, unit: str) -> bool:
    """Whether a file is a drop-in of this mount unit."""
    changed = _changed(name)
    prefix = changed.removesuffix(".mount")
    of_several = changed != "-.mount" and prefix.endswith("-") and unit.startswith(prefix)
    return unit.endswith(".mount") and (changed in (unit, _ALL) or of_several)


def _last(name: str) -> str:
    return name.rpartition("/")[2]

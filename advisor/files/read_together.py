"""Which files of a run are read together: exports and exports.d, a unit and its drop-ins, a file and its includes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from posixpath import normpath

from advisor.files.exports import folder_of, order, plain
from advisor.files.fstab import read as read_fstab
from advisor.files.kinds import INCLUDING, included, included_folder, read_settings
from advisor.files.patterns import name_fits, name_parts
from advisor.files.units import leaves_type_open
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.records import Assignments


TOGETHER = ("exports", "systemd-mount", "fstab", *INCLUDING)
"""Kinds of files in which one file affects another."""
_ALL = "mount"
"""Drop-ins in mount.d change all mount units."""
_NFS_UNIT = re.compile(r"^Type=nfs4?$", re.MULTILINE)


class Beside(NamedTuple):
    """Another file of the same run. `kind`: as in advisor.files.kinds."""

    kind: str
    name: str
    text: str


def read_before(name: str, beside: Sequence[Beside]) -> dict[str, str]:
    """The files of exports that exportfs reads before this one, name → text, in its order."""
    folder = folder_of(name)
    if folder is None:
        return {}
    files = [file for file in beside if file.kind == "exports" and folder_of(file.name) == folder]
    files = [file for file in files if order(file.name) < order(name)]
    return {file.name: file.text for file in sorted(files, key=lambda file: order(file.name))}


def unit_of(name: str, beside: Sequence[Beside]) -> str:
    """The text of the mount unit that a drop-in changes, of several the first of type nfs; "" if the file is not a
    drop-in or its unit is missing."""
    units = [file.text for file in beside if _changed(name) and _changes(name, _last(file.name))]
    return next((text for text in units if _NFS_UNIT.search(text)), next(iter(units), ""))


def without_unit(name: str, text: str, beside: Sequence[Beside]) -> bool:
    """Whether a drop-in gives options to mounts of a type that neither it nor a unit of the run states."""
    return bool(_changed(name)) and leaves_type_open(text, unit_of(name, beside))


def drop_ins(name: str, beside: Sequence[Beside]) -> list[Beside]:
    """The drop-ins of a mount unit; for a drop-in of one unit, those that are read after it. In order of reading."""
    changed = _changed(name)
    unit, after = changed or _last(name), _last(name) if changed else ""
    several = changed == _ALL or (changed.endswith("-.mount") and changed != "-.mount")
    files = [] if several else [file for file in beside if _changes(file.name, unit)]
    return sorted((file for file in files if _last(file.name) > after), key=lambda file: _last(file.name))


def read_together(kind: str, name: str, beside: Sequence[Beside]) -> tuple[list[Assignments], bool]:
    """The files of blocks that are read with this one, and whether all the files that they include are among them."""
    linked = _linked(tuple(file for file in beside if file.kind == kind))
    own = name.rpartition(": ")[2]
    reached, pending = {own}, [own]
    while pending:
        more = linked.to.get(pending.pop(), set()) - reached
        reached |= more
        pending += more
    together = [file for path, file in linked.files.items() if path in reached and path != own]
    return together, bool(together) and not linked.lacking & reached


class _Linked(NamedTuple):
    """`files`: by path. `to`: path → paths of the files that it includes or that include it. `lacking`: paths of the
    files that include one that is not in this run."""

    files: dict[str, Assignments]
    to: dict[str, set[str]]
    lacking: set[str]


@lru_cache(maxsize=2)
def _linked(beside: tuple[Beside, ...]) -> _Linked:
    """The links between files of one kind; cached, since they are the same for all files of a run."""
    files = {file.name.rpartition(": ")[2]: read_settings(file.kind, file.text, file.name) for file in beside}
    linked = _Linked(files, {path: set() for path in files}, set())
    for path, file in files.items():
        for include in file.includes:
            folder = included_folder(path, include)
            wanted = normpath(folder or included(path, include.value.text)[0])
            named = [wanted] if include.key.text.lower() == "include" and wanted in files else []
            for other in [known for known in files if name_fits(known, name_parts(wanted))] if folder else named:
                linked.to[path].add(other)
                linked.to[other].add(path)
                named = [other]
            if not named:
                linked.lacking.add(path)
    return linked


def section_of(kind: str, name: str, beside: Sequence[Beside]) -> str | None:
    """The section in which another file includes this one; None if none does."""
    return _sections(kind, tuple(file for file in beside if file.kind == kind)).get(name.rpartition(": ")[2])


@lru_cache(maxsize=2)
def _sections(kind: str, beside: tuple[Beside, ...]) -> dict[str, str | None]:
    """Path of an included file → the section of the first line that includes it. A file without sections may include
    others, too: then it is read again once its own section is known."""
    files = {file.name.rpartition(": ")[2]: file for file in beside if "include" in file.text.lower()}
    sections: dict[str, str | None] = {}
    pending: list[tuple[str, str | None]] = [(path, None) for path in files]
    while pending:
        path, begins = pending.pop(0)
        for include in read_settings(kind, files[path].text, files[path].name, begins).includes:
            wanted = included(path, include.value.text)[0]
            if wanted != path and wanted not in sections:
                sections[wanted] = include.section
                if wanted in files:
                    pending.append((wanted, include.section))
    return sections


def mount_is_missing(name: str, where: str, beside: Sequence[Beside]) -> bool:
    """Whether an automount unit has no mount unit and no line of fstab. False unless its folder is part of the run."""
    if not name.endswith(".automount") or not where.startswith("/"):
        return False
    mount = _last(name).removesuffix(".automount") + ".mount"
    folder = name.rpartition("/")[0]
    units = [file.name for file in beside if file.kind == "systemd-mount" and file.name != name]
    if not any(unit.rpartition("/")[0] == folder for unit in units):
        return False  # the unit was named alone, without its folder
    targets = (
        entry.target.value for file in beside if file.kind == "fstab"
        for entry in read_fstab(file.text, file.name).entries if entry.target.parts
    )
    return not any(_last(file.name) == mount for file in beside) and plain(where) not in map(plain, targets)


def _changed(name: str) -> str:
    """The mount unit that a drop-in changes: `mount` for all mount units, `srv-.mount` for those whose names begin with
    `srv-`, "" for a file that is not a drop-in."""
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

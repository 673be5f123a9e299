"""Which files of a run are read together: exports and exports.d, a unit and its drop-ins, a file and its includes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from posixpath import normpath

from advisor.files.exports import folder_of, order, plain
from advisor.files.fstab import read as read_fstab
from advisor.files.kinds import read_settings
from advisor.files.patterns import name_fits, name_parts
from advisor.files.units import leaves_type_open, options_at
from advisor.named_tuple import NamedTuple, grouped
from advisor.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from advisor.files.records import Assignment, Assignments

    _Made = TypeVar("_Made")


INCLUDING = ("nfs.conf", "idmapd.conf", "ganesha.conf")
"""Kinds in which one file can include another."""
MAX_INCLUDED = 10
"""Files of which each includes the next one."""
TOGETHER = ("exports", "systemd-mount", "fstab", *INCLUDING)
"""Kinds of files in which one file affects another."""
_ALL = "mount"
"""Drop-ins in mount.d change all mount units."""
_NFS_UNIT = regex(r"^Type=nfs4?$", re.MULTILINE)


class Beside(NamedTuple):
    """Another file of the same run. `kind`: as in advisor.files.kinds."""

    kind: str
    name: str
    text: str


class RunFiles(tuple[Beside, ...]):
    """The files of a run. What is asked about one of them is answered without a look at all others."""

    @classmethod
    def of(cls, files: Sequence[Beside]) -> RunFiles:
        return files if isinstance(files, RunFiles) else cls(files)

    @cached_property
    def _made(self) -> dict[object, object]:
        return {}

    def once(self, about: object, make: Callable[[], _Made]) -> _Made:
        """What is made of the files, the first time that it is asked about."""
        if about not in self._made:
            self._made[about] = make()
        return self._made[about]  # type: ignore[return-value]

    @cached_property
    def kinds(self) -> dict[str, list[Beside]]:
        return grouped((file.kind, file) for file in self)

    @cached_property
    def units(self) -> dict[str, str]:
        """Name of a mount unit, or of several as drop-ins have it → its text, of several the first of type nfs."""
        units: dict[str, str] = {}
        settled: set[str] = set()
        for file in self:
            is_nfs = file.name.endswith(".mount") and _NFS_UNIT.search(file.text) is not None
            for name in _changed_as(_last(file.name)):
                if name not in units or (is_nfs and name not in settled):
                    units[name] = file.text
                if is_nfs:
                    settled.add(name)
        return units

    @cached_property
    def drop_ins(self) -> dict[str, Beside]:
        """Name of a mount unit, or of several → the drop-in with options that is read last."""
        last: dict[str, Beside] = {}
        for file in self:
            unit = _changed(file.name)
            before = last.get(unit)
            if unit and (before is None or _last(before.name) <= _last(file.name)) and options_at(file.text):
                last[unit] = file
        return last

    @cached_property
    def folders(self) -> dict[str, set[str]]:
        """Folder → the names of its units."""
        folders: dict[str, set[str]] = {}
        for file in self.kinds.get("systemd-mount", ()):
            folders.setdefault(file.name.rpartition("/")[0], set()).add(file.name)
        return folders

    @cached_property
    def last_names(self) -> frozenset[str]:
        return frozenset(_last(file.name) for file in self)

    @cached_property
    def mounted(self) -> frozenset[str]:
        """The targets of all lines of fstab."""
        return frozenset(
            plain(entry.target.value) for file in self.kinds.get("fstab", ())
            for entry in read_fstab(file.text, file.name).entries if entry.target.parts
        )


def exports_of(run: RunFiles, folder: str) -> list[Beside]:
    """The files that exportfs reads for this folder, in its order."""
    files = [file for file in run.kinds.get("exports", ()) if folder_of(file.name) == folder]
    return sorted(files, key=lambda file: order(file.name))


def unit_of(name: str, beside: Sequence[Beside]) -> str:
    """The text of the mount unit that a drop-in changes, of several the first of type nfs; "" if the file is not a
    drop-in or its unit is missing."""
    return RunFiles.of(beside).units.get(_changed(name), "")


def without_unit(name: str, text: str, beside: Sequence[Beside]) -> bool:
    """Whether a drop-in gives options to mounts of a type that neither it nor a unit of the run states."""
    return bool(_changed(name)) and leaves_type_open(text, unit_of(name, beside))


def replacing(name: str, beside: Sequence[Beside]) -> Beside | None:
    """The drop-in whose options count instead of those of this mount unit, or of this drop-in of one unit."""
    changed = _changed(name)
    unit, after = changed or _last(name), _last(name) if changed else ""
    if changed == _ALL or (changed.endswith("-.mount") and changed != "-.mount"):
        return None
    drop_ins = RunFiles.of(beside).drop_ins
    files = (drop_ins[of] for of in _changed_as(unit) if of in drop_ins)
    last = max(files, key=lambda file: _last(file.name), default=None)
    return last if last is not None and _last(last.name) > after else None


class Linked(NamedTuple):
    """Files that include one another. `whole`: whether every file that they include is here."""

    files: list[Assignments]
    whole: bool


def read_together(kind: str, name: str, beside: Sequence[Beside]) -> Linked | None:
    """The files that the program reads as one with this one, itself included; None if it reads this one alone."""
    run = RunFiles.of(beside)
    return run.once(("links", kind), lambda: _linked(run, kind)).get(name.rpartition(": ")[2])


def _linked(run: RunFiles, kind: str) -> dict[str, Linked]:
    """Path → the files that include it or that it includes, directly or through others (union-find)."""
    files = {file.name.rpartition(": ")[2]: read_settings(kind, file.text, file.name)
             for file in run.kinds.get(kind, ())}
    above: dict[str, str] = {}
    lacking: list[str] = []

    def first_of(path: str) -> str:
        while path in above:
            above[path] = path = above.get(above[path], above[path])
        return path

    @cache
    def within(folder: str) -> str:
        """One of the files that this pattern names, tied to all others; "" if there is none."""
        parts = name_parts(folder)
        named = [path for path in files if name_fits(path, parts)]
        for path in named[1:]:
            tie(path, named[0])
        return named[0] if named else ""

    def tie(path: str, other: str) -> None:
        one, two = first_of(path), first_of(other)
        if one != two:
            above[one] = two

    for path, file in files.items():
        for include in file.includes:
            folder = included_folder(path, include)
            wanted = normpath(folder or included(path, include.value.text)[0])
            is_file = include.key.text.lower() == "include" and wanted in files
            other = within(wanted) if folder else wanted if is_file else ""
            if other:
                tie(path, other)
            else:
                lacking.append(path)
    incomplete = {first_of(path) for path in lacking}
    groups: dict[str, Linked] = {}
    for path, file in files.items():
        groups.setdefault(first_of(path), Linked([], first_of(path) not in incomplete)).files.append(file)
    return {path: groups[first_of(path)] for path in files if len(groups[first_of(path)].files) > 1}


def section_of(kind: str, name: str, beside: Sequence[Beside]) -> str | None:
    """The section in which another file includes this one; None if none does."""
    run = RunFiles.of(beside)
    return run.once(("sections", kind), lambda: _sections(run, kind)).get(name.rpartition(": ")[2])


def _sections(run: RunFiles, kind: str) -> dict[str, str | None]:
    """Path of an included file → the section of the first line that includes it. A file without sections may include
    others, too: then it is read again once its own section is known."""
    files = {file.name.rpartition(": ")[2]: file for file in run.kinds.get(kind, ()) if "include" in file.text.lower()}
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
    run = RunFiles.of(beside)
    units = run.folders.get(name.rpartition("/")[0], set())
    if len(units) <= (name in units):
        return False  # the unit was named alone, without its folder
    mount = _last(name).removesuffix(".automount") + ".mount"
    return mount not in run.last_names and plain(where) not in run.mounted


def _changed(name: str) -> str:
    """The mount unit that a drop-in changes: `mount` for all mount units, `srv-.mount` for those whose names begin with
    `srv-`, "" for a file that is not a drop-in."""
    folder, _, last = name.rpartition("/")
    unit = _last(folder).removesuffix(".d")
    is_one = _last(folder).endswith(".d") and (unit == _ALL or unit.endswith(".mount")) and last.endswith(".conf")
    return unit if is_one else ""


def _changed_as(unit: str) -> Iterator[str]:
    """The names by which drop-ins change a mount unit: its own, that of all, and those of its prefixes."""
    if unit.endswith(".mount"):
        yield unit
        yield _ALL
        yield from (f"{unit[:at + 1]}.mount" for at, sign in enumerate(unit) if sign == "-" and 0 < at < len(unit) - 7)


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def included(name: str, value: str) -> tuple[str, bool]:
    """The file that `include=` in the file `name` refers to, and whether it may be missing (a leading dash)."""
    optional = value.startswith("-")
    path = value[1:] if optional else value
    beside = "/" in name and not path.startswith("/")
    return f"{name.rpartition('/')[0]}/{path}" if beside else path, optional


def included_folder(name: str, directive: Assignment) -> str | None:
    """The pattern of the files that a directive in the file `name` includes; None if it does not name a folder."""
    if directive.key.text.lower() != "dir":
        return None
    path = included(name, directive.value.text.rstrip("/"))[0]
    return path if "*" in path.rpartition("/")[2] else f"{path}/*"

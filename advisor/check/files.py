"""The files of a host that concern NFS, as kb/host-files.yaml lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from advisor.files.autofs import maps
from advisor.files.kinds import INCLUDING, included, included_folder, read_settings
from advisor.globs import matches
from advisor.host.tree import FileRead, NotCollected, Tree, Unread
from advisor.rulebase.model import HostFile

ETAB = "/var/lib/nfs/etab"
"""What the kernel's server exports now."""
MAX_FILES = 2000
"""Of one entry."""


class HostText(NamedTuple):
    """A file that was read. `path`: on the host; `name`: how people find it."""

    host_file: HostFile
    path: str
    name: str
    text: str


class HiddenFile(NamedTuple):
    """A file that another one of the same name hides. `masked`: that one is a link to /dev/null, or empty."""

    host_file: HostFile
    path: str
    by: str
    masked: bool


class UnseenFile(NamedTuple):
    """What could not be read. `why`: in words that do not repeat the path. `there`: it exists. `whole`: no place of
    such files could be looked at."""

    title: str
    path: str
    why: str
    there: bool
    whole: bool = False


class CollectedFiles(NamedTuple):
    """`texts`: in the order of the entries, and those of one entry in the order of its patterns. `others`: those that
    do not concern NFS."""

    texts: list[HostText]
    hidden: list[HiddenFile]
    unseen: list[UnseenFile]
    others: list[HostText]


def collect(tree: Tree, wanted: Sequence[HostFile]) -> CollectedFiles:
    """Every file of these entries of kb/host-files.yaml that exists, each once."""
    collected = CollectedFiles([], [], [], [])
    real: set[str] = set()
    layout = tree.layout
    for host_file in wanted:
        if not host_file.only or (layout is not None and layout.id in host_file.only):
            _Collector(tree, host_file, collected, real).collect()
    return collected


class _Collector:
    """Collects the files of one entry. `real`: paths without links of all files that were read."""

    def __init__(self, tree: Tree, host_file: HostFile, collected: CollectedFiles, real: set[str]) -> None:
        self.tree, self.host_file, self.found, self.real = tree, host_file, collected, real
        self.first: dict[str, str] = {}
        """Name of a file → the first path with it, which hides the others."""
        self.masks: set[str] = set()

    def collect(self) -> None:
        before = len(self.found.unseen)
        for pattern in self.host_file.at:
            for number, path in enumerate(self._expanded(pattern)):
                if number >= MAX_FILES:
                    self._unseen(pattern, f"there are more than {MAX_FILES} files")
                    break
                self._file(path)
        unseen = self.found.unseen[before:]
        if len({file.path for file in unseen if not file.there}) == len(self.host_file.at):
            self.found.unseen[before:] = [file._replace(whole=True) for file in unseen]

    def _file(self, path: str) -> None:
        if self.host_file.same_name == "hides":
            first = self.first.setdefault(path.rpartition("/")[2], path)
            if first != path:
                if self._are_two_files(path, first):
                    self.found.hidden.append(HiddenFile(self.host_file, path, first, first in self.masks))
                return
        try:
            if self.tree.masked(path):
                self.masks.add(path)
                return
            file = self._read_once(path)
        except Unread as error:
            try:
                file = self.tree.read(path)  # a copy may have it in another place
            except Unread:
                self._unseen(path, str(error), not isinstance(error, NotCollected))
                return
        if file is not None:
            if not file.text.strip():
                self.masks.add(path)
            self._add(path, file)

    def _read_once(self, path: str) -> FileRead | None:
        """A file; None if it does not exist, or was read already. Raises Unread."""
        real = self.tree.real(path) if self.tree.exists(path) else ""
        if not real or real in self.real:
            return None
        file = self.tree.read(path)
        self.real.add(real)
        return file

    def _add(self, path: str, file: FileRead) -> None:
        about = self.host_file.about
        concerned = not about or any(word in file.text for word in about)
        (self.found.texts if concerned else self.found.others).append(self._host_text(path, file))
        if self.host_file.kind in INCLUDING:
            self._add_included(path, file.text)
        for map_name in maps(file.text) if self.host_file.maps else ():
            if map_name.program:
                self._unseen(map_name.path, "it is a program, which is not run")
            elif not map_name.path:
                self._unseen(map_name.text, "this map is in no file")
            else:
                self._add_map(map_name.path)

    def _host_text(self, path: str, file: FileRead) -> HostText:
        return HostText(self.host_file, path, file.where if ": " in file.where else path, file.text)

    def _add_included(self, path: str, text: str) -> None:
        for wanted in self._included_paths(path, text):
            try:
                file = self._read_once(wanted)
            except Unread as error:
                self._unseen(wanted, str(error), not isinstance(error, NotCollected))
                continue
            if file is not None:
                self._add(wanted, file)

    def _included_paths(self, path: str, text: str) -> Iterator[str]:
        """The paths of the files that this one includes."""
        for directive in read_settings(self.host_file.kind, text, path).includes[:MAX_FILES]:
            folder = included_folder(path, directive)
            if folder is not None:
                yield from self._expanded(os.path.normpath(folder))
            elif directive.key.text.lower() == "include":
                yield os.path.normpath(included(path, directive.value.text)[0])

    def _add_map(self, path: str) -> None:
        try:
            file = self._read_once(path)
        except Unread as error:
            self._unseen(path, f"the map {path}: {str(error).partition(' ')[2]}")
            return
        if file is None:
            return
        if file.text.startswith("#!"):
            self._unseen(path, "it is a program, which is not run")
        else:
            self.found.texts.append(self._host_text(path, file))

    def _are_two_files(self, path: str, other: str) -> bool:
        """/lib may be a link to /usr/lib."""
        try:
            return self.tree.masked(other) or self.tree.real(path) != self.tree.real(other)
        except Unread:
            return True

    def _expanded(self, pattern: str) -> Iterator[str]:
        """The paths that fit a pattern, in which the names of folders may have asterisks too."""
        above, _, name = pattern.rpartition("/")
        if "*" not in pattern:
            yield pattern
            return
        for folder in self._expanded(above) if "*" in above else (above,):
            if "*" not in name:
                yield f"{folder}/{name}"
                continue
            try:
                names = self.tree.names(folder)
            except Unread as error:
                self._unseen(pattern, str(error), not isinstance(error, NotCollected))
                continue
            for candidate in names:
                if matches(candidate, name) and (not candidate.startswith(".") or name == "*"):
                    yield f"{folder}/{candidate}"

    def _unseen(self, path: str, why: str, there: bool = True) -> None:
        if why.startswith("/"):
            why = why.rpartition(": ")[2] if ": " in why else why.partition(" ")[2].removeprefix("was ")
        self.found.unseen.append(UnseenFile(self.host_file.title, path, why, there))

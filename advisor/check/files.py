"""The files of a host that concern NFS, as kb/host-files.yaml lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from advisor.globs import matches
from advisor.host.tree import NotCollected, Tree, Unread
from advisor.readers.autofs import maps
from advisor.readers.settings import INCLUDING, included, included_folder, read
from advisor.rulebase.model import HostFile

ETAB = "/var/lib/nfs/etab"
"""What the kernel's server exports now."""
MAX_FILES = 2000
"""Of one entry; a host with more is beyond what anyone reads."""


class HostText(NamedTuple):
    """A file that was read. `path`: on the host; `name`: how people find it."""

    host_file: HostFile
    path: str
    name: str
    text: str


class Hidden(NamedTuple):
    """A file that another one of its name hides. `masked`: the other one is a link to /dev/null, or empty."""

    host_file: HostFile
    path: str
    by: str
    masked: bool


class Unseen(NamedTuple):
    """What could not be read. `why`: in words that do not repeat the path."""

    title: str
    path: str
    why: str
    there: bool
    """It is there, but cannot be read."""
    whole: bool = False
    """No place where such files may be could be looked at."""


class Collected(NamedTuple):
    """`texts` in the order in which the entries stand, and those of one entry in the order of its patterns."""

    texts: list[HostText]
    hidden: list[Hidden]
    unseen: list[Unseen]
    others: list[HostText]
    """What does not concern NFS."""


def exportfs_reads(path: str) -> bool:
    """Whether exportfs reads a file: /etc/exports, or one in exports.d with the right name."""
    name = path.rpartition("/")[2]
    return path == "/etc/exports" or (name.endswith(".exports") and not name.startswith("."))


def collect(tree: Tree, wanted: Sequence[HostFile]) -> Collected:
    """Every file of these entries that is there, each once."""
    found = Collected([], [], [], [])
    real: set[str] = set()
    layout = tree.layout
    for wanted_file in wanted:
        if wanted_file.only and (layout is None or layout.id not in wanted_file.only):
            continue
        _Entry(tree, wanted_file, found, real).look()
    return found


class _Entry:
    def __init__(self, tree: Tree, host_file: HostFile, found: Collected, real: set[str]) -> None:
        self.tree, self.host_file, self.found, self.real = tree, host_file, found, real
        self.first: dict[str, str] = {}
        self.masks: set[str] = set()

    def look(self) -> None:
        before = len(self.found.unseen)
        for pattern in self.host_file.at:
            for number, path in enumerate(self._expanded(pattern)):
                if number >= MAX_FILES:
                    self._unseen(pattern, f"there are more than {MAX_FILES} files")
                    break
                self._file(path)
        lost = self.found.unseen[before:]
        if len({one.path for one in lost if not one.there}) == len(self.host_file.at):
            self.found.unseen[before:] = [one._replace(whole=True) for one in lost]

    def _file(self, path: str) -> None:
        name = path.rpartition("/")[2]
        if self.host_file.same_name == "hides":
            if name in self.first:
                if self._another(path, self.first[name]):
                    by = self.first[name]
                    self.found.hidden.append(Hidden(self.host_file, path, by, by in self.masks))
                return
            self.first[name] = path
        try:
            if self.tree.masked(path):
                self.masks.add(path)
                return
            place = self.tree.real(path) if self.tree.exists(path) else ""
            if not place or place in self.real:
                return
            text, shown = self.tree.read(path)
        except Unread as error:
            self._elsewhere(path, error)
            return
        self.real.add(place)
        if not text.strip():
            self.masks.add(path)
        self._take(path, shown, text)

    def _elsewhere(self, path: str, error: Unread) -> None:
        """A path that a copy may hold in another place."""
        try:
            text, shown = self.tree.read(path)
        except Unread:
            self._unseen(path, str(error), not isinstance(error, NotCollected))
            return
        self._take(path, shown, text)

    def _take(self, path: str, shown: str, text: str) -> None:
        concerned = not self.host_file.about or any(word in text for word in self.host_file.about)
        taken = self.found.texts if concerned else self.found.others
        taken.append(HostText(self.host_file, path, shown if ": " in shown else path, text))
        if self.host_file.kind in INCLUDING:
            self._included(path, text)
        for one in maps(text) if self.host_file.maps else ():
            if one.program:
                self._unseen(one.path, "it is a program, which is not run")
            elif not one.path:
                self._unseen(one.text, "this map is in no file")
            else:
                self._map(one.path)

    def _included(self, path: str, text: str) -> None:
        """The files that this one includes, as far as they are here."""
        for wanted in self._wanted(path, text):
            try:
                if self.tree.exists(wanted) and self.tree.real(wanted) not in self.real:
                    content, shown = self.tree.read(wanted)
                    self.real.add(self.tree.real(wanted))
                    self._take(wanted, shown, content)
            except Unread as error:
                self._unseen(wanted, str(error), not isinstance(error, NotCollected))

    def _wanted(self, path: str, text: str) -> Iterator[str]:
        """The paths of the files that this one includes."""
        for one in read(self.host_file.kind, text, path).includes[:MAX_FILES]:
            folder = included_folder(path, one)
            if folder is not None:
                yield from self._expanded(os.path.normpath(folder))
            elif one.key.text.lower() == "include":
                yield os.path.normpath(included(path, one.value.text)[0])

    def _map(self, path: str) -> None:
        try:
            if not self.tree.exists(path) or self.tree.real(path) in self.real:
                return
            text, shown = self.tree.read(path)
            self.real.add(self.tree.real(path))
        except Unread as error:
            self._unseen(path, f"the map {path}: {str(error).partition(' ')[2]}")
            return
        if text.startswith("#!"):
            self._unseen(path, "it is a program, which is not run")
        else:
            self.found.texts.append(HostText(self.host_file, path, shown if ": " in shown else path, text))

    def _another(self, path: str, first: str) -> bool:
        """Whether two paths are two files: /lib may be a link to /usr/lib."""
        try:
            return self.tree.masked(first) or self.tree.real(path) != self.tree.real(first)
        except Unread:
            return True

    def _expanded(self, pattern: str) -> Iterator[str]:
        """The paths that a pattern stands for; folders may have an asterisk too."""
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
            for one in names:
                if matches(one, name) and (not one.startswith(".") or name == "*"):
                    yield f"{folder}/{one}"

    def _unseen(self, path: str, why: str, there: bool = True) -> None:
        if why.startswith("/"):
            why = why.rpartition(": ")[2] if ": " in why else why.partition(" ")[2].removeprefix("was ")
        self.found.unseen.append(Unseen(self.host_file.title, path, why, there))

"""A host looked at through a bundle, and the recording of what is asked of a host while it is looked at."""

from __future__ import annotations

from contextlib import suppress

from advisor.host.bundle import PathsRead
from advisor.host.store import Kept, Unread
from advisor.host.tree import MAX_BYTES, MOUNTINFO, FileRead, Missing, NotCollected, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from advisor.host.bundle import Bundle
    from advisor.rulebase.model import Layout


class BundleTree(Tree):
    """The host of a bundle. What was not asked for when the bundle was made was not collected."""

    def __init__(self, name: str, bundle: Bundle, layouts: dict[str, Layout]) -> None:
        """`name`: of the bundle, for people."""
        self.bundle = bundle
        self.answers = answers = bundle.answers
        self.there = frozenset((*answers.there, *answers.files))
        self.absent, self.masks = frozenset(answers.absent), frozenset(answers.masked)
        super().__init__(name, False, (), Kept({}))
        self.lies.layout = layouts.get(bundle.layout)
        self.runs = bundle.runs
        self.denied = dict.fromkeys(answers.denied)

    def read(self, path: str, _limit: int = MAX_BYTES) -> FileRead:
        text = self.answers.files.get(path)
        if text is None:
            raise self._why(path)
        return FileRead(text, self.answers.where.get(path, path))

    def exists(self, path: str) -> bool:
        if path in self.there or path in self.absent:
            return path in self.there
        raise self._why(path)

    def names(self, folder: str) -> list[str]:
        found = self.answers.folders.get(folder)
        if found is None:
            raise self._why(folder)
        return list(found)

    def real(self, path: str) -> str:
        target = self.answers.links.get(path, path)
        if target is None:
            raise Missing(f"{path} does not exist", path)
        return target

    def masked(self, path: str) -> bool:
        return path in self.masks

    def program(self, words: str, _ask: Callable[[], str]) -> str:
        answer = self.answers.programs.get(words)
        if answer is None:
            raise NotCollected(f"what {words} prints was not collected")
        if answer.startswith("! "):
            raise Unread(answer[2:])
        return answer

    def _why(self, path: str) -> Unread:
        """Why there is nothing to be had of a path."""
        if path in self.answers.unread:
            return Unread(self.answers.unread[path])
        if path in self.absent:
            return Missing(f"{path} does not exist", path)
        return NotCollected(self.answers.uncollected.get(path, f"{path} was not collected"))


class Recorder(Tree):
    """A tree that remembers what it was asked, and what it answered."""

    def __init__(self, tree: Tree) -> None:
        self.__dict__.update(tree.__dict__)
        self.tree = tree
        self.files: dict[str, str] = {}
        self.where: dict[str, str] = {}
        self.links: dict[str, str | None] = {}
        self.masks: dict[str, None] = {}
        self.folders: dict[str, list[str]] = {}
        self.there: dict[str, None] = {}
        self.absent: dict[str, None] = {}
        self.uncollected: dict[str, str] = {}
        self.unread: dict[str, str] = {}
        self.programs: dict[str, str] = {}
        self.asked: set[str] = set()
        """Every path that something was asked of."""
        with suppress(Unread):
            self.read(MOUNTINFO)  # each tree looks at its mounts before all else

    def read(self, path: str, limit: int = MAX_BYTES) -> FileRead:
        self.asked.add(path)
        try:
            found = self.tree.read(path, limit)
        except Unread as error:
            raise self._not(path, error) from None
        self.files[path] = found.text
        if found.where != path:
            self.where[path] = found.where
        return found

    def exists(self, path: str) -> bool:
        self.asked.add(path)
        try:
            found = self.tree.exists(path)
        except Unread as error:
            raise self._not(path, error) from None
        (self.there if found else self.absent)[path] = None
        return found

    def names(self, folder: str) -> list[str]:
        self.asked.add(folder)
        try:
            found = self.tree.names(folder)
        except Unread as error:
            raise self._not(folder, error) from None
        self.folders[folder] = found
        return found

    def real(self, path: str) -> str:
        self.asked.add(path)
        try:
            found = self.tree.real(path)
        except Unread:
            self.links[path] = None
            raise
        if found != path:
            self.links[path] = found
        return found

    def masked(self, path: str) -> bool:
        self.asked.add(path)
        try:
            found = self.tree.masked(path)
        except Unread as error:
            raise self._not(path, error) from None
        if found:
            self.masks[path] = None
        return found

    def program(self, words: str, ask: Callable[[], str]) -> str:
        try:
            self.programs[words] = self.tree.program(words, ask)
        except Unread as error:
            self.programs[words] = f"! {error}"
            raise
        return self.programs[words]

    def kept(self, named: Container[str], before: Container[str]) -> PathsRead:
        """What was answered until now. `named`: names that matter in any folder; of others those that were asked for
        are kept. `before`: what was asked for before the host was to be compared with others."""
        folders = {
            folder: [name for name in names if f"{folder}/{name}" in self.asked or name in named]
            for folder, names in self.folders.items()
        }
        beside = [path for path in sorted(self.asked) if path not in before]
        there = [path for path in self.there if path not in self.files]
        return PathsRead(
            self.files, self.where, self.links, list(self.masks), folders, there, list(self.absent), self.uncollected,
            self.unread, list(self.denied), self.programs, beside,
        )

    def _not(self, path: str, error: Unread) -> Unread:
        """Keeps why a path could not be read."""
        if isinstance(error, Missing):
            self.absent[path] = None
        elif isinstance(error, NotCollected):
            if str(error) != f"{path} was not collected":
                self.uncollected[path] = str(error)
        else:
            self.unread[path] = str(error)
        return error

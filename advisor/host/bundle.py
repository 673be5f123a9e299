"""Bundles: everything that was read of a host, as one JSON text; recording one, and reading a host from one."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, NamedTuple, TypeVar

from advisor.host.tree import MAX_BYTES, MOUNTINFO, FileRead, FilesInMemory, MissingPath, NotCollected, Tree, Unread
from advisor.named_tuple import FormatError, read_record
from advisor.rulebase.model import Layout
from advisor.user_files import UserFileError, parse_json

T = TypeVar("T")

SCHEMA, VERSION = "advisor-bundle", 1
MAX_BUNDLE = 1 << 20
"""Bytes of one bundle that is read: those that advisor writes have at most 64 KiB."""
MAX_CUT = 256
"""MiB of a line that are read to find its end."""
_LARGE = (
    f"larger than {MAX_BUNDLE >> 20} MiB, and a bundle has at most 64 KiB; if one line contains several, write each on "
    "its own line, else write it again with advisor facts --bundle"
)


class PathsRead(NamedTuple):
    """What was found at the paths that were asked for, and at no others.

    `files`: texts. `where`: how people find a text that is not at its path. `links`: what a path leads to; None if a
    copy has its text in another place. `masked`: links to /dev/null. `folders`: those names in them that were asked
    for. `there`: paths that exist, of which no text was asked for. `absent`: paths that certainly do not exist.
    `uncollected`, `unread`: why. `denied`: paths that the user may not read. `programs`: what they printed, or "! " and
    why they did not. `beside`: of all these, the paths that were asked for only to compare the host with others."""

    files: Mapping[str, str] = {}
    where: Mapping[str, str] = {}
    links: Mapping[str, str | None] = {}
    masked: Sequence[str] = ()
    folders: Mapping[str, Sequence[str]] = {}
    there: Sequence[str] = ()
    absent: Sequence[str] = ()
    uncollected: Mapping[str, str] = {}
    unread: Mapping[str, str] = {}
    denied: Sequence[str] = ()
    programs: Mapping[str, str] = {}
    beside: Sequence[str] = ()


class Bundle(NamedTuple):
    """`made`: ISO 8601 in UTC; `advisor`: the version that made it. `layout`: of the copy that it was made of, "" for
    none. `runs`: it was made on the host itself, where programs can be asked."""

    host: str
    made: str
    advisor: str
    layout: str
    runs: bool
    answers: PathsRead


def read(text: str, name: str) -> Bundle:
    """The bundle in a JSON text, which people call `name`. Raises Unread, with why it cannot be used."""
    if len(text) > MAX_BUNDLE:
        raise Unread(f"{name}: {_LARGE}")
    try:
        data = parse_json(text, name)
    except UserFileError as error:
        raise Unread(str(error)) from None
    if not isinstance(data, dict):
        raise Unread(f"{name}: not a bundle: the text contains no object")
    schema, _, version = str(data.get("schema")).partition("/")
    if schema != SCHEMA:
        raise Unread(f"{name}: not a bundle: its schema is not {SCHEMA}/{VERSION}")
    if version != str(VERSION):
        raise Unread(f"{name}: a bundle of version {version:.20}, and this advisor reads version {VERSION}")
    layout, runs = data.get("layout") or "", data.get("runs") is True
    try:
        whole = {**data, "layout": layout, "runs": runs, "answers": data.get("read")}
        return read_record(Bundle, whole, {"PathsRead": PathsRead})
    except FormatError as why:
        raise Unread(f"{name}: damaged: {why}") from None


def is_bundle(path: str) -> bool:
    """Whether a file begins as JSON does, packed or not."""
    try:
        with open(path, "rb") as raw:  # noqa: PTH123  pathlib costs 15 ms at import
            return _decompressed(raw).read(1) == b"{"
    except (OSError, EOFError, zlib.error):
        return False


def bundles(path: str) -> Iterator[tuple[str, str]]:
    """(its place, its text) of each bundle in a file: one in all, or one on each line. Raises Unread.

    Whatever the size of the file, only one bundle is in memory at a time."""
    lines = _lines(path)
    first = next(lines, None)
    if first is None:
        raise Unread(f"{path}: empty")
    number, text = first
    second = next(lines, None)
    if second is None or text.strip() == "{":  # printed over several lines: it is one
        rest = [text] if second is None else [text, second[1]]
        size = sum(map(len, rest))
        for _, line in lines:
            size += len(line)
            if size > MAX_BUNDLE:
                raise Unread(f"{path}: {_LARGE}")
            rest.append(line)
        yield path, "\n".join(rest)
        return
    yield f"{path}:{number}", text
    yield f"{path}:{second[0]}", second[1]
    for number, text in lines:
        yield f"{path}:{number}", text


def _lines(path: str) -> Iterator[tuple[int, str]]:
    try:
        with open(path, "rb") as raw:  # noqa: PTH123  pathlib costs 15 ms at import
            yield from numbered_lines(_decompressed(raw))
    except Unread as error:
        raise Unread(f"{path}: {error}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise Unread(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def numbered_lines(file: IO[bytes]) -> Iterator[tuple[int, str]]:
    """(number, text) of each line that is not blank. One that is longer than a bundle is cut, and still too long.

    Raises Unread for one whose end is not found: a small file of gzip may hold one of any length."""
    number = 0
    while line := file.readline(MAX_BUNDLE + 1):
        number += 1
        rest, left = line, MAX_CUT
        while not rest.endswith(b"\n") and (rest := file.readline(MAX_BUNDLE)):
            left -= 1
            if not left:
                raise Unread(f"line {number} has more than {MAX_CUT} MiB; it and what is behind it are not read")
        if len(line) > MAX_BUNDLE:
            yield number, line.decode("latin-1")  # a character for each byte
        elif line.strip():
            yield number, line.decode("utf-8", "surrogateescape")


def _decompressed(raw: IO[bytes]) -> IO[bytes]:
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if not packed:
        return raw
    import gzip  # noqa: PLC0415

    return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]


class BundleTree(Tree):
    """The files of a host in a bundle. A path that was not read when the bundle was made counts as not collected."""

    def __init__(self, name: str, bundle: Bundle, layouts: dict[str, Layout]) -> None:
        """`name`: of the bundle, for people."""
        self.bundle = bundle
        self.answers = answers = bundle.answers
        self.there = frozenset((*answers.there, *answers.files))
        self.absent, self.masks = frozenset(answers.absent), frozenset(answers.masked)
        super().__init__(name, False, (), FilesInMemory({}))
        self.copy.layout = layouts.get(bundle.layout)
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
        names = self.answers.folders.get(folder)
        if names is None:
            raise self._why(folder)
        return list(names)

    def real(self, path: str) -> str:
        target = self.answers.links.get(path, path)
        if target is None:
            raise MissingPath(f"{path} does not exist", path)
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
        if path in self.answers.unread:
            return Unread(self.answers.unread[path])
        if path in self.absent:
            return MissingPath(f"{path} does not exist", path)
        return NotCollected(self.answers.uncollected.get(path, f"{path} was not collected"))


class Recorder(Tree):
    """A tree that records each path it was asked for, and the answer."""

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
        """Every path that was asked for."""
        with suppress(Unread):
            self.read(MOUNTINFO)  # each tree reads its mounts first

    def read(self, path: str, limit: int = MAX_BYTES) -> FileRead:
        file = self._answer(path, lambda: self.tree.read(path, limit))
        self.files[path] = file.text
        if file.where != path:
            self.where[path] = file.where
        return file

    def exists(self, path: str) -> bool:
        is_there = self._answer(path, lambda: self.tree.exists(path))
        (self.there if is_there else self.absent)[path] = None
        return is_there

    def names(self, folder: str) -> list[str]:
        self.folders[folder] = names = self._answer(folder, lambda: self.tree.names(folder))
        return names

    def masked(self, path: str) -> bool:
        is_masked = self._answer(path, lambda: self.tree.masked(path))
        if is_masked:
            self.masks[path] = None
        return is_masked

    def real(self, path: str) -> str:
        self.asked.add(path)
        try:
            real_path = self.tree.real(path)
        except Unread:
            self.links[path] = None
            raise
        if real_path != path:
            self.links[path] = real_path
        return real_path

    def program(self, words: str, ask: Callable[[], str]) -> str:
        try:
            self.programs[words] = self.tree.program(words, ask)
        except Unread as error:
            self.programs[words] = f"! {error}"
            raise
        return self.programs[words]

    def paths_read(self, named: Container[str], before: Container[str]) -> PathsRead:
        """What was answered until now. `named`: names that are kept in any folder; of others only those that were asked
        for. `before`: the paths that were asked for before the host was compared with others."""
        asked = {*self.asked, *(path.rpartition("/")[0] for path in self.asked)}
        folders = {
            folder: [name for name in names if f"{folder}/{name}" in asked or name in named]
            for folder, names in self.folders.items()
        }
        beside = [path for path in sorted(self.asked) if path not in before]
        there = [path for path in self.there if path not in self.files]
        return PathsRead(
            self.files, self.where, self.links, list(self.masks), folders, there, list(self.absent), self.uncollected,
            self.unread, list(self.denied), self.programs, beside,
        )

    def _answer(self, path: str, ask: Callable[[], T]) -> T:
        """The tree's answer; if there is none, the reason is recorded."""
        self.asked.add(path)
        try:
            return ask()
        except MissingPath:
            self.absent[path] = None
            raise
        except NotCollected as error:
            if str(error) != f"{path} was not collected":
                self.uncollected[path] = str(error)
            raise
        except Unread as error:
            self.unread[path] = str(error)
            raise

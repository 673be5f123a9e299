"""The files of a rule base, hashes of their contents, and a cache: in the checkout, or else in a private folder below
the temporary one. Standard library only, and quick to import.

A cache that cannot be written is no error: its contents are made again."""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor import user_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.document import Problem

FOLDERS = ("rules", "kb")
MAX_PACK = 1 << 22
"""The largest file of a site's own rules, in bytes."""


def files(root: str) -> dict[str, bytes]:
    """Path relative to `root` (with `/`) → content of every file below `rules/` and `kb/`, in order of path.

    Hidden files and editors' backups are left out: they are not part of the rule base."""
    contents: dict[str, bytes] = {}
    for folder in FOLDERS:
        for path, _ in _walk(os.path.join(root, folder), folder):  # noqa: PTH118  pathlib costs 15 ms at import
            with open(f"{root}/{path}", "rb", buffering=0) as stream:  # noqa: PTH123  hundreds of small files
                contents[path] = stream.read()
    return contents


def pack(folder: str) -> dict[str, bytes]:
    """Path → content of every YAML file of a site's own rules. Where there are rules/ and kb/ only these are read.

    Raises user_files.UserFileError and OSError."""
    below = [f"{folder}/{name}" for name in FOLDERS if os.path.isdir(f"{folder}/{name}")]  # noqa: PTH112
    contents: dict[str, bytes] = {}
    for start in below or [folder]:
        for path, _ in _walk(start, start):
            if path.endswith((".yaml", ".yml")):
                contents[path] = user_files.read_bytes(path, MAX_PACK)
    return contents


def expired(contents: Mapping[str, bytes], today: str = "") -> dict[str, str]:
    """Path → the last day, of the files of a site's own rules that no longer hold: they have `until: 2027-11-22` on a
    line of its own. `today`: such as 2026-11-22; "" for the clock's."""
    import re  # noqa: PLC0415  only where a site has rules of its own
    import time  # noqa: PLC0415

    today = today or time.strftime("%Y-%m-%d")
    days = {}
    for path, text in contents.items():
        match = re.search(rb"^until: *[\"']?(\d{4}-\d\d-\d\d)[\"']? *$", text, re.MULTILINE)
        if match and match[1].decode() < today:
            days[path] = match[1].decode()
    return days


def _walk(directory: str, name: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name.startswith((".", "__pycache__")) or entry.name.endswith("~"):
            continue
        if entry.is_dir():
            yield from _walk(entry.path, f"{name}/{entry.name}")
        elif entry.is_file():
            yield f"{name}/{entry.name}", entry


def digest(*parts: bytes) -> str:
    """A hash of the parts; where one part ends matters."""
    try:  # what hashlib imports too, but without OpenSSL, which costs milliseconds to load
        from _blake2 import blake2b  # noqa: PLC0415  an installed wheel never hashes
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415

    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "big"))
        state.update(part)
    return state.hexdigest()


def content_hash(contents: dict[str, bytes]) -> str:
    return digest(*(part for path, content in contents.items() for part in (path.encode(), content)))


def stamp(top: str, folders: Sequence[str] = FOLDERS) -> str:
    """Changes when a file in these folders of `top` is changed, comes or goes. Only names, sizes and times are looked
    at: to read the rules takes longer than to lint a file."""
    marks = []
    for folder in folders:
        for path, entry in _walk(f"{top}/{folder}", folder):
            status = entry.stat()
            marks.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return digest("\n".join(marks).encode())


def code_stamp(*folders: str) -> str:
    """The stamp of the code in these folders of the package, so that nothing outlives the code that made it."""
    return stamp(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), folders)  # noqa: PTH100, PTH120


CACHE = ".advisor-cache"
VERIFIED = "verified.tsv"


def cached_copies(root: str, name: str) -> Iterator[bytes]:
    """The contents cached under `name` for the rule base at `root`, from each cache folder, if undamaged."""
    for folder in _folders(root):
        try:
            with open(f"{folder}/{name}", "rb", buffering=0) as stream:  # noqa: PTH123  pathlib costs 15 ms at import
                head, content = stream.readline(), stream.read()
            if head == _checksum(content):
                yield content
        except OSError:
            continue


def store(root: str, name: str, content: bytes) -> bool:
    """Cache `content` under `name`; False if no cache folder can be written."""
    try:  # noqa: SIM105  contextlib costs milliseconds at import
        os.mkdir(_private_folder(), 0o700)  # noqa: PTH102
    except OSError:
        pass
    for folder in _folders(root):
        try:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            _remove_leftovers(folder, name)
            part = f"{folder}/{name}.{os.getpid()}.part"
            with open(part, "wb") as stream:  # noqa: PTH123
                stream.write(_checksum(content) + content)
            os.replace(part, f"{folder}/{name}")  # noqa: PTH105
            return True
        except OSError:
            continue
    return False


def _checksum(content: bytes) -> bytes:
    """A checksum, since a full disk or a crash may leave a cached file incomplete."""
    return b"%08x\n" % crc32(content)


def _remove_leftovers(folder: str, name: str) -> None:
    """Remove incomplete files of runs that were interrupted. A run that is writing at this moment stores nothing."""
    for left in os.listdir(folder):  # noqa: PTH208
        if left.startswith(f"{name}.") and left.endswith(".part"):
            os.unlink(f"{folder}/{left}")  # noqa: PTH108


def _private_folder() -> str:
    return f"{os.environ.get('TMPDIR') or '/tmp'}/advisor-{os.getuid()}"  # noqa: S108  see below


def _folders(root: str) -> Iterator[str]:
    if os.path.exists(f"{root}/pyproject.toml"):  # noqa: PTH110  a source checkout; other folders are left as they are
        yield f"{root}/{CACHE}"
    try:
        status = os.lstat(_private_folder())
    except OSError:
        return
    # A folder of another user, a link, or one that others can write to could contain a forged rule base.
    if status.st_uid == os.getuid() and status.st_mode & 0o170077 == 0o040000:
        yield f"{_private_folder()}/{digest(os.fsencode(root))}"


class Verified:
    """A cache of the parts of a rule base that passed verification. Each is kept with a hash of its inputs, files of
    the rule base and the program's code, and counts as passed while that hash is the same. Without a root the cache is
    empty."""

    def __init__(self, root: str | None = None, contents: Mapping[str, bytes] | None = None) -> None:
        self.root, self.contents = root, contents or {}
        self.code = code_stamp("")
        self.hashes: dict[str, str] = {}
        self.parts: dict[str, str] = {}
        for kept in cached_copies(root, VERIFIED) if root else ():
            for line in kept.decode().splitlines():
                part, _, rests_on = line.partition("\t")
                self.parts[part] = rests_on
        self.changed = False

    def passed(self, part: str, rests_on: tuple[str, ...]) -> bool:
        """Whether the part passed with the same inputs. `rests_on`: paths of files, and of folders with a final
        slash."""
        return self.parts.get(part) == self._hash(rests_on)

    def add(self, part: str, rests_on: tuple[str, ...]) -> None:
        self.parts[part] = self._hash(rests_on)
        self.changed = True

    def _hash(self, rests_on: tuple[str, ...]) -> str:
        hashes = (self.code, *map(self._content_hash, rests_on))
        return digest(*(each.encode() for each in hashes))

    def _content_hash(self, place: str) -> str:
        if place not in self.hashes:
            below = [place] if place in self.contents else [path for path in self.contents if path.startswith(place)]
            self.hashes[place] = content_hash({path: self.contents[path] for path in below})
        return self.hashes[place]

    def problems(self, part: str, rests_on: tuple[str, ...], verify: Callable[[], Iterable[Problem]]) -> list[Problem]:
        """The problems that `verify` finds in a part; none if the part passed before."""
        if self.passed(part, rests_on):
            return []
        problems = list(verify())
        if not problems:
            self.add(part, rests_on)
        return problems

    def keep(self) -> None:
        """Keep what has passed for the next run."""
        if self.changed and self.root:
            lines = (f"{part}\t{rests_on}" for part, rests_on in sorted(self.parts.items()))
            store(self.root, VERIFIED, "\n".join(lines).encode())

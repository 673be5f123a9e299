"""Files that the user names. Read safely: bounded in size, and parsed as YAML or JSON without aliases. Written
atomically: a new file beside the old one, synced to disk, then moved over it.

Every `lint` reads and seldom writes, so what only writing needs is imported there."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import IO


LARGE = 64 << 20
"""The largest file that is read, in bytes."""
SMALL = 1 << 18
"""The largest configuration, facts file or answers file, in bytes."""
DIGITS = 100
"""The most digits of a number in JSON."""
_STREAMS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Names that a shell makes of `<(command)`: pipes that end, since a command writes to them."""


class UserFileError(ValueError):
    """The file cannot be used; the text begins with its name and says why."""


def read_bytes(path: str, limit: int = LARGE, refuse: Callable[[os.stat_result], str] | None = None) -> bytes:
    """The content of a file of at most `limit` bytes. Raises UserFileError, also for pipes and devices, which might
    block or never end; only /dev/null and the pipes that a shell makes are read. `refuse`: gives the reason why a file
    with this status must not be read, or ""."""
    try:
        piped = path.startswith(_STREAMS) and stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116  pathlib: 15 ms
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if piped else os.O_NONBLOCK))
        try:
            status = os.fstat(handle)
            why = "" if piped else _why_not_read(status)
            if refuse is not None:
                why = why or refuse(status)
            if why:
                raise UserFileError(f"{path}: {why}")
            with os.fdopen(handle, "rb", closefd=False) as file:
                return read_bounded(file, path, limit)
        finally:
            os.close(handle)
    except FileNotFoundError:
        shown = path or "''"  # an empty argument of a script, for instance
        raise UserFileError(f"{shown}: file not found") from None
    except OSError as error:
        raise UserFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UserFileError:
        raise
    except ValueError as error:  # a NUL byte in the name
        raise UserFileError(f"{path!r}: is not a file name: {error}") from None


def read_bounded(file: IO[bytes], name: str, limit: int = LARGE) -> bytes:
    """The rest of an open file, at most `limit` bytes. `name`: for messages. Raises UserFileError if there is more."""
    content = file.read(limit + 1)
    if len(content) > limit:
        size = f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"
        raise UserFileError(f"{name}: is larger than {size}, so the rest was not read")
    return content


def read_text(path: str, limit: int = SMALL, refuse: Callable[[os.stat_result], str] | None = None) -> str:
    """The text of a file, as `read_bytes`. Raises UserFileError."""
    try:
        return read_bytes(path, limit, refuse).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserFileError(f"{path}: not UTF-8 (byte {error.start}): save it as UTF-8") from None


def parse_json(source: str, path: str) -> object:
    """The data of a JSON text; `path` is for messages, "" if the caller names the file. Raises UserFileError."""
    import json  # noqa: PLC0415  seldom needed

    before = f"{path}: " if path else ""
    try:
        return json.loads(source, parse_int=_integer)
    except RecursionError:
        raise UserFileError(f"{before}values nested too deeply") from None
    except ValueError as error:
        raise UserFileError(f"{before}not valid JSON: {error}") from None


def _integer(digits: str) -> int:
    """Older Pythons convert a number of any length, which takes forever."""
    if len(digits) > DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def parse_yaml(source: str, path: str, places: bool = False) -> object:
    """The data of a YAML text; with `places`, in the parser's own types, which know the position of a value.

    Raises UserFileError, also for anchors and aliases, with which a few lines become gigabytes, and for values nested
    too deeply."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415  slow to import

    from advisor.bounded_yaml import BoundError, bounded_yaml  # noqa: PLC0415

    try:
        return bounded_yaml("rt" if places else "safe", aliases=False).load(source)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        why = "" if isinstance(error, BoundError) else "not valid YAML: "
        raise UserFileError(f"{path}{where}: {why}{error.problem or error.context}") from None
    except (YAMLError, ValueError, OverflowError, NotImplementedError) as error:  # numbers, dates, comments
        raise UserFileError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None


def without_places(node: object) -> object:
    """The data that `parse_yaml` read with places, in plain types."""
    if isinstance(node, dict):
        return {str(key): without_places(value) for key, value in node.items()}
    if isinstance(node, list):
        return [without_places(value) for value in node]
    if isinstance(node, bool) or node is None:
        return node
    for kind in (int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return str(node)


def flatten(tree: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """The values of nested mappings by dotted keys."""
    flat: dict[str, object] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        flat.update(flatten(value, f"{name}.") if isinstance(value, dict) else {name: value})
    return flat


def place_of(tree: object, where: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column, from 1, of the innermost of these keys and numbers that the file has."""
    line, column = 0, 0
    node = tree
    for key in where:
        if isinstance(node, list) and isinstance(key, int):
            if key >= len(node):
                break
            line, column = node.lc.item(key)  # type: ignore[attr-defined]
            node = node[key]
            continue
        if isinstance(node, list) and key in node:
            line, column = node.lc.item(node.index(key))  # type: ignore[attr-defined]
            break
        if isinstance(node, dict):
            yaml_key = next((yaml_key for yaml_key in node if str(yaml_key) == key), None)
            if yaml_key is not None:
                line, column = node.lc.key(yaml_key)  # type: ignore[attr-defined]
                node = node[yaml_key]
    return line + 1, column + 1


def _why_not_read(status: os.stat_result) -> str:
    """Why a file of this type is not read, or ""."""
    if stat.S_ISREG(status.st_mode) or (stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3)):
        return ""  # a file, or /dev/null
    if stat.S_ISDIR(status.st_mode):
        return "is a folder; name a file in it"
    return f"is {'a pipe' if stat.S_ISFIFO(status.st_mode) else 'a device'}, not a file"


_SUFFIX = ".advisor-new"


class WriteError(Exception):
    """A file could not be written and is unchanged; the text says why, and what to do."""


class NewFile:
    """A complete new file beside `target`, synced to disk, under a hidden name. It is removed unless it is moved to its
    place.

    It is locked while open. An unlocked one was left by a killed run; the next run for the same target removes it.
    `set_attributes` is called with the open file's descriptor; without it the file gets `mode` less the
    umask. Raises OSError."""

    def __init__(
        self, target: Path, content: bytes, set_attributes: Callable[[int], None] | None = None, mode: int = 0o666
    ) -> None:
        prefix = f".{target.name[:100]}."
        _remove_leftovers(target.parent, prefix)
        self.path, self._handle = _create_locked(target.parent, prefix)
        try:
            with os.fdopen(os.dup(self._handle), "wb") as file:
                file.write(content)
            if set_attributes is None:
                os.fchmod(self._handle, mode & ~_umask())
            else:
                set_attributes(self._handle)
            os.fsync(self._handle)
        except BaseException:
            self.discard()
            raise

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def replace(self, place: Path) -> None:
        """Move the file to this path, over an existing file. Raises OSError."""
        os.replace(self.path, place)  # noqa: PTH105  Path.replace keeps an older os.replace
        os.close(self._handle)
        self._handle = -1

    def link(self, place: Path) -> None:
        """Give the file this name as well. Raises FileExistsError if the name is taken."""
        try:
            os.link(self.path, place)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(place):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from None
            self.replace(place)

    def discard(self) -> None:
        """Remove the file, unless it was moved to its place."""
        if self._handle >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = -1


def _create_locked(folder: Path, prefix: str) -> tuple[Path, int]:
    import fcntl  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    while True:
        handle, name = tempfile.mkstemp(_SUFFIX, prefix, folder)
        path = folder / os.path.basename(name)  # noqa: PTH119
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return path, handle  # a file system without locks: no other run can lock it either, and so remove it
        if os.fstat(handle).st_nlink:
            return path, handle
        os.close(handle)  # another run removed it before this one could lock it


def _remove_leftovers(folder: Path, prefix: str) -> None:
    """Remove the files that killed runs left in a folder."""
    import fcntl  # noqa: PLC0415

    try:
        left = [path for path in folder.iterdir() if path.name.startswith(prefix) and path.name.endswith(_SUFFIX)]
    except OSError:
        return  # a folder that can be written but not read
    for path in left:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
        except OSError:
            pass  # in use, or another run was quicker
        finally:
            os.close(handle)


def save(path: str, content: bytes, mode: int = 0o666) -> None:
    """Replace the file at `path`, or create it. Raises WriteError."""
    target = check_writable(path)
    try:
        with NewFile(target, content, mode=mode) as fresh:
            fresh.replace(target)
    except OSError as error:
        raise WriteError(failure_text(path, error)) from None


def check_writable(path: str) -> Path:
    """The file that `save` would replace. Raises WriteError if it could not. Call it before long work."""
    from pathlib import Path  # noqa: PLC0415

    target = Path(path).resolve()
    if target.is_dir():
        raise WriteError(f"{path}: a folder; name a file")
    if target.exists() and not target.is_file():
        raise WriteError(f"{path}: a device, pipe or socket, which would be replaced by a file; name a file")
    if not target.parent.is_dir():
        raise WriteError(failure_text(path, FileNotFoundError(errno.ENOENT, "")))
    if not os.access(target.parent, os.W_OK):
        raise WriteError(failure_text(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES))))
    return target


def sync(folder: Path) -> None:
    """Make sure that the names in a folder are on disk."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return  # a folder that can be written but not read
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def failure_text(path: str, error: OSError) -> str:
    """The message for an error in writing `path`."""
    if error.errno == errno.ELOOP:
        return f"{path}: became a symbolic link in the meantime, so it was not touched"
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    if error.errno == errno.ENOENT:
        there = os.path.isdir(folder)  # noqa: PTH112
        return f"{path}: is gone" if there else f"{path}: there is no folder {folder}; create it first"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{path}: cannot be replaced ({error.strerror}); {folder} must be writable, and the file not immutable"
    return f"{path}: cannot be written: {error.strerror}"


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

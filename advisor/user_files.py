"""Safe reading of files that the user names: bounded in size, and parsed as YAML or JSON without aliases."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from ruamel.yaml.events import Event

LARGE = 64 << 20
"""The largest file that is read, in bytes."""
SMALL = 1 << 18
"""The largest configuration, facts file or answers file, in bytes."""
DEPTH = 40
"""The deepest nesting of values."""
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
    """The data of a JSON text; `path` is for messages. Raises UserFileError."""
    import json  # noqa: PLC0415  seldom needed

    try:
        return json.loads(source, parse_int=_integer)
    except RecursionError:
        raise UserFileError(f"{path}: values nested too deeply") from None
    except ValueError as error:
        raise UserFileError(f"{path}: not valid JSON: {error}") from None


def _integer(digits: str) -> int:
    """Older Pythons convert a number of any length, which takes forever."""
    if len(digits) > DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def parse_yaml(source: str, path: str, places: bool = False) -> object:
    """The data of a YAML text; with `places`, in the parser's own types, which know the position of a value.

    Raises UserFileError, also for anchors and aliases, with which a few lines become gigabytes, and for values nested
    too deeply."""
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to import
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

    try:
        guard = _YamlGuard(path)
        for event in YAML(typ="safe", pure=True).parse(source):
            guard.check(event)
        return YAML(typ="rt" if places else "safe", pure=True).load(source)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UserFileError(f"{path}{where}: not valid YAML: {error.problem or error.context}") from None
    except UserFileError:
        raise
    except (YAMLError, ValueError, OverflowError) as error:  # the latter: numbers and dates that cannot be
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


class _YamlGuard:
    """Refuses, event by event, a YAML text that has anchors or is nested too deeply."""

    def __init__(self, path: str) -> None:
        self.path, self.depth = path, 0

    def check(self, event: Event) -> None:
        kind = type(event).__name__
        self.depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        place = f"{self.path}:{event.start_mark.line + 1}:{event.start_mark.column + 1}"
        if getattr(event, "anchor", None):
            raise UserFileError(f"{place}: an anchor or alias (& or *): write it out in place")
        if self.depth > DEPTH:
            raise UserFileError(f"{place}: values nested too deeply: write fewer levels")


def _why_not_read(status: os.stat_result) -> str:
    """Why a file of this type is not read, or ""."""
    if stat.S_ISREG(status.st_mode) or (stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3)):
        return ""  # a file, or /dev/null
    if stat.S_ISDIR(status.st_mode):
        return "is a folder; name a file in it"
    return f"is {'a pipe' if stat.S_ISFIFO(status.st_mode) else 'a device'}, not a file"

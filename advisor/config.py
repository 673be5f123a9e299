"""The configuration file: where it is searched for, its keys, and the settings for one linted file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Table = Mapping[str, Any]
    """Key → value, of the kind that KEYS gives it."""

NAME = "advisor.toml"
SYSTEM = "/etc/advisor/config.toml"
"""Read if no NAME is found. Files are never merged."""
REPOSITORY = (".git", ".hg", ".jj", ".svn")
"""Entries that mark the root of a repository."""
LEVELS = ("note", "warning", "error")
_QUOTES = ('"""', "'''")


class Key(NamedTuple):
    """`kind`: facts, words, levels, level, flag, folders, file, paths or mounts. `everywhere`: it may be in a
    [[path]] too."""

    kind: str
    everywhere: bool
    says: str


KEYS = {
    "facts": Key("facts", True, "Known facts about the environment: fact = value, as with --set."),
    "select": Key("words", True, "Only these rules; names may contain * (nconnect/*)."),
    "ignore": Key("words", True, "Not these rules."),
    "severity": Key("levels", True, "Rule = note, warning, error or off. A policy rule named here is reported."),
    "min_severity": Key("level", True, "Show nothing less severe."),
    "fail_on": Key("level", True, "Exit with 1 if a finding is at least this severe."),
    "pedantic": Key("flag", True, "Also report matters of house policy."),
    "profile": Key("words", True, "Security profiles whose checks are reported too."),
    "rules": Key("folders", False, "Folders with your own rules; relative to this file."),
    "baseline": Key("file", False, "A baseline of accepted findings; relative to this file."),
    "mounts": Key("mounts", False, "Facts of some mounts: server, export, target = patterns, and facts."),
    "path": Key("paths", False, "Settings for some of the linted files: match = a pattern, and the keys above."),
}


class ConfigError(Exception):
    """The file cannot be used; the text names the file, the key, and what to write."""


class Config:
    """A valid configuration. `name`: the file, None if there is none; `text`: its content."""

    __slots__ = ("data", "name", "text")

    def __init__(self, name: str | None, data: Table, text: str = "") -> None:
        self.name = name
        self.data = data
        self.text = text

    def tables(self, linted: str) -> Iterator[tuple[str, Table]]:
        """The tables for a linted file, the weakest first: (place, keys and values)."""
        yield str(self.name), self.data
        paths = self.data.get("path", ())
        if paths:
            from fnmatch import fnmatchcase  # noqa: PLC0415

            whole = os.path.abspath(linted)  # noqa: PTH100  pathlib costs 15 ms at import
            names = (linted, whole, os.path.relpath(whole, os.path.dirname(self.name or "") or "."))  # noqa: PTH120
            for number, table in enumerate(paths, 1):
                if any(fnmatchcase(name, table["match"]) for name in names):
                    yield f"{self.name}: path {number}", table

    def beside(self, path: str) -> str:
        """A path from the configuration, which is relative to its file, as one relative to the working folder."""
        folder = os.path.dirname(self.name or "")  # noqa: PTH120
        return os.path.join(folder, os.path.expanduser(path))  # noqa: PTH118, PTH111


def find(explicit: str | None, none: bool) -> Config:
    """The configuration to use: the file `explicit`, else the first one found, else an empty one. `none`: read no file.
    Raises ConfigError."""
    if none:
        return Config(None, {})
    if explicit is not None:
        return _read(explicit)
    for name in (*_candidates(), SYSTEM):
        if os.path.isfile(name):  # noqa: PTH113
            return _read(name, _why_untrusted)
    return Config(None, {})


def _candidates() -> Iterator[str]:
    """NAME in this folder and in those above it, up to the root of the repository."""
    yield NAME
    try:
        here = os.getcwd()  # noqa: PTH109  pathlib costs 15 ms at import
    except OSError:
        return  # the folder is gone
    above = [here]
    while not any(os.path.exists(f"{above[-1]}/{mark}") for mark in REPOSITORY):  # noqa: PTH110
        parent = os.path.dirname(above[-1])  # noqa: PTH120
        if parent == above[-1]:
            return  # not in a repository
        above.append(parent)
    yield from (os.path.relpath(f"{folder}/{NAME}") for folder in above[1:])


def _why_untrusted(status: os.stat_result) -> str:
    """Why root must not use a file that was found and not named, since another user could turn findings off with it; ""
    if root may."""
    if os.geteuid() != 0:
        return ""
    hint = "and root uses such a file only on request: name it with --config, or give --no-config"
    if status.st_uid != 0:
        return f"belongs to user {status.st_uid}, {hint}"
    return f"is writable by users other than its owner, {hint}" if status.st_mode & 0o022 else ""


def _read(name: str, refuse: Callable[[os.stat_result], str] | None = None) -> Config:
    from advisor import user_files  # noqa: PLC0415  needed only where a file is

    try:
        text = user_files.read_text(name, refuse=refuse)
        data = _toml(name, text)
    except user_files.UserFileError as error:
        raise ConfigError(str(error)) from None
    except RecursionError:
        raise ConfigError(f"{name}: values nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        hint = ""
        if any(line.lstrip().startswith("server.") for line in text.splitlines()):  # TOML takes it for a key of server
            hint = '; beside server = "…" write facts of the server in quotes: "server.nlm" = true'
        raise ConfigError(f"{name}: not valid TOML: {error}{hint}") from None
    check(name, data)
    return Config(name, data, text)


def _toml(name: str, text: str) -> dict[str, object]:
    """The data of a TOML text. Before Python 3.11 this needs the package tomli; ConfigError without it."""
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415
    else:
        try:
            import tomli as tomllib  # noqa: PLC0415
        except ModuleNotFoundError:
            hint = "install python3-tomli, or run advisor with Python 3.11 or later"
            raise ConfigError(f"{name}: this Python cannot read TOML; {hint}") from None
    return tomllib.loads(text)


def table_places(text: str, name: str) -> list[dict[str, tuple[int, int]]]:
    """The positions in the tables of an array, which tomllib does not give: for each `[[name]]` in order, dotted key →
    (line, column), from 1. The key "" is the table itself.

    `text` is valid TOML. An inline array (`name = [{…}]`) has no positions."""
    tables: list[dict[str, tuple[int, int]]] = []
    prefix: str | None = None
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        written = line.strip()
        place = (number, len(line) - len(line.lstrip()) + 1)
        if written.startswith("["):
            header = _toml_key(written.partition("]")[0].strip("["))
            prefix = None
            if header == name and written.startswith("[["):
                tables.append({"": place})
                prefix = ""
            elif tables and header.startswith(f"{name}."):
                prefix = header.removeprefix(f"{name}.") + "."
        elif written and not written.startswith("#"):
            key, equals, value = written.partition("=")
            if equals and prefix is not None:
                tables[-1].setdefault(prefix + _toml_key(key), place)
            closing = next((quote for quote in _QUOTES if value.count(quote) == 1), "")
    return tables


def _toml_key(text: str) -> str:
    """A dotted key, without quotes and spaces around its parts."""
    return ".".join(part.strip().strip("\"'").strip() for part in text.split("."))


def check(name: str, data: Mapping[str, object]) -> None:
    """Raises ConfigError for unknown keys and wrong values. `name`: for the message."""
    for key, value in data.items():
        if key not in KEYS:
            raise ConfigError(f"{name}: unknown key {key!r}{_near(key, KEYS)}")
        _check(KEYS[key].kind, f"{name}: {key}", value)


_TYPES = {
    "facts": (dict, 'a table of facts is expected, such as "client.kernel" = "5.14"'),
    "words": (list, 'a list of texts is expected, such as ["unknown-option"]'),
    "levels": (dict, 'a table is expected, such as "timeo-too-short" = "note"'),
    "flag": (bool, "true or false is expected"),
    "file": (str, "the name of a file is expected"),
    "paths": (list, "write [[path]] in double brackets, one for each pattern"),
    "mounts": (list, "write [[mounts]] in double brackets, one for each section"),
}
"""Kind of a key → the type of its value, and what to write. A list is one of texts, or of tables in double brackets."""


def _check(kind: str, where: str, value: object) -> None:
    if kind == "level":
        _check_level(where, value, LEVELS)
        return
    kind = "words" if kind == "folders" else kind
    wanted, expected = _TYPES[kind]
    inner = str if kind == "words" else dict
    if not isinstance(value, wanted) or value == "" or (
        isinstance(value, list) and not all(isinstance(item, inner) and item != "" for item in value)
    ):
        raise ConfigError(f"{where}: {expected}{f', not {value!r}' if kind == 'flag' else ''}")
    if isinstance(value, dict) and kind == "levels":
        for rule, level in value.items():
            _check_level(f"{where}: {rule}", level, (*LEVELS, "off"))
    if isinstance(value, list) and kind == "paths":
        for number, table in enumerate(value, 1):
            _check_path(f"{where} {number}", table)


def _check_level(where: str, value: object, levels: tuple[str, ...]) -> None:
    if value not in levels:
        raise ConfigError(f"{where}: {value!r} is none of {', '.join(levels)}{_near(str(value), levels)}")


def _check_path(at: str, table: Mapping[str, object]) -> None:
    allowed = {"match": Key("file", True, ""), **{name: key for name, key in KEYS.items() if key.everywhere}}
    if "match" not in table:
        raise ConfigError(f'{at}: match is missing: which files is it for? Such as match = "/srv/*"')
    for key, inner in table.items():
        if key in KEYS and key not in allowed:
            raise ConfigError(f"{at}: {key!r} applies to all files: write it above the first [[path]]")
        if key not in allowed:
            raise ConfigError(f"{at}: unknown key {key!r}{_near(key, allowed)}")
        _check(allowed[key].kind, f"{at}: {key}", inner)


def _near(word: str, known: Collection[str]) -> str:
    from advisor.rulebase.spelling import near  # noqa: PLC0415

    hint = near(word, known, f"the keys are {', '.join(known)}" if known is KEYS else "")
    return f"; {hint}" if hint else ""

"""The configuration file: where it is looked for, what it may say, and what it says of one linted file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

SEARCHED = ("advisor.toml", "/etc/advisor/config.toml")
"""The first that exists is read; there is no merging of several."""
LEVELS = ("note", "warning", "error")


class Key(NamedTuple):
    """`kind`: facts, words, levels, level, flag, folders, file or paths. `everywhere`: may stand in a [[path]] too."""

    kind: str
    everywhere: bool
    says: str


KEYS = {
    "facts": Key("facts", True, "What is known of the environment: fact = value, as with --set."),
    "select": Key("words", True, "Only these rules; names may hold * (nconnect/*)."),
    "ignore": Key("words", True, "Not these rules."),
    "severity": Key("levels", True, "Rule = note, warning, error or off. A policy rule that is named here is told."),
    "min_severity": Key("level", True, "Show nothing weaker."),
    "fail_on": Key("level", True, "Exit with 1 if a finding is at least this severe."),
    "pedantic": Key("flag", True, "Also tell matters of house policy."),
    "rules": Key("folders", False, "Folders with rules of your own; relative to this file."),
    "baseline": Key("file", False, "A baseline of accepted findings; relative to this file."),
    "path": Key("paths", False, "Settings for some of the linted files: match = a pattern, and the keys above."),
}


class ConfigError(Exception):
    """The file cannot be used; the text names the file, the key, and what to write."""


class Config:
    """A configuration that has been read and whose shape is right. `name`: the file, None where there is none."""

    __slots__ = ("data", "name")

    def __init__(self, name: str | None, data: dict[str, Any]) -> None:
        self.name = name
        self.data = data

    def tables(self, linted: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What holds for a linted file, weakest first: (where it stands, keys and values)."""
        yield str(self.name), self.data
        paths = self.data.get("path", ())
        if paths:
            from fnmatch import fnmatchcase  # noqa: PLC0415

            names = (linted, os.path.abspath(linted))  # noqa: PTH100  pathlib costs 15 ms at import
            for number, table in enumerate(paths, 1):
                if any(fnmatchcase(name, table["match"]) for name in names):
                    yield f"{self.name}: path {number}", table

    def beside(self, path: str) -> str:
        """A path that the configuration names, seen from here."""
        folder = os.path.dirname(self.name or "")  # noqa: PTH120
        return os.path.join(folder, os.path.expanduser(path))  # noqa: PTH118, PTH111


def find(explicit: str | None, none: bool) -> Config:
    """The configuration that is in force: `explicit`, or the first of SEARCHED, or nothing. Raises ConfigError."""
    if none:
        return Config(None, {})
    if explicit is not None:
        return _read(explicit)
    for name in SEARCHED:
        if os.path.isfile(name):  # noqa: PTH113
            return _read(name)
    return Config(None, {})


def _read(name: str) -> Config:
    import tomllib  # noqa: PLC0415  only who has a file needs it

    try:
        with open(name, "rb") as file:  # noqa: PTH123
            data = tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: not valid TOML: {error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: not UTF-8 (byte {error.start}): save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None
    check(name, data)
    return Config(name, data)


def check(name: str, data: Mapping[str, Any]) -> None:
    """Refuse, with a ConfigError, what no key allows. `name` stands in the message."""
    for key, value in data.items():
        if key not in KEYS:
            raise ConfigError(f"{name}: unknown key {key!r}{_near(key, KEYS)}")
        _CHECKS[KEYS[key].kind](f"{name}: {key}", value)


def _facts(where: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: a table of facts is expected, such as \"client.kernel\" = \"5.14\"")


def _words(where: str, value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise ConfigError(f"{where}: a list of texts is expected, such as [\"unknown-option\"]")


def _levels(where: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: a table is expected, such as \"timeo-too-short\" = \"note\"")
    for rule, level in value.items():
        _level(f"{where}: {rule}", level, (*LEVELS, "off"))


def _level(where: str, value: Any, levels: tuple[str, ...] = LEVELS) -> None:
    if value not in levels:
        raise ConfigError(f"{where}: {value!r} is none of {', '.join(levels)}{_near(str(value), levels)}")


def _flag(where: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ConfigError(f"{where}: true or false is expected, not {value!r}")


def _file(where: str, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{where}: the name of a file is expected")


def _paths(where: str, value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise ConfigError(f"{where}: write [[path]] in double brackets, one for each pattern")
    allowed = {"match": Key("file", True, ""), **{name: key for name, key in KEYS.items() if key.everywhere}}
    for number, table in enumerate(value, 1):
        at = f"{where} {number}"
        if "match" not in table:
            raise ConfigError(f"{at}: match is missing: which files is it for? Such as match = \"/srv/*\"")
        for key, inner in table.items():
            if key in KEYS and key not in allowed:
                raise ConfigError(f"{at}: {key!r} holds for all files: write it above the first [[path]]")
            if key not in allowed:
                raise ConfigError(f"{at}: unknown key {key!r}{_near(key, allowed)}")
            _CHECKS[allowed[key].kind](f"{at}: {key}", inner)


_CHECKS = {
    "facts": _facts, "words": _words, "levels": _levels, "level": _level, "flag": _flag, "folders": _words,
    "file": _file, "paths": _paths,
}


def _near(word: str, known: Any) -> str:
    from difflib import get_close_matches  # noqa: PLC0415

    near = get_close_matches(word, known, 1)
    return f"; did you mean {near[0]}?" if near else f"; the keys are {', '.join(known)}" if known is KEYS else ""

"""Answers: facts, "I don't know", pinned settings, and names that only generated files use."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.rulebase.model.types import Scalar, Value, Values
    from advisor.sections import Section

SCHEMA = "advisor-answers/1"
KEYS = ("schema", "facts", "unknown", "pins", "names", "mounts", "found", "observed")
"""Keys of an answers file."""

NAMES = {
    "server": "nfs-server.example",
    "export": "/export",
    "target": "/mnt/nfs",
    "clients": "client.example",
}
"""Names used only in generated files → placeholder (.example is reserved for that).
`server`: host name or address; `export`: path on the server; `target`: mount point; `clients`: who may mount, as
exports(5) writes it."""


FSTAB = "/etc/fstab"
OBSERVED = "observed"
"""The first word of the origin of an observed fact; other facts have the file in which they were found."""


class Before(NamedTuple):
    """The state of a setting before any change. `value`: None if nothing sets it; `where`: the place that was read.

    For a file that would be written, `value` is True if it exists; for FSTAB, it is the line of the mount point."""

    value: Value
    where: str


class Now(NamedTuple):
    """A setting of the host. `set`: by its files; `in_effect`: now; each None if it was not read, for the reason
    `unread`: a copy of a host has only the collected files.

    A `value` of None means that no file sets it, or that it is not in effect; `where` says why."""

    set: Before | None
    in_effect: Before | None
    unread: str = "not read"


class Answers(NamedTuple):
    """`facts`: fact → value, range or list, as `Base.state` takes them. `unknown`: facts that were answered with
    "I don't know". `pins`: tunable → fixed value. `names`: see NAMES. `origin`: fact → where its value was read, for
    facts that were not answered. `mounts`: sections about some mounts only; see `answers_by_mount`. `today`: tunable →
    text, of the settings in the mount's current line. `observed`: quantity → value, from the counters of the mount.

    `before`: tunable or file → its current state; `now`: tunable → its set and effective value. Neither is saved, since
    both may change at any time."""

    facts: dict[str, Values] = {}
    unknown: frozenset[str] = frozenset()
    pins: dict[str, Scalar] = {}
    names: dict[str, str] = {}
    origin: dict[str, str] = {}
    before: dict[str, Before] = {}
    now: Mapping[str, Now] = {}
    mounts: tuple[Section, ...] = ()
    today: Mapping[str, str] = {}
    observed: Mapping[str, Values] = {}

    def name(self, which: str) -> str:
        """A name, or its placeholder."""
        return self.names.get(which) or NAMES[which]


class AnswerError(ValueError):
    """An error in answers. `where`: the path of keys to it, from which a file's line is found."""

    def __init__(self, where: tuple[str, ...], message: str) -> None:
        self.where = where
        super().__init__(message)


def to_plain(answers: Answers) -> dict[str, object]:
    """The answers as data for a file, with sorted keys, so that equal answers give equal files."""
    return {
        "schema": SCHEMA,
        "facts": {name: answers.facts[name] for name in sorted(answers.facts)},
        "unknown": sorted(answers.unknown),
        "pins": {name: answers.pins[name] for name in sorted(answers.pins)},
        "names": {name: answers.names[name] for name in sorted(answers.names) if answers.names[name]},
        "mounts": [_section(section) for section in answers.mounts],
        "found": {name: answers.origin[name] for name in sorted(answers.origin) if name in answers.facts},
        "observed": {name: answers.observed[name] for name in sorted(answers.observed)},
    }


def _section(section: Section) -> dict[str, object]:
    more = {
        "found": {name: section.found[name] for name in sorted(section.found) if name in section.facts},
        "until": section.until,
        "observed": {name: section.observed[name] for name in sorted(section.observed)},
    }
    facts = {name: section.facts[name] for name in sorted(section.facts)}
    return {**section.names, **facts, **{key: value for key, value in more.items() if value}}


def from_plain(data: object) -> Answers:
    """The answers in the data of a file. Raises AnswerError if the data is not in this format. Facts and pins are
    checked later, by `check_answers`."""
    if not isinstance(data, dict):
        raise AnswerError((), "an answers file must be a mapping with the keys schema, facts, unknown, pins and names")
    schema = data.get("schema")
    if schema != SCHEMA:
        problem = "has no schema" if schema is None else f"has schema {schema!r}"
        raise AnswerError(("schema",), f"the file {problem}; this program reads schema: {SCHEMA}")
    for key in data:
        if key not in KEYS:
            raise AnswerError((str(key),), f"unknown key {key!r}; the keys are {', '.join(KEYS)}")
    facts, pins = _mapping(data, "facts"), _mapping(data, "pins")
    names = {name: str(value) for name, value in _mapping(data, "names").items()}
    for name, text in names.items():
        if name not in NAMES:
            raise AnswerError(("names", name), f"unknown name {name!r}; there are {', '.join(NAMES)}")
        bad = bad_name(name, text)
        if bad:
            raise AnswerError(("names", name), bad)
    origin = {name: str(value) for name, value in _mapping(data, "found").items()}
    unknown = data.get("unknown") or []
    if not isinstance(unknown, list):
        raise AnswerError(("unknown",), "unknown must be a list of facts")
    return Answers(
        facts, frozenset(map(str, unknown)), pins, names, origin, observed=_mapping(data, "observed"),
    )


def bad_name(which: str, text: str) -> str | None:
    """The problem with a name, or None. Names are written into files that root installs, and into commands."""
    if not text:
        return f"{which} is empty"
    if any(char < " " or "\x7f" <= char < "\xa0" for char in text):
        return f"{which} contains a control character"
    if which in ("export", "target") and not text.startswith("/"):
        return f"{which} is {text!r}; write an absolute path such as {NAMES[which]}"
    if which == "server" and not _HOST.fullmatch(text):
        return f"server is {text!r}; write a host name or an address, without the path"
    return None


_HOST = re.compile(r"[A-Za-z0-9_.:\[][A-Za-z0-9_.:-]*(?:%[A-Za-z0-9_.-]+)?\]?")
"""A name or an address; an IPv6 address may be in brackets and name an interface."""


def _mapping(data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise AnswerError((key,), f"{key} must be a mapping of names to values")
    return {str(name): inner for name, inner in value.items()}

"""A host as a bundle: one line of JSON, and the published schema of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from advisor.check.recording import Recorded
    from advisor.render.facts import FoundOnHost

SCHEMA = "advisor-bundle/1"
MAX_BYTES = 1 << 16
LEFT_OUT = "left out of the bundle, which would be larger than 64 KiB"
_OF_FACTS = ("facts", "unknown", "settings", "unset", "inventory", "mounts")

Data = dict[str, object]


class BundleLine(NamedTuple):
    """`line`: a bundle of at most MAX_BYTES bytes of JSON, with its line end. `left_out`: what did not fit → bytes."""

    line: str
    left_out: Mapping[str, int]


class MadeBy(NamedTuple):
    """When (ISO 8601 in UTC) and by which version a bundle was made."""

    made: str
    version: str


def written(recorded: Recorded, found: FoundOnHost, of: MadeBy, layout: str, runs: bool) -> BundleLine:
    """The bundle of a host. `found`: what `advisor facts` tells of it. `layout`: of the copy that was read; `runs`:
    whether its programs were asked."""
    answers, redacted = recorded.answers, recorded.redacted
    files, uncollected = dict(answers.files), dict(answers.uncollected)
    read_back = dict(found)
    left_out: dict[str, int] = {}
    data: Data = {
        "schema": SCHEMA, "host": recorded.node, "made": of.made, "advisor": of.version, "layout": layout, "runs": runs,
        "redacted": {"comments": redacted.comments, "secrets": redacted.secrets, "emptied": redacted.emptied},
        "left_out": left_out, **{name: read_back[name] for name in _OF_FACTS},
        "read": {**answers._asdict(), "files": files, "uncollected": uncollected},
    }
    text = _json(data)
    if len(text) >= MAX_BYTES:  # why settings were not found is told by what was read, too
        left_out["unset"] = len(_json(read_back["unset"]))
        data["unset"] = {}
        text = _json(data)
    for path in sorted(files, key=lambda path: len(files[path]), reverse=True):
        if len(text) < MAX_BYTES:
            break
        left_out[path] = len(files.pop(path).encode("utf-8", "surrogateescape"))
        uncollected[path] = f"{path}: {LEFT_OUT}"
        text = _json(data)
    return BundleLine(text + "\n", left_out)


def _json(data: object) -> str:
    """ASCII, so that each character is a byte. A byte of a file that is not UTF-8 stays what it was (\\udc80 to
    \\udcff)."""
    return json.dumps(data, separators=(",", ":"))


def schema() -> Data:
    """JSON Schema of a bundle."""
    text: Data = {"type": "string"}
    texts: Data = {"type": "array", "items": text}
    whole: Data = {"type": "integer", "minimum": 0}
    value: Data = {"type": ["string", "number", "boolean", "null"]}
    found: Data = _by_name(_object({"value": value, "where": text, "note": {"type": ["string", "null"]}}))
    mount = _object({
        **dict.fromkeys(("server", "export", "target", "fstype"), text), "options": texts, "device": text,
        "read_ahead_kb": value,
    })
    read = _object({
        "files": _says(_by_name(text), "Path to text, as it left the host."),
        "where": _says(_by_name(text), "Path to the place where a copy holds its text."),
        "links": _says(_by_name({"type": ["string", "null"]}), "Path to what it leads to."),
        "masked": _says(texts, "Links to /dev/null."),
        "folders": _says(_by_name(texts), "Folder to the names in it that were asked for."),
        "there": _says(texts, "Paths that exist, and of which no text was read."),
        "absent": _says(texts, "Paths that certainly do not exist on the host."),
        "uncollected": _says(_by_name(text), "Path to why nothing is known of it."),
        "unread": _says(_by_name(text), "Path to why it could not be read."),
        "denied": _says(texts, "Paths that only others, such as root, may read."),
        "programs": _says(_by_name(text), "Command to what it printed, or after \"! \" why it did not."),
        "beside": _says(texts, "Paths that were asked for only to compare the host with others."),
    })
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A bundle, made by advisor facts --bundle",
        **_object({
            "schema": {"const": SCHEMA}, "host": text, "made": {"type": "string", "format": "date-time"},
            "advisor": text, "layout": text, "runs": {"type": "boolean"},
            "redacted": _object({"comments": whole, "secrets": whole, "emptied": texts}),
            "left_out": _says(_by_name(whole), "What did not fit, and its bytes."),
            "facts": found, "unknown": _by_name(text), "settings": found, "unset": _by_name(text), "inventory": found,
            "mounts": {"type": "array", "items": mount}, "read": read,
        }),
    }


def _object(properties: Mapping[str, object]) -> Data:
    return {
        "type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False,
    }


def _by_name(values: Data) -> Data:
    return {"type": "object", "additionalProperties": values}


def _says(data: Data, description: str) -> Data:
    return {**data, "description": description}


def published() -> str:
    """The text of docs/schema/advisor-bundle-1.json."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(published(), end="")

"""The JSON Schema of the configuration file, made from the one list of its keys.

`python tools/config_schema.py` prints it; it is published as docs/schema/advisor-config-1.json."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from advisor.config import KEYS, LEVELS

_TEXT = {"type": "string", "minLength": 1}
_WORDS = {"type": "array", "items": _TEXT}
_VALUE = {"type": ["string", "integer", "boolean", "array", "object"]}
_PATTERNS = {
    "server": "A pattern for the server's name or address.",
    "export": "A pattern for the path on the server.",
    "target": "A pattern for the mount point.",
}
_KINDS: dict[str, Mapping[str, object]] = {
    "facts": {"type": "object", "additionalProperties": _VALUE},
    "words": _WORDS,
    "levels": {"type": "object", "additionalProperties": {"enum": [*LEVELS, "off"]}},
    "level": {"enum": list(LEVELS)},
    "flag": {"type": "boolean"},
    "folders": _WORDS,
    "file": _TEXT,
}


def schema() -> dict[str, object]:
    """The schema, of draft 2020-12; editors apply it to TOML too."""
    everywhere = {name: _property(name) for name, key in KEYS.items() if key.everywhere}
    path = {
        "type": "array",
        "description": KEYS["path"].says,
        "items": {
            "type": "object",
            "required": ["match"],
            "properties": {"match": {**_TEXT, "description": "A pattern for the path of a linted file."}, **everywhere},
            "additionalProperties": False,
        },
    }
    mounts = {
        "type": "array",
        "description": KEYS["mounts"].says,
        "items": {
            "type": "object",
            "properties": {
                name: {"type": ["string", "object"], "description": says} for name, says in _PATTERNS.items()
            },
            "additionalProperties": _VALUE,
        },
    }
    special = {"path": path, "mounts": mounts}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "advisor.toml",
        "description": "Configuration of advisor lint.",
        "type": "object",
        "properties": {name: special.get(name) or _property(name) for name in KEYS},
        "additionalProperties": False,
    }


def _property(name: str) -> dict[str, object]:
    return {**_KINDS[KEYS[name].kind], "description": KEYS[name].says}


def text() -> str:
    """The schema as the file that is published."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())

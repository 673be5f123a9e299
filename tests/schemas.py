"""The JSON Schemas in docs/schema. They are written by hand; the tests hold the output to them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[1] / "docs/schema"


@cache
def published(name: str) -> Any:
    """The schema of this name, such as "advisor-lint-1"."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def _strict(name: str) -> Draft202012Validator:
    return Draft202012Validator(_closed(published(name)))


def _closed(part: object) -> object:
    """The schema, allowing no field that it does not name."""
    if isinstance(part, list):
        return [_closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    inner = {name: _closed(one) for name, one in part.items()}
    return {**inner, "additionalProperties": False} if isinstance(part.get("properties"), dict) else inner


def validate(document: object, name: str) -> None:
    """Fails unless the document has all fields of the published schema, each of its type, and no others."""
    _strict(name).validate(document)

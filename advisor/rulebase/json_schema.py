"""JSON Schema of every kind of file, so that editors complete and explain while a rule is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from advisor.rulebase.schema import DOCUMENTS, Strict

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def kinds() -> dict[str, tuple[str, type[Strict]]]:
    """Kind (its model's name: `decision`, `facts`) → the pattern of its paths, and the model."""
    return {model.__name__.removesuffix("File").lower(): (pattern, model) for pattern, model in DOCUMENTS}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of one kind. KeyError for an unknown one."""
    pattern, model = kinds()[kind]
    found = model.model_json_schema()
    told = _field_docs()
    for name, part in (*found.get("$defs", {}).items(), (model.__name__, found)):
        for field, says in told.get(name, {}).items():
            part.get("properties", {}).get(field, {}).setdefault("description", says)
    _lighten(found)
    return {"$schema": DIALECT, "title": f"{kind} ({pattern})", **{k: v for k, v in found.items() if k != "title"}}


def _lighten(part: object) -> None:
    """Drop the titles that pydantic makes of field names: an editor would show them instead of the descriptions."""
    if isinstance(part, dict):
        if isinstance(part.get("title"), str):
            del part["title"]
        for inner in part.values():
            _lighten(inner)
    elif isinstance(part, list):
        for inner in part:
            _lighten(inner)


def _field_docs() -> dict[str, dict[str, str]]:
    """Model → field → the text that stands below the field in the models' source."""
    own: dict[str, dict[str, str]] = {}
    parents: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).with_name("model").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                own[node.name] = dict(_texts_below(node))
                parents[node.name] = [parent.id for parent in node.bases if isinstance(parent, ast.Name)]

    def told(name: str) -> dict[str, str]:
        inherited = [told(parent) for parent in parents.get(name, ())]
        return {field: says for docs in (*inherited, own.get(name, {})) for field, says in docs.items()}

    return {name: told(name) for name in own}


def _texts_below(model: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Field → the text below it."""
    for field, text in zip(model.body, model.body[1:]):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            yield field.target.id, cleandoc(text.value.value)

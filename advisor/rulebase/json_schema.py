"""JSON Schema of every kind of file, so that editors complete and explain while a rule is written."""

from __future__ import annotations

import ast
from importlib import import_module
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


def _lighten(part: Any) -> None:
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
    found: dict[str, dict[str, str]] = {}
    for module in {model.__module__ for _, model in DOCUMENTS} | {"advisor.rulebase.schema.base"}:
        path = import_module(module).__file__
        if path is None:
            continue
        for node in ast.parse(Path(path).read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef):
                continue
            own: dict[str, str] = {}
            for parent in node.bases:  # defined above it, in the same module
                own.update(found.get(parent.id, {}) if isinstance(parent, ast.Name) else {})
            found[node.name] = own
            for field, text in zip(node.body, node.body[1:], strict=False):
                if (
                    isinstance(field, ast.AnnAssign)
                    and isinstance(field.target, ast.Name)
                    and isinstance(text, ast.Expr)
                    and isinstance(text.value, ast.Constant)
                    and isinstance(text.value.value, str)
                ):
                    own[field.target.id] = cleandoc(text.value.value)
    return found

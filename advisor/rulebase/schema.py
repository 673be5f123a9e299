"""Authoring schema of every YAML file in `rules/` and `kb/`: the records as models of pydantic.

Used only when authoring. `DOCUMENTS` says which model reads which path."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from advisor.rulebase.model import Check, Decision, Erratum, Platform, Recipe, Record, Source, files, types
from advisor.rulebase.model.record import KINDS


class Strict(BaseModel):
    """Refuses unknown keys and silent conversions; says so with the place in the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _models() -> dict[str, type[Strict]]:
    """The model of each kind of record, by name."""
    made: dict[str, type[Strict]] = {}
    for name, kind in KINDS.items():
        parents = tuple(made[base.__name__] for base in kind.__bases__ if base is not Record)
        fields: dict[str, Any] = {
            field: (text, vars(kind).get(field, ...))
            for field, text in kind.__annotations__.items() if not text.startswith("Added[")
        }
        made[name] = create_model(name, __base__=parents or (Strict,), __doc__=kind.__doc__, **fields)
    for model in made.values():
        model.model_rebuild(_types_namespace={**vars(types), **made})
    return made


MODELS = _models()
# First match wins; patterns are relative to the root that holds `rules/` and `kb/`.
DOCUMENTS: tuple[tuple[str, type[Strict]], ...] = tuple(
    (pattern, MODELS[kind.__name__])
    for pattern, kind in (
        ("rules/layers.yaml", files.LayersFile),
        ("rules/constraints.yaml", files.ConstraintsFile),
        ("rules/facts/**/*.yaml", files.FactsFile),
        ("rules/checks/**/*.yaml", Check),
        ("rules/errata/**/*.yaml", Erratum),
        ("rules/causes/**/*.yaml", files.CausesFile),
        ("rules/observations/**/*.yaml", files.ObservationsFile),
        ("rules/conclusions/**/*.yaml", files.ConclusionsFile),
        ("rules/**/*.yaml", Decision),
        ("kb/capabilities.yaml", files.CapabilitiesFile),
        ("kb/sources/**/*.yaml", Source),
        ("kb/claims/**/*.yaml", files.ClaimsFile),
        ("kb/platforms/**/*.yaml", Platform),
        ("kb/recipes/**/*.yaml", Recipe),
        ("kb/kinds.yaml", files.KindsFile),
        ("kb/layouts.yaml", files.LayoutsFile),
        ("kb/host-files.yaml", files.HostFilesFile),
        ("kb/tunables/**/*.yaml", files.TunablesFile),
        ("kb/messages/**/*.yaml", files.MessagesFile),
        ("kb/phrases/**/*.yaml", files.PhrasesFile),
        ("kb/errno.yaml", files.ErrnoFile),
    )
)


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def kinds() -> dict[str, tuple[str, type[Strict]]]:
    """Kind (its model's name: `decision`, `facts`) → the pattern of its paths, and the model."""
    return {model.__name__.removesuffix("File").lower(): (pattern, model) for pattern, model in DOCUMENTS}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of one kind. KeyError for an unknown one."""
    pattern, model = kinds()[kind]
    found = model.model_json_schema()
    docs = _field_docs()
    for name, part in (*found.get("$defs", {}).items(), (model.__name__, found)):
        for field, says in docs.get(name, {}).items():
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

    def all_docs(name: str) -> dict[str, str]:
        inherited = [all_docs(parent) for parent in parents.get(name, ())]
        return {field: says for docs in (*inherited, own.get(name, {})) for field, says in docs.items()}

    return {name: all_docs(name) for name in own}


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

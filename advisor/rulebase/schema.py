"""The authoring schema of every YAML file in `rules/` and `kb/`: the records of `model/`, and the files that hold
several of them, as pydantic models. `DOCUMENTS` says which model reads which path."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from advisor.rulebase.model import Check, Decision, Erratum, Platform, Recipe, Record, Source, types
from advisor.rulebase.model.record import KINDS

if TYPE_CHECKING:
    from advisor.rulebase.model import (
        Capability,
        Cause,
        Claim,
        Conclusion,
        Constraint,
        ErrorTexts,
        Fact,
        HostFile,
        KindSteps,
        Layer,
        Layout,
        Message,
        Phrase,
        Tunable,
    )
    from advisor.rulebase.model.types import Slug, SourceId, Text


class FactsFile(Record):
    """rules/facts/*.yaml"""

    section: Slug
    order: int | None = None
    """Where the section stands among the others when questions are asked, 1 first; without it at the end. Within a
    section the facts are asked in the order of the file."""
    title: Text
    facts: Sequence[Fact]


class LayersFile(Record):
    """rules/layers.yaml: weakest first."""

    layers: Sequence[Layer]


class ConstraintsFile(Record):
    """rules/constraints.yaml"""

    constraints: Sequence[Constraint]


class ClaimsFile(Record):
    """kb/claims/<source id>.yaml"""

    claims: Sequence[Claim]


class CapabilitiesFile(Record):
    """kb/capabilities.yaml"""

    capabilities: Sequence[Capability]


class KindsFile(Record):
    """kb/kinds.yaml"""

    kinds: Sequence[KindSteps]


class TunablesFile(Record):
    """kb/tunables/**.yaml"""

    tunables: Sequence[Tunable]


class HostFilesFile(Record):
    """kb/host-files.yaml"""

    host_files: Sequence[HostFile]


class LayoutsFile(Record):
    """kb/layouts.yaml: the first whose mark is there counts."""

    layouts: Sequence[Layout]


class MessagesFile(Record):
    """kb/messages/*.yaml: what one program prints, or the symptoms of one area."""

    program: Text
    """Whose messages these are, unless they say so for themselves: `mount.nfs`."""
    source: SourceId | None = None
    """Where `at` of the messages is to be found."""
    side: Literal["client", "server"] | None = None
    """On which host they are printed."""
    messages: Sequence[Message]


class CausesFile(Record):
    """rules/causes/*.yaml"""

    causes: Sequence[Cause]


class ObservationsFile(Record):
    """rules/observations/*.yaml: facts that only a diagnosis needs. No setting rests on them."""

    observations: Sequence[Fact]


class ConclusionsFile(Record):
    """rules/conclusions/*.yaml"""

    conclusions: Sequence[Conclusion]


class PhrasesFile(Record):
    """kb/phrases/*.yaml: words that state facts, and words that mean the same."""

    phrases: Sequence[Phrase] = ()
    synonyms: Sequence[Sequence[Text]] = ()
    """Words that mean the same, the one that entries use first. One of several words stands for these in a row."""


class ErrnoFile(Record):
    """kb/errno.yaml"""

    errno: Sequence[ErrorTexts]


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
        ("rules/layers.yaml", LayersFile),
        ("rules/constraints.yaml", ConstraintsFile),
        ("rules/facts/**/*.yaml", FactsFile),
        ("rules/checks/**/*.yaml", Check),
        ("rules/errata/**/*.yaml", Erratum),
        ("rules/causes/**/*.yaml", CausesFile),
        ("rules/observations/**/*.yaml", ObservationsFile),
        ("rules/conclusions/**/*.yaml", ConclusionsFile),
        ("rules/**/*.yaml", Decision),
        ("kb/capabilities.yaml", CapabilitiesFile),
        ("kb/sources/**/*.yaml", Source),
        ("kb/claims/**/*.yaml", ClaimsFile),
        ("kb/platforms/**/*.yaml", Platform),
        ("kb/recipes/**/*.yaml", Recipe),
        ("kb/kinds.yaml", KindsFile),
        ("kb/layouts.yaml", LayoutsFile),
        ("kb/host-files.yaml", HostFilesFile),
        ("kb/tunables/**/*.yaml", TunablesFile),
        ("kb/messages/**/*.yaml", MessagesFile),
        ("kb/phrases/**/*.yaml", PhrasesFile),
        ("kb/errno.yaml", ErrnoFile),
    )
)


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def kinds() -> dict[str, tuple[str, type[Strict]]]:
    """Kind (its model's name: `decision`, `facts`) → the pattern of its paths, and the model."""
    return {model.__name__.removesuffix("File").lower(): (pattern, model) for pattern, model in DOCUMENTS}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of one kind. KeyError for an unknown one."""
    pattern, model = kinds()[kind]
    json_schema = model.model_json_schema()
    docs = _field_docs()
    for name, part in (*json_schema.get("$defs", {}).items(), (model.__name__, json_schema)):
        for field, says in docs.get(name, {}).items():
            part.get("properties", {}).get(field, {}).setdefault("description", says)
    _drop_titles(json_schema)
    return {
        "$schema": DIALECT, "title": f"{kind} ({pattern})", **{k: v for k, v in json_schema.items() if k != "title"},
    }


def _drop_titles(part: object) -> None:
    """Drop the titles that pydantic makes of field names: an editor would show them instead of the descriptions."""
    if isinstance(part, dict):
        if isinstance(part.get("title"), str):
            del part["title"]
        for inner in part.values():
            _drop_titles(inner)
    elif isinstance(part, list):
        for inner in part:
            _drop_titles(inner)


def _field_docs() -> dict[str, dict[str, str]]:
    """Model → field → the text that stands below the field in the models' source."""
    own: dict[str, dict[str, str]] = {}
    parents: dict[str, list[str]] = {}
    for path in (Path(__file__), *sorted(Path(__file__).with_name("model").glob("*.py"))):
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

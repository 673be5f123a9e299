"""The authoring schema of every YAML file in `rules/` and `kb/`: the records of `model/`, and the files that hold
several of them, as pydantic models. `DOCUMENTS` says which model reads which path; `shape_problems` translates what a
model says of a file into plain English with places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from advisor.engine import word_list
from advisor.regex import regex
from advisor.rulebase.catalogue import TABLES, EntryTable
from advisor.rulebase.document import Problem, YamlDocument, YamlPath, shown
from advisor.rulebase.model import Record, types
from advisor.rulebase.model.record import KINDS
from advisor.rulebase.spelling import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pydantic_core import ErrorDetails
    from typing_extensions import TypeGuard

    from advisor.rulebase.model import Fact, FamilyWeights, Message, Phrase
    from advisor.rulebase.model.types import Slug, SourceId, Text


class FactsFile(Record):
    """rules/facts/*.yaml"""

    section: Slug
    order: int | None = None
    """Where the section stands among the others when questions are asked, 1 first; without it at the end. Within a
    section the facts are asked in the order of the file."""
    title: Text
    facts: Sequence[Fact]


class MessagesFile(Record):
    """kb/messages/*.yaml: what one program prints, or the symptoms of one area."""

    program: Text
    """Whose messages these are, unless they say so for themselves: `mount.nfs`."""
    source: SourceId | None = None
    """Where `at` of the messages is to be found."""
    side: Literal["client", "server"] | None = None
    """On which host they are printed."""
    messages: Sequence[Message]


class PhrasesFile(Record):
    """kb/phrases/*.yaml: words that state facts, and words that mean the same."""

    phrases: Sequence[Phrase] = ()
    synonyms: Sequence[Sequence[Text]] = ()
    """Words that mean the same, the one that entries use first. One of several words stands for these in a row."""


class WeightsFile(Record):
    """rules/weights.yaml: what tools/learn_weights.py has counted."""

    scales: Mapping[Text, int]
    """Kind of evidence → how much it counts, in hundredths."""
    shares: Sequence[Sequence[int]]
    """Share of the first cause by its score, and how often it was right, in hundredths, rising."""
    weights: Sequence[FamilyWeights]


class Strict(BaseModel):
    """Refuses unknown keys and silent conversions; says so with the place in the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _models() -> dict[str, type[Strict]]:
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


def _file_model(table: EntryTable) -> type[Strict]:
    """The model of the files of a table: that of the entry, or one with a list of them."""
    name = "".join(word.capitalize() for word in table.name.split("_")) + "File"
    if table.key or name in MODELS:
        return MODELS[table.kind.__name__ if table.key else name]
    says = f"{table.pattern}: {table.says}." if table.says else table.pattern
    fields: dict[str, Any] = {table.name: (list.__class_getitem__(MODELS[table.kind.__name__]), ...)}
    return create_model(name, __base__=Strict, __doc__=says, **fields)


DOCUMENTS: tuple[tuple[str, type[Strict]], ...] = tuple((table.pattern, _file_model(table)) for table in TABLES)


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


_NAMES = {
    r"^[a-z0-9]+(-[a-z0-9]+)*$": "lower-case letters, digits and single hyphens, such as nconnect-shared-transport",
    r"^[a-z0-9_.-]+/[a-z0-9.-]+$": "the decision's short name, a slash and the case, such as nconnect/azure-files",
    r"^[a-z0-9_]+(\.[A-Za-z0-9_*-]+)+$": "words joined by dots, such as mount.nconnect or client.kernel",
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "a date, such as 2026-11-21",
    r"^[a-z0-9-]+\.[a-z0-9.-]+$": "the source's id, a dot and what it says, such as anf-mount.slots-table",
}
_HARMLESS = ("extra_forbidden", "missing", "literal_error", "string_pattern_mismatch", "string_too_short")
"""Errors that are worded by themselves. Only what is missing or of another type keeps later checks off."""


_PATHS = tuple((regex(translate(pattern.replace("**/", "*"))), model) for pattern, model in DOCUMENTS)


def model_for(path: str) -> type[Strict] | None:
    """The model that reads the file at `path` (relative to the root), or None."""
    return next((model for pattern, model in _PATHS if pattern.fullmatch(path)), None)


def shape_problems(document: YamlDocument) -> tuple[list[Problem], list[YamlPath]]:
    """Problems of shape, and the places below which values may be of any type (later checks keep off them).

    Of a document without such problems the data is from then on what its model returns; that is what is compiled."""
    model = model_for(document.path)
    if model is None:
        patterns = word_list(pattern for pattern, _ in DOCUMENTS)
        why = "nothing reads a file at this path, so its content would be ignored"
        return [Problem(document.path, 1, 1, "this file", why, f"move it to {patterns}")], [()]
    if not isinstance(document.data, dict):
        if document.problems:
            return [], [()]
        needed = word_list((n for n, f in model.model_fields.items() if f.is_required()), "and")
        mistake = f"{shown(document.data, document.source(()))} at the top"
        return [document.problem((), mistake, "a file is a mapping", f"begin with the keys {needed}")], [()]
    try:
        read = model.model_validate(document.data)
    except ValidationError as failure:
        return _translate(document, model, failure)
    document.data = read.model_dump(exclude_unset=True)
    return [], []


def _translate(
    document: YamlDocument, model: type[Strict], failure: ValidationError
) -> tuple[list[Problem], list[YamlPath]]:
    known = {(problem.line, problem.column) for problem in document.problems}
    groups: dict[tuple[YamlPath, str], list[ErrorDetails]] = {}
    for error in failure.errors(include_url=False):
        steps, is_key = _resolve(document.data, error["loc"], error["type"] == "missing")
        odd = error["type"] == "literal_error" and not isinstance(error["input"], str)
        kind = error["type"] if error["type"] in _HARMLESS and not odd else "type"
        groups.setdefault((steps, "key" if is_key else kind), []).append(error)
    problems: list[Problem] = []
    unsafe: list[YamlPath] = []
    for (steps, kind), errors in groups.items():
        if kind in ("type", "missing"):
            unsafe.append(steps)
        problem = _explain(document, model, steps, kind, errors)
        # A value that YAML already refused is None here; once is enough.
        if not (kind == "type" and errors[0]["input"] is None and (problem.line, problem.column) in known):
            problems.append(problem)
    return problems, unsafe


def _resolve(data: object, loc: tuple[str | int, ...], missing: bool) -> tuple[YamlPath, bool]:
    """The part of an error's location that exists in the data (unions add names of their own), and: is it a key?"""
    steps: list[str | int] = []
    for number, step in enumerate(loc):
        inner = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(inner, dict) and step in inner:
            data = inner[step]
        elif not (missing and number == len(loc) - 1):
            continue
        steps.append(step)
    return tuple(steps), loc[-1:] == ("[key]",)


def _explain(
    document: YamlDocument, model: type[Strict], steps: YamlPath, kind: str, errors: list[ErrorDetails]
) -> Problem:
    error = errors[0]
    last = str(steps[-1]) if steps else ""
    owner = _owner(model, steps)
    noun = _noun(owner)
    label = f'"{last}"' if steps and isinstance(steps[-1], str) else "this item"
    if kind == "extra_forbidden":
        fields = [] if owner is None else list(owner.model_fields)
        hint = near(last, fields, f"use {word_list(sorted(fields))}")
        return document.problem(steps, f'unknown key "{last}"', f"{_a(noun)} has no such key", hint, key=True)
    if kind == "missing":
        if last == "cites":
            return document.problem(
                steps[:-1],
                f"{_a(noun)} without citation",
                "nothing is recommended without a source",
                "add cites: [source-id.claim] and the claim in kb/claims/",
            )
        words = [str(word) for word in _literal_words(owner, last)]
        write = f"add {last}: {word_list(words)}" if words else f"add {last}: …"
        return document.problem(steps[:-1], f'{_a(noun)} without "{last}"', f"every {noun} needs it", write)
    source = document.source(steps)
    mistake = f"{label} is {shown(error['input'], source)}"
    if kind == "literal_error":
        allowed = str(error["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        return document.problem(
            steps, mistake, f"it is one of {word_list(allowed)}", near(error["input"], allowed, "choose one")
        )
    if kind == "string_pattern_mismatch":
        form = _NAMES.get(error["ctx"]["pattern"], error["ctx"]["pattern"])
        return document.problem(steps, mistake, "that is not a valid name here", f"write {form}")
    if kind == "key":
        form = _NAMES.get(error.get("ctx", {}).get("pattern", ""), "text")
        return document.problem(steps, f'the key "{last}"', "that is not a valid name here", f"write {form}", key=True)
    if kind == "string_too_short":
        return document.problem(steps, f"{label} is empty", "a text must not be empty", "fill it in or delete the key")
    wanted = _expected({_expected_type(error["type"]) for error in errors})
    write = f'write "{source}" in quotes' if source and wanted == "text" else f"write {wanted}"
    if isinstance(error["input"], str) and wanted == "a list":
        write = f"write [{error['input']}]"
    return document.problem(steps, mistake, f"{wanted} is expected", write)


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _expected(kinds: set[str]) -> str:
    if "text" in kinds and len(kinds) > 2:
        return "a value or a list of values" if "a list" in kinds else "a single value"
    return word_list(sorted(kinds))


def _expected_type(kind: str) -> str:
    words = {
        "string": "text",
        "bool": "true or false",
        "int": "a whole number",
        "float": "a number",
        "list": "a list",
        "dict": "a mapping",
        "model": "a mapping",
    }
    return words.get(kind.partition("_")[0], kind.replace("_", " "))


def _owner(model: type[BaseModel], steps: YamlPath) -> type[BaseModel] | None:
    """The model that holds the last step."""
    current: object = model
    owner: type[BaseModel] | None = model
    for step in steps:
        choices = _choices(current)
        owner = next((c for c in choices if _is_model(c)), owner)
        current = next((inner for c in choices if (inner := _inner(c, step)) is not None), None)
    return owner


def _is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    """Before Python 3.11 list[int] too says that it is a type."""
    return get_origin(annotation) is None and isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _literal_words(owner: type[BaseModel] | None, key: str) -> tuple[object, ...]:
    """The words that may be under a key; () where it takes others."""
    field = owner.model_fields.get(key) if owner is not None else None
    return get_args(field.annotation) if field is not None and get_origin(field.annotation) is Literal else ()


def _inner(annotation: object, step: str | int) -> object:
    if _is_model(annotation):
        field = annotation.model_fields.get(str(step))
        return None if field is None else field.annotation
    origin, args = get_origin(annotation), get_args(annotation)
    if (origin is list and isinstance(step, int)) or (origin is dict and isinstance(step, str)):
        return args[-1]
    return None


def _choices(annotation: object) -> list[object]:
    origin = get_origin(annotation)
    if origin is Union or str(origin) == "<class 'types.UnionType'>":
        return [choice for arg in get_args(annotation) for choice in _choices(arg)]
    if hasattr(annotation, "__metadata__"):
        return _choices(get_args(annotation)[0])
    return [annotation]


def _noun(owner: type[BaseModel] | None) -> str:
    if owner is None:
        return "mapping"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", owner.__name__).lower()
    return {"row": "table row", "form": "spelling", "infer": "inference"}.get(words, words)

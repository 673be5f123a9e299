"""Does a file have the shape that its model asks for? Translates the model's errors into plain English with places."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from advisor.engine.errors import word_list
from advisor.rulebase.document import YamlDocument, YamlPath
from advisor.rulebase.problems import Problem, near, shown
from advisor.rulebase.schema import DOCUMENTS, Strict

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails
    from typing_extensions import TypeGuard

_NAMES = {
    r"^[a-z0-9]+(-[a-z0-9]+)*$": "lower-case letters, digits and single hyphens, such as nconnect-shared-transport",
    r"^[a-z0-9_.-]+/[a-z0-9.-]+$": "the decision's short name, a slash and the case, such as nconnect/azure-files",
    r"^[a-z0-9_]+(\.[A-Za-z0-9_*-]+)+$": "words joined by dots, such as mount.nconnect or client.kernel",
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$": "a date, such as 2026-11-21",
    r"^[a-z0-9-]+\.[a-z0-9.-]+$": "the source's id, a dot and what it says, such as anf-mount.slots-table",
}
_HARMLESS = ("extra_forbidden", "missing", "literal_error", "string_pattern_mismatch", "string_too_short")
"""Errors that are worded by themselves. Only what is missing or of another type keeps later checks off."""


_PATHS = tuple((re.compile(translate(pattern.replace("**/", "*"))), model) for pattern, model in DOCUMENTS)


def model_for(path: str) -> type[Strict] | None:
    """The model that reads the file at `path` (relative to the root), or None."""
    return next((model for pattern, model in _PATHS if pattern.fullmatch(path)), None)


def check(document: YamlDocument) -> tuple[list[Problem], list[YamlPath]]:
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

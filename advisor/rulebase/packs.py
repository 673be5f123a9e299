"""A site's own rules: which files they are, and how they join the rule base that came with the program.

A pack is a folder of YAML files. The keys of a file show what it is, so a pack may be flat or have rules/ and kb/. A
decision that is there already gets the pack's rules beside its own. Inside, the files of pack N have paths with `@N`
after the folder that their kind asks for; messages show the real ones (`with_real_paths`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from advisor.rulebase.catalogue import TABLES
from advisor.rulebase.document import (
    ORIGIN,
    Mark,
    Problem,
    Yaml,
    YamlDocument,
    YamlMapping,
    YamlPath,
    as_list,
    as_mapping,
    copy_of,
    mappings_in,
    shown,
)

Packs = Mapping[str, Mapping[str, bytes]]
"""Folder as it was named → path as it is shown → content."""
ValidatedDocuments = list[tuple[YamlDocument, list[YamlPath]]]
"""Documents with the places where their types are wrong."""

LAYERS = ("site", "measured")
"""Layers in which a pack may speak of what is decided already."""
_ADDABLE = ("decisions", "checks", "errata", "claims", "facts", "tunables", "platforms", "recipes", "sources")
"""The tables of the catalogue to which a pack can add."""
_PLACES = {
    table.key or table.name: table.path.rstrip("/")
    for table in sorted(TABLES, key=lambda table: not table.key) if table.name in _ADDABLE
}
"""The key that shows what a file is → the folder for it. Files of one entry first: an erratum has `facts` too."""
_SHIPPED = ("synonyms", *(table.name for table in TABLES if table.name not in _ADDABLE))
_INSIDE = re.compile(r"(?:rules|kb)/(?:[\w.-]+/)?@(\d+)/")


def is_of_pack(path: str) -> bool:
    """Whether an internal path belongs to a pack."""
    return "/@" in path


def read_pack(documents: Iterable[YamlDocument], folder: str, number: int) -> tuple[list[YamlDocument], list[Problem]]:
    """The documents of one pack under internal paths, and problems for files that a pack cannot contain."""
    placed: list[YamlDocument] = []
    problems: list[Problem] = []
    for document in documents:
        name = document.path.removeprefix(folder).lstrip("/")
        data = as_mapping(document.data)
        if "until" in data:
            problems += _until_problems(document)
            document.data = data = _copy_without(data, "until")
        kind = next((key for key in _PLACES if key in data), None)
        shipped = next((key for key in _SHIPPED if key in data), None)
        if kind is None and shipped is not None:
            why = "they belong to the shipped rule base"
            problems.append(Problem(document.path, 1, 1, f"{shipped} in a pack", why, "delete them"))
            continue
        if kind is None and not document.problems:
            why = "its keys do not show what it is"
            keys = f"begin with one of {', '.join(_PLACES)}"
            problems.append(Problem(document.path, 1, 1, "a file of unknown kind", why, keys))
            continue
        place = _PLACES[kind or "decision"]
        if place == "rules":
            area = str(data.get("decision", "site")).partition(".")[0]
            place += "/" + (area if re.fullmatch(r"[\w-]+", area) else "site")
        inside = f"{place}/@{number}/{name}"
        problems += _todo_problems(document.path, document)
        document.problems = [problem._replace(file=inside) for problem in document.problems]
        document.path = inside
        placed.append(document)
    return placed, problems


def with_real_paths(problem: Problem, folders: list[str]) -> Problem:
    """A problem with the real paths of packs in it."""
    file, line, column, *words = problem
    found, why, write = (_with_real_path(str(text), folders) for text in words)
    return Problem(_with_real_path(file, folders), line, column, found, why, write)


def _with_real_path(text: str, folders: list[str]) -> str:
    return _INSIDE.sub(lambda match: f"{folders[int(match[1])]}/", text)


def put_real_paths(compiled: Mapping[str, object], folders: list[str]) -> None:
    """Put the real paths into a compiled base."""
    for table in ("checks", "errata", "decisions"):
        for entry in map(as_mapping, as_mapping(compiled[table]).values()):
            gates = (rule for rule in map(as_mapping, as_mapping(entry.get("rules")).values()) if "file" in rule)
            for filed in (entry, *gates):
                filed["file"] = _with_real_path(str(filed["file"]), folders)


def join_decisions(shaped: ValidatedDocuments) -> tuple[ValidatedDocuments, list[Problem], dict[str, str]]:
    """Merge decisions of packs into those of the same name.

    Returns the merged documents, problems, and path of a pack's file → path of the decision that it became part of."""
    at = {
        _decision_name(document): index
        for index, (document, _) in enumerate(shaped) if not is_of_pack(document.path)
    }
    result, problems, parts = list(shaped), list[Problem](), dict[str, str]()
    taken: set[int] = set()
    for index, (document, unsafe) in enumerate(shaped):
        decision = _decision_name(document)
        if decision is None or decision not in at or not is_of_pack(document.path):
            continue
        where = at[decision]
        taken.add(index)
        parts[document.path] = result[where][0].path
        wrong = list(_not_allowed(document, as_mapping(result[where][0].data)))
        problems += wrong
        if not wrong and not result[where][1]:
            result[where] = _join(result[where][0], document, unsafe)
    return [pair for index, pair in enumerate(result) if index not in taken], problems, parts


def _decision_name(document: YamlDocument) -> str | None:
    """What the document decides, if it is a decision."""
    name = as_mapping(document.data).get("decision")
    return name if isinstance(name, str) else None


def _not_allowed(document: YamlDocument, shipped: YamlMapping) -> Iterable[Problem]:
    """Problems of keys and layers that a pack must not use for an existing decision."""
    data = as_mapping(document.data)
    for key, value in data.items():
        if key not in ("decision", "rules", "examples") and shipped.get(key) != value:
            why = "the decision is there already, and a pack adds rules to it"
            yield document.problem((key,), f'the key "{key}"', why, "write decision, rules and examples only", key=True)
    if not isinstance(data.get("rules"), list):
        yield document.problem((), "no rules", "a pack adds rules to a decision", "add rules: […]")
        return
    for index, rule in enumerate(as_list(data["rules"])):
        layer = rule.get("layer", "default") if isinstance(rule, dict) else None
        if layer is not None and layer not in LAYERS:
            why = "a pack's rules are for its site"
            yield document.problem(("rules", index, "layer"), f"the layer {layer}", why, f"write layer: {LAYERS[0]}")


def _join(shipped: YamlDocument, pack: YamlDocument, unsafe: list[YamlPath]) -> tuple[YamlDocument, list[YamlPath]]:
    """One decision out of two files. Its own examples are left out: they hold without the pack, and were tried so."""
    decision, ours = as_mapping(shipped.data), as_mapping(pack.data)
    old: list[Yaml] = [_copy_without(rule, "examples") for _, rule in mappings_in(decision.get("rules"))]
    marks = _inner_marks(shipped.marks).get("rules", [1, 1, [1, 1, []]])[2][2]
    first = len(shipped.origins) + 1
    shift = first * ORIGIN
    shifted = _inner_marks(_shift_lines(pack.marks, shift))
    merged = _copy_without(decision, "rules", "examples")
    examples = [*(as_list(decision.get("examples")) if shipped.origins else []), *as_list(ours.get("examples"))]
    places = {name: mark for name, mark in _inner_marks(shipped.marks).items() if name in merged or name == "examples"}
    if examples:
        merged["examples"] = examples
        held = places["examples"][2][2] if shipped.origins and "examples" in places else []
        added = shifted["examples"][2][2] if "examples" in shifted else []
        places["examples"] = [1, 1, [1, 1, [*held, *added]]]
    merged["rules"] = [*old, *as_list(ours["rules"])]
    places["rules"] = [1, 1, [1, 1, [*marks, *shifted["rules"][2][2]]]]
    document = YamlDocument(shipped.path, merged, [*shipped.marks[:2], places], shipped.problems + pack.problems)
    document.origins = [*shipped.origins, pack.path]
    return document, [_step(steps, len(old), len(examples) - len(as_list(ours.get("examples")))) for steps in unsafe]


def _copy_without(data: YamlMapping, *keys: str) -> YamlMapping:
    """A deep copy of a mapping, without these top-level keys."""
    return {key: copy_of(value) for key, value in data.items() if key not in keys}


def _step(steps: YamlPath, earlier_rules: int, earlier_examples: int) -> YamlPath:
    if len(steps) < 2 or not isinstance(steps[1], int):
        return steps
    offset = earlier_rules if steps[0] == "rules" else earlier_examples if steps[0] == "examples" else 0
    return (steps[0], steps[1] + offset, *steps[2:])


def _inner_marks(mark: Mark) -> dict[str, Mark]:
    return mark[2] if len(mark) > 2 and isinstance(mark[2], dict) else {}


def _shift_lines(mark: Mark, by: int) -> Mark:
    """Marks with all lines moved, so that a place tells which file it is in."""
    head = [mark[0] + by, mark[1]]
    if len(mark) < 3:
        return head
    rest = mark[2]
    if isinstance(rest, dict):
        return [
            *head,
            {key: [line + by, column, _shift_lines(inner, by)] for key, (line, column, inner) in rest.items()},
        ]
    return [*head, [_shift_lines(inner, by) for inner in rest] if isinstance(rest, list) else rest]


def _until_problems(document: YamlDocument) -> Iterable[Problem]:
    """The problem of an `until` that is not a date."""
    day = as_mapping(document.data)["until"]
    if not isinstance(day, str) or re.fullmatch(r"\d{4}-\d\d-\d\d", day) is None:
        yield document.problem(("until",), shown(day), "not a date", "write a date such as 2027-11-22")


def _todo_problems(path: str, document: YamlDocument) -> Iterable[Problem]:
    """Places of a template (`advisor rules new`) that are not filled in."""

    def walk(value: object, steps: YamlPath) -> Iterable[Problem]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from walk(inner, (*steps, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                yield from walk(inner, (*steps, index))
        elif isinstance(value, str) and value.startswith("TODO"):
            line, column = document.place(steps)
            yield Problem(path, line, column, f'"{value}"', "this place of the template is not filled in", "fill it in")

    return walk(document.data, ())

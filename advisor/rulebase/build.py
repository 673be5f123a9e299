"""Builds a rule base from its files: parse, validate, audit, prove, try the examples, compile. One run reports every
problem; parsed files, and the parts that passed verification, are kept for the next one.

With a site's own rules in it: a pack is a folder of YAML files. The keys of a file show what it is, so a pack may be
flat or have rules/ and kb/. A decision that is there already gets the pack's rules beside its own. Inside, the files of
pack N have paths with `@N` after the folder that their kind asks for; messages show the real ones
(`with_real_paths`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from advisor.engine import Base
from advisor.regex import regex
from advisor.rulebase import compile as compiler
from advisor.rulebase import examples, rule_files
from advisor.rulebase.audit import audit
from advisor.rulebase.catalogue import TABLES, Authored, Catalogue, build_catalogue, is_of_pack
from advisor.rulebase.counsel import nothing_known
from advisor.rulebase.document import Problem, YamlDocument, YamlPath, as_mapping, merge_repeats, parse, shown
from advisor.rulebase.model import Decision, RuleBase, RuleBaseError
from advisor.rulebase.proofs import build_diagnosis, prove
from advisor.rulebase.rule_files import Verified

PARSED = "parsed.jsonl"
_HASH = 32
"""Characters of a hash."""
FOUNDATION = ("rules/facts/", "rules/layers.yaml", "rules/constraints.yaml", "kb/capabilities.yaml", "kb/platforms/")
"""Files and folders that every result of the engine depends on."""
ERRATA = "rules/errata/"
GATES = ("kb/kinds.yaml",)
"""Files that gates depend on, besides FOUNDATION and the file of their tunable."""

Packs = Mapping[str, Mapping[str, bytes]]
"""Folder as it was named → path as it is shown → content."""
NO_PACKS: Packs = {}
ValidatedDocuments = list[tuple[YamlDocument, list[YamlPath]]]
"""Documents with the places where their types are wrong."""

Progress = Callable[[str, int, int], None]
"""Learns what is being done, how many are done, and of how many; of what cannot be counted, 0 of 0."""
Item = TypeVar("Item")

_ADDABLE = ("decisions", "checks", "errata", "claims", "facts", "tunables", "platforms", "recipes", "sources")
"""The tables of the catalogue to which a pack can add."""
_PLACES = {
    table.key or table.name: table.path.rstrip("/")
    for table in sorted(TABLES, key=lambda table: not table.key) if table.name in _ADDABLE
}
"""The key that shows what a file is → the folder for it. Files of one entry first: an erratum has `facts` too."""
_SHIPPED = ("synonyms", *(table.name for table in TABLES if table.name not in _ADDABLE))
_INSIDE = regex(r"(?:rules|kb)/(?:[\w.-]+/)?@(\d+)/")


def unwatched(_what: str, _done: int, _of: int) -> None:
    """The progress that nobody looks at."""


def _counted(items: Sequence[Item], what: str, progress: Progress) -> Iterator[Item]:
    """The items, with the progress of going through them."""
    for done, item in enumerate(items):
        progress(what, done, len(items))
        yield item


class Validated(NamedTuple):
    """The result of `check`. `base` is complete only if there are no problems; None if its foundation is faulty.

    `near_misses`: parts of conditions that no example shows, which `advisor rules verify` asks for; they do not keep a
    rule base from loading. `unused`: facts that nothing needs."""

    catalogue: Catalogue
    base: Base | None
    problems: list[Problem]
    near_misses: list[Problem]
    unused: list[str]
    diagnosis: Base | None
    """For the conditions of causes."""


def check(
    root: str, contents: dict[str, bytes], thorough: bool = False, added: Packs = NO_PACKS, *,
    verified: Verified | None = None, progress: Progress = unwatched,
) -> Validated:
    """Every problem of the rule base at `root`, in order of file and line.

    `contents` is what `rule_files.files(root)` found. `thorough`: look for near misses too. `verified`: what passed
    before is not tried again, and what passes now is added; without it everything is tried. `added`: a site's packs.
    The rule base at `root` then counts as correct, and only problems in the packs are reported."""
    shaped, problems = _read(root, contents, added, progress)
    progress("comparing files", 0, 0)
    malformed = {problem.file for problem in problems}
    catalogue = build_catalogue(shaped)
    problems += audit(catalogue, lambda file: bool(added) and not is_of_pack(file))
    faulty = {problem.file for problem in problems}
    faulty |= {catalogue.decisions[one.id].file for one in catalogue.additions if one.file in faulty}
    outranked = frozenset(name for name, rule in catalogue.rules.items() if added and not is_of_pack(rule.file))
    proof = prove(catalogue, faulty, malformed, outranked)
    problems += proof.problems
    diagnosis: Base | None = None
    missing: list[Problem] = []
    if proof.base is not None:
        diagnosis, wrong = build_diagnosis(catalogue, faulty)
        problems += _in_packs(wrong, added)
        decisions = [
            decision for decision in proof.decisions if decision.id not in proof.contradictory
            and (not added or any(is_of_pack(one.file) for one in (decision, *catalogue.rules_on[decision.id])))
        ]
        verified = verified or Verified()
        tried = _counted(decisions, "settings tried", progress)
        wrong, missing = _try_examples(proof.base, tried, catalogue, thorough, verified)
        problems, missing = problems + _in_packs(wrong, added), _in_packs(missing, added)
        base, errata = proof.base, catalogue.errata.values()
        if added:  # packs have no part in capabilities
            wrong = [*examples.errata(base, [one for one in errata if is_of_pack(one.file)])]
        else:
            wrong = verified.problems("capabilities", FOUNDATION, lambda: examples.capabilities(base, catalogue))
            wrong += verified.problems("errata", (*FOUNDATION, ERRATA), lambda: examples.errata(base, errata))
        problems += [problem for problem in wrong if problem.file not in faulty]
    folders = list(added)
    problems, missing = ([with_real_paths(problem, folders) for problem in group] for group in (problems, missing))
    return Validated(catalogue, proof.base, merge_repeats(problems), merge_repeats(missing), proof.unused, diagnosis)


def _read(
    root: str, contents: dict[str, bytes], added: Packs, progress: Progress
) -> tuple[ValidatedDocuments, list[Problem]]:
    """Every file, those of packs too, with the places where its types are wrong; and the problems of shape."""
    parsed = parsed_documents(root, contents, progress)
    fresh = [document for document in parsed if not document.valid]
    shaped, problems = [*map(_validate, _counted(parsed, "files checked", progress))], list[Problem]()
    if fresh:
        keep_documents(root, contents, parsed, fresh)
    for number, (folder, files) in enumerate(added.items()):
        documents, problems_of_pack = read_pack([parse(path, raw) for path, raw in files.items()], folder, number)
        shaped += map(_validate, documents)
        problems += problems_of_pack
    return shaped, problems + [problem for document, _ in shaped for problem in document.problems]


def _validate(document: YamlDocument) -> tuple[YamlDocument, list[YamlPath]]:
    """The document with the places where its types are wrong."""
    if document.valid:
        return document, []
    from advisor.rulebase import schema  # noqa: PLC0415  pydantic, only for files that have changed

    wrong, unsafe = schema.shape_problems(document)
    document.problems += wrong
    document.valid = not document.problems
    return document, unsafe


def _try_examples(
    base: Base, decisions: Iterable[Authored[Decision]], catalogue: Catalogue, thorough: bool, verified: Verified
) -> tuple[list[Problem], list[Problem]]:
    """Examples of decisions that do not hold or are missing; and near misses, if `thorough`."""
    problems: list[Problem] = []
    missing: list[Problem] = []
    for decision in decisions:
        tunable = catalogue.tunables.get(decision.id)
        about = (tunable or decision).document.path
        rests_on = (*FOUNDATION, *GATES, decision.document.path, about)
        parts = (f"examples {decision.id}", f"near misses {decision.id}")[: 1 + thorough]
        if all(verified.passed(part, rests_on) for part in parts):
            continue
        tried, wrong = examples.try_all(base, decision, catalogue)
        wrong += examples.both_sides(base, decision, tried, catalogue)
        missed = list(examples.near_misses(base, decision, tried, catalogue)) if thorough else []
        problems += wrong
        missing += missed
        if not wrong and not missed:
            for part in parts:
                verified.add(part, rests_on)
    return problems, missing


def _in_packs(problems: Iterable[Problem], added: Packs) -> list[Problem]:
    """The problems; with packs only those in their files."""
    return [problem for problem in problems if not added or is_of_pack(problem.file)]


def compile_base(
    root: str, contents: dict[str, bytes], added: Packs = NO_PACKS, progress: Progress = unwatched
) -> dict[str, object]:
    """The compiled base, JSON-ready, with a site's packs in it. Raises RuleBaseError with every problem."""
    verified = None if added else Verified(root, contents)
    checked = check(root, contents, added=added, verified=verified, progress=progress)
    if verified is not None:
        verified.keep()
    if checked.problems or checked.base is None or checked.diagnosis is None:
        raise RuleBaseError([str(problem) for problem in checked.problems] or [f"{root}: rules/layers.yaml is missing"])
    everything = {**contents, **{name: raw for files in added.values() for name, raw in files.items()}}
    progress("deciding what is right everywhere", 0, 0)
    data = compiler.assemble(checked.catalogue, checked.base, checked.diagnosis, rule_files.content_hash(everything))
    data["nothing_known"] = nothing_known(RuleBase(json.loads(json.dumps(data))))  # it makes records of its data
    put_real_paths(data, list(added))
    return data


def parsed_documents(
    root: str, contents: Mapping[str, bytes], progress: Progress = unwatched
) -> list[YamlDocument]:
    """Every file, parsed. Files that `keep_documents` has kept are not parsed again, and are `valid` if the models of
    the schema are still the same."""
    kept, schema = _kept_lines(root), _hash_of_schema()
    documents = []
    for path, content in _counted([*contents.items()], "files read", progress):
        line = kept.get(_hash_of_file(path, content))
        if line is None:
            documents.append(parse(path, content))
        else:
            data, marks = json.loads(line[2 * _HASH :])
            documents.append(YamlDocument(path, data, marks, [], valid=line.startswith(schema, _HASH)))
    return documents


def keep_documents(
    root: str, contents: Mapping[str, bytes], parsed: Iterable[YamlDocument], fresh: Collection[YamlDocument]
) -> None:
    """Keep the valid ones of the parsed files of `contents`. `fresh`: those that the cache does not have."""
    kept, schema = _kept_lines(root), _hash_of_schema()
    lines = []
    for document, (path, content) in zip(parsed, contents.items()):
        name = _hash_of_file(path, content)
        if document.valid and document in fresh:
            lines.append(name + schema + json.dumps([document.data, document.marks], separators=(",", ":")))
        elif name in kept:
            lines.append(kept[name])
    rule_files.store(root, PARSED, "\n".join(lines).encode())


def _kept_lines(root: str) -> dict[str, str]:
    """Hash of a file → its line in the cache: that hash, the hash of the schema, and JSON."""
    lines = (line for text in rule_files.cached_copies(root, PARSED) for line in text.decode().splitlines())
    return {line[:_HASH]: line for line in lines}


def _hash_of_file(path: str, content: bytes) -> str:
    """A hash of a file and of the code that parses it."""
    return rule_files.digest(path.encode(), content, _parser_source())


@cache
def _parser_source() -> bytes:
    here = Path(__file__)
    return b"".join(path.read_bytes() for path in (here.with_name("document.py"), here.parents[1] / "bounded_yaml.py"))


@cache
def _hash_of_schema() -> str:
    """A hash of the code that validates files."""
    folder = Path(__file__).parent
    code = [*sorted(folder.glob("model/*.py")), folder / "schema.py"]
    return rule_files.digest(*(path.read_bytes() for path in code))


def read_pack(documents: Iterable[YamlDocument], folder: str, number: int) -> tuple[list[YamlDocument], list[Problem]]:
    """The documents of one pack under internal paths, and problems for files that a pack cannot contain."""
    placed: list[YamlDocument] = []
    problems: list[Problem] = []
    for document in documents:
        name = document.path.removeprefix(folder).lstrip("/")
        data = as_mapping(document.data)
        if "until" in data:
            problems += _until_problems(document)
            document.data = data = {key: value for key, value in data.items() if key != "until"}
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
    file, line, column, *words = problem
    found, why, write = (_with_real_path(str(text), folders) for text in words)
    return Problem(_with_real_path(file, folders), line, column, found, why, write)


def _with_real_path(text: str, folders: list[str]) -> str:
    return _INSIDE.sub(lambda match: f"{folders[int(match[1])]}/", text)


def put_real_paths(compiled: Mapping[str, object], folders: list[str]) -> None:
    for table in ("checks", "errata", "decisions"):
        for entry in map(as_mapping, as_mapping(compiled[table]).values()):
            gates = (rule for rule in map(as_mapping, as_mapping(entry.get("rules")).values()) if "file" in rule)
            for filed in (entry, *gates):
                filed["file"] = _with_real_path(str(filed["file"]), folders)


def _until_problems(document: YamlDocument) -> Iterable[Problem]:
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

"""Builds a rule base from its files: parse, validate, audit, prove, try the examples, compile. One run reports every
problem; parsed files, and the parts that passed verification, are kept for the next one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from advisor.engine import Base
from advisor.rulebase import compile as compiler
from advisor.rulebase import examples, packs, rule_files
from advisor.rulebase.audit import audit
from advisor.rulebase.catalogue import Authored, Catalogue, build_catalogue
from advisor.rulebase.document import Problem, YamlDocument, YamlPath, merge_repeats, parse
from advisor.rulebase.model import Decision, RuleBaseError
from advisor.rulebase.proofs import build_diagnosis, prove

PARSED = "parsed.jsonl"
_HASH = 32
"""Characters of a hash."""
NO_PACKS: packs.Packs = {}
FOUNDATION = ("rules/facts/", "rules/layers.yaml", "rules/constraints.yaml", "kb/capabilities.yaml")
"""Files and folders that every result of the engine depends on."""
GATES = ("kb/kinds.yaml",)
"""Files that gates depend on, besides FOUNDATION and the file of their tunable."""


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
    root: str, contents: dict[str, bytes], thorough: bool = False, added: packs.Packs = NO_PACKS,
    verified: rule_files.Verified | None = None,
) -> Validated:
    """Every problem of the rule base at `root`, in order of file and line.

    `contents` is what `rule_files.files(root)` found. `thorough`: look for near misses too. `verified`: what passed
    before is not tried again, and what passes now is added; without it everything is tried. `added`: a site's packs.
    The rule base at `root` then counts as correct, and only problems in the packs are reported."""
    shaped, problems = _read(root, contents, added)
    shaped, wrong, parts = packs.join_decisions(shaped)
    problems += wrong
    malformed = {problem.file for problem in problems}
    catalogue = build_catalogue(shaped)
    problems += audit(catalogue)
    faulty = {problem.file for problem in problems}
    faulty |= {parts[name] for name in faulty & parts.keys()}
    outranked = frozenset(name for name, rule in catalogue.rules.items() if added and not packs.is_of_pack(rule.file))
    proof = prove(catalogue, faulty, malformed, outranked)
    problems += proof.problems
    diagnosis: Base | None = None
    missing: list[Problem] = []
    if proof.base is not None:
        diagnosis, wrong = build_diagnosis(catalogue, faulty)
        problems += _in_packs(wrong, added)
        decisions = [
            decision for decision in proof.decisions if decision.id not in proof.contradictory
            and (not added or _is_of_pack(decision, catalogue))
        ]
        verified = verified or rule_files.Verified()
        wrong, missing = _try_examples(proof.base, decisions, catalogue, thorough, verified)
        problems, missing = problems + _in_packs(wrong, added), _in_packs(missing, added)
        base = proof.base
        wrong = []
        if not added:  # packs have no part in capabilities
            wrong = verified.problems("capabilities", FOUNDATION, lambda: examples.capabilities(base, catalogue))
        wrong += examples.errata(base, catalogue)
        problems += [problem for problem in wrong if problem.file not in faulty]
    folders = list(added)
    problems, missing = (
        [packs.with_real_paths(problem, folders) for problem in group] for group in (problems, missing)
    )
    return Validated(catalogue, proof.base, merge_repeats(problems), merge_repeats(missing), proof.unused, diagnosis)


def _read(root: str, contents: dict[str, bytes], added: packs.Packs) -> tuple[packs.ValidatedDocuments, list[Problem]]:
    """Every file, those of packs too, with the places where its types are wrong; and the problems of shape."""
    parsed = parsed_documents(root, contents)
    fresh = [document for document in parsed if not document.valid]
    shaped, problems = [*map(_validate, parsed)], list[Problem]()
    if fresh:
        keep_documents(root, contents, parsed, fresh)
    for number, (folder, files) in enumerate(added.items()):
        documents, problems_of_pack = packs.read_pack([parse(path, raw) for path, raw in files.items()], folder, number)
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
    base: Base, decisions: Iterable[Authored[Decision]], catalogue: Catalogue, thorough: bool, verified: rule_files.Verified
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


def _is_of_pack(decision: Authored[Decision], catalogue: Catalogue) -> bool:
    """Whether a pack has the decision, or adds rules to it."""
    owners = (decision, *examples.rules_of(decision, catalogue))
    return any(packs.is_of_pack(owner.file) for owner in owners)


def _in_packs(problems: Iterable[Problem], added: packs.Packs) -> list[Problem]:
    """The problems; with packs only those in their files."""
    return [problem for problem in problems if not added or packs.is_of_pack(problem.file)]


def compile_base(root: str, contents: dict[str, bytes], added: packs.Packs = NO_PACKS) -> dict[str, object]:
    """The compiled base, JSON-ready, with a site's packs in it. Raises RuleBaseError with every problem."""
    verified = None if added else rule_files.Verified(root, contents)
    checked = check(root, contents, added=added, verified=verified)
    if verified is not None:
        verified.keep()
    if checked.problems or checked.base is None or checked.diagnosis is None:
        raise RuleBaseError([str(problem) for problem in checked.problems] or [f"{root}: rules/layers.yaml is missing"])
    everything = {**contents, **{name: raw for files in added.values() for name, raw in files.items()}}
    data = compiler.assemble(checked.catalogue, checked.base, checked.diagnosis, rule_files.content_hash(everything))
    packs.put_real_paths(data, list(added))
    return data


def parsed_documents(root: str, contents: Mapping[str, bytes]) -> list[YamlDocument]:
    """Every file, parsed. Files that `keep_documents` has kept are not parsed again, and are `valid` if the models of
    the schema are still the same."""
    kept, schema = _kept_lines(root), _hash_of_schema()
    documents = []
    for path, content in contents.items():
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
    return Path(__file__).with_name("document.py").read_bytes()


@cache
def _hash_of_schema() -> str:
    """A hash of the code that validates files."""
    folder = Path(__file__).parent
    code = [*sorted(folder.glob("model/*.py")), folder / "schema.py"]
    return rule_files.digest(*(path.read_bytes() for path in code))

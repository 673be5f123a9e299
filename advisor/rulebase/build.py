"""Builds a rule base from its files: parse, validate, audit, prove, try the examples, compile. One run reports every
problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.engine import Base
from advisor.rulebase import compile as compiler
from advisor.rulebase import examples, packs, rule_files
from advisor.rulebase.audit import audit
from advisor.rulebase.cache import Verified, keep_documents, parsed_documents
from advisor.rulebase.catalogue import Authored, Catalogue, build_catalogue
from advisor.rulebase.document import YamlDocument, YamlPath, parse
from advisor.rulebase.model import Decision, RuleBaseError
from advisor.rulebase.problems import Problem, merge_repeats
from advisor.rulebase.proofs import build_diagnosis, prove

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
    verified: Verified | None = None,
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
        verified = verified or Verified()
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
    from advisor.rulebase import validation  # noqa: PLC0415  pydantic, only for files that have changed

    wrong, unsafe = validation.check(document)
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


def _is_of_pack(decision: Authored[Decision], catalogue: Catalogue) -> bool:
    """Whether a pack has the decision, or adds rules to it."""
    owners = (decision, *examples.rules_of(decision, catalogue))
    return any(packs.is_of_pack(owner.file) for owner in owners)


def _in_packs(problems: Iterable[Problem], added: packs.Packs) -> list[Problem]:
    """The problems; with packs only those in their files."""
    return [problem for problem in problems if not added or packs.is_of_pack(problem.file)]


def compile_base(root: str, contents: dict[str, bytes], added: packs.Packs = NO_PACKS) -> dict[str, object]:
    """The compiled base, JSON-ready, with a site's packs in it. Raises RuleBaseError with every problem."""
    verified = None if added else Verified(root, contents)
    checked = check(root, contents, added=added, verified=verified)
    if verified is not None:
        verified.keep()
    if checked.problems or checked.base is None or checked.diagnosis is None:
        raise RuleBaseError([str(problem) for problem in checked.problems] or [f"{root}: rules/layers.yaml is missing"])
    everything = {**contents, **{name: raw for files in added.values() for name, raw in files.items()}}
    data = compiler.assemble(checked.catalogue, checked.base, checked.diagnosis, rule_files.content_hash(everything))
    packs.put_real_paths(data, list(added))
    return data

"""Reads, checks and compiles a rule base. Everything that is wrong is found in one go."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from advisor.engine import Base
from advisor.rulebase import causes, examples, packs, rule_files, validation
from advisor.rulebase import compile as compiler
from advisor.rulebase.audit import audit
from advisor.rulebase.catalogue import Authored, Catalogue, fill
from advisor.rulebase.document import PARSER, KeptFile, YamlDocument, parse
from advisor.rulebase.model import RuleBaseError
from advisor.rulebase.nearmiss import near_misses
from advisor.rulebase.problems import Problem, merged
from advisor.rulebase.proofs import prove

NO_PACKS: packs.Packs = {}


class Validated(NamedTuple):
    """`base` is complete only when there are no problems; None when its foundation is faulty.

    `near_misses`: parts of conditions that no example shows, which `advisor rules verify` asks for; they do not keep a
    rule base from loading. `unused`: facts that nothing needs."""

    catalogue: Catalogue
    base: Base | None
    problems: list[Problem]
    near_misses: list[Problem]
    unused: list[str]
    diagnosis: Base | None = None
    """For the conditions of causes."""


def documents(root: str, contents: dict[str, bytes]) -> list[YamlDocument]:
    """Every file parsed; only those that have changed since the last time go through the YAML parser."""
    kept = _parsed(root)
    found: list[YamlDocument] = []
    now: dict[str, KeptFile] = {}
    fresh = False
    for path, content in contents.items():
        name = rule_files.digest(content)
        entry = kept.get(name)
        if entry is None:
            document = parse(path, content)
            fresh = True
            now[name] = document.to_json()
        else:
            document = YamlDocument.from_json(path, entry)
            now[name] = entry
        found.append(document)
    if fresh:
        text = json.dumps({"parser": PARSER, "files": now}, separators=(",", ":"))
        rule_files.keep(root, "parsed.json", text.encode())
    return found


def _parsed(root: str) -> dict[str, KeptFile]:
    files: dict[str, KeptFile] = {}
    for text in rule_files.kept_copies(root, "parsed.json"):
        try:
            kept = json.loads(text)
        except ValueError:
            continue
        if kept["parser"] == PARSER:
            files.update(kept["files"])
    return files


def check(root: str, contents: dict[str, bytes], thorough: bool = False, added: packs.Packs = NO_PACKS) -> Validated:
    """Everything that is wrong with the rule base at `root`, in order of file and line.

    `contents` is what `rule_files.files(root)` found. `thorough`: look for near misses too. `added`: a site's packs;
    then the rule base at `root` is taken to be right by itself, and what its examples say and its rules do, as far as
    the packs change it, is not a problem."""
    problems: list[Problem] = []
    read = documents(root, contents)
    for number, (folder, files) in enumerate(added.items()):
        found, wrong = packs.placed(documents(folder, dict(files)), folder, number)
        read += found
        problems += wrong
    shaped = []
    for document in read:
        wrong, unsafe = validation.check(document)
        problems += document.problems + wrong
        shaped.append((document, unsafe))
    shaped, wrong, parts = packs.joined(shaped)
    problems += wrong
    misshapen = {problem.file for problem in problems}
    catalogue = fill(shaped)
    problems += audit(catalogue)
    faulty = {problem.file for problem in problems}
    faulty |= {parts[name] for name in faulty & parts.keys()}
    outranked = frozenset(name for name, rule in catalogue.rules.items() if added and not _of_pack(rule))
    proof = prove(catalogue, faulty, misshapen, outranked)
    problems += proof.problems
    diagnosis, wrong = causes.build_base(catalogue, faulty) if proof.base is not None else (None, [])
    problems += _ours(wrong, added)
    missing: list[Problem] = []
    if proof.base is not None:
        for decision in proof.decisions:
            if decision.id in proof.torn:
                continue
            if added and not any(_of_pack(one) for one in examples.owners(decision, catalogue)):
                continue  # nothing that could be said of it would be a problem
            tried, wrong = examples.try_all(proof.base, decision, catalogue)
            more = [*wrong, *examples.both_sides(proof.base, decision, tried, catalogue)]
            problems += _ours(more, added)
            if thorough:
                missing += _ours(near_misses(proof.base, decision, tried, catalogue), added)
        more = [*examples.capabilities(proof.base, catalogue), *examples.errata(proof.base, catalogue)]
        problems += [problem for problem in more if problem.file not in faulty]
    folders = list(added)
    problems, missing = ([packs.renamed(one, folders) for one in found] for found in (problems, missing))
    return Validated(catalogue, proof.base, merged(problems), merged(missing), proof.unused, diagnosis)


def _ours(problems: Iterable[Problem], added: packs.Packs) -> list[Problem]:
    """With packs, only the problems that stand in them."""
    return [problem for problem in problems if not added or packs.own(problem.file)]


def _of_pack(item: Authored) -> bool:
    return packs.own(item.problem((), "", "", "").file)


def compiled(root: str, contents: dict[str, bytes], added: packs.Packs = NO_PACKS) -> dict[str, object]:
    """The compiled base, JSON-ready, with a site's packs in it. Raises RuleBaseError with every problem."""
    checked = check(root, contents, added=added)
    if checked.problems or checked.base is None or checked.diagnosis is None:
        raise RuleBaseError([str(problem) for problem in checked.problems] or [f"{root}: rules/layers.yaml is missing"])
    everything = {**contents, **{name: raw for files in added.values() for name, raw in files.items()}}
    data = compiler.assemble(checked.catalogue, checked.base, checked.diagnosis, rule_files.content_hash(everything))
    packs.file_names(data, list(added))
    return data

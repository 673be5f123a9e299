"""Reads, checks and compiles a rule base. Everything that is wrong is found in one go."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from advisor.engine import Base
from advisor.rulebase import compile as compiler
from advisor.rulebase import examples, shape, store, tree
from advisor.rulebase.audit import audit
from advisor.rulebase.base import RuleBaseError
from advisor.rulebase.catalogue import Catalogue, fill
from advisor.rulebase.document import PARSER, Document, parse
from advisor.rulebase.nearmiss import near_misses
from advisor.rulebase.problems import Problem, merged
from advisor.rulebase.prove import prove


class Checked(NamedTuple):
    """`base` is complete only when there are no problems; None when its foundation is faulty.

    `near_misses`: parts of conditions that no example shows, which `advisor rules verify` asks for; they do not keep a
    rule base from loading. `unused`: facts that nothing needs."""

    catalogue: Catalogue
    base: Base | None
    problems: list[Problem]
    near_misses: list[Problem]
    unused: list[str]


def documents(root: str, contents: dict[str, bytes]) -> list[Document]:
    """Every file parsed; only those that have changed since the last time go through the YAML parser."""
    kept = _parsed(root)
    found: list[Document] = []
    now: dict[str, Any] = {}
    fresh = False
    for path, content in contents.items():
        name = tree.digest(content)
        entry = kept.get(name)
        if entry is None:
            document = parse(path, content)
            fresh = True
            now[name] = document.to_json()
        else:
            document = Document.from_json(path, entry)
            now[name] = entry
        found.append(document)
    if fresh:
        store.keep(root, "parsed.json", json.dumps({"parser": PARSER, "files": now}, separators=(",", ":")))
    return found


def _parsed(root: str) -> dict[str, Any]:
    files: dict[str, Any] = {}
    for text in store.kept(root, "parsed.json"):
        try:
            kept = json.loads(text)
        except ValueError:
            continue
        if kept["parser"] == PARSER:
            files.update(kept["files"])
    return files


def check(root: str, contents: dict[str, bytes], thorough: bool = False) -> Checked:
    """Everything that is wrong with the rule base at `root`, in order of file and line.

    `contents` is what `tree.files(root)` found. `thorough`: look for near misses too."""
    problems: list[Problem] = []
    shaped = []
    for document in documents(root, contents):
        wrong, unsafe = shape.check(document)
        problems += document.problems + wrong
        shaped.append((document, unsafe))
    misshapen = {problem.file for problem in problems}
    catalogue = fill(shaped)
    problems += audit(catalogue)
    proof = prove(catalogue, {problem.file for problem in problems}, misshapen)
    problems += proof.problems
    missing: list[Problem] = []
    if proof.base is not None:
        for decision in proof.decisions:
            if decision.id in proof.torn:
                continue
            tried, wrong = examples.try_all(proof.base, decision, catalogue)
            problems += wrong
            problems += examples.both_sides(proof.base, decision, tried, catalogue)
            if thorough:
                missing += near_misses(proof.base, decision, tried, catalogue)
        problems += examples.capabilities(proof.base, catalogue)
        problems += examples.errata(proof.base, catalogue)
    return Checked(catalogue, proof.base, merged(problems), merged(missing), proof.unused)


def compiled(root: str, contents: dict[str, bytes]) -> dict[str, Any]:
    """The compiled base, JSON-ready. Raises RuleBaseError with every problem."""
    checked = check(root, contents)
    if checked.problems or checked.base is None:
        raise RuleBaseError([str(problem) for problem in checked.problems] or [f"{root}: rules/layers.yaml is missing"])
    return compiler.assemble(checked.catalogue, checked.base.to_json(), tree.content_hash(contents))

"""`advisor rules verify`: every problem that prevents loading, and those that only a complete check can find."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from advisor.engine.errors import word_list
from advisor.rulebase import base, build, cache, citations, packs, rule_files
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.compile import assemble
from advisor.rulebase.document import mappings_in, texts_in
from advisor.rulebase.model import Record, RuleBase
from advisor.rulebase.problems import Problem, merge_repeats
from advisor.verify.acceptance import unaccepted_options
from advisor.verify.examples import cause_examples, check_examples, conclusion_examples

LINTING = (
    *build.FOUNDATION, "rules/checks/", "rules/errata/", "kb/host-files.yaml", "kb/kinds.yaml", "kb/layouts.yaml",
    "kb/platforms/", "kb/tunables/",
)
"""What the examples of checks rest on: no check rests on a decision."""
DIAGNOSIS = ("rules/", "kb/errno.yaml", "kb/messages/", "kb/phrases/")
"""What the examples of causes rest on besides: a pasted line is linted, decisions and all."""
OBSERVATION = ("rules/conclusions/", "rules/observations/")
"""What the examples of conclusions rest on besides."""


class Report(NamedTuple):
    """`size`: what was looked at, in words. `notes`: remarks that are not problems."""

    problems: list[Problem]
    notes: list[str]
    size: str


def verify(root: str | None = None) -> Report | None:
    """Look at the rule base at `root`, by default at the one in use; None when there is none."""
    root = os.path.abspath(root) if root is not None else base.source_root()  # noqa: PTH100  see rule_files.py
    contents = rule_files.files(root)
    if not contents:
        return None
    verified = cache.Verified(root, contents)
    validated = build.check(root, contents, thorough=True, verified=verified)
    problems = [*validated.problems, *validated.near_misses]
    notes = []
    if validated.unused and not validated.problems:  # a faulty file may be the one that needs them
        notes.append(f"no rule needs the fact{'s' * (len(validated.unused) > 1)} {word_list(validated.unused, 'and')}")
    if validated.problems or validated.base is None or validated.diagnosis is None:
        if validated.catalogue.checks:
            notes.append("the examples of checks were not tried: they need a rule base without problems")
    else:
        compiled = assemble(validated.catalogue, validated.base, validated.diagnosis, "")
        rulebase = RuleBase(compiled)
        examples: tuple[tuple[str, tuple[str, ...], Callable[[], Iterator[Problem]]], ...] = (
            ("checks", LINTING, lambda: check_examples(validated.catalogue, compiled)),
            ("causes", (*LINTING, *DIAGNOSIS), lambda: cause_examples(validated.catalogue, rulebase)),
            ("conclusions", (*LINTING, *OBSERVATION), lambda: conclusion_examples(validated.catalogue, rulebase)),
        )
        for part, rests_on, try_all in examples:
            problems += verified.problems(part, rests_on, try_all)
        problems += unaccepted_options(validated.catalogue, rulebase, validated.catalogue.rules)
        problems += _citation_gaps(validated.catalogue, rulebase)
        notes += citations.checked_share(rulebase.claims)
    verified.keep()
    return Report(merge_repeats(problems), notes, _size(validated.catalogue))


def _size(catalogue: Catalogue) -> str:
    counts: dict[str, Mapping[str, object]] = {
        "rule": catalogue.rules,
        "decision": catalogue.decisions,
        "check": catalogue.checks,
        "erratum": catalogue.errata,
        "fact": catalogue.known_facts,
        "tunable": catalogue.tunables,
        "message": catalogue.messages,
        "cause": catalogue.causes,
        "conclusion": catalogue.conclusions,
        "claim": catalogue.claims,
        "source": catalogue.sources,
    }
    return _enumerated({noun: len(items) for noun, items in counts.items()})


def _enumerated(counts: Mapping[str, int]) -> str:
    """ "1 check, 2 errata and 3 rules", from noun → count."""
    plurals = {"erratum": "errata"}
    return word_list(
        [f"{count} {noun if count == 1 else plurals.get(noun, noun + 's')}" for noun, count in counts.items()], "and"
    )


def _citation_gaps(catalogue: Catalogue, compiled: RuleBase) -> Iterator[Problem]:
    """Sections and claims that were left out, and reasons that no longer hold."""
    for kind, name, detail in citations.gaps(compiled):
        if kind == "empty-section":
            item = catalogue.sources[name]
            at = ("sections", next(index for index, section in texts_in(item.data["sections"]) if section == detail))
            why, write = "no claim cites it", f'add a claim with at: "{detail}", or delete the section'
            yield item.problem(at, f'the section "{detail}"', why, write)
        elif kind == "unexplained":
            why = "nothing rests on it, and it gives no reason"
            write = "cite it, or add unused: why nothing does"
            yield catalogue.claims[name].problem(("id",), f'the claim "{name}"', why, write)
        else:
            why = f"something rests on it: {detail}"
            yield catalogue.claims[name].problem(("unused",), f'"unused" of {name}', why, "delete it", key=True)


def verify_pack(folder: str) -> Report:
    """Everything that is wrong with a pack, near misses too; `size` counts what is in it, examples included.

    Raises RuleBaseError when there are no rules in the folder."""
    files = base.pack_files(folder)
    folder = folder.rstrip("/") or "/"
    root = base.source_root()
    checked = build.check(root, rule_files.files(root), thorough=True, added={folder: files})
    own = _pack_entries(checked.catalogue)
    problems = [*checked.problems, *checked.near_misses]
    notes = []
    if checked.problems or checked.base is None or checked.diagnosis is None:
        if own.checks:
            notes.append("the examples of checks were not tried: they need rules without problems")
    else:
        compiled = assemble(checked.catalogue, checked.base, checked.diagnosis, "")
        wrong = [*check_examples(own, compiled), *unaccepted_options(checked.catalogue, RuleBase(compiled), own.rules)]
        problems += [packs.with_real_paths(problem, [folder]) for problem in wrong]
    return Report(merge_repeats(problems), notes, _pack_size(own))


def _pack_entries(catalogue: Catalogue) -> Catalogue:
    """What is in packs alone. A decision that was there before is not; the rules that were added to it are."""
    own = Catalogue()
    for name in ("rules", "checks", "errata", "decisions", "claims"):
        items: dict[str, Authored[Record]] = getattr(catalogue, name)
        setattr(own, name, {item.id: item for item in items.values() if packs.is_of_pack(item.file)})
    return own


def _pack_size(own: Catalogue) -> str:
    owners: list[Authored[Any]] = [
        *own.rules.values(), *own.checks.values(), *own.errata.values(), *own.decisions.values()
    ]
    counts = {
        "rule": len(own.rules),
        "check": len(own.checks),
        "erratum": len(own.errata),
        "claim": len(own.claims),
        "example": sum(len(mappings_in(item.data.get("examples"))) for item in owners),
    }
    return _enumerated({noun: count for noun, count in counts.items() if count})

"""Indexes in the compiled base, so that `lint` decodes only the entries that a file needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.rulebase.model import Check, Decision, Erratum, Fact, KindSteps, Tunable
from advisor.rulebase.values import COMMON, LINE_KINDS, demands

if TYPE_CHECKING:
    from advisor.rulebase.model.base import LintIndex, OptionIndex, OutlineRow


def lint_index(
    tunables: Mapping[str, Tunable], decisions: Mapping[str, Decision], facts: Mapping[str, Fact],
    kinds: Mapping[str, KindSteps], errata: Mapping[str, Erratum],
) -> LintIndex:
    """The part `lint` of a compiled base."""
    idle: dict[str, list[str]] = {}
    for name, tunable in tunables.items():
        for kind in _kinds_ignoring(tunable):
            idle.setdefault(kind, []).append(name)
    held: dict[str, list[str]] = {}
    for name, steps in kinds.items():
        for kind in steps.file.kinds if steps.file else ():
            held.setdefault(kind, []).append(name)
    return {
        **option_index(tunables),
        "held": held,
        "missable": [
            name for name, decision in decisions.items()
            if name in tunables and absence_matters(tunables[name], decision)
        ],
        "forced": [
            name for name, decision in decisions.items()
            if any(rule.consequence == "mount-fails" for rule in decision.rules.values())
        ],
        "errata": _by_fact(errata),
        "idle": idle,
        "moot": {name: tunable.moot for name, tunable in tunables.items() if tunable.moot},
        "twins": {name: tunable.twin for name, tunable in tunables.items() if tunable.twin},
        "setting_facts": [name for name, fact in facts.items() if fact.setting],
    }


def _by_fact(errata: Mapping[str, Erratum]) -> dict[str, list[str]]:
    by_fact: dict[str, list[str]] = {}
    for name, erratum in errata.items():
        for fact in erratum.facts:
            by_fact.setdefault(fact, []).append(name)
    return by_fact


def option_index(tunables: Mapping[str, Tunable]) -> OptionIndex:
    """The index of mount options among these tunables: their spellings, types and negotiation."""
    spellings: dict[str, list[str]] = {}
    misspellings: dict[str, str] = {}
    helpers: dict[str, None] = {}
    options = [tunable for tunable in tunables.values() if tunable.kind == "mount-option"]
    for tunable in options:
        for form in tunable.forms:
            names = spellings.setdefault(form.spelling, [])
            if tunable.id not in names:
                names.append(tunable.id)
        misspellings.update(dict.fromkeys(tunable.misspellings, tunable.forms[0].spelling if tunable.forms else ""))
        if tunable.vendor:
            helpers.update(dict.fromkeys(tunable.applies_to))
    return {
        "spellings": spellings,
        "misspellings": misspellings,
        "helper_types": [helper for helper in helpers if helper != COMMON],
        "negotiated": [tunable.id for tunable in options if tunable.tries],
    }


def absence_matters(tunable: Tunable, decision: Decision) -> bool:
    """Whether leaving the setting out can be a finding."""
    return any(demands(rule, tunable.default) for rule in decision.rules.values())


def _kinds_ignoring(tunable: Tunable) -> list[str]:
    """The kinds of files in which this tunable is always ignored."""
    kinds: list[str] = []
    for verdict in tunable.ignored:
        if verdict.together.keys() == {"file.kind"} and not verdict.values:
            of = verdict.together["file.kind"]
            kinds += [str(kind) for kind in (of if isinstance(of, list) else [of])]
    return kinds


def outline(check: Check, kinds: list[str]) -> tuple[str, OutlineRow]:
    """The key under which a check of settings of these kinds is in the table `outlines`, and its row there."""
    on = check.on or {}
    looks_at = "pair" if check.pair else "total" if check.total else "on"
    return " ".join(LINE_KINDS if set(kinds) & {*LINE_KINDS} else kinds), (
        check.check, looks_at, list(check.profiles), check.signs is not None,
        [tunable for tunable, pattern in on.items() if not _may_be_missing(pattern)],
        [tunable for tunable, pattern in on.items() if pattern == "absent"],
        {tunable: pattern for tunable, pattern in on.items() if pattern not in ("present", "absent")},
    )


def _may_be_missing(pattern: object) -> bool:
    return pattern == "absent" or (isinstance(pattern, list) and "absent" in pattern)

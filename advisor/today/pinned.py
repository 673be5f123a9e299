"""What speaks against the settings that an administrator pins, and against the files that are to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.arguments import costs, forbidden
from advisor.advice.line import fstab_line, mounts
from advisor.advice.model import Advice, Recommendation
from advisor.lint.run import lint_text
from advisor.readers.kinds import JUDGED, identify
from advisor.rulebase.model import RuleBase
from advisor.rulebase.problems import either
from advisor.rulebase.values import describe
from advisor.today.lines import objections

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model.types import Values


class Defied(NamedTuple):
    """A pinned value that must not be. `problem`: what becomes of it, in a line; `why`: in a sentence or two;
    `cites`: the claims that say so."""

    tunable: str
    problem: str
    consequence: str
    why: str
    cites: tuple[str, ...]


def defied(base: RuleBase, advice: Advice) -> dict[str, Defied]:
    """Setting → what speaks against its pinned value: a rule that must be kept, or an error that the linter finds. A
    fact that is a setting (the version that a mount has to use) is pinned too."""
    pinned = {one.tunable: one for one in advice.advised if one.pinned}
    found = {}
    for one in pinned.values():
        prices = costs(base, advice, one)
        if forbidden(prices):
            wanted = either(describe(one.definition, cost.value) for cost in prices)
            after = {cost.consequence or "" for cost in prices}
            found[one.tunable] = Defied(
                one.tunable, f"{_short(one)} breaks a rule that must be kept ({wanted})",
                after.pop() if len(after) == 1 else "", " ".join(cost.why for cost in prices),
                tuple(cite.claim for cost in prices for cite in cost.cites),
            )
    if pinned and mounts(advice):
        for finding in objections(base, fstab_line(advice), advice.answers.facts):
            name = finding.tunable or ""
            if finding.severity == "error" and name in pinned and name not in found:
                why = f"{finding.why} {finding.remedy}"
                found[name] = Defied(name, finding.message, finding.consequence, why, tuple(finding.cites))
    return found


def _short(one: Recommendation) -> str:
    return one.text or describe(one.definition, one.value)


def judged_files(
    base: RuleBase, files: Iterable[tuple[str, str]], facts: Mapping[str, Values]
) -> list[tuple[str, Finding]]:
    """What the linter says of files before they are written, but for matters of house policy. `files`: where one is to
    be installed, and its text."""
    found = []
    for path, text in files:
        kind = "fstab" if path.startswith("/etc/fstab") else identify(text, path)
        if kind in JUDGED:
            result = lint_text(text, path, base, facts, kind=kind)
            found += [(path, one) for one in result.findings if not one.policy and one.severity != "note"]
    return found

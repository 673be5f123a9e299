"""Objections of the linter and the rules to pinned settings, a line of fstab, and files to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.arguments import is_forbidden, pin_costs
from advisor.advice.model import Advice, Recommendation
from advisor.advice.mount_line import fstab_line, has_mount
from advisor.engine.errors import word_list
from advisor.files.kinds import JUDGED, identify
from advisor.lint.run import lint_text
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import describe

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model.types import Values


class RefusedPin(NamedTuple):
    """A pinned value that must not be used. `problem`: one line; `why`: a sentence or two; `cites`: ids of claims."""

    tunable: str
    problem: str
    consequence: str
    why: str
    cites: tuple[str, ...]


def refused_pins(base: RuleBase, advice: Advice) -> dict[str, RefusedPin]:
    """Setting → the objection to its pinned value: a rule of strength "must", or an error of the linter. Facts that are
    settings, such as mount.vers, count as pinned."""
    pinned = {recommendation.tunable: recommendation for recommendation in advice.advised if recommendation.pinned}
    refused = {}
    for recommendation in pinned.values():
        prices = pin_costs(base, advice, recommendation)
        if is_forbidden(prices):
            wanted = word_list(describe(recommendation.definition, cost.value) for cost in prices)
            after = {cost.consequence or "" for cost in prices}
            refused[recommendation.tunable] = RefusedPin(
                recommendation.tunable, f"{_value_text(recommendation)} breaks a rule that must be kept ({wanted})",
                after.pop() if len(after) == 1 else "", " ".join(cost.why for cost in prices),
                tuple(cite.claim for cost in prices for cite in cost.cites),
            )
    if pinned and has_mount(advice):
        for finding in objections(base, fstab_line(advice), advice.answers.facts):
            name = finding.tunable or ""
            if finding.severity == "error" and name in pinned and name not in refused:
                why = f"{finding.why} {finding.remedy}"
                refused[name] = RefusedPin(name, finding.message, finding.consequence, why, tuple(finding.cites))
    return refused


def objections(base: RuleBase, line: str, facts: Mapping[str, Values]) -> list[Finding]:
    """The findings in a line of fstab with these facts, except those of house policy."""
    return [finding for finding in lint_text(line, "fstab", base, facts).findings if not finding.policy]


def _value_text(recommendation: Recommendation) -> str:
    return recommendation.text or describe(recommendation.definition, recommendation.value)


def file_objections(
    base: RuleBase, files: Iterable[tuple[str, str]], facts: Mapping[str, Values]
) -> list[tuple[str, Finding]]:
    """(path, finding) of files before they are written, except notes and findings of house policy. `files`: (path on
    the host, text) of each."""
    findings = []
    for path, text in files:
        kind = "fstab" if path.startswith("/etc/fstab") else identify(text, path)
        if kind in JUDGED:
            result = lint_text(text, path, base, facts, kind=kind)
            findings += [
                (path, finding) for finding in result.findings
                if not finding.policy and finding.severity != "note"
            ]
    return findings

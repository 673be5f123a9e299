"""Findings in at most 8 KB of JSON (docs/schema/advisor-brief-1.json)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.lint.finding import SEVERITIES, Finding
from advisor.pages.brief import Answer, Ask, Point, brief
from advisor.pages.phrases import counted, scope_of_lint, totals

if TYPE_CHECKING:
    from advisor.pages.formats import FindingContext, Summary


def as_brief(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """What `lint` and `check` found, the gravest first."""
    ranked = sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))
    points = [
        Point(f.rule, f.message, f.severity, f"{f.file}:{f.line}:{f.column}", None, f.why, f.remedy, f.cites)
        for f in ranked
    ]
    points += [Point("not-judged", passed["reason"], place=passed["file"]) for passed in summary["not_judged"]]
    points += [Point("not-seen", seen["reason"], place=seen["what"]) for seen in summary.get("unseen", ())]
    asked = summary["question"]
    ask = None if asked is None else Ask(asked["question"], f"--set {asked['fact']}={asked['example']}")
    unjudged = f"; {counted(len(summary['not_judged']), 'file')} not judged" if summary["not_judged"] else ""
    verdict = f"{totals(summary)} in {scope_of_lint(summary)}{unjudged}"
    return brief(Answer(verdict, points, "the same command with --output-format json", ask), context.citation)

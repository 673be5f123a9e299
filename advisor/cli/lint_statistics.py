"""`advisor lint --statistics`: how often each rule found something, instead of the findings."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase

SCHEMA = "advisor-statistics/1"
FORMATS = ("text", "json")


def show(args: argparse.Namespace, base: RuleBase, shown: Iterable[Finding]) -> None:
    """Print the counts, most frequent first, as a table or as JSON."""
    counts: Counter[tuple[str, str]] = Counter()
    fixable: Counter[tuple[str, str]] = Counter()
    for finding in shown:
        counts[finding.rule, finding.severity] += 1
        fixable[finding.rule, finding.severity] += finding.fix is not None
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if args.output_format == "json":
        import json

        listed = [
            {"rule": rule, "severity": severity, "count": count, "fixable": fixable[rule, severity]}
            for (rule, severity), count in rows
        ]
        json.dump({"schema": SCHEMA, "statistics": listed}, sys.stdout, indent=2)
        sys.stdout.write("\n")
        return
    if not rows:
        sys.stdout.write("no findings\n")
        return
    digits = len(str(rows[0][1]))
    names = max(len(rule) for (rule, _), _ in rows)
    for (rule, severity), count in rows:
        line = f"{count:>{digits}}  {severity:<7}  {rule:<{names}}  {_title(base, rule)}"
        sys.stdout.write(line.rstrip() + "\n")
    fixed = sum(fixable.values())
    if fixed:
        sys.stdout.write(f"{fixed} of {sum(counts.values())} have a fix: --fix, --unsafe-fixes\n")


def _title(base: RuleBase, rule: str) -> str:
    if rule in base.checks:
        return base.checks[rule].title
    if rule in base.errata:
        return base.errata[rule].title
    return next(base.tunables[name].title for name, decision in base.decisions.items() if rule in decision.rules)

"""What `advisor lint` prints, in each output format."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from advisor.cli.common import columns, wants_colour
from advisor.lint.finding import SEVERITIES
from advisor.rulebase.query import citation


def show(args: argparse.Namespace, base: Any, results: list[Any], shown: list[Any]) -> None:
    """Print the findings `shown` of these results as `args` asks."""
    counts = {s: sum(1 for f in shown if f.severity == s) for s in reversed(SEVERITIES)}
    entries = sum(result.nfs_lines for result in results)
    suppressed = sum(result.suppressed for result in results)
    question = _question(base, results)
    if args.output_format == "json":
        from advisor.render import json_output

        summary = {
            "files": [result.name for result in results], "nfs_lines": entries, "errors": counts["error"],
            "warnings": counts["warning"], "notes": counts["note"], "suppressed": suppressed,
            "open": [item for result in results for item in result.open_items()], "question": question,
        }
        print(json_output.document(shown, summary, lambda claim: citation(base, claim)))
        return
    from advisor.render import text

    if args.output_format == "concise":
        sys.stdout.writelines(f"{line}\n" for line in text.concise(shown))
        return
    style = text.Style(wants_colour(args.color))
    lines = {result.name: result for result in results}

    def source_line(name: str, number: int) -> str:
        return str(lines[name].line(number))

    out = sys.stdout
    for block in text.blocks(shown, source_line, lambda claim: citation(base, claim), style, columns()):
        out.write(block + "\n")
    if question:
        out.write(text.open_question(**question) + "\n")
    out.write(text.summary(counts, entries, len(results), suppressed, style) + "\n")


def _question(base: Any, results: list[Any]) -> dict[str, Any] | None:
    """The fact that most of what was left open depends on, and how to give it."""
    votes: dict[str, int] = {}
    total = 0
    for result in results:
        total += len(result.open)
        for fact, count in result.votes.items():
            votes[fact] = votes.get(fact, 0) + count
    if not votes:
        return None
    fact = max(votes, key=lambda name: (votes[name], name))
    told = base.facts[fact]
    some = list(told.get("values") or told.get("examples") or ())
    example = "yes|no" if told["type"] == "bool" else "|".join([*some[:2], "…"]) if len(some) > 1 else "VALUE"
    return {"open_settings": total, "fact": fact, "question": told.get("ask") or told["says"],
            "concerns": votes[fact], "example": example}

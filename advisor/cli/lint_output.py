"""What `advisor lint` prints, in each output format."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable

from advisor import __version__
from advisor.cli.terminal import columns, wants_colour
from advisor.lint.finding import SEVERITIES
from advisor.pages.formats import renderer
from advisor.pages.formats.context import FindingContext, rule_facts
from advisor.pages.style import Style, has_links
from advisor.rulebase.model.facts import facts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.lint.baseline import Baseline
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.lint.suppress import Silenced
    from advisor.pages.blocks import Block
    from advisor.pages.formats import Render
    from advisor.pages.formats.summary import Cited, Counted, Inferred, LinePlace, NotJudged, OpenQuestion, Summary
    from advisor.rulebase.model import RuleBase


def show(
    args: argparse.Namespace, base: RuleBase, results: list[Result], shown: list[Finding], *,
    passed: list[NotJudged], config: str | None, render: Render | None = None, fixing: bool = True,
    unseen: Iterable[tuple[str, Iterable[str]]] | None = None, accepted: Baseline | None = None,
) -> None:
    """Print the findings `shown` of these results as `args` asks. `passed`: files that were not judged; `config`: the
    configuration file that was read; `render`: what writes them instead of the format that was asked for; `fixing`:
    whether the command can fix them; `unseen`: of a host, why something could not be seen, and what;
    `accepted`: the baseline in force."""
    files = {result.name: result for result in results}

    def line(name: str, number: int) -> str:
        return str(files[name].line(number))

    def proof(finding: Finding) -> list[Block]:
        from advisor.lint.evidence import evidence
        from advisor.pages.finding import finding_proof

        return finding_proof(base, finding, evidence(files[finding.file], finding), line)

    colour = args.output_format == "text" and wants_colour(args.color)
    context = FindingContext(
        line=line,
        citation=lambda claim: cite(base, claim),
        rule=lambda name: rule_facts(base, name),
        proof=proof, version=__version__, verbose=args.verbose, columns=columns(), fixing=fixing,
        style=Style(colour, has_links(os.environ)), silenced=_silenced_findings(results, accepted),
    )
    summary: Summary = {**_summary_counts(base, results, shown), "not_judged": passed, "config": config}
    if unseen is not None:
        summary["unseen"] = [{"what": what, "reason": why} for why, several in unseen for what in several]
    sys.stdout.write((render or renderer(args.output_format))(shown, summary, context))


def _silenced_findings(results: Iterable[Result], accepted: Baseline | None) -> list[Silenced]:
    """The findings that comments and the baseline suppress."""
    silent = [silenced for result in results for silenced in result.silenced]
    if accepted is not None and accepted.accepted:
        from advisor.lint.suppress import Silenced

        silent += [Silenced(finding, f"accepted in {accepted.path}", elsewhere=True) for finding in accepted.accepted]
    return silent


def cite(base: RuleBase, claim: str) -> Cited:
    """A claim with the grade and address of its source, as the output of findings has it."""
    cited = base.claims[claim]
    source = base.sources[cited.source]
    return {
        "claim": claim, "source": source.source, "title": source.title, "publisher": source.publisher, "at": cited.at,
        "grade": source.grade, "date": source.date, "address": source.address,
    }


def _summary_counts(base: RuleBase, results: list[Result], shown: list[Finding]) -> Counted:
    counts = dict.fromkeys(SEVERITIES, 0)
    fixes = {"safe": 0, "unsafe": 0}
    for finding in shown:
        counts[finding.severity] += 1
        if finding.fix is not None:
            fixes[finding.fix.safety] += 1
    return {
        "files": [result.name for result in results], "nfs_lines": sum(result.nfs_lines for result in results),
        "errors": counts["error"], "warnings": counts["warning"], "notes": counts["note"],
        "suppressed": sum(result.suppressed for result in results),
        "suppressions": [suppression for result in results for suppression in result.suppressions()],
        "fixable": fixes["safe"], "fixable_unsafe": fixes["unsafe"],
        "inferred": _inferred_platforms(base, results, shown),
        "open": [
            {"file": result.name, "line": setting.line, "tunable": setting.tunable, "depends_on": list(setting.facts)}
            for result in results for setting in result.open
        ],
        "question": _question(base, results),
    }


def _inferred_platforms(base: RuleBase, results: Iterable[Result], shown: Iterable[Finding]) -> list[Inferred]:
    """Platforms that were only inferred, from a server's name or a mount's type, and that findings rest on."""
    resting = {(f.file, f.line): None for f in shown if f.confidence != "high"}
    if not resting:
        return []
    from advisor.lint.line_facts import PLATFORM, inferred

    files = {result.name: result for result in results}
    places: dict[int, list[LinePlace]] = {}
    for file, line in resting:
        mask = inferred(files[file], line)
        if mask is not None:
            places.setdefault(mask, []).append({"file": file, "line": line})
    titles = {platform.platform: platform.title for platform in base.platforms}
    values = {mask: base.engine.describe(PLATFORM, mask) for mask in places}
    return [
        {"fact": PLATFORM, "value": values[mask], "title": titles.get(values[mask], values[mask]),
         "places": line_places}
        for mask, line_places in places.items()
    ]


def _question(base: RuleBase, results: list[Result]) -> OpenQuestion | None:
    """The question about the fact that most open settings depend on; None if nothing is open."""
    votes: dict[str, int] = {}
    total = 0
    for result in results:
        total += len(result.open)
        for fact, count in result.votes.items():
            votes[fact] = votes.get(fact, 0) + count
    if not votes:
        return None
    # A fact that means nothing before another one is known waits for it; of equals the first is the most telling one.
    asked = [fact for fact in votes if votes.keys().isdisjoint(facts_in(base.facts[fact].applies))]
    fact = max(asked or votes, key=votes.__getitem__)
    definition = base.facts[fact]
    some = list(definition.values or definition.examples or ())
    example = "yes|no" if definition.type == "bool" else "|".join([*some[:2], "…"]) if len(some) > 1 else "VALUE"
    return {"open_settings": total, "fact": fact, "question": definition.ask or definition.says,
            "concerns": votes[fact], "example": example}


STATISTICS_SCHEMA = "advisor-statistics/1"


def show_statistics(args: argparse.Namespace, base: RuleBase, shown: Iterable[Finding]) -> None:
    """Print how often each rule found something, the most frequent first, as a table or as JSON."""
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
        json.dump({"schema": STATISTICS_SCHEMA, "statistics": listed}, sys.stdout, indent=2)
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

"""Examples of checks: small fstabs, tried with the linter. Loading a rule base does not need this module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.check.examples import host_findings, sides_findings
from advisor.engine import FactError
from advisor.lint.edits import apply
from advisor.lint.finding import Finding
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.lint.sample import sample
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.document import YamlPath, mappings_in
from advisor.rulebase.examples import flow
from advisor.rulebase.model import CheckExample, RuleBase
from advisor.rulebase.problems import Problem, shown


def check_examples(catalogue: Catalogue, compiled: Mapping[str, object]) -> Iterator[Problem]:
    """Examples in which a check does not find what it says. `compiled` is the catalogue, compiled."""
    # No check rests on a decision, and judging all decisions for each example would take seconds.
    rulebase = RuleBase({**compiled, "decisions": {}})
    indexes: dict[str, RuleIndex] = {}  # many examples know the same
    for item in catalogue.checks.values():
        for number, example in mappings_in(item.data.get("examples")):
            at: YamlPath = ("examples", number)
            parsed = CheckExample.from_data({**example})
            try:
                kind, text = sample(parsed)
                if parsed.host is not None:
                    findings = host_findings(rulebase, parsed.host, parsed.given)
                elif parsed.server is not None:
                    findings = sides_findings(rulebase, parsed)
                else:
                    if kind not in indexes:
                        indexes[kind] = RuleIndex(rulebase, {}, kind=kind, profiles=rulebase.profiles)
                    key = kind + flow(parsed.given)
                    if key not in indexes:
                        indexes[key] = indexes[kind].knowing(parsed.given)
                    name = parsed.name or "example"
                    findings = lint_text(text, name, rulebase, parsed.given, index=indexes[key], kind=kind).findings
            except FactError as error:
                yield item.problem(
                    (*at, "given"), str(error), "the example describes an impossible case", "correct given"
                )
                continue
            count = sum(finding.rule == item.id for finding in findings)
            wanted = parsed.finds
            if (count if type(wanted) is int else count > 0) != wanted:
                others = sorted({finding.rule for finding in findings} - {item.id})
                why = f"it finds {count} time{'s' * (count != 1)}" + (
                    f" (others do: {', '.join(others)})" if others else ""
                )
                found = (
                    f"{item.id} is expected to find {shown(wanted)}"
                    if type(wanted) is int
                    else (
                        f"{item.id} is expected to find something"
                        if wanted
                        else f"{item.id} is expected to find nothing"
                    )
                )
                yield item.problem((*at, "finds"), found, why, "correct the check or the example")
                continue
            own = [finding for finding in findings if finding.rule == item.id]
            if parsed.says is not None and all(finding.message != parsed.says for finding in own):
                found = f"{item.id} is expected to say {shown(parsed.says)}"
                why = f"it says {shown(own[0].message)}" if own else "it says nothing"
                yield item.problem((*at, "says"), found, why, "correct the check or the example")
            if parsed.fixed is not None:
                fixed = _fixed(text, own)
                if fixed != parsed.fixed:
                    found = f"{item.id} is expected to write {shown(parsed.fixed)}"
                    why = f"its fix leaves {shown(fixed)}"
                    yield item.problem((*at, "fixed"), found, why, "correct the fix or the example")


def _fixed(text: str, findings: list[Finding]) -> str:
    """The text after the fixes of these findings."""
    lines = text.split("\n")
    for finding in findings:
        if finding.fix is not None:
            lines[finding.line - 1] = apply(lines[finding.line - 1], finding.fix.edits)
    return "\n".join(lines)

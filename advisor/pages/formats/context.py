"""What an output format needs besides the findings and the summary."""

from __future__ import annotations

from advisor.lint.finding import SEVERITY_OF
from advisor.named_tuple import NamedTuple
from advisor.pages.style import Style
from advisor.rulebase.model import Check, Erratum, Rule, RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from advisor.lint.finding import Finding
    from advisor.lint.lines import Silenced
    from advisor.pages.blocks import Block
    from advisor.pages.formats.summary import Cited, RuleFacts


class FindingContext(NamedTuple):
    """How to look up what findings refer to, and how to show it.

    `line(file, number)`: a line of a file, without its end. `citation(claim)`, `rule(name)`: see `Cited`, `RuleFacts`.
    `proof(finding)`: what it rests on (advisor.pages.finding), called only if `verbose`. `columns`: the width to wrap
    at. `fixing`: the command has --fix. `silenced`: findings that are not reported, each with the reason."""

    line: Callable[[str, int], str]
    citation: Callable[[str], Cited]
    rule: Callable[[str], RuleFacts]
    version: str
    proof: Callable[[Finding], list[Block]] | None = None
    style: Style = Style(False)
    columns: int = 100
    verbose: bool = False
    fixing: bool = True
    silenced: Sequence[Silenced] = ()


def rule_facts(base: RuleBase, name: str) -> RuleFacts:
    """What the rule base says of a rule, a check or an erratum. Raises KeyError for an unknown name."""
    check, erratum = base.checks.get(name), base.errata.get(name)
    if check is not None:
        return _facts(name, check.title, check, check.remedy)
    if erratum is not None:
        return _facts(name, erratum.title, erratum, erratum.workaround or "")
    for tunable, decision in base.decisions.items():
        if name in decision.rules:
            title = base.tunables[tunable].title if tunable in base.tunables else tunable
            return _facts(name, title, decision.rules[name], "")
    raise KeyError(name)


def _facts(name: str, title: str, rule: Check | Erratum | Rule, remedy: str) -> RuleFacts:
    return {
        "rule": name, "title": title, "why": rule.why, "remedy": remedy,
        "severity": SEVERITY_OF[rule.strength or "may"], "consequence": rule.consequence or "performance",
        "cites": list(dict.fromkeys(rule.cites)),
    }

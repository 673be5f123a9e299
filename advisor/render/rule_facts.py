"""What the rule base says of a rule, check or erratum, in one shape for all three."""

from __future__ import annotations

from advisor.rulebase.model import Check, Erratum, Rule, RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.render.summary import RuleFacts

_SEVERITY = {"must": "error", "should": "warning", "may": "note"}


def rule_facts(base: RuleBase, name: str) -> RuleFacts:
    """{rule, title, why, remedy, severity, consequence, cites}. Raises KeyError for a name that nothing bears."""
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


def _facts(name: str, title: str, told: Check | Erratum | Rule, remedy: str) -> RuleFacts:
    return {
        "rule": name, "title": title, "why": told.why, "remedy": remedy,
        "severity": _SEVERITY[told.strength or "may"], "consequence": told.consequence or "performance",
        "cites": list(dict.fromkeys(told.cites)),
    }

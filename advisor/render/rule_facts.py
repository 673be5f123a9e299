"""What the rule base says of a rule, check or erratum, in one shape for all three."""

from __future__ import annotations

from typing import Any

from advisor.compiled import RuleBase

_SEVERITY = {"must": "error", "should": "warning", "may": "note"}


def rule_facts(base: RuleBase, name: str) -> dict[str, Any]:
    """{rule, title, why, remedy, severity, consequence, cites}. Raises KeyError for a name that nothing bears."""
    told = base.checks.get(name)
    if told is not None:
        return _facts(name, told["title"], told, told["remedy"])
    told = base.errata.get(name)
    if told is not None:
        return _facts(name, told["title"], told, told.get("workaround") or "")
    for tunable, decision in base.decisions.items():
        told = decision["rules"].get(name)
        if told is not None:
            title = base.tunables.get(tunable, {}).get("title") or tunable
            return _facts(name, title, told, "")
    raise KeyError(name)


def _facts(name: str, title: str, told: dict[str, Any], remedy: str) -> dict[str, Any]:
    return {
        "rule": name, "title": title, "why": told["why"], "remedy": remedy,
        "severity": _SEVERITY[told.get("strength") or "may"], "consequence": told.get("consequence") or "performance",
        "cites": list(dict.fromkeys(told["cites"])),
    }

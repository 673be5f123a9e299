"""Questions about a rule base that several commands ask. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.compiled import RuleBase


def rule_names(base: RuleBase) -> list[str]:
    """Every name that a finding may carry: rules of decisions, checks, errata."""
    decided = [rule for decision in base.decisions.values() for rule in decision["rules"]]
    return [*decided, *base.checks, *base.errata]


def citation(base: RuleBase, claim_id: str) -> dict[str, str]:
    """A claim as a finding cites it: {claim, source, title, publisher, at}."""
    name, at = base.citations["claims"][claim_id]
    source = base.citations["sources"][name]
    return {
        "claim": claim_id,
        "source": name,
        "title": source["title"],
        "publisher": source["publisher"],
        "at": at,
    }


def citing(base: RuleBase) -> Iterator[tuple[str, str, list[str]]]:
    """Everything that cites: its kind (rule, check, erratum …), its name, and the claims, each once."""
    for decision in base.decisions.values():
        for rule in decision["rules"].values():
            yield "rule", rule["id"], _once(rule["cites"])
    for kind, table in (
        ("check", base.checks),
        ("erratum", base.errata),
        ("capability", base.capabilities),
        ("constraint", base.constraints),
        ("recipe", base.recipes),
    ):
        for name, told in table.items():
            yield kind, name, _once(told["cites"])
    for platform in base.platforms:
        names = [claim for name in platform.get("server_names", ()) for claim in name["cites"]]
        yield "platform", platform["platform"], _once(platform.get("cites", ()), names)
    for name, tunable in base.tunables.items():
        parts = [verdict["cites"] for part in ("refused", "ignored", "becomes") for verdict in tunable.get(part, ())]
        yield "tunable", name, _once(tunable.get("cites", ()), *parts)


def _once(*lists: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(claim for claims in lists for claim in claims))


def cited_by(base: RuleBase, claim_id: str) -> list[str]:
    """The rules, checks, errata, capabilities, constraints, recipes, platforms and tunables that rest on a claim."""
    return [name for _, name, claims in citing(base) if claim_id in claims]

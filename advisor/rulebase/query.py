"""Questions about a rule base that several commands ask. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def rule_names(base: Any) -> list[str]:
    """Every name that a finding may carry: rules of decisions, checks, errata."""
    decided = [rule for decision in base.decisions.values() for rule in decision["rules"]]
    return [*decided, *base.checks, *base.errata]


def citation(base: Any, claim_id: str) -> dict[str, str]:
    """A claim as a finding cites it: {claim, source, title, publisher, at}."""
    claim = base.claims[claim_id]
    source = base.sources[claim["source"]]
    return {
        "claim": claim_id,
        "source": claim["source"],
        "title": source["title"],
        "publisher": source["publisher"],
        "at": claim["at"],
    }


def citing(base: Any) -> Iterator[tuple[str, list[str]]]:
    """Everything that cites: its name, and the claims."""
    for decision in base.decisions.values():
        for rule in decision["rules"].values():
            yield rule["id"], rule["cites"]
    for table in (base.checks, base.errata, base.capabilities):
        for name, told in table.items():
            yield name, told["cites"]
    for name, tunable in base.tunables.items():
        cited = list(tunable.get("cites", ()))
        for part in ("refused", "ignored", "becomes"):
            cited += [claim for verdict in tunable.get(part, ()) for claim in verdict["cites"]]
        yield name, cited
    for platform in base.platforms:
        names = [claim for name in platform.get("server_names", ()) for claim in name["cites"]]
        yield platform["platform"], [*platform.get("cites", ()), *names]


def cited_by(base: Any, claim_id: str) -> list[str]:
    """The rules, checks, errata, capabilities, tunables and platforms that rest on a claim."""
    return [name for name, claims in citing(base) if claim_id in claims]

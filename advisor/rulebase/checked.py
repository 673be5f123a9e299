"""Which claims were held against their sources, and how they fared. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.rulebase.model import Claim


def share(claims: Mapping[str, Claim]) -> list[str]:
    """One sentence on the claims with figures; none where there are no such claims."""
    outcomes = [claim.checked.outcome if claim.checked else "" for claim in claims.values() if claim.figures]
    opened = sum(outcome in ("agrees", "corrected") for outcome in outcomes)
    closed = outcomes.count("not-opened")
    told = f"{opened} of {len(outcomes)} claims with figures were checked against their source"
    return [f"{told} ({closed} could not be opened)"] if outcomes else []


def unchecked(claims: Mapping[str, Claim], sources: list[str], figures: bool = True) -> list[str]:
    """The claims that nobody has checked, of these sources (none: all); `figures`: only those that have some."""
    return [
        name
        for name, claim in claims.items()
        if claim.checked is None and (not sources or claim.source in sources)
        and (not figures or claim.figures)
    ]

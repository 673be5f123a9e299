"""Claims with their sources, and where sources disagree."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.advice.model import Citation
from advisor.rulebase.model import RuleBase

_WEAK = ("disputed", "wrong", "typo", "dated")


def citations(base: RuleBase, claims: Iterable[str]) -> tuple[Citation, ...]:
    """The claims, each once, in the order given."""
    return tuple(citation(base, claim) for claim in dict.fromkeys(claims))


def citation(base: RuleBase, claim_id: str) -> Citation:
    claim = base.claims[claim_id]
    source = base.sources[claim.source]
    return Citation(
        claim_id, claim.says, claim.source, source.title, source.publisher, claim.at, source.grade,
        claim.verdict, source.date, source.address, claim.figures or {}, claim.scope,
        tuple(dict.fromkeys((*claim.disputed_by, *claim.better))),
    )


AGAINST = {"dated": "today", "typo": "right is", "wrong": "refuted by"}
"""Verdict on a claim → how what stands against it is introduced; for others it is "disputed by"."""


def opponents(base: RuleBase, cite: Citation, tunable: str | None = None) -> list[tuple[str, Citation]]:
    """What stands against a claim, each with the words that introduce it. `tunable`: of several, only those on it."""
    on_it = [name for name in cite.against if tunable in base.claims[name].about]
    return [(AGAINST.get(cite.verdict, "disputed by"), one) for one in citations(base, on_it or cite.against)]


def weak(base: RuleBase, tunable: str) -> list[str]:
    """Claims on the tunable that are disputed, dated or wrong, the disputed ones first."""
    found = _about(base, tunable)
    return sorted((name for name in found if found[name] in _WEAK), key=lambda name: _WEAK.index(found[name]))


def measured(base: RuleBase, tunable: str) -> list[str]:
    """What sources measured with the tunable, whatever the outcome."""
    found = _about(base, tunable)
    return [name for name in found if found[name] == "measured"]


def _about(base: RuleBase, tunable: str) -> dict[str, str]:
    """Claim on the tunable → its verdict."""
    return {name: claim.verdict for name, claim in base.claims.items() if tunable in claim.about}

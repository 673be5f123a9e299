"""Claims with their sources, and the claims against them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase

DOUBTFUL = ("disputed", "wrong", "typo", "dated")
"""Verdicts on claims that are not to be relied on, the most interesting first."""


class Citation(NamedTuple):
    """A claim and its source. `grade` of evidence and `verdict` as in kb/. `against`: claims that dispute it, or say it
    better."""

    claim: str
    says: str
    source: str
    title: str
    publisher: str
    at: str
    grade: str
    verdict: str
    date: str | None
    address: str | None
    figures: Mapping[str, object]
    scope: str | None
    against: tuple[str, ...]


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
"""Verdict on a claim → the words before the claims against it; for other verdicts "disputed by"."""


def opponents(base: RuleBase, cite: Citation, tunable: str | None = None) -> list[tuple[str, Citation]]:
    """The claims against a claim, each with the words before it. `tunable`: if some are about it, only those."""
    on_it = [name for name in cite.against if tunable in base.claims[name].about]
    return [(AGAINST.get(cite.verdict, "disputed by"), opponent) for opponent in citations(base, on_it or cite.against)]

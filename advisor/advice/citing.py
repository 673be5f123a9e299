"""Claims with their sources, and where sources disagree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from advisor.advice.model import Citation

_WEAK = ("disputed", "dated", "typo", "wrong")


def citations(base: Any, claims: Iterable[str]) -> tuple[Citation, ...]:
    """The claims, each once, in the order given."""
    return tuple(citation(base, claim) for claim in dict.fromkeys(claims))


def citation(base: Any, claim_id: str) -> Citation:
    claim = base.claims[claim_id]
    source = base.sources[claim["source"]]
    return Citation(
        claim_id, claim["says"], claim["source"], source["title"], source["publisher"], claim["at"], source["grade"],
        claim["verdict"], source.get("date"), source.get("address") or source.get("file"), claim.get("figures", {}),
        claim.get("scope"),
    )


def disagreement(base: Any, tunable: str, cited: Iterable[str]) -> tuple[Citation, ...]:
    """Claims on the tunable that are disputed, dated or wrong, and those that stand against what is cited."""
    mine = set(cited)
    found = [
        name for name, claim in base.claims.items()
        if name not in mine and claim["verdict"] in _WEAK and tunable in claim.get("about", ())
    ]
    for name in cited:
        found += base.claims[name].get("disputed_by", ())
    return citations(base, found)


def measurements(base: Any, tunable: str) -> tuple[Citation, ...]:
    """What sources measured with the tunable, whatever the outcome; each names the system that it holds for."""
    return citations(base, (
        name for name, claim in base.claims.items()
        if claim["verdict"] == "measured" and tunable in claim.get("about", ())
    ))

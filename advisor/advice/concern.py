"""Whether what a source says is about the state at hand: a figure of one service says little on another."""

from __future__ import annotations

from typing import Any

from advisor.compiled import RuleBase
from advisor.engine import State
from advisor.engine.decide import possible


def concerns(base: RuleBase, state: State, claim: str) -> bool | None:
    """True where the claim is about this state, or about no special one; False where it is about another; None where
    too little is known to tell."""
    verdict: bool | None = True
    for fact, value in about(base, claim).items():
        have, need = possible(base.engine, fact, state), base.engine.fact(fact).mask(value)
        if not have & need:
            return False
        if have & ~need:
            verdict = None
    return verdict


def about(base: RuleBase, claim: str) -> dict[str, Any]:
    """The facts under which a claim holds; those of its source where it names none itself."""
    told = base.claims[claim]
    holds: dict[str, Any] = told.get("holds", base.sources[told["source"]].get("holds", {}))
    return holds


def elsewhere(base: RuleBase, claim: str) -> str:
    """What a claim is about, in words: "Azure Files", "EDA on Azure NetApp Files"."""
    told = base.claims[claim]
    platform = about(base, claim).get("storage.platform")
    if isinstance(platform, str) and "holds" not in told:
        return str(next((one["title"] for one in base.platforms if one["platform"] == platform), platform))
    return str(told.get("scope") or base.sources[told["source"]]["title"])

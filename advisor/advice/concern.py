"""Whether what a source says is about the state at hand: a figure of one service says little on another."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine import State
from advisor.engine.decisions import possible
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


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


def about(base: RuleBase, claim: str) -> Mapping[str, Values]:
    """The facts under which a claim holds; those of its source where it names none itself."""
    told = base.claims[claim]
    return base.sources[told.source].holds if told.holds is None else told.holds


def elsewhere(base: RuleBase, claim: str) -> str:
    """What a claim is about, in words: "Azure Files", "EDA on Azure NetApp Files"."""
    told = base.claims[claim]
    platform = about(base, claim).get("storage.platform")
    if isinstance(platform, str) and told.holds is None:
        return str(next((one.title for one in base.platforms if one.platform == platform), platform))
    return str(told.scope or base.sources[told.source].title)

"""Claims with their sources, disputes between claims, and whether a claim is about the environment at hand, since a
figure of one service says little about another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from advisor.advice.model import Citation
from advisor.engine import State
from advisor.engine.decisions import possible
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


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
"""Verdict on a claim → the words before the claims against it; for other verdicts "disputed by"."""


def opponents(base: RuleBase, cite: Citation, tunable: str | None = None) -> list[tuple[str, Citation]]:
    """The claims against a claim, each with the words before it. `tunable`: if some are about it, only those."""
    on_it = [name for name in cite.against if tunable in base.claims[name].about]
    return [(AGAINST.get(cite.verdict, "disputed by"), opponent) for opponent in citations(base, on_it or cite.against)]


def doubtful_claims(base: RuleBase, tunable: str) -> list[str]:
    """Claims on the tunable that are disputed, dated or wrong, the disputed ones first."""
    verdicts = _verdicts(base).get(tunable, {})
    return sorted((name for name in verdicts if verdicts[name] in _WEAK), key=lambda name: _WEAK.index(verdicts[name]))


def measured_claims(base: RuleBase, tunable: str) -> list[str]:
    """Claims with measurements of the tunable."""
    verdicts = _verdicts(base).get(tunable, {})
    return [name for name in verdicts if verdicts[name] == "measured"]


@lru_cache(maxsize=1)
def _verdicts(base: RuleBase) -> dict[str, dict[str, str]]:
    """Tunable → claims on it → their verdicts. Cached, since a report asks for one tunable after another."""
    by_tunable: dict[str, dict[str, str]] = {}
    for name, claim in base.claims.items():
        for tunable in claim.about:
            by_tunable.setdefault(tunable, {})[name] = claim.verdict
    return by_tunable


def concerns(base: RuleBase, state: State, claim: str) -> bool | None:
    """True if the claim applies to this state, False if it does not, None if too little is known."""
    verdict: bool | None = True
    for fact, value in scope_facts(base, claim).items():
        have, need = possible(base.engine, fact, state), base.engine.fact(fact).mask(value)
        if not have & need:
            return False
        if have & ~need:
            verdict = None
    return verdict


def scope_facts(base: RuleBase, claim: str) -> Mapping[str, Values]:
    """The facts under which a claim applies: its own, else those of its source."""
    cited = base.claims[claim]
    return base.sources[cited.source].holds if cited.holds is None else cited.holds


def scope_text(base: RuleBase, claim: str) -> str:
    """The scope of a claim in words: "Azure Files", "EDA on Azure NetApp Files"."""
    cited = base.claims[claim]
    platform = scope_facts(base, claim).get("storage.platform")
    if isinstance(platform, str) and cited.holds is None:
        return str(next((known.title for known in base.platforms if known.platform == platform), platform))
    return str(cited.scope or base.sources[cited.source].title)

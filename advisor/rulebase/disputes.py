"""Where sources disagree, and what the rules make of it."""

from __future__ import annotations

from typing import TypedDict

from advisor.rulebase.model import Claim, RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Condition, Value


class DisputedClaim(TypedDict):
    """A claim, and the source that makes it."""

    claim: str
    says: str
    verdict: str
    scope: str | None
    source: str
    publisher: str
    date: str | None
    grade: str
    at: str
    note: str | None
    checked: object


class Ruling(TypedDict):
    """A rule that takes a side."""

    rule: str
    value: Value
    when: Condition
    layer: str
    why: str
    strength: str | None


class Dispute(TypedDict):
    """`against`: what contradicts the `claims`. `decided`: the rules that rest on either; all where none does."""

    tunable: str
    claims: list[DisputedClaim]
    against: list[DisputedClaim]
    decided: list[Ruling]


def disputes(base: RuleBase, only: str | None = None) -> list[Dispute]:
    """For each tunable with claims that another source contradicts: both sides, and the rules that rest on them."""
    found: list[Dispute] = []
    claims: dict[str, list[tuple[str, Claim]]] = {}
    for name, claim in base.claims.items():
        for tunable_id in dict.fromkeys(claim.about):
            claims.setdefault(tunable_id, []).append((name, claim))
    for tunable_id, about in sorted(claims.items()):
        if only and tunable_id != only:
            continue
        # A slip within one document is not a disagreement between sources: `typo` stays out unless something stands
        # against it.
        doubted = [(i, c) for i, c in about if c.verdict in ("disputed", "wrong", "dated", "typo")
                   and (c.disputed_by or c.better)]
        if not doubted:
            continue
        sides = [_side(base, i) for i, _ in doubted]
        against = dict.fromkeys(x for _, c in doubted for x in (*c.disputed_by, *c.better))
        names = {i for i, _ in doubted} | set(against)
        written = base.decisions[tunable_id].rules.values() if tunable_id in base.decisions else ()
        resting = [rule for rule in written if names & set(rule.cites)] or written
        found.append({
            "tunable": tunable_id, "claims": sides,
            "against": [_side(base, i) for i in against if i not in dict(doubted)],
            "decided": [
                {"rule": r.id, "value": r.value, "when": r.when, "layer": r.layer, "why": r.why, "strength": r.strength}
                for r in resting
            ],
        })
    return found


def _side(base: RuleBase, claim_id: str) -> DisputedClaim:
    claim = base.claims[claim_id]
    source = base.sources[claim.source]
    return {
        "claim": claim_id, "says": claim.says, "verdict": claim.verdict, "scope": claim.scope,
        "source": source.title, "publisher": source.publisher, "date": source.date,
        "grade": source.grade, "at": claim.at, "note": claim.note, "checked": claim.checked,
    }

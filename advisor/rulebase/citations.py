"""Citations: which entries cite which claims, which were left out, and where sources disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from advisor.named_tuple import NamedTuple, grouped
from advisor.rulebase import model
from advisor.rulebase.model import RuleBase

_TABLES = {
    "check": "checks", "erratum": "errata", "cause": "causes", "family": "families", "conclusion": "conclusions",
    "capability": "capabilities", "constraint": "constraints", "recipe": "recipes", "platform": "platforms",
    "tunable": "tunables", "message": "messages", "kind": "kinds",
}
"""Kind of entry → its table in the rule base. Rules are in their decisions."""


def citing_entries(base: model.RuleBase) -> Iterator[tuple[str, str, list[str]]]:
    """(kind, name, claims) of each entry that can cite: its kind (rule, check, cause …), and its claims, each once."""
    for decision in base.decisions.values():
        for rule in decision.rules.values():
            yield "rule", rule.id, [*dict.fromkeys(_cited(rule))]
    for kind, table in _TABLES.items():
        listed = getattr(base, table)
        entries = listed if isinstance(listed, Mapping) else {one.platform: one for one in listed}
        for name, entry in entries.items():
            yield kind, name, [*dict.fromkeys(_cited(entry))]


def _cited(part: object) -> Iterator[str]:
    """The claims of every `cites` in an entry."""
    if isinstance(part, model.Record):
        yield from vars(part).get("cites", ())
        part = vars(part)
    for inner in part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ():
        yield from _cited(inner)


def cited_by(base: model.RuleBase, claim_id: str) -> list[str]:
    """What rests on a claim: rules, checks, errata, causes and their families, conclusions, capabilities, constraints,
    recipes, platforms, tunables, messages and kinds."""
    return [name for _, name in users(base).get(claim_id, ())]


def checked_share(claims: Mapping[str, model.Claim]) -> list[str]:
    """A sentence on how many claims with figures were checked, in a list; [] if no claim has figures."""
    outcomes = [claim.checked.outcome if claim.checked else "" for claim in claims.values() if claim.figures]
    opened = sum(outcome in ("agrees", "corrected") for outcome in outcomes)
    closed = outcomes.count("not-opened")
    sentence = f"{opened} of {len(outcomes)} claims with figures were checked against their source"
    return [f"{sentence} ({closed} could not be opened)"] if outcomes else []


class Gap(NamedTuple):
    """Something that was left out, or is said although it is no longer so.

    `kind`: `empty-section` (no claim cites it), `unexplained` (nothing rests on the claim, and it does not say why),
    `stale` (it says why nothing rests on it, but something does). `id`: a source for the first, else a claim.
    `detail`: the section; nothing; what rests on the claim."""

    kind: str
    id: str
    detail: str


def places(at: str) -> list[str]:
    """The places that a claim's `at` names."""
    return at.split("; ")


def section_of(place: str, sections: Iterable[str]) -> str | None:
    """The section that a place lies in: the longest that it equals or that it begins with, before a comma."""
    inside = [section for section in sections if place == section or place.startswith(f"{section}, ")]
    return max(inside, key=len, default=None)


@lru_cache(maxsize=1)
def users(base: model.RuleBase) -> dict[str, list[tuple[str, str]]]:
    """Claim → (kind, name) of each entry that cites it. Cached, since pages ask for one claim after another."""
    return grouped((claim, (kind, name)) for kind, name, claims in citing_entries(base) for claim in claims)


def claims_by_section(base: model.RuleBase) -> dict[str, dict[str, list[str]]]:
    """Source → section → its claims, in the order in which the claims are written; no section of sources without."""
    by_source: dict[str, dict[str, list[str]]] = {
        name: {section: [] for section in source.sections} for name, source in base.sources.items()
    }
    for name, claim in base.claims.items():
        sections = by_source[claim.source]
        for section in {section_of(place, sections): None for place in places(claim.at)} if sections else ():
            if section is not None:
                sections[section].append(name)
    return by_source


def gaps(base: model.RuleBase) -> list[Gap]:
    """Sections without a claim, claims without use or reason, and reasons that no longer hold."""
    open_gaps = [
        Gap("empty-section", source, section)
        for source, sections in claims_by_section(base).items()
        for section, claims in sections.items()
        if not claims
    ]
    used = users(base)
    for name, claim in base.claims.items():
        if name not in used and claim.unused is None:
            open_gaps.append(Gap("unexplained", name, ""))
        elif name in used and claim.unused is not None:
            open_gaps.append(Gap("stale", name, ", ".join(user for _, user in used[name])))
    return open_gaps


class Dispute(NamedTuple):
    """`against`: what contradicts the `claims`. `decided`: the rules that rest on either; all where none does."""

    tunable: str
    claims: list[model.Claim]
    against: list[model.Claim]
    decided: list[model.Rule]


def disputes(base: model.RuleBase, only: str | None = None) -> list[Dispute]:
    """For each tunable with claims that another source contradicts: both sides, and the rules that rest on them."""
    disputed: list[Dispute] = []
    about: dict[str, dict[str, model.Claim]] = {}
    for name, claim in base.claims.items():
        for tunable in claim.about:
            about.setdefault(tunable, {})[name] = claim
    for tunable, claims in sorted(about.items()):
        if only and tunable != only:
            continue
        # A slip within one document is not a disagreement between sources: `typo` stays out unless something stands
        # against it.
        doubted = {name: claim for name, claim in claims.items()
                   if claim.verdict in ("disputed", "wrong", "dated", "typo") and (claim.disputed_by or claim.better)}
        if not doubted:
            continue
        others = dict.fromkeys(name for claim in doubted.values() for name in (*claim.disputed_by, *claim.better))
        written = [*base.decisions[tunable].rules.values()] if tunable in base.decisions else []
        resting = [rule for rule in written if {*doubted, *others} & set(rule.cites)]
        against = [base.claims[name] for name in others if name not in doubted]
        disputed.append(Dispute(tunable, [*doubted.values()], against, resting or written))
    return disputed


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

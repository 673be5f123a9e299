"""Citations: which entries cite which claims, how far documents are covered, and where sources disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypedDict, Union

from advisor.rulebase import model

SCHEMA = "advisor-coverage/1"
_Citing = Union[
    model.Family, model.Check, model.Conclusion, model.Erratum, model.Capability, model.Constraint, model.Recipe
]


def citing_entries(base: model.RuleBase) -> Iterator[tuple[str, str, list[str]]]:
    """(kind, name, claims) of each entry that can cite: its kind (rule, check, cause …), and its claims, each once."""
    for decision in base.decisions.values():
        for rule in decision.rules.values():
            yield "rule", rule.id, _distinct(rule.cites)
    entries: list[tuple[str, str, _Citing]] = [
        *(("check", name, check) for name, check in base.checks.items()),
        *(("erratum", name, erratum) for name, erratum in base.errata.items()),
        *(("cause", name, cause) for name, cause in base.causes.items()),
        *(("family", name, family) for name, family in base.families.items()),
        *(("conclusion", name, conclusion) for name, conclusion in base.conclusions.items()),
        *(("capability", name, capability) for name, capability in base.capabilities.items()),
        *(("constraint", name, constraint) for name, constraint in base.constraints.items()),
        *(("recipe", name, recipe) for name, recipe in base.recipes.items()),
    ]
    for kind, name, entry in entries:
        yield kind, name, _distinct(entry.cites)
    for platform in base.platforms:
        names = [claim for name in platform.server_names for claim in name.cites]
        lines = [claim for line in platform.exports_lines for claim in line.cites]
        replies = [claim for reply in platform.replies for claim in reply.cites]
        yield "platform", platform.platform, _distinct(platform.cites, names, lines, replies)
    for name, tunable in base.tunables.items():
        parts = [
            *(verdict.cites for verdict in (*tunable.refused, *tunable.ignored)),
            *(life.cites for life in tunable.lives), *(change.cites for change in tunable.becomes),
        ]
        yield "tunable", name, _distinct(tunable.cites, *parts)
    for name, message in base.messages.items():
        if message.life is not None:
            yield "message", name, _distinct(message.life.cites)
    for name, steps in base.kinds.items():
        if steps.file is not None:
            readings = [each.cites for each in (*steps.file.readings.values(), *steps.lives) if each]
            yield "kind", name, _distinct(steps.without.cites if steps.without else (), *readings)


def _distinct(*lists: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(claim for claims in lists for claim in claims))


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


def unchecked(claims: Mapping[str, model.Claim], sources: list[str], figures: bool = True) -> list[str]:
    """The claims of these sources (none: all) that have not been checked; `figures`: only those with figures."""
    return [
        name
        for name, claim in claims.items()
        if claim.checked is None and (not sources or claim.source in sources)
        and (not figures or claim.figures)
    ]


class Gap(NamedTuple):
    """Something that was left out, or is said although it is no longer so.

    `kind`: `empty-section` (no claim cites it), `unexplained` (nothing rests on the claim, and it does not say why),
    `stale` (it says why nothing rests on it, but something does). `id`: a source for the first, else a claim.
    `detail`: the section; nothing; what rests on the claim."""

    kind: str
    id: str
    detail: str


class User(TypedDict):
    """What rests on a claim."""

    kind: str
    name: str


class CoveredClaim(TypedDict):
    """`unused`: why nothing rests on it."""

    claim: str
    verdict: str
    says: str
    used_by: list[User]
    unused: str | None


class CoveredSection(TypedDict):
    section: str
    claims: list[CoveredClaim]


class CoveredDocument(TypedDict):
    source: str
    title: str
    sections: list[CoveredSection]


class Resting(TypedDict):
    """An entry of the rule base, and the claims that it rests on."""

    kind: str
    name: str
    claims: list[str]


class Unused(TypedDict):
    claim: str
    source: str
    verdict: str
    why: str | None


class Totals(TypedDict):
    claims: int
    used: int
    sources: int


class Coverage(TypedDict):
    """`gaps`: as Gap has them."""

    schema: str
    documents: list[CoveredDocument]
    rests_on: list[Resting]
    unused: list[Unused]
    gaps: list[dict[str, str]]
    totals: Totals


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
    by_claim: dict[str, list[tuple[str, str]]] = {}
    for kind, name, claims in citing_entries(base):
        for claim in claims:
            by_claim.setdefault(claim, []).append((kind, name))
    return by_claim


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


def coverage(base: model.RuleBase) -> Coverage:
    """The coverage report: documents by section, citing entries, unused claims and gaps."""
    used = users(base)
    claims_in = claims_by_section(base)
    return {
        "schema": SCHEMA,
        "documents": [
            {
                "source": name,
                "title": source.title,
                "sections": [
                    {"section": section, "claims": [_claim(base, claim, used) for claim in claims]}
                    for section, claims in claims_in[name].items()
                ],
            }
            for name, source in base.sources.items()
            if source.sections
        ],
        "rests_on": [
            {"kind": kind, "name": name, "claims": claims} for kind, name, claims in citing_entries(base) if claims
        ],
        "unused": [
            {"claim": name, "source": claim.source, "verdict": claim.verdict, "why": claim.unused}
            for name, claim in base.claims.items()
            if name not in used
        ],
        "gaps": [gap._asdict() for gap in gaps(base)],
        "totals": {"claims": len(base.claims), "used": len(used), "sources": len(base.sources)},
    }


def _claim(base: model.RuleBase, name: str, used: dict[str, list[tuple[str, str]]]) -> CoveredClaim:
    claim = base.claims[name]
    return {
        "claim": name,
        "verdict": claim.verdict,
        "says": claim.says,
        "used_by": [{"kind": kind, "name": user} for kind, user in used.get(name, ())],
        "unused": claim.unused,
    }


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
    value: model.Value
    when: model.Condition
    layer: str
    why: str
    strength: str | None


class Dispute(TypedDict):
    """`against`: what contradicts the `claims`. `decided`: the rules that rest on either; all where none does."""

    tunable: str
    claims: list[DisputedClaim]
    against: list[DisputedClaim]
    decided: list[Ruling]


def disputes(base: model.RuleBase, only: str | None = None) -> list[Dispute]:
    """For each tunable with claims that another source contradicts: both sides, and the rules that rest on them."""
    disputed: list[Dispute] = []
    claims: dict[str, list[tuple[str, model.Claim]]] = {}
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
        sides = [_disputed_claim(base, i) for i, _ in doubted]
        against = dict.fromkeys(x for _, c in doubted for x in (*c.disputed_by, *c.better))
        names = {i for i, _ in doubted} | set(against)
        written = base.decisions[tunable_id].rules.values() if tunable_id in base.decisions else ()
        resting = [rule for rule in written if names & set(rule.cites)] or written
        disputed.append({
            "tunable": tunable_id, "claims": sides,
            "against": [_disputed_claim(base, i) for i in against if i not in dict(doubted)],
            "decided": [
                {"rule": r.id, "value": r.value, "when": r.when, "layer": r.layer, "why": r.why, "strength": r.strength}
                for r in resting
            ],
        })
    return disputed


def _disputed_claim(base: model.RuleBase, claim_id: str) -> DisputedClaim:
    claim = base.claims[claim_id]
    source = base.sources[claim.source]
    return {
        "claim": claim_id, "says": claim.says, "verdict": claim.verdict, "scope": claim.scope,
        "source": source.title, "publisher": source.publisher, "date": source.date,
        "grade": source.grade, "at": claim.at, "note": claim.note, "checked": claim.checked,
    }

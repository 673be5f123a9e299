"""What each section of a document says, what rests on each claim, and what was left out. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypedDict

from advisor.rulebase.model import RuleBase
from advisor.rulebase.query import citing

SCHEMA = "advisor-coverage/1"


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


def users(base: RuleBase) -> dict[str, list[tuple[str, str]]]:
    """Claim → (kind, name) of all that rests on it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for kind, name, claims in citing(base):
        for claim in claims:
            found.setdefault(claim, []).append((kind, name))
    return found


def by_section(base: RuleBase) -> dict[str, dict[str, list[str]]]:
    """Source → section → its claims, in the order in which the claims are written; no section of sources without."""
    found: dict[str, dict[str, list[str]]] = {
        name: {section: [] for section in source.sections} for name, source in base.sources.items()
    }
    for name, claim in base.claims.items():
        sections = found[claim.source]
        for section in {section_of(place, sections): None for place in places(claim.at)} if sections else ():
            if section is not None:
                sections[section].append(name)
    return found


def gaps(base: RuleBase) -> list[Gap]:
    """Sections without a claim, claims without use or reason, and reasons that no longer hold."""
    found = [
        Gap("empty-section", source, section)
        for source, sections in by_section(base).items()
        for section, claims in sections.items()
        if not claims
    ]
    used = users(base)
    for name, claim in base.claims.items():
        if name not in used and claim.unused is None:
            found.append(Gap("unexplained", name, ""))
        elif name in used and claim.unused is not None:
            found.append(Gap("stale", name, ", ".join(user for _, user in used[name])))
    return found


def coverage(base: RuleBase) -> Coverage:
    """All of it as plain data: documents by section, what rests on which claims, the claims that are left, gaps."""
    used = users(base)
    claims_in = by_section(base)
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
        "rests_on": [{"kind": kind, "name": name, "claims": claims} for kind, name, claims in citing(base) if claims],
        "unused": [
            {"claim": name, "source": claim.source, "verdict": claim.verdict, "why": claim.unused}
            for name, claim in base.claims.items()
            if name not in used
        ],
        "gaps": [gap._asdict() for gap in gaps(base)],
        "totals": {"claims": len(base.claims), "used": len(used), "sources": len(base.sources)},
    }


def _claim(base: RuleBase, name: str, used: dict[str, list[tuple[str, str]]]) -> CoveredClaim:
    claim = base.claims[name]
    return {
        "claim": name,
        "verdict": claim.verdict,
        "says": claim.says,
        "used_by": [{"kind": kind, "name": user} for kind, user in used.get(name, ())],
        "unused": claim.unused,
    }

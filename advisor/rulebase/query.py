"""Questions about a rule base that several commands ask: what cites which claims, and which claims were held against
their sources. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from advisor.rulebase.model import Capability, Cause, Check, Claim, Conclusion, Constraint, Erratum, Recipe, RuleBase


def rule_names(base: RuleBase) -> list[str]:
    """Every name that a finding may carry: rules of decisions, checks, errata."""
    decided = [rule for decision in base.decisions.values() for rule in decision.rules]
    return [*decided, *base.checks, *base.errata]


def citing(base: RuleBase) -> Iterator[tuple[str, str, list[str]]]:
    """Everything that cites: its kind (rule, check, cause …), its name, and the claims, each once."""
    for decision in base.decisions.values():
        for rule in decision.rules.values():
            yield "rule", rule.id, _once(rule.cites)
    entries: list[tuple[str, str, Cause | Check | Conclusion | Erratum | Capability | Constraint | Recipe]] = [
        *(("check", name, check) for name, check in base.checks.items()),
        *(("erratum", name, erratum) for name, erratum in base.errata.items()),
        *(("cause", name, cause) for name, cause in base.causes.items()),
        *(("conclusion", name, conclusion) for name, conclusion in base.conclusions.items()),
        *(("capability", name, capability) for name, capability in base.capabilities.items()),
        *(("constraint", name, constraint) for name, constraint in base.constraints.items()),
        *(("recipe", name, recipe) for name, recipe in base.recipes.items()),
    ]
    for kind, name, entry in entries:
        yield kind, name, _once(entry.cites)
    for platform in base.platforms:
        names = [claim for name in platform.server_names for claim in name.cites]
        lines = [claim for line in platform.exports_lines for claim in line.cites]
        yield "platform", platform.platform, _once(platform.cites, names, lines)
    for name, tunable in base.tunables.items():
        parts = [one.cites for one in (*tunable.refused, *tunable.ignored)] + [one.cites for one in tunable.becomes]
        yield "tunable", name, _once(tunable.cites, *parts)
    for name, steps in base.kinds.items():
        if steps.file is not None:
            readings = [one.cites for one in steps.file.readings.values() if one]
            yield "kind", name, _once(steps.without.cites if steps.without else (), *readings)


def _once(*lists: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(claim for claims in lists for claim in claims))


def cited_by(base: RuleBase, claim_id: str) -> list[str]:
    """What rests on a claim: rules, checks, errata, causes, conclusions, capabilities, constraints, recipes, platforms,
    tunables and kinds."""
    return _users(base).get(claim_id, [])


@lru_cache(maxsize=1)
def _users(base: RuleBase) -> dict[str, list[str]]:
    """Claim → what rests on it. Kept, since pages ask it of one claim after another."""
    found: dict[str, list[str]] = {}
    for _, name, claims in citing(base):
        for claim in claims:
            found.setdefault(claim, []).append(name)
    return found


def share(claims: Mapping[str, Claim]) -> list[str]:
    """One sentence on the claims with figures; none where there are no such claims."""
    outcomes = [claim.checked.outcome if claim.checked else "" for claim in claims.values() if claim.figures]
    opened = sum(outcome in ("agrees", "corrected") for outcome in outcomes)
    closed = outcomes.count("not-opened")
    sentence = f"{opened} of {len(outcomes)} claims with figures were checked against their source"
    return [f"{sentence} ({closed} could not be opened)"] if outcomes else []


def unchecked(claims: Mapping[str, Claim], sources: list[str], figures: bool = True) -> list[str]:
    """The claims that nobody has checked, of these sources (none: all); `figures`: only those that have some."""
    return [
        name
        for name, claim in claims.items()
        if claim.checked is None and (not sources or claim.source in sources)
        and (not figures or claim.figures)
    ]


def profiles(base: RuleBase) -> list[str]:
    """The names of the security profiles that checks belong to, sorted."""
    return sorted({profile for check in base.checks.values() for profile in check.profiles})

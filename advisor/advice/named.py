"""What the names of a mount give away: the server's of its platform, the mount point's of its use.

A name is a sign, not proof: whatever was said, read or measured goes before it, and what it gives away is marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.engine import FactError, consistent
from advisor.globs import fits, parts
from advisor.rulebase.model import Platform, RuleBase

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Values

PLATFORM = "storage.platform"


class Sign(NamedTuple):
    """`where`: the name that gives the value away, in words."""

    fact: str
    value: Scalar
    where: str


def signs(base: RuleBase, names: Mapping[str, str], facts: Mapping[str, Values]) -> dict[str, Sign]:
    """Fact → what a name says of it, where `facts` say nothing and do not contradict. `names` as in Answers."""
    found: dict[str, Sign] = {}
    engine = base.engine
    for sign in (*_by_server(base, names.get("server", "")), *_by_target(base, names.get("target", ""))):
        if sign.fact in facts or sign.fact in found:
            continue
        known = {**facts, **{fact: one.value for fact, one in found.items()}, sign.fact: sign.value}
        try:
            possible = consistent(engine, engine.state(known))
        except FactError:
            possible = False
        if possible:
            found[sign.fact] = sign
    return found


def unguided(base: RuleBase, each: Iterable[Mapping[str, Values]]) -> list[Platform]:
    """The platforms among these facts, each of one mount, for which nothing that a vendor published was found."""
    return [one for one in thin(base, each) if one.guidance == "none-found"]


def thin(base: RuleBase, each: Iterable[Mapping[str, Values]]) -> list[Platform]:
    """The platforms among these facts, each of one mount, for which little or nothing that a vendor published was
    found; the note of each says what is missing."""
    known = [facts.get(PLATFORM) for facts in each]
    said = ("partial", "none-found")
    return [one for one in base.platforms if one.platform in known and one.guidance in said]


def _by_server(base: RuleBase, server: str) -> Iterator[Sign]:
    name = server.lower().rstrip(".")
    for platform in base.platforms:
        for one in platform.server_names:
            if name and fits(name, parts(one.pattern.lower())):
                yield Sign(PLATFORM, platform.platform, f"the server's name matches {one.pattern}")


def _by_target(base: RuleBase, target: str) -> Iterator[Sign]:
    path = target.rstrip("/") + "/"
    for fact, told in base.facts.items():
        for one in told.named:
            for folder in one.target:
                if path.startswith(f"{folder}/"):
                    sure = one.confidence == "high"
                    where = f"the mount point is in {folder}"
                    yield Sign(fact, one.value, where if sure else f"a guess: {where}")

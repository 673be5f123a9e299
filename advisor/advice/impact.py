"""What advice does to the one who follows it or does not: the order in which everything is told and asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from advisor.advice.groups import GROUPS, MOUNT
from advisor.advice.model import OpenSetting, Recommendation
from advisor.advice.spokesman import STRENGTHS
from advisor.rulebase.model import Tunable
from advisor.rulebase.values import absence_supports

CONSEQUENCES = (
    "data-loss", "security", "mount-fails", "boot", "hang", "stale-data", "unsupported", "performance", "ignored",
    "portability", None,
)
"""Worst first: losing data, failing to mount and hanging come before speed."""
_KINDS = [kind for _, kinds in GROUPS for kind in kinds]
Either = TypeVar("Either", OpenSetting, Recommendation)


def in_order(told: Iterable[Either]) -> tuple[Either, ...]:
    """Must before should before may, worse consequences first, the mount line before other settings."""
    return tuple(sorted(told, key=_rank))


def _rank(one: OpenSetting | Recommendation) -> tuple[int, int, int]:
    return (
        (*STRENGTHS, None).index(one.strength), _KINDS.index(one.kind), CONSEQUENCES.index(one.consequence),
    )


def telling(one: Recommendation) -> bool:
    """Whether it asks for something that is not so anyway."""
    return one.pinned or (one.opinion and not one.already and one.value != "omit")


def warns(one: Recommendation) -> bool:
    """Whether it says not to set something that people do set."""
    return one.value == "omit" and one.opinion and one.strength != "may" and not one.pinned


def pointless(told: Tunable, advised: Iterable[Recommendation], unsettled: Iterable[OpenSetting]) -> bool:
    """Whether a tunable only says where others are written, and none of these is, or may be."""
    places = told.places
    if not places:
        return False
    return not (any(one.tunable in places for one in unsettled)
                or any(one.tunable in places and telling(one) for one in advised))


def idle(told: Tunable, one: OpenSetting) -> bool:
    """Whether leaving the setting out is right whichever of its values is."""
    return all(maybe.rule is not None and absence_supports(maybe.value, told.default) for maybe in one.possible)


def stake(one: OpenSetting | Recommendation) -> float:
    """What an answer to an open or assumed setting is worth: a must ten times a should, harm more than speed, the mount
    line more than the rest."""
    worth = {"must": 100.0, "should": 10.0, "may": 1.0}[one.strength or "may"]
    if CONSEQUENCES.index(one.consequence) < CONSEQUENCES.index("performance"):
        worth *= 3
    return worth * (2 if one.kind in MOUNT else 1)

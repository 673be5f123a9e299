"""What would change the mount line: the smallest changes of answers, first those that somebody can make."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.arguments import effort, otherwise
from advisor.advice.line import mount_options
from advisor.advice.model import Advice
from advisor.advice.ranking import in_order
from advisor.rulebase.model import RuleBase
from advisor.session.advice_cache import Key, advice_for, key_of

LIMIT = 64
_kept: dict[Key, tuple[Turn, ...]] = {}


class TurnsOf(NamedTuple):
    """What would change the mount line that follows from these answers, to be worked out."""

    answers: Answers


class Turn(NamedTuple):
    """`fact`, if it were one of the cells of `mask`, would change `tunables`."""

    fact: str
    mask: int
    tunables: tuple[str, ...]


def turns(base: RuleBase, answers: Answers) -> tuple[Turn, ...] | None:
    """What was worked out already."""
    return _kept.get(key_of(base, answers))


def work_out_turns(base: RuleBase, answers: Answers) -> None:
    """Makes it known. It takes longer than a key may."""
    key = key_of(base, answers)
    if key not in _kept:
        if len(_kept) >= LIMIT:
            _kept.clear()
        _kept[key] = _turns(base, advice_for(base, answers))


def _turns(base: RuleBase, advice: Advice) -> tuple[Turn, ...]:
    """Of one fact each, the easiest first; among these what changes most. Of a server's own settings there is no mount
    line to change."""
    if advice.server:
        return ()
    written = [one for one in in_order(mount_options(advice)) if one.strength in ("must", "should") and not one.pinned]
    assumed = {taken.fact for one in written for taken in (*one.rests_on, *one.presumes)}
    found: dict[tuple[str, int], list[str]] = {}
    for one in written:
        for change in otherwise(base, advice, one.tunable).changes:
            if len(change.facts) == 1:
                fact = next(iter(change.facts))
                found.setdefault((fact, change.state[fact]), []).append(one.tunable)
    would = [Turn(fact, mask, tuple(names)) for (fact, mask), names in found.items()]
    return tuple(sorted(would, key=lambda one: (*effort(base, one.fact, assumed), -len(one.tunables))))

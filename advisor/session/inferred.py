"""What the mount at hand gives away: its names, and the line of fstab that it was taken from.

It is drawn anew for each set of answers, and never against one of them: what somebody said goes before what a line
says, and that before what a name lets one think."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from advisor.advice.answers import Answers, to_plain
from advisor.advice.arguments import against
from advisor.advice.build import all_pins
from advisor.advice.mounts import Sign, signs
from advisor.engine import EngineError, consistent, decided
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


LIMIT = 256
_kept: dict[str, Answers] = {}
_fits: dict[str, bool] = {}


def draw(base: RuleBase, said: Answers, read: tuple[Sign, ...]) -> Answers:
    """The answers with all that was read or can be inferred, each with its place as its origin. `said`: what people
    answered; `read`: what a line says. It is worked out once for each: the other mounts are asked for again and
    again."""
    key = json.dumps([base.hash, to_plain(said), read], sort_keys=True)
    if key not in _kept:
        if len(_kept) >= LIMIT:
            _kept.clear()
        _kept[key] = _draw(base, said, read)
    return _kept[key]


def _draw(base: RuleBase, said: Answers, read: tuple[Sign, ...]) -> Answers:
    settings = [one for one in read if one.fact in base.decisions]
    drawn = _with(base, said, [one for one in read if one not in settings])
    if said.names:
        drawn = _with(base, drawn, signs(base, drawn.names, drawn.facts).values())
    for one in settings:  # as the line has it now, where the rule base would let it stay so
        values = one.value if isinstance(one.value, list) else [one.value]
        if any(against(base, drawn, one.fact, value).fits for value in values):
            drawn = _with(base, drawn, [one])
    return drawn


def _with(base: RuleBase, answers: Answers, found: Iterable[Sign]) -> Answers:
    """The answers with those signs that contradict nothing and of which nobody said anything."""
    for one in found:
        drawn = answers._replace(
            facts={**answers.facts, one.fact: one.value}, origin={**answers.origin, one.fact: one.where}
        )
        if one.fact not in answers.facts and one.fact not in answers.unknown and possible(base, drawn):
            answers = drawn
    return answers


def fitting(base: RuleBase, answers: Answers, facts: Mapping[str, Values]) -> bool:
    """Whether these facts agree with one another and with what is held; worked out once for each."""
    key = json.dumps([base.hash, to_plain(answers._replace(facts=dict(facts)))], sort_keys=True)
    if key not in _fits:
        if len(_fits) >= LIMIT:
            _fits.clear()
        _fits[key] = possible(base, answers._replace(facts=dict(facts)))
    return _fits[key]


def possible(base: RuleBase, answers: Answers) -> bool:
    """Whether the answers agree with one another and with what is held. No advice is worked out to know it."""
    try:
        known = base.engine.state(answers.facts)
        if answers.pins:
            decided(base.engine, known, all_pins(base, answers))
        return consistent(base.engine, known)
    except EngineError:
        return False

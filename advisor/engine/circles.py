"""Rules that beat each other in a circle: where they all hold, none of them would win."""

from __future__ import annotations

from advisor.engine.base import Base
from advisor.engine.decisions import Decision, Rule
from advisor.engine.define import in_words
from advisor.engine.errors import EngineError
from advisor.engine.situation import first_case


def refuse_circles(base: Base, decision: Decision) -> None:
    """Raises EngineError if there is a consistent case in which rules beat each other in a circle."""
    situation = base.situation({})
    for rule in decision.rules:
        if rule.overrides:  # rank alone makes no circle
            found = _circle(base, decision, [rule], situation.cases(rule.boxes))
            if found:
                names = " > ".join([*(one.id for one in found[0]), found[0][0].id])
                path = ("decisions", decision.id, "rules", rule.id, "overrides")
                case = in_words(base.space, situation.told(found[1]))
                raise EngineError(f"these rules beat each other in a circle: {names}", path, case)


def _circle(base: Base, decision: Decision, trail: list[Rule], cases: list[int]) -> tuple[list[Rule], int] | None:
    """A circle that starts with `trail`, and a case. No shortcuts: a circle with one has a shorter circle in it."""
    for rule in decision.rules:
        if not trail[-1].beats(rule) or rule in trail:
            continue
        if any(one.beats(rule) for one in trail[:-1]) or any(rule.beats(one) for one in trail[1:]):
            continue
        together = [case for a in cases for b in rule.boxes if (case := base.space.meet(a, b)) is not None]
        if not together:
            continue
        longer = [*trail, rule]
        if not rule.beats(trail[0]):
            found = _circle(base, decision, longer, together)
            if found:
                return found
            continue
        covers = base.situation({}).near(decision.reads).covers
        witness = first_case(base.space, together, (), covers)
        if witness is not None:
            return longer, witness
    return None

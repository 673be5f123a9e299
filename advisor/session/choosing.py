"""Which values a question offers, and which of them what was said leaves possible."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from advisor.engine import EngineError, possible
from advisor.rulebase.model import RuleBase
from advisor.session.model import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar


class OfferedValue(NamedTuple):
    """A value that can be chosen, its name, and whether it agrees with the other answers."""

    value: Scalar
    label: str
    fits: bool


def values_to_choose(base: RuleBase, session: Session, fact: str) -> list[OfferedValue]:
    """The values that are chosen by their key: those that the other answers make unlikely after the rest, those that
    contradict them last. None where an answer is written."""
    definition = base.facts[fact]
    named: dict[Scalar, str] = {}
    if definition.type == "bool":
        named = {True: "Yes", False: "No"}
    elif definition.type == "enum":
        named.update(definition.values or {})
    if not named:
        return []
    others = {name: value for name, value in session.said.facts.items() if name != fact}
    engine, left, likely = base.engine, 0, 0
    with suppress(EngineError):
        certain = engine.certain(others)
        left, likely = possible(engine, fact, certain), possible(engine, fact, engine.presume(certain))
    left = left or -1  # answers that contradict one another rule out nothing here; giving one tells the reason
    places = {value: engine.fact(fact).mask(value) for value in named}
    offered = [OfferedValue(value, label, bool(places[value] & left)) for value, label in named.items()]
    return sorted(offered, key=lambda one: (not one.fits, not places[one.value] & likely))

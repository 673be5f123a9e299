"""From quantities to conclusions, as rules/conclusions draws them."""

from __future__ import annotations

from string import Formatter

from advisor.engine import holds
from advisor.named_tuple import NamedTuple
from advisor.observe.units import measure
from advisor.rulebase.model.facts import facts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.rulebase.model import Conclusion, RuleBase
    from advisor.rulebase.model.types import Values


class Drawn(NamedTuple):
    """A conclusion, and what it rests on: the sentence, and the names of the quantities in it and in its condition.

    `holds`: facts that are so in the window, as values, lists or bounds. `at_most`: tunable → what it can save, in
    words."""

    conclusion: Conclusion
    says: str
    evidence: frozenset[str]
    holds: Mapping[str, Values] = {}
    at_most: Mapping[str, str] = {}


def conclusions(base: RuleBase, quantities: Mapping[str, Values]) -> list[Drawn]:
    """What certainly follows from these quantities, in the order of the rule base: what limits the work first."""
    known = base.diagnosis.certain(quantities)
    return [
        _drawn(base, one, quantities) for name, one in base.conclusions.items()
        if holds(base.diagnosis, f"conclusion:{name}", known) is True
    ]


def _drawn(base: RuleBase, one: Conclusion, quantities: Mapping[str, Values]) -> Drawn:
    measured = {fact: _value(text, quantities) for fact, text in one.measures.items()}
    return Drawn(
        one, filled_in(base, one.says, quantities), _evidence(one), {**one.holds, **measured},
        {
            name: filled_in(base, f"{{{field}}}", quantities)
            for name, field in one.at_most.items() if field in quantities
        },
    )


def _value(text: str, quantities: Mapping[str, Values]) -> Values:
    """What a quantity says of a fact: the number itself, or a bound."""
    parts = [literal + (str(quantities[field]) if field else "") for literal, field, _, _ in Formatter().parse(text)]
    whole = "".join(parts)
    return int(whole) if whole.isdecimal() else whole


def filled_in(base: RuleBase, sentence: str, quantities: Mapping[str, Values]) -> str:
    """A sentence of the rule base with its quantities filled in, in the reader's units; ? for one not known."""
    parts = []
    for literal, field, _, _ in Formatter().parse(sentence):
        parts.append(literal)
        if field is not None:
            value, fact = quantities.get(field), base.observations.get(field)
            parts.append(measure(value, fact.unit or "") if isinstance(value, int) and fact else str(value or "?"))
    return "".join(parts)


def _evidence(one: Conclusion) -> frozenset[str]:
    fields = {field for _, field, _, _ in Formatter().parse(one.says) if field}
    return frozenset(fields.union(facts_in(one.when), one.at_most.values()))

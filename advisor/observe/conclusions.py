"""Conclusions from quantities, by the rules of rules/conclusions, and quantities as text in readable units."""

from __future__ import annotations

from string import Formatter

from advisor.engine import holds
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model.kb import PROBED
from advisor.rulebase.model.rules import facts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.rulebase.model import Conclusion, RuleBase
    from advisor.rulebase.model.types import Values


class DrawnConclusion(NamedTuple):
    """A conclusion of the rule base that follows from the quantities of a window. `says`: its sentence with them filled
    in. `evidence`: the names of the quantities that it rests on. `holds`: facts that it proves, as values, lists or
    bounds. `at_most`: tunable → what it can save, in words."""

    conclusion: Conclusion
    says: str
    evidence: frozenset[str]
    holds: Mapping[str, Values] = {}
    at_most: Mapping[str, str] = {}


def conclusions(
    base: RuleBase, quantities: Mapping[str, Values], words: Mapping[str, str] | None = None
) -> list[DrawnConclusion]:
    """The conclusions that follow for certain, in the order of the rule base: limits of the work first. `words`: those
    of PROBED, for a probe."""
    known = base.diagnosis.certain(quantities)
    return [
        _drawn(base, conclusion, quantities, words or {}) for name, conclusion in base.conclusions.items()
        if holds(base.diagnosis, f"conclusion:{name}", known) is True
    ]


def _drawn(
    base: RuleBase, conclusion: Conclusion, quantities: Mapping[str, Values], words: Mapping[str, str]
) -> DrawnConclusion:
    measured = {fact: _fact_value(template, quantities) for fact, template in conclusion.measures.items()}
    fields = {field for _, field, _, _ in Formatter().parse(conclusion.says) if field}
    return DrawnConclusion(
        conclusion, _filled_in(base, conclusion.says, quantities, words),
        frozenset((fields - {*PROBED}).union(facts_in(conclusion.when), conclusion.at_most.values())),
        {**conclusion.holds, **measured},
        {
            tunable: _measured(base, quantity, quantities)
            for tunable, quantity in conclusion.at_most.items() if quantity in quantities
        },
    )


def _fact_value(template: str, quantities: Mapping[str, Values]) -> Values:
    """A number or a bound, such as ">=54"."""
    value = "".join(literal + (str(quantities[field]) if field else "")
                    for literal, field, _, _ in Formatter().parse(template))
    return int(value) if value.isdecimal() else value


def _filled_in(base: RuleBase, sentence: str, quantities: Mapping[str, Values], words: Mapping[str, str]) -> str:
    """A word that is not given is shown by its name: PATH."""
    return "".join(literal + (
        "" if field is None else words.get(field, field.upper()) if field in PROBED
        else _measured(base, field, quantities)
    ) for literal, field, _, _ in Formatter().parse(sentence))


def _measured(base: RuleBase, quantity: str, quantities: Mapping[str, Values]) -> str:
    """A quantity with its unit, or "?" if it is not known."""
    value, observation = quantities.get(quantity), base.observations.get(quantity)
    return measure(value, observation.unit or "") if isinstance(value, int) and observation else str(value or "?")


def measure(value: int, unit: str) -> str:
    """A whole number in a unit of rules/observations as text: "41 ms" for 41 217 microseconds, "0.85" for 853
    thousandths."""
    if unit == "microseconds":
        return f"{_rounded(value / 1000)} ms" if value < 1_000_000 else f"{_rounded(value / 1_000_000)} s"
    if unit == "milliseconds":
        return f"{value} ms" if value < 1000 else f"{_rounded(value / 1000)} s"
    if unit == "per mille":
        return f"{_rounded(value / 10)} %"
    if unit == "thousandths":
        return _rounded(value / 1000)
    if unit == "bytes":
        for size, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
            if value >= size:
                return f"{_rounded(value / size)} {name}"
    if unit == "times":
        return {1: "once", 2: "twice"}.get(value, f"{value:,} times")
    singular = value == 1 and unit.endswith("s") and not unit.endswith("/s")
    return f"{value:,} {unit[:-1] if singular else unit}".rstrip()


def _rounded(value: float) -> str:
    """Two significant digits, or all those before the decimal point."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}" if value >= 0.01 else "0"

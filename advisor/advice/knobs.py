"""Two settings that are one knob in two units: only one of them is written."""

from __future__ import annotations

from advisor.advice.model import Recommendation
from advisor.advice.steps import Steps
from advisor.rulebase.model import RuleBase


def one_knob(base: RuleBase, settled: tuple[Recommendation, ...]) -> tuple[Recommendation, ...]:
    """The settings. Where one knob would be written in both units, one makes way: what is held stays, else what has
    the higher layer."""
    ranks = {layer.id: rank for rank, layer in enumerate(base.layers)}
    written = {one.tunable: one for one in settled if one.written is not None and (one.pinned or not one.already)}

    def weight(one: Recommendation) -> tuple[bool, int, str]:
        return one.pinned, ranks.get(one.rule.layer if one.rule else "", 0), one.tunable

    beaten: dict[str, Recommendation] = {}
    for one in written.values():
        other = written.get(one.told.other_unit or "")
        if other is not None and weight(one) < weight(other):
            beaten[one.tunable] = other
    return tuple(
        _out_of_the_way(one, beaten[one.tunable]) if one.tunable in beaten else one for one in settled
    )


def _out_of_the_way(one: Recommendation, other: Recommendation) -> Recommendation:
    """A setting that is left alone because the other one is written."""
    why = f"{other.text} is the same limit in another unit, and the last one written wins."
    rule = one.rule.but(why=why) if one.rule else None
    return one._replace(
        value="n/a", written=None, text="", already=False, pinned=False, rule=rule, steps=Steps(),
    )

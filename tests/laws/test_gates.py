"""No rule of any layer passes a gate, whatever the hit policy, and no pin does; elsewhere a gate changes nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.engine import reach
from advisor.engine.usual import advise
from tests.laws.reference import World, key
from tests.laws.test_possibilities import values
from tests.laws.worlds import GATE, LAW, answers, built, gates, rule_bases


def without_gates(data: dict[str, Any]) -> dict[str, Any]:
    decisions = [
        {**one, "rules": [rule for rule in one["rules"] if rule["layer"] != GATE]} for one in data["decisions"]
    ]
    return {**data, "decisions": decisions}


@st.composite
def gated(draw: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A rule base whose decision d has gates, and these."""
    data = without_gates(draw(rule_bases()))
    found = gates(draw, data["facts"])
    data["decisions"][0]["rules"] += found
    return data, found


@LAW
@given(gated(), st.data())
def test_no_rule_passes_a_gate(found: tuple[dict[str, Any], list[dict[str, Any]]], draw: st.DataObject) -> None:
    data, shut = found
    base, world = built(data), World(without_gates(data))
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    assume(points)
    wanted: set[Any] = set()
    for point in points:
        held = [gate for gate in shut if world.true(gate["when"], point)]
        beaten = {name for gate in held for name in gate["overrides"]}
        wanted |= {key(gate["value"]) for gate in held if gate["id"] not in beaten}
        if not held:
            wanted |= world.outcomes("d", point)
    assert values(reach(base, "d", base.state(known))) == wanted


@LAW
@given(gated(), st.data())
def test_no_pin_passes_a_gate(found: tuple[dict[str, Any], list[dict[str, Any]]], draw: st.DataObject) -> None:
    data, shut = found
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    assume(points)
    outcomes = advise(base, base.state(known), {"d": "held"})["d"]
    certainly = all(any(world.true(gate["when"], point) for gate in shut) for point in points)
    pinned = [outcome.value for outcome in outcomes if outcome.rule is None]
    assert pinned == ([] if certainly else ["held"])
    assert {outcome.rule for outcome in outcomes} <= ({gate["id"] for gate in shut} if certainly else {None})

"""What is presumed gives way to what is known, and taking presumptions together is as one after the other."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from advisor.engine import consistent
from advisor.engine.situation import Presumptions
from tests.laws.reference import World
from tests.laws.worlds import LAW, Draw, answers, built, condition, pick, rule_bases


@st.composite
def presuming(draw: Draw) -> dict[str, Any]:
    """Data for `build` with up to four presumptions."""
    data = draw(rule_bases())
    nevers = [condition(draw, data["facts"], 2) for _ in range(pick(draw, [1, 2, 3, 4]))]
    presumed = [{"id": f"presumed-{number}", "never": one, "presumed": True} for number, one in enumerate(nevers)]
    return {**data, "constraints": [*data["constraints"], *presumed]}


def certain(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "constraints": [one for one in data["constraints"] if not one.get("presumed")]}


@LAW
@given(presuming(), st.data())
def test_taking_presumptions_together_is_as_one_after_the_other(data: dict[str, Any], draw: st.DataObject) -> None:
    base = built(data)
    known = draw.draw(answers(data["facts"]))
    together = base.state(known)
    with patch.object(Presumptions, "leave", return_value=False):
        assert base.state(known) == together


@LAW
@given(presuming(), st.data())
def test_whether_a_case_is_left_is_exact(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(certain(data))
    known = draw.draw(answers(data["facts"]))
    state = built(certain(data)).state(known)
    nevers = [one["never"] for one in data["constraints"] if one.get("presumed")]
    left = [point for point in world.completions(known) if not any(world.true(one, point) for one in nevers)]
    assert base.presumptions.leave(base.space.pack(state)) == bool(left)


@LAW
@given(presuming(), st.data())
def test_what_is_known_is_never_presumed_away(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(certain(data))
    known = draw.draw(answers(data["facts"]))
    if points := world.completions(known):
        assert consistent(base, base.state(known))
        point = draw.draw(st.sampled_from(points))
        assert base.state(point) == built(certain(data)).state(point)

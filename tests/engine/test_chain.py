"""Decisions whose values are facts of others."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.engine import Base, EngineError, FactError
from advisor.engine.usual import advise, decided
from tests.engine.sample import decision, rule, sample

VERS = decision(
    "mount.vers",
    rule("vers/default", "omit"),
    rule("vers/anf", "3", "platform", storage__platform="anf"),
    rule("vers/azure", "4.1", "platform", storage__platform="azure-files"),
)
SLOTS = decision(
    "slots",
    rule("slots/session", "n/a", mount__vers=["4.1", "4.2"]),
    rule("slots/none", 128, mount__vers=["3", "4.0"]),
)


def values(base: Base, known: dict[str, Any], **pins: Any) -> dict[str, list[Any]]:
    return {name: [one.value for one in found] for name, found in advise(base, base.state(known), pins).items()}


def test_what_is_decided_is_known_to_later_decisions() -> None:
    base = sample(SLOTS, VERS)
    assert values(base, {"storage.platform": "anf"}) == {"mount.vers": ["3"], "slots": [128]}
    assert values(base, {"storage.platform": "azure-files"}) == {"mount.vers": ["4.1"], "slots": ["n/a"]}
    assert list(values(base, {})) == ["mount.vers", "slots"]


def test_omit_leaves_the_fact_open() -> None:
    base = sample(SLOTS, VERS)
    assert values(base, {"storage.platform": "ontap"}) == {"mount.vers": ["omit"], "slots": [128, "n/a"]}
    assert values(base, {"storage.platform": "ontap", "mount.vers": "4.2"})["slots"] == ["n/a"]


def test_what_is_known_of_a_fact_is_not_contradicted_by_the_decision() -> None:
    base = sample(SLOTS, VERS)
    assert values(base, {"storage.platform": "anf", "mount.vers": "4.1"}) == {"mount.vers": ["3"], "slots": ["n/a"]}


def test_several_outcomes_leave_several_values() -> None:
    base = sample(SLOTS, VERS)
    state = decided(base, base.state({"storage.platform": ["anf", "azure-files"]}))
    assert base.describe("mount.vers", state["mount.vers"]) == "3, 4.1"


def test_a_pin_takes_the_place_of_the_decision() -> None:
    base = sample(SLOTS, VERS)
    assert values(base, {"storage.platform": "anf"}, **{"mount.vers": "4.2"}) == {
        "mount.vers": ["4.2"],
        "slots": ["n/a"],
    }
    outcome = advise(base, {}, {"mount.vers": "4.2"})["mount.vers"][0]
    assert (outcome.rule, outcome.certain, outcome.witness) == (None, True, {})
    assert values(base, {}, **{"mount.vers": "keep"})["slots"] == [128, "n/a"]


@pytest.mark.parametrize(
    ("known", "pins", "error", "message"),
    [
        ({"mount.vers": "3"}, {"mount.vers": "4.1"}, FactError, "4.1 contradicts what is known"),
        ({}, {"mount.vers": "5"}, FactError, "not one of its values"),
        ({}, {"mount.ver": "4.1"}, EngineError, "did you mean mount.vers"),
    ],
)
def test_impossible_pins_are_refused(
    known: dict[str, Any], pins: dict[str, Any], error: type[Exception], message: str
) -> None:
    base = sample(SLOTS, VERS)
    with pytest.raises(error, match=message):
        advise(base, base.state(known), pins)


def test_a_bound_and_a_formula_say_what_they_can() -> None:
    nconnect = decision(
        "mount.nconnect", rule("n/a", ">=2 <=8", storage__platform="anf"), rule("n/b", "2 * client.count")
    )
    more = decision("x", rule("x/one", 1, mount__nconnect=1), rule("x/more", 2, mount__nconnect=">1"))
    base = sample(nconnect, more)
    assert values(base, {"storage.platform": "ontap"})["x"] == [2, 1] or values(base, {"storage.platform": "ontap"})[
        "x"
    ] == [1, 2]
    nconnect["rules"].pop()
    assert values(sample(nconnect, more), {"storage.platform": "anf"})["x"] == [2]


def test_decisions_that_wait_for_each_other_are_refused() -> None:
    one = decision(
        "mount.vers", rule("v/a", "3", client__has_nconnect=True), rule("v/b", "4.1", mount__nconnect=">4")
    )
    other = decision("mount.nconnect", rule("n/a", 1, mount__vers="3"), rule("n/b", "omit", mount__vers=["4.1"]))
    with pytest.raises(EngineError, match=r"mount\.nconnect -> mount\.vers -> mount\.nconnect"):
        advise(sample(one, other), {})


def test_a_circle_through_a_derived_fact_is_seen() -> None:
    base = sample(
        decision("mount.vers", rule("v/a", "3", session=True), rule("v/b", "4.1", session=False)),
        facts=[
            {"id": "mount.vers", "type": "enum", "values": ["3", "4.1"]},
            {"id": "session", "type": "bool", "derive": {"true": {"mount.vers": "4.1"}}, "otherwise": False},
        ],
    )
    with pytest.raises(EngineError, match=r"mount\.vers -> mount\.vers"):
        advise(base, {})


def test_a_decision_that_cannot_be_is_not_believed() -> None:
    """A constraint forbids what the decision says: the fact stays open, and no outcome is lost."""
    base = sample(SLOTS, VERS, constraints=[{"id": "c", "never": {"storage.platform": "anf", "mount.vers": "3"}}])
    assert values(base, {"storage.platform": "anf"}) == {"mount.vers": ["3"], "slots": [128, "n/a"]}

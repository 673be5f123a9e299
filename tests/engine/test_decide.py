"""Outcomes under each hit policy, named conditions, limits."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.engine import Base, EngineError, TooBigError, holds, reach, support, winners
from advisor.engine.compiler import build
from tests.engine.sample import data, decision, rule, sample


def outcomes(base: Base, known: dict[str, Any], name: str = "mount.nconnect") -> list[tuple[Any, str | None]]:
    return [(one.value, one.rule) for one in reach(base, name, base.state(known))]


def test_layers_decide_and_an_open_fact_leaves_the_decision_open() -> None:
    base = sample()
    platform = {"storage.platform": "azure-files"}
    assert outcomes(base, {**platform, "client.kernel": "6.1"}) == [(4, "nconnect/azure-files")]
    backport = {**platform, "client.kernel": "4.18.0-348.el8"}  # the distribution is in the text
    assert outcomes(base, backport) == [(4, "nconnect/azure-files")]
    assert outcomes(base, {**platform, "client.kernel": "4.9"}) == [("omit", "nconnect/default")]
    assert outcomes(base, platform) == [(4, "nconnect/azure-files"), ("omit", "nconnect/default")]
    assert [one.certain for one in reach(base, "mount.nconnect", base.state(platform))] == [False, False]


def test_a_witness_says_what_else_would_have_to_be_known() -> None:
    base = sample()
    state = base.state({"storage.platform": "azure-files"})
    witnesses = [one.witness for one in reach(base, "mount.nconnect", state)]
    assert witnesses == [{"client.has_nconnect": 0b10}, {"client.has_nconnect": 0b01}]


def test_a_contradiction_leaves_no_outcome() -> None:
    base = sample()
    known = {"storage.platform": "azure-files", "client.kernel": "6.1", "client.has_nconnect": False}
    assert outcomes(base, known) == []
    assert winners(base, "mount.nconnect", base.state(known)) == {}


def test_a_gap_is_an_outcome_without_a_rule() -> None:
    base = sample(decision("x", rule("x/anf", 1, storage__platform="anf")))
    assert outcomes(base, {}, "x") == [(1, "x/anf"), (None, None)]
    assert outcomes(base, {"storage.platform": "ontap"}, "x") == [(None, None)]


def test_overrides_beat_any_layer() -> None:
    base = sample(
        decision(
            "x",
            rule("x/high", 1, "measured"),
            rule("x/low", 2, overrides=("x/high",), storage__platform="anf"),
        )
    )
    assert outcomes(base, {"storage.platform": "anf"}, "x") == [(2, "x/low")]
    assert outcomes(base, {"storage.platform": "ontap"}, "x") == [(1, "x/high")]


def test_collect_gathers_every_value_and_says_which_are_certain() -> None:
    base = sample(
        decision(
            "x",
            rule("x/a", "a"),
            rule("x/b", "b", client__count=">4"),
            rule("x/c", "c", storage__platform="anf"),
            rule("x/not-a", "d", storage__platform="ontap", overrides=("x/a",)),
            hit="collect",
        )
    )
    found = reach(base, "x", base.state({"client.count": 9}))
    assert {one.value: one.certain for one in found} == {"a": False, "b": True, "c": False, "d": False}
    found = reach(base, "x", base.state({"client.count": 9, "storage.platform": "anf"}))
    assert {one.value: one.certain for one in found} == {"a": True, "b": True, "c": True}
    base = sample(decision("x", rule("x/a", "a", storage__platform="anf"), hit="collect"))
    assert reach(base, "x", base.state({"storage.platform": "ontap"})) == ()


def test_true_is_not_one() -> None:
    base = sample(
        decision("x", rule("x/true", True, storage__platform="anf"), rule("x/one", 1, storage__platform="ontap"))
    )
    assert [one.value for one in reach(base, "x", {})] == [1, True, None]


def test_a_strong_rule_hides_weak_ones_everywhere_it_holds() -> None:
    assert list(winners(sample(), "mount.nconnect", sample().state({"client.has_nconnect": True}))) == [
        "nconnect/anf",
        "nconnect/azure-files",
        "nconnect/default",
    ]
    assert list(winners(sample(), "mount.nconnect", sample().state({"client.has_nconnect": False}))) == [
        "nconnect/default"
    ]


def test_named_conditions_are_true_false_or_open() -> None:
    base = sample(
        conditions={
            "new": {"client.has_nconnect": True},
            "either": {"any": [{"client.count": ">4"}, {"not": {"client.count": ">4"}}]},
            "endpoint": {"storage.endpoint": "n/a"},
        }
    )
    assert holds(base, "new", {}) is None
    assert holds(base, "new", base.state({"client.kernel": "6.1"})) is True
    assert holds(base, "new", base.state({"client.kernel": "4.9"})) is False
    assert holds(base, "either", {}) is True
    assert holds(base, "endpoint", base.state({"storage.platform": ["anf", "ontap"]})) is True
    assert holds(base, "new", base.state({"client.kernel": "6.1", "client.has_nconnect": False})) is None


def test_support_follows_the_constraints() -> None:
    base = sample(conditions={"count": {"client.count": ">4"}})
    assert support(base, "count") == {"client.count"}
    assert support(base, "mount.nconnect") == {
        "storage.platform",
        "storage.endpoint",
        "client.has_nconnect",
        "client.kernel",
        "client.stream",
    }


def test_unknown_names_are_refused_with_a_suggestion() -> None:
    base = sample()
    with pytest.raises(EngineError, match=r"no decision 'mount\.nconect'; did you mean mount\.nconnect"):
        reach(base, "mount.nconect", {})
    with pytest.raises(EngineError, match="no condition 'x'"):
        holds(base, "x", {})


def test_a_search_that_grows_too_large_fails_loudly() -> None:
    """Ten pigeons in nine holes: no two may share one."""
    pigeons = [f"pigeon{number}" for number in range(10)]
    holes = [f"h{number}" for number in range(9)]
    shared = [
        rule(f"x/{one}-{other}-{hole}", 1, **{one: hole, other: hole})
        for index, one in enumerate(pigeons)
        for other in pigeons[:index]
        for hole in holes
    ]
    facts = [{"id": pigeon, "type": "enum", "values": holes} for pigeon in pigeons]
    base = build({**data(decision("x", *shared)), "facts": facts})
    with pytest.raises(TooBigError, match="more than 50000 cases"):
        reach(base, "x", {})
    assert outcomes(base, dict.fromkeys(pigeons[:2], "h1"), "x") == [(1, "x/pigeon1-pigeon0-h1")]


def test_independent_constraints_are_solved_apart() -> None:
    """Twelve independent puzzles, the last without a solution: together, every solution of all would be tried."""
    facts: list[dict[str, Any]] = []
    rules = []
    for puzzle in range(12):
        names = [f"p{puzzle}_{number}" for number in range(3)]
        facts += [{"id": name, "type": "enum", "values": ["r", "g", "b"]} for name in names]
        colours = ["r", "g", "b"] if puzzle < 11 else ["r", "g"]
        for index, one in enumerate(names):
            if puzzle == 11:
                rules.append(rule(f"x/blue-{one}", 1, **{one: "b"}))
            for other in names[:index]:
                rules += [rule(f"x/{one}-{other}-{c}", 1, **{one: c, other: c}) for c in colours]
    base = build({**data(decision("x", *rules)), "facts": facts})
    assert [one.value for one in reach(base, "x", {})] == [1]

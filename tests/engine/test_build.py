"""What `build` refuses, and where it says the fault lies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from advisor.engine import Base, EngineError, TooBigError, reach
from advisor.engine.compiler import build
from tests.each import each
from tests.engine.sample import FACTS, LAYERS, NCONNECT, data, decision, rule, sample


def refused(facts: list[dict[str, Any]] | None = None, **more: Any) -> EngineError:
    """The error that this raises; facts are added to the sample's."""
    with pytest.raises(EngineError) as caught:
        build({**data(NCONNECT), "facts": [*FACTS, *(facts or [])], **more})
    return caught.value


def condition(when: Any) -> EngineError:
    return refused(conditions={"c": when})


@each(lambda: [
    ({"storage.plattform": "anf"}, "unknown fact .* did you mean storage.platform", ("c", "storage.plattform")),
    (
        {"all": [{"client.count": 3}, {"storage.platform": "anff"}]},
        "not one of its values",
        ("c", "all", 1, "storage.platform"),
    ),
    ({"any": []}, "takes a list of conditions", ("c", "any")),
    ({"any": {"client.count": 3}}, "takes a list of conditions", ("c", "any")),
    ({"not": ["x"]}, "a condition is a mapping", ("c", "not")),
    ("client.count", "a condition is a mapping", ("c",)),
    ({"client.kernel": 5.10}, "write it in quotes", ("c", "client.kernel")),
    ({"client.kernel": ">=new"}, "not a kernel release", ("c", "client.kernel")),
    ({"client.count": ">=5 <3"}, "no value is", ("c", "client.count")),
    ({"client.count": "many"}, "not a whole number", ("c", "client.count")),
    ({"client.count": 0}, "no value is 0", ("c", "client.count")),
    ({"client.count": "n/a"}, "always applies", ("c", "client.count")),
    ({"client.has_nconnect": "yes"}, "neither true nor false", ("c", "client.has_nconnect")),
    ({"client.count": []}, "the list is empty", ("c", "client.count")),
])
def test_a_faulty_condition_is_refused_with_its_place(when: Any, message: str, path: tuple[Any, ...]) -> None:
    error = condition(when)
    assert error.path == ("conditions", *path)
    with pytest.raises(EngineError, match=message):
        raise error


def test_a_condition_with_too_many_cases_is_refused() -> None:
    pairs = [{"any": [{f"a{n}": True}, {f"b{n}": True}]} for n in range(10)]
    facts = [{"id": f"{letter}{n}", "type": "bool"} for letter in "ab" for n in range(10)]
    error = refused(facts, conditions={"c": {"all": pairs}})
    assert isinstance(error, TooBigError)
    assert error.message == "the condition has more than 512 separate cases; split it"
    assert error.path == ("conditions", "c")
    nine = {"all": pairs[:9]}  # 2 to the power of 9 is 512
    assert build({**data(NCONNECT), "facts": [*FACTS, *facts], "conditions": {"c": nine}}).conditions == {"c"}


@each(lambda: [
    ({"id": "client.count", "type": "int"}, "declared twice"),
    ({"id": "x", "type": "text"}, "type 'text' is none of"),
    ({"id": "x", "type": "enum"}, "an enum needs values"),
    ({"id": "x", "type": "enum", "values": [4.1]}, "an enum needs values"),
    ({"id": "x", "type": "enum", "values": ["a", "a"]}, "an enum needs values"),
    ({"id": "x", "type": "bool", "values": ["a"]}, "only an enum has values"),
    ({"id": "x", "type": "version"}, "a version needs a scheme"),
    ({"id": "x", "type": "int", "minimum": 5, "maximum": 4}, "minimum 5 is above maximum 4"),
    ({"id": "x", "type": "bool", "otherwise": True}, "otherwise belongs to a derived fact"),
    ({"id": "x", "type": "bool", "derive": {"perhaps": {}}, "otherwise": True}, "neither true nor false"),
    ({"id": "x", "type": "int", "derive": {"many": {}}, "otherwise": 1}, "not a whole number"),
    (
        {"id": "x", "type": "bool", "derive": {"true": {"client.count": 3}}, "otherwise": "no"},
        "neither true nor false",
    ),
    (
        {"id": "x", "type": "bool", "derive": {"true": {"client.cuont": 3}}, "otherwise": False},
        "did you mean client.count",
    ),
    ({"id": "x", "type": "bool", "infer": [{"match": "(", "sets": {}}]}, "not a regular expression"),
    ({"id": "x", "type": "bool", "infer": [{"match": "a", "sets": {"y": 1}}]}, "unknown fact 'y'"),
    ({"id": "x", "type": "bool", "infer": [{"match": "a", "sets": {"client.count": 0}}]}, "no value is 0"),
])
def test_a_faulty_fact_is_refused(fact: dict[str, Any], message: str) -> None:
    error = refused([fact])
    assert error.path[:2] == ("facts", fact["id"])
    with pytest.raises(EngineError, match=message):
        raise error


def test_facts_that_follow_from_each_other_are_refused() -> None:
    error = refused(
        [
            {"id": "x", "type": "bool", "derive": {"true": {"y": True}}, "otherwise": False},
            {"id": "y", "type": "bool", "applies": {"x": True}},
        ]
    )
    assert "x -> y -> x" in error.message


def test_a_derived_fact_with_two_values_is_refused_with_a_witness() -> None:
    error = refused(
        [
            {
                "id": "size",
                "type": "enum",
                "values": ["small", "large"],
                "otherwise": "small",
                "derive": {"small": {"client.count": "<10"}, "large": {"client.count": ">8"}},
            }
        ]
    )
    assert "both small and large" in error.message
    assert error.witness == "client.count is 9"
    assert error.path == ("facts", "size", "derive", "large")


def test_a_derived_fact_without_a_value_is_refused_with_a_witness() -> None:
    error = refused(
        [
            {
                "id": "size",
                "type": "enum",
                "values": ["small", "large"],
                "derive": {"small": {"client.count": "<5"}, "large": {"client.count": ">8"}},
            }
        ]
    )
    assert "no value" in error.message
    assert error.witness == "client.count is 5 to 8"


def test_derived_integers_and_a_key_that_is_a_real_boolean() -> None:
    base = build(
        data(
            decision("d", rule("d/x", 1)),
            facts=[
                *FACTS,
                {
                    "id": "slots",
                    "type": "int",
                    "derive": {"128": {"storage.platform": "anf"}, "64": {"storage.platform": "ontap"}},
                    "otherwise": 16,
                },
                {"id": "many", "type": "bool", "derive": {True: {"slots": ">64"}}, "otherwise": False},
            ],
        )
    )
    assert base.facts["slots"].describe(base.facts["slots"].mask(128)) == "128"
    assert reach(base, "d", base.state({"storage.platform": "anf", "slots": 64})) == ()
    assert reach(base, "d", base.state({"storage.platform": "anf", "many": True}))
    assert reach(base, "d", base.state({"many": True, "slots": 64})) == ()


def test_constraints_that_leave_nothing_are_refused() -> None:
    error = refused(
        constraints=[{"id": "a", "never": {"client.count": ">4"}}, {"id": "b", "never": {"client.count": "<9"}}]
    )
    assert "contradict" in error.message


@pytest.mark.parametrize(
    ("rules", "hit", "message"),
    [
        ([rule("x/a", 1), rule("x/a", 2)], "priority", "two rules are called x/a"),
        ([rule("x/a", 1, "plattform")], "priority", "layer 'plattform' is none of"),
        (
            [rule("x/a", 1, overrides=("x/b",)), rule("x/bb", 1)],
            "priority",
            "not another rule of this decision; did you mean x/bb",
        ),
        ([rule("x/a", 1, overrides=("x/a",))], "priority", "not another rule"),
        ([rule("x/a", 1)], "first", "hit 'first' is none of"),
    ],
)
def test_a_faulty_rule_is_refused(rules: list[dict[str, Any]], hit: str, message: str) -> None:
    error = refused(decisions=[decision("x", *rules, hit=hit)])
    assert error.path[:2] == ("decisions", "x")
    with pytest.raises(EngineError, match=message):
        raise error


def test_a_decision_is_declared_once() -> None:
    assert "declared twice" in refused(decisions=[NCONNECT, NCONNECT]).message


def test_rules_that_beat_each_other_in_a_circle_are_refused_with_a_witness() -> None:
    error = refused(
        decisions=[
            decision(
                "x",
                rule("x/low", 1, storage__platform=["anf", "ontap"], overrides=("x/high",)),
                rule("x/middle", 2, "platform"),
                rule("x/high", 3, "measured", storage__platform=["anf", "knfsd"]),
            )
        ]
    )
    assert "x/low > x/high > x/middle > x/low" in error.message
    assert error.witness == "storage.platform is anf"


@pytest.mark.parametrize(
    ("overridden", "circle"),
    [
        ({"a": "bc", "b": "c", "c": "a"}, "x/a > x/c > x/a"),
        ({"a": "b", "b": "c", "c": "ab"}, "x/b > x/c > x/b"),
        ({"a": "b", "b": "c", "c": "a"}, "x/a > x/b > x/c > x/a"),
    ],
)
def test_the_circle_that_is_named_has_no_shortcut(overridden: dict[str, str], circle: str) -> None:
    rules = [rule(f"x/{name}", name, overrides=tuple(f"x/{one}" for one in over)) for name, over in overridden.items()]
    error = refused(decisions=[decision("x", *rules)])
    assert error.message == f"these rules beat each other in a circle: {circle}"
    assert error.path == ("decisions", "x", "rules", circle[:3], "overrides")


def test_a_circle_that_can_never_close_is_no_fault() -> None:
    base = sample(
        decision(
            "x",
            rule("x/low", 1, storage__platform=["anf", "ontap"], overrides=("x/high",)),
            rule("x/middle", 2, "platform", storage__platform=["ontap", "knfsd"]),
            rule("x/high", 3, "measured", storage__platform=["anf", "knfsd"]),
        )
    )
    assert [one.value for one in reach(base, "x", base.state({"storage.platform": "anf"}))] == [1]


@pytest.mark.parametrize("value", ["5", "4.3", ">=3"])
def test_a_decision_that_is_a_fact_decides_a_value_of_it(value: str) -> None:
    error = refused(decisions=[decision("mount.vers", rule("v/x", value))])
    assert error.path == ("decisions", "mount.vers", "rules", "v/x", "value")
    assert "the decision is also a fact" in error.message


@pytest.mark.parametrize("value", ["omit", "keep", "n/a", "2 * client.count", ">=2 <=8", 4])
def test_other_kinds_of_value_are_fine(value: Any) -> None:
    assert sample(decision("mount.nconnect", rule("n/x", value))).decisions == {"mount.nconnect"}


def test_the_compiled_form_is_plain_json_and_of_one_format() -> None:
    base = sample()
    text = json.dumps(base.to_json())
    again = Base.from_json(json.loads(text))
    state = {"storage.platform": "anf", "client.kernel": "5.4"}
    assert reach(again, "mount.nconnect", again.state(state)) == reach(base, "mount.nconnect", base.state(state))
    assert list(again.facts) == [fact["id"] for fact in FACTS]
    assert again.layers == LAYERS
    with pytest.raises(EngineError, match="another version of the engine"):
        Base.from_json({**base.to_json(), "format": 0})

"""Faults of a whole rule base, each with its witness in words."""

from __future__ import annotations

from typing import Any

from advisor.engine.compiler import build, verify
from tests.engine.sample import FACTS, data, decision, rule


def problems(*decisions: dict[str, Any], **more: Any) -> list[tuple[str, str, tuple[str, ...], str]]:
    found = verify(build(data(*decisions, **more)))
    return [(one.kind, one.decision, one.rules, one.message) for one in found if one.kind != "unused-fact"]


def test_a_gap_names_a_case() -> None:
    assert problems(decision("x", rule("x/a", 1, storage__platform=["anf", "ontap", "azure-files"]))) == [
        ("gap", "x", (), "x: no rule holds, where storage.platform is knfsd"),
    ]


def test_a_conflict_names_both_rules_and_a_case() -> None:
    assert problems(
        decision(
            "x",
            rule("x/default", 0),
            rule("x/a", 1, "platform", storage__platform=["anf", "ontap"]),
            rule("x/b", 2, "platform", storage__platform=["ontap", "knfsd"], client__count=">4"),
        )
    ) == [
        (
            "conflict",
            "x",
            ("x/a", "x/b"),
            "x: x/a gives 1 and x/b gives 2, where storage.platform is ontap and client.count is at least 5",
        )
    ]


def test_a_stronger_rule_may_settle_a_conflict() -> None:
    assert problems(
        decision(
            "x",
            rule("x/a", 1),
            rule("x/b", 2, storage__platform="anf"),
            rule("x/c", 3, "platform", storage__platform="anf"),
        )
    )[0][:3] == ("masked", "x", ("x/b", "x/c"))


def test_equal_values_and_overrides_are_no_conflict() -> None:
    assert problems(decision("x", rule("x/a", 1), rule("x/b", 1, storage__platform="anf"))) == []
    assert problems(decision("x", rule("x/a", 1), rule("x/b", 2, storage__platform="anf", overrides=("x/a",)))) == []


def test_different_values_in_one_case_are_a_conflict_of_each_pair() -> None:
    rules = rule("x/a", 1), rule("x/b", 1, storage__platform="anf")
    assert [one[0] for one in problems(decision("x", *rules, rule("x/c", 2, client__count=1)))] == ["conflict"] * 2


def test_collect_has_neither_gaps_nor_conflicts() -> None:
    rules = rule("x/a", 1, client__count=">4"), rule("x/b", 2, storage__platform="anf")
    assert problems(decision("x", *rules, hit="collect")) == []


def test_rules_that_cannot_win_name_those_that_beat_them() -> None:
    found = problems(
        decision(
            "x",
            rule("x/weak", 1),
            rule("x/a", 2, "platform", client__count=">4"),
            rule("x/b", 3, "platform", client__count="<=4"),
            rule("x/c", 4, "measured", client__count=7),
        )
    )
    assert found == [("dead", "x", ("x/weak", "x/c", "x/a", "x/b"), found[0][3])]
    assert found[0][3] == "x: x/weak is always beaten, by x/c, x/a, x/b, whatever is known"


def test_conditions_that_can_never_hold() -> None:
    impossible = {"storage.platform": "anf", "storage.endpoint": "public"}
    assert problems(
        decision("x", rule("x/a", 1), {**rule("x/b", 2, "platform"), "when": impossible}),
        conditions={"check:x": impossible},
        constraints=[{"id": "nothing", "never": {"all": [{"mount.vers": "3"}, {"mount.vers": "4.1"}]}}],
    ) == [
        ("unsatisfiable", "x", ("x/b",), "x: the condition of x/b can never hold"),
        ("unsatisfiable", "check:x", (), "condition check:x can never hold"),
        ("unsatisfiable", "nothing", (), "constraint nothing forbids nothing"),
    ]


def test_decisions_in_a_circle() -> None:
    found = problems(
        decision("mount.vers", rule("v/a", "3", mount__nconnect=">4"), rule("v/b", "omit", mount__nconnect="<=4")),
        decision(
            "mount.nconnect", rule("n/a", 1, mount__vers="3"), rule("n/b", "omit", mount__vers=["4.0", "4.1", "4.2"])
        ),
    )
    assert found == [
        ("cycle", "mount.nconnect", (),
         "decisions depend on each other: mount.nconnect -> mount.vers -> mount.nconnect")
    ]


def test_facts_that_nothing_reads() -> None:
    base = build(
        data(
            decision(
                "x",
                rule("x/a", "2 * client.count", client__has_nconnect=True),
                rule("x/b", 1, client__has_nconnect=False),
            ),
            conditions={"c": {"storage.endpoint": "public"}},
            facts=[*FACTS, {"id": "alone", "type": "bool"}],
        )
    )
    assert [one.decision for one in verify(base) if one.kind == "unused-fact"] == [
        "mount.vers",
        "mount.nconnect",
        "alone",
    ]


def test_what_is_too_big_is_reported_and_the_rest_is_still_checked() -> None:
    holes = [f"h{number}" for number in range(9)]
    facts = [{"id": f"pigeon{number}", "type": "enum", "values": holes} for number in range(10)]
    rules = [
        rule(f"x/{one}-{other}-{hole}", 1, **{f"pigeon{one}": hole, f"pigeon{other}": hole})
        for one in range(10)
        for other in range(one)
        for hole in holes
    ]
    base = build({**data(decision("x", *rules), decision("y", rule("y/a", 1, pigeon1="h1"))), "facts": facts})
    assert [(one.kind, one.decision) for one in verify(base)] == [("too-big", "x"), ("gap", "y")]

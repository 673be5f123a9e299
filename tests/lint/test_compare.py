"""A setting against the outcomes of a decision (design.md §5), with rules made up for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.lint.compare import Open, absence_matters, backing, compare
from advisor.lint.drafts import Draft, Found

NAME = "mount.nconnect"
OPTION: dict[str, Any] = {
    "id": NAME, "kind": "mount-option", "title": "Connections", "default": 1, "unit": "connections",
    "forms": [{"spelling": "nconnect", "takes": "value"}],
}
FIELD: dict[str, Any] = {"id": "fstab.passno", "kind": "fstab-field", "title": "Order of checks", "default": 0}
LAYERS = {"default": 0, "workload": 1, "platform": 2}


def rule(value: Any, strength: str = "should", layer: str = "default", **more: Any) -> dict[str, Any]:
    return {"value": value, "strength": strength, "layer": layer, "why": f"why {value}", "cites": ["a.b"], **more}


def judge(
    written: Any, *rules: dict[str, Any], tunable: dict[str, Any] = OPTION, spread: list[Any] | None = None,
    implied: bool = False, certain: str = "",
) -> tuple[list[Draft], list[Open]]:
    """One setting (None: not written) where `rules` may all still win; of those only `certain` holds for certain."""
    name = tunable["id"]
    decision = {"rules": {f"r/{n}": {"id": f"r/{n}", **told} for n, told in enumerate(rules)}}
    base = SimpleNamespace(
        line_decisions=[(name, decision, absence_matters(tunable, decision))],
        tunables={name: tunable}, layer_rank=LAYERS,
        backing=lambda _, meanings: backing(decision["rules"], meanings, tunable.get("default")),
    )
    place = "options" if tunable is not FIELD else "passno"
    text = "rw" if written is None else f"nconnect={written}" if tunable is not FIELD else str(written)
    found = {} if written is None else {name: Found(written, place, 0, len(text), text)}
    return compare(
        base, found, text, lambda _: tuple((r["value"], name) for name, r in decision["rules"].items()),
        confidence=lambda *_: "high", certain=lambda told: told["id"] == certain,
        spread={name: spread} if spread else {}, implied={name: 1} if implied else {},
    )


def only(drafts_and_open: tuple[list[Draft], list[Open]]) -> Draft:
    drafts, undecided = drafts_and_open
    assert not undecided
    (draft,) = drafts
    return draft


@pytest.mark.parametrize(
    ("written", "wanted"),
    [(4, 4), ("4", 4), (8, ">=4 <=8"), (16, "keep"), (1, "omit"), (1, "n/a"), (None, "omit"), (None, "n/a"),
     (None, 1), (None, "<=4")],
)
def test_what_supports_the_value_is_no_finding(written: Any, wanted: Any) -> None:
    assert judge(written, rule(wanted)) == ([], [])


@pytest.mark.parametrize(
    ("wanted", "message", "remedy"),
    [
        (4, "nconnect=16 should be nconnect=4", "Write nconnect=4."),
        ("<=8", "nconnect=16 should be at most 8 connections", "Write nconnect=N with N at most 8."),
        ("omit", "nconnect=16 should be left out", "Leave nconnect out."),
    ],
)
def test_what_does_not_is_one(wanted: Any, message: str, remedy: str) -> None:
    draft = only(judge(16, rule(wanted, consequence="performance")))
    assert (draft.rule, draft.severity, draft.message, draft.remedy) == ("r/0", "warning", message, remedy)
    assert (draft.value, draft.expected, draft.consequence) == (16, wanted, "performance")


@pytest.mark.parametrize(
    ("strength", "severity", "word"),
    [("must", "error", "must"), ("should", "warning", "should"), ("may", "note", "could")],
)
def test_the_strength_is_the_severity(strength: str, severity: str, word: str) -> None:
    draft = only(judge(16, rule(4, strength)))
    assert (draft.severity, draft.message) == (severity, f"nconnect=16 {word} be nconnect=4")


def test_what_does_not_apply_is_ignored_when_written() -> None:
    draft = only(judge(16, rule("n/a", strength="may")))
    assert (draft.severity, draft.consequence, draft.safety) == ("note", "ignored", "safe")
    assert draft.message == "nconnect=16 has no effect here"


def test_what_some_outcomes_support_is_left_open() -> None:
    assert judge(16, rule(4), rule("keep")) == ([], [Open(NAME, NAME)])


def test_a_default_written_out_is_no_question() -> None:
    assert judge(1, rule(4), rule("keep")) == ([], [])


def test_a_default_written_out_is_a_finding_once_that_is_settled() -> None:
    assert only(judge(1, rule(4))).message == "nconnect=1 should be nconnect=4"


@pytest.mark.parametrize("strength", ["must", "should"])
def test_a_missing_setting_is_a_finding_when_settled(strength: str) -> None:
    draft = only(judge(None, rule(4, strength)))
    assert (draft.message, draft.remedy, draft.value, draft.safety) == (
        "nconnect=4 is missing", "Add nconnect=4.", None, "unsafe",
    )
    assert [change.text for change in draft.changes] == [",nconnect=4"]


def test_a_missing_setting_outside_a_bound() -> None:
    draft = only(judge(None, rule(">=4")))
    assert draft.message == "nconnect is missing; it should be at least 4 connections"
    assert draft.changes == ()


@pytest.mark.parametrize(
    "rules", [[rule(4, "may")], [rule(4), rule(8)], [rule(4), rule("omit")], [rule(4), rule(4, "may")]]
)
def test_a_missing_setting_is_no_finding_otherwise(rules: list[dict[str, Any]]) -> None:
    assert judge(None, *rules) == ([], [])


def test_a_missing_setting_may_be_negotiated_right() -> None:
    assert judge(None, rule(4), tunable={**OPTION, "default": None}) == ([], [])


def test_what_another_option_sets_is_not_missing() -> None:
    assert judge(None, rule(4), implied=True) == ([], [])


def test_of_several_outcomes_the_weakest_counts() -> None:
    draft = only(judge(16, rule(4, "must", "platform"), rule(4, "should")))
    assert (draft.severity, draft.rule, draft.expected) == ("warning", "r/1", 4)


def test_the_rule_that_assumes_least_has_the_word() -> None:
    draft = only(judge(16, rule(4, "should", "platform"), rule(4, "must", "workload")))
    assert (draft.severity, draft.rule) == ("warning", "r/1")


def test_the_rule_that_certainly_holds_has_the_word() -> None:
    draft = only(judge(16, rule(4, "should"), rule(4, "must", "platform"), certain="r/1"))
    assert (draft.severity, draft.rule) == ("warning", "r/1")


def test_that_the_mount_fails_is_not_said_lightly() -> None:
    draft = only(judge(16, rule(4, "must", consequence="mount-fails"), rule(4, "must", "platform", consequence="hang")))
    assert (draft.severity, draft.rule, draft.consequence) == ("error", "r/1", "hang")


def test_all_values_that_are_possible_are_told() -> None:
    draft = only(judge(16, rule(4), rule("omit")))
    assert (draft.expected, draft.message) == ([4, "omit"], "nconnect=16 should be nconnect=4 or left out")
    assert draft.changes == ()


def test_a_value_that_satisfies_all_outcomes_is_enough() -> None:
    draft = only(judge(16, rule(4), rule("<=8")))
    assert (draft.expected, [change.text for change in draft.changes]) == (4, ["nconnect=4"])


def test_many_values_are_not_listed_in_the_message() -> None:
    draft = only(judge(16, rule(4), rule(8), rule("omit")))
    assert draft.message == "nconnect=16 is not advised here, whatever holds of what is not known"
    assert draft.remedy == "Write nconnect=4 or nconnect=8 or leave nconnect out."


def test_a_value_that_stands_for_several() -> None:
    assert judge("4", rule("4.1"), spread=["4.0", "4.1", "4.2"]) == ([], [])
    assert only(judge("4", rule("3"), spread=["4.0", "4.1", "4.2"])).expected == "3"


def test_a_field_of_the_line() -> None:
    draft = only(judge(2, rule(0, consequence="ignored"), tunable=FIELD))
    assert (draft.message, draft.safety, draft.place) == ("2 (order of checks) should be 0", "safe", "passno")
    assert [change.text for change in draft.changes] == ["0"]


def test_a_field_is_never_asked_about() -> None:
    assert judge(2, rule(0), rule("keep"), tunable=FIELD) == ([], [])


def test_contradicting_facts_say_nothing() -> None:
    assert judge(16) == ([], [])

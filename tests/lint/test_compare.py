"""A setting against the outcomes of a decision, with rules made up for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.records import Setting
from advisor.lint.compare import LineSettings, _ask, _case, compare, finding_of
from advisor.lint.finding import Finding
from advisor.lint.kind_rules import backing
from advisor.lint.rule_index import Alike, RuleIndex, Undecided
from advisor.rulebase import values
from advisor.rulebase.base import load
from advisor.rulebase.compile import absence_matters
from advisor.rulebase.model import Decision, Form, Rule, Tunable
from tests.each import each

NAME = "mount.nconnect"
OPTION = Tunable.from_data({
    "id": NAME, "kind": "mount-option", "title": "Connections", "default": 1, "unit": "connections",
    "forms": [{"spelling": "nconnect", "takes": "value"}],
})
FIELD = Tunable.from_data({"id": "fstab.passno", "kind": "fstab-field", "title": "Order of checks", "default": 0})
LAYERS = {"default": 0, "workload": 1, "platform": 2}


def rule(value: Any, strength: str = "should", layer: str = "default", **more: Any) -> dict[str, Any]:
    return {"value": value, "strength": strength, "layer": layer, "why": f"why {value}", "cites": ["a.b"], **more}


def judge(
    written: Any, *rules: dict[str, Any], tunable: Tunable = OPTION, spread: list[Any] | None = None,
    brought: str = "", certain: str = "", field: str = "", unable: tuple[Any, ...] = (),
) -> tuple[list[Finding], list[Undecided]]:
    """One setting (None: not written) where `rules` may all still win; of those only `certain` holds for certain.

    `brought`: the place from which another word brings the number 1. `unable`: values that may be right for a client
    that does not know the option."""
    name = tunable.id
    decision = Decision.from_data({"rules": {f"r/{n}": {"id": f"r/{n}", **told} for n, told in enumerate(rules)}})
    index = SimpleNamespace(
        rules=SimpleNamespace(
            decided=[(name, absence_matters(tunable, decision))], layer_rank=LAYERS,
            backing=lambda _, meanings: backing(decision.rules, meanings, tunable.default),
        ),
        rulebase=SimpleNamespace(decisions={name: decision}),
        tunables={name: tunable, "fstab.type": Tunable.from_data({"values": ["nfs", "nfs4"]})},
    )
    outcomes = tuple((r.value, name) for name, r in decision.rules.items())
    known = SimpleNamespace(
        index=index, outcomes=lambda _: (*outcomes, *((value, "other") for value in unable)),
        outcomes_in_use=lambda _: outcomes, may_be_left_out=lambda _: False,
        deciding=lambda _: ("storage.tier", "client.count"), is_certain=lambda told: told.id == certain,
        confidence=lambda *_: "high",
    )
    place = field or ("options" if tunable is not FIELD else "passno")
    text = "rw" if written is None else f"nconnect={written}" if tunable is not FIELD else str(written)
    line = LineSettings(
        {} if written is None else {name: Setting(written, place, 0, len(text), text)}, text,
        {name: Setting(1, brought, 0, 4, "nfs4")} if brought else {}, {name: spread} if spread else {},
    )
    mismatches, undecided = compare(known, line, Alike())
    return [finding_of(mismatch, text) for mismatch in mismatches], undecided


def texts(finding: Finding) -> list[str]:
    """What a fix writes."""
    return [edit.text for edit in finding.fix.edits] if finding.fix else []


def only(drafts_and_open: tuple[list[Finding], list[Undecided]]) -> Finding:
    findings, undecided = drafts_and_open
    assert not undecided
    (finding,) = findings
    return finding


@each(lambda: [(4, 4), ("4", 4), (8, ">=4 <=8"), (16, "keep"), (1, "omit"), (1, "n/a"), (None, "omit"), (None, "n/a"),
 (None, 1), (None, "<=4")])
def test_what_supports_the_value_is_no_finding(written: Any, wanted: Any) -> None:
    assert judge(written, rule(wanted)) == ([], [])


@pytest.mark.parametrize(
    ("wanted", "message", "remedy"),
    [
        (4, "nconnect=16 can cost speed; use nconnect=4", "Write nconnect=4."),
        ("<=8", "nconnect=16 can cost speed; use at most 8 connections", "Write nconnect=8 or less."),
        (
            ">=2 <=4", "nconnect=16 can cost speed; use between 2 and 4 connections",
            "Write nconnect=4, or another number between 2 and 4.",
        ),
        ("omit", "nconnect=16 can cost speed; remove it", "Leave nconnect out."),
    ],
)
def test_what_does_not_is_one(wanted: Any, message: str, remedy: str) -> None:
    finding = only(judge(16, rule(wanted, consequence="performance")))
    assert (finding.rule, finding.severity, finding.message, finding.remedy) == ("r/0", "warning", message, remedy)
    assert (finding.value, finding.expected, finding.consequence) == (16, wanted, "performance")


@pytest.mark.parametrize(
    ("strength", "severity"), [("must", "error"), ("should", "warning"), ("may", "note")],
)
def test_the_strength_is_the_severity(strength: str, severity: str) -> None:
    finding = only(judge(16, rule(4, strength)))
    assert (finding.severity, finding.message) == (severity, "nconnect=16 can cost speed; use nconnect=4")


def test_what_does_not_apply_is_ignored_when_written() -> None:
    finding = only(judge(16, rule("n/a", strength="may")))
    assert (finding.severity, finding.consequence, finding.fix.safety) == ("note", "ignored", "safe")
    assert finding.message == "nconnect=16 has no effect here"


def test_what_some_outcomes_support_is_left_open() -> None:
    assert judge(16, rule(4), rule("keep")) == ([], [Undecided(NAME, NAME)])


def test_a_default_written_out_is_no_question() -> None:
    assert judge(1, rule(4), rule("keep")) == ([], [])


def test_a_default_written_out_is_a_finding_once_that_is_settled() -> None:
    assert only(judge(1, rule(4))).message == "nconnect=1 can cost speed; use nconnect=4"


@pytest.mark.parametrize("strength", ["must", "should"])
def test_a_missing_setting_is_a_finding_when_settled(strength: str) -> None:
    finding = only(judge(None, rule(4, strength)))
    assert (finding.message, finding.remedy, finding.value, finding.fix.safety) == (
        "nconnect=4 is missing", "Add nconnect=4.", None, "unsafe",
    )
    assert texts(finding) == [",nconnect=4"]
    assert (finding.field, finding.column, finding.end_column) == ("options", 1, 1), "nothing of the field is marked"


def test_a_missing_setting_outside_a_bound() -> None:
    finding = only(judge(None, rule(">=4")))
    assert (finding.message, finding.remedy) == (
        "nconnect is missing; it should be at least 4 connections", "Add nconnect=4.",
    )
    assert texts(finding) == [",nconnect=4"]


@pytest.mark.parametrize(
    "rules", [[rule(4, "may")], [rule(4), rule(8)], [rule(4), rule("omit")], [rule(4), rule(4, "may")]]
)
def test_a_missing_setting_is_no_finding_otherwise(rules: list[dict[str, Any]]) -> None:
    assert judge(None, *rules) == ([], [])


def test_a_missing_setting_may_be_negotiated_right() -> None:
    assert judge(None, rule(4), tunable=OPTION.replace(default=None)) == ([], [])


def test_what_another_option_sets_is_not_missing() -> None:
    assert judge(None, rule(4), brought="options") == ([], [])


def test_what_the_type_stands_for_and_must_not_be_is_the_types_finding() -> None:
    finding = only(judge(None, rule(4, "must", consequence="mount-fails"), brought="fstype"))
    assert (finding.severity, finding.field) == ("error", "fstype")
    assert (finding.tunable, finding.value, finding.expected) == (NAME, 1, 4)
    assert finding.message == "the type nfs4 must be nfs, with nconnect=4"
    assert finding.remedy == "Write the type nfs, and add nconnect=4 to the options."
    assert texts(finding) == ["nfs", ",nconnect=4"]


@pytest.mark.parametrize(
    "rules", [[rule(4)], [rule(4, "must"), rule(1, "must")], [rule("<=8", "must")], [rule(1, "must")]]
)
def test_what_the_type_stands_for_is_otherwise_left_alone(rules: list[dict[str, Any]]) -> None:
    assert judge(None, *rules, brought="fstype") == ([], [])


def test_of_several_outcomes_the_weakest_counts() -> None:
    finding = only(judge(16, rule(4, "must", "platform"), rule(4, "should")))
    assert (finding.severity, finding.rule, finding.expected) == ("warning", "r/1", 4)


def test_the_rule_that_assumes_least_has_the_word() -> None:
    finding = only(judge(16, rule(4, "should", "platform"), rule(4, "must", "workload")))
    assert (finding.severity, finding.rule) == ("warning", "r/1")


def test_the_rule_that_certainly_holds_has_the_word() -> None:
    finding = only(judge(16, rule(4, "should"), rule(4, "must", "platform"), certain="r/1"))
    assert (finding.severity, finding.rule) == ("warning", "r/1")


def test_that_the_mount_fails_is_not_said_lightly() -> None:
    fails, hangs = rule(4, "must", consequence="mount-fails"), rule(4, "must", "platform", consequence="hang")
    finding = only(judge(16, fails, hangs))
    assert (finding.severity, finding.rule, finding.consequence) == ("error", "r/1", "hang")


@pytest.mark.parametrize(("wanted", "unable", "texts_of_fix"), [
    (4, (), ["nconnect=4"]), (4, ("omit",), []), (4, (2,), []), ("omit", ("omit",), ["defaults"]),
    ("omit", ("n/a",), ["defaults"]), ("omit", (2,), []),
])  # fmt: skip
def test_a_fix_is_right_too_for_a_client_that_does_not_know_the_option(
    wanted: Any, unable: tuple[Any, ...], texts_of_fix: list[str]
) -> None:
    assert texts(only(judge(16, rule(wanted), unable=unable))) == texts_of_fix


@pytest.mark.parametrize(("spread", "asked"), [([1, 1], False), ([1, 4], True), ([4, 8], True)])
def test_only_a_choice_that_differs_from_the_default_is_a_question(spread: list[Any], asked: bool) -> None:
    """A value that stands for several is the default only if all of them are."""
    _, undecided = judge("x", rule(16), rule("keep"), spread=spread)
    assert bool(undecided) is asked


@pytest.mark.parametrize(("field", "asked"), [("options", True), ("fstype", False)])
def test_only_an_option_is_a_question(field: str, asked: bool) -> None:
    _, undecided = judge(16, rule(4), rule("keep"), field=field)
    assert bool(undecided) is asked


def test_where_no_value_is_certain_the_fact_is_named_that_decides() -> None:
    finding = only(judge(16, rule(4), rule("omit")))
    assert (finding.expected, finding.fix, finding.depends_on) == ("<=4", None, ("storage.tier", "client.count"))
    use = "nconnect=16 can cost speed; use at most 4 connections"
    assert finding.message == f"{use}; the right value depends on storage.tier"
    assert finding.remedy == "Give --set storage.tier=… and --set client.count=… to get the right value."
    assert finding.why == "nconnect=16 fits none of the cases that are still possible."


def test_between_the_values_that_are_possible() -> None:
    finding = only(judge(4, rule(2), rule(8)))
    assert (finding.expected, finding.fix) == ([2, 8], None)
    assert finding.message == "nconnect=4 is not right here; the right value depends on storage.tier"


def test_the_bound_that_holds_anyway_is_met_and_no_more() -> None:
    finding = only(judge(16, rule(4), rule("<=8")))
    assert (finding.expected, finding.remedy) == ("<=8", "Write nconnect=8 or less.")
    assert texts(finding) == ["nconnect=8"]
    assert finding.rule == "r/1"


def test_what_may_be_left_out_anyway_is_left_out() -> None:
    finding = only(judge(16, rule("<=8"), rule("omit")))
    assert (finding.expected, finding.remedy) == ("<=8", "Leave nconnect out.")
    assert texts(finding) == ["defaults"]


def test_a_rule_that_may_not_hold_does_not_say_why() -> None:
    finding = only(judge(16, rule(4), rule("<=8"), certain="r/1"))
    assert finding.why == "why <=8"
    assert only(judge(16, rule(4), rule("<=8"), certain="r/0")).why != "why 4"


def test_a_flag_that_is_the_default_is_reached_by_leaving_the_other_word_out() -> None:
    flag = OPTION.replace(type="flag", default=False, forms=[Form(spelling="nconnect", means=True)])
    finding = only(judge(True, rule(False), tunable=flag))
    assert (finding.message, finding.remedy) == ("nconnect=True can cost speed; remove it", "Leave nconnect out.")
    assert texts(finding) == ["defaults"]


def test_a_value_that_does_more_meets_what_asks_for_less() -> None:
    flavours = OPTION.replace(default=None, meets={"krb5p": ["krb5i", "krb5"]})
    assert judge("krb5p", rule("krb5"), tunable=flavours) == ([], [])
    assert only(judge("krb5", rule("krb5p"), tunable=flavours)).expected == "krb5p"


def test_what_is_as_good_is_left_alone() -> None:
    asked = rule(4, as_good=["~ 1[0-2]", 2])
    for written in (4, 2, 10, 12):
        assert judge(written, asked) == ([], [])
    assert [only(judge(written, asked)).expected for written in (1, 3, 13)] == [4, 4, 4]


NUMBERS = st.integers(1, 16)
WANTED = st.one_of(
    NUMBERS, NUMBERS.map("<={}".format), NUMBERS.map(">={}".format), NUMBERS.map("<{}".format), st.just("omit"),
    st.just("n/a"), st.tuples(NUMBERS, NUMBERS).map(lambda ends: ">={} <={}".format(*sorted(ends))),
)


@given(NUMBERS, st.lists(WANTED, min_size=1, max_size=4))
def test_nothing_is_written_that_an_open_fact_decides(written: int, wanted: list[Any]) -> None:
    findings, _ = judge(written, *map(rule, wanted))
    for finding in findings:
        for change in finding.fix.edits if finding.fix else ():
            left_out = change.text == "defaults"
            number = 1 if left_out else int(change.text.removeprefix("nconnect="))
            for value in wanted:
                right = values.absence_supports(value, 1) if left_out else values.supports(number, value, 1)
                assert right or (values.is_bound(finding.expected) and values.implies(value, finding.expected, 1))
            assert left_out or values.supports(number, finding.expected, 1)
            assert left_out or not values.is_bound(finding.expected) or not any(
                values.inside(nearer, finding.expected) and abs(nearer - written) < abs(number - written)
                for nearer in range(1, 17)
            ), "there is a smaller change"
            assert not [d for d in judge(1 if left_out else number, *map(rule, wanted))[0] if d.fix], "told again"


@given(NUMBERS, st.lists(WANTED, min_size=1, max_size=4))
def test_no_message_offers_a_choice(written: int, wanted: list[Any]) -> None:
    for finding in judge(written, *map(rule, wanted))[0]:
        assert " or " not in finding.message


def test_a_value_that_stands_for_several() -> None:
    assert judge("4", rule("4.1"), spread=["4.0", "4.1", "4.2"]) == ([], [])
    assert only(judge("4", rule("3"), spread=["4.0", "4.1", "4.2"])).expected == "3"


def test_a_field_of_the_line() -> None:
    finding = only(judge(2, rule(0, consequence="ignored"), tunable=FIELD))
    assert (finding.message, finding.severity) == ("passno 2 has no effect here", "note")
    assert (finding.fix.safety, finding.field, finding.remedy) == ("safe", "passno", "Write 0.")
    assert texts(finding) == ["0"]


def test_a_field_is_never_asked_about() -> None:
    assert judge(2, rule(0), rule("keep"), tunable=FIELD) == ([], [])


def test_contradicting_facts_say_nothing() -> None:
    assert judge(16) == ([], [])


def test_a_formula_over_facts_that_are_not_weighed_contradicts_nothing() -> None:
    written = {"wide": "max(8, 2 * network.speed_gbps / 100)", "narrow": 4, "none": "n/a"}
    rules = {name: Rule.from_data({"value": value}) for name, value in written.items()}
    assert backing(rules, [8], None) == {"wide": True, "narrow": False, "none": False}


def test_a_setting_in_use_has_passed_its_gate_and_no_other_rule() -> None:
    index = RuleIndex(load(), {"client.kernel": "4.4"})
    reached, passed = (dict(map(reversed, outcomes)) for outcomes in (
        index.reach("mount.nconnect", index.state), index.passing("mount.nconnect", index.state),
    ))
    assert reached["nconnect/unknown-to-client"] == "omit"
    assert reached.keys() - passed.keys() == {"nconnect/unknown-to-client"}
    assert passed["nconnect/aws-efs"] == "omit", "no gate says so"


@pytest.mark.parametrize(("outcomes", "sure", "certain"), [
    ("a", "", "a"), ("a", "a", "a"), ("ab", "", ""), ("ab", "b", "b"),
])
def test_the_only_outcome_is_certain_and_of_several_those_that_hold(outcomes: str, sure: str, certain: str) -> None:
    decision = Decision.from_data({"rules": {one: {"id": one, **rule(8)} for one in "ab"}})
    known: Any = SimpleNamespace(
        index=SimpleNamespace(rulebase=SimpleNamespace(decisions={NAME: decision}), tunables={NAME: OPTION},
                              rules=SimpleNamespace(layer_rank=LAYERS)),
        confidence=lambda *_: "high", is_certain=lambda told: told.id in sure,
    )
    assert _case(known, NAME, tuple((8, one) for one in outcomes)).certain == frozenset(certain)


@pytest.mark.parametrize(("outcomes", "passed"), [
    ((("omit", "gate"), ("omit", "other"), (8, "other")), (("omit", "other"), (8, "other"))),
    ((("n/a", "gate"), (8, "gate"), ("omit", "gate")), (("n/a", "gate"), (8, "gate"))),
    ((("omit", "gate"),), (("omit", "gate"),)),  # nothing else is left
])
def test_what_a_setting_in_use_has_passed(outcomes: Any, passed: Any) -> None:
    layers = {"gate": "gate", "other": "default"}
    index: Any = SimpleNamespace(
        able=lambda decision, state: {**state, "able": 1}, _key=lambda decision, state: (decision, *state),
        reach=lambda decision, state: outcomes if "able" in state else (), _outcomes={},
        rules=SimpleNamespace(layer=lambda decision, told: layers[told]),
    )
    assert RuleIndex.passing(index, NAME, {}) == RuleIndex.passing(index, NAME, {}) == passed


def test_without_a_fact_to_give_the_vendor_knows_the_value() -> None:
    def asked(*facts: str) -> str:
        case: Any = SimpleNamespace(unknown=facts)
        return _ask(case)

    assert asked() == "Write the value that the storage vendor recommends."
    assert asked("a.b") == "Give --set a.b=… to get the right value."
    assert asked("a", "b", "c") == "Give --set a=… and --set b=… to get the right value."

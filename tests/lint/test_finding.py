"""The one builder of findings: its words, its place, and what takes precedence over what a rule says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.files.records import Setting, Span
from advisor.lint.compare import CertainHere, KnownHere
from advisor.lint.finding import SEVERITIES, Finding, Fix, at_least, fill, report
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.base import load
from advisor.rulebase.model import Check, Rule

SOFT = Setting("soft", "options", 3, 7, "soft")
RULE = Rule.from_data({"id": "hard/x", "value": "hard", "strength": "must", "why": "Because.", "cites": ["a.b"]})


def check(**more: Any) -> Check:
    return Check.from_data({
        "check": "some-check", "on": {"mount.hard": "soft"}, "strength": "may", "consequence": "hang",
        "message": "{option} is {value}, not {expected}", "why": "Of {option}.", "remedy": "Do {value}.",
        "cites": ["a.b", "a.c"], **more,
    })


def test_a_check_words_its_finding() -> None:
    told = check(message="{option} is {value}, not {expected}, on {day}", why="On {day}.")
    finding = report(told, SOFT, tunable="mount.hard", value="soft", expected="hard", figures={"day": "Monday"})
    assert (finding.rule, finding.severity, finding.consequence, finding.confidence) == (
        "some-check", "note", "hang", "high",
    )
    assert (finding.message, finding.why, finding.remedy) == (
        "soft is soft, not hard, on Monday", "On Monday.", "Do soft.",
    )
    assert (finding.cites, finding.policy, finding.fix) == (("a.b", "a.c"), False, None)
    assert fill("Do {nothing}.", {}) == "Do ?."


def test_a_setting_is_a_place_in_its_field_and_a_span_one_in_the_file() -> None:
    finding = report(check(), SOFT)
    assert (finding.file, finding.line, finding.column, finding.end_column, finding.field) == ("", 0, 4, 8, "options")
    finding = report(check(), Span(7, 2, 5), option="x")
    assert (finding.line, finding.column, finding.end_column, finding.field) == (7, 2, 5, "")
    assert finding.message.startswith("x is None")


def test_what_is_given_takes_precedence() -> None:
    fix = Fix("safe", ())
    finding = report(
        check(), SOFT, severity="error", consequence="boot", confidence="medium", message="m", why="w", remedy="r",
        cites=(), fix=fix, depends_on=("a.fact",),
    )
    assert (finding.severity, finding.consequence, finding.confidence) == ("error", "boot", "medium")
    assert (finding.message, finding.why, finding.remedy, finding.cites) == ("m", "w", "r", ())
    assert (finding.fix, finding.depends_on) == (fix, ("a.fact",))
    assert report(check(), SOFT, value="soft", figures={"value": "a word"}).message.startswith("soft is a word")


@pytest.mark.parametrize(("more", "policy"), [({}, False), ({"policy": True}, True), ({"profiles": ["cis"]}, True)])
def test_policy_and_profiles_are_policy(more: dict[str, Any], policy: bool) -> None:
    assert report(check(**more), SOFT).policy is policy


def test_a_rule_says_why_and_nothing_else() -> None:
    finding = report(RULE, SOFT, message="m", remedy="r")
    assert (finding.rule, finding.severity, finding.consequence) == ("hard/x", "error", "performance")
    assert (finding.why, finding.cites, finding.policy) == ("Because.", ("a.b",), False)
    assert report(RULE.replace(strength=None), SOFT).severity == "note"


def test_an_erratum_is_told_by_its_title_and_symptom() -> None:
    erratum = next(one for one in load().errata.values() if one.workaround)
    finding = report(erratum, SOFT)
    assert (finding.rule, finding.message) == (erratum.erratum, f"{erratum.title}: {erratum.symptom}")
    assert (finding.remedy, finding.why) == (erratum.workaround, erratum.why)
    assert report(erratum, SOFT, remedy="r").remedy == "r"


def test_a_result_places_what_it_is_given() -> None:
    result = Result("a.conf", "one\ntwo\n", RuleIndex(load(), {}))
    result.add((report(check(), Span(2, 1, 4)),))
    assert [(f.file, f.line, f.column) for f in result.findings] == [("a.conf", 2, 1)]


def test_a_check_that_is_left_out_reports_nothing() -> None:
    index = RuleIndex(load(), {})
    (finding,) = index.report("internal", Span(1, 1, 1), words="x")
    assert isinstance(finding, Finding)
    assert index.report("no-such-check", Span(1, 1, 1)) == ()
    by_rule = next(slug for slug, told in load().checks.items() if not told.builtin)
    assert index.report(by_rule, Span(1, 1, 1)) == (), "a check of the rule base is not made in Python"


def known(inferred: frozenset[str]) -> KnownHere:
    """What is known where fact "a" leads to another outcome and another verdict."""
    index: Any = SimpleNamespace(
        reach=lambda _, state: (("x" if "a" in state else "y", "r"),), holds=lambda _, state: "a" in state,
    )
    return KnownHere(index, {"a": 1, "b": 1}, inferred)


@pytest.mark.parametrize(("inferred", "sure"), [((), "high"), (("b",), "high"), (("a",), "medium")])
def test_what_rests_on_an_inferred_fact_is_less_sure(inferred: tuple[str, ...], sure: str) -> None:
    here = known(frozenset(inferred))
    assert here.confidence("d", (("x", "r"),)) == sure
    assert here.confidence_in("c") == sure


@pytest.mark.parametrize(("written", "kept"), [
    (4, ["sure", "perhaps"]), (None, ["sure", "perhaps"]), (8, ["sure", "perhaps"]), (16, ["sure"]),
])  # fmt: skip
def test_of_settings_that_no_outcome_supports_only_certain_rules_speak(written: int | None, kept: list[str]) -> None:
    rules = {name: SimpleNamespace(when=name) for name in ("sure", "perhaps")}
    index: Any = SimpleNamespace(
        reach=lambda *_: ((4, "sure"), (8, "perhaps")), tunables={"d": SimpleNamespace(default=1)},
        verdict=lambda when, _: True if when == "sure" else None,
        rulebase=SimpleNamespace(decisions={"d": SimpleNamespace(rules=rules)}),
    )
    settings = {} if written is None else {"d": Setting(written, "value", 0, 0, "")}
    here = CertainHere(index, {}, settings, lambda _: {})
    assert [rule for _, rule in here.outcomes("d")] == kept
    assert here.outcomes_in_use("d") == here.outcomes("d")
    assert (here.may_be_left_out("d"), here.deciding("d")) == (False, ())


def test_severities_are_compared_in_their_order() -> None:
    assert SEVERITIES == ("note", "warning", "error")
    assert [at_least("warning", each) for each in SEVERITIES] == [True, True, False]
    assert [at_least(each, "warning") for each in SEVERITIES] == [False, True, True]

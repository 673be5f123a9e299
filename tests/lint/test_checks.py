"""Checks on one line: what must stand there is certain, what must hold besides may be open."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.files.patterns import matches
from advisor.files.records import Setting
from advisor.lint.checks import _listed, _removed, check_line, fix_edits, moot
from advisor.lint.compare import LineSettings
from advisor.lint.finding import Finding, apply
from advisor.lint.rule_index import Alike, Undecided
from advisor.rulebase.compile import outline
from advisor.rulebase.model import Check, CheckOutline, FixTemplate, Tunable
from tests.each import each

SOFT = Setting("soft", "options", 0, 4, "soft")
RSIZE = Setting(8192, "options", 5, 15, "rsize=8192")
TYPE = Setting("nfs", "fstype", 0, 3, "nfs")
TUNABLES = {name: Tunable.from_data(told) for name, told in {
    "mount.hard": {
        "id": "mount.hard", "kind": "mount-option",
        "forms": [{"spelling": "hard", "means": "hard"}, {"spelling": "soft", "means": "soft"}],
    },
    "mount.rsize": {"id": "mount.rsize", "kind": "mount-option", "forms": [{"spelling": "rsize", "takes": "value"}]},
    "mount.retrans": {"id": "mount.retrans", "kind": "mount-option", "default": 2},
    "mount.wsize": {"id": "mount.wsize", "kind": "mount-option"},
}.items()}


def check(**more: Any) -> Check:
    return Check.from_data({
        "check": "some-check", "on": {"mount.hard": "soft"}, "strength": "should", "consequence": "data-loss",
        "message": "{option} is {value}", "why": "Because.", "remedy": "Do.", "cites": ["a.b"], **more,
    })


def knowledge(told: Check, holds: Callable[[str], bool | None], **known: int) -> SimpleNamespace:
    """What `check_line` asks of what is known, with one check and these facts."""
    row = outline(told, ["mount-option"])[1]
    index = SimpleNamespace(
        rules=SimpleNamespace(checks_of=lambda present: [
            one for one in [CheckOutline(row)] if present.keys() >= one.needed and present.keys().isdisjoint(one.absent)
        ]), tunables=TUNABLES, known=known,
        rulebase=SimpleNamespace(checks={told.check: told}),
    )
    return SimpleNamespace(index=index, holds=holds, confidence_in=lambda name: f"{name} {holds(name)}")


def run(told: Check, verdict: bool | None = True) -> tuple[list[Finding], list[Undecided]]:
    settings = {"mount.hard": SOFT, "mount.rsize": RSIZE, "fstab.type": TYPE}
    known = knowledge(told, lambda _: verdict, **{"client.count": 30})
    return check_line(known, LineSettings(settings, "soft,rsize=8192"), Alike())


@each(lambda: [
    ("soft", SOFT, True), ("hard", SOFT, False), (["soft", "softerr"], SOFT, True), ("present", SOFT, True),
    ("absent", SOFT, False), ("absent", None, True), ("present", None, False), ("soft", None, False),
    (["absent", "hard"], None, True), (["absent", "hard"], SOFT, False), ("<16384", RSIZE, True),
    (">0 <8192", RSIZE, False), ("<16384", SOFT, False), ("<16384", None, False), (8192, RSIZE, True),
])
def test_patterns(pattern: Any, found: Setting | None, answer: bool) -> None:
    assert matches(pattern, found) is answer


@each(lambda: [
    ("", ""), ("soft", "soft"), ("rsize=8192", "rsize"), ("b=1 a", "b and a"), ("c b a=2", "c, b and a"),
])
def test_options_are_listed_in_the_order_of_the_line(line: str, listed: str) -> None:
    options = [Setting(None, "options", start, start + 1, text) for start, text in enumerate(line.split())]
    assert _listed(options[::-1]) == listed


@each(lambda: [
    ({}, False), ({"mount.ro": SOFT}, True), ({"mount.ro": SOFT, "mount.rsize": RSIZE}, False),
])
def test_what_makes_no_difference_on_a_line(settings: dict[str, Setting], is_moot: bool) -> None:
    """Where all settings beside it are as told."""
    told = {"mount.sync": {"mount.ro": "present", "mount.rsize": "absent"}}
    index: Any = SimpleNamespace(rules=SimpleNamespace(moot=told))
    assert moot(index, settings) == ({"mount.sync"} if is_moot else set())


def test_a_check_without_a_condition_is_certain() -> None:
    (finding,), undecided = run(check(), verdict=None)
    assert not undecided
    assert (finding.rule, finding.severity, finding.message, finding.confidence) == (
        "some-check", "warning", "soft is soft", "high",
    )
    assert (finding.field, finding.column, finding.end_column, finding.tunable) == ("options", 1, 5, "mount.hard")


def test_all_settings_must_fit() -> None:
    assert run(check(on={"mount.hard": "soft", "mount.rsize": "absent"})) == ([], [])
    assert run(check(on={"mount.hard": "soft", "mount.sync": "present"})) == ([], [])


def test_a_condition_that_fails_silences_the_check() -> None:
    assert run(check(when={"some.fact": True}), verdict=False) == ([], [])


def test_a_condition_that_holds_is_as_sure_as_it_is() -> None:
    (finding,), _ = run(check(when={"some.fact": True}), verdict=True)
    assert finding.confidence == "check:some-check True"


def test_an_open_condition_is_a_question() -> None:
    assert run(check(when={"some.fact": True}), verdict=None) == ([], [Undecided("mount.hard", "check:some-check")])


def test_an_open_condition_is_a_question_where_the_figures_are_in_their_range() -> None:
    figures = {"a": {"formula": "client.count", "range": "<=30"}}
    assert run(check(when={"some.fact": True}, figures=figures), verdict=None)[1]


@pytest.mark.parametrize(
    "told",
    [
        {"at": "fstab.type"},
        {"on": {"mount.sync": "absent"}},
        {"policy": True},
        {"figures": {"a": {"formula": "client.count", "range": "<30"}}},
    ],
    ids=["points at a field", "points at nothing", "policy", "figures out of their range"],
)
def test_an_open_condition_is_no_question(told: dict[str, Any]) -> None:
    assert run(check(when={"some.fact": True}, **told), verdict=None) == ([], [])


def test_the_place_can_be_another_setting() -> None:
    (finding,), _ = run(check(at="mount.rsize"))
    assert (finding.tunable, finding.column, finding.message) == ("mount.rsize", 6, "rsize=8192 is 8192")


def test_fixes() -> None:
    (finding,), _ = run(check(fix={"safety": "unsafe", "remove": ["mount.rsize"], "set": {"mount.hard": "hard"}}))
    assert finding.fix is not None
    assert finding.fix.safety == "unsafe"
    assert finding.fix.edits[0].column == 1
    assert apply("soft,rsize=8192", finding.fix.edits) == "hard"


@each(lambda: [
    ({"mount.rsize": 8192}, 0), ({"mount.rsize": 4096}, 1), ({"no.such": 1}, 0), ({"fstab.type": "nfs4"}, 1),
])
def test_a_fix_changes_what_is_otherwise(wanted: dict[str, Any], edits: int) -> None:
    index: Any = SimpleNamespace(tunables=TUNABLES)
    line = LineSettings({"mount.hard": SOFT, "mount.rsize": RSIZE, "fstab.type": TYPE}, "soft,rsize=8192")
    assert len(fix_edits(index, FixTemplate.from_data({"set": wanted}), line)) == edits


def test_a_check_without_a_fix_offers_none() -> None:
    (finding,), _ = run(check())
    assert finding.fix is None


def figured(**figure: Any) -> Check:
    told = {"formula": "mount.rsize / 1024 * (mount.retrans + 1)", "unit": "deciseconds", **figure}
    return check(figures={"wait": told}, message="{option} takes {wait}")


def test_a_figure_is_worked_out_from_what_is_written_and_from_defaults() -> None:
    (finding,), _ = run(figured())
    assert finding.message == "soft takes 2.4 s"


@pytest.mark.parametrize(("bound", "found"), [("<25", True), ("<24", False), (">=24", True), (">24", False)])
def test_a_figure_outside_its_range_silences_the_check(bound: str, found: bool) -> None:
    assert bool(run(figured(range=bound))[0]) is found


def test_a_figure_counts_with_facts_that_are_known() -> None:
    (finding,), _ = run(figured(formula="client.count * (mount.retrans + 1)"))
    assert finding.message == "soft takes 9 s"


@pytest.mark.parametrize(
    "formula", ["mount.wsize * 2", "mount.hard * 2", "client.servers * 2"], ids=["no default", "no number", "no fact"]
)
def test_a_figure_that_cannot_be_worked_out_silences_the_check(formula: str) -> None:
    assert run(figured(formula=formula)) == ([], [])


def test_the_first_variant_that_holds_speaks() -> None:
    told = check(variants=[
        {"when": {"some.fact": 1}, "message": "one"}, {"when": {"some.fact": 2}, "message": "two", "strength": "may"},
        {"when": {"some.fact": 3}, "message": "three"},
    ])
    line = LineSettings({"mount.hard": SOFT}, "soft")

    def said(verdicts: dict[str, bool | None]) -> tuple[str, str, str]:
        (finding,), _ = check_line(knowledge(told, verdicts.get), line, Alike())
        return finding.message, finding.severity, finding.why

    first, second, third = (f"variant:some-check:{number}" for number in range(3))
    assert said({first: False, second: None}) == ("soft is soft", "warning", "Because.")
    assert said({second: True, third: True}) == ("two", "note", "Because.")


def test_the_place_is_the_first_of_several_that_is_written() -> None:
    (finding,), _ = run(check(at=["mount.sync", "mount.rsize"]))
    assert (finding.tunable, finding.column) == ("mount.rsize", 6)


@pytest.mark.parametrize(("field", "pattern", "removed"), [
    ("options", "present", ["mount.nconnect"]), ("options", 8, ["mount.nconnect"]), ("options", 4, []),
    ("fstype", "present", []),
])
def test_a_fix_names_the_options_that_it_removes(field: str, pattern: Any, removed: list[str]) -> None:
    written = {"mount.nconnect": Setting(8, field, 0, 10, "nconnect=8")}
    fix = FixTemplate.from_data({"safety": "safe", "remove": ["mount.bg", {"mount.nconnect": pattern}]})
    assert _removed(fix, written) == removed
    assert _removed(None, written) == []

"""What an answer, a pin, a name and a quantity may be, as it is typed, and how answers go into a file and come back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice import answers as told
from advisor.advice import answers_file
from advisor.advice.answers import (
    AnswerError,
    Answers,
    bad_name,
    check_answers,
    fact_value,
    from_plain,
    marked,
    parse_day,
    parse_quantity,
    pin_value,
    to_plain,
)
from advisor.advice.arguments import (
    _answer_text,
    _gives,
    _origin,
    argue,
    change_effort,
    counterarguments,
    is_forbidden,
    losers,
    pin_costs,
)
from advisor.advice.model import Row
from advisor.engine.formula import evaluate, is_formula, names_in
from advisor.rulebase.base import load
from advisor.rulebase.values import widest
from advisor.sections import SectionError
from tests.each import each

BASE = load()
PLATFORM, KERNEL = "storage.platform", "client.kernel"


@each(lambda: [
    ("mount.ro", "Yes", True), ("mount.ro", True, True), ("mount.ro", "off", False), ("client.count", "5", 5),
    ("client.count", " 5", 5), ("client.count", ">=8", ">=8"), ("client.count", " <8", " <8"), ("client.count", 5, 5),
    (KERNEL, " 6.1 ", "6.1"), (PLATFORM, "anf", "anf"), (PLATFORM, ["anf", "knfsd"], ["anf", "knfsd"]),
    ("mount.vers", "4", ["4.0", "4.1", "4.2"]),
    (PLATFORM, ["anf"], "anf"), (PLATFORM, "n/a", "n/a"), (PLATFORM, ["n/a", "anf"], ["n/a", "anf"]),
])
def test_the_value_of_an_answer(fact: str, given: object, value: object) -> None:
    found = fact_value(BASE, fact, given)
    assert (found, type(found)) == (value, type(value))


@each(lambda: [
    ("no.such", 1, "unknown fact"), ("mount.ro", "perhaps", "yes or no"), (KERNEL, 6.1, "quote the version"),
    ("client.count", "many", "neither"), ("client.count", "", "neither"), (PLATFORM, [], "empty"),
    (PLATFORM, "nothing", "storage.platform"), (PLATFORM, ["anf", "nothing"], "storage.platform"),
])
def test_what_is_no_answer(fact: str, given: object, said: str) -> None:
    with pytest.raises(AnswerError, match=said) as refused:
        fact_value(BASE, fact, given)
    assert refused.value.where == (fact,)


@each(lambda: [
    ("mount.nconnect", "8", 8), ("mount.nconnect", " 8 ", 8), ("exports.acl", "no", False),
    ("exports.acl", "TRUE", True),
    ("mount.vers", "4.2", "4.2"), ("mount.nconnect", "omit", "omit"), ("mount.nconnect", "keep", "keep"),
])
def test_the_value_of_a_pin(setting: str, given: object, value: object) -> None:
    found = pin_value(BASE, setting, given)
    assert (found, type(found)) == (value, type(value))


@each(lambda: [
    ("mount.nothing", 1), ("mount.nconnect", "17"), ("mount.nconnect", "0"), ("mount.nconnect", "n/a"),
    ("mount.nconnect", "٨"), ("mount.nconnect", "9" * 30), ("exports.acl", "maybe"), ("mount.vers", "9"),
    (next(name for name, decision in BASE.decisions.items() if decision.estimate), 1),
])
def test_what_is_no_pin(setting: str, given: object) -> None:
    with pytest.raises(AnswerError):
        pin_value(BASE, setting, given)


def test_a_pin_may_be_what_the_vendors_client_takes() -> None:
    driver = {"storage.platform": "vast", "client.vast_driver": True}
    assert pin_value(BASE, "mount.nconnect", "32", driver) == 32
    for number, facts in (("65", driver), ("32", {**driver, "client.vast_driver": False}), ("32", {"no.fact": 1})):
        with pytest.raises(AnswerError):
            pin_value(BASE, "mount.nconnect", number, facts)


@pytest.mark.parametrize("at", [1, 2**31 - 1])
def test_no_formula_gives_a_number_that_its_setting_refuses(at: int) -> None:
    wrong, tried = [], 0
    for name, decision in BASE.decisions.items():
        for rule in () if decision.estimate else decision.rules.values():
            if is_formula(rule.value) and BASE.tunables[name].maximum is not None:
                tried += 1
                number = evaluate(str(rule.value), dict.fromkeys(names_in(rule.value), at).get)
                if number is not None and number > (widest(BASE.tunables[name]).maximum or 0):
                    wrong.append((rule.id, number))
    assert tried
    assert not wrong


@each(lambda: [
    ("server", "nas", None), ("server", "fd00::7", None), ("server", "[fd00::7]", None),
    ("server", "fe80::7%eth0", None),
    ("server", "192.0.2.7", None), ("server", "nas:/a", "without the path"), ("server", "a b", "host name"),
    ("server", "", "empty"), ("export", "/srv", None), ("export", "srv", "absolute path"),
    ("target", "mnt", "absolute"),
    ("target", "/mnt\x07", "a control character"), ("target", "/mnt\u202e", "the invisible character U+202E"),
    ("target", "/mnt\u200d", None), ("clients", "10.0.0.0/8 @x", None), ("clients", "a\nb", "a control character"),
])
def test_names_that_files_may_have(which: str, text: str, said: str | None) -> None:
    found = bad_name(which, text)
    assert (found is None) == (said is None)
    assert said is None or said in str(found)


def test_answers_go_into_a_file_and_come_back() -> None:
    given = Answers(
        {KERNEL: "6.1", PLATFORM: "anf"}, frozenset({"network.rtt_us", "client.count"}), {"mount.nconnect": 4},
        {"target": "/a", "server": ""}, {KERNEL: "uname", "gone": "x"}, observed={"observed.b": 1, "observed.a": 2})
    plain = to_plain(given)
    assert [*plain["facts"]] == [KERNEL, PLATFORM]  # type: ignore[call-overload]
    assert plain["unknown"] == ["client.count", "network.rtt_us"]
    assert (plain["names"], plain["found"], plain["mounts"]) == ({"target": "/a"}, {KERNEL: "uname"}, [])
    assert [*plain["observed"]] == ["observed.a", "observed.b"]  # type: ignore[call-overload]
    again = from_plain({key: value for key, value in plain.items() if key != "mounts"})
    assert again == given._replace(names={"target": "/a"}, origin={KERNEL: "uname"})


def test_a_section_says_no_more_than_it_has() -> None:
    section: Any = SimpleNamespace(names={"target": "/a"}, facts={"mount.ro": True}, found={}, until="", observed={})
    assert told._section(section) == {"target": "/a", "mount.ro": True}
    section.until, section.found = "2026-12-31", {"mount.ro": "fstab:3", "other": "x"}
    assert told._section(section) == {"target": "/a", "mount.ro": True, "found": {"mount.ro": "fstab:3"},
                                      "until": "2026-12-31"}


@each(lambda: [
    ([], (), "must be a mapping"), ({}, ("schema",), "has no schema"), ({"schema": "x"}, ("schema",), "has schema 'x'"),
    ({"more": 1}, ("more",), "unknown key"), ({"names": {"no": "x"}}, ("names", "no"), "unknown name"),
    ({"names": {"export": "x"}}, ("names", "export"), "absolute"), ({"facts": []}, ("facts",), "must be a mapping"),
    ({"unknown": "x"}, ("unknown",), "must be a list"),
])
def test_a_file_that_is_none_of_answers_says_where(data: Any, where: tuple[str, ...], said: str) -> None:
    whole = {"schema": told.SCHEMA, **data} if data and "schema" not in data else data
    with pytest.raises(AnswerError, match=said) as refused:
        from_plain(whole)
    assert refused.value.where == where
    assert from_plain({"schema": told.SCHEMA, "facts": None, "unknown": None}) == Answers()


@each(lambda: [
    (Answers(unknown=frozenset({"no.such"})), ("unknown", "no.such")),
    (Answers({"no.such": 1}), ("facts", "no.such")),
    (Answers(pins={"mount.nconnect": 99}), ("pins", "mount.nconnect")),
    (Answers(pins={"sysctl.vm.dirty_ratio": 5, "sysctl.vm.dirty_bytes": 10**8}), ("pins", "sysctl.vm.dirty_ratio")),
    (Answers({"client.distro": "debian", KERNEL: "4.18.0-193.el8"}), ("facts", KERNEL)),
    (Answers({KERNEL: "6.1", "client.has_nconnect": False}), ("facts",)),
    (Answers({"client.count": ">>5"}), ("facts", "client.count")),
])
def test_answers_that_cannot_be_say_where(given: Answers, where: tuple[str, ...]) -> None:
    with pytest.raises(AnswerError) as refused:
        check_answers(BASE, given)
    assert refused.value.where == where


def test_one_of_two_units_may_be_left_out_and_values_are_typed() -> None:
    pins = {"sysctl.vm.dirty_ratio": "5", "sysctl.vm.dirty_bytes": "omit"}
    found = check_answers(BASE, Answers({"client.count": "5"}, pins=pins))
    assert (found.facts, found.pins["sysctl.vm.dirty_ratio"]) == ({"client.count": 5}, 5)


def test_an_answer_that_does_not_matter_beside_the_others_says_so() -> None:
    found = marked(BASE, Answers({PLATFORM: "anf", "server.threads": 8}, origin={"x": "y"}))
    assert found.facts["server.threads"] == "n/a"
    assert found.origin == {"x": "y", "server.threads": "8 does not matter here"}
    plain = Answers({PLATFORM: "anf"})
    assert marked(BASE, plain) is plain


def test_of_a_contradiction_only_what_takes_part_is_told() -> None:
    facts: dict[str, Any] = {"client.count": 5, KERNEL: "6.1", "mount.ro": True, "client.has_nconnect": False}
    clash = told._clashing(BASE, facts)
    assert clash == {KERNEL: "6.1", "client.has_nconnect": False}
    said = told._clash_text(BASE, clash)
    assert "or correct client.has_nconnect" in said or "or correct client.kernel" in said
    assert said.endswith("client.kernel: 6.1, client.has_nconnect: False")


def test_quantities_and_days() -> None:
    name = "observed.calls"
    short = name.removeprefix("observed.")
    assert parse_quantity(BASE, short, 1)[0] == parse_quantity(BASE, name, 1)[0] == name
    for bad in (True, 1.5, [1], None):
        with pytest.raises(AnswerError, match="a number or a word"):
            parse_quantity(BASE, name, bad)
    with pytest.raises(AnswerError, match="unknown quantity") as refused:
        parse_quantity(BASE, "nothing", 1)
    assert refused.value.where == ("observed", "nothing")
    assert parse_day("2026-12-31") == "2026-12-31"
    with pytest.raises(AnswerError, match="write a day"):
        parse_day("31.12.2026")


def advice(facts: dict[str, Any], **more: Any) -> Any:
    state = BASE.engine.state(facts)
    plain = {"answers": Answers(facts), "state": state, "supposed": state, "rows": (), "open": (), "asking": False}
    return SimpleNamespace(**{**plain, **more})


def nconnect(value: Any, **more: Any) -> Row:
    definition = BASE.tunables["mount.nconnect"]
    return Row("mount.nconnect", definition.kind, definition.title, definition, "must", None, "", value, value, **more)


def test_where_a_value_of_a_fact_is_from() -> None:
    given = advice({PLATFORM: "anf"})
    assumed = advice({PLATFORM: "anf"}, state={})
    pinned = advice({}, answers=Answers(pins={"mount.vers": "3"}))
    read = advice({}, answers=Answers({KERNEL: "6.1"}, origin={KERNEL: "uname"}))
    assert [_origin(BASE, given, PLATFORM), _origin(BASE, assumed, "no.such"),
            _origin(BASE, pinned, "mount.vers"), _origin(BASE, read, KERNEL)] == ["given", "follows", "given", "uname"]
    usual = advice({}, supposed=BASE.engine.state({PLATFORM: "anf"}))
    assert _origin(BASE, usual, PLATFORM) == "assumed"
    assert _origin(BASE, advice({}), "mount.vers") == "decided"
    facts: dict[str, Any] = {"mount.ro": True, "server.ha": False, PLATFORM: ["anf", "knfsd"], KERNEL: "6.1"}
    words = advice({}, answers=Answers(facts))
    assert [_answer_text(BASE, words, {}, fact) for fact in ("mount.ro", "server.ha", PLATFORM, KERNEL)] == [
        "yes", "no", "anf or knfsd", "6.1"]


def test_a_pin_costs_something_only_if_no_rule_allows_it() -> None:
    anf = advice({PLATFORM: "azure-files", KERNEL: "6.1"})
    assert pin_costs(BASE, anf, nconnect(4)) == ()
    allowed = {value: pin_costs(BASE, anf, nconnect(value, pinned=True)) for value in (2, 4, 16)}
    assert allowed[4] == ()
    assert allowed[16]
    assert all(cost.rule and cost.value == 4 and cost.why and cost.cites for cost in allowed[16])
    assert not is_forbidden(BASE, anf, nconnect(16)), "only a pin can be"


def test_what_speaks_for_a_value_and_against_it() -> None:
    found = counterarguments(BASE, Answers({PLATFORM: "azure-files", KERNEL: "6.1"}), "mount.nconnect", 4)
    assert found.fits
    assert not found.obstacles
    against = counterarguments(BASE, Answers({PLATFORM: "azure-files", KERNEL: "6.1"}), "mount.nconnect", 16)
    assert (against.fits, bool(against.wanted)) == ((), True)
    same = counterarguments(BASE, Answers({PLATFORM: "azure-files", KERNEL: "6.1", "mount.nconnect": 16},
                                          pins={"mount.nconnect": 16}), "mount.nconnect", 4)
    assert same.fits == found.fits, "its own pin and fact do not count"
    assert [_gives(rule, 8) for rule in (8, ">=4", "<=4", "keep", "omit", "n/a", 4)] == [True, True, *[False] * 5]


def test_options_are_easier_to_change_than_hosts() -> None:
    efforts = [change_effort(BASE, fact, doubtful) for fact, doubtful in (
        ("mount.ro", ()), (KERNEL, (KERNEL,)), (KERNEL, ()), (PLATFORM, ()))]
    assert efforts == sorted(efforts)
    assert len({*efforts}) == 4


def test_an_argument_has_no_fact_for_a_pin_and_no_losers_of_its_own_value() -> None:
    given = advice({PLATFORM: "azure-files", KERNEL: "6.1"})
    row = nconnect(4)
    assert argue(BASE, given, row).because
    assert argue(BASE, given, row._replace(pinned=True)).because == ()
    assert all(loser.value not in ("keep", 4) for loser in losers(BASE, given, row))


def test_so_many_sections_and_not_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_file, "MAX_SECTIONS", 2)
    section = {"server": "nas", "mount.ro": True}

    def read(number: int) -> int:
        return len(answers_file.sections(BASE, [section] * number, lambda number, key: f"f:{number}"))

    assert read(2) == 2
    with pytest.raises(SectionError, match=r"^f:2: more than 2 sections"):
        read(3)
    with pytest.raises(SectionError, match="is a list"):
        answers_file.sections(BASE, {}, lambda number, key: "f:1")

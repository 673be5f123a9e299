"""What advice decides of one setting, on rows and answers made up for it: what refuses a line or holds it up,
what a pin is worth, and how a value is written."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.advice import advise, arguments, supposed, verdict
from advisor.advice.answers import Answers, Before
from advisor.advice.model import Bug
from advisor.advice.several import Conflict, MountSide
from advisor.rulebase.model import Rule
from tests.advice.test_deciding import BASE, NCONNECT, REFUSED, advice, against, maybe, row
from tests.each import each

SIDES = (MountSide("/a", "mount.hard", True, "r", "must", "W"), MountSide("/b", "mount.hard", False, "s", "must", "W"))
WRITTEN = row(value=8, written=8, text="nconnect=8")


@each(lambda: [
    ({}, "open", 1, "X: no value suits all mounts, so none is set."),
    ({"used": "ro"}, "ready", 0, "X: no value suits all mounts, so all have ro."),
])
def test_a_conflict_holds_up_what_gets_no_value(more: Any, state: str, open_: int, said: str) -> None:
    found = verdict.verdict(BASE, [advice(WRITTEN)], [Conflict("mount.hard", "X", SIDES, **more)])
    assert (found.state, found.open, found.reasons) == (state, open_, (said,))
    objected = advice(WRITTEN)._replace(objections=(against("error", "security", "mount.hard"),))
    twice = verdict.verdict(BASE, [objected], [Conflict("mount.hard", "X", SIDES, **more)])
    assert twice.reasons == (said,)


@each(lambda: [(True, "should", 1), (True, "may", 0), (False, "must", 0)])
def test_a_bug_is_a_warning_if_it_is_certain_and_matters(certain: bool, strength: str, warnings: int) -> None:
    fault: Any = SimpleNamespace(title="It hangs", symptom="ls hangs.", workaround=None, strength=strength)
    told = advice(WRITTEN)._replace(bugs=(Bug("x", fault, certain, ()),))
    found = verdict.verdict(BASE, [told])
    assert (found.state, found.reasons) == ("ready", ("It hangs: ls hangs.",) * warnings)


@each(lambda: [
    ("data-loss", (), None, True), ("security", (), None, True), ("boot", (), None, True),
    ("performance", (), None, False),
    ("mount-fails", ("f",), None, True), ("performance", ("f",), None, True), ("performance", ("f",), "fix", False),
])
def test_what_has_to_be_settled_before_anything_is_installed(harm: str, facts: Any, fix: Any, held: bool) -> None:
    finding: Any = SimpleNamespace(consequence=harm, depends_on=facts, fix=fix, severity="warning")
    assert verdict._holds_up(finding) is held
    finding.severity = "note"
    assert not verdict._holds_up(finding)


@each(lambda: [
    ({"strength": "must"}, True), ({}, True), ({"strength": "may"}, False), ({"consequence": None}, False),
    ({"kind": "access"}, False), ({"strength": "must", "possible": (maybe(8, "must", "data-loss"),)}, False),
])
def test_what_is_open_and_holds_nothing_up(changes: Any, told: bool) -> None:
    waiting = row(**{"possible": (maybe(8, "should"), maybe("keep", "may")), "part": "open", **changes})
    assert verdict.unsettled(advice(waiting)) == [waiting] * told


@each(lambda: [
    ({"kind": "identity", "strength": "must", "consequence": "security", "part": "set"}, True),
    ({"kind": "identity", "strength": "must", "consequence": "security", "part": "fine"}, False),
    ({"kind": "identity", "strength": "should", "consequence": "security", "part": "set"}, False),
    ({"kind": "identity", "strength": "must", "consequence": "performance", "part": "set"}, False),
    ({"kind": "service", "strength": "must", "consequence": "security", "part": "set"}, False),
])
def test_what_security_needs_by_hand(changes: Any, needed: bool) -> None:
    assert verdict._by_hand(row(**changes)) is needed


def test_what_is_said_against_a_value() -> None:
    mine, other = (against("warning", "security", name) for name in (NCONNECT.id, "mount.rsize"))
    mine.cites = other.cites = ("a.b",)
    told = advice(row())._replace(objections=(other, mine))
    assert verdict.said_against(told, row(refused=REFUSED)) is REFUSED
    found = verdict.said_against(told, row())
    assert found is not None
    assert (found.tunable, found.problem, found.why) == (NCONNECT.id, "it fails", "It is. Change it.")
    assert verdict.said_against(advice(row()), row()) is None


def test_why_an_advice_is_for_the_server_is_said_unless_it_was_asked_for() -> None:
    assert verdict._read_as_server(BASE, {"mount.ro": True, "host.role": "nfs-server"}, True) == ""
    assert verdict._read_as_server(BASE, {"mount.ro": True}, False) == "This is for the server."
    told = verdict._read_as_server(BASE, {"mount.ro": True, "server.ha": True}, True)
    assert told.startswith("This is for the server, since only servers have server.ha; for a client: ")


@each(lambda: [
    ({"mount.vers": "3"}, {}, {"mount.vers": "3"}), ({"mount.vers": "n/a"}, {}, {}),
    ({"mount.vers": ["3", "4"]}, {}, {}),
    ({"mount.nconnect": ">=8"}, {}, {}), ({"mount.vers": "!3"}, {}, {}), ({"mount.vers": "<4"}, {}, {}),
    ({"mount.nconnect": 8}, {}, {"mount.nconnect": 8}), ({"storage.platform": "anf"}, {}, {}),
    ({"mount.nconnect": 8}, {"mount.nconnect": 4}, {"mount.nconnect": 4}), ({}, {"mount.ro": True}, {"mount.ro": True}),
    ({"mount.vers": "=3"}, {}, {}),
])
def test_which_answers_pin_a_setting(facts: Any, pins: Any, pinned: Any) -> None:
    assert advise.all_pins(BASE, Answers(facts, pins=pins)) == pinned


@each(lambda: [
    ("mount.nconnect", 8, "nconnect=8"), ("mount.hard", "soft", "soft"),
    ("sysctl.vm.dirty_ratio", 5, "vm.dirty_ratio = 5"),
    ("module.nfs.max_session_slots", 64, "options nfs max_session_slots=64"),
    ("nfs.conf.nfsd.threads", 8, "threads=8"), ("nfs.conf.nfsd.vers4.1", "y", "vers4.1=y"),
    ("mount.nconnect", None, ""), ("bdi.read_ahead_kb", 128, "128"), ("exports.rw", True, "rw"),
])
def test_a_setting_in_the_syntax_of_its_file(name: str, written: Any, text: str) -> None:
    assert advise._file_text(BASE.tunables[name], written) == text


@each(lambda: [
    ({"mount.ro": True}, {"mount.ro": "ro"}), ({"mount.ro": False}, {}), ({"mount.vers": "3"}, {}), ({}, {}),
    ({"storage.platform": "anf"}, {}),
])
def test_options_that_follow_from_what_is_known(facts: Any, options: Any) -> None:
    told = advise._options_of_facts(BASE, Answers(facts))
    assert told == options


@each(lambda: [
    ({}, False, False), ({NCONNECT.id: Before(8, "f:1")}, False, False),
    ({NCONNECT.id: Before(4, "f:1")}, True, False), ({NCONNECT.id: Before(8, "f:1")}, True, True),
    ({NCONNECT.id: Before(None, "f:1")}, True, True), ({}, True, True),
])
def test_a_default_is_not_in_effect_where_the_host_has_another_value(before: Any, already: bool, now: bool) -> None:
    told = advise._for_host(BASE, Answers(before=before), row(value=8, written=8, text="nconnect=8", already=already))
    assert (told.written, told.already) == (8, now)


@each(lambda: [
    ({"pinned": True}, {}, {}, "You answered this."), ({"pinned": True}, {NCONNECT.id: "f:1"}, {}, "Found in f:1."),
    ({"pinned": True}, {}, {NCONNECT.id: 8}, "Why."), ({}, {NCONNECT.id: "f:1"}, {}, "Why."),
])
def test_where_a_pinned_value_comes_from(changes: Any, origin: Any, pins: Any, why: str) -> None:
    answers = Answers({NCONNECT.id: 8}, pins=pins, origin=origin)
    assert advise._for_host(BASE, answers, row(value=8, written=8, why="Why.", **changes)).why == why


@each(lambda: [
    (8, 8, True), (">=8", 8, True), (">=8", 4, False), ("keep", 8, False), ("omit", 8, False), ("n/a", 8, False),
    (16, 8, False), ("8", "8", True),
])
def test_a_rule_gives_a_value(of_rule: Any, value: Any, gives: bool) -> None:
    assert arguments._gives(of_rule, value) is gives


def rule(**more: Any) -> Rule:
    told = {"id": "a/b", "layer": "default", "value": 8, "strength": "must", "why": "W", "cites": []}
    return Rule.from_data({**told, **more})


@each(lambda: [
    (8, 8, None, True), (4, 8, None, False), (4, 8, {"as_good": [4]}, True), (4, 8, {"as_good": [2]}, False),
    (4, "<=8", None, True), (1, "omit", None, True), (4, "keep", None, True),
])
def test_a_pin_does_what_a_rule_asks_for(pinned: Any, value: Any, more: Any, allowed: bool) -> None:
    assert arguments._allows(row(value=pinned), value, None if more is None else rule(**more)) is allowed


@each(lambda: [
    ({"origin": {"mount.vers": "f:1"}}, {}, "f:1"), ({"facts": {"mount.vers": "3"}}, {}, "given"),
    ({"pins": {"mount.vers": "3"}}, {}, "given"), ({}, {"mount.vers": 1}, "assumed"), ({}, {}, "decided"),
])
def test_where_a_fact_comes_from(answers: Any, supposed: Any, origin: str) -> None:
    told = advice(**answers)._replace(supposed=supposed)
    assert arguments._origin(BASE, told, "mount.vers") == origin
    assert origin != "decided" or arguments._origin(BASE, told, "client.kernel") == "follows"


def test_what_a_pin_costs_is_what_would_be_advised_without_it(monkeypatch: Any) -> None:
    def told(value: Any, *without: tuple[Any, Rule | None]) -> tuple[list[str | None], bool]:
        monkeypatch.setattr(arguments, "without_pin", lambda *_: (without, without))
        pinned = row(value=value, pinned=True)
        return [cost.rule for cost in arguments.pin_costs(BASE, advice(), pinned)], arguments.is_forbidden(
            BASE, advice(), pinned)

    assert told(8, (8, rule())) == ([], False)
    assert told(4, (8, rule())) == (["a/b"], True)
    assert told(4, (8, rule(strength="should"))) == (["a/b"], False)
    assert told(4, (8, rule()), (16, rule(id="a/c"))) == (["a/b", "a/c"], True)
    assert told(4, (8, rule()), (4, rule(id="a/c"))) == ([], False)
    assert told(4, (8, rule()), (16, None)) == (["a/b", None], False)
    assert told(4) == ([], False)
    monkeypatch.setattr(arguments, "without_pin", lambda *_: (((8, rule()),),) * 2)
    free = row(value=4)
    assert (arguments.pin_costs(BASE, advice(), free), arguments.is_forbidden(BASE, advice(), free)) == ((), False)


def test_what_is_presumed_of_a_fact_is_what_is_left_of_it() -> None:
    fact = BASE.engine.fact("client.distro")
    debian, either = fact.mask("debian"), fact.mask(["debian", "rhel"])

    def value(given: int) -> object:
        counsel: Any = SimpleNamespace(presumed={"mount.hard": {fact.id: either}})
        ((taken,),) = supposed.presumptions(BASE, {}, {fact.id: given}, counsel).values()
        return taken.value

    assert value(debian) == "debian"
    assert value(debian | fact.not_applicable) == "debian", "it may as well not apply"
    assert value(fact.not_applicable) == BASE.engine.answer(fact.id, either)

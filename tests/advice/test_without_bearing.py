"""A true answer is no contradiction only because it does not matter here."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import AnswerError, Answers, check_answers
from advisor.advice.arguments import counterarguments
from advisor.cli import main
from advisor.engine import possible
from advisor.engine.ask import applicability_facts
from advisor.rulebase.model.types import Values
from advisor.sections import with_bearing
from advisor.wizard import questions, state
from tests.each import each
from tests.wizard.driving import BASE

CONDITIONAL = [fact.id for fact in BASE.facts.values() if fact.applies]


def elsewhere(fact: str) -> dict[str, Values]:
    """Answers under which a fact does not apply."""
    engine = BASE.engine
    known = {fact: engine.fact(fact).not_applicable}
    for name in sorted(applicability_facts(engine, fact, {})):
        if name in BASE.facts and not engine.fact(name).derived:
            cells = possible(engine, name, known) & ~engine.fact(name).not_applicable
            known[name] = cells & -cells or engine.fact(name).not_applicable
    return {name: engine.answer(name, mask) for name, mask in known.items() if name != fact}


@each(lambda: CONDITIONAL)
def test_an_answer_that_does_not_matter_is_taken(fact: str) -> None:
    others = elsewhere(fact)
    taken = check_answers(BASE, Answers({**others, fact: BASE.engine.answer(fact, 1)}))
    assert taken.facts[fact] == "n/a"
    assert "does not matter here" in taken.origin[fact]
    assert {name: taken.facts[name] for name in others} == check_answers(BASE, Answers(others)).facts
    assert state.is_possible(BASE, Answers({**others, fact: BASE.engine.answer(fact, 1)})), "the wizard takes it too"


@pytest.mark.parametrize("role", ["nfs-client", "nfs-server"])
def test_clients_may_run_linux_whatever_does_not_matter_is_said_of_the_server(role: str) -> None:
    engine = BASE.engine
    linux = engine.fact("client.system").mask("linux")
    for fact in CONDITIONAL:
        taken = with_bearing(BASE, {"host.role": role, fact: engine.answer(fact, 1)})[0]
        assert possible(engine, "client.system", engine.certain(taken)) & linux, fact


def test_a_pin_may_stand_beside_it() -> None:
    told = Answers({"host.role": "nfs-client", "server.service_addresses": ">=3"}, pins={"mount.vers": "4.1"})
    without = told._replace(facts={"host.role": "nfs-client"})
    assert counterarguments(BASE, told, "mount.sec", "sys") == counterarguments(BASE, without, "mount.sec", "sys")


def test_what_matters_still_contradicts() -> None:
    with pytest.raises(AnswerError, match="contradict each other, so one of them is not so: "):
        check_answers(BASE, Answers({"storage.platform": "aws-efs", "host.role": "nfs-server"}))


@pytest.mark.parametrize("command", ["recommend --all", "lint examples/fstab"])
def test_commands_take_it(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = command.split()
    said = ["--set", "workload.static_data=yes"]
    main([*words, *said])
    without = capsys.readouterr().out
    main([*words, *said, "--set", "workload.prompt_changes=no"])
    with_it = capsys.readouterr().out
    lines = [line.split() for line in with_it.splitlines() if "workload.prompt_changes:" not in line]
    assert lines == [line.split() for line in without.splitlines()]


@pytest.mark.parametrize("first", [True, False])
def test_the_wizard_keeps_an_answer_that_does_not_matter_until_it_does(first: bool) -> None:
    said = [("workload.static_data", True), ("workload.prompt_changes", False)]
    session = state.start()
    for fact, value in said if first else said[::-1]:
        session = state.answer(BASE, session, fact, value)
    assert session.order == tuple(fact for fact, _ in (said if first else said[::-1]))
    assert questions.preview(BASE, session).answers.facts["workload.prompt_changes"] == "n/a"
    assert all(choice.fits for choice in questions.values_to_choose(BASE, session, "workload.static_data"))
    again = state.answer(BASE, session, "workload.static_data", False)
    assert questions.preview(BASE, again).answers.facts["workload.prompt_changes"] is False


def test_a_contradiction_says_what_to_change() -> None:
    with pytest.raises(AnswerError, match=r"change host\.role to nfs-client, or correct storage\.platform: these"):
        check_answers(BASE, Answers({"storage.platform": "aws-efs", "host.role": "nfs-server"}))


@pytest.mark.parametrize(("facts", "idle"), [
    ({"client.system": "windows", "client.distro": "rhel", "storage.platform": "ontap"}, ["client.distro"]),
    ({"client.system": "linux", "client.distro": "rhel", "storage.platform": "ontap"}, []),
])
def test_a_host_that_gets_no_mount_line_has_no_bearing(facts: dict[str, Values], idle: list[str]) -> None:
    assert [*advise(BASE, Answers(facts)).answers.origin] == idle


def test_a_value_that_another_rule_calls_as_good_does_it_no_harm() -> None:
    """The ports of version 3 are those of version 4 and more."""
    facts: dict[str, Values] = {"storage.platform": "knfsd", "host.role": "nfs-server", "server.firewall": True}
    firewall = advise(BASE, Answers(facts)).find("network.firewall")
    assert (firewall and (firewall.value, firewall.part)) == ("v3", "set")
    without = advise(BASE, Answers({**facts, "server.v3_clients": False})).find("network.firewall")
    assert (without and without.value) == "v4"


@pytest.mark.parametrize(("platform", "asked"), [("azure-files", True), ("oci-fss", True), ("ontap", False)])
def test_who_is_root_is_asked_where_a_service_leaves_root_its_rights(platform: str, asked: bool) -> None:
    advice = advise(BASE, Answers({"storage.platform": platform}), asking=True)
    assert ("identity.root_trusted" in [question.fact for question in advice.questions]) is asked

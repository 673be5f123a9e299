"""Both sides of one environment: what each says of the other, and that nothing is lost on the way."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given, settings

from advisor.advice.answers import Answers
from advisor.pages import wording
from advisor.pages.blocks import plain
from advisor.pages.card import installing
from advisor.wizard import ending, files, mounts, questions, state, steps, typed_answer
from advisor.wizard.state import is_possible
from tests.advice.environments import answers, base
from tests.tiers import some

BASE = base()
CLIENTS = state.start(Answers({
    "storage.platform": "knfsd", "host.role": "nfs-client", "mount.sec": "krb5", "client.kernel": "6.1",
    "workload.kind": "home",
}))


def test_what_is_said_of_server_and_mounts_holds_for_both_and_of_a_host_for_that_host() -> None:
    server = mounts.go_to_other_side(BASE, CLIENTS)
    assert server.answers.facts["host.role"] == "nfs-server"
    assert server.answers.facts["mount.sec"] == "krb5"
    assert server.answers.facts["client.kernel"] == "6.1", "the server's side asks for it too"
    assert "host.clock_synchronised" not in mounts.go_to_other_side(
        BASE, state.answer(BASE, CLIENTS, "host.clock_synchronised", True)).answers.facts
    server = state.answer(BASE, state.answer(BASE, server, "server.distro", "debian"), "mount.sec", "sys")
    clients = mounts.go_to_other_side(BASE, server)
    assert clients.answers.facts["host.role"] == "nfs-client"
    assert clients.answers.facts["client.kernel"] == "6.1"
    assert clients.answers.facts["mount.sec"] == "sys"
    assert mounts.go_to_other_side(BASE, clients).answers.facts == server.answers.facts


@pytest.mark.parametrize(
    "fact", some(["server.cluster_stack", "server.ha", "server.shared_storage", "server.fencing_s"], 2)
)
def test_an_answer_about_a_server_alone_says_which_side_it_is(fact: str) -> None:
    values = {"server.cluster_stack": "pacemaker", "server.shared_storage": "sas", "server.ha": True}
    value = values.get(fact, 60)
    session = state.answer(BASE, state.go(state.start(), None), fact, value)
    assert session.answers.facts["host.role"] == "nfs-server"
    offered = [offer.value for offer in questions.values_to_choose(BASE, session, "storage.platform")]
    assert offered.index("knfsd") < offered.index("anf"), "a service would make this answer pointless"
    session = state.answer(BASE, session, "storage.platform", "knfsd")
    assert [role for role, _ in mounts.sides(session)] == ["nfs-server"]
    both = mounts.go_to_other_side(BASE, session)
    assert both.answers.facts["host.role"] == "nfs-client"
    made = {artefact.path for artefact in files.artefacts(BASE, both)}
    assert "clients/fstab" in made
    assert not any(path.startswith("clients/") and "cluster/" in path for path in made)
    assert "host.role" not in state.answer(BASE, session, "storage.platform", "anf").answers.facts


@pytest.mark.parametrize("platform", ["anf", "aws-efs", "ontap", "powerscale"])
def test_nobody_configures_the_server_of_a_service_or_an_appliance(platform: str) -> None:
    session = state.answer(BASE, state.start(), "storage.platform", platform)
    assert mounts.other_role(BASE, session) is None
    assert mounts.go_to_other_side(BASE, session) == session


def test_it_is_undone_kept_and_told_in_order() -> None:
    server = mounts.go_to_other_side(BASE, CLIENTS)
    assert state.undo(server).answers == CLIENTS.answers
    assert state.undo(server).other_side is None
    assert state.redo(state.undo(server)).step == server.step
    again = files.from_text(BASE, files.to_text(server))
    assert not again.lost
    assert again.session.step == server.step
    assert [role for role, _ in mounts.sides(server)] == ["nfs-client", "nfs-server"]
    assert [role for role, _ in mounts.sides(mounts.go_to_other_side(BASE, server))] == ["nfs-client", "nfs-server"]
    assert mounts.sides(CLIENTS) == [("nfs-client", CLIENTS)]


@pytest.mark.parametrize(("role", "part"), some(product(["nfs-server", "nfs-client"], range(6)), 12))
def test_what_is_said_of_the_clients_is_not_asked_on_the_other_side(role: str, part: int) -> None:
    about = [
        fact for fact in BASE.facts if BASE.facts[fact].ask and "client" in wording.question(BASE, fact).lower()
        and fact != "host.role"
    ]
    assert "network.cloud" in about
    for fact in about[part::6]:
        definition = BASE.facts[fact]
        value = next(iter(definition.values or {}), True) if definition.type in ("enum", "bool") else None
        value = next(iter(definition.examples), 1000) if value is None else value
        session = state.start(Answers({"storage.platform": "knfsd", "host.role": role}))
        there = mounts.go_to_other_side(BASE, state.dont_know(BASE, session, fact))
        assert fact in there.answers.unknown, fact
        parsed = typed_answer.parse(BASE, fact, str(value)).value if not isinstance(value, bool) else value
        with suppress(state.Refused):
            there = mounts.go_to_other_side(BASE, state.answer(BASE, session, fact, parsed))
            ask = [ask.fact for ask in questions.unanswered(questions.preview(BASE, there))]
            assert fact not in ask, fact


@settings(max_examples=40, deadline=None)
@given(told=answers(most=8))
def test_what_is_carried_over_can_always_be(told: Answers) -> None:
    session = state.start(told)
    for _ in range(3):
        session = mounts.go_to_other_side(BASE, session)
        assert is_possible(BASE, session.answers)
    for _, side in mounts.sides(session):
        assert is_possible(BASE, side.answers)


@pytest.mark.parametrize("role", [["nfs-client", "nfs-server"], "n/a"])
def test_an_answer_that_leaves_the_role_open_counts_as_that_of_clients(role: object) -> None:
    session = state.start(Answers({"host.role": role, "storage.platform": "knfsd"}))
    assert mounts.other_role(base(), session) == "nfs-server"
    assert mounts.sides(session) == [("nfs-client", session)]


def test_a_name_that_is_written_or_taken_back_on_one_side_is_so_in_the_files_of_both() -> None:
    named = state.name(BASE, state.name(BASE, CLIENTS, "server", "nas5"), "target", "/old")
    session = state.name(BASE, mounts.go_to_other_side(BASE, named), "target", "/mnt/media")
    session = state.name(BASE, state.name(BASE, session, "server", ""), "clients", "192.168.1.0/24")
    for shown in (session, mounts.go_to_other_side(BASE, session)):
        texts = {one.path: one.text for one in files.artefacts(BASE, shown)}
        assert "/mnt/media" in texts["clients/mount.sh"]
        assert not any("nas5" in text or "/old" in text for text in texts.values())
        assert "192.168.1.0/24" in texts["server/REPORT.md"]


@pytest.mark.parametrize(("platform", "missing"), [("synology", ()), ("knfsd", ("clients",))])
def test_only_a_side_whose_files_lack_a_name_waits_for_it(platform: str, missing: tuple[str, ...]) -> None:
    names = {"server": "nas", "export": "/srv/media", "target": "/mnt/media"}
    facts = {"storage.platform": platform, "host.role": "nfs-client", "workload.kind": "general", "mount.sec": "sys"}
    session = mounts.go_to_other_side(BASE, state.start(Answers(facts, names=names)))
    found = ending.session_verdict(BASE, session)
    assert found.unnamed == missing
    made = {one.path: one.lines for one in files.artefacts(BASE, session)}
    assert ("server/apply.sh" in made) is bool(missing)
    first, commands = installing(found._replace(state="ready"), made)
    assert not first
    assert plain(commands).startswith("on each client sudo sh clients/apply.sh")
    assert plain(commands).endswith("once it is named, on the server sudo sh server/apply.sh") is bool(missing)
    note = next((one.note for one in steps.end(BASE, session).choices if one.value == "name"), "")
    assert note == ("else server/apply.sh changes nothing" if missing else "")

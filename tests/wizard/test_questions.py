"""What is asked, which values are offered, and that the questions come to an end."""

from __future__ import annotations

from functools import cache
from statistics import median

import pytest

from advisor.advice.answers_file import read_answers
from advisor.advice.model import Row
from advisor.advice.verdict import AdviceVerdict
from advisor.rulebase.base import load
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.values import told_name
from advisor.wizard import ending, mounts, questions, state, steps, typed_answer
from advisor.wizard.mounts import use_text
from advisor.wizard.state import Refused, Session
from tests.each import each
from tests.scenarios.golden import HERE, NAMES
from tests.tiers import in_both, part, some, thorough

BASE = load()
SERVER = state.answer(BASE, state.start(), "host.role", "nfs-server")


def test_whoever_sets_up_a_server_is_offered_servers_first() -> None:
    offered = questions.values_to_choose(BASE, SERVER, "storage.platform")
    fits = [one.fits for one in offered]
    assert fits == sorted(fits, reverse=True)
    named = {one.value: one.fits for one in offered}
    assert named["knfsd"]
    assert named["ganesha"]
    assert not named["azure-files"]
    assert {one.value for one in offered} == set(BASE.facts["storage.platform"].values or ())


def test_what_is_no_linux_server_is_offered_to_a_pair_last() -> None:
    pair = state.answer(BASE, state.start(), "server.ha", True)
    linux = {one.platform for one in BASE.platforms if "linux-host" in one.traits} | {"other"}
    offered = [one.value for one in questions.values_to_choose(BASE, pair, "storage.platform")]
    assert {*offered[:len(linux)]} == linux


def test_for_clients_the_order_is_that_of_the_rule_base() -> None:
    offered = questions.values_to_choose(BASE, state.start(), "storage.platform")
    listed = [value for value in BASE.facts["storage.platform"].values or () if value != "not-nfs"]
    assert [one.value for one in offered] == [*listed, "not-nfs"]  # hardly ever what somebody came for
    assert all(one.fits for one in offered)


@pytest.mark.parametrize("fact", some(["server.ha", "client.distro", "storage.platform"], 3))
def test_what_is_said_to_fit_is_taken_and_the_rest_is_not(fact: str) -> None:
    for one in questions.values_to_choose(BASE, SERVER, fact):
        try:
            state.answer(BASE, SERVER, fact, one.value)
        except Refused:
            assert not one.fits, one.value
        else:
            assert one.fits, one.value


def test_an_answer_does_not_rule_out_its_own_question() -> None:
    answered = state.answer(BASE, state.start(), "storage.platform", "ontap")
    assert all(one.fits for one in questions.values_to_choose(BASE, answered, "storage.platform"))


def test_nothing_is_chosen_where_an_answer_is_written() -> None:
    assert questions.values_to_choose(BASE, SERVER, "client.kernel") == []




def test_whether_it_is_a_cluster_is_the_third_question_at_most() -> None:
    on_linux = state.answer(BASE, SERVER, "storage.platform", "knfsd")
    assert questions.current_question(BASE, SERVER) in ("storage.platform", "server.ha")
    assert questions.current_question(BASE, on_linux) == "server.ha"


def test_what_uses_the_data_is_asked_of_a_pair_although_files_are_usual() -> None:
    """For virtual machines, root on the clients has to write; nobody would notice before the first failure."""
    pair = state.answer(BASE, state.answer(BASE, SERVER, "storage.platform", "knfsd"), "server.ha", True)
    assert questions.current_question(BASE, pair) == "workload.kind"


def test_clients_are_not_asked_about_a_cluster() -> None:
    client = state.answer(BASE, state.start(), "host.role", "nfs-client")
    assert "server.ha" not in {ask.fact for ask in questions.upcoming_questions(BASE, client)}


def test_the_end_says_what_to_do_with_a_cluster_a_server_and_a_client() -> None:
    pair = state.answer(BASE, state.answer(BASE, SERVER, "storage.platform", "knfsd"), "server.ha", True)
    assert "cluster/test-plan.md" in ending.sentences(BASE, questions.ending(BASE, pair))[0]
    alone = state.answer(BASE, state.answer(BASE, SERVER, "storage.platform", "knfsd"), "server.ha", False)
    told = ending.sentences(BASE, questions.ending(BASE, alone))[0]
    assert told == "Next: export the configuration. Its report says what to install and to do by hand on the server."
    client = state.answer(BASE, state.start(), "host.role", "nfs-client")
    assert not any(line.startswith("Next:") for line in ending.sentences(BASE, questions.ending(BASE, client)))



@pytest.mark.parametrize("platform", some(["azure-files", "aws-fsx-openzfs", "gcp-filestore"], 3))
def test_what_a_cloud_implies_of_firewalls_is_not_asked(platform: str) -> None:
    in_cloud = state.answer(BASE, state.start(), "storage.platform", platform)
    assert "server.firewall" not in {ask.fact for ask in questions.upcoming_questions(BASE, in_cloud)}
    at_home = state.answer(BASE, state.start(), "storage.platform", "flashblade")
    assert "server.firewall" in {ask.fact for ask in questions.upcoming_questions(BASE, at_home)}


@cache
def sittings(name: str) -> tuple[Session, ...]:
    """The session before the first answer, and after each one until nothing that matters is left to ask."""
    true = read_answers(BASE, str(HERE / f"{name}.yaml"))
    names = {which: text for which, text in true.names.items() if which != "clients"}
    found = [state.mount(BASE, state.start(), names)]
    while (fact := questions.current_question(BASE, found[-1])) is not None and len(found) < 40:
        told = true.facts.get(fact)
        found.append(
            state.dont_know(BASE, found[-1], fact) if told is None else state.answer(BASE, found[-1], fact, told)
        )
    return tuple(found)


def weighty(session: Session, strength: str) -> list[str]:
    return [one.tunable for one in questions.preview(BASE, session).open if one.strength == strength]


def is_usual(session: Session, fact: str) -> bool:
    given = session.answers.facts
    return any(given.items() >= (usual.when or {}).items() for usual in BASE.facts[fact].usual)


@pytest.mark.parametrize("name", some(NAMES, 16))
def test_it_ends_with_nothing_open_that_must_be_or_should_be_other_than_usual(name: str) -> None:
    """After MOST answers, the mount among them, what should be made may stay open if it harms less than what the last
    question was about, answered or not."""
    *_, before, last = sittings(name)
    assert questions.current_question(BASE, last) is None
    was, waiting = (questions.ending(BASE, one).waiting for one in (before, last))
    left = [one for one in waiting if one.strength == "must" or not all(is_usual(last, fact) for fact in one.asks)]
    if len(last.order) + bool(last.answers.names) >= questions.MOST:
        about = questions.upcoming_questions(BASE, before)[0].decisions
        settled = max((harm(one) for one in was if one.tunable in about), default=-len(CONSEQUENCES))
        left = [one for one in left if one.strength == "must" or harm(one) >= settled]
    assert not left, [one.tunable for one in left]
    assert len(last.order) >= questions.ENOUGH or not any(one.asks for one in waiting)
    told = " ".join(ending.sentences(BASE, questions.ending(BASE, last)))
    assert all(told_name(one.definition) in told for one in waiting[:ending.NAMED])
    assert len(waiting) <= ending.NAMED or f" and {len(waiting) - ending.NAMED} more." in told


@pytest.mark.parametrize(("release", "left"), [
    ("RHEL 8", "Known in part: Which kernel do the clients run? that of Red Hat Enterprise Linux"), ("RHEL 8.6", ""),
    ("RHEL 9", ""), ("Ubuntu 22.04", ""), ("", "Not known: Which kernel do the clients run?"),
])
def test_a_release_that_was_named_leaves_only_what_differs_within_it(release: str, left: str) -> None:
    """nconnect came with RHEL 8.3."""
    told = state.answer(BASE, state.answer(BASE, state.start(), "storage.platform", "anf"), "workload.kind", "eda")
    named = typed_answer.named_instead(BASE, "client.kernel", release)
    told = steps.take(BASE, told, "client.kernel", "named" if named else "unknown", named, found={})
    while (fact := questions.current_question(BASE, told)) is not None:
        told = state.dont_know(BASE, told, fact)
    hanging = [choice.label for choice in steps.end(BASE, told).choices if choice.value == "client.kernel"]
    assert [label[:len(left)] for label in hanging] == [left] * bool(left)


def harm(row: Row) -> int:
    return -CONSEQUENCES.index(row.consequence)


@pytest.mark.parametrize("name", some(NAMES, 16))
def test_after_ten_answers_nothing_is_open_that_must_be(name: str) -> None:
    told = sittings(name)
    assert not weighty(told[min(10, len(told) - 1)], "must")


def test_the_end_says_whether_one_can_stop_and_a_question_how_far_it_is() -> None:
    session = state.answer(BASE, state.start(), "storage.platform", "anf")
    session = state.answer(BASE, session, "storage.volume_protocol", "3")
    assert questions.progress(BASE, session).startswith("question 3 of about 8; ")
    assert "question" not in questions.progress(BASE, state.go(session, "storage.platform")).partition(" questions")[0]
    left = questions.ending(BASE, session)
    assert left.waiting
    told = "No more answers are needed; the defaults stay for "
    assert any(text.startswith(told) for text in ending.sentences(BASE, left))
    stays = ending.sentences(BASE, left, (), AdviceVerdict("open", 1))
    assert any(text.startswith("Open until more is known: ") for text in stays)
    assert ending.left_questions(AdviceVerdict(), 2, 3) == "5 optional questions"
    assert ending.left_questions(AdviceVerdict("open", 1), 2, 3) == "2 questions still matter, 3 more could fine-tune"


def test_where_nfs_is_not_the_answer_it_ends_and_says_so() -> None:
    session = state.answer(BASE, state.start(), "workload.kind", "windows-profiles")
    assert questions.current_question(BASE, session) is None
    barred = questions.ending(BASE, session).barred
    assert barred is not None
    assert ending.title(questions.ending(BASE, session)) == "NFS is not the answer here."
    assert barred.why in " ".join(ending.sentences(BASE, questions.ending(BASE, session)))


@pytest.mark.parametrize(("kind", "fact", "asked"), [
    ("hpc", "network.azure_load_balancer", False), ("sap-hana", "network.azure_load_balancer", True),
    ("hpc", "workload.durable_writes", False), ("media", "workload.durable_writes", False),
    ("general", "workload.durable_writes", True),
])
def test_a_question_is_for_the_work_that_it_can_change(kind: str, fact: str, asked: bool) -> None:
    """Batch hosts answer no health probes, and files that are written whole are stored when they are closed."""
    told = state.start()
    for name, value in (("storage.platform", "anf"), ("storage.volume_protocol", "3"), ("workload.kind", kind)):
        if (name, kind) != ("storage.volume_protocol", "sap-hana"):
            told = state.answer(BASE, told, name, value)
    assert (fact in {ask.fact for ask in questions.upcoming_questions(BASE, told)}) is asked


@thorough
def test_it_takes_about_eight_answers() -> None:
    assert median(len(sittings(name)) - 1 for name in NAMES) <= 8


@pytest.mark.parametrize("name", some(NAMES, 16))
def test_what_must_be_is_asked_before_what_should_be(name: str) -> None:
    """Each question bears on something that must be as long as one is left that does, but for whose setting it is; so
    does one whose answer tells another that does."""
    for session in sittings(name):
        asks = [
            ask for ask in questions.upcoming_questions(BASE, session)
            if ask.fact not in ("storage.platform", "host.role")
        ]
        must = set(weighty(session, "must"))
        decisions = {ask.fact: ask.decisions for ask in asks}
        told = {ask.fact: [bears for fact in BASE.facts if ask.fact in BASE.facts[fact].asked_after
                           for bears in decisions.get(fact, ())] for ask in asks}
        bears = [not must.isdisjoint((*ask.decisions, *told[ask.fact])) for ask in asks]
        assert bears == sorted(bears, reverse=True)


@each(lambda: [
    "anf", "aws-efs", "aws-fsx-ontap", "gcp-filestore", "oci-fss", "ontap", "flashblade", "vast", "powerscale",
    "qumulo",
])
def test_nobody_is_asked_whether_this_host_is_the_server_of_an_appliance_or_a_service(platform: str) -> None:
    told = state.answer(BASE, state.start(), "storage.platform", platform)._replace(fine=True)
    asked = {ask.fact for ask in questions.upcoming_questions(BASE, told)}
    assert "host.role" not in asked
    assert not {fact for fact in asked if BASE.facts[fact].section == "hardware"}
    assert not asked & {"server.distro", "server.release", "server.kernel", "server.init", "server.ha"}


@in_both
def test_what_the_platform_decides_is_not_asked() -> None:
    """A service that exists in one cloud has its clients there; only those of Azure can be behind Azure's balancer; and
    in which cloud the clients of another server are never comes before what uses the data."""
    clouds = {usual.value for usual in BASE.facts["network.cloud"].usual}
    homes = {platform.platform: {trait.removeprefix("in-") for trait in platform.traits if trait.startswith("in-")}
             for platform in BASE.platforms}
    assert {cloud for every in homes.values() for cloud in every} | {"none", "evroc"} == clouds
    for platform in part(BASE.facts["storage.platform"].values or (), 5):
        told = state.answer(BASE, state.start(), "storage.platform", platform)
        told = state.answer(BASE, told, "host.role", "nfs-client")
        asked = [ask.fact for ask in questions.upcoming_questions(BASE, told._replace(fine=True))]
        mine = homes.get(str(platform), set())
        if mine or platform == "evroc-file-store":
            assert "network.cloud" not in asked, platform
        elif "network.cloud" in asked:
            assert asked.index("network.cloud") > asked.index("workload.kind"), platform
        assert "network.azure_load_balancer" not in asked or mine == {"azure"}, platform


def test_the_usual_one_of_several_names_is_the_first() -> None:
    for platform, cloud in (("aws-efs", "aws"), ("oci-fss", "oci"), ("synology", "none")):
        client = state.answer(BASE, state.start(), "host.role", "nfs-client")
        told = state.answer(BASE, client, "storage.platform", platform)
        assert questions.values_to_choose(BASE, told, "network.cloud")[0].value == cloud
    assert questions.values_to_choose(BASE, state.start(), "mount.sec")[0].value == "sys"
    assert [one.value for one in questions.values_to_choose(BASE, state.start(), "mount.ro")] == [True, False]


@each(lambda: [
    ("rhel", "1"), ("rhel", "9.49.4"), ("rhel", "9.49"), ("debian", "1.3"), ("ubuntu", "22"), ("sles", "15.10"),
    ("fedora", "4.1"), ("alpine", "2.0"),
])
def test_a_release_that_the_distribution_never_had_is_refused(distro: str, text: str) -> None:
    refused = typed_answer.parse(BASE, "client.release", text, {"client.distro": distro})
    assert "has no release" in str(refused.problem).lower()
    example = typed_answer.form_of(BASE, "client.release", {"client.distro": distro}).examples[0]
    assert example in str(refused.problem), "it says what to write instead"
    assert typed_answer.parse(BASE, "client.release", text).problem is None, "nothing is known of the distribution"


@each(lambda: [
    ("rhel", "9"), ("rhel", "9.4"), ("rhel", "8.10"), ("rhel", "7.9.2009"), ("rhel", "10.1"), ("rhel", ">=8 <10"),
    ("debian", "12"), ("debian", "11.9"), ("ubuntu", "24.04.1"), ("sles", "15 SP5"), ("amazon", "2023.5"),
    ("fedora", "41"), ("alpine", "3.20.1"), ("other", "1"),
])
def test_a_release_of_the_distribution_is_taken(distro: str, text: str) -> None:
    assert typed_answer.parse(BASE, "client.release", text, {"client.distro": distro}).problem is None


@pytest.mark.parametrize("fact", ["client.release", "server.release"])
def test_the_examples_of_a_release_are_releases_of_that_distribution(fact: str) -> None:
    distro = fact.replace("release", "distro")
    for form in BASE.facts[fact].forms:
        for example in form.examples:
            assert typed_answer.parse(BASE, fact, example, dict(form.given)).problem is None
        assert set(form.given) == {distro}


@pytest.mark.parametrize(("server", "export", "platform"), [
    ("diskstation.local", "/volume1", "synology"), ("nas1", "/volume2/media", "synology"),
    ("truenas.lan", "/mnt/t", "truenas"), ("isilon-01.example", "/ifs", "powerscale"), ("nas1", "/export", None),
    ("volume1", "/data/volume1", None),
])
def test_a_name_suggests_a_platform_and_answers_nothing(server: str, export: str, platform: str | None) -> None:
    session = use_text(BASE, state.start(), f"{server}:{export} /mnt/data")
    assert list(questions.guesses(BASE, session.answers.names)) == ([platform] if platform else [])
    assert questions.PLATFORM not in session.answers.facts
    plain = questions.values_to_choose(BASE, state.go(state.start(), None), questions.PLATFORM)
    offered = questions.values_to_choose(BASE, session, questions.PLATFORM)
    assert [one.value for one in offered] == [one.value for one in plain], "each keeps its digit"
    assert [one.value for one in offered if one.guess] == ([platform] if platform else [])
    choices = steps.answer_choices(BASE, session, questions.PLATFORM)
    assert steps.keys_of(choices)[:2] == (["0", "1"] if platform else ["1", "2"])
    assert steps.typed_keys(choices)[:2] == (["0", "1"] if platform else ["1", "2"])


@pytest.mark.parametrize("text", ["RHEL 9", "9", "Debian 12", "7"])
def test_a_release_of_a_distribution_is_no_kernel(text: str) -> None:
    told = typed_answer.parse(BASE, "client.kernel", text)
    assert told.value is None
    assert "is none; one looks like 6.12" in str(told.problem)
    assert typed_answer.parse(BASE, "client.kernel", "5.14.0-427.el9_4").value == "5.14.0-427.el9_4"
    assert typed_answer.parse(BASE, "client.kernel", ">=5 <6.2").value == ">=5 <6.2"


@pytest.mark.parametrize(("line", "cloud"), [
    ("fs-0123.efs.eu-west-1.amazonaws.com:/ /var/www", "aws"), ("nas1:/data /mnt/data", "none"),
])
def test_the_likeliest_cloud_comes_first(line: str, cloud: str) -> None:
    session = use_text(BASE, state.start(), line)
    assert questions.values_to_choose(BASE, session, "network.cloud")[0].value == cloud


def test_a_server_has_an_entry_of_its_own() -> None:
    server = mounts.configure_server(BASE, state.start())
    assert server.answers.facts == {"host.role": "nfs-server"}
    assert questions.current_question(BASE, server) == questions.PLATFORM
    assert questions.values_to_choose(BASE, server, questions.PLATFORM)[0].value == "knfsd"
    knfsd = state.answer(BASE, state.start(), questions.PLATFORM, "knfsd")
    clients = state.answer(BASE, knfsd, "host.role", "nfs-client")
    both = mounts.configure_server(BASE, clients)
    assert (both.answers.facts["host.role"], both.other_side is not None) == ("nfs-server", True)
    with pytest.raises(state.Refused):
        mounts.configure_server(BASE, state.answer(BASE, state.start(), questions.PLATFORM, "anf"))

"""A diagnosis: what points to a cause, and the checks and questions that follow."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cli import main
from advisor.diagnose.diagnosis import ASK, CANNOT, NONE_OF_THEM, Diagnosis, DiagnosisStep, NextCheck, _words
from advisor.diagnose.evidence import SeenMessage, StatedFact, TextEvidence
from advisor.diagnose.score import CONFIRMED, Scores, rank
from advisor.rulebase.base import load
from advisor.rulebase.model import Cause, CauseCheck, RuleBase
from tests.tiers import examples, some, thorough

WORDS = sorted({word for one in load().phrases.values() for words in one.words for word in words})
DENIED = "mount.nfs: access denied by server while mounting nas:/srv/data"


@examples(20, 200)
@given(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from(["", DENIED, "ls hangs on the mount"]))
def test_likelihoods_are_shares_of_which_something_else_has_one(words: list[str], message: str) -> None:
    told = Diagnosis(load(), f"{', '.join(words)}\n\n{message}")
    leaves = [one.likelihood for one in told.causes if isinstance(one.cause, Cause)]
    assert sum(leaves) <= 1.0001
    first = told.leading()
    assert first is None or all(one.likelihood <= first.likelihood for one in told.causes)
    if not told.evidence.problems() and not told.confirmed() and not told.evidence.is_about_trouble():
        assert told.causes == []


def test_every_word_of_an_answer_says_what_speaks_for_it(base: RuleBase) -> None:
    told = Diagnosis(base, f"{DENIED}\nAs root I cannot chown")
    assert all(one.evidence for one in told.causes[:3])
    again = Diagnosis(base, f"{DENIED}\nAs root I cannot chown")
    assert told.causes == again.causes


@pytest.mark.parametrize("text", [
    "kubernetes is great",
    "apache works fine on my nfs docker ganesha container kubernetes host, thanks",
    "Synology with Docker, a firewall and many users",
])
def test_praise_of_a_platform_is_no_trouble(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", text]) == 1
    assert "Nothing here" in capsys.readouterr().out


def test_surroundings_weigh_the_causes_of_a_message(base: RuleBase) -> None:
    denied = "mount.nfs: Operation not permitted"
    plain = {one.cause.id: one.likelihood for one in Diagnosis(base, denied).causes}
    inside = {one.cause.id: one.likelihood for one in Diagnosis(base, f"{denied} in an unprivileged LXC").causes}
    assert inside["lxc-unprivileged-mount"] > plain["lxc-unprivileged-mount"]


UDP = "mount -o vers=3,udp nas:/p /mnt"


@pytest.mark.parametrize(("said", "first"), [
    ("requested NFS version or transport protocol is not supported", "udp-not-served"),
    ("an incorrect mount option was specified", "udp-not-built"),
])
def test_a_dangerous_option_is_no_proof(base: RuleBase, said: str, first: str) -> None:
    told = Diagnosis(base, f"{UDP}\nmount.nfs: {said}")
    assert (told.confirmed(), told.causes[0].cause.id) == ([], first)


def test_several_messages_of_one_line_count_once(base: RuleBase) -> None:
    """What one event printed is no more certain for having two names."""
    def errors(cause: Cause) -> list[str]:
        return [name for name in cause.explains if base.messages[name].kind == "error"]

    several = [one for one in base.causes.values() if len(errors(one)) > 1]
    cause = max(several, key=lambda one: sum(one.explains.values()))

    def likelihood(*lines: int) -> float:
        evidence = TextEvidence()
        evidence.seen = {name: SeenMessage(base.messages[name], at, "") for name, at in zip(errors(cause), lines)}
        return next(one.likelihood for one in rank(base, evidence) if one.cause is cause)

    assert likelihood(1, 2) > likelihood(1, 1)


@pytest.mark.parametrize("line", some((
    UDP, "mount -o soft,timeo=1 nas:/p /mnt", "mount -o noac,sync nas:/p /mnt", "mount -o vers=2 nas:/p /mnt",
    "mount -o nconect=4 nas:/p /mnt", "/srv 192.168.1/24(rw)", "/srv/a 10.0.0.5/24(rw)",
), 4))
def test_only_an_error_in_the_configuration_confirms(base: RuleBase, line: str) -> None:
    wrong = "mount.nfs: an incorrect mount option was specified"
    for text in ("", "ls hangs on the mount", "NFS is slow", DENIED, wrong):
        told = Diagnosis(base, f"{line}\n\n{text}")
        findings = [one.finding for one in told.evidence.configuration.findings]
        errors = {one.rule for one in findings if one.severity == "error"}
        for one in told.causes:
            if one.status == CONFIRMED:
                assert {name for kind, name, _ in one.because if kind == "finding"} <= errors, text
    assert Diagnosis(base, f"mount -o nconect=4 nas:/p /mnt\n{wrong}").confirmed()


FAILED = "Error response from daemon: failed to mount local volume: mount"
MOUNTED = "/var/lib/docker/volumes/v/_data"


def likely(told: Diagnosis) -> list[str]:
    """The causes that are at least a fifth as likely as the first."""
    leaves = [one for one in told.possible() if isinstance(one.cause, Cause)]
    return [one.cause.id for one in leaves if one.likelihood > leaves[0].likelihood / 5]


SOURCES = (":/exports/c", "10.0.0.4:/exports/c", "nas:/exports/c", "[2001:db8::4]:/exports/c")
BEHIND = ("", ", data: addr=10.0.0.4", ", flags: 0x1, data: addr=10.0.0.4,nfsvers=4")


@pytest.mark.parametrize(("source", "rest"), some(product(SOURCES, BEHIND), 5))
@pytest.mark.parametrize(("errno", "cause"), [
    ("permission denied", "export-other-clients"), ("no such file or directory", "path-not-exported"),
    ("connection refused", "nfsd-not-running"), ("connection timed out", "server-firewall"),
    ("invalid argument", "docker-option-for-helper"), ("protocol not supported", "server-version-off"),
    ("no such device", "kernel-without-nfs"), ("stale NFS file handle", "export-made-anew"),
    ("input/output error", "server-v3-only"), ("operation not permitted", "source-port-above-1023"),
])
def test_docker_mounts_as_the_host_does(base: RuleBase, source: str, rest: str, errno: str, cause: str) -> None:
    told = Diagnosis(base, f"{FAILED} {source}:{MOUNTED}{rest}: {errno}")
    named = likely(told)
    assert cause in named[:4], named
    assert not {"root-squash", "groups-over-16", "no-capability-to-mount", "source-without-server"} & set(named)
    assert not told.evidence.unknown


@pytest.mark.parametrize(("data", "asked"), [
    ("", True), (", data: nfsvers=4", True), (", data: addr=10.0.0.4,nfsvers=4", False),
    (", data: rw,addr=10.0.0.4", False),
])
def test_an_address_that_is_there_is_not_asked_for(base: RuleBase, data: str, asked: bool) -> None:
    told = Diagnosis(base, f"{FAILED} :/exports/c:{MOUNTED}{data}: invalid argument")
    assert ("docker-volume-needs-address" in likely(told)) is asked


@pytest.mark.parametrize("source", ["//nas/share", "/srv/data"])
def test_other_volumes_of_docker_are_not_taken_for_nfs(base: RuleBase, source: str) -> None:
    told = Diagnosis(base, f"{FAILED} {source}:{MOUNTED}, flags: 0x1000: no such file or directory")
    assert told.causes == []


def test_a_check_that_shows_a_cause_confirms_it_and_rules_out_its_neighbours(base: RuleBase) -> None:
    told = Diagnosis(base, DENIED)
    following = told.next_check()
    assert following is not None
    shown, *others = following.tells
    told.add_outcome(following.check.do, shown)
    assert [one.cause.id for one in told.confirmed()] == [shown]
    assert {one.cause.id for one in told.causes if one.status == "ruled-out"} >= set(others)
    assert told.next_check() is None


@pytest.mark.parametrize("text", [
    DENIED, "kernel: INFO: task cp:12 blocked for more than 120 seconds.", "mount.nfs: No route to host",
    "touch: cannot touch '/mnt/nas/x': Read-only file system", "nfs: server nas1 not responding, still trying",
])
def test_the_check_is_that_of_the_answer(base: RuleBase, text: str) -> None:
    told = Diagnosis(base, text)
    following, first = told.next_check(), told.leading()
    assert first is not None
    assert following is not None
    assert following.check == first.cause.check


def test_what_an_attempt_returned_is_the_message_of_its_error(base: RuleBase) -> None:
    def found(text: str) -> set[str]:
        seen = Diagnosis(base, text).evidence.problems()
        return {one.message.errno for one in seen if one.message.errno and not one.nearly and not one.message.words}

    texts = {text: name for text, name in base.reading["errors"].items() if text.isascii()}
    for name in {one.errno for one in base.messages.values() if one.program == "mount.nfs" and one.errno}:
        english = next(text for text, of in texts.items() if of == name)
        if found(f"mount.nfs: {english}"):
            assert found(f"mount.nfs4: mount(2): {english}") == {name}, english


def test_checks_come_to_an_end_whatever_is_answered(base: RuleBase) -> None:
    for outcome in (NONE_OF_THEM, CANNOT):
        told = Diagnosis(base, DENIED)
        seen = []
        while (following := told.next_check()) is not None:
            assert following.check.do not in seen
            seen.append(following.check.do)
            told.add_outcome(following.check.do, outcome)
        assert seen
        assert told.confirmed() == []
        assert bool([one for one in told.possible() if one.cause.check.do in seen]) is (outcome == CANNOT)


def test_what_is_stated_never_confirms_or_rules_out(base: RuleBase) -> None:
    before = {one.cause.id: one.status for one in Diagnosis(base, DENIED).causes}
    told = Diagnosis(base, DENIED)
    for _ in range(20):
        question = told.question()
        if question is None:
            break
        told.add_fact(question.fact.id, question.values[0])  # type: ignore[arg-type]
    assert {one.cause.id: one.status for one in told.causes} == before


def test_explain_leads_from_a_message_to_its_causes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", DENIED]) == 0
    assert "check, server" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["ESTALE", "nas1:/a /mnt nfs defaults 0 0"])
def test_explain_sends_an_error_to_diagnose(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 2
    told = capsys.readouterr().err
    assert "advisor diagnose" in told
    assert "did you mean" not in told


def test_a_line_of_exports_alone_is_about_nfs_and_says_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "/srv/data 10.0.0.0/24(rw,sync)"]) == 1
    assert capsys.readouterr().out.startswith("Nothing here says what is wrong")


@pytest.mark.parametrize("pick", [0, -1, pytest.param(-2, marks=thorough)])
def test_steps_come_to_an_end_and_offer_a_way_around_each(base: RuleBase, pick: int) -> None:
    told = Diagnosis(base, DENIED)
    seen = []
    while (step := told.step()) is not None:
        assert step.do not in seen
        seen.append(step.do)
        assert step.choices[-1][0] in (CANNOT, None)
        told.choose(step, step.choices[pick][0])
    assert seen
    assert bool(told.confirmed()) is (pick == 0)


@pytest.mark.parametrize(("line", "said", "confirmed"), [
    ("/srv 10.0.0.0/0(rw)", DENIED, ["export-prefix-zero"]),
    ("/srv 10.0.0.0/0(rw)", "", ["export-prefix-zero"]),
    ("/srv 10.0.0.0/0(rw)", "The listing of the mount is slow", []),
    ("mount -o nconect=4 nas:/p /mnt", "The listing of the mount is slow", []),
    ("/srv 10.0.0.0/8(rw,sync)", DENIED, []),
])
def test_a_line_that_cannot_work_is_a_cause_where_it_fits(
    base: RuleBase, line: str, said: str, confirmed: list[str]
) -> None:
    told = Diagnosis(base, f"{line}\n\n{said}")
    assert [one.cause.id for one in told.confirmed()] == confirmed
    assert all(one.because[0][0] == "finding" for one in told.confirmed())
    if confirmed:
        assert "cannot work" in told.confirmed()[0].cause.title


CHOWN = "chown: changing ownership of '/mnt/x': Operation not permitted"
EPERM = "mount.nfs: Operation not permitted"


@pytest.mark.parametrize(("text", "excluding", "cause"), [
    (CHOWN, "/srv 10.0.0.0/8(rw,no_root_squash)", "root-squash"),
    (CHOWN, "With all_squash it works.", "all-squash"),
    ("touch: cannot touch '/mnt/x': Read-only file system", "/srv 10.0.0.0/8(rw,sync)", "export-read-only"),
    (f"In the container: {EPERM}", "It runs with --cap-add SYS_ADMIN.", "no-capability-to-mount"),
    ("mount.nfs: Protocol not supported", "mount -o vers=3 nas:/p /mnt", "kernel-regression-v41"),
    ("mount.nfs: rpc.statd is not running but is required for remote locking.", "But rpc.statd is running.",
     "statd-not-running"),
    ("ls: Permission denied. It is mounted with sec=krb5.", "As an ordinary user it works.", "gssd-not-running"),
    ("mount.nfs: Connection timed out", DENIED, "server-firewall"),
])
def test_what_is_said_and_shown_speaks_against_a_cause(base: RuleBase, text: str, excluding: str, cause: str) -> None:
    def factors(told: str) -> float:
        return Scores(base, Diagnosis(base, told).evidence).factors(base.causes[cause])

    assert factors(f"{text}\n\n{excluding}") < factors(text) - 0.5


def test_what_a_server_proves_is_asked_only_if_it_is_named(base: RuleBase) -> None:
    for text, able, offered in ((DENIED, True, True), (DENIED, False, False), ("access denied by server", True, False)):
        told = Diagnosis(base, text)
        told.ask_server = (lambda server, path: {}) if able else None
        assert told.decided_by_probe() != []
        step = told.step()
        assert step is not None
        assert (ASK in [value for value, _ in step.choices]) is offered


def test_a_tunnel_of_this_host_is_not_asked_for_its_exports(base: RuleBase) -> None:
    told = Diagnosis(base, "mount.nfs4: access denied by server while mounting 127.0.0.1:/")
    assert [one.cause.id for one in told.causes[:1]] == ["cloud-policy-refuses"]
    assert "not-admitted" not in {one.family for one in told.causes[:3]}
    assert told.decided_by_probe() == []
    assert "SERVER" not in told.evidence.places()


@pytest.mark.parametrize(("printed", "shown"), [
    ("rpc.mountd: refused mount request from 10.0.0.9 for /srv/data (/): unmatched host", "export-other-clients"),
    ("rpc.mountd: refused mount request from 10.0.0.9 for /srv/data (/): illegal port 50001", "source-port-above-1023"),
])
def test_what_a_check_printed_decides(base: RuleBase, printed: str, shown: str) -> None:
    told = Diagnosis(base, DENIED)
    step = told.step()
    assert step is not None
    assert told.add_output(step, printed)
    assert told.causes[0].cause.id == shown
    assert told.causes[0].likelihood > Diagnosis(base, DENIED).causes[0].likelihood
    following = told.step()
    assert following is None or following.do != step.do


def test_what_tells_nothing_leaves_the_check_open(base: RuleBase) -> None:
    told = Diagnosis(base, DENIED)
    step = told.step()
    assert step is not None
    assert not told.add_output(step, "total 0")
    assert told.step() == step


def test_outcomes_name_their_causes_unless_there_is_but_one() -> None:
    check = CauseCheck(on="client", do="Look", tells="")
    one = NextCheck(check, {"a": "this cause"}, {"a": "A"})
    assert one.outcomes() == one.outcomes("a") == ["this cause"]
    assert one.outcomes("b") == ["A: this cause"]
    alike = NextCheck(check, {"a": "this cause", "b": "this cause"}, {"a": "A", "b": "B"})
    assert alike.outcomes() == alike.outcomes("c") == ["this cause"]
    apart = NextCheck(check, {"a": "yes", "b": "no", "c": "yes", "d": "maybe"}, dict(zip("abcd", "ABCD")))
    assert apart.outcomes() == ["A, or C: yes", "B: no"]


def test_a_question_takes_an_answer_or_what_the_server_proved(base: RuleBase) -> None:
    told = Diagnosis(base, "mount.nfs: access denied by server while mounting nas:/srv")
    told.ask_server = lambda server, path: {"probe.path": [server, path]}
    ranked: list[str] = []
    told._rank = lambda: ranked.append("again")  # type: ignore[method-assign]
    question = DiagnosisStep("Which?", "", [], (), "storage.platform")
    told.choose(question, "anf")
    assert told.evidence.stated[-1] == StatedFact("storage.platform", "anf", 0)
    assert "storage.platform" in told._asked
    said = len(told.evidence.stated)
    told.choose(question._replace(fact="client.kernel"), None)
    assert (len(told.evidence.stated), "client.kernel" in told._asked, ranked) == (said, True, ["again"])
    told.choose(question, ASK)
    assert told.evidence.read[-1] == StatedFact("probe.path", ["nas", "/srv"], 0)
    told.choose(question, {"probe.v3": True})
    assert told.evidence.read[-1] == StatedFact("probe.v3", True, 0)
    assert ranked == ["again"] * 3
    told.ask_server = None
    assert told.asked() == {}


def test_answers_in_words(base: RuleBase) -> None:
    platform = base.facts["storage.platform"]
    assert [_words(platform, value) for value in (True, False, "anf", "x")] == [
        "Yes", "No", (platform.values or {})["anf"], "x"]

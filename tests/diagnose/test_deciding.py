"""What the readers of a text decide, with words and versions made up for them: whose a version is, whether the trouble
was there with it, which fault it is in, which message is the stronger, and what is left out of a report."""

from __future__ import annotations

from math import exp, log
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.diagnose import configuration, diagnosis, evidence, faults, logs, messages, score
from advisor.diagnose.evidence import Reader
from advisor.diagnose.faults import FaultFinder, FoundFault
from advisor.diagnose.messages import Masks, MessageHit, TextMatch, pasted_lines, time_of, without_prompt
from advisor.diagnose.versions import AFTER, BEFORE, NOW, Version, VersionReader, hosts, version_facts
from advisor.rulebase.base import load
from advisor.rulebase.model import Tunable
from tests.each import each

BASE = load()
LISTS = {
    "kernel": "kernel linux", "nfs-utils": "nfs-utils", "clients": "client clients", "servers": "server nas",
    "well": "worked works fine", "denied": "not never", "cured": "fixed fixes", "back": "downgrading",
    "absent": "affect", "fillers": "is version the linux", "cues": "running", "architectures": ".x86_64 -amd64",
}
READER = VersionReader(BASE.facts["client.distro"], {f"version-{name}": frozenset(words.split())
                                                     for name, words in LISTS.items()})


def when(sentence: str) -> list[str]:
    """Of each number of a sentence, whether the trouble is there with it."""
    words = sentence.split()
    low = [word.strip(",.").lower() for word in words]
    numbers = [at for at, word in enumerate(low) if word[:1].isdigit()]
    return [READER._when(low, at, numbers, words) for at in numbers]


@each(lambda: [
    ("kernel 6.8 hangs", [NOW]), ("it worked with 5.15", [BEFORE]), ("5.15 never worked", [NOW]),
    ("5.15 is not affected", [BEFORE]), ("until 5.15 all was well", [BEFORE]), ("fixed in 6.9", [AFTER]),
    ("6.9 fixes it", [NOW]), ("from 6.8 to 6.9", [BEFORE, NOW]), ("6.8 -> 6.9", [BEFORE, NOW]),
    ("6.9 from 6.8", [NOW, BEFORE]), ("fixed from 6.8 to 6.9", [NOW, AFTER]),
    ("downgrading from 6.9 to 6.8", [NOW, BEFORE]), ("it worked with 5.15, but 6.8 hangs", [BEFORE, NOW]),
    ("6.8 hangs while 5.15 works", [NOW, BEFORE]), ("5.15 fine, 6.8 hangs", [BEFORE, NOW]),
    ("downgrading to 5.15 helps", [BEFORE]),
])
def test_whether_the_trouble_was_there_with_a_version(sentence: str, expected: list[str]) -> None:
    assert when(sentence) == expected


@each(lambda: [
    ("server 6.8", "", ("server",)), ("6.8 server", "", ("server",)), ("6.8", "client", ("client",)),
    ("6.8", "", ("",)), ("server 6.8", "client", ("server",)), ("client and server 6.8", "", ("client", "server")),
    ("client and server run 6.8", "", ("client", "server")), ("client and server that run 6.8", "", ("server",)),
    ("client or server 6.8", "", ("server",)), ("both run 6.8", "client", ("client", "server")),
    ("6.8 on one two three server", "", ("",)),  # too far behind
    ("6.8 on one two server", "", ("server",)), ("enterprise linux server 6.8", "", ("",)),
])
def test_whose_a_version_is(sentence: str, heading: str, sides: tuple[str, ...]) -> None:
    low = sentence.split()
    at = low.index("6.8")
    assert READER._side(low, at, 0, len(low), heading) == sides


@each(lambda: [
    ("kernel 6.8", ("kernel", "6.8", "")), ("nfs-utils version is 2.6.2", ("nfs-utils", "2.6.2", "")),
    ("kernel v6.8", ("kernel", "6.8", "")), ("kernel 6", ("", "", "")), ("kernel of 6.8", ("", "", "")),
    ("debian 12", ("release", "12", "debian")), ("sles 15 sp5", ("release", "15.5", "sles")),
    ("sles 15 spx", ("release", "15", "sles")), ("rhel8.6", ("release", "8.6", "rhel")),
    ("debian 1:2.6-4", ("", "", "")), ("ubuntu linux 22.04", ("release", "22.04", "ubuntu")), ("host 12", ("", "", "")),
])
def test_what_a_number_is_a_version_of(sentence: str, named: tuple[str, str, str]) -> None:
    low = sentence.split()
    at = next((at for at, word in enumerate(low) if word[:1].isdigit() or word[:2] == "v6"), 0)
    assert READER._named(low, at) == named


def test_a_release_has_no_architecture_and_no_place_for_any_number() -> None:
    told = {"6.1.0-28-amd64": "6.1.0-28", "2.5.4-26.el9.x86_64": "2.5.4-26.el9", "6.6.x": "6.6", "6.6.*": "6.6",
            "6.8+": "6.8", "6.8.": "6.8", "6.8.y-": "6.8"}
    assert {text: READER._release(text) for text in told} == told


def version(
    text: str, side: str = "client", at: str = NOW, *, package: str = "kernel", line: int = 1, distro: str = ""
) -> Version:
    return Version(package, text, side, at, line, True, distro)


def test_a_version_that_a_host_runs_now_is_a_fact_of_its_side() -> None:
    told = [version("6.1"), version("5.15", at=BEFORE), version("6.8", side=""), version("12", package="release",
            distro="debian"), version("6.1.119-1", "server", distro="debian")]
    facts = [(one.text, fact, value) for one, fact, value in version_facts(BASE, told)]
    assert ("6.1", "client.kernel", "6.1") in facts
    assert {text for text, *_ in facts} == {"6.1", "12", "6.1.119-1"}
    assert ("12", "client.distro", "debian") in facts
    assert ("6.1.119-1", "server.kernel_stream", "debian") in facts


def test_several_versions_may_each_be_meant_and_one_without_a_side_is_of_both() -> None:
    assert hosts(BASE, [version("6.1"), version("6.8")], ())["client.kernel"] == ["6.1", "6.8"]
    both = hosts(BASE, [version("6.1", side="")], ())
    assert (both["client.kernel"], both["server.kernel"]) == ("6.1", "6.1")
    assert hosts(BASE, [version("6.1", at=AFTER), version("5.15", at=BEFORE)], ())["client.kernel"] == "6.1"
    assert hosts(BASE, [version("6.1", at=AFTER), version("6.8")], ())["client.kernel"] == "6.8"
    ships = ("debian 12 1:2.6.2-4", "debian 1 9.9")
    debian = hosts(BASE, [version("12", package="release", distro="debian")], ships)
    assert debian["client.nfs_utils"] == "1:2.6.2-4"


def hit(name: str, start: int, end: int, weight: int = 5, own: int = 5, *, own_end: int = 0, **more: Any) -> MessageHit:
    message: Any = SimpleNamespace(**{"id": name, "same_text": (), "legacy": 0, "generic": False, **more})
    return MessageHit(message, TextMatch(start, end, own_end or end, {}), weight, own)


@each(lambda: [
    ([hit("a", 0, 5), hit("b", 5, 9)], "ab"), ([hit("a", 0, 6), hit("b", 5, 9)], "a"),
    ([hit("a", 5, 9), hit("b", 0, 6)], "a"), ([hit("a", 0, 9, own_end=4), hit("b", 5, 9)], "ab"),
    ([hit("a", 0, 9, own_end=4, generic=True), hit("b", 5, 9)], "a"),
    ([hit("a", 0, 6), hit("b", 0, 6, same_text=("a",))], "ab"),
    ([hit("a", 0, 6, same_text=("b",)), hit("b", 0, 6)], "ab"),
    ([hit("a", 0, 6, same_text=("c",)), hit("b", 0, 6)], "a"),
    ([hit("a", 0, 6, 7), hit("b", 0, 6, same_text=("a",))], "a"),  # a program's name tells them apart
    ([hit("a", 0, 6), hit("b", 0, 9), hit("c", 7, 9)], "ac"),  # what is dropped hides nothing
])
def test_of_two_messages_that_overlap_the_first_is_kept(hits: list[MessageHit], kept: str) -> None:
    assert "".join(one.message.id for one in messages._outermost(hits)) == kept


def test_the_stronger_message_has_more_weight_then_more_own_letters_then_more_length() -> None:
    order = [hit("a", 0, 1, 9), hit("b", 0, 9, 5, 4), hit("c", 0, 8, 5, 4), hit("d", 0, 9, 5, 3), hit("e", 0, 9, 9, 9)]
    order[-1].message.legacy = 5
    order[-1] = order[-1]._replace(own=2)
    assert [one.message.id for one in sorted(order, key=messages._strength, reverse=True)] == ["a", "b", "c", "d", "e"]
    match = TextMatch(0, 9, 9, {"errno": "No route", "errno2": "x 1", "path": "/abc"})
    assert messages._error_letters(match) == 8


@each(lambda: [
    ("any", "", True), ("server", "nas", True), ("server", "a/b", False), ("server", "<a/b>", True),
    ("server", "", True),
    ("path", "/a", True), ("path", "a", False), ("path", "$DIR", True), ("path", "<dir>", True), ("path", "", False),
    ("number", "0x1f", True), ("number", "1f", False), ("number", "-5", True), ("number", "0x", False),
    ("number", "1 2", False), ("number", "+", False), ("version", "4.1", True), ("version", "v4", True),
    ("version", "vx", False), ("version", "x4", False), ("errno", "unknown error 5", True), ("errno", "no route", True),
    ("errno", "other", False), ("word", "x", True), ("word", "x y", False),
])
def test_a_text_fits_a_field_of_its_kind(kind: str, text: str, fits: bool) -> None:
    pattern: Any = SimpleNamespace(_errors={"no route": "EHOSTUNREACH"})
    assert messages.TextPattern._fits(pattern, kind, text) is fits


def test_words_of_a_message_follow_each_other_with_few_others_between() -> None:
    def rarity(said: str, slack: int = 0) -> float:
        return messages._in_order(said.split(), ["a", "b", "c"], {"a": 1.0, "b": 2.0, "c": 4.0}, slack)

    assert [rarity("a b c"), rarity("x a b c"), rarity("a b x c"), rarity("a b x c", 1)] == [7.0, 7.0, 0.0, 7.0]
    assert [rarity("a b"), rarity("c b a"), rarity("x y")] == [0.0, 0.0, 0.0], "not the rarest, or too few in order"


def test_lines_of_a_log_with_one_of_the_words() -> None:
    low = b"first nfs line\nsecond\nthird rpc nfs\nlast nfs"
    assert logs._with_one_of([b"nfs", b"rpc"], low) == {0: 14, 22: 35, 36: 44}
    assert logs._with_one_of([b"x"], low) == {}
    assert logs._with_one_of([b"nfs"], b"nfs x\nnfs nfs\n") == {0: 5, 6: 13}


@each(lambda: [
    ("$ mount -a", "mount -a"), ("# a comment", "# a comment"), ("[root@nas ~]# mount", "mount"),
    ("[ 1.2] nfs: x", "[ 1.2] nfs: x"), ("root@nas:~# mount -a", "mount -a"), ("me@nas:/srv$ ls", "ls"),
    ("me@nas:/srv$ ls # all", "ls # all"), ("[me@nas] x", "[me@nas] x"), ("[a]# x", "[a]# x"),
    ("nas:/srv$ x", "nas:/srv$ x"),
    ("mail me@nas: it hangs # often", "mail me@nas: it hangs # often"), ("root@nas# x", "root@nas# x"),
])
def test_the_prompt_of_a_shell_is_no_part_of_a_line(line: str, left: str) -> None:
    assert without_prompt(line) == left


def test_lines_as_they_are_pasted() -> None:
    told = [(one.number, one.text, one.fenced) for one in pasted_lines("> > a\n```\nb \\n$ c\n```\n>> /x\nd\n>\n")]
    assert told == [(1, "a", False), (2, "", True), (3, "b", True), (3, "c", True), (4, "", False), (5, "/x", False),
                    (6, "d", False), (7, "", False)]
    assert time_of("Nov 22 10:11:12 nas kernel: x") == "Nov 22 10:11:12"


def test_the_same_name_has_the_same_mask_in_a_whole_report() -> None:
    masked = Masks(["web1"])
    assert masked("192.0.2.7 and 192.0.2.8, 192.0.2.7") == "address-1 and address-2, address-1"
    assert masked("fd00::7 at 10:11:12") == "address-3 at 10:11:12", "a time is no address"
    assert masked("nas.example.com web1 NAS.example.com other") == "host-1 host-2 host-1 other"
    assert masked("mount.nfs nfs.conf 6.1.0") == "mount.nfs nfs.conf 6.1.0"
    no_hosts = "wait...what 6.1.x86 file.c 1.2.3a a."
    assert masked(no_hosts) == no_hosts
    assert masked("password=geheim") == "password=…"
    assert masked("host-1 address-1") == "host-1 address-1", "a mask is not masked again"


def erratum(**more: Any) -> Any:
    return SimpleNamespace(**{"facts": ("client.kernel",), "when": {}, **more})


@each(lambda: [
    ([], (faults.OPEN, False, 0)),
    ([("in", "client", NOW)], (faults.INSIDE, False, 1)),
    ([("out", "client", NOW)], (faults.OUTSIDE, False, 0)),
    ([("in", "server", NOW)], (faults.OPEN, False, 0)),  # the other side's
    ([("in", "", NOW)], (faults.INSIDE, False, 1)),
    ([("in", "", NOW), ("out", "client", NOW)], (faults.OUTSIDE, False, 0)),  # one of its own goes before
    ([("in", "client", BEFORE), ("in", "client", NOW)], (faults.OUTSIDE, False, 0)),  # it worked with the fault
    ([("out", "client", BEFORE), ("in", "client", NOW)], (faults.INSIDE, True, 2)),  # it began in between
    ([("out", "client", NOW), ("in", "client", NOW)], (faults.INSIDE, False, 2)),
    ([("out", "client", BEFORE)], (faults.OPEN, False, 0)),
])
def test_whether_the_versions_of_a_text_are_in_the_range(versions: Any, expected: Any) -> None:
    finder: Any = SimpleNamespace(
        _verdict=lambda erratum, fact, one: faults.INSIDE if one.text == "in" else faults.OUTSIDE)
    told = [version(*one, line=number) for number, one in enumerate(versions, 1)]
    assert FaultFinder._versions(finder, erratum(), told) == expected
    other = [one._replace(package="nfs-utils") for one in told]
    assert FaultFinder._versions(finder, erratum(), other) == (faults.OPEN, False, 0)


def test_a_fault_whose_condition_the_text_denies_is_none() -> None:
    finder: Any = SimpleNamespace(base=BASE)
    when = {"mount.vers": "4.2", "no.such": True}

    def contradicted(**known: Any) -> bool:
        return FaultFinder._contradicted(finder, erratum(when=when), {name.replace("_", "."): value
                                                                      for name, value in known.items()})

    assert [contradicted(), contradicted(mount_vers="4.2"), contradicted(mount_vers="3"),
            contradicted(mount_vers=["3", "4.2"]), contradicted(no_such=False)] == [False, False, True, False, False]


def test_faults_share_what_is_left_by_something_else() -> None:
    told = [FoundFault(erratum(), weight, False, (), False) for weight in (2.0, 1.0, 0.0, -1.0)]
    shared, whole = faults.shares(told), 1 + exp(2) + exp(1)
    assert [fault.weight for fault, _ in shared] == [2.0, 1.0]
    assert [share for _, share in shared] == pytest.approx([exp(2) / whole, exp(1) / whole])
    assert len(faults.shares([told[0]] * 9)) == 5


@each(lambda: [
    ("kernel-file", "kernel-file.x", "nfsd said", True), ("kernel-file", "kernel-file.x", "it said", False),
    ("service", "service.bg", "bg", True), ("mount-option", "mount.vers_4", "it", True),
    ("mount-option", "mount.hard", "it", False), ("mount-option", "mount.lookupcache", "it", True),
    ("mount-option", "mount.retry", "it", False), ("mount-option", "mount.nofail", "it", True),
    ("nfs.conf", "nfs.conf.nfsd.threads", "rpc.nfsd threads", True), ("nfs.conf", "nfs.conf.nfsd.threads", "x", False),
    ("nfs.conf", "nfs.conf.nfsd.threads", "nfsd threads", True),
])
def test_a_word_is_a_setting_and_no_everyday_word(kind: str, name: str, line: str, meant: bool) -> None:
    tunable = Tunable.from_data({"id": name, "kind": kind, "title": "X"})
    key = {"mount.vers_4": "vers4"}.get(name, name.rpartition(".")[2])
    assert faults._is_meant(tunable, key, {*line.split()}) is meant


def test_an_option_is_filled_in_where_it_has_to_have_a_value() -> None:
    def filled(takes: str, **more: Any) -> str:
        told = {"id": "mount.x", "kind": "mount-option", "title": "X", "forms": [{"spelling": "x", "takes": takes}]}
        return faults._filled(Tunable.from_data({**told, **more}), "x")

    assert [filled("none"), filled("value", values=["a", "b"]), filled("value", minimum=4), filled("value")] == [
        "x", "x=a", "x=4", "x=1"]


def ranked(name: str, likelihood: float = 0.1, status: str = score.POSSIBLE, family: str = "f") -> score.RankedCause:
    cause: Any = SimpleNamespace(id=name)
    return score.RankedCause(cause, status, likelihood, (), (), family)


def test_shares_are_of_what_is_not_ruled_out_and_what_is_confirmed_comes_first() -> None:
    told = score._shares([(100, ranked("b")), (0, ranked("c")), (500, ranked("d", status=score.RULED_OUT)),
                          (0, ranked("a", status=score.CONFIRMED)), (0, ranked("aa"))])
    assert [one.cause.id for one in told] == ["a", "b", "aa", "c", "d"]
    assert sum(one.likelihood for one in told) == pytest.approx(1)
    assert told[1].likelihood / told[2].likelihood == pytest.approx(exp(1))
    assert told[-1].likelihood == 0


def test_what_tells_how_sure_the_first_is() -> None:
    one, odds_of, odds_of_kin, explains, because = score.signs([
        ranked("a", 0.5)._replace(explains=("m",)), ranked("b", 0.25), ranked("c", 0.25, family="g")])
    assert (one, odds_of, explains, because) == (1.0, 0.0, 1.0, 0.0)
    assert odds_of_kin == pytest.approx(log(3))
    assert [score._odds(1.0), score._odds(0.0)] == pytest.approx([log(999), -log(999)])


def test_once_a_cause_is_confirmed_only_faults_that_are_proved_are_kept() -> None:
    fault = FoundFault(next(iter(BASE.errata.values())), 0.5, False, (), False)

    def told(status: str, proved: bool) -> list[tuple[str, str]]:
        evidence: Any = SimpleNamespace(faults=[fault._replace(proved=proved)], changes=[])
        return [(one.cause.id, one.status) for one in score._with_faults([ranked("a", 0.5, status)], evidence)]

    name = fault.erratum.erratum
    assert told(score.POSSIBLE, False) == [(name, score.POSSIBLE), ("a", score.POSSIBLE)]
    assert told(score.CONFIRMED, False) == [("a", score.CONFIRMED)]
    assert told(score.CONFIRMED, True) == [(name, score.CONFIRMED), ("a", score.CONFIRMED)]


def test_changes_share_their_likelihood() -> None:
    cause: Any = SimpleNamespace(id="x", family="option-refused")
    change = faults.ChangedSetting(cause, 3, 0.8)
    evidence: Any = SimpleNamespace(faults=[], changes=[change, change])
    told = score._with_faults([ranked("a", 0.5)], evidence)
    assert [(one.cause.id, round(one.likelihood, 2)) for one in told] == [("x", 0.4), ("x", 0.4), ("a", 0.1)]
    assert told[0].because == (("version", "", 3),)


@pytest.mark.parametrize(("said", "named"), [
    ("nconnect=8 fails", True), ("nconnect works", False), ("nconnect never works", True),
    ("nconnect one two three works", True),  # too far behind
    ("it works", False),
])
def test_a_setting_that_works_is_not_complained_of(said: str, named: bool) -> None:
    finder = faults.ChangeFinder(BASE, {"version-well": frozenset(["works"]), "version-denied": frozenset(["never"])})
    told = {tunable.id for _, _, tunable, _ in finder._named([*pasted_lines(said)])}
    assert ("mount.nconnect" in told) is named


def test_a_setting_of_one_side_is_explained_with_the_versions_of_that_side() -> None:
    known: Any = SimpleNamespace(known={"client.kernel": "6.1", "server.kernel": "5.15", "client.distro": ["a", "b"]})
    finding: Any = SimpleNamespace(rule="r", message="x is unknown", why="w", remedy="Do it.", cites=())

    def asked(name: str) -> tuple[str, str]:
        cause = faults._cause(known, BASE.tunables[name], finding)
        return cause.side, cause.check.do.removeprefix(f"advisor explain {name}")

    assert asked("mount.nconnect") == ("client", " --set client.kernel=6.1")
    assert asked("nfs.conf.nfsd.threads") == ("server", " --set server.kernel=5.15")


def test_a_line_of_a_log_is_looked_at_for_words_of_several_messages() -> None:
    common = [f"alpha{number:02}" for number in range(20)]
    index: Any = SimpleNamespace(texts=lambda: [*[[*common, "nfs", "abc"]] * 4, ["rarest"], ["everywhere"] * 4])
    found = [word.decode() for word in logs._triggers(index, {"alpha00"})]
    assert len(found) == logs._WORDS
    assert {*found} < {*common[1:], "nfs"}, "none of one message, of few letters, or of other lines too"


@pytest.mark.parametrize(("known", "rule", "consequence", "found"), [
    ({"client.kernel": "6.1"}, "setting-unknown", "ignored", True), ({}, "setting-unknown", "ignored", False),
    ({"client.kernel": "6.1"}, "slots/ontap", "ignored", False),
    ({"client.kernel": "6.1"}, "setting-unknown", "performance", False),
])
def test_a_setting_is_a_cause_if_a_version_is_named(known: Any, rule: str, consequence: str, found: bool) -> None:
    finding: Any = SimpleNamespace(rule=rule, tunable="mount.nconnect", consequence=consequence, message="x is unknown",
                                   why="w", remedy="Do it.", cites=(), severity="warning")
    pasted: Any = SimpleNamespace(finding=finding, line=3)
    told = faults.ChangeFinder(BASE, {}).find([], known, [pasted])
    assert [(one.line, one.likelihood) for one in told] == ([(3, faults._ASIDE)] if found else [])


@each(lambda: [
    ([("a", 0, 5, 5)], [], "a"), ([("a", 0, 5, 5)], [("b", 3, 9, 6)], "b"), ([("a", 0, 5, 5)], [("b", 5, 9, 6)], "ab"),
    ([("a", 0, 5, 5)], [("b", 3, 9, 5)], "a"), ([("a", 0, 5, 5)], [("a", 3, 9, 9)], "a"),
    ([("a", 0, 5, 5), ("b", 6, 9, 3)], [("c", 6, 12, 6)], "ac"), ([], [("b", 3, 9, 6)], "b"),
    ([("a", 0, 5, 9), ("b", 6, 9, 3)], [("c", 6, 12, 6)], "ab"),
])
def test_a_longer_message_of_two_lines_replaces_those_within_it(alone: Any, joined: Any, kept: str) -> None:
    told = evidence._merge_hits([hit(*one) for one in alone], [hit(*one) for one in joined])
    assert "".join(one.message.id for one in told) == kept


def test_what_a_message_says_of_its_fields() -> None:
    one = hit("a", 0, 1, holds={"one": "{x}", "two": "{y}", "three": True, "four": "{x"})
    told = evidence._facts(one._replace(match=TextMatch(0, 1, 1, {"x": "3"})), 7)
    assert told == [("one", "3", 7), ("three", True, 7), ("four", "{x", 7)]


@each(lambda: [
    ("nconnect=8 fails", "4.18", faults._PERHAPS),
    ("nconnect=8 here", "4.18", faults._ASIDE),
    ("nconnect=8 fails", "6.1", None), ("nconnect=8 here\nit fails", "4.4", faults._PERHAPS),
    ("\n".join(["nconnect=8 here", *["it fails"] * faults._FEW]), "4.18", faults._ASIDE),
])
def test_a_setting_that_is_complained_of_is_likelier(said: str, kernel: str, likelihood: float | None) -> None:
    finder = faults.ChangeFinder(BASE, {"trouble": frozenset(["fails"])})
    told = finder.find([*pasted_lines(said)], {"client.kernel": kernel}, [])
    assert [one.likelihood for one in told if one.line == 1] == ([likelihood] if likelihood else [])


@each(lambda: [
    ([("nas", "/srv", "/mnt")], set(), {"SERVER": "nas", "PATH": "/srv", "MOUNTPOINT": "/mnt"}),
    ([("nas", "/", "it")], set(), {"SERVER": "nas"}),
    ([("nas", "/", ""), ("nas", "/a", "/b;c")], set(), {"SERVER": "nas", "PATH": "/a"}),
    ([("nas", "/", ""), ("other", "/a", "")], set(), {"SERVER": "nas"}),
    ([("n$s", "/srv", "/mnt")], {"web"}, {"SERVER": "web"}), ([("127.0.0.1", "/srv", "/mnt")], set(), {}),
    ([], {"web"}, {"SERVER": "web"}), ([], {"web", "nas"}, {}), ([], {"w b"}, {}), ([], set(), {}),
    ([("nas", "/a", "")], {"web"}, {"SERVER": "nas", "PATH": "/a"}),
])
def test_the_places_that_a_text_names(mounts: Any, names: set[str], places: dict[str, str]) -> None:
    told = evidence.TextEvidence()
    told.mounts, told.names = mounts, names
    assert told.places() == places


@each(lambda: [
    ("nas:/a /mnt", [("nas", "/a", "/mnt")]), ("nas:/a on at /mnt", [("nas", "/a", "")]),
    ("nas:/a on /mnt", [("nas", "/a", "/mnt")]), ("nas:/a to it", [("nas", "/a", "it")]),
    ("nas:/a", [("nas", "/a", "")]),
    ("dev=nas:/a", [("nas", "/a", "")]), ("nas://a", []), (":/a", []), ("-v nas:/a /mnt", []),
    ("x -vnas:/a", []), ("[fe80::1]:/a", [("fe80::1", "/a", "")]),
])
def test_the_places_in_a_line(text: str, found: list[tuple[str, str, str]]) -> None:
    assert [*configuration.mounts(text)] == found


@each(lambda: [
    ("(rw)", True), ("(and", False), ("(rw,sync", True), ("web(rw", True), ("sync)", True), ("-rw,sync", True),
    ("web.example", True), ("10.0.0.0/8", True), ("what,", False), ("*", True),
])
def test_a_word_may_be_a_client(word: str, client: bool) -> None:
    assert configuration._may_be_client(word) is client


@each(lambda: [
    ("Mounting arguments: -t nfs nas:/a /b", ["mount", "-t", "nfs", "nas:/a", "/b"]), ("mount nas:/a /b", []),
    ("Mounting arguments: --scope -- mount -t nfs nas:/a /b Output: x", ["mount", "-t", "nfs", "nas:/a", "/b"]),
])
def test_the_command_that_a_message_quotes(text: str, words: list[str]) -> None:
    assert configuration._quoted_command(text) == words


def test_what_is_not_understood_is_kept_once_for_all_its_lines() -> None:
    odd, known = "nfs: it failed oddly 1", "mount.nfs: access denied by server while mounting nas:/srv"
    log = logs._Log(BASE.ready(Reader), evidence.TextEvidence(BASE.ready(Reader).vocabulary.lists))
    assert log.everywhere, "words that many other lines have too"
    log.block(f"\n{odd}\n{odd}2\n{known}".encode(), [b"nfs"])
    assert [(line.number, line.text) for line in log.found.unknown] == [(2, odd)]
    assert [(one.line, one.count) for one in log.found.problems()] == [(4, 1)]
    assert log.lines == 4


@each(lambda: [
    ("nas.example.de", True), ("nas.de", True), ("nas", False), ("a.b.c", False), ("1.2.3", False), ("a..de", False),
    (".de", False), ("a.d3", False), ("mount.nfs", False), ("A.DE", True),
])
def test_a_word_is_the_name_of_a_host(word: str, is_host: bool) -> None:
    assert messages._is_host(word) is is_host


@each(lambda: [
    ([("storage.platform", 0.1), ("client.kernel", 0.5)], "storage.platform"),
    ([("client.kernel", 0.5), ("storage.platform", 0.1)], "storage.platform"),
    ([("storage.platform", 0.6)], "storage.platform"), ([("storage.platform", 0.65)], None), ([], None),
    ([("storage.platform", 0.1), ("client.kernel", 0.1)], "storage.platform"),  # of equals the first
])
def test_the_question_is_asked_that_tells_most(told: list[tuple[str, float]], asked: str | None) -> None:
    left = dict(told)
    causes = [ranked("a", 0.5), ranked("b", 0.5)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "_entropy", lambda _: 0.69)
        one: Any = SimpleNamespace(
            base=BASE, possible=lambda: causes, confirmed=list, _entropy_with=lambda name, value: left[name] * value,
            _askable=lambda likely: {name: (0, 1, 2) for name, _ in told})
        question = diagnosis.Diagnosis.question(one)
        assert (question and question.fact.id, question and question.values) == (asked, asked and (0, 1, 2))
        one.confirmed = lambda: causes
        assert diagnosis.Diagnosis.question(one) is None
        one.confirmed, one.possible = list, lambda: [ranked("a", 0.96)]
        assert diagnosis.Diagnosis.question(one) is None, "it is sure already"
        one.possible = lambda: [ranked("a", 0.01)]
        assert diagnosis.Diagnosis.question(one) is None, "nothing is likely"


@each(lambda: [
    ("mounted with vers=3,soft", ["vers=3"]), ("it hangs with `vers=4.1`.", ["vers=4.1"]), ("vers is 3", []),
    ("it works with vers=3", []), ("it works with vers=3, but vers=4.2 hangs", ["vers=4.2"]),
    ("it works with vers=3; vers=4.2 hangs", ["vers=4.2"]), ("vers=3 and vers=3", ["vers=3"]), ("nosuch=3", []),
    ("vers=a/b", []), ("vers=", []), ("vers=3 " + "x" * configuration.MAX_LINES, []),
])
def test_the_options_in_a_sentence(line: str, options: list[str]) -> None:
    assert configuration._options_in(BASE, [line]) == options

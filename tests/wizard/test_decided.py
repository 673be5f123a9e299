"""What questions, their order and the end of a session decide, on questions and advice made up for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from advisor.wizard import mounts, questions, state
from advisor.wizard.questions import ENOUGH, MOST
from advisor.wizard.state import MountAnswers, Session
from tests.each import each

BASE = load()
PLATFORM, KERNEL, KIND = "storage.platform", "client.kernel", "workload.kind"


def ask(fact: str, **more: Any) -> Any:
    return SimpleNamespace(**{"fact": fact, "matters": True, "settles": 1.0, "decisions": ("d",), **more})


def advice(*asks: Any, **more: Any) -> Any:
    return SimpleNamespace(**{"questions": asks, "answers": Answers(), "open": [], "state": {}, **more})


@each(lambda: [
    ({}, True), ({"matters": False}, False), ({"matters": False, "fine": True}, True),
    ({"matters": False, "fact": KIND, "settles": 1.5}, True), ({"matters": False, "fact": KIND, "settles": 1.4}, False),
    ({"matters": False, "fact": KERNEL, "settles": 1.5}, False),
    ({"answers": Answers({KERNEL: "6.1"}), "fact": KERNEL}, False),
    ({"answers": Answers(unknown=frozenset({KERNEL})), "fact": KERNEL}, False),
    # After enough answers: what the verdict waits for, if it settles half a setting …
    ({"answered": ENOUGH - 1, "settles": 0.1}, True), ({"answered": ENOUGH, "settles": 0.1}, False),
    ({"answered": ENOUGH, "settles": 0.1, "fine": True}, True),
    ({"answered": ENOUGH, "wanted": "d", "settles": 0.5}, True),
    ({"answered": ENOUGH, "wanted": "d", "settles": 0.4}, False),
    ({"answered": ENOUGH, "wanted": "e", "settles": 0.5}, False),
    ({"answered": 99, "wanted": "d", "settles": 0.5}, True),
    # … else, while there is room, what settles one that must be made, or should be and has no usual value.
    ({"answered": ENOUGH, "must": "d"}, True), ({"answered": ENOUGH, "must": "e"}, False),
    ({"answered": ENOUGH, "must": "d", "settles": 0.9}, False), ({"answered": MOST, "must": "d"}, False),
    ({"answered": ENOUGH, "must": "d", "answers": Answers(names={"server": "nas"})}, False),
    ({"answered": ENOUGH, "must": "d", "usual": True}, True), ({"answered": ENOUGH, "should": "d"}, True),
    ({"answered": ENOUGH, "should": "d", "usual": True}, False), ({"answered": ENOUGH, "may": "d"}, False),
])
def test_whether_a_question_is_worth_asking(told: dict[str, Any], asked: bool) -> None:
    rows = [SimpleNamespace(tunable=told.get(strength), strength=strength) for strength in ("must", "should", "may")]
    own = {name: told[name] for name in ("fact", "matters", "settles") if name in told}
    one = ask(**{"fact": "x", **own})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "wanting", lambda _: [SimpleNamespace(tunable=told.get("wanted"))])
        patch.setattr(questions, "usual_values", lambda *_: [object()] if told.get("usual") else [])
        given = advice(one, open=rows, answers=told.get("answers", Answers()))
        found = questions.worth_asking(BASE, given, told.get("answered", 0), fine=told.get("fine", False))
    assert found == ([one] if asked else [])


def test_what_the_verdict_waits_for_takes_the_place_of_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "wanting", lambda _: [SimpleNamespace(tunable="a")])
    one, two = ask("x", decisions=("b",)), ask("y", decisions=("a", "c"))
    rows = [SimpleNamespace(tunable="b", strength="must")]
    assert questions.worth_asking(BASE, advice(one, two, open=rows), ENOUGH) == [two]
    assert questions.worth_asking(BASE, advice(one, open=rows), ENOUGH) == [one]


@each(lambda: [
    ([KERNEL, PLATFORM], [PLATFORM, KERNEL]), ([KERNEL, "server.ha"], ["server.ha", KERNEL]),
    (["server.ha", KERNEL, "host.role"], ["host.role", KERNEL]),  # no server before it is known who is asked
    ([KERNEL, (KIND, False, 1.5)], [KIND, KERNEL]), ([KERNEL, (KIND, True, 1.5)], [KERNEL, KIND]),
    ([KERNEL, (KIND, False, 1.4)], [KERNEL, KIND]), ([KERNEL, "client.count"], [KERNEL, "client.count"]),
])
def test_the_order_of_the_questions(told: list[Any], order: list[str]) -> None:
    asks = [ask(one) if isinstance(one, str) else ask(one[0], matters=one[1], settles=one[2]) for one in told]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "worth_asking", lambda *_, **__: asks)
        patch.setattr(questions, "_prerequisites_first", lambda _, asks: asks)
        found = questions.upcoming_questions(BASE, state.start())
        assert [one.fact for one in found] == order
        named = state.start(Answers(names={"server": "nas1"}))
        assert questions.current_question(BASE, named) == order[0]
        assert questions.current_question(BASE, named._replace(at=KERNEL)) == KERNEL
        assert questions.current_question(BASE, named._replace(at=state.MOUNT)) == order[0]
        assert questions.current_question(BASE, state.start()._replace(at=None)) == PLATFORM
        asks.clear()
        assert questions.current_question(BASE, named) is None


def test_a_question_comes_right_after_those_that_it_needs() -> None:
    facts = {name: SimpleNamespace(asked_after=after) for name, after in {
        "a": (), "b": ("c", "x"), "c": ("d",), "d": (), "e": ("d",)}.items()}
    base: Any = SimpleNamespace(facts=facts)
    found = questions._prerequisites_first(base, [ask(name) for name in "abecd"])
    assert "".join(one.fact for one in found) == "adcbe"


def test_numbers_of_questions() -> None:
    given = advice(ask("a"), ask("b", matters=False), ask("c"), ask("d"), answers=Answers({"c": 1}, frozenset("d")))
    assert [one.fact for one in questions.unanswered(given)] == ["a", "b"]
    assert questions.remaining(given) == (1, 1)
    parts = {"set": "aab", "fine": "c", "leave out": "d", "open": "ee"}

    def part(*names: str) -> list[Any]:
        return [SimpleNamespace(tunable=letter) for name in names for letter in parts[name]]

    assert questions.counts(advice(part=part)) == (2, 2, 1)
    less = advice(part=lambda *_: [])
    assert (questions.settled(advice(part=part), less), questions.settled(less, advice(part=part))) == (1, 0)


@each(lambda: [
    ((3, 2), {}, "question 1 of about 3; "), ((3, 2), {"names": True}, "question 2 of about 4; "),
    ((30, 2), {}, f"question 1 of about {MOST}; "), ((0, 2), {}, ""), ((3, 2), {"fine": True}, ""),
    ((3, 2), {"at": KERNEL}, ""), ((3, 2), {"at": PLATFORM}, "question 1 of about 3; "),
    ((3, 2), {"answered": 12}, "question 13 of about 13; "), ((1, 0), {"answered": 3}, "question 4 of about 4; "),
])
def test_the_progress(left: tuple[int, int], told: dict[str, Any], begins: str) -> None:
    session = Session(Answers(names={"server": "nas"} if told.get("names") else {}), (KERNEL,), told.get("at"),
                      fine=told.get("fine", False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "preview", lambda *_: None)
        patch.setattr(questions, "remaining", lambda _: left)
        patch.setattr(questions, "answered", lambda *_: told.get("answered", 0))
        rest = questions.remaining_questions(*left)
        assert questions.progress(BASE, session) == begins + rest


@each(lambda: [
    ({"server": "ontap.example"}, {"ontap": "the server is called ontap.example"}), ({"server": "nas1"}, {}),
    ({"server": "ONTAP-7"}, {"ontap": "the server is called ontap-7"}), ({"server": "myontap"}, {}), ({}, {}),
    ({"server": "anf"}, {}),  # too short to mean something
])
def test_what_the_name_of_a_server_suggests(names: dict[str, str], found: dict[str, str]) -> None:
    assert questions.guesses(BASE, names) == found


def test_what_the_form_of_a_path_suggests() -> None:
    facts = {PLATFORM: SimpleNamespace(values={"alpha": "", "beta": ""}, aliases={"alpha": ("Called", "abc")})}
    forms = [SimpleNamespace(platform="beta", exports_lines=[SimpleNamespace(line=r"/vol/\w+/\t"),
                                                           SimpleNamespace(line="/other/\t")])]
    base: Any = SimpleNamespace(facts=facts, platforms=forms)
    paths = {"beta": "its paths look like /vol/a"}
    assert questions.guesses(base, {"export": "/vol/a/"}) == questions.guesses(base, {"export": "/vol/a"}) == paths
    assert questions.guesses(base, {"export": "/vol/a/b"}) == questions.guesses(base, {"export": "/"}) == {}
    assert questions.guesses(base, {"export": "/vol/a", "server": "beta1"}) == {"beta": "the server is called beta1"}
    assert questions.guesses(base, {"server": "x.called.y"}) == {"alpha": "the server is called x.called.y"}
    assert questions.guesses(base, {"server": "abc"}) == {}


def test_the_values_of_rules_that_can_be_written() -> None:
    rules = {str(number): SimpleNamespace(value=value) for number, value in enumerate(
        ["4.1", "keep", "n/a", ">=3", "<2", "=x", "a*b", "min(1", "4.1", 8, "omit"])}
    base: Any = SimpleNamespace(decisions={"d": SimpleNamespace(rules=rules)})
    assert [value for value, _ in questions.rule_values(base, "d")] == ["4.1", "8", "omit"]


@each(lambda: [("6.1", "6.1", False), ("6.1", "5.4", True), ("6.1", [">=5.15"], False), ("no", "such", False)])
def test_values_that_cannot_both_be_true(one: Any, other: Any, disjoint: bool) -> None:
    assert questions._disjoint(BASE, KERNEL, one, other) is disjoint


DATA, LOG = ({"server": "nas1", "export": f"/{name}", "target": f"/mnt/{name}"} for name in ("data", "log"))
OTHER = {**LOG, "server": "nas2"}


def several(*names: dict[str, str]) -> Session:
    session = state.start()
    for one in names:
        session = mounts.add(BASE, session, one)
    return session


def test_a_mount_that_is_moved_to_a_server_takes_its_answers_or_is_refused() -> None:
    session = state.answer(BASE, several(DATA, OTHER), PLATFORM, "anf")
    there = mounts.go_to_mount(BASE, session, 1)
    assert state.mount(BASE, there, LOG).answers.facts[PLATFORM] == "anf"
    both = state.answer(BASE, there, "storage.volume_protocol", "both")
    with pytest.raises(state.Refused) as refused:
        state.mount(BASE, both, LOG)
    assert set(refused.value.against) == {PLATFORM, "storage.volume_protocol"}
    with pytest.raises(state.Refused) as refused:
        state.answer(BASE, state.answer(BASE, both, KERNEL, "6.1"), PLATFORM, "anf")
    assert (refused.value.against, refused.value.place) == (("storage.volume_protocol",), None)


def test_the_answers_that_another_mount_contradicts_are_named_and_no_others() -> None:
    before = MountAnswers(Answers(names=DATA))
    now = MountAnswers(Answers({PLATFORM: "anf", "storage.volume_protocol": "both", KERNEL: "6.1"},
                               pins={"mount.nconnect": 4}, names=DATA))
    with pytest.raises(state.Refused, match="for /mnt/data") as refused:
        state._check_other_mount(BASE, now, before, 3, PLATFORM)
    assert (refused.value.against, refused.value.place) == (("storage.volume_protocol",), 3)
    with pytest.raises(state.Refused) as refused:
        state._check_other_mount(BASE, now, before, 3, "")
    assert refused.value.against == (PLATFORM, "storage.volume_protocol")
    assert state._check_other_mount(BASE, now, now, 3, "") is now, "it was so before"


def test_which_of_several_mounts_explains_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    session = mounts.go_to_mount(BASE, several(DATA, OTHER), 1)
    each_of = [advice(answers=Answers(names=names)) for names in (DATA, OTHER)]
    found = SimpleNamespace(mounts=each_of, conflicts=[SimpleNamespace(sides=[SimpleNamespace(tunable="c")])],
                            wanted={"a": ("/mnt/data",), "b": ("/mnt/data", "/mnt/log"), "c": ("/mnt/data",), "e": ()})
    monkeypatch.setattr(mounts, "several_advice", lambda *_: found)
    monkeypatch.setattr(mounts, "advice_for", lambda *_: "alone")
    told = {name: mounts.advice_on(BASE, session, name) for name in "abcde"}
    assert told == {"a": each_of[0], "b": each_of[1], "c": "alone", "d": each_of[1], "e": each_of[1]}
    monkeypatch.setattr(mounts, "several_advice", lambda *_: None)
    assert mounts.advice_on(BASE, session, "a") == "alone"


def test_the_progress_of_another_mount() -> None:
    told = {matter: mounts.mount_progress(mounts.OtherMount(0, "/a", matter, ())) for matter in (None, 0, 1, 2)}
    assert told == {None: "", 0: "complete", 1: "1 question still matters", 2: "2 questions still matter"}


def test_the_names_of_mounts() -> None:
    assert mounts.mount_label(Answers(names={**DATA, "server": "fe80::1"})) == "[fe80::1]:/data on /mnt/data"
    assert mounts.known_names(several(DATA)) == "server nas1, export /data, target /mnt/data"
    assert mounts.known_names(several(DATA, OTHER)) == "nas1:/data on /mnt/data, nas2:/log on /mnt/log"
    assert mounts.known_names(state.mount(BASE, state.start(), {"export": "/x"})) == "export /x"
    assert mounts.known_names(state.start()) == ""


@each(lambda: [
    ({}, {}, {"host.role"}), ({"server": "nas1"}, {}, {"host.role"}),
    ({}, {PLATFORM: "knfsd"}, {"host.role", PLATFORM}), ({"server": "nas1"}, {PLATFORM: "knfsd"}, {"host.role"}),
    ({"server": "nas1"}, {PLATFORM: "knfsd", "host.role": "nfs-server"}, {"host.role", PLATFORM}),
    ({}, {"mount.ro": True, KERNEL: "6.1"}, {"host.role", KERNEL}),
])
def test_the_answers_that_hold_for_all_files_of_a_host(names: Any, facts: Any, told: set[str]) -> None:
    answers = Answers({"host.role": "nfs-client", **facts}, names=names)
    assert set(mounts.host_facts(BASE, state.start(answers))) == told


@each(lambda: [
    (None, None, None), ("knfsd", None, "nfs-server"), ("knfsd", "nfs-server", "nfs-client"), ("anf", None, None),
    ("anf", "nfs-client", None), ("knfsd", "nfs-client", "nfs-server"),
])
def test_whether_there_is_another_side(platform: str | None, role: str | None, other: str | None) -> None:
    facts = {name: value for name, value in ((PLATFORM, platform), ("host.role", role)) if value}
    session = state.start(Answers(facts))
    assert mounts.other_role(BASE, session) == other
    if other is None:
        assert mounts.go_to_other_side(BASE, session) is session
    else:
        there = mounts.go_to_other_side(BASE, session)
        assert (there.answers.facts["host.role"], there.at, len(there.past)) == (other, None, len(session.past) + 1)
        assert [told for told, _ in mounts.sides(there)] == ["nfs-client", "nfs-server"]


def test_a_file_is_judged_by_the_answers_for_its_own_server() -> None:
    facts = {"host.role": "nfs-client", KERNEL: "6.1", PLATFORM: "knfsd", "mount.ro": True}

    def judged(names: dict[str, str], *, is_fstab: bool = True) -> Any:
        text: Any = SimpleNamespace(is_fstab=is_fstab)
        mounts.judge_by_answers(BASE, state.start(Answers(facts, names=names)), text)
        return text

    assert judged({}).facts.items() >= facts.items()
    assert not judged({}).sections
    of_server = judged({**DATA, "clients": "lan"})
    assert {PLATFORM, "mount.ro"}.isdisjoint(of_server.facts)
    assert of_server.facts[KERNEL] == "6.1"
    on_server, on_mount = of_server.sections
    assert (on_server.names, on_mount.names) == ({"server": "nas1"}, DATA)
    assert (on_server.facts[PLATFORM], on_mount.facts["mount.ro"]) == ("knfsd", True)
    assert PLATFORM not in on_mount.facts
    assert judged(DATA, is_fstab=False).facts[PLATFORM] == "knfsd"


def test_whoever_stays_at_a_mount_stays_at_its_question() -> None:
    at = state.go(several(DATA, OTHER), KERNEL)
    added = mounts.add(BASE, at, LOG)
    assert (added.at, added.place) == (KERNEL, 0)
    assert (mounts.remove(BASE, added, 1).at, mounts.remove(BASE, added, 0).at) == (KERNEL, None)

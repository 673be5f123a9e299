"""Whatever is answered, undone, pinned, saved and resumed: no preview contradicts itself, and no answer is lost."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, marked
from advisor.advice.answers_file import answers_by_mount, answers_text, is_complete, mount_key, parse_answers
from advisor.advice.rows import forbids_mount
from advisor.engine import consistent
from advisor.rulebase.base import load
from advisor.sections import with_bearing
from advisor.wizard import files, mounts, questions, state
from advisor.wizard.state import Refused, Session, share_answers
from tests.tiers import thorough
from tests.zipped import zip_equal

pytestmark = thorough

BASE = load()
ASKED = [name for name, fact in BASE.facts.items() if fact.ask]
PINS = [("mount.vers", "4.1"), ("mount.vers", "3"), ("mount.nconnect", "4"), ("mount.rsize", "65536")]
NAMES: list[dict[str, str]] = [{}, {"server": "fs-0.efs.x.amazonaws.com"}, {"target": "/hana/log/A"}]
MOUNTS: list[dict[str, str]] = [
    {"server": "nas1", "export": "/a", "target": "/a"}, {"server": "NAS1.", "export": "/b", "target": "/hana/data/A"},
    {"server": "fs-0.efs.x.amazonaws.com", "export": "/", "target": "/efs"}, {"server": "nas2", "target": "/c"},
]
LINES: list[dict[str, Any]] = [
    {}, {"mount.vers": "3", "mount.ro": False}, {"mount.sec": "krb5", "host.role": "nfs-client"},
]
CLOSE = ("storage.platform", "client.kernel", "client.distro", "workload.kind", "storage.volume_protocol", "mount.vers")
"""Facts that contradict one another most easily: asked more often."""


def values(fact: str) -> list[Any]:
    """Some answers to a question."""
    told = BASE.facts[fact]
    if told.type == "bool":
        return [True, False]
    if told.type == "enum":
        return list(told.values)
    if told.type == "version":
        return ["5.14", "4.18.0-193.el8", "6.1.0-18-amd64", ">=5.3", "22.04", "12"]
    low = (told.minimum or 0)
    return [low, low + 7, f">={low + 2}"]


class Sitting(RuleBasedStateMachine):
    """`log`: what each step must bring back when it is undone. `shuffled`: answers that were given in another order."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.log: list[Session] = []
        self.shuffled: list[Answers] = []

    @initialize(fine=st.booleans())
    def begin(self, fine: bool) -> None:
        self.session = state.start()._replace(fine=fine)

    def step(self, changed: Session) -> None:
        if changed.past != self.session.past:
            self.log.append(self.session)
        self.session = changed

    @rule(data=st.data(), fact=st.sampled_from((*CLOSE, *ASKED)))
    def answer(self, data: st.DataObject, fact: str) -> None:
        value = data.draw(st.sampled_from(values(fact)))
        before = self.session
        try:
            self.step(state.answer(BASE, self.session, fact, value))
        except Refused as refused:
            assert self.session == before
            place = before.place if refused.place is None else refused.place
            for other in refused.against[:1]:
                earlier = before.mounts[place].answers
                assert other in (*before.answers.facts, *earlier.facts, *earlier.pins)
                try:
                    self.step(state.answer(BASE, self.session, fact, value, instead_of=(other,), of=refused.place))
                except Refused:
                    assert before.others, "of another mount, too, something is said that it contradicts"
                    return
                assert other not in self.session.mounts[place].answers.facts
                assert other not in self.session.answers.pins
                assert self.session.answers.facts[fact] == value
        else:
            assert self.session.answers.facts[fact] == value
            assert {**before.given.facts, fact: value} == self.session.given.facts

    @rule(fact=st.sampled_from(ASKED))
    def unknown(self, fact: str) -> None:
        self.step(state.dont_know(BASE, self.session, fact))
        assert fact in self.session.answers.unknown
        assert fact not in [ask.fact for ask in questions.upcoming_questions(BASE, self.session)]

    @rule()
    def next_question(self) -> None:
        fact = questions.current_question(BASE, self.session)
        if fact is not None:
            assert BASE.facts[fact].ask

    @precondition(lambda self: self.session.order)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        fact = data.draw(st.sampled_from(self.session.order))
        self.step(state.forget(BASE, self.session, fact))
        assert fact not in self.session.order

    @rule(pinned=st.sampled_from(PINS))
    def pin(self, pinned: tuple[str, str]) -> None:
        before = self.session
        try:
            self.step(state.pin(BASE, self.session, *pinned))
        except Refused:
            assert self.session == before
        else:
            preview = questions.preview(BASE, self.session)
            held = preview.find(pinned[0])
            if held is None:
                bars = [one for one in preview.advised if forbids_mount(one)]
                assert bars, "nothing is mounted, with this option or another"
                return
            assert held.pinned, "a pin that a gate stops is refused"

    @rule(tunable=st.sampled_from([name for name, _ in PINS]))
    def unpin(self, tunable: str) -> None:
        self.step(state.unpin(BASE, self.session, tunable))
        assert tunable not in self.session.answers.pins

    @rule(text=st.sampled_from(["fs.example", "x.file.core.windows.net", "", "two words", "a\nb"]))
    def name(self, text: str) -> None:
        try:
            self.step(state.name(BASE, self.session, "server", text))
        except Refused:
            assert text in ("two words", "a\nb") or self.session.others

    @rule(data=st.data(), names=st.sampled_from(NAMES))
    def mount(self, data: st.DataObject, names: dict[str, str]) -> None:
        said, others = self.session.given, self.session.others
        read = data.draw(st.sampled_from(LINES))
        try:
            self.step(state.mount(BASE, self.session, names, read, "/etc/fstab:1"))
        except Refused:
            assert others
            return
        assert others or self.session.given.facts == said.facts, "what was said stays"

    @rule(names=st.sampled_from(MOUNTS), read=st.sampled_from(LINES))
    def add(self, names: dict[str, str], read: dict[str, Any]) -> None:
        before = self.session
        try:
            self.step(mounts.add(BASE, before, names, read, "/etc/fstab:2"))
        except Refused:
            assert self.session == before
            return
        if before.others or is_complete(before.answers.names):
            assert len(self.session.mounts) == len(before.mounts) + 1
            assert self.session.given == before.given
        assert before.given.facts == self.session.given.facts

    @precondition(lambda self: self.session.others)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        before = self.session
        place = data.draw(st.integers(0, len(before.others)))
        self.step(mounts.remove(BASE, before, place))
        kept = [one for number, one in enumerate(before.mounts) if number != place]
        assert list(self.session.mounts) == kept

    @precondition(lambda self: self.session.others)
    @rule(data=st.data())
    def switch(self, data: st.DataObject) -> None:
        before = self.session
        place = data.draw(st.integers(0, len(before.others)))
        self.session = mounts.go_to_mount(BASE, before, place)
        assert (self.session.place, self.session.mounts) == (place, before.mounts)
        assert mounts.go_to_mount(BASE, self.session, before.place).answers == before.answers

    @rule()
    def back(self) -> None:
        answers = self.session.answers
        self.session = state.back(self.session)
        assert self.session.answers == answers
        assert self.session.at in (*self.session.order, state.MOUNT)

    @rule()
    def forward(self) -> None:
        answers = self.session.answers
        self.session = state.forward(self.session)
        assert self.session.answers == answers

    @precondition(lambda self: self.log)
    @rule()
    def undo(self) -> None:
        after, before = self.session, self.log.pop()
        self.session = state.undo(self.session)
        assert self.session.step == before.step
        assert state.redo(self.session).step == after.step

    @precondition(lambda self: self.log)
    @rule()
    def undo_and_redo(self) -> None:
        after = self.session
        self.session = state.redo(state.undo(self.session))
        assert self.session == after

    @rule()
    def save_and_resume(self) -> None:
        resumed = files.from_text(BASE, files.to_text(self.session))
        assert resumed.lost == ()
        kept = len(resumed.session.past)
        assert resumed.session._replace(past=(), future=()) == self.session._replace(past=(), future=())
        assert resumed.session.past == self.session.past[len(self.session.past) - kept:]
        self.session = resumed.session
        self.log = self.log[len(self.log) - kept:] if kept else []

    @invariant()
    def preview_is_consistent(self) -> None:
        answers = self.session.answers
        assert consistent(BASE.engine, BASE.engine.state(with_bearing(BASE, answers.facts)[0]))
        advice = questions.preview(BASE, self.session)
        assert advice.answers == marked(BASE, answers)
        said = self.session.given
        assert set(self.session.order) == {*said.facts, *said.unknown}
        assert {fact: said.facts.get(fact, value) for fact, value in answers.facts.items()} == answers.facts
        assert all(fact in self.session.order or fact in answers.origin for fact in answers.facts)
        assert len(set(self.session.order)) == len(self.session.order)
        told = [{one.tunable for one in advice.part("set")},
                {one.tunable for one in advice.part("fine", "leave out")}, {one.tunable for one in advice.part("open")}]
        assert questions.counts(advice) == tuple(map(len, told))
        assert sum(map(len, told)) == len(set().union(*told))

    @invariant()
    def what_mounts_share_is_said_of_each(self) -> None:
        told = self.session.mounts
        for one in told:
            for other in told:
                assert share_answers(BASE, one.answers, one.order, other).answers == other.answers
            assert set(one.order) == {*one.answers.facts, *one.answers.unknown}
        assert len({mount_key(one.answers.names) for one in told}) == len(told)

    @invariant()
    def the_answers_file_holds_all_mounts(self) -> None:
        if self.session.others:
            whole = mounts.combined_answers(BASE, self.session)
            read = answers_by_mount(BASE, parse_answers(BASE, answers_text(whole), "answers.yaml"))
            for one, mine in zip_equal(read, mounts.all_mounts(BASE, self.session).mounts):
                known = {fact: value for fact, value in one.facts.items() if fact not in mine.unknown}
                assert known == marked(BASE, mine).facts, "but for what a name says and somebody does not know"
            again = mounts.start_mounts(BASE, *read)
            assert [one.facts for one in mounts.all_mounts(BASE, again).mounts] == [one.facts for one in read]

    @invariant()
    def order_does_not_matter(self) -> None:
        given = self.session.answers
        if given in self.shuffled:
            return  # most steps change no answer
        self.shuffled.append(given)
        names = list(given.facts)
        random.Random(len(names)).shuffle(names)
        again = Answers(
            {name: given.facts[name] for name in names}, given.unknown, dict(reversed(given.pins.items())), given.names,
            given.origin,
        )
        told, other = questions.preview(BASE, self.session), advise(BASE, again, asking=True)
        assert (told.advised, told.open, told.questions) == (other.advised, other.open, other.questions)


TestSitting = Sitting.TestCase
TestSitting.settings = settings(max_examples=15, deadline=None, stateful_step_count=25,
                                suppress_health_check=list(HealthCheck))

"""What each function of the state decides, on small sessions: order, places, what is dropped, what stays."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.lint.evidence import nfs_lines
from advisor.pages import wording
from advisor.rulebase.base import load
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.values import told_name
from advisor.wizard import ending, files, mounts, questions, state, steps
from advisor.wizard.advice_cache import OPEN, AdviceChange, Cache
from advisor.wizard.hero import shown_line
from advisor.wizard.mounts import OtherMount
from advisor.wizard.questions import Ending
from advisor.wizard.rows import FEW_CHANGES, change_rows, list_row
from advisor.wizard.state import MOUNT, MountAnswers, Session
from advisor.wizard.steps import Choice
from tests.wizard.test_several_mounts import DATA, EFS, LOG, session

BASE = load()
ONE, TWO, THREE = "storage.platform", "client.kernel", "workload.kind"


def told() -> Session:
    """Three answers, in this order."""
    given = state.answer(BASE, state.start(), ONE, "anf")
    return state.answer(BASE, state.answer(BASE, given, TWO, "6.1"), THREE, "web")


def test_an_answer_given_again_keeps_its_place_and_a_new_one_comes_last() -> None:
    assert told().order == (ONE, TWO, THREE)
    assert state.answer(BASE, told(), TWO, "6.6").order == (ONE, TWO, THREE)
    assert state.answer(BASE, told(), ONE, "anf").order == (ONE, TWO, THREE)
    assert state.dont_know(BASE, told(), TWO).order == (ONE, TWO, THREE)
    assert state.answer(BASE, told(), "client.count", 3).order == (ONE, TWO, THREE, "client.count")
    assert state.forget(BASE, told(), TWO).order == (ONE, THREE)


def test_i_do_not_know_and_an_answer_exclude_each_other() -> None:
    unknown = state.dont_know(BASE, told(), TWO)
    assert (TWO in unknown.answers.facts, unknown.answers.unknown) == (False, {TWO})
    again = state.answer(BASE, unknown, TWO, "6.1")
    assert (again.answers.facts[TWO], again.answers.unknown) == ("6.1", frozenset())
    with pytest.raises(state.Refused, match="unknown question"):
        state.dont_know(BASE, told(), "no.such")


def test_after_an_answer_the_next_open_question_is_asked_and_a_pin_stays_where_it_is() -> None:
    at = state.go(told(), TWO)
    assert state.answer(BASE, at, TWO, "6.6").at is None
    assert state.dont_know(BASE, at, TWO).at is None
    assert state.pin(BASE, at, "mount.nconnect", "4").at == TWO
    assert state.unpin(BASE, state.pin(BASE, at, "mount.nconnect", "4"), "mount.nconnect").at == TWO
    assert state.forget(BASE, at, THREE).at == TWO
    assert state.name(BASE, at, "server", "nas1").at == TWO
    assert state.mount(BASE, at, {"server": "nas1"}).at is None


def test_what_changes_nothing_makes_no_step_to_undo() -> None:
    given = told()
    for same in (
        state.forget(BASE, given, "client.count"), state.unpin(BASE, given, "mount.nconnect"),
        state.name(BASE, given, "server", " "), state.undo(state.start()), state.redo(given),
        mounts.go_to_mount(BASE, given, 0),
    ):
        assert same.past in (given.past, ())
    assert state.undo(state.start()) == state.start()


def test_back_and_forward_go_through_the_answers_in_order() -> None:
    given = told()
    assert given.at is None
    places = []
    for _ in range(5):
        given = state.back(given)
        places.append(given.at)
    assert places == [THREE, TWO, ONE, MOUNT, MOUNT]
    places = []
    for _ in range(5):
        given = state.forward(given)
        places.append(given.at)
    assert places == [ONE, TWO, THREE, None, None]
    assert state.back(state.go(told(), "client.count")).at == THREE, "from a question without an answer to the last one"
    assert state.forward(state.go(told(), "client.count")).at is None


def test_undo_and_redo_restore_one_step_each_and_a_change_ends_the_future() -> None:
    given = told()
    first = state.undo(given)
    assert (first.order, len(first.past), len(first.future)) == ((ONE, TWO), 2, 1)
    second = state.undo(first)
    assert (second.order, len(second.past), len(second.future)) == ((ONE,), 1, 2)
    assert state.redo(second).step == first.step
    assert state.redo(state.redo(second)).step == given.step
    assert state.redo(second).future == second.future[1:]
    assert state.dont_know(BASE, second, TWO).future == ()


def test_only_so_many_steps_can_be_undone_the_latest_ones() -> None:
    given = state.start()
    for number in range(state.DEPTH + 3):
        given = given._replace(at=str(number)).with_undo_step()
    assert len(given.past) == state.DEPTH
    assert given.past[-1].at == str(state.DEPTH + 2)
    text = files.to_text(given._replace(future=given.past))
    again = files.from_text(BASE, text).session
    assert (len(again.past), len(again.future)) == (files.STEPS, files.STEPS)
    assert (given.with_undo_step().past[0].at, given.past[0].at) == ("4", "3"), "the oldest one goes"


def test_a_session_is_touched_by_an_answer_a_name_or_an_undone_change_alone() -> None:
    assert not state.start().touched
    assert not state.go(state.start(), None).touched
    assert told().touched
    assert state.undo(state.answer(BASE, state.start(), ONE, "anf")).touched
    assert state.start(Answers(names={"server": "nas1"})).touched


def test_inferred_facts_are_no_answers() -> None:
    named = state.mount(BASE, state.start(), {"server": "a.file.core.windows.net", "export": "/a/b", "target": "/b"})
    assert named.answers.facts[ONE] == "azure-files"
    assert (named.order, named.given.facts, named.given.origin) == ((), {}, {})
    assert named.answers.origin[ONE]
    other = state.answer(BASE, named, ONE, "knfsd")
    assert (other.given.facts[ONE], ONE in other.answers.origin) == ("knfsd", False)


def test_an_answer_instead_drops_that_answer_alone() -> None:
    given = state.answer(BASE, told(), "client.distro", "rhel", instead_of=(TWO,))
    assert given.order == (ONE, THREE, "client.distro")
    assert len(given.past) == len(told().past) + 1, "one step undoes both"
    pinned = state.pin(BASE, state.pin(BASE, told(), "mount.vers", "3"), "mount.nconnect", "4")
    given = state.pin(BASE, pinned, "mount.vers", "4.1", ("mount.nconnect",))
    assert given.answers.pins == {"mount.vers": "4.1"}


def test_an_answer_instead_is_dropped_for_all_mounts_that_share_it() -> None:
    given = state.answer(BASE, session(DATA, LOG, EFS), ONE, "ontap")
    assert [ONE in one.order for one in given.mounts] == [True, True, False]
    free = state.answer(BASE, given, TWO, "6.1", instead_of=(ONE,))
    assert [one.order for one in free.mounts] == [(TWO,), (TWO,), (TWO,)]
    far = state.answer(BASE, mounts.go_to_mount(BASE, given, 2), TWO, "6.1", instead_of=(ONE,), of=0)
    assert [one.order for one in far.mounts] == [(TWO,), (TWO,), (TWO,)]


def test_what_mounts_share_is_about_the_host_or_about_one_server() -> None:
    same, other = Answers(names={"server": "nas1"}), Answers(names={"server": "nas2"})
    of_one = state.shared_by(BASE, same, same._replace(names={"server": "nas1", "target": "/b"}))
    assert [of_one(fact) for fact in (TWO, ONE, "mount.ro")] == [True, True, False]
    of_two = state.shared_by(BASE, same, other)
    assert [of_two(fact) for fact in (TWO, ONE, "mount.ro")] == [True, False, False]


def test_shared_answers_replace_and_own_ones_stay_in_their_order() -> None:
    facts, unknown = {TWO: "6.1", "client.memory_gib": 2}, frozenset({"client.distro"})
    given = Answers(facts, unknown=unknown, names={"clients": "lan"})
    order = ("client.memory_gib", TWO, "client.distro")
    theirs = MountAnswers(
        Answers({"mount.ro": True, TWO: "5.4"}, names={"server": "nas2", "clients": "old"}), (TWO, "mount.ro")
    )
    shared = state.share_answers(BASE, given, order, theirs)
    assert shared.answers.facts == {"mount.ro": True, TWO: "6.1", "client.memory_gib": 2}
    assert shared.order == (TWO, "mount.ro", "client.memory_gib", "client.distro")
    assert shared.answers.unknown == {"client.distro"}
    assert shared.answers.names == {"server": "nas2", "clients": "lan"}
    gone = state.share_answers(BASE, Answers(), (), theirs)
    assert (gone.answers.facts, gone.order) == ({"mount.ro": True}, ("mount.ro",))


@pytest.mark.parametrize(("place", "removed", "after"), [(0, 0, 0), (0, 2, 0), (1, 0, 0), (1, 1, 1), (2, 2, 1)])
def test_a_removed_mount_moves_those_behind_it(place: int, removed: int, after: int) -> None:
    given = mounts.go_to_mount(BASE, session(DATA, LOG, EFS), place)
    left = mounts.remove(BASE, given, removed)
    names = [DATA, LOG, EFS]
    stays = names[place]
    del names[removed]
    assert [one.answers.names for one in left.mounts] == names
    assert left.place == after
    assert place == removed or left.answers.names == stays


def test_lines_that_are_there_already_are_not_added_and_one_undo_removes_all() -> None:
    text = "nas1:/a /a nfs defaults 0 0\nnas1:/b /b nfs defaults 0 0\nnas2:/c /c nfs defaults 0 0\n"
    lines = nfs_lines(BASE, text, "fstab")
    first = mounts.add_lines(BASE, state.start(), lines[:1])
    given = mounts.add_lines(BASE, first, lines)
    assert [one.answers.names["target"] for one in given.mounts] == ["/a", "/b", "/c"]
    assert len(given.past) == len(first.past) + 1
    assert mounts.add_lines(BASE, given, lines) == given


def test_the_place_of_a_mount_leads_its_own_answers() -> None:
    given = state.answer(BASE, session(DATA, LOG, EFS), "workload.durable_writes", True)
    there = mounts.go_to_mount(BASE, given, 2)
    assert (there.place, there.order, there.at, there.past) == (2, (), None, given.past)
    assert [one.answers.names for one in there.mounts] == [DATA, LOG, EFS]
    back = mounts.go_to_mount(BASE, there, 0)
    assert back.order == ("workload.durable_writes",)
    assert len({given.view, there.view, state.start().view}) == 3


def test_after_eight_answers_only_what_must_be_is_asked_unless_fine_tuning_is_wanted() -> None:
    known = {ONE: "knfsd", "host.role": "nfs-server", "server.ha": True, "server.shared_storage": "fc",
             "server.v3_clients": True}
    few = state.answer(BASE, state.go(state.start(), None), "host.role", "nfs-server")
    while len(few.order) < questions.ENOUGH:
        fact = str(questions.current_question(BASE, few))
        few = state.answer(BASE, few, fact, known[fact]) if fact in known else state.dont_know(BASE, few, fact)
    many = few._replace(order=(*few.order, *(f"x{number}" for number in range(questions.MOST))))
    must, should = ({one.tunable for one in questions.preview(BASE, many).open if one.strength == strength}
                    for strength in ("must", "should"))
    asks = questions.upcoming_questions(BASE, many)
    assert all(ask.settles >= 0.5 and must & set(ask.decisions) for ask in asks)
    more = questions.upcoming_questions(BASE, few)
    assert len(more) > len(asks)
    others = [ask for ask in more if ask not in asks]
    assert all(ask.settles >= 1 and (must | should) & set(ask.decisions) for ask in others)
    assert not any(BASE.facts[ask.fact].usual for ask in others if not must & set(ask.decisions))
    before = questions.upcoming_questions(BASE, few._replace(order=few.order[1:]))
    assert len(before) > len(more)
    assert len(questions.upcoming_questions(BASE, many._replace(fine=True))) > len(asks)


def test_what_was_carried_over_leaves_as_many_answers_as_a_new_start() -> None:
    known = {ONE: "ontap", "workload.kind": "oracle", "workload.dnfs": False, "mount.sec": "sys"}
    here = state.go(state.start(), None)
    while questions.answered(here, 0) < questions.ENOUGH:
        fact = str(questions.current_question(BASE, here))
        here = state.answer(BASE, here, fact, known[fact]) if fact in known else state.dont_know(BASE, here, fact)
    read = state.start(here.answers)
    assert (len(here.order), questions.answered(read, 0)) == (len(read.order), 0)
    assert len(questions.upcoming_questions(BASE, read)) > len(questions.upcoming_questions(BASE, here))
    two = mounts.add(BASE, state.mount(BASE, here, DATA), LOG)
    there = mounts.go_to_mount(BASE, two, 1)
    assert there.order
    assert [questions.answered(there, place) for place in (0, 1)] == [questions.ENOUGH, 0]
    open_one = next(one.fact for one in questions.upcoming_questions(BASE, there))
    there = state.dont_know(BASE, there, open_one)
    assert questions.answered(there, 1) == 1
    clients = state.answer(BASE, state.answer(BASE, state.start(), ONE, "knfsd"), "host.role", "nfs-client")
    server = mounts.go_to_other_side(BASE, clients)
    back = mounts.go_to_other_side(BASE, state.answer(BASE, server, "server.ha", False))
    assert [questions.answered(one, 0) for one in (clients, server, server._replace(past=()), back)] == [2, 0, 0, 3]


def test_a_prerequisite_is_asked_before_what_needs_it() -> None:
    given = state.start(Answers({ONE: "knfsd", "host.role": "nfs-server"}))._replace(fine=True)
    asked = [ask.fact for ask in questions.upcoming_questions(BASE, given)]
    places = {fact: place for place, fact in enumerate(asked)}
    pairs = [(places[earlier], places[fact]) for fact in asked for earlier in BASE.facts[fact].asked_after
             if earlier in places]
    assert pairs
    assert all(earlier < later for earlier, later in pairs)
    assert asked[0] == "server.ha", "one of those on which most depends"


def test_what_was_found_is_offered_until_it_contradicts_or_another_host_is_meant() -> None:
    found = {TWO: ("6.1", "/proc"), "client.distro": ("debian", "/etc/os-release")}
    new = state.go(state.start(), None)
    assert questions.found_value(BASE, new, found, TWO) == ("6.1", "/proc")
    assert questions.found_value(BASE, new, found, "client.count") is None
    same = state.answer(BASE, new, "client.distro", "debian")
    assert not questions.about_another_host(BASE, same, found)
    assert questions.found_value(BASE, same, found, TWO) == ("6.1", "/proc")
    other = state.answer(BASE, new, "client.distro", "rhel")
    assert questions.about_another_host(BASE, other, found)
    assert questions.found_value(BASE, other, found, TWO) is None
    wide = state.answer(BASE, new, TWO, ">=5.15")
    assert not questions.about_another_host(BASE, wide, found), "the answer leaves room for what was found"
    assert not questions.about_another_host(BASE, state.answer(BASE, new, ONE, "anf"), {ONE: ("knfsd", "x")})


def test_a_trial_answer_changes_one_fact_and_not_the_session() -> None:
    given = told()
    trial = questions.trial_answers(BASE, given, TWO, "5.4")
    assert (trial.facts[TWO], trial.facts[ONE], given.answers.facts[TWO]) == ("5.4", "anf", "6.1")
    unknown = questions.trial_answers(BASE, given, TWO, None)
    assert (TWO in unknown.facts, TWO in unknown.unknown) == (False, True)
    impossible = state.answer(BASE, told(), "client.distro", "ubuntu")
    assert state.contradiction(BASE, questions.trial_answers(BASE, impossible, TWO, "5.14.0-362.el9"))


def test_a_cache_forgets_what_was_used_longest_ago() -> None:
    cache: Cache[str] = Cache(2)
    made: list[str] = []

    def get(name: str) -> str:
        return cache.get((name,), lambda: made.append(name) or name)  # type: ignore[func-returns-value]

    for name in "abacb":
        assert get(name) == name
    assert made == ["a", "b", "c", "b"]
    assert (cache.peek(("a",)), cache.peek(("b",))) == (None, "b")


def test_changes_are_grouped_where_nothing_is_to_be_set_and_the_rest_is_counted() -> None:
    def change(name: str, after: str, why: str = "So.") -> AdviceChange:
        return AdviceChange(name, "", OPEN, after, why)

    rows = change_rows([change("sysctl.b", "b = 1"), change("mount.a", "a")])
    assert [row.plain for row in rows] == ["2 settings changed:", "mount.a: a. So.", "b = 1. So."]
    was = AdviceChange("mount.vers", "", "vers=3", "vers=4.1", "So.")
    assert change_rows([was])[1].plain == "vers=4.1 (was vers=3). So."
    many = change_rows([change(f"sysctl.a{number}", f"a{number} = 1") for number in range(FEW_CHANGES + 1)])
    assert len(many) == FEW_CHANGES + 2
    assert many[-1].plain == "1 more; s shows everything."
    assert len(change_rows([change(f"sysctl.a{number}", f"a{number} = 1") for number in range(FEW_CHANGES)])) == (
        FEW_CHANGES + 1
    )


def test_a_row_is_spoken_without_its_mark() -> None:
    row = list_row(("setting", "x"), ("must   ", "bad"), "vers=3", "", "\n    It is so", mark=("● ", "good"))
    assert row.spoken == "must vers=3. It is so"
    assert row.plain == "● must vers=3 It is so"
    assert "".join(part.text for part in row.drawn) == "● must   vers=3\n    It is so"


def test_a_choice_is_typed_as_its_number_or_a_command() -> None:
    choices = [
        Choice("answer", "NFSv3", "3"), Choice("answer", "NFSv4.1", "4.1"), Choice("unknown", wording.UNKNOWN),
        Choice("look", "Assumed", TWO), Choice("other", "Continue with /b", 1), Choice("fine", "Continue"),
        Choice("do", "Export", "export"), Choice("do", "Copy the mount line", "copy"),
    ]
    assert steps.typed_keys(choices) == ["1", "2", "d", f"a {TWO}", "l 2", "m", "x FOLDER", ""]
    assert steps.typed_keys([Choice("look", "Assumed", TWO), Choice("keep", "Keep it")]) == [f"a {TWO}", "1"]
    lines = [Choice("mount", "a"), Choice("mount", "b"), Choice("file", "another"), Choice("skip", "none")]
    assert steps.typed_keys(lines) == ["1", "2", "fstab FILE", "d"]
    assert steps.typed_keys([Choice("keep", "Keep it"), Choice("instead", "Drop it", ONE)]) == ["1", "2"]


def test_what_a_choice_does() -> None:
    new = state.go(state.start(), None)
    found = {TWO: ("6.1", "/proc/sys/kernel/osrelease")}

    def take(session: Session, fact: str | None, act: str, value: object) -> Session:
        return steps.take(BASE, session, fact, act, value, found=found)

    assert take(new, ONE, "answer", "anf").answers.facts == {ONE: "anf"}
    assert take(new, TWO, "found", "6.1").answers.origin == {TWO: "/proc/sys/kernel/osrelease"}
    assert take(new, TWO, "answer", "6.1").answers.origin == {}
    assert take(new, TWO, "unknown", None).answers.unknown == {TWO}
    assert take(new, None, "fine", None).fine
    assert take(state.start(), None, "skip", None).at is None
    assert take(state.start(), None, "typed", "nas1:/a /a").answers.names["server"] == "nas1"
    lines = nfs_lines(BASE, "nas1:/a /a nfs defaults 0 0\nnas1:/b /b nfs defaults 0 0\n", "fstab")
    assert take(state.start(), None, "mount", lines[1]).answers.names["target"] == "/b"
    both = take(state.start(), None, "marked", lines)
    assert [one.answers.names["target"] for one in both.mounts] == ["/a", "/b"]
    assert take(both, None, "other", 1).place == 1
    given = told()
    assert take(given, None, "instead", ("client.distro", "rhel", (TWO,), None)).order == (ONE, THREE, "client.distro")
    pinned = take(given, None, "pin instead", ("mount.nconnect", "4", (TWO,), None))
    assert (pinned.answers.pins, TWO in pinned.answers.facts) == ({"mount.nconnect": 4}, False)
    assert "mount.nconnect" in BASE.facts, "which is a fact too, and no answer was given"
    assert "mount.nconnect" not in pinned.answers.facts


@pytest.mark.parametrize(("matter", "waiting", "title"), [
    (0, 0, "The configuration is complete."),
    (0, 1, "The configuration is ready; more answers could still improve it."),
    (2, 0, "This mount is complete."), (None, 0, "This mount is complete."),
])
def test_the_configuration_is_complete_when_no_mount_waits(matter: int | None, waiting: int, title: str) -> None:
    setting = questions.preview(BASE, state.start()).open[:waiting]
    rest = (OtherMount(1, "/b", matter, tuple(setting)),)
    assert ending.title(Ending((), (), 0, 0, None), rest) == title


def test_an_assumption_says_what_it_decides_and_what_is_at_stake() -> None:
    """For each of them: what the settings that rest on it avoid, none of them worse than what is named."""
    for facts in ({}, {"storage.platform": "knfsd"}, {"host.role": "nfs-server", "server.ha": True},
                  {"storage.platform": "anf", "mount.vers": "4.1"}):
        rows = advise(BASE, Answers(facts)).rows
        for fact in {taken.fact for row in rows for taken in (*row.rests_on, *row.presumes)}:
            mine = [row for row in rows
                    if row.part and not row.definition.places
                    and fact in {taken.fact for taken in (*row.rests_on, *row.presumes)}]
            said = wording.at_stake(rows, fact)
            assert bool(said) == bool(mine), fact
            for row in mine:
                worse = CONSEQUENCES[:CONSEQUENCES.index(row.consequence)] if row.consequence else ()
                named = [harm for harm, words in wording.OTHERWISE.items() if words in said]
                assert not row.consequence or named[0] in (*worse, row.consequence), (fact, row.tunable)
    assert wording.at_stake(advise(BASE, Answers({})).rows, "mount.ro") == "decides hard; at stake: data can be lost"


def test_a_setting_is_told_as_it_is_written_or_by_its_title() -> None:
    for tunable in BASE.tunables.values():
        told_as = told_name(tunable)
        written = tunable.forms or tunable.kind in ("sysctl", "module-parameter", "nfs.conf")
        short = tunable.id.partition(".")[2] if tunable.kind == "fstab-field" else tunable.title
        assert told_as == short or (written and tunable.kind != "fstab-field"), tunable.id
        assert not (tunable.kind == "mount-option" and told_as.startswith(("efs.", "aznfs.", "mount."))), tunable.id


@pytest.mark.parametrize("facts", [{}, {"workload.kind": "general"}, {"client.kernel": "6.1"}])
def test_the_line_for_unknown_storage_has_no_option_of_another_type(facts: dict[str, str]) -> None:
    advice = advise(BASE, Answers(facts), asking=True)
    others = {name for name, tunable in BASE.tunables.items()
              if tunable.applies_to and not {"nfs", "nfs4"} & {*tunable.applies_to}}
    assert others & {row.tunable for row in advice.open}
    assert not others & {option.tunable for option in shown_line(advice).options}

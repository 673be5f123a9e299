"""What each step of the wizard says and offers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.advice.verdict import AdviceVerdict
from advisor.lint.evidence import nfs_lines
from advisor.pages import wording
from advisor.rulebase.base import load
from advisor.wizard import ending, mounts, questions, state, steps
from advisor.wizard.commands import BY_NAME
from advisor.wizard.files import SavedSession
from advisor.wizard.questions import Ending
from advisor.wizard.steps import Choice, WizardStep

BASE = load()
PLATFORM, KERNEL = "storage.platform", "client.kernel"
ASKED = state.go(state.start(), None)
ANF = state.answer(BASE, ASKED, PLATFORM, "anf")
LINES = nfs_lines(BASE, "nas:/a /a nfs defaults 0 0\nnas:/b /b nfs defaults 0 0\nnas2:/c /c nfs ro 0 0\n", "fstab")
THREE = mounts.add_lines(BASE, state.start(), LINES)
OLD, OLDER = (SavedSession("{}", f"2026-12-{day} 23:59", "2 answers", Path(f"{name or 'x'}.json"), name)
              for day, name in ((31, ""), (30, "web")))
TASK = BY_NAME["export"]


def acts(choices: list[Choice]) -> list[tuple[str, Any]]:
    return [(choice.act, choice.value) for choice in choices]


def test_a_step_says_nothing_that_it_was_not_given() -> None:
    assert WizardStep("Is it?", [])[2:] == ((), None, "", "", None, None, "", False)
    assert Choice("keep", "Keep it")[2:] == (None, "", False)


def test_a_saved_session_is_continued_or_left_alone() -> None:
    assert [one[:4] for one in steps.start_choices(state.start(), (), [OLD])] == [
        ("resume", "Continue with the saved answers", OLD, "2 answers, saved 2026-12-31 23:59"),
        ("configure", "Configure a mount", None, "anew; the saved answers are kept")]
    assert steps.start_choices(ANF, (), [OLDER])[0].label == "Continue with web"


@pytest.mark.parametrize(("session", "saved", "says"), [
    (state.start(), (), "a few questions, then the line and the files"),
    (state.start(), (OLD,), "anew; the saved answers are kept"),
    (ANF, (OLD,), "goes on with 1 answer"),
    (state.mount(BASE, ANF, {"server": "nas", "export": "/a"}), (), "goes on with 1 answer, 2 names"),
    (state.mount(BASE, state.start(), {"server": "nas"}), (), "goes on with 1 name"),
])
def test_the_first_screen_begins_with_what_was_saved_last(session: state.Session, saved: Any, says: str) -> None:
    told = steps.start_choices(session, [TASK], saved)
    configure = next(one for one in told if one.act == "configure")
    assert configure.note == says
    assert acts(told) == [*[("resume", one) for one in saved], ("configure", None), ("do", "export")]


def test_the_first_screen_ends_with_the_other_sessions() -> None:
    told = steps.start_choices(state.start(), [TASK], [OLD, OLDER])
    assert acts(told) == [("resume", OLD), ("configure", None), ("do", "export"), ("resume", OLDER)]
    assert told[-1].note == "2 answers, saved 2026-12-30 23:59"


def test_the_question_for_the_mount() -> None:
    step = steps.mount_question(BASE, state.start(), LINES[:1], [TASK])
    assert [one.act for one in step.choices] == ["mount", "write", "file", "skip", "mounts", "do"]
    assert (step.choices[0].value, step.choices[0].note) == (LINES[0], LINES[0].mount.place)
    assert (step.choices[3].label, step.known, step.fact) == ("Continue without names", None, None)
    named = steps.mount_question(BASE, state.mount(BASE, state.start(), {"server": "nas"}), [], [])
    assert named.choices[2].label == "Continue with these names"
    assert named.known is not None
    assert (named.known[0], "nas" in named.known[1]) == ("So far", True)


def test_the_question_for_a_fact_shows_what_is_known_of_it() -> None:
    found = ("6.1", "/proc/sys/kernel/osrelease")
    told = {
        "asked": steps.question(BASE, ANF, KERNEL, None),
        "found": steps.question(BASE, ANF, KERNEL, found),
        "given": steps.question(BASE, state.answer(BASE, ANF, KERNEL, "6.1", origin="uname"), KERNEL, found),
        "unknown": steps.question(BASE, state.dont_know(BASE, ANF, KERNEL), KERNEL, found),
    }
    assert {name: step.known for name, step in told.items()} == {
        "asked": None, "found": (steps.FOUND, "6.1", found[1]), "given": ("Your answer", "6.1", "uname"),
        "unknown": ("Your answer", wording.UNKNOWN, ""),
    }
    assert all((step.fact, step.refused, bool(step.example)) == (KERNEL, False, True) for step in told.values())
    assert [step.choices[-1].selected for step in told.values()] == [False, False, False, True]
    first = steps.with_found(BASE, told["found"])[0]
    assert first == Choice("found", "6.1", "6.1", f"found in {found[1]}")
    assert steps.with_found(BASE, told["given"]) == told["given"].choices


def test_a_found_value_is_offered_once_and_what_follows_from_names_is_inferred() -> None:
    asked = steps.question(BASE, ASKED, PLATFORM, ("anf", "the server's name"))
    offered = steps.with_found(BASE, asked)
    assert (offered[0].act, offered[0].value) == ("found", "anf")
    assert [one.value for one in offered if one.act == "answer"].count("anf") == 0
    assert len(offered) == len(asked.choices)
    given = state.mount(BASE, state.start(), {"server": "fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com"})
    assert steps.question(BASE, given, PLATFORM, None).known == (
        "Inferred", steps.wording.answer_text(BASE, PLATFORM, "aws-efs"), given.answers.origin[PLATFORM])


def test_the_current_answer_is_marked_and_a_contradiction_noted() -> None:
    answered = {one.value: one for one in steps.answer_choices(BASE, ANF, PLATFORM)}
    assert [value for value, one in answered.items() if one.selected] == ["anf"]
    assert not any(one.selected for one in steps.answer_choices(BASE, ASKED, PLATFORM))
    rhel = state.answer(BASE, ANF, KERNEL, "4.18.0-193.el8")
    noted = {one.value: one.note for one in steps.answer_choices(BASE, rhel, "client.distro")}
    assert (noted["debian"], noted["rhel"]) == (steps.CONTRADICTS, "")
    usual = steps.answer_choices(BASE, ANF, next(name for name, fact in BASE.facts.items() if fact.usual))[-1]
    assert usual.note == "the usual value, if that is safe"
    assert steps.answer_choices(BASE, ANF, KERNEL)[-1].note == "what depends on it stays open"


def test_what_contradicts_is_dropped_only_when_told_so() -> None:
    rhel = state.answer(BASE, ANF, KERNEL, "4.18.0-193.el8")
    with pytest.raises(state.Refused) as refused:
        state.answer(BASE, rhel, "client.distro", "debian")
    for pin, act in ((False, "instead"), (True, "pin instead")):
        step = steps.contradiction(BASE, rhel, "client.distro", "debian", refused.value, pin=pin)
        assert acts(step.choices) == [("keep", None), (act, ("client.distro", "debian", (KERNEL,), None))]
        assert step.refused
    (said,) = (text for _, text in step.notes)
    assert said.endswith("4.18.0-193.el8")
    failing = steps.failing(BASE, ("client.distro", "answer", "debian"), "It fails.")
    assert acts(failing.choices) == [("keep", None), ("all the same", ("client.distro", "answer", "debian"))]
    assert (failing.notes, failing.refused) == ((("", "It fails."),), True)


def test_the_last_answer_is_the_last_change_if_that_was_one() -> None:
    unsure = state.dont_know(BASE, ANF, KERNEL)
    assert questions.last_answer(BASE, ASKED) == ("", "")
    assert questions.last_answer(BASE, unsure)[1] == wording.UNKNOWN
    again = state.answer(BASE, unsure, PLATFORM, "azure-files")
    assert questions.last_answer(BASE, again)[1] == steps.wording.answer_text(BASE, PLATFORM, "azure-files")
    assert questions.last_answer(BASE, state.pin(BASE, ANF, "mount.nconnect", "4")) == ("", "")
    both = mounts.go_to_mount(BASE, state.answer(BASE, THREE, PLATFORM, "knfsd"), 2)
    assert questions.last_answer(BASE, both) == ("", ""), "it was about another mount"


@pytest.mark.parametrize(("fact", "about"), [
    (None, "mount 1 of 3: /a"), ("mount.ro", "mount 1 of 3: /a"), (KERNEL, "about the host, for all 3 mounts"),
    (PLATFORM, "about the server nas, for 2 of 3 mounts"),
])
def test_what_a_question_is_about(fact: str | None, about: str) -> None:
    assert steps.scope_text(BASE, THREE, fact) == about


def test_one_mount_of_one_side_needs_no_word_on_what_it_is_about() -> None:
    assert steps.scope_text(BASE, ANF, KERNEL) == ""
    assert [steps.side_name(role) for role in ("nfs-client", "nfs-server", None)] == ["the clients", "the server", ""]
    third = mounts.go_to_mount(BASE, THREE, 2)
    assert steps.scope_text(BASE, third, PLATFORM) == "mount 3 of 3: /c", "no other mount has its server"


@pytest.mark.parametrize(("found", "title"), [
    (AdviceVerdict(state="will-fail"), AdviceVerdict(state="will-fail").title),
    (AdviceVerdict(state="open", open=1), "NOT READY: 1 thing that must be right is open."),
    (AdviceVerdict(unnamed=("server",)), "The configuration is complete, but names are missing (server)."),
])
def test_the_title_of_the_end(found: AdviceVerdict, title: str) -> None:
    assert ending.title(Ending((), (), 0, 0, None), (), found) == title


def test_the_answers_about_the_host_apply_to_all_its_files() -> None:
    told = state.answer(BASE, state.answer(BASE, ANF, KERNEL, "6.1"), "mount.ro", "true")
    assert mounts.host_facts(BASE, told) == {PLATFORM: "anf", KERNEL: "6.1"}


def test_of_many_settings_the_first_are_named() -> None:
    names = ("mount.vers", "mount.nconnect", "mount.rsize", "mount.wsize")
    assert ending.setting_names(BASE, names) == "vers, nconnect, rsize and 1 more"
    assert ending.setting_names(BASE, names[:2]) == "vers, nconnect"
    assert ending.setting_names(BASE, names, 1) == "vers and 3 more"


def test_values_of_rules_are_offered_if_they_are_literal() -> None:
    offered = dict(questions.rule_values(BASE, "mount.nconnect"))
    rules = {str(rule.value) for rule in BASE.decisions["mount.nconnect"].rules.values()}
    assert offered.keys() < rules
    assert all(value == "omit" or value.isdigit() for value in offered)
    assert not {"keep", "n/a"} & offered.keys()


def test_where_the_answers_are_is_said_at_the_end() -> None:
    unsaved = ending.farewell(BASE, ASKED, None, line=False)
    assert unsaved == ["The answers are not saved."]
    named = ending.farewell(BASE, ASKED, Path("/x/wizard-web.json"), "--plain", line=False)
    assert named[-1] == "  /x/wizard-web.json"
    assert named[0].startswith("advisor wizard --plain --session web continues from here.")
    assert ending.farewell(BASE, ANF, None)[0] == "The mount line:"
    assert ending.farewell(BASE, THREE, None)[0] == "The mount lines:"

"""The questions have an end: the environments of the scenarios, told by somebody who knows every true answer."""

from __future__ import annotations

from functools import cache
from statistics import median

import pytest

from advisor import session as state
from advisor.advice.answers_file import read_answers
from advisor.rulebase.base import load
from advisor.session import Session
from advisor.wizard.words import ended, left_open
from tests.scenarios.golden import HERE, NAMES

BASE = load()


@cache
def sittings(name: str) -> tuple[Session, ...]:
    """The session before the first answer, and after each one until nothing that matters is left to ask."""
    true = read_answers(BASE, str(HERE / f"{name}.yaml"))
    names = {which: text for which, text in true.names.items() if which != "clients"}
    found = [state.mount(BASE, state.start(), names)]
    while (fact := state.current(BASE, found[-1])) is not None and len(found) < 40:
        told = true.facts.get(fact)
        found.append(
            state.dont_know(BASE, found[-1], fact) if told is None else state.answer(BASE, found[-1], fact, told)
        )
    return tuple(found)


def weighty(session: Session, strength: str) -> list[str]:
    return [one.tunable for one in state.preview(BASE, session).open if one.strength == strength]


@pytest.mark.parametrize("name", NAMES)
def test_it_ends_with_nothing_open_that_must_or_should_be(name: str) -> None:
    last = sittings(name)[-1]
    assert state.current(BASE, last) is None
    waiting = state.ending(BASE, last).waiting
    assert not waiting, [one.tunable for one in waiting]


@pytest.mark.parametrize("name", NAMES)
def test_after_ten_answers_nothing_is_open_that_must_be(name: str) -> None:
    told = sittings(name)
    assert not weighty(told[min(10, len(told) - 1)], "must")


def test_where_nfs_is_not_the_answer_it_ends_and_says_so() -> None:
    session = state.answer(BASE, state.start(), "workload.kind", "windows-profiles")
    assert state.current(BASE, session) is None
    barred = state.ending(BASE, session).barred
    assert barred is not None
    assert ended(state.ending(BASE, session)) == "NFS is not the answer here."
    assert barred.why in " ".join(left_open(BASE, state.ending(BASE, session)))


def test_it_takes_about_eight_answers() -> None:
    assert median(len(sittings(name)) - 1 for name in NAMES) <= 8


@pytest.mark.parametrize("name", NAMES)
def test_what_must_be_is_asked_before_what_should_be(name: str) -> None:
    """Each question bears on something that must be as long as one is left that does, but for whose setting it is; so
    does one whose answer tells another that does."""
    for session in sittings(name):
        asks = [ask for ask in state.upcoming(BASE, session) if ask.fact not in ("storage.platform", "host.role")]
        must = set(weighty(session, "must"))
        decisions = {ask.fact: ask.decisions for ask in asks}
        told = {ask.fact: [bears for fact in BASE.facts if ask.fact in BASE.facts[fact].asked_after
                           for bears in decisions.get(fact, ())] for ask in asks}
        bears = [not must.isdisjoint((*ask.decisions, *told[ask.fact])) for ask in asks]
        assert bears == sorted(bears, reverse=True)


@pytest.mark.parametrize("platform", [
    "anf", "aws-efs", "aws-fsx-ontap", "gcp-filestore", "oci-fss", "ontap", "flashblade", "vast", "powerscale",
    "qumulo",
])
def test_nobody_is_asked_whether_this_host_is_the_server_of_an_appliance_or_a_service(platform: str) -> None:
    told = state.answer(BASE, state.start(), "storage.platform", platform)._replace(fine=True)
    asked = {ask.fact for ask in state.upcoming(BASE, told)}
    assert "host.role" not in asked
    assert not {fact for fact in asked if BASE.facts[fact].section == "hardware"}
    assert not asked & {"server.distro", "server.release", "server.kernel", "server.init", "server.ha"}

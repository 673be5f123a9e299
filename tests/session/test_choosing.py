"""Values that contradict what was said come last, and only these are refused."""

from __future__ import annotations

import pytest

from advisor import session as state
from advisor.rulebase.base import load
from advisor.session import Refused

BASE = load()
SERVER = state.answer(BASE, state.start(), "host.role", "nfs-server")


def test_whoever_sets_up_a_server_is_offered_servers_first() -> None:
    offered = state.values_to_choose(BASE, SERVER, "storage.platform")
    fits = [one.fits for one in offered]
    assert fits == sorted(fits, reverse=True)
    named = {one.value: one.fits for one in offered}
    assert named["knfsd"]
    assert named["ganesha"]
    assert not named["azure-files"]
    assert {one.value for one in offered} == set(BASE.facts["storage.platform"].values or ())


def test_for_clients_the_order_is_that_of_the_rule_base() -> None:
    offered = state.values_to_choose(BASE, state.start(), "storage.platform")
    assert [one.value for one in offered] == list(BASE.facts["storage.platform"].values or ())
    assert all(one.fits for one in offered)


@pytest.mark.parametrize("fact", ["storage.platform", "server.ha", "client.distro"])
def test_what_is_said_to_fit_is_taken_and_the_rest_is_not(fact: str) -> None:
    for one in state.values_to_choose(BASE, SERVER, fact):
        try:
            state.answer(BASE, SERVER, fact, one.value)
        except Refused:
            assert not one.fits, one.value
        else:
            assert one.fits, one.value


def test_an_answer_does_not_rule_out_its_own_question() -> None:
    answered = state.answer(BASE, state.start(), "storage.platform", "ontap")
    assert all(one.fits for one in state.values_to_choose(BASE, answered, "storage.platform"))


def test_nothing_is_chosen_where_an_answer_is_written() -> None:
    assert state.values_to_choose(BASE, SERVER, "client.kernel") == []

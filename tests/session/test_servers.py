"""Who runs a server is asked early whether it is a cluster, nobody else is, and the end says what to do."""

from __future__ import annotations

from advisor import session as state
from advisor.rulebase.base import load
from advisor.wizard.words import left_open

BASE = load()
SERVER = state.answer(BASE, state.start(), "host.role", "nfs-server")


def test_whether_it_is_a_cluster_is_the_third_question_at_most() -> None:
    on_linux = state.answer(BASE, SERVER, "storage.platform", "knfsd")
    assert state.current(BASE, SERVER) in ("storage.platform", "server.ha")
    assert state.current(BASE, on_linux) == "server.ha"


def test_clients_are_not_asked_about_a_cluster() -> None:
    client = state.answer(BASE, state.start(), "host.role", "nfs-client")
    assert "server.ha" not in {ask.fact for ask in state.upcoming(BASE, client)}


def test_the_end_says_what_to_do_with_a_cluster_a_server_and_a_client() -> None:
    pair = state.answer(BASE, state.answer(BASE, SERVER, "storage.platform", "knfsd"), "server.ha", True)
    assert "cluster/test-plan.md" in left_open(BASE, state.ending(BASE, pair))[0]
    alone = state.answer(BASE, state.answer(BASE, SERVER, "storage.platform", "knfsd"), "server.ha", False)
    assert left_open(BASE, state.ending(BASE, alone))[0].startswith("Next: export the configuration, and install")
    client = state.answer(BASE, state.start(), "host.role", "nfs-client")
    assert not any(line.startswith("Next:") for line in left_open(BASE, state.ending(BASE, client)))

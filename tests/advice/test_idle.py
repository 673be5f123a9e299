"""Settings that may be left out whatever turns out to be so wait for no answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.advise import _is_asked_for, _recommendation, advise
from advisor.advice.answers import Answers
from advisor.advice.rows import export_line
from advisor.engine.base import GATE
from tests.advice.environments import base
from tests.each import each

GIVEN = {"workload.kind": "general", "client.kernel": "6.1", "host.role": "nfs-client"}


def lock(**facts: Any) -> Any:
    advice = advise(base(), Answers({**GIVEN, **{name.replace("_", ".", 1): value for name, value in facts.items()}}))
    return next(one for one in advice.open if one.tunable == "mount.lock"), advice


@pytest.mark.parametrize("platform", ["truenas", "ontap", "vast"])
def test_a_lock_that_is_the_default_is_nothing_to_settle(platform: str) -> None:
    """NFSv3 with locks wants them at the server, which is the default; NFSv4 and programs without locks do not care."""
    found, advice = lock(storage_platform=platform)
    assert found.strength is None
    assert not any(ask.matters and set(ask.decisions) == {"mount.lock"} for ask in advice.questions)


@pytest.mark.parametrize("platform", ["other", "nutanix-files"])
def test_where_nolock_may_be_needed_one_is_asked_but_nothing_waits_for_it(platform: str) -> None:
    """A server without a lock manager refuses locks, which a program sees; nolock takes them from other clients."""
    found, advice = lock(storage_platform=platform)
    assert found.strength is None
    asked = advise(base(), advice.answers, asking=True)
    assert next(one.strength for one in asked.open if one.tunable == "mount.lock") == "must"
    assert any(ask.matters and "mount.lock" in ask.decisions for ask in asked.questions)


@pytest.mark.parametrize("workload", [None, "postgresql", "general", "home"])
def test_a_default_of_the_export_that_must_hold_is_written(workload: Any) -> None:
    server = {"host.role": "nfs-server", "storage.platform": "knfsd"}
    told = advise(base(), Answers({**server, "workload.kind": workload}))
    found = told.find("exports.async")
    assert (found.text, found.strength, found.part, found.rests_on) == ("sync", "must", "set", ())
    assert export_line(told) == "/export  client.example(sync,rw,root_squash,no_subtree_check)"


@each(lambda: [
    (GATE, False, False, True), (GATE, True, False, False), (GATE, False, True, False), ("vendor", False, False, False),
    (None, False, False, False),
])
def test_a_gate_is_idle_unless_the_setting_is_pinned_or_asked_for(
    layer: str | None, held: bool, asked: bool, idle: bool
) -> None:
    rule: Any = SimpleNamespace(layer=layer, strength="must", consequence="ignored", why="So.") if layer else None
    outcome: Any = SimpleNamespace(value="omit", rule="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("advisor.advice.advise._is_asked_for", lambda *_: asked)
        made = _recommendation(base(), "mount.nconnect", outcome, lambda _: None, {}, held=held, rule=rule)
    assert (made.idle, made.pinned) == (idle, held)


@each(lambda: [
    (["omit", "n/a", "keep"], False, True, False), (["omit", 8], False, False, True), ([8], True, True, True),
    ([8], True, False, False), ([], False, True, False),
])
def test_a_setting_is_asked_for_by_a_rule_with_a_value_and_a_vendors_only_where_it_may_hold(
    values: list[Any], vendor: bool, may_hold: bool, asked: bool
) -> None:
    rules = [SimpleNamespace(id=str(number), value=value) for number, value in enumerate(values)]
    of: Any = SimpleNamespace(tunables={"x": SimpleNamespace(vendor=vendor)},
                              engine=SimpleNamespace(decision=lambda _: SimpleNamespace(rules=rules)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("advisor.advice.advise.can_hold", lambda *_: may_hold)
        assert _is_asked_for(of, "x", {}) is asked


def test_what_nobody_can_answer_or_said_not_to_know_is_not_asked() -> None:
    first = advise(base(), Answers({}), asking=True).questions[0].fact
    asked = advise(base(), Answers({}, unknown=frozenset({first})), asking=True).questions
    assert first not in {one.fact for one in asked}
    assert asked
    assert all(base().facts[one.fact].ask for one in asked)

"""Advice by usual values, where it is known which are assumed and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from advisor.engine import Base
from advisor.engine.usual import Counsel, Usual, counsel
from tests.engine.sample import NCONNECT, decision, rule, sample
from tests.engine.test_chain import SLOTS, VERS
from tests.engine.test_state import PRESUMED

ANF = Usual("storage.platform", "anf")
NEW = Usual("client.kernel", "6.1")
PUBLIC = decision("x", rule("x/else", 1), rule("x/public", 2, "platform", storage__endpoint="public"))


def advice(
    base: Base, known: dict[str, Any], usual: Iterable[Usual], *, severe: str = "", pins: dict[str, Any] | None = None,
    alike: tuple[object, ...] = (),
) -> Counsel:
    """`severe`: a rule that any value but its own harms. `alike`: values for which the same is done."""
    return counsel(
        base, base.state(known), usual, certain=base.certain(known), pins=pins,
        does=lambda _, value: "alike" if value in alike else (value,), harmless=lambda _, __, winner: winner != severe,
    )  # fmt: skip


def assumed(base: Base, found: Counsel) -> dict[str, tuple[object, dict[str, str]]]:
    """Decision -> (its value, the usual values on which it rests)"""
    return {
        name: (one.outcome.value, {fact: base.describe(fact, mask) for fact, mask in one.rests_on.items()})
        for name, one in found.assumed.items()
    }


def test_an_open_decision_is_answered_by_the_usual_values_that_it_needs() -> None:
    base = sample()
    found = advice(base, {"client.kernel": "6.1"}, [ANF, Usual("client.count", ">=1 <=4")])
    assert assumed(base, found) == {"mount.nconnect": (8, {"storage.platform": "anf"})}
    assert found.state == base.state({"client.kernel": "6.1"})
    assert (found.harmful, found.presumed) == ({}, {})
    assert [one.value for one in found.outcomes["mount.nconnect"]] == [8, 4, "omit"]
    assert advice(base, {"client.kernel": "6.1", "storage.platform": "ontap"}, [ANF]).assumed == {}


def test_a_value_that_would_harm_a_rule_that_can_win_is_not_advised() -> None:
    found = advice(sample(), {"client.kernel": "6.1"}, [ANF], severe="nconnect/azure-files")
    assert (found.assumed, found.harmful) == ({}, {"mount.nconnect": ("nconnect/azure-files",)})
    known = {"client.kernel": "6.1", "storage.platform": ["anf", "ontap"]}
    assert list(advice(sample(), known, [ANF], severe="nconnect/azure-files").assumed) == ["mount.nconnect"]


def test_whether_a_fact_applies_is_not_assumed() -> None:
    base = sample(PUBLIC)
    found = advice(base, {}, [Usual("storage.endpoint", "private")])
    assert assumed(base, found) == {"x": (1, {"storage.endpoint": "private, n/a"})}
    assert advice(base, {"storage.platform": "anf"}, [Usual("storage.endpoint", "public")]).supposed == base.state(
        {"storage.platform": "anf"}
    )


def test_a_usual_value_of_some_cases_waits_for_what_is_known_and_assumed_before_it() -> None:
    base = sample(conditions={"azure": {"storage.platform": "azure-files"}})
    many = Usual("client.has_nconnect", True, "azure")
    azure = Usual("storage.platform", "azure-files")
    assert advice(base, {}, [many]).supposed == {}
    assert advice(base, {}, [many, azure]).supposed == base.state({"storage.platform": "azure-files"})
    assert assumed(base, advice(base, {}, [azure, many])) == {
        "mount.nconnect": (4, {"storage.platform": "azure-files", "client.has_nconnect": "true"})
    }


@pytest.mark.parametrize(
    ("known", "usual", "supposed"),
    [
        ({}, [ANF, Usual("storage.platform", "ontap")], {"storage.platform": "anf"}),
        ({"storage.platform": ["ontap", "knfsd"]}, [ANF], {"storage.platform": ["ontap", "knfsd"]}),
        ({"client.kernel": "4.9"}, [Usual("client.has_nconnect", True)], {"client.kernel": "4.9"}),
        ({"client.has_nconnect": False}, [NEW], {"client.has_nconnect": False}),
    ],
)
def test_what_contradicts_a_usual_value_comes_before_it(
    known: dict[str, Any], usual: list[Usual], supposed: dict[str, Any]
) -> None:
    assert advice(sample(), known, usual).supposed == sample().state(supposed)


def test_a_later_decision_rests_on_the_usual_values_behind_an_earlier_one() -> None:
    base = sample(SLOTS, VERS)
    found = advice(base, {}, [NEW, ANF])
    assert assumed(base, found) == {
        "mount.vers": ("3", {"storage.platform": "anf"}), "slots": (128, {"storage.platform": "anf"}),
    }
    assert base.describe("mount.vers", found.supposed["mount.vers"]) == "3"
    assert "mount.vers" not in found.state


def test_the_same_whatever_is_unknown_rests_on_nothing() -> None:
    base = sample()
    found = advice(base, {"client.kernel": "6.1"}, [], alike=(4, 8, "omit"))
    assert assumed(base, found) == {"mount.nconnect": ("omit", {})}  # its rule beats none of the others


@pytest.mark.parametrize(
    ("decisions", "pins"),
    [
        ([NCONNECT], {"mount.nconnect": 2}),
        ([decision("x", rule("x/anf", 1, storage__platform="ontap"))], {}),
        ([decision("x", rule("x/a", 1), rule("x/b", 2, storage__platform="anf"), hit="collect")], {}),
    ],
    ids=["pinned", "a gap", "collected"],
)
def test_nothing_is_assumed_where_it_answers_nothing(decisions: list[dict[str, Any]], pins: dict[str, Any]) -> None:
    assert advice(sample(*decisions), {}, [ANF, NEW], pins=pins).assumed == {}


def test_an_answer_names_the_presumptions_that_it_needs() -> None:
    old = decision("x", rule("x/new", 1), rule("x/old", 2, "platform", mount__vers=["3", "4.1"]))
    other = decision("y", rule("y/many", 1, client__count=">4"), rule("y/few", 2, client__count="<=4"))
    base = sample(old, other, constraints=[
        PRESUMED[0],
        {"id": "el8", "presumed": True, "never": {"storage.platform": "anf", "client.stream": "mainline"}},
    ])  # fmt: skip
    known = {"storage.platform": "anf", "client.count": 3}
    assert advice(base, known, []).presumed == {"x": {"mount.vers": 0b0101}}
    assert advice(base, {**known, "mount.vers": "3"}, []).presumed == {}
    assert advice(base, {"storage.platform": "anf"}, [Usual("client.count", 1)]).presumed == {
        "x": {"mount.vers": 0b0101}
    }


@pytest.mark.parametrize(("severe", "presumed"), [("", {}), ("z/new", {"z": {"mount.vers": 0b0101}})])
def test_an_assumed_answer_needs_a_presumption_where_it_would_do_harm_without(
    severe: str, presumed: dict[str, Any]
) -> None:
    new = rule("z/new", 1, "platform", mount__vers="4.2")
    base = sample(
        decision("z", rule("z/few", 1, client__count="<=4"), rule("z/many", 2, client__count=">4"), new),
        decision("zz", rule("zz/else", 1), rule("zz/new", 2, "platform", mount__vers="4.2")), constraints=PRESUMED[:1],
    )  # fmt: skip
    found = advice(base, {"storage.platform": "anf"}, [Usual("client.count", 1)], severe=severe)
    assert assumed(base, found) == {"z": (1, {"client.count": "1 to 4"})}
    assert found.presumed == {**presumed, "zz": {"mount.vers": 0b0101}}


def test_decisions_that_need_or_get_no_usual_value_do_not_keep_later_ones_from_theirs() -> None:
    settled = decision("a", rule("a/always", 1))
    harmed = decision("b", rule("b/else", 1), rule("b/azure", 2, "platform", storage__platform="azure-files"))
    found = advice(sample(settled, harmed, NCONNECT), {"client.kernel": "6.1"}, [ANF], severe="b/azure")
    assert list(found.assumed) == ["mount.nconnect"]
    assert found.harmful == {"b": ("b/azure",)}


def test_of_values_for_which_the_same_is_done_that_of_the_rule_that_beats_fewest_is_told() -> None:
    high = rule("x/high", 1, "measured")
    low = rule("x/low", 2, overrides=("x/high",), client__has_nconnect=True)
    base = sample(decision("x", high, low))
    assert assumed(base, advice(base, {}, [], alike=(1, 2))) == {"x": (1, {})}


EL8 = [{"id": "el8", "presumed": True, "never": {"storage.platform": "anf", "client.stream": ["el9", "mainline"]}}]
BY_STREAM = rule("v/other", "4.1"), rule("v/el8", "3", "platform", client__stream="el8")


def test_what_a_decision_presumes_is_presumed_by_those_that_read_its_value() -> None:
    base = sample(decision("mount.vers", *BY_STREAM), SLOTS, constraints=EL8)
    known = {"storage.platform": "anf"}
    stream = {"client.stream": 0b001}
    assert advice(base, known, []).presumed == {"mount.vers": stream, "slots": stream}
    assert advice(base, known, [], alike=("3", "4.1")).presumed["mount.vers"] == stream  # others read the value
    assert advice(base, known, [], pins={"mount.vers": "4.1"}).presumed == {}


def test_values_for_which_the_same_is_done_presume_nothing() -> None:
    base = sample(decision("x", *BY_STREAM), constraints=EL8)
    assert advice(base, {"storage.platform": "anf"}, []).presumed == {"x": {"client.stream": 0b001}}
    assert advice(base, {"storage.platform": "anf"}, [], alike=("3", "4.1")).presumed == {}


def test_that_a_collected_value_is_certain_may_be_presumed() -> None:
    base = sample(decision("x", rule("x/el8", 1, client__stream="el8"), hit="collect"), constraints=EL8)
    assert advice(base, {"storage.platform": "anf"}, []).presumed == {"x": {"client.stream": 0b001}}

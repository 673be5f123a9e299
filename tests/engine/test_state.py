"""What is known, from answers."""

from __future__ import annotations

import json
from functools import partial
from unittest.mock import patch

import pytest

from advisor.engine import Base, FactError, consistent, possible
from tests.engine.sample import sample


def test_answers_become_masks_and_what_says_nothing_is_left_out() -> None:
    base = sample()
    state = base.state(
        {
            "storage.platform": ["anf", "ontap"],
            "client.has_nconnect": True,
            "client.count": ">=1",
            "mount.vers": None,
        }
    )
    assert state == {"storage.platform": 0b0101, "client.has_nconnect": 0b10}


def test_the_text_of_a_value_gives_other_facts_away() -> None:
    base = sample()
    state = base.state({"client.kernel": "4.18.0-348.el8"})
    assert base.describe("client.stream", state["client.stream"]) == "el8"
    assert possible(base, "client.has_nconnect", state) == base.facts["client.has_nconnect"].mask(True)


def test_a_range_gives_nothing_away() -> None:
    assert "client.stream" not in sample().state({"client.kernel": ">=4.18.0-80.el8"})


def test_what_is_inferred_narrows_what_is_said() -> None:
    base = sample()
    state = base.state({"client.stream": ["el8", "mainline"], "client.kernel": "4.18.0-348.el8"})
    assert base.describe("client.stream", state["client.stream"]) == "el8"


@pytest.mark.parametrize("order", [1, -1])
def test_an_inference_that_contradicts_an_answer_is_refused(order: int) -> None:
    answers = [("client.stream", "mainline"), ("client.kernel", "4.18.0-348.el8")][::order]
    with pytest.raises(FactError, match=r"'4.18.0-348.el8' means that client.stream is el8.*said to be mainline"):
        sample().state(dict(answers))


def test_unknown_facts_are_refused_with_a_suggestion() -> None:
    base = sample()
    with pytest.raises(FactError) as refused:
        base.state({"storage.plaform": "anf"})
    assert refused.value.suggestions == ("storage.platform",)
    with pytest.raises(FactError, match="unknown fact"):
        consistent(base, {"storage.plaform": 1})


def test_possible_counts_what_follows() -> None:
    base = sample()
    assert possible(base, "storage.endpoint", base.state({"storage.platform": "anf"})) == 0b100
    assert possible(base, "storage.platform", base.state({"storage.endpoint": "public"})) == 0b0010
    contradiction = base.state({"storage.platform": "anf", "storage.endpoint": "public"})
    assert not consistent(base, contradiction)
    assert possible(base, "client.count", contradiction) == 0


PRESUMED = [
    {"id": "one", "presumed": True, "never": {"storage.platform": "anf", "mount.vers": ["4.0", "4.2"]}},
    {"id": "two", "presumed": True, "never": {"mount.vers": ["3", "4.1"], "client.stream": ["el9", "mainline"]}},
    {"id": "three", "presumed": True, "never": {"client.stream": "el8", "client.kernel": ["<4.18", ">=4.19"]}},
]


def test_what_is_presumed_narrows_and_goes_on_from_there() -> None:
    base = sample(constraints=PRESUMED)
    state = base.state({"storage.platform": "anf"})
    said = {fact: base.describe(fact, mask) for fact, mask in state.items()}
    assert said == {
        "storage.platform": "anf", "mount.vers": "3, 4.1", "client.stream": "el8",
        "client.kernel": "4.18 or newer but older than 4.19",
    }


@pytest.mark.parametrize(
    ("fact", "behind"), [("mount.vers", ("one",)), ("client.stream", ("two",)), ("client.kernel", ("three",))]
)
def test_each_presumption_is_behind_what_it_narrows(fact: str, behind: tuple[str, ...]) -> None:
    bearing = {"id": "four", "presumed": True, "never": {"mount.vers": "4.0", "client.count": ">4"}}
    base = sample(constraints=[*PRESUMED, bearing])  # four narrows the version only where the count is known
    state = base.state({"storage.platform": "anf"})
    assert base.presumptions.behind(state, fact, base.facts[fact].full) == behind


@pytest.mark.parametrize(
    ("told", "fact", "kept"),
    [
        ({"mount.vers": "4.2"}, "client.stream", None),
        ({"client.stream": "el9"}, "client.stream", "el9"),
        ({"client.kernel": "6.1"}, "client.stream", "el8"),
        ({"client.kernel": ">=4.19 <5.3", "client.has_nconnect": False}, "client.stream", "el9, mainline"),
    ],
)
def test_a_presumption_yields_to_whatever_is_known(told: dict[str, object], fact: str, kept: str | None) -> None:
    base = sample(constraints=PRESUMED)
    state = base.state({"storage.platform": "anf", **told})
    assert consistent(base, state)
    assert (base.describe(fact, state[fact]) if fact in state else None) == kept


def test_nothing_is_presumed_of_what_contradicts_itself() -> None:
    base = sample(constraints=PRESUMED)
    told: dict[str, object] = {"storage.platform": "anf", "storage.endpoint": "public"}
    assert base.state(told) == sample().state(told)


def test_a_presumption_is_the_same_from_the_compiled_form() -> None:
    base = sample(constraints=PRESUMED)
    again = Base.from_json(json.loads(json.dumps(base.to_json())))
    assert again.state({"storage.platform": "anf"}) == base.state({"storage.platform": "anf"})


def test_what_only_advice_presumes_is_left_out_where_something_is_judged() -> None:
    base = sample(constraints=[{**PRESUMED[0], "only_advice": True}, *PRESUMED[1:]])
    told = {"storage.platform": "anf"}
    assert "mount.vers" in base.state(told)
    assert base.judging(told) == base.certain(told)
    assert base.judging({**told, "mount.vers": "3"}) == base.state({**told, "mount.vers": "3"})


def test_as_many_situations_as_the_limit_are_kept() -> None:
    base = Base.from_json(sample().to_json())
    with patch("advisor.engine.base.MAX_SITUATIONS", 2):
        first, second = base.situation({"storage.platform": 1}), base.situation({"storage.platform": 2})
        assert base.situation({"storage.platform": 1}) is first
        assert base.situation({"storage.platform": 2}) is second
        third = base.situation({"storage.platform": 4})
        assert base.situation({"storage.platform": 1}) is not first
        assert base.situation({"storage.platform": 4}) is third


def test_as_many_answers_as_the_limit_are_kept_and_each_question_gives_way() -> None:
    base = Base.from_json(sample().to_json())
    pauses: list[None] = []
    worked_out: list[str] = []
    base.pause = lambda: pauses.append(None)
    with patch("advisor.engine.base.MAX_MEMORIES", 2):
        for question in ("a", "b", "a", "b", "c", "a"):
            base.remembered(question, partial(worked_out.append, question))
    assert worked_out == ["a", "b", "c", "a"]
    assert len(pauses) == 6


def test_as_many_sets_of_constraints_as_the_limit_are_kept() -> None:
    base = Base.from_json(sample().to_json())
    guards = [base.space.guard_of[name] for name in ("storage.platform", "storage.endpoint", "client.stream")]

    def relevant(place: int) -> tuple[int, ...]:
        return base.constraints.relevant(guards[place], guards[place])

    with patch("advisor.engine.situation.MAX_MEMORIES", 2):
        assert relevant(1) == relevant(1) != ()
        kept = relevant(1)
        relevant(0)
        assert relevant(1) is kept
        relevant(2)
        assert relevant(1) is not kept
        assert relevant(1) == kept

"""What is known, from answers."""

from __future__ import annotations

import pytest

from advisor.engine import FactError, consistent, possible
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


def test_restrict_adds_to_what_is_known() -> None:
    base = sample()
    state = base.state({"storage.platform": ["anf", "ontap"]})
    narrower = base.restrict(state, "storage.platform", ["ontap", "knfsd"])
    assert narrower == {"storage.platform": 0b0100}
    assert state == {"storage.platform": 0b0101}
    assert base.restrict(state, "client.kernel", "4.18.0-348.el8")["client.stream"] == 0b001
    with pytest.raises(FactError, match="azure-files contradicts what is known: anf, ontap"):
        base.restrict(state, "storage.platform", "azure-files")


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

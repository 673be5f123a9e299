"""Reasons, obstacles, proofs, changes, questions, on a base small enough to know the answers."""

from __future__ import annotations

from advisor.engine import Base
from advisor.engine.ask import next_questions
from advisor.engine.explain import Obstacle, proof, reason, what_if, why_not
from tests.engine.sample import NCONNECT, decision, rule, sample

KNOWN = {"storage.platform": "azure-files", "client.kernel": "6.1", "client.count": 40, "mount.vers": "4.1"}


def told(base: Base, state: dict[str, int]) -> dict[str, str]:
    return {fact: base.describe(fact, mask) for fact, mask in state.items()}


def test_the_reason_names_only_what_forces_the_value() -> None:
    base = sample()
    state = base.state(KNOWN)
    assert told(base, reason(base, "mount.nconnect", state)) == {
        "storage.platform": "azure-files",
        "client.kernel": "5.3 or newer",
    }


def test_what_people_know_is_a_better_reason_than_what_follows() -> None:
    base = sample()
    state = base.state({**KNOWN, "client.has_nconnect": True})
    assert list(reason(base, "mount.nconnect", state)) == ["storage.platform", "client.kernel"]


def test_the_reason_of_an_open_decision_is_what_left_it_so() -> None:
    base = sample()
    state = base.state({"storage.platform": "azure-files", "client.count": 3})
    assert told(base, reason(base, "mount.nconnect", state)) == {"storage.platform": "azure-files"}


def test_the_reason_of_a_contradiction_is_the_contradiction() -> None:
    base = sample()
    state = base.state({"client.count": 3, "storage.platform": "anf", "storage.endpoint": "public", "mount.vers": "3"})
    assert list(reason(base, "mount.nconnect", state)) == ["storage.platform", "storage.endpoint"]


def test_why_not_names_the_fact_that_fails() -> None:
    base = sample()
    state = base.state({"storage.platform": "anf", "client.kernel": "4.9"})
    assert why_not(base, "mount.nconnect", 8, state) == [
        Obstacle("nconnect/anf", "client.has_nconnect", "false", "true", None)
    ]
    assert why_not(base, "mount.nconnect", 4, state) == [
        Obstacle("nconnect/azure-files", "storage.platform", "anf", "azure-files", None),
        Obstacle("nconnect/azure-files", "client.has_nconnect", "false", "true", None),
    ]


def test_why_not_names_the_rule_that_wins_instead() -> None:
    base = sample()
    assert why_not(base, "mount.nconnect", "omit", base.state(KNOWN)) == [
        Obstacle("nconnect/default", None, "", "", "nconnect/azure-files")
    ]


def test_why_not_tells_of_facts_that_fail_only_together() -> None:
    base = sample(
        decision(
            "x",
            rule("x/both", 1, client__count=">4", mount__vers="3"),
            rule("x/else", 2, client__count="<=4"),
        ),
        constraints=[{"id": "c", "never": {"client.count": ">4", "mount.vers": "3"}}],
    )
    (obstacle,) = why_not(base, "x", 1, {})
    assert obstacle.fact is None
    assert obstacle.need == "client.count is at least 5 and mount.vers is 3"


def test_why_not_has_nothing_to_say_of_possible_and_unheard_of_values() -> None:
    base = sample()
    assert why_not(base, "mount.nconnect", 4, {}) == []
    assert why_not(base, "mount.nconnect", 5, {}) == []
    assert (
        why_not(base, "mount.nconnect", 4, base.state({"storage.platform": "anf", "storage.endpoint": "public"})) == []
    )


def test_a_rule_that_can_never_hold_says_so() -> None:
    base = sample(
        decision("x", rule("x/a", 1), {**rule("x/b", 2), "when": {"all": [{"mount.vers": "3"}, {"mount.vers": "4.1"}]}})
    )
    assert why_not(base, "x", 2, {}) == [Obstacle("x/b", None, "", "what can never be", None)]


def test_the_proof_shows_each_part_of_a_condition() -> None:
    base = sample()
    proofs = {one.rule: one for one in proof(base, "mount.nconnect", base.state({"storage.platform": "azure-files"}))}
    rule_proof = proofs["nconnect/azure-files"]
    assert (rule_proof.verdict, rule_proof.wins, rule_proof.layer, rule_proof.value) == (None, None, "platform", 4)
    assert [(part.kind, part.need, part.have, part.verdict) for part in rule_proof.tree.parts] == [
        ("storage.platform", "azure-files", "azure-files", True),
        ("client.has_nconnect", "true", "anything", None),
    ]
    assert proofs["nconnect/anf"].verdict is False
    assert proofs["nconnect/default"].verdict is True
    assert proofs["nconnect/default"].wins is None
    assert proofs["nconnect/default"].beaten_by == ("nconnect/azure-files",)


def test_the_smallest_change_comes_with_what_it_gives() -> None:
    base = sample()
    changes = what_if(base, "mount.nconnect", base.state(KNOWN))
    assert [(change.facts, change.value, change.rule, change.settled) for change in changes] == [
        ({"storage.platform": "anf"}, 8, "nconnect/anf", True),
        ({"storage.platform": "ontap, knfsd"}, "omit", "nconnect/default", True),
        ({"client.kernel": "older than 4.18.0-240"}, "omit", "nconnect/default", True),
    ]


def test_a_change_takes_with_it_what_no_longer_applies() -> None:
    base = sample()
    state = base.state({"storage.platform": "azure-files", "storage.endpoint": "public", "client.has_nconnect": True})
    change = what_if(base, "mount.nconnect", state)[0]
    assert (change.facts, change.value) == ({"storage.platform": "anf"}, 8)


def test_two_changes_are_sought_only_where_one_is_not_enough() -> None:
    base = sample()
    state = base.state({"storage.platform": "ontap", "client.kernel": "4.9"})
    assert {frozenset(change.facts) for change in what_if(base, "mount.nconnect", state)} == {
        frozenset({"storage.platform", "client.kernel"})
    }
    assert what_if(base, "mount.nconnect", state, limit=1) == []


def test_at_most_two_changes_are_sought_unless_more_are_allowed() -> None:
    known = {"storage.platform": "anf", "client.count": 9, "mount.vers": "3"}
    all_three = rule("x/three", 2, "platform", storage__platform="ontap", client__count="<=4", mount__vers="4.2")
    base = sample(decision("x", rule("x/default", 1), all_three))
    assert what_if(base, "x", base.state(known)) == []
    (change,) = what_if(base, "x", base.state(known), limit=3)
    assert change.facts == {"storage.platform": "ontap", "client.count": "1 to 4", "mount.vers": "4.2"}
    assert what_if(base, "x", base.state(known), limit=3, fixed=["mount.vers"]) == []


def asked(base: Base, known: dict[str, object], **more: object) -> list[str]:
    questions = next_questions(base, base.decisions, base.state(known), **more)  # type: ignore[arg-type]
    return [question.fact for question in questions]


def test_only_what_matters_is_asked_in_the_order_of_the_facts() -> None:
    base = sample()
    assert asked(base, {}) == ["storage.platform", "client.kernel"]  # the stream matters for some kernels only
    assert asked(base, {"storage.platform": "ontap"}) == []
    assert asked(base, {"storage.platform": "anf", "client.kernel": "5.0"}) == ["client.stream"]
    assert asked(base, {"storage.platform": "anf", "client.kernel": "5.4"}) == []
    assert asked(base, {}, asked={"storage.platform"}) == ["client.kernel"]


def test_what_tells_a_value_from_a_gap_is_asked() -> None:
    base = sample(decision("x", rule("x/anf", 1, storage__platform="anf")))
    (question,) = next_questions(base, ["x"], {})
    assert (question.fact, question.settles, question.chances) == ("storage.platform", 1.0, {"x": 1.0})


def test_quick_asks_first_what_settles_most() -> None:
    endpoint = decision("x", rule("x/a", 1), rule("x/b", 2, "platform", client__count=">4"))
    again = decision("y", rule("y/a", 1), rule("y/b", 2, "platform", client__count=">4"))
    base = sample(NCONNECT, endpoint, again)
    questions = next_questions(base, base.decisions, {}, quick=True)
    assert [(question.fact, question.settles) for question in questions] == [
        ("client.count", 2.0),
        ("storage.platform", 0.5),
        ("client.kernel", 1 / 3),
    ]
    assert questions[0].decisions == ("x", "y")
    in_order = [question.fact for question in next_questions(base, base.decisions, {})]
    assert in_order == ["storage.platform", "client.kernel", "client.count"]


def test_a_fact_that_may_not_apply_waits_for_the_fact_that_tells() -> None:
    base = sample(decision("x", rule("x/a", 1), rule("x/b", 2, "platform", storage__endpoint="public")))
    assert asked(base, {}) == ["storage.platform"]
    assert asked(base, {"storage.platform": "azure-files"}) == ["storage.endpoint"]
    assert asked(base, {}, asked={"storage.platform"}) == ["storage.endpoint"]


def test_where_no_answer_alone_decides_all_are_asked() -> None:
    base = sample(
        decision(
            "x",
            rule("x/same", 1, client__count="<=4", client__has_nconnect=False, mount__vers="3"),
            rule("x/other", 2, "platform"),
            {
                **rule("x/even", 3, "measured"),
                "when": {
                    "any": [
                        {"client.count": "<=4", "mount.vers": "3"},
                        {"client.count": ">4", "mount.vers": ["4.0", "4.1", "4.2"]},
                    ]
                },
            },
        )
    )
    assert asked(base, {}) == ["client.count", "mount.vers"]


def test_nothing_is_asked_that_only_an_answered_fact_ties_to_what_nobody_knows() -> None:
    """The cloud bears on who has the storage, and storage on the locks, but once the storage is known the locks tell
    nothing of the cloud."""
    never = [
        {"id": "public-is-old", "never": {"storage.endpoint": "public", "client.count": ">4"}},
        {"id": "few-of-azure", "never": {"client.count": ">4", "storage.platform": "azure-files"}},
        {"id": "azure-has-no-v3", "never": {"storage.platform": "azure-files", "mount.vers": "3"}},
    ]
    public = decision("x", rule("x/a", 1), rule("x/b", 2, "platform", storage__endpoint="public"))
    base = sample(public, constraints=never)
    known: dict[str, object] = {"storage.platform": "azure-files"}
    assert asked(base, known, asked={"storage.platform", "storage.endpoint"}) == []
    assert "mount.vers" in asked(base, {}, asked={"storage.platform", "storage.endpoint"})

"""Only what can still change something is asked, and asking settles every decision."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.engine import possible, reach
from advisor.engine.ask import next_questions
from tests.laws.reference import Point, World
from tests.laws.worlds import LAW, answers, built, rule_bases


def settled(base: Any, decision: str, state: Any) -> bool:
    return all(outcome.certain for outcome in reach(base, decision, state))


@LAW
@given(rule_bases(count=2), st.data())
def test_a_question_can_still_change_something(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    assume(points)
    state = base.state(known)
    asked = set(draw.draw(st.lists(st.sampled_from(["a", "b", "k"]), max_size=2)))
    next_questions(base, ["d", "d1"], state)  # what is remembered of this must not matter
    questions = next_questions(base, ["d", "d1"], state, asked)
    order = [fact["id"] for fact in data["facts"]]
    assert [question.fact for question in questions] == sorted((q.fact for q in questions), key=order.index)
    for question in questions:
        assert question.fact not in asked
        assert "derive" not in world.facts[question.fact]
        assert len({point[question.fact] for point in points}) > 1
        assert question.decisions
    for decision in ("d", "d1"):
        changing = {question.fact for question in questions if changes(world, decision, question.fact, points)}
        asking = {question.fact for question in questions if decision in question.decisions}
        assert not (asking and settled(base, decision, state))
        # an answer alone changes something, or none does and it takes several
        assert asking <= changing or not asking & changing
    expected = {
        question.fact: sum(
            sum(settled(base, d, {**state, question.fact: mask}) for d in question.decisions)
            for mask in masks(base, question.fact, state)
        )
        / len(masks(base, question.fact, state))
        for question in questions
    }
    assert {q.fact: round(q.settles, 9) for q in questions} == {fact: round(n, 9) for fact, n in expected.items()}
    quick = next_questions(base, ["d", "d1"], state, asked, quick=True)
    whole = [[(q.fact, q.settles, q.decisions, q.chances) for q in told] for told in (quick, questions)]
    assert sorted(whole[0]) == sorted(whole[1])
    assert [question.settles for question in quick] == sorted((q.settles for q in questions), reverse=True)


def changes(world: World, decision: str, fact: str, points: list[Point]) -> bool:
    """Whether some answer changes what is known of the decision."""
    whole = world.reach(decision, points), world.certain(decision, points)
    parts = [[p for p in points if p[fact] == value] for value in {point[fact] for point in points}]
    return any((world.reach(decision, part), world.certain(decision, part)) != whole for part in parts)


def masks(base: Any, fact: str, state: Any) -> list[int]:
    mask = possible(base, fact, state)
    return [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]


@LAW
@given(rule_bases(count=2), st.data())
def test_asking_until_no_question_is_left_settles_every_decision(data: dict[str, Any], draw: st.DataObject) -> None:
    base, world = built(data), World(data)
    known = draw.draw(answers(data["facts"]))
    points = world.completions(known)
    assume(points)
    state = base.state(known)
    point = draw.draw(st.sampled_from(points))
    quick = draw.draw(st.booleans())
    asked: set[str] = set()
    while questions := next_questions(base, ["d", "d1"], state, asked, quick):
        fact = questions[0].fact
        assert fact not in asked
        asked.add(fact)
        known_cells = state.get(fact, base.facts[fact].full)
        state = base.presume({**state, fact: known_cells & base.facts[fact].mask(point[fact])})
    for decision in ("d", "d1"):
        consistent = world.reach(decision, [point])
        if len(consistent) == 1:  # rules that contradict each other are settled by no answer
            assert settled(base, decision, state)

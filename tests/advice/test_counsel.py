"""The law of harmless assumptions on the whole rule base, and on bases whose rules were made severe."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.engine import FactError, reach
from advisor.engine.ask import next_questions
from advisor.engine.usual import decided
from advisor.rulebase.base import load
from advisor.rulebase.counsel import SEVERE, decide_all, of_nothing, speaking_rule
from advisor.rulebase.values import absence_supports, inside, is_bound, supports
from tests.advice.environments import answers, asked, base, fits, values_of
from tests.tiers import examples

TIMES = examples(6, 60)


@cache
def severe_base() -> Any:
    """The rule base, with every third rule a must: other values become harmful."""
    severe = base().again()
    count = itertools.count(1)
    severe.decisions = {
        name: decision.replace(rules={
            slug: rule if next(count) % 3 else rule.replace(strength="must") for slug, rule in decision.rules.items()
        })
        for name, decision in base().decisions.items()
    }
    return severe


def broken(rules: Any, told: Answers, truth: dict[str, Any]) -> list[str]:
    """The settings that rest on something and break a severe rule where `truth` is what nobody had said, though all is
    so that they take for granted. Nothing is presumed of the truth."""
    advice = advise(rules, told)
    engine = rules.engine
    # What is assumed of a setting that is a fact too is done, so it is so.
    written = {one.tunable: one.written for one in advice.advised if one.written is not None}
    done = {name: value for name, value in written.items() if name in rules.facts}
    try:
        known = engine.certain({name: value for name, value in truth.items() if name not in done})
        state = decided(engine, known, done)
    except FactError:
        return []
    found = []
    for one in advice.advised:
        granted = all(engine.fact(taken.fact).mask(taken.value) & state.get(taken.fact, 0) for taken in one.presumes)
        if not granted or not (one.rests_on or (one.presumes and one.written is not None)):
            continue
        event("assumed" if one.rests_on else "presumed")
        default, usual = one.definition.default, one.definition.usual
        for outcome in reach(engine, one.tunable, {name: m for name, m in state.items() if name != one.tunable}):
            rule = rules.decisions[one.tunable].rules.get(outcome.rule)
            severe = rule is not None and (rule.strength == "must" or rule.consequence in SEVERE)
            if not outcome.certain or not severe:
                continue
            within = is_bound(outcome.value) and bool(usual) and all(inside(number, outcome.value) for number in usual)
            fits_it = (
                within or absence_supports(outcome.value, default) is True if one.written is None
                else supports(one.written, outcome.value, default)
            )
            if not fits_it:
                found.append(f"{one.tunable}={one.written} against {outcome.rule}")
    return found


@TIMES
@given(answers(), st.data(), st.sampled_from([base, severe_base]))
def test_no_assumption_breaks_a_severe_rule_whatever_turns_out_to_be_so(told: Answers, data: Any, which: Any) -> None:
    truth = dict(told.facts)
    for name in asked():
        tried = {**truth, name: data.draw(values_of(name))} if name not in truth else truth
        if fits(tried):
            truth = tried
    assert broken(which(), told, truth) == []


@TIMES
@given(answers())
def test_what_an_assumption_rests_on_gives_the_same_when_it_is_said(told: Answers) -> None:
    advice = advise(base(), told)
    for one in advice.assumed[:3]:
        said = {usual.fact: usual.value for usual in one.rests_on}
        assert fits({**told.facts, **said}), one.tunable
        again = advise(base(), told._replace(facts={**told.facts, **said})).find(one.tunable)
        assert again is not None, one.tunable
        assert again.text == one.text, one.tunable


@TIMES
@given(answers())
def test_nothing_is_assumed_of_what_is_known_or_when_asked_to_be_strict(told: Answers) -> None:
    advice = advise(base(), told)
    assert not any(usual.fact in told.facts for one in advice.assumed for usual in one.rests_on)
    strict = advise(base(), told, strict=True)
    assert strict.assumed == ()
    assert {one.tunable for one in strict.settled} <= {one.tunable for one in advice.settled}


def test_a_usual_value_does_not_tell_the_platform_to_which_it_applies() -> None:
    for one in advise(base(), Answers()).assumed:
        assert not any(base().facts[usual.fact].applies for usual in one.rests_on), one.tunable


@pytest.mark.parametrize("asking", [True, False])
def test_what_is_decided_where_nothing_is_known_is_compiled_as_it_would_be_found(asking: bool) -> None:
    fresh = load()  # an engine that has been asked nothing
    told, unknown = of_nothing(fresh, asking), () if asking else fresh.facts
    given = fresh.engine.presume({}, once=not asking)
    worked_out = decide_all(fresh, {}, given, {}, lambda _: None, strict=False, unknown=unknown)
    assert told == worked_out._replace(rest=told.rest)
    assert told.presumed == worked_out.presumed
    certain = ((name, one) for name, outcomes in told.outcomes.items() for one in outcomes if one.certain and one.rule)
    settled = [(name, one.value) for name, one in certain]
    settled += [(name, taken.outcome.value) for name, taken in told.assumed.items()]
    spoken, spoken_anew = (
        [speaking_rule(rules, name, value, state) for name, value in settled for state in (told.state, told.supposed)]
        for rules in (fresh, load())
    )
    assert spoken == spoken_anew != []
    never_asked = {name for name, fact in fresh.facts.items() if not fact.ask}
    recalled, found = (
        [(ask.fact, ask.settles, ask.chances) for ask in next_questions(engine, told.outcomes, told.state, never_asked)]
        for engine in (fresh.engine, load().engine)
    )
    assert recalled == found != []

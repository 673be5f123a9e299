"""What holds of every advice, whatever was answered."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.answers_file import answers_text, parse_answers
from advisor.advice.arguments import argue
from advisor.advice.model import Advice
from advisor.advice.rows import CLIENT, forbids_mount
from advisor.engine import reach
from advisor.rulebase.counsel import evaluate, to_write
from advisor.rulebase.values import supports
from tests.advice.environments import answers, asked, base, fits, values_of
from tests.tiers import examples

TIMES = examples(6, 60)


@TIMES
@given(answers(), st.randoms(use_true_random=False))
def test_equal_answers_in_any_order_give_equal_advice(told: Answers, random: Any) -> None:
    items = list(told.facts.items())
    random.shuffle(items)
    assert advise(base(), told._replace(facts=dict(items)))[1:] == advise(base(), told)[1:]


def every_decision_is_settled_or_open_or_an_estimate(advice: Advice) -> None:
    names = {one.tunable for one in advice.advised} | {one.tunable for one in advice.open}
    if any(forbids_mount(one) for one in advice.advised):
        protocol = advice.find("access.protocol")
        if protocol is None or protocol.value not in ("own-client", "gateway", "esxi-datastore"):
            assert names == {"access.protocol"}, "nothing else is of use"
        else:
            kinds = {one.kind for one in advice.advised}
            assert kinds <= {"access", "identity", "volume"}, "only the other client's and the server's side is of use"
            assert not advice.open
    else:
        left_out = {name for name, decision in base().decisions.items() if not decision.estimate} - names
        kinds = {base().tunables[name].kind for name in left_out}
        assert not left_out or (advice.server and kinds <= {*CLIENT}), "only a client's open settings, for a server"


def what_is_written_is_what_the_rule_asks_for(advice: Advice) -> None:
    for one in advice.advised:
        if one.written is not None and not one.definition.fields:
            assert supports(one.written, one.value, one.definition.default), one.tunable


def the_facts_named_are_enough_for_the_value(advice: Advice) -> None:
    for one in advice.advised:
        if not one.recommends or one.pinned:
            continue
        because = argue(base(), advice, one).because
        state = {fact.fact: advice.supposed[fact.fact] for fact in because}
        values = {outcome.value for outcome in reach(base().engine, one.tunable, state)}
        rule = base().decisions[one.tunable].rules[one.rule.id]
        if base().decisions[one.tunable].hit != "collect":
            numbers = {name: value for name, value in advice.answers.facts.items() if type(value) is int}
            known = [evaluate(value, base().facts, numbers.get) for value in values]
            nothing = {None, one.definition.default} >= {one.written, *(to_write(one.definition, v) for v in known)}
            suits = all(
                supports(one.written, evaluate(value, base().facts, defaultdict(lambda n=n: n, numbers).__getitem__),
                         one.definition.default)
                for value in values for n in (1, 10, 100, 1000)  # what a formula may come to
            )
            without_effect = set() if one.definition.needs else {"n/a"}  # there, what is written does nothing
            assert values - without_effect == {rule.value} or nothing or suits, (
                f"{one.tunable}: more facts decide what is to be written"
            )


@TIMES
@given(answers())
@example(Answers({"storage.platform": "truenas", "workload.kind": "eda", "client.kernel": "4.18.0-305.el8"}))
@example(Answers({"storage.platform": "anf", "workload.kind": "eda", "client.system": "esxi"}))
@example(Answers({"storage.platform": "not-nfs", "workload.kind": "kafka", "client.system": "windows"}))
@example(Answers({"storage.platform": "anf", "workload.kind": "windows-profiles", "client.system": "windows"}))
def test_all_that_holds_of_one_advice(told: Answers) -> None:
    advice = advise(base(), told)
    for law in (
        every_decision_is_settled_or_open_or_an_estimate, what_is_written_is_what_the_rule_asks_for,
        the_facts_named_are_enough_for_the_value,
    ):
        law(advice)


@examples(2, 20)  # each asks for up to sixty pieces of advice
@given(answers(), st.data())
def test_answering_every_question_leaves_nothing_open_that_an_answer_could_settle(told: Answers, data: Any) -> None:
    for _ in range(60):
        advice = advise(base(), told)
        if not advice.questions:
            break
        fact = advice.questions[0].fact
        assert fact not in told.facts
        assert fact not in told.unknown
        value = data.draw(values_of(fact))
        if fits({**told.facts, fact: value}):
            told = told._replace(facts={**told.facts, fact: value})
        else:
            told = told._replace(unknown=told.unknown | {fact})
    assert advise(base(), told).questions == ()


@TIMES
@example(Answers({"storage.platform": "aws-s3-files", "network.speed_gbps": 51}), ("mount.nconnect", 4))
@given(answers(most=4), st.sampled_from([("mount.vers", "3"), ("mount.vers", "4.1"), ("mount.nconnect", 4),
                                         ("mount.hard", "soft"), ("mount.nofail", True), ("mount.rsize", 65536)]))
def test_a_pinned_value_stands_and_costs_what_the_rules_would_say(told: Answers, pin: tuple[str, Any]) -> None:
    name, value = pin
    if name in base().facts and not fits({**told.facts, name: value}):
        return
    pinned = told._replace(facts={n: v for n, v in told.facts.items() if n != name}, pins={name: value})
    advice = advise(base(), pinned)
    if any(forbids_mount(one) for one in advice.settled):
        return  # nothing is mounted, with this option or another
    held = advice.find(name)
    assert held is not None
    if not held.pinned:  # it cannot be used at all, and whoever shows the advice is told so
        assert held.rule is not None
        assert held.rule.layer == "gate"
        assert advice.unusable_pins == (held,)
        return
    assert not advice.unusable_pins
    assert held.written == value
    assert not any(effect.tunable == name for effect in advice.effects)
    free = next((one for one in advise(base(), pinned._replace(pins={})).rows if one.tunable == name), None)
    if free is None:
        assert advice.server  # which is asked nothing about its clients' mounts
        return
    if not (free.rests_on or free.presumes):  # what is only presumed a pin refutes, so that it costs nothing
        wanted = [maybe.value for maybe in free.possible or free.otherwise] or [free.value]
        allowed = any(supports(value, one, free.definition.default) for one in wanted)
        assert bool(argue(base(), advice, held).costs) is not allowed


@TIMES
@given(answers(), st.lists(st.sampled_from(asked()), max_size=3))
def test_an_answers_file_brings_back_the_answers(told: Answers, unknown: list[str]) -> None:
    told = told._replace(
        unknown=frozenset(unknown) - told.facts.keys(), pins={"mount.nconnect": 4},
        names={"server": "10.0.0.4", "export": "/a b/ü", "target": "/mnt/x"},
    )
    text = answers_text(told)
    again = parse_answers(base(), text, "answers.yaml")
    assert again == told
    assert answers_text(again) == text

"""The questions to ask next, and how much each answer settles."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from advisor.advice.answers import Answers
from advisor.advice.model import Advice, Estimate, FactQuestion, Row
from advisor.advice.ranking import ACCESS, stake
from advisor.engine import Question, State, applicability_facts, next_questions
from advisor.rulebase.model import RuleBase

_ESTIMATE = 0.01
"""The weight of a figure, beside 1 for a setting: figures are asked for last."""
_ASSUMED = 0.1
"""The weight of an assumed setting, beside 1 for an open one: the assumption is most likely right."""
_USUALLY = 0.3
"""The factor for a fact with a usual value: the answer most likely changes nothing."""
_RARE = 0.5
"""The lowest chance that an answer changes something: though few kernels lack an option, it depends on the kernel."""


def questions(
    base: RuleBase, answers: Answers, state: State, supposed: State, *, unsettled: Iterable[Row],
    advised: Iterable[Row], estimates: Iterable[Estimate],
) -> tuple[FactQuestion, ...]:
    """The facts that people can answer and that can still change something visible, the most important first.

    After "I don't know", the usual value is used if there is one; facts that may not apply then, and those that are
    asked only after that one, are left out.

    A setting on which others depend (the NFS version) passes its weight on to the questions that settle it, and is
    asked for itself only if there are none. Next come facts that could change only assumptions, and last those that
    only a formula needs."""
    waiting = {setting.tunable: setting for setting in unsettled}
    assumed = {recommendation.tunable: recommendation for recommendation in advised if recommendation.rests_on}
    figures = [name for name, decision in base.decisions.items() if decision.estimate]
    closed = {name for name, fact in base.facts.items() if not fact.ask} | answers.unknown
    closed |= {name for name, value in answers.facts.items() if _is_single(value)}
    taken = {**state, **{name: supposed[name] for name in answers.unknown if name in supposed}}
    closed |= _dependent_on_unknown(base, answers, taken)
    weights: dict[str, _Weight] = {}
    for decisions, settles, impact in (
        (waiting, 1.0, lambda name: stake(waiting[name])),
        (assumed, 0.0, lambda name: _ASSUMED * stake(assumed[name])),
        (figures, _ESTIMATE, lambda _: _ESTIMATE),
    ):
        for question in next_questions(base.engine, decisions, taken, closed, quick=True):
            weights.setdefault(question.fact, _Weight()).add(question, settles, impact)
    for setting in [name for name in weights if name in base.decisions]:
        _pass_on(setting, weights)
    for estimate in estimates:
        for fact in estimate.missing:
            if fact not in closed:
                weights.setdefault(fact, _Weight()).needed_for(estimate.tunable)
    for fact, weight in weights.items():
        if fact not in base.decisions and state.get(fact) != supposed.get(fact):
            weight.impact *= _USUALLY
    matter = {name for name, setting in waiting.items() if setting.strength in ("must", "should")}
    unseen = {
        name for name, setting in waiting.items()
        if setting.strength is None or all(maybe.value in ("keep", "n/a") for maybe in setting.possible)
    }
    asked = [
        FactQuestion(
            fact, base.facts[fact].ask or "", weight.settles, tuple(dict.fromkeys(weight.bears)), weight.impact,
            not matter.isdisjoint(weight.bears),
        )
        for fact, weight in weights.items() if not unseen.issuperset(weight.bears)
    ]
    order = {fact: place for place, fact in enumerate(base.facts)}
    must = {name for name, setting in waiting.items() if setting.strength == "must"}
    # Whether NFS is right at all comes first.
    access = {name for name, setting in waiting.items() if setting.kind == ACCESS}
    return tuple(sorted(asked, key=lambda ask: (
        not ask.matters, not access.issuperset(ask.decisions), must.isdisjoint(ask.decisions), -ask.impact,
        order[ask.fact],
    )))


def blocked_settings(base: RuleBase, advice: Advice, waiting: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    """Fact that was answered with "I don't know" → the open settings that it could still change."""
    unknown = advice.answers.unknown
    closed = {name for name, fact in base.facts.items() if not fact.ask or name in advice.answers.facts}
    pending = next_questions(base.engine, [setting.tunable for setting in waiting], advice.state, closed - unknown)
    return {question.fact: question.decisions for question in pending if question.fact in unknown}


def _dependent_on_unknown(base: RuleBase, answers: Answers, taken: State) -> set[str]:
    """The questions that depend on an "I don't know", or on another question that does. `taken`: the state with usual
    values."""
    if not answers.unknown:
        return set()
    waiting = {name: fact for name, fact in base.facts.items() if name not in answers.facts}
    dependent = {
        name for name, fact in waiting.items()
        if fact.applies is not None and not answers.unknown.isdisjoint(applicability_facts(base.engine, name, taken))
    }
    while more := {
        name for name, fact in waiting.items()
        if name not in dependent and not (dependent | answers.unknown).isdisjoint(fact.asked_after)
    }:
        dependent |= more
    return dependent


def _is_single(value: object) -> bool:
    """Whether the answer is a single value. A short version such as 5.14 counts as one: the user knows no more."""
    return not isinstance(value, list) and not str(value).startswith(("<", ">", "=", "!"))


class _Weight:
    """The weight of a question."""

    def __init__(self) -> None:
        self.settles = 0.0
        self.impact = 0.0
        self.bears: list[str] = []

    def add(self, question: Question, settles: float, impact: Callable[[str], float]) -> None:
        self.settles += settles * question.settles
        self.impact += sum(max(chance, _RARE) * impact(name) for name, chance in question.chances.items())
        self.bears += question.decisions

    def needed_for(self, estimate: str) -> None:
        self.settles += _ESTIMATE
        self.impact += _ESTIMATE
        self.bears.append(estimate)


def _pass_on(setting: str, weights: dict[str, _Weight]) -> None:
    """Passes the weight of a setting on to the questions that settle it, and drops the question for the setting."""
    settling = [weight for fact, weight in weights.items() if setting in weight.bears and fact != setting]
    if not settling:
        return
    rest = weights.pop(setting)
    for weight in settling:
        weight.settles += rest.settles / len(settling)
        weight.impact += rest.impact / len(settling)
        weight.bears += rest.bears

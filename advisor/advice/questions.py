"""What to ask next, and how much each answer settles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from advisor.advice.answers import Answers
from advisor.advice.model import Ask, Estimate
from advisor.engine import State, next_questions

_ESTIMATE = 0.01
"""What a figure counts for beside a setting: figures are asked for last."""


def questions(
    base: Any, state: State, answers: Answers, unsettled: Iterable[str], estimates: Iterable[Estimate]
) -> tuple[Ask, ...]:
    """Facts that can still change something and that people can answer, the most telling first.

    A setting that others rest on (the NFS version) passes its weight on to the questions that settle it, and is asked
    for itself only where none does. Facts that only a formula needs follow at the end."""
    settings = list(dict.fromkeys(unsettled))
    figures = [name for name, decision in base.decisions.items() if decision.get("estimate")]
    closed = {name for name, fact in base.facts.items() if not fact.get("ask")} | answers.unknown
    closed |= {name for name, value in answers.facts.items() if value == "n/a"}
    weights: dict[str, float] = {}
    bears: dict[str, list[str]] = {}
    for decisions, factor in ((settings, 1.0), (figures, _ESTIMATE)):
        for question in next_questions(base.engine, decisions, state, closed, quick=True):
            weights[question.fact] = weights.get(question.fact, 0) + factor * question.settles
            bears.setdefault(question.fact, []).extend(question.decisions)
    for setting in [name for name in weights if name in base.decisions]:
        _pass_on(setting, weights, bears)
    for one in estimates:
        for fact in one.missing:
            if fact not in closed:
                weights[fact] = weights.get(fact, 0) + _ESTIMATE
                bears.setdefault(fact, []).append(one.tunable)
    asked = [Ask(fact, base.facts[fact]["ask"], weights[fact], tuple(dict.fromkeys(bears[fact]))) for fact in weights]
    order = list(base.facts)
    return tuple(sorted(asked, key=lambda ask: (-ask.settles, order.index(ask.fact))))


def _pass_on(setting: str, weights: dict[str, float], bears: dict[str, list[str]]) -> None:
    """Lets the questions that settle a setting carry what rests on it; then nobody is asked for the setting itself."""
    settling = [fact for fact, decisions in bears.items() if setting in decisions and fact != setting]
    if not settling:
        return
    share = weights.pop(setting) / len(settling)
    rest = bears.pop(setting)
    for fact in settling:
        weights[fact] += share
        bears[fact] += rest

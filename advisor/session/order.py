"""What is asked, in which order, and how far one is."""

from __future__ import annotations

from typing import Any, NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.model import Advice, Ask
from advisor.session.memo import advice_for
from advisor.session.state import Session, clash, without

SERVER = ("server", "hardware")
"""Sections for those who run the server; they wait until it is known who is asked."""
ROLE = "host.role"


class Progress(NamedTuple):
    """How many settings are settled, how many are open, and how many the question at hand settles (on average)."""

    settled: int
    open: int
    settles: float


def preview(base: Any, session: Session) -> Advice:
    """What follows from the answers."""
    return advice_for(base, session.answers)


def upcoming(base: Any, session: Session) -> list[Ask]:
    """The questions that can still change something and are not answered, in the order in which they are asked: by
    sections, or (quick) those first for which most is at stake."""
    asks = [
        ask for ask in preview(base, session).questions
        if ask.fact not in session.answers.facts and ask.fact not in session.answers.unknown
    ]
    if any(ask.fact == ROLE for ask in asks):
        asks = [ask for ask in asks if ask.fact == ROLE or base.facts[ask.fact].get("section") not in SERVER]
    if session.quick:
        return asks
    places = authored(base)
    return sorted(asks, key=lambda ask: places[ask.fact])


def current(base: Any, session: Session) -> str | None:
    """The question to show; None when there is nothing left to ask."""
    if session.at is not None and session.at in base.facts:
        return session.at
    if session.answers == Answers() and not session.quick:
        return first(base)
    asks = upcoming(base, session)
    return asks[0].fact if asks else None


def first(base: Any) -> str | None:
    """The first question of all. No fact is in the rule base that no rule needs, so nothing has to be worked out."""
    places = authored(base)
    asked = (name for name, fact in base.facts.items() if fact.get("ask") and not fact.get("applies"))
    return min(asked, key=places.__getitem__, default=None)


def authored(base: Any) -> dict[str, tuple[int, int]]:
    """Fact → its place: by sections, then as the facts stand in their section."""
    ranks = {section: rank for rank, section in enumerate(base.sections)}
    return {
        fact: (ranks.get(told.get("section"), len(ranks)), place)
        for place, (fact, told) in enumerate(base.facts.items())
    }


def progress(base: Any, session: Session) -> Progress:
    """The progress line's numbers."""
    advice = preview(base, session)
    fact = current(base, session)
    settles = next((ask.settles for ask in advice.questions if ask.fact == fact), 0.0)
    return Progress(*counts(advice), settles)


def counts(advice: Advice) -> tuple[int, int]:
    """How many settings are settled and how many are open."""
    waiting = {one.tunable for one in advice.open}
    return len({one.tunable for one in advice.advised} - waiting), len(waiting)


def settles(base: Any, session: Session, fact: str, value: Any) -> int | None:
    """How many of the open settings this very answer would settle; None where it would be refused."""
    answers = trial(session, fact, value)
    if clash(base, answers) is not None:
        return None
    before = advice_for(base, session.answers)
    after = {one.tunable for one in advice_for(base, answers).open}
    return len({one.tunable for one in before.open} - after)


def trial(session: Session, fact: str, value: Any) -> Answers:
    """The answers as they would be with this one."""
    answers = without(session.answers, (fact,))
    return answers._replace(facts={**answers.facts, fact: value})

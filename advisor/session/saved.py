"""The session as text, to go on after a crash."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from advisor.advice.answers import AnswerError, Answers, from_plain, to_plain
from advisor.advice.named import Sign
from advisor.advice.typed import fact_value, pin_value
from advisor.engine import EngineError
from advisor.session.drawn import draw
from advisor.session.state import MOUNT, Session, Step, clash, without

SCHEMA = "advisor-session/1"
STEPS = 40
"""How many steps of undo and redo are kept in the text."""


class Resumed(NamedTuple):
    """A session read back. `lost`: what could not be taken over, because the rule base is another now, in words."""

    session: Session
    lost: tuple[str, ...]


def to_text(session: Session) -> str:
    """The session as JSON."""
    return json.dumps({
        "schema": SCHEMA, **_step(session.step), "fine": session.fine,
        "past": [_step(step) for step in session.past[-STEPS:]],
        "future": [_step(step) for step in session.future[:STEPS]],
    })


def from_text(base: Any, text: str) -> Resumed:
    """The session of a text. Raises ValueError for a text that is no saved session."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"it is not of schema {SCHEMA}")
        lost: list[str] = []
        now = _read(base, data, lost)
        past = tuple(_read(base, step, []) for step in data["past"])
        future = tuple(_read(base, step, []) for step in data["future"])
        fine = data.get("fine") is True
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is no saved session: {error}") from None
    return Resumed(Session(now.answers, now.order, now.at, past, future, fine, now.read), tuple(lost))


def _step(step: Step) -> dict[str, Any]:
    read = [list(one) for one in step.read]
    return {"answers": to_plain(step.answers), "order": list(step.order), "at": step.at, "read": read}


def _read(base: Any, data: Any, lost: list[str]) -> Step:
    answers = _fitting(base, from_plain(data["answers"]), lost)
    given = (*answers.facts, *sorted(answers.unknown))
    order = [str(fact) for fact in data["order"] if fact in given]
    order += [fact for fact in given if fact not in order and fact not in answers.origin]  # these are drawn
    at = data["at"]
    read = tuple(Sign(str(fact), value, str(where)) for fact, value, where in data.get("read", ()))
    at = at if isinstance(at, str) and (at in base.facts or at == MOUNT) else None
    step = Step(answers, tuple(dict.fromkeys(order)), at, _fitting_signs(base, read))
    said = Session(answers, step.order).said
    return step._replace(answers=draw(base, said, step.read))


def _fitting_signs(base: Any, read: tuple[Sign, ...]) -> tuple[Sign, ...]:
    """What a line said, as far as the rule base still knows these facts and values."""
    kept = []
    for one in read:
        try:
            fact_value(base, one.fact, one.value)
            base.engine.state({one.fact: one.value})
        except (AnswerError, EngineError):
            continue
        kept.append(one)
    return tuple(kept)


def _fitting(base: Any, answers: Answers, lost: list[str]) -> Answers:
    """The answers that the rule base still knows and that go together."""
    for name, value in answers.facts.items():
        try:
            fact_value(base, name, value)
            base.engine.state({name: value})
        except (AnswerError, EngineError) as error:
            lost.append(str(error))
            answers = without(answers, (name,))
    for name, value in answers.pins.items():
        try:
            pin_value(base, name, value)
        except AnswerError as error:
            lost.append(str(error))
            answers = without(answers, (), (name,))
    answers = answers._replace(unknown=frozenset(name for name in answers.unknown if name in base.facts))
    for name in reversed((*answers.facts, *answers.pins)):
        problem = clash(base, answers)
        if problem is None:
            break
        lost.append(f"{name}: {problem}")
        answers = without(answers, (name,), (name,))
    return answers

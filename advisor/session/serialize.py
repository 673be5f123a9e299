"""The session as JSON, to continue it later or after a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from advisor.advice.answers import AnswerError, Answers, fact_value, from_plain, pin_value, to_plain
from advisor.advice.answers_file import Sign
from advisor.engine import EngineError
from advisor.rulebase.model import RuleBase
from advisor.session.inferred import infer, is_possible
from advisor.session.model import MOUNT, MountAnswers, Session, Step, without_answers
from advisor.session.steps import contradiction

SCHEMA = "advisor-session/1"
STEPS = 40
"""Steps of undo and of redo that are saved."""


class Resumed(NamedTuple):
    """A saved session. `lost`: sentences on answers that were left out because the rules have changed."""

    session: Session
    lost: tuple[str, ...]


def to_text(session: Session) -> str:
    """The session as JSON."""
    return json.dumps({
        "schema": SCHEMA, **_step_data(session.step), "fine": session.fine, "folder": session.folder,
        "past": [_step_data(step) for step in session.past[-STEPS:]],
        "future": [_step_data(step) for step in session.future[:STEPS]],
    })


def from_text(base: RuleBase, text: str) -> Resumed:
    """The session in a JSON text. Raises ValueError if the text is not a saved session."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        lost: list[str] = []
        now = _read_step(base, data, lost)
        past = tuple(_read_step(base, step, []) for step in data["past"])
        future = tuple(_read_step(base, step, []) for step in data["future"])
        fine, folder = data.get("fine") is True, str(data.get("folder", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is not a saved session: {error}") from None
    session = Session(**now._asdict(), past=past, future=future, fine=fine, folder=folder)
    return Resumed(session, tuple(dict.fromkeys(lost)))


def _step_data(step: Step) -> dict[str, object]:
    mine = MountAnswers(step.answers, step.order, step.line)
    others = [_mount_data(mount) for mount in step.others]
    saved = {**_mount_data(mine), "at": step.at, "others": others, "place": step.place}
    return saved if step.other_side is None else {**saved, "aside": _step_data(step.other_side)}


def _mount_data(mount: MountAnswers) -> dict[str, object]:
    return {"answers": to_plain(mount.answers), "order": list(mount.order), "read": [list(sign) for sign in mount.line]}


def _read_step(base: RuleBase, data: object, lost: list[str]) -> Step:
    if not isinstance(data, dict):
        raise TypeError("a step is not a mapping")
    mine = _read_mount(base, data, lost, lambda answers: contradiction(base, answers))

    def problem(answers: Answers) -> str | None:
        return None if is_possible(base, answers) else "It contradicts other answers."

    others = tuple(_read_mount(base, mount, lost, problem) for mount in data.get("others", ()))
    at, place = data["at"], data.get("place", 0)
    if type(place) is not int or not 0 <= place <= len(others):
        raise ValueError(f"unknown mount {place!r}")
    at = at if isinstance(at, str) and (at in base.facts or at == MOUNT) else None
    given = mine._replace(answers=Session(mine.answers, mine.order).given)
    other_side = _read_step(base, data["aside"], lost)._replace(other_side=None) if data.get("aside") else None
    return Step(infer(base, given, others), mine.order, at, mine.line, others, place, other_side)


def _read_mount(base: RuleBase, data: object, lost: list[str], wrong: Callable[[Answers], str | None]) -> MountAnswers:
    """The answers for one mount. `wrong`: returns the problem with the answers as a whole, or None."""
    if not isinstance(data, dict):
        raise TypeError("a mount is not a mapping")
    answers = _known_answers(base, from_plain(data["answers"]), lost, wrong)
    given = (*answers.facts, *sorted(answers.unknown))
    order = [str(fact) for fact in data["order"] if fact in given]
    order += [fact for fact in given if fact not in order and fact not in answers.origin]  # these are inferred
    line = tuple(Sign(str(fact), value, str(where)) for fact, value, where in data.get("read", ()))
    return MountAnswers(answers, tuple(dict.fromkeys(order)), _known_signs(base, line))


def _known_signs(base: RuleBase, line: tuple[Sign, ...]) -> tuple[Sign, ...]:
    """The signs of a line of fstab whose facts and values the rule base still knows."""
    kept = []
    for sign in line:
        try:
            fact_value(base, sign.fact, sign.value)
            base.engine.state({sign.fact: sign.value})
        except (AnswerError, EngineError):
            continue
        kept.append(sign)
    return tuple(kept)


def _known_answers(
    base: RuleBase, answers: Answers, lost: list[str], wrong: Callable[[Answers], str | None]
) -> Answers:
    """The answers that the rule base still knows and that do not contradict each other."""
    for name, value in answers.facts.items():
        try:
            fact_value(base, name, value)
            base.engine.state({name: value})
        except (AnswerError, EngineError) as error:
            lost.append(str(error))
            answers = without_answers(answers, (name,))
    for name, value in answers.pins.items():
        try:
            pin_value(base, name, value)
        except AnswerError as error:
            lost.append(str(error))
            answers = without_answers(answers, (), (name,))
    answers = answers._replace(unknown=frozenset(name for name in answers.unknown if name in base.facts))
    for name in reversed((*answers.facts, *answers.pins)):
        problem = wrong(answers)
        if problem is None:
            break
        lost.append(f"{name}: {problem}")
        answers = without_answers(answers, (name,), (name,))
    return answers

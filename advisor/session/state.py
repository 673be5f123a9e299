"""The session and what changes its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from advisor.advice.answers import AnswerError, Answers, bad_name
from advisor.advice.named import Sign, signs
from advisor.advice.typed import fact_value, pin_value
from advisor.engine import EngineError, FactError, consistent
from advisor.session.drawn import draw
from advisor.session.memo import advice_for

NOTHING = Answers()
MOUNT = "mount"
"""The question before all others: which mount it is about. It is no fact."""
DEPTH = 200
"""How many steps can be undone."""


class Step(NamedTuple):
    """What undo and redo bring back."""

    answers: Answers
    order: tuple[str, ...]
    at: str | None
    read: tuple[Sign, ...] = ()


class Session(NamedTuple):
    """`order`: the facts that were answered, also with "I don't know", in that order; the other facts of `answers` are
    drawn from the mount. `at`: the question that is looked at; None for the next one that is open. `fine`: also ask
    what could only fine-tune. `read`: what the line of fstab says that was taken for the mount."""

    answers: Answers = Answers()
    order: tuple[str, ...] = ()
    at: str | None = None
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    fine: bool = False
    read: tuple[Sign, ...] = ()

    @property
    def step(self) -> Step:
        return Step(self.answers, self.order, self.at, self.read)

    @property
    def touched(self) -> bool:
        """Whether anything was answered, named or held, now or before an undo."""
        return bool(self.past or self.future) or self.answers != NOTHING

    @property
    def said(self) -> Answers:
        """The answers without what was drawn from the mount."""
        given = self.answers
        return given._replace(
            facts={name: value for name, value in given.facts.items() if name in self.order},
            origin={name: value for name, value in given.origin.items() if name in self.order},
        )


class Refused(ValueError):
    """An answer, pin or name that cannot be. `against`: the earlier answers and pins that it contradicts; without them
    it would be accepted."""

    def __init__(self, message: str, against: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.against = against


def start(answers: Answers = NOTHING) -> Session:
    """A session that begins with these answers, which are taken to be checked; without any, with the mount."""
    order = (*answers.facts, *(name for name in sorted(answers.unknown) if name not in answers.facts))
    return Session(answers, order, MOUNT if answers == NOTHING else None)


def begun(base: Any, answers: Answers) -> Session:
    """A session that begins with answers of which some were inferred from names: these are drawn, not said."""
    named = {fact for fact, one in signs(base, answers.names, {}).items() if answers.origin.get(fact) == one.where}
    session = start(without(answers, tuple(named)))
    return session._replace(answers=draw(base, session.answers, ()))


def mount(
    base: Any, session: Session, names: Mapping[str, str], read: Mapping[str, Any] | None = None, where: str = ""
) -> Session:
    """Names the mount that it is about. `names` as in Answers; `read`: what its line of fstab says, and `where` that
    is. Raises Refused for what is no name."""
    for which, text in names.items():
        bad = bad_name(which, text)
        if bad:
            raise Refused(bad)
    found = tuple(Sign(fact, value, where) for fact, value in (read or {}).items())
    said = session.said._replace(names={**session.answers.names, **names})
    return _changed(base, session, said, session.order, read=found)


def answer(
    base: Any, session: Session, fact: str, value: Any, *, origin: str | None = None, instead_of: tuple[str, ...] = ()
) -> Session:
    """The answer to a question. `origin`: where it was read, if it was found and confirmed. `instead_of`: earlier
    answers and pins that make way for it. Raises Refused for what is no answer or contradicts earlier ones."""
    try:
        typed = fact_value(base, fact, value)
    except AnswerError as error:
        raise Refused(str(error)) from None
    answers = without(session.said, (fact, *instead_of), instead_of)
    found = {**answers.origin, fact: origin} if origin else answers.origin
    answers = answers._replace(facts={**answers.facts, fact: typed}, origin=found)
    accept(base, answers, fact)
    order = tuple(name for name in session.order if name != fact and name not in instead_of)
    place = session.order.index(fact) if fact in session.order else len(order)
    return _changed(base, session, answers, (*order[:place], fact, *order[place:]))


def dont_know(base: Any, session: Session, fact: str) -> Session:
    """ "I don't know" is an answer: the question is not asked again."""
    if fact not in base.facts:
        raise Refused(f"there is no question {fact!r}")
    answers = without(session.said, (fact,))
    answers = answers._replace(unknown=answers.unknown | {fact})
    accept(base, answers, fact)
    order = session.order if fact in session.order else (*session.order, fact)
    return _changed(base, session, answers, order)


def forget(base: Any, session: Session, fact: str) -> Session:
    """Takes an answer back, as if the question had never been asked. It may be asked again."""
    answers = without(session.said, (fact,))
    accept(base, answers, fact)
    order = tuple(name for name in session.order if name != fact)
    return session if order == session.order else _changed(base, session, answers, order, session.at)


def pin(base: Any, session: Session, tunable: str, value: Any, instead_of: tuple[str, ...] = ()) -> Session:
    """Holds a setting at a value; everything else follows. Raises Refused."""
    try:
        typed = pin_value(base, tunable, value)
    except AnswerError as error:
        raise Refused(str(error)) from None
    answers = without(session.said, instead_of, instead_of)
    answers = answers._replace(pins={**answers.pins, tunable: typed})
    accept(base, answers, tunable)
    order = tuple(name for name in session.order if name not in instead_of)
    return _changed(base, session, answers, order, session.at)


def unpin(base: Any, session: Session, tunable: str) -> Session:
    """Lets the rule base decide on a setting again."""
    if tunable not in session.answers.pins:
        return session
    answers = without(session.said, (), (tunable,))
    accept(base, answers, tunable)
    return _changed(base, session, answers, session.order, session.at)


def name(base: Any, session: Session, which: str, text: str) -> Session:
    """Sets a name for the files to install (`server`, `export` …); an empty text takes it back. Raises Refused."""
    names = {key: value for key, value in session.answers.names.items() if key != which}
    if text.strip():
        bad = bad_name(which, text.strip())
        if bad:
            raise Refused(bad)
        names[which] = text.strip()
    if names == session.answers.names:
        return session
    return _changed(base, session, session.said._replace(names=names), session.order, session.at)


def without(answers: Answers, facts: tuple[str, ...], pins: tuple[str, ...] = ()) -> Answers:
    """The answers without those to some facts, and without some pins."""
    return answers._replace(
        facts={name: value for name, value in answers.facts.items() if name not in facts},
        unknown=answers.unknown - set(facts),
        pins={name: value for name, value in answers.pins.items() if name not in pins},
        origin={name: value for name, value in answers.origin.items() if name not in facts},
    )


def accept(base: Any, answers: Answers, new: str) -> None:
    """Raises Refused, with the earlier answers that are in the way of the new one, if the answers cannot all be."""
    problem = clash(base, answers)
    if problem is None:
        return
    others = [name for name in (*answers.facts, *answers.pins) if name != new]
    against = tuple(dict.fromkeys(
        other for other in others if clash(base, without(answers, (other,), (other,))) is None
    ))
    raise Refused(problem, against)


def clash(base: Any, answers: Answers) -> str | None:
    """What is wrong with the answers as a whole, if anything is."""
    try:
        if not consistent(base.engine, base.engine.state(answers.facts)):
            return "It contradicts earlier answers."
        advice_for(base, answers)
    except FactError as error:
        return error.message[:1].upper() + error.message[1:] + "."
    except EngineError as error:
        return str(error)
    return None


def _changed(
    base: Any, session: Session, said: Answers, order: tuple[str, ...], at: str | None = None, *,
    read: tuple[Sign, ...] | None = None,
) -> Session:
    past = (*session.past, session.step)[-DEPTH:]
    read = session.read if read is None else read
    return session._replace(answers=draw(base, said, read), order=order, at=at, past=past, future=(), read=read)

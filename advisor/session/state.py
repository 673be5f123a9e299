"""What changes a session: answers, pins, names; back and forth between answers, undo and redo."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.advice.answers import AnswerError, Answers, bad_name
from advisor.advice.mounts import Sign
from advisor.advice.parse import fact_value, pin_value
from advisor.engine import EngineError, FactError, consistent
from advisor.rulebase.model import RuleBase
from advisor.session.advice_cache import advice_for
from advisor.session.inferred import draw, possible
from advisor.session.model import DEPTH, MOUNT, NOTHING, Mounted, Refused, Session, Step, without
from advisor.session.shared import carried, dropped, reads, served, unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def start(answers: Answers = NOTHING) -> Session:
    """A session that begins with these answers, which are taken to be checked; without any, with the mount."""
    order = (*answers.facts, *(name for name in sorted(answers.unknown) if name not in answers.facts))
    return Session(answers, order, MOUNT if answers == NOTHING else None)


def mount(
    base: RuleBase, session: Session, names: Mapping[str, str], read: Mapping[str, Values] | None = None,
    where: str = "",
) -> Session:
    """Names the mount that it is about. `names` as in Answers; `read`: what its line of fstab says, and `where` that
    is. Raises Refused for what is not a name."""
    for which, text in names.items():
        bad = bad_name(which, text)
        if bad:
            raise Refused(bad)
    found = tuple(Sign(fact, value, where) for fact, value in (read or {}).items())
    return _named(base, session, {**session.answers.names, **names}, None, found)


def answer(
    base: RuleBase, session: Session, fact: str, value: object, *, origin: str | None = None,
    instead_of: tuple[str, ...] = (), of: int | None = None,
) -> Session:
    """The answer to a question. `origin`: where it was read, if it was found and confirmed. `instead_of`: earlier
    answers and pins that make way for it; `of`: the place of the mount that they are about, None for the one that is
    looked at. Raises Refused for what is not an answer or contradicts earlier ones."""
    try:
        typed = fact_value(base, fact, value)
    except AnswerError as error:
        raise Refused(str(error)) from None
    free = dropped(base, session, instead_of, of)
    answers = without(free.said, (fact,))
    found = {**answers.origin, fact: origin} if origin else answers.origin
    answers = answers._replace(facts={**answers.facts, fact: typed}, origin=found)
    accept(base, answers, fact)
    order = tuple(name for name in free.order if name != fact)
    place = session.order.index(fact) if fact in session.order else len(order)
    return _changed(base, session, answers, (*order[:place], fact, *order[place:]), others=free.others, new=fact)


def dont_know(base: RuleBase, session: Session, fact: str) -> Session:
    """ "I don't know" is an answer: the question is not asked again."""
    if fact not in base.facts:
        raise Refused(f"unknown question {fact!r}")
    answers = without(session.said, (fact,))
    answers = answers._replace(unknown=answers.unknown | {fact})
    accept(base, answers, fact)
    order = session.order if fact in session.order else (*session.order, fact)
    return _changed(base, session, answers, order, new=fact)


def forget(base: RuleBase, session: Session, fact: str) -> Session:
    """Takes an answer back, as if the question had never been asked. It may be asked again."""
    answers = without(session.said, (fact,))
    accept(base, answers, fact)
    order = tuple(name for name in session.order if name != fact)
    return session if order == session.order else _changed(base, session, answers, order, session.at)


def pin(
    base: RuleBase, session: Session, tunable: str, value: object, instead_of: tuple[str, ...] = (), *,
    of: int | None = None,
) -> Session:
    """Holds a setting at a value, for all mounts; everything else follows. The rest as for an answer."""
    try:
        typed = pin_value(base, tunable, value)
    except AnswerError as error:
        raise Refused(str(error)) from None
    free = dropped(base, session, instead_of, of)
    answers = free.said._replace(pins={**free.answers.pins, tunable: typed})
    accept(base, answers, tunable)
    return _changed(base, session, answers, free.order, session.at, others=free.others, new=tunable)


def unpin(base: RuleBase, session: Session, tunable: str) -> Session:
    """Lets the rule base decide on a setting again."""
    if tunable not in session.answers.pins:
        return session
    answers = without(session.said, (), (tunable,))
    accept(base, answers, tunable)
    return _changed(base, session, answers, session.order, session.at)


def name(base: RuleBase, session: Session, which: str, text: str) -> Session:
    """Sets a name for the files to install (`server`, `export` …); an empty text takes it back. Raises Refused."""
    names = {key: value for key, value in session.answers.names.items() if key != which}
    if text.strip():
        bad = bad_name(which, text.strip())
        if bad:
            raise Refused(bad)
        names[which] = text.strip()
    if names == session.answers.names:
        return session
    return _named(base, session, names, session.at, session.read)


def _named(
    base: RuleBase, session: Session, names: dict[str, str], at: str | None, read: tuple[Sign, ...]
) -> Session:
    """The session with these names for the mount that is looked at."""
    mine = Mounted(session.said._replace(names=names), session.order, read)
    if session.others:
        problem = unfit(names, session.others)
        if problem:
            raise Refused(problem)
        mine = served(base, mine, session.others)
        accept(base, mine.answers, "")
    return _changed(base, session, mine.answers, mine.order, at, read=read)


def accept(base: RuleBase, answers: Answers, new: str) -> None:
    """Raises Refused, with the earlier answers that are in the way of the new one, if the answers cannot all be."""
    problem = clash(base, answers)
    if problem is None:
        return
    others = [name for name in (*answers.facts, *answers.pins) if name != new]
    against = tuple(dict.fromkeys(
        other for other in others if clash(base, without(answers, (other,), (other,))) is None
    ))
    raise Refused(problem, against)


def clash(base: RuleBase, answers: Answers) -> str | None:
    """What is wrong with the answers as a whole, if anything is."""
    try:
        if not consistent(base.engine, base.engine.state(answers.facts)):
            return "It contradicts earlier answers."
        for one in advice_for(base, answers).stopped:
            return f"{one.title}: it cannot be pinned. {one.rule.why if one.rule else ''}"
    except FactError as error:
        return error.message[:1].upper() + error.message[1:] + "."
    except EngineError as error:
        return str(error)
    return None


def _changed(
    base: RuleBase, session: Session, said: Answers, order: tuple[str, ...], at: str | None = None, *,
    read: tuple[Sign, ...] | None = None, others: tuple[Mounted, ...] | None = None, new: str = "",
) -> Session:
    """A step. `new`: the answer or pin that it is; Refused where that contradicts what was said of another mount."""
    mine = Mounted(said, order, session.read if read is None else read)
    others = tuple(
        _agreeing(base, carried(base, said, order, one), one, number + (number >= session.place), new)
        for number, one in enumerate(session.others if others is None else others)
    )
    answers = draw(base, said, reads(base, mine, others))
    past = (*session.past, session.step)[-DEPTH:]
    return session._replace(
        answers=answers, order=order, at=at, past=past, future=(), read=mine.read, others=others
    )


def _agreeing(base: RuleBase, now: Mounted, before: Mounted, place: int, new: str) -> Mounted:
    """Another mount with what it shares. Its advice need not be worked out to see whether its answers agree."""
    if now.answers == before.answers or possible(base, now.answers):
        return now
    earlier = [name for name in (*now.answers.facts, *now.answers.pins) if name != new]
    against = tuple(dict.fromkeys(
        name for name in earlier if possible(base, without(now.answers, (name,), (name,)))
    ))
    target = now.answers.name("target")
    raise Refused(f"It contradicts earlier answers for {target}.", against, place)


def go(session: Session, fact: str | None) -> Session:
    """Looks at a question; None is the next one that is open."""
    return session._replace(at=fact)


def back(session: Session) -> Session:
    """To the answer before the one that is looked at; before the first, to the mount."""
    if session.at == MOUNT:
        return session
    place = session.order.index(session.at) if session.at in session.order else len(session.order)
    return session._replace(at=session.order[place - 1] if place else MOUNT)


def forward(session: Session) -> Session:
    """To the answer after it; after the last to the next open question."""
    if session.at not in (*session.order, MOUNT):
        return session._replace(at=None)
    place = 0 if session.at == MOUNT else session.order.index(session.at) + 1
    return session._replace(at=session.order[place] if place < len(session.order) else None)


def undo(session: Session) -> Session:
    """As before the last change; the question that it changed is looked at again."""
    if not session.past:
        return session
    future = (session.step, *session.future)
    return _as(session, session.past[-1])._replace(past=session.past[:-1], future=future)


def redo(session: Session) -> Session:
    """Takes an undo back."""
    if not session.future:
        return session
    past = (*session.past, session.step)
    return _as(session, session.future[0])._replace(past=past, future=session.future[1:])


def _as(session: Session, step: Step) -> Session:
    return session._replace(**step._asdict())

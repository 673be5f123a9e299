"""Changes of a session: answers, pins, names; moving between questions; undo and redo."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.advice.answers import AnswerError, Answers, bad_name, fact_value, pin_value
from advisor.advice.answers_file import Sign
from advisor.engine import EngineError, FactError, consistent
from advisor.rulebase.model import RuleBase
from advisor.session.cache import advice_for
from advisor.session.inferred import infer, is_possible, names_problem, share_answers, share_server, shared_by
from advisor.session.model import MOUNT, NO_ANSWERS, MountAnswers, Refused, Session, without_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def start(answers: Answers = NO_ANSWERS) -> Session:
    """A session with these answers, which must be checked already; without answers, at the question for the mount."""
    order = (*answers.facts, *(name for name in sorted(answers.unknown) if name not in answers.facts))
    return Session(answers, order, MOUNT if answers == NO_ANSWERS else None)


def mount(
    base: RuleBase, session: Session, names: Mapping[str, str], facts: Mapping[str, Values] | None = None,
    where: str = "",
) -> Session:
    """Names the current mount. `names`: as in Answers; `facts`: those that its line of fstab shows; `where`: the place
    of that line. Raises Refused for an invalid name."""
    for which, text in names.items():
        bad = bad_name(which, text)
        if bad:
            raise Refused(bad)
    line = tuple(Sign(fact, value, where) for fact, value in (facts or {}).items())
    return _with_names(base, session, {**session.answers.names, **names}, None, line)


def answer(
    base: RuleBase, session: Session, fact: str, value: object, *, origin: str | None = None,
    instead_of: tuple[str, ...] = (), of: int | None = None,
) -> Session:
    """Answers a question. `origin`: where the value was read, if it was found and confirmed. `instead_of`: earlier
    answers and pins to drop; `of`: number of the mount that these are about, None for the current one. Raises Refused
    for an invalid answer, or one that contradicts earlier ones."""
    try:
        typed = fact_value(base, fact, value)
    except AnswerError as error:
        raise Refused(str(error)) from None
    free = _without_shared(base, session, instead_of, of)
    answers = without_answers(free.given, (fact,))
    origins = {**answers.origin, fact: origin} if origin else answers.origin
    answers = answers._replace(facts={**answers.facts, fact: typed}, origin=origins)
    _accept(base, answers, fact)
    order = tuple(name for name in free.order if name != fact)
    place = session.order.index(fact) if fact in session.order else len(order)
    return _after_change(base, session, answers, (*order[:place], fact, *order[place:]), others=free.others, new=fact)


def dont_know(base: RuleBase, session: Session, fact: str) -> Session:
    """Answers a question with "I don't know"; it is not asked again."""
    if fact not in base.facts:
        raise Refused(f"unknown question {fact!r}")
    answers = without_answers(session.given, (fact,))
    answers = answers._replace(unknown=answers.unknown | {fact})
    _accept(base, answers, fact)
    order = session.order if fact in session.order else (*session.order, fact)
    return _after_change(base, session, answers, order, new=fact)


def forget(base: RuleBase, session: Session, fact: str) -> Session:
    """Deletes an answer. The question may be asked again."""
    answers = without_answers(session.given, (fact,))
    _accept(base, answers, fact)
    order = tuple(name for name in session.order if name != fact)
    return session if order == session.order else _after_change(base, session, answers, order, session.at)


def pin(
    base: RuleBase, session: Session, tunable: str, value: object, instead_of: tuple[str, ...] = (), *,
    of: int | None = None,
) -> Session:
    """Pins a setting to a value, for all mounts. The parameters are those of `answer`."""
    try:
        typed = pin_value(base, tunable, value)
    except AnswerError as error:
        raise Refused(str(error)) from None
    free = _without_shared(base, session, instead_of, of)
    answers = free.given._replace(pins={**free.answers.pins, tunable: typed})
    _accept(base, answers, tunable)
    return _after_change(base, session, answers, free.order, session.at, others=free.others, new=tunable)


def unpin(base: RuleBase, session: Session, tunable: str) -> Session:
    """Lets the rule base decide on a setting again."""
    if tunable not in session.answers.pins:
        return session
    answers = without_answers(session.given, (), (tunable,))
    _accept(base, answers, tunable)
    return _after_change(base, session, answers, session.order, session.at)


def name(base: RuleBase, session: Session, which: str, text: str) -> Session:
    """Sets a name for the files to install (`server`, `export` …); an empty text deletes it. Raises Refused."""
    names = {key: value for key, value in session.answers.names.items() if key != which}
    if text.strip():
        bad = bad_name(which, text.strip())
        if bad:
            raise Refused(bad)
        names[which] = text.strip()
    if names == session.answers.names:
        return session
    return _with_names(base, session, names, session.at, session.line)


def _with_names(
    base: RuleBase, session: Session, names: dict[str, str], at: str | None, line: tuple[Sign, ...]
) -> Session:
    """The session with these names for the current mount."""
    mine = MountAnswers(session.given._replace(names=names), session.order, line)
    if session.others:
        problem = names_problem(names, session.others)
        if problem:
            raise Refused(problem)
        mine = share_server(base, mine, session.others)
        _accept(base, mine.answers, "")
    return _after_change(base, session, mine.answers, mine.order, at, line=line)


def _accept(base: RuleBase, answers: Answers, new: str) -> None:
    """Raises Refused, with the earlier answers that the new one contradicts, if the answers contradict each other."""
    problem = contradiction(base, answers)
    if problem is None:
        return
    others = [name for name in (*answers.facts, *answers.pins) if name != new]
    against = tuple(dict.fromkeys(
        other for other in others if contradiction(base, without_answers(answers, (other,), (other,))) is None
    ))
    raise Refused(problem, against)


def contradiction(base: RuleBase, answers: Answers) -> str | None:
    """The problem with the answers as a whole; None if there is none."""
    try:
        if not consistent(base.engine, base.engine.state(answers.facts)):
            return "It contradicts earlier answers."
        for setting in advice_for(base, answers).unusable_pins:
            return f"{setting.title}: it cannot be pinned. {setting.rule.why if setting.rule else ''}"
    except FactError as error:
        return error.message[:1].upper() + error.message[1:] + "."
    except EngineError as error:
        return str(error)
    return None


def _after_change(
    base: RuleBase, session: Session, given: Answers, order: tuple[str, ...], at: str | None = None, *,
    line: tuple[Sign, ...] | None = None, others: tuple[MountAnswers, ...] | None = None, new: str = "",
) -> Session:
    """The session after a change, with an undo step. `new`: the fact or setting that was answered or pinned. Raises
    Refused if that contradicts the answers for another mount."""
    mine = MountAnswers(given, order, session.line if line is None else line)
    others = tuple(
        _check_other_mount(
            base, share_answers(base, given, order, other), other, number + (number >= session.place), new
        )
        for number, other in enumerate(session.others if others is None else others)
    )
    return session.with_undo_step()._replace(
        answers=infer(base, mine, others), order=order, at=at, line=mine.line, others=others
    )


def _without_shared(base: RuleBase, session: Session, names: tuple[str, ...], place: int | None) -> Session:
    """The session without some pins and answers for mount number `place` (None: the current one) and the mounts that
    share them. It has no undo step for that."""
    if not names:
        return session
    place = session.place if place is None else place
    answers = session.mounts[place].answers

    def less(mount_answers: MountAnswers, number: int) -> MountAnswers:
        shared = shared_by(base, answers, mount_answers.answers)
        gone = tuple(name for name in names if name in base.facts and (number == place or shared(name)))
        return mount_answers._replace(
            answers=without_answers(mount_answers.answers, gone, names),
            order=tuple(fact for fact in mount_answers.order if fact not in gone),
        )

    mounts = [less(mount_answers, number) for number, mount_answers in enumerate(session.mounts)]
    mine = mounts.pop(session.place)
    return session._replace(answers=mine.answers, order=mine.order, others=tuple(mounts))


def _check_other_mount(base: RuleBase, now: MountAnswers, before: MountAnswers, place: int, new: str) -> MountAnswers:
    """Returns `now`, another mount with the facts that it shares. Raises Refused if its answers contradict each other,
    which is checked without computing the advice."""
    if now.answers == before.answers or is_possible(base, now.answers):
        return now
    earlier = [name for name in (*now.answers.facts, *now.answers.pins) if name != new]
    against = tuple(dict.fromkeys(
        name for name in earlier if is_possible(base, without_answers(now.answers, (name,), (name,)))
    ))
    target = now.answers.name("target")
    raise Refused(f"It contradicts earlier answers for {target}.", against, place)


def go(session: Session, fact: str | None) -> Session:
    """Goes to a question; None is the next one that is open."""
    return session._replace(at=fact)


def back(session: Session) -> Session:
    """Goes to the answer before the current question; from the first to the mount."""
    if session.at == MOUNT:
        return session
    place = session.order.index(session.at) if session.at in session.order else len(session.order)
    return session._replace(at=session.order[place - 1] if place else MOUNT)


def forward(session: Session) -> Session:
    """Goes to the answer after the current question; from the last to the next open question."""
    if session.at not in (*session.order, MOUNT):
        return session._replace(at=None)
    place = 0 if session.at == MOUNT else session.order.index(session.at) + 1
    return session._replace(at=session.order[place] if place < len(session.order) else None)


def undo(session: Session) -> Session:
    """Undoes the last change."""
    if not session.past:
        return session
    future = (session.step, *session.future)
    return session._replace(**session.past[-1]._asdict(), past=session.past[:-1], future=future)


def redo(session: Session) -> Session:
    """Redoes the change that was undone last."""
    if not session.future:
        return session
    past = (*session.past, session.step)
    return session._replace(**session.future[0]._asdict(), past=past, future=session.future[1:])

"""The wizard's state: the answers for each mount, the current question, undo and redo; its changes by an answer, a pin
or a name; and the facts that are inferred from the names and lines of mounts. No screen, files or clock.

Functions take a Session and return another one; none modifies it. Facts are inferred anew for each set of answers and
never contradict one: answers take precedence over the line of fstab, and the line over names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeVar

from advisor.advice.advise import all_pins
from advisor.advice.answers import AnswerError, Answers, bad_name, fact_value, pin_value, to_plain
from advisor.advice.answers_file import SHARED_NAMES, Sign, infer_signs, is_complete, mount_key, same_server
from advisor.advice.arguments import counterarguments
from advisor.engine import EngineError, FactError, consistent, possible
from advisor.engine.usual import decided
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import with_bearing
from advisor.wizard.advice_cache import Cache, advice_for

Found = dict[str, tuple[Values, str]]
"""Fact → its value on this host, and where it was read."""
NO_ANSWERS = Answers()
MOUNT = "mount"
"""The first question, which mount it is about. It is not a fact."""
FOLLOWS = "follows from your other answers"
CHOSEN = "you configure a mount"
ROLE, SERVER, CLIENT = "host.role", "nfs-server", "nfs-client"
PLATFORM = "storage.platform"
DEPTH = 200
"""How many steps can be undone."""


class MountAnswers(NamedTuple):
    """The answers for one mount, without inferred facts. `order`, `line`: as in Session."""

    answers: Answers = NO_ANSWERS
    order: tuple[str, ...] = ()
    line: tuple[Sign, ...] = ()


class Step(NamedTuple):
    """The state that undo and redo restore; the fields are those of Session."""

    answers: Answers
    order: tuple[str, ...]
    at: str | None
    line: tuple[Sign, ...] = ()
    others: tuple[MountAnswers, ...] = ()
    place: int = 0
    other_side: Step | None = None


class Session(NamedTuple):
    """`order`: the facts that were answered, "I don't know" included, in this order; the other facts of `answers` are
    inferred. `at`: the question on the screen; None for the next open one. `fine`: ask also the questions that could
    only fine-tune. `line`: the facts that the mount's line of fstab shows.

    These fields are about the current mount, number `place`; `others`: the mounts before and after it. Answers about
    the host apply to each mount, answers about a server to each mount from it, and pins to all. `folder`: where the
    files were exported last. `other_side`: the answers of the other side, the server of these clients or the clients of
    this server, once it was shown; its own `other_side` is None."""

    answers: Answers = NO_ANSWERS
    order: tuple[str, ...] = ()
    at: str | None = None
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    fine: bool = False
    line: tuple[Sign, ...] = ()
    others: tuple[MountAnswers, ...] = ()
    place: int = 0
    folder: str = ""
    other_side: Step | None = None

    @property
    def step(self) -> Step:
        return Step(self.answers, self.order, self.at, self.line, self.others, self.place, self.other_side)

    @property
    def touched(self) -> bool:
        """Whether anything was answered, named or pinned, now or before an undo."""
        return bool(self.past or self.future) or self.answers._replace(now={}) != NO_ANSWERS

    @property
    def view(self) -> tuple[object, ...]:
        """Identifies the mount and side on the screen; changes of advice are reported only while it stays equal."""
        return self.place, len(self.others), self.other_side

    @property
    def given(self) -> Answers:
        """The answers without inferred facts."""
        answers = self.answers
        return answers._replace(
            facts={name: value for name, value in answers.facts.items() if name in self.order},
            origin={name: value for name, value in answers.origin.items() if name in self.order},
        )

    @property
    def mount(self) -> MountAnswers:
        return MountAnswers(self.given, self.order, self.line)

    @property
    def mounts(self) -> tuple[MountAnswers, ...]:
        """All mounts, in their order."""
        return (*self.others[: self.place], self.mount, *self.others[self.place :])

    def with_undo_step(self) -> Session:
        return self._replace(past=(*self.past, self.step)[-DEPTH:], future=())


class Refused(ValueError):
    """An answer, pin or name is refused. `against`: the earlier answers and pins that it contradicts; without one of
    them it would be accepted. `place`: the mount that these are about; None for the one on the screen."""

    def __init__(self, message: str, against: tuple[str, ...] = (), place: int | None = None) -> None:
        super().__init__(message)
        self.against, self.place = against, place


def without_answers(answers: Answers, facts: tuple[str, ...], pins: tuple[str, ...] = ()) -> Answers:
    return answers._replace(
        facts={name: value for name, value in answers.facts.items() if name not in facts},
        unknown=answers.unknown - set(facts),
        pins={name: value for name, value in answers.pins.items() if name not in pins},
        origin={name: value for name, value in answers.origin.items() if name not in facts},
    )


T = TypeVar("T")
_inferred: Cache[Answers] = Cache(256)
_fits: Cache[bool] = Cache(256)


def infer(base: RuleBase, mount: MountAnswers, others: tuple[MountAnswers, ...]) -> Answers:
    """The answers for a mount with the inferred facts, each with its origin."""
    line = _shared_line(base, mount, others)
    wanted = base.hash, json.dumps([to_plain(mount.answers), line], sort_keys=True)
    return _inferred.get(wanted, lambda: _infer(base, mount.answers, line))


def _infer(base: RuleBase, given: Answers, line: tuple[Sign, ...]) -> Answers:
    settings = [sign for sign in line if sign.fact in base.decisions]
    answers = _with_signs(base, given, [sign for sign in line if sign not in settings])
    if given.names:
        answers = _with_signs(base, answers, infer_signs(base, answers.names, answers.facts).values())
    for sign in settings:  # the current setting of the line, if the rules allow it
        values = sign.value if isinstance(sign.value, list) else [sign.value]
        if any(counterarguments(base, answers, sign.fact, value).fits for value in values):
            answers = _with_signs(base, answers, [sign])
    role = _role_left(base, answers)
    if role == SERVER:
        return _with_signs(base, answers, [Sign(ROLE, SERVER, FOLLOWS)])
    meant = isinstance(role, list) and PLATFORM in answers.facts
    return _with_signs(base, answers, [Sign(ROLE, CLIENT, CHOSEN)]) if meant else answers


def _role_left(base: RuleBase, answers: Answers) -> object:
    """The role that the answers leave, a list if they leave several: then clients are meant."""
    engine = base.engine
    with suppress(EngineError):
        return engine.answer(ROLE, possible(engine, ROLE, engine.state(with_bearing(base, answers.facts)[0])))
    return None


def _with_signs(base: RuleBase, answers: Answers, signs: Iterable[Sign]) -> Answers:
    """The answers, and with them the signs on facts that were not answered and that do not contradict them."""
    for sign in signs:
        more = answers._replace(
            facts={**answers.facts, sign.fact: sign.value}, origin={**answers.origin, sign.fact: sign.where}
        )
        if sign.fact not in answers.facts and sign.fact not in answers.unknown and is_possible(base, more):
            answers = more
    return answers


def _shared_line(base: RuleBase, mount: MountAnswers, others: tuple[MountAnswers, ...]) -> tuple[Sign, ...]:
    """The signs of a mount from its line of fstab, and from the lines of other mounts that share the fact. Signs about
    the host that contradict the answers for any mount are left out."""
    shared = {
        sign.fact: sign for other in others for sign in other.line
        if shared_by(base, mount.answers, other.answers)(sign.fact)
    }
    signs = (shared | {sign.fact: sign for sign in mount.line}).values()
    return tuple(
        sign for sign in signs if base.facts[sign.fact].scope != "host" or _fits_all(base, sign, (mount, *others))
    )


def _fits_all(base: RuleBase, sign: Sign, mounts: tuple[MountAnswers, ...]) -> bool:
    """Whether a sign about the host agrees with the answers for each mount and with the mount's own line."""
    for mount in mounts:
        line = {own.fact: own.value for own in mount.line if own.fact not in base.decisions}
        facts = {**line, **mount.answers.facts, sign.fact: sign.value}
        if sign.fact not in mount.answers.facts and not is_possible_cached(base, mount.answers._replace(facts=facts)):
            return False
    return True


def is_possible_cached(base: RuleBase, answers: Answers) -> bool:
    wanted = base.hash, json.dumps(to_plain(answers), sort_keys=True)
    return _fits.get(wanted, lambda: is_possible(base, answers))


def is_possible(base: RuleBase, answers: Answers) -> bool:
    """Whether the answers agree with each other and with the pins, without computing the advice."""
    try:
        known = base.engine.state(with_bearing(base, answers.facts)[0])
        if answers.pins:
            decided(base.engine, known, all_pins(base, answers))
        return consistent(base.engine, known)
    except EngineError:
        return False


def shared_by(base: RuleBase, one: Answers, other: Answers) -> Callable[[str], bool]:
    """A predicate: whether two mounts share a fact, because it is about the host or about the server of both."""
    scopes = ("host", "server") if same_server(one, other) else ("host",)
    return lambda fact: base.facts[fact].scope in scopes


def share_answers(base: RuleBase, given: Answers, order: tuple[str, ...], other: MountAnswers) -> MountAnswers:
    """`other` with the shared facts of this mount. `given`, `order`: of this mount, as in MountAnswers."""
    shared, own = shared_by(base, given, other.answers), other.answers

    def joined(mine: Mapping[str, T], theirs: Mapping[str, T]) -> dict[str, T]:
        kept = {fact: value for fact, value in theirs.items() if not shared(fact)}
        return kept | {fact: value for fact, value in mine.items() if shared(fact)}

    names = {name: text for name, text in own.names.items() if name not in SHARED_NAMES}
    answers = given._replace(
        facts=joined(given.facts, own.facts), origin=joined(given.origin, own.origin),
        unknown=frozenset(joined(dict.fromkeys(given.unknown), dict.fromkeys(own.unknown))), observed=own.observed,
        names=names | {name: text for name, text in given.names.items() if name in SHARED_NAMES},
    )
    kept = tuple(fact for fact in other.order if fact in order or not shared(fact))
    return MountAnswers(answers, (*kept, *(fact for fact in order if shared(fact) and fact not in kept)), other.line)


def share_server(base: RuleBase, mount: MountAnswers, others: tuple[MountAnswers, ...]) -> MountAnswers:
    """A mount that was just named, with the answers about its server that another mount has."""
    for other in others:
        if same_server(mount.answers, other.answers):
            return share_answers(base, other.answers, other.order, mount)
    return mount


def names_problem(names: Mapping[str, str], others: tuple[MountAnswers, ...]) -> str | None:
    """The problem with the names of a mount that is one of several; None if there is none."""
    if not is_complete(names):
        return "Each of several mounts needs a server, an export and a mount point: write server:/export /mount/point."
    if any(mount_key(names) == mount_key(other.answers.names) for other in others):
        return f"{names['server']}:{names['export']} on {names['target']} is already in the list."
    return None


def start(answers: Answers = NO_ANSWERS) -> Session:
    """A session with these answers, which must be checked already; without answers, at the question for the mount."""
    order = (*answers.facts, *(name for name in sorted(answers.unknown) if name not in answers.facts))
    return Session(answers, order, MOUNT if answers == NO_ANSWERS else None)


def check_names(names: Mapping[str, str]) -> None:
    """Raises Refused for an invalid name."""
    for which, text in names.items():
        if bad := bad_name(which, text):
            raise Refused(bad)


def mount(
    base: RuleBase, session: Session, names: Mapping[str, str], facts: Mapping[str, Values] | None = None,
    where: str = "",
) -> Session:
    """Names the current mount. `names`: as in Answers; `facts`: those that its line of fstab shows; `where`: the place
    of that line. Raises Refused for an invalid name."""
    check_names(names)
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
    return _after_change(base, session, answers, order)


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
        typed = pin_value(base, tunable, value, session.given.facts)
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
        names[which] = text.strip()
        check_names({which: names[which]})
    if names == session.answers.names:
        return session
    return _with_names(base, session, names, session.at, session.line)


def _with_names(
    base: RuleBase, session: Session, names: dict[str, str], at: str | None, line: tuple[Sign, ...]
) -> Session:
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
        if not consistent(base.engine, base.engine.state(with_bearing(base, answers.facts)[0])):
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
    if not session.past:
        return session
    future = (session.step, *session.future)
    return session._replace(**session.past[-1]._asdict(), past=session.past[:-1], future=future)


def redo(session: Session) -> Session:
    if not session.future:
        return session
    past = (*session.past, session.step)
    return session._replace(**session.future[0]._asdict(), past=past, future=session.future[1:])

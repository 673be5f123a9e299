"""Several mounts of one host in a session: added, switched between, taken out, and advised on together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.advice.answers import Answers, bad_name
from advisor.advice.model import Advice, OpenSetting
from advisor.advice.mounts import Sign, complete, gathered, same_server, signs
from advisor.advice.several import Several
from advisor.rulebase.model import RuleBase
from advisor.session.advice_cache import AskedOfAll, advice_for, known, several_for
from advisor.session.inferred import draw, possible
from advisor.session.model import DEPTH, Mounted, Refused, Session, without
from advisor.session.order import unanswered, weighty
from advisor.session.shared import carried, reads, served, unfit
from advisor.session.state import mount, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def begun(base: RuleBase, *mounts: Answers) -> Session:
    """A session that begins with these answers for each mount, which are taken to be checked. What was inferred from
    names is drawn, not said. Raises Refused where they contradict what is said of a server for another mount."""
    started: list[Mounted] = []
    for one in mounts:
        named = {fact for fact, sign in signs(base, one.names, {}).items() if one.origin.get(fact) == sign.where}
        first = start(without(one, tuple(named)))
        started.append(Mounted(first.answers, first.order))
    if len(started) > 1:
        started = [_with_server(base, one, started) for one in started]
    session = start(started[0].answers)._replace(others=tuple(started[1:]))
    return _at(base, session, started, 0, session.at)


def _with_server(base: RuleBase, one: Mounted, all_: list[Mounted]) -> Mounted:
    """The mount with what is said of its server for others alone."""
    facts: dict[str, Values] = {}
    for other in all_:
        if same_server(one.answers, other.answers):
            facts |= {
                fact: value for fact, value in other.answers.facts.items()
                if base.facts[fact].scope == "server" and fact not in facts
            }
    answers = one.answers._replace(facts={**one.answers.facts, **facts}, unknown=one.answers.unknown - set(facts))
    if not possible(base, answers):
        raise Refused(f"The answers for {one.answers.name('server')} cannot be true for {one.answers.name('target')}.")
    return Mounted(answers, (*one.order, *(fact for fact in facts if fact not in one.order)), one.read)


def add(
    base: RuleBase, session: Session, names: Mapping[str, str], read: Mapping[str, Values] | None = None,
    where: str = "",
) -> Session:
    """One more mount, or the names of the only one, if that has none yet. The parameters are those of `mount`."""
    mine = session.answers.names
    if not session.others and not complete(mine):
        if any(mine.get(name, text) != text for name, text in names.items()):
            raise Refused("Complete the first mount before you add another: server:/export /mount/point.")
        return mount(base, session, names, read, where)
    for which, text in names.items():
        bad = bad_name(which, text)
        if bad:
            raise Refused(bad)
    problem = unfit(names, session.mounts)
    if problem:
        raise Refused(problem)
    signed = tuple(Sign(fact, value, where) for fact, value in (read or {}).items())
    of_mount = {name for name, kind in base.kinds.items() if kind.scope == "mount"}
    host = {name: one for name, one in session.answers.now.items() if base.tunables[name].kind not in of_mount}
    new = carried(base, session.said, session.order, Mounted(Answers(names=dict(names), now=host), (), signed))
    new = served(base, new, session.mounts)
    return _stepped(base, session, [*session.mounts, new], session.place)


def remove(base: RuleBase, session: Session, place: int) -> Session:
    """Takes a mount out. Raises Refused for the only one."""
    if not session.others:
        raise Refused("It is the only mount.")
    mounts = list(session.mounts)
    del mounts[place]
    return _stepped(base, session, mounts, min(session.place - (place < session.place), len(mounts) - 1))


def switch(base: RuleBase, session: Session, place: int) -> Session:
    """Looks at another mount. It is not a step, as going to another question is none."""
    return session if place == session.place else _at(base, session, list(session.mounts), place, None)


def _stepped(base: RuleBase, session: Session, mounts: list[Mounted], place: int) -> Session:
    past = (*session.past, session.step)[-DEPTH:]
    same = mounts[place] == session.mounts[session.place]
    return _at(base, session, mounts, place, session.at if same else None)._replace(past=past, future=())


def _at(base: RuleBase, session: Session, mounts: list[Mounted], place: int, at: str | None) -> Session:
    mine, others = mounts[place], (*mounts[:place], *mounts[place + 1 :])
    return session._replace(
        answers=draw(base, mine.answers, reads(base, mine, others)), order=mine.order, read=mine.read, others=others,
        place=place, at=at,
    )


def each(base: RuleBase, session: Session) -> tuple[Answers, ...]:
    """The answers for each mount, with what is drawn."""
    return tuple(_drawn(base, session, place) for place in range(len(session.mounts)))


def _drawn(base: RuleBase, session: Session, place: int) -> Answers:
    if place == session.place:
        return session.answers
    mounts = session.mounts
    one, others = mounts[place], (*mounts[:place], *mounts[place + 1 :])
    return draw(base, one.answers, reads(base, one, others))


def whole(base: RuleBase, session: Session) -> Answers:
    """All that is known, as an answers file holds it: with a section for each mount, where there are several."""
    if not session.others:
        return session.answers
    return asked_of_all(base, session).answers


def several(base: RuleBase, session: Session) -> Several | None:
    """What follows for all mounts, with settings of the host that suit all; None where there is one mount. Working it
    out takes its time for each mount: see `asked_of_all`."""
    return several_for(base, asked_of_all(base, session)) if session.others else None


_last: list[tuple[RuleBase, Session, AskedOfAll]] = []


def asked_of_all(base: RuleBase, session: Session) -> AskedOfAll:
    """What `several` needs, to work it out ahead. Each part of a screen asks for it: the last is
    kept."""
    for of, about, asked in _last:
        if of is base and about is session:
            return asked
    mounts = each(base, session)
    asked = AskedOfAll(gathered(base, mounts), mounts)
    _last[:] = [(base, session, asked)]
    return asked


def suited(base: RuleBase, session: Session) -> Advice:
    """What follows for the mount that is looked at, with the settings of the host as they suit all mounts."""
    together = several(base, session)
    return advice_for(base, session.answers) if together is None else together.mounts[session.place]


def speaking(base: RuleBase, session: Session, tunable: str) -> Advice:
    """The advice that explains a setting: that for the mount that asks for it; where mounts disagree, for this one."""
    together = several(base, session)
    if together is None or any(tunable in (side.tunable for side in one.sides) for one in together.conflicts):
        return advice_for(base, session.answers)
    mine = together.mounts[session.place]
    wanted = together.wanted.get(tunable, ())
    if not wanted or mine.answers.name("target") in wanted:
        return mine
    return next(one for one in together.mounts if one.answers.name("target") == wanted[0])


class Rest(NamedTuple):
    """Another mount at the end. `matter`: how many questions on it still matter; `waiting`: what stays open there
    although it must or should be set; both None as long as its advice has not been worked out."""

    place: int
    target: str
    matter: int | None
    waiting: tuple[OpenSetting, ...] | None


def rest(base: RuleBase, session: Session) -> tuple[Rest, ...]:
    """How far the other mounts are, as far as that is known already."""
    found: list[Rest] = []
    for place, answers in enumerate(() if not session.others else asked_of_all(base, session).mounts):
        advice = known(base, answers)
        if place == session.place:
            continue
        if advice is None:
            found.append(Rest(place, answers.name("target"), None, None))
        else:
            matter = sum(ask.matters for ask in unanswered(advice))
            found.append(Rest(place, answers.name("target"), matter, weighty(advice)))
    return tuple(found)


def shown(base: RuleBase, session: Session) -> tuple[Advice, Several | None]:
    """The same as far as it was worked out already: until then the host's settings are as they suit this mount; and
    what follows for all mounts, where that is known."""
    together = known(base, asked_of_all(base, session)) if session.others else None
    return (advice_for(base, session.answers), None) if together is None else (together.mounts[session.place], together)

"""Several mounts of one host in a session: adding, removing, going to one, and the advice for all together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.advice.answers import Answers, bad_name
from advisor.advice.answers_file import Sign, infer_signs, is_complete, joined_answers, same_server
from advisor.advice.model import Advice, OpenSetting
from advisor.advice.several import Several
from advisor.rulebase.model import RuleBase
from advisor.session.cache import AllMounts, advice_for, cached, several_for
from advisor.session.inferred import infer, is_possible, names_problem, share_answers, share_server
from advisor.session.model import MountAnswers, Refused, Session, without_answers
from advisor.session.questions import unanswered, waiting_settings
from advisor.session.steps import mount, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def start_mounts(base: RuleBase, *mounts: Answers) -> Session:
    """A session with these answers for each mount, which must be checked already. Facts inferred from names are
    inferred again. Raises Refused if mounts contradict each other about a server."""
    started: list[MountAnswers] = []
    for answers in mounts:
        named = {
            fact for fact, sign in infer_signs(base, answers.names, {}).items()
            if answers.origin.get(fact) == sign.where
        }
        first = start(without_answers(answers, tuple(named)))
        started.append(MountAnswers(first.answers, first.order))
    if len(started) > 1:
        started = [_with_server(base, mount_answers, started) for mount_answers in started]
    session = start(started[0].answers)._replace(others=tuple(started[1:]))
    return _at_mount(base, session, started, 0, session.at)


def _with_server(base: RuleBase, mount_answers: MountAnswers, mounts: list[MountAnswers]) -> MountAnswers:
    """The mount with the answers about its server that were given for other mounts."""
    facts: dict[str, Values] = {}
    for other in mounts:
        if same_server(mount_answers.answers, other.answers):
            facts |= {
                fact: value for fact, value in other.answers.facts.items()
                if base.facts[fact].scope == "server" and fact not in facts
            }
    answers = mount_answers.answers._replace(
        facts={**mount_answers.answers.facts, **facts}, unknown=mount_answers.answers.unknown - set(facts)
    )
    if not is_possible(base, answers):
        raise Refused(
            f"The answers for {mount_answers.answers.name('server')} cannot be true for "
            f"{mount_answers.answers.name('target')}."
        )
    return MountAnswers(
        answers, (*mount_answers.order, *(fact for fact in facts if fact not in mount_answers.order)),
        mount_answers.line,
    )


def add(
    base: RuleBase, session: Session, names: Mapping[str, str], facts: Mapping[str, Values] | None = None,
    where: str = "",
) -> Session:
    """Adds a mount, or names the only one if it has no names yet. The parameters are those of `mount`."""
    mine = session.answers.names
    if not session.others and not is_complete(mine):
        if any(mine.get(name, text) != text for name, text in names.items()):
            raise Refused("Complete the first mount before you add another: server:/export /mount/point.")
        return mount(base, session, names, facts, where)
    for which, text in names.items():
        bad = bad_name(which, text)
        if bad:
            raise Refused(bad)
    problem = names_problem(names, session.mounts)
    if problem:
        raise Refused(problem)
    line = tuple(Sign(fact, value, where) for fact, value in (facts or {}).items())
    of_mount = {name for name, kind in base.kinds.items() if kind.scope == "mount"}
    host = {name: state for name, state in session.answers.now.items() if base.tunables[name].kind not in of_mount}
    new = MountAnswers(Answers(names=dict(names), now=host), (), line)
    new = share_server(base, share_answers(base, session.given, session.order, new), session.mounts)
    return _stepped(base, session, [*session.mounts, new], session.place)


def remove(base: RuleBase, session: Session, place: int) -> Session:
    """Removes a mount. Raises Refused for the only one."""
    if not session.others:
        raise Refused("It is the only mount.")
    mounts = list(session.mounts)
    del mounts[place]
    return _stepped(base, session, mounts, min(session.place - (place < session.place), len(mounts) - 1))


def go_to_mount(base: RuleBase, session: Session, place: int) -> Session:
    """Goes to another mount. Like going to another question, this is not undone."""
    return session if place == session.place else _at_mount(base, session, list(session.mounts), place, None)


def _stepped(base: RuleBase, session: Session, mounts: list[MountAnswers], place: int) -> Session:
    same = mounts[place] == session.mount
    return _at_mount(base, session.with_undo_step(), mounts, place, session.at if same else None)


def _at_mount(base: RuleBase, session: Session, mounts: list[MountAnswers], place: int, at: str | None) -> Session:
    mine, others = mounts[place], (*mounts[:place], *mounts[place + 1 :])
    return session._replace(
        answers=infer(base, mine, others), order=mine.order, line=mine.line, others=others, place=place, at=at
    )


def combined_answers(base: RuleBase, session: Session) -> Answers:
    """The answers as for a file: with a section for each mount, if there are several."""
    return all_mounts(base, session).answers if session.others else session.answers


_last: tuple[RuleBase, Session, AllMounts] | None = None
"""The last call of `all_mounts` and its result: all parts of a screen ask for the same."""


def all_mounts(base: RuleBase, session: Session) -> AllMounts:
    """The answers for each mount, with inferred facts."""
    global _last  # noqa: PLW0603  a cache of one entry
    if _last is not None and _last[0] is base and _last[1] is session:
        return _last[2]
    mounts = session.mounts
    answers = tuple(
        session.answers if place == session.place
        else infer(base, mount_answers, (*mounts[:place], *mounts[place + 1 :]))
        for place, mount_answers in enumerate(mounts)
    )
    combined = AllMounts(joined_answers(base, answers), answers)
    _last = base, session, combined
    return combined


def several_advice(base: RuleBase, session: Session) -> Several | None:
    """The advice for all mounts, with settings of the host that suit all; None if there is one mount. Slow unless it
    is cached."""
    return several_for(base, all_mounts(base, session)) if session.others else None


def mount_advice(base: RuleBase, session: Session) -> Advice:
    """The advice for the current mount, with settings of the host that suit all mounts."""
    together = several_advice(base, session)
    return advice_for(base, session.answers) if together is None else together.mounts[session.place]


def known_advice(base: RuleBase, session: Session) -> tuple[Advice, Several | None]:
    """`mount_advice` and `several_advice` if they are cached; else the advice for this mount alone, and None."""
    together = cached(base, all_mounts(base, session)) if session.others else None
    return (advice_for(base, session.answers), None) if together is None else (together.mounts[session.place], together)


def advice_on(base: RuleBase, session: Session, tunable: str) -> Advice:
    """The advice that explains a setting: for the mount that asks for it, or the current one if mounts disagree."""
    together = several_advice(base, session)
    if together is None or any(tunable in (side.tunable for side in conflict.sides) for conflict in together.conflicts):
        return advice_for(base, session.answers)
    mine = together.mounts[session.place]
    wanted = together.wanted.get(tunable, ())
    if not wanted or mine.answers.name("target") in wanted:
        return mine
    return next(advice for advice in together.mounts if advice.answers.name("target") == wanted[0])


class OtherMount(NamedTuple):
    """The progress of another mount. `matter`: how many of its questions still matter; `waiting`: its open settings
    that must or should be made; both None if its advice is not cached."""

    place: int
    target: str
    matter: int | None
    waiting: tuple[OpenSetting, ...] | None


def other_mounts(base: RuleBase, session: Session) -> tuple[OtherMount, ...]:
    """The progress of the other mounts, as far as it is cached."""
    others: list[OtherMount] = []
    for place, answers in enumerate(all_mounts(base, session).mounts if session.others else ()):
        if place == session.place:
            continue
        target, advice = answers.name("target"), cached(base, answers)
        if advice is None:
            others.append(OtherMount(place, target, None, None))
        else:
            matter = sum(ask.matters for ask in unanswered(advice))
            others.append(OtherMount(place, target, matter, waiting_settings(advice)))
    return tuple(others)

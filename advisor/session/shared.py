"""What several mounts of one host share: what is said of the host, and of the server that serves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from advisor.advice.answers import Answers
from advisor.advice.mounts import OF_ALL, Sign, complete, key, same_server
from advisor.rulebase.model import RuleBase
from advisor.session.inferred import fitting
from advisor.session.model import Mounted, Session, without

T = TypeVar("T")


def shares(base: RuleBase, one: Answers, other: Answers) -> Callable[[str], bool]:
    """Whether what is said of a fact for one mount is said for another one, too."""
    scopes = ("host", "server") if same_server(one, other) else ("host",)
    return lambda fact: base.facts[fact].scope in scopes


def carried(base: RuleBase, said: Answers, order: tuple[str, ...], other: Mounted) -> Mounted:
    """Another mount, with what was said of this one as far as they share it. `said`, `order`: as in Mounted."""
    both, own = shares(base, said, other.answers), other.answers

    def joined(mine: Mapping[str, T], theirs: Mapping[str, T]) -> dict[str, T]:
        kept = {fact: value for fact, value in theirs.items() if not both(fact)}
        return kept | {fact: value for fact, value in mine.items() if both(fact)}

    names = {name: text for name, text in own.names.items() if name not in OF_ALL}
    answers = said._replace(
        facts=joined(said.facts, own.facts), origin=joined(said.origin, own.origin),
        unknown=frozenset(joined(dict.fromkeys(said.unknown), dict.fromkeys(own.unknown))), observed=own.observed,
        names=names | {name: text for name, text in said.names.items() if name in OF_ALL},
    )
    kept = tuple(fact for fact in other.order if fact in order or not both(fact))
    return Mounted(answers, (*kept, *(fact for fact in order if both(fact) and fact not in kept)), other.read)


def dropped(base: RuleBase, session: Session, names: tuple[str, ...], place: int | None) -> Session:
    """The session without some answers to facts for the mount at a place (None: the one that is looked at) and all that
    share them, and without some pins. It is not a step yet."""
    if not names:
        return session
    place = session.place if place is None else place
    answers = session.mounts[place].answers

    def less(one: Mounted, number: int) -> Mounted:
        both = shares(base, answers, one.answers)
        gone = tuple(name for name in names if name in base.facts and (number == place or both(name)))
        return one._replace(
            answers=without(one.answers, gone, names), order=tuple(fact for fact in one.order if fact not in gone)
        )

    mounts = [less(one, number) for number, one in enumerate(session.mounts)]
    mine = mounts.pop(session.place)
    return session._replace(answers=mine.answers, order=mine.order, others=tuple(mounts))


def reads(base: RuleBase, mine: Mounted, others: tuple[Mounted, ...]) -> tuple[Sign, ...]:
    """What the lines of fstab say of a mount: its own, and those of others as far as they share it. Of the host they
    say nothing that the answers for any of the mounts speak against."""
    shared = {
        one.fact: one for other in others for one in other.read
        if shares(base, mine.answers, other.answers)(one.fact)
    }
    found = (shared | {one.fact: one for one in mine.read}).values()
    return tuple(one for one in found if base.facts[one.fact].scope != "host" or _fits_all(base, one, (mine, *others)))


def _fits_all(base: RuleBase, sign: Sign, mounts: tuple[Mounted, ...]) -> bool:
    """Whether a sign of the host agrees with what is said of each mount, and with what its own line says."""
    for one in mounts:
        read = {own.fact: own.value for own in one.read if own.fact not in base.decisions}
        facts = {**read, **one.answers.facts}
        if sign.fact not in one.answers.facts and not fitting(base, one.answers, {**facts, sign.fact: sign.value}):
            return False
    return True


def served(base: RuleBase, mine: Mounted, others: tuple[Mounted, ...]) -> Mounted:
    """A mount that has just got its names, with what was said of its server already."""
    for other in others:
        if same_server(mine.answers, other.answers):
            return carried(base, other.answers, other.order, mine)
    return mine


def unfit(names: Mapping[str, str], others: tuple[Mounted, ...]) -> str | None:
    """What is wrong with the names of a mount that is one of several, if anything is."""
    if not complete(names):
        return "Each of several mounts needs a server, an export and a mount point: write server:/export /mount/point."
    if any(key(names) == key(one.answers.names) for one in others):
        return f"{names['server']}:{names['export']} on {names['target']} is already in the list."
    return None

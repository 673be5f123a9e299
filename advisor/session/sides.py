"""Both sides of one environment in a session: the clients, and the server that they mount from.

Answers about the server and the mounts apply to both sides; answers about the host only to its own side."""

from __future__ import annotations

from advisor.advice.answers import Answers
from advisor.engine import possible as possible_values
from advisor.rulebase.model import RuleBase
from advisor.session.inferred import infer, is_possible
from advisor.session.model import NO_ANSWERS, MountAnswers, Session, Step
from advisor.session.questions import PLATFORM, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

CLIENT, SERVER = "nfs-client", "nfs-server"
OTHER = {CLIENT: SERVER, SERVER: CLIENT}


def other_role(base: RuleBase, session: Session) -> str | None:
    """The role of the other side; None if there is none to configure: the server is a service or an appliance."""
    role = OTHER[_role(session)]
    if session.other_side is None:
        platform = session.answers.facts.get(PLATFORM)
        if platform is None:
            return None
        roles = possible_values(base.engine, ROLE, base.engine.state({PLATFORM: platform}))
        if not isinstance(base.engine.answer(ROLE, roles), list):
            return None
    return role


def go_to_other_side(base: RuleBase, session: Session) -> Session:
    """The session at the other side, as a step that can be undone; unchanged if there is no other side."""
    role = other_role(base, session)
    if role is None:
        return session
    there = session.other_side or Step(NO_ANSWERS, (), None)
    theirs, mine = Session(there.answers, there.order).given, session.given
    # Facts of both sides have the answers of this side, which are newer; other facts keep the answers of the other one.
    facts: dict[str, Values] = {ROLE: role, **{
        fact: value for fact, value in theirs.facts.items()
        if fact != ROLE and not _shared(base, OTHER[role], fact, value)
    }}
    for fact, value in mine.facts.items():
        if _shared(base, role, fact, value) and is_possible(base, Answers({**facts, fact: value})):
            facts[fact] = value
    origin = {**mine.origin, **theirs.origin}
    given = theirs._replace(
        facts=facts, origin={fact: where for fact, where in origin.items() if fact in facts},
        names={**theirs.names, **mine.names},
        unknown=(theirs.unknown | {fact for fact in mine.unknown if _of_both(base, fact)}) - set(facts),
    )
    order = tuple(dict.fromkeys(
        fact for fact in (*there.order, *session.order, ROLE) if fact in given.facts or fact in given.unknown
    ))
    return session.with_undo_step()._replace(
        answers=infer(base, MountAnswers(given, order, session.line), there.others), order=order, at=None,
        others=there.others, place=there.place, other_side=session.step._replace(other_side=None),
    )


def sides(session: Session) -> list[tuple[str, Session]]:
    """(role, session) of each side that was shown, the clients first."""
    role = _role(session)
    if session.other_side is None:
        return [(role, session)]
    there = session._replace(**session.other_side._asdict())
    return sorted([(role, session), (OTHER[role], there)])


def _role(session: Session) -> str:
    """The role of the current side; that of clients if it is unknown, or the answer leaves it open."""
    return SERVER if session.answers.facts.get(ROLE) == SERVER else CLIENT


def _of_both(base: RuleBase, fact: str) -> bool:
    """Whether a fact is the same on both sides: it is about the server or the mounts, not about one host."""
    return fact != ROLE and base.facts[fact].scope != "host"


def _shared(base: RuleBase, role: str, fact: str, value: Values) -> bool:
    """Whether a fact is the same on both sides, and can have this value on the side of a role."""
    return _of_both(base, fact) and is_possible(base, Answers({ROLE: role, fact: value}))

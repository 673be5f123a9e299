"""Both sides of one environment in a session: the clients, and the server that they mount from.

What is said of the server and of the mounts holds for both; what is said of the host is said of each by itself."""

from __future__ import annotations

from advisor.advice.answers import Answers
from advisor.engine import possible as roles
from advisor.rulebase.model import RuleBase
from advisor.session.inferred import draw, possible
from advisor.session.model import DEPTH, Mounted, Session, Step
from advisor.session.order import PLATFORM, ROLE
from advisor.session.shared import reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

OTHER = {"nfs-client": "nfs-server", "nfs-server": "nfs-client"}


def other_side(base: RuleBase, session: Session) -> str | None:
    """The role of the other side; None where it is nobody's to configure: a service, an appliance."""
    role = OTHER[str(session.answers.facts.get(ROLE, "nfs-client"))]
    if session.aside is None:
        platform = session.answers.facts.get(PLATFORM)
        alone = base.engine.state({PLATFORM: platform})
        if platform is None or not isinstance(base.engine.answer(ROLE, roles(base.engine, ROLE, alone)), list):
            return None
    return role


def turn(base: RuleBase, session: Session) -> Session:
    """The session as it looks at the other side, as a step that undo takes back; the same where there is none."""
    role = other_side(base, session)
    if role is None:
        return session
    before = session.aside or Step(Answers(), (), None)
    before_said, mine = Session(before.answers, before.order).said, session.said
    # What only the other side can say stays as it was said there; what both can is as it is said here.
    own = [fact for fact, value in before_said.facts.items() if not _seen(base, OTHER[role], fact, value)]
    facts: dict[str, Values] = {ROLE: role, **{fact: before_said.facts[fact] for fact in own if fact != ROLE}}
    for fact, value in mine.facts.items():
        if _seen(base, role, fact, value) and possible(base, Answers({**facts, fact: value})):
            facts[fact] = value
    origin = {**mine.origin, **before_said.origin}
    said = before_said._replace(
        facts=facts, origin={fact: where for fact, where in origin.items() if fact in facts},
        names={**before_said.names, **mine.names},
        unknown=(before_said.unknown | {fact for fact in mine.unknown if _of_both(base, fact)}) - set(facts),
    )
    given = (*before.order, *session.order, ROLE)
    order = tuple(dict.fromkeys(fact for fact in given if fact in said.facts or fact in said.unknown))
    step, one = session.step, Mounted(said, order, session.read)
    return session._replace(
        answers=draw(base, said, reads(base, one, before.others)), order=order, at=None, others=before.others,
        place=before.place, aside=step._replace(aside=None), past=(*session.past, step)[-DEPTH:], future=(),
    )


def both(session: Session) -> list[tuple[str, Session]]:
    """The sides that were looked at, the clients first: role, and the session as it looks at it."""
    here = str(session.answers.facts.get(ROLE, "nfs-client"))
    if session.aside is None:
        return [(here, session)]
    pushed = session.aside
    there = session._replace(**pushed._asdict())
    return sorted([(here, session), (OTHER[here], there)])


def _of_both(base: RuleBase, fact: str) -> bool:
    """Whether both sides see it: the server and the mounts, not each its own host."""
    return fact != ROLE and base.facts[fact].scope != "host"


def _seen(base: RuleBase, role: str, fact: str, value: Values) -> bool:
    """Whether a fact of both sides can be so for somebody with this role."""
    return _of_both(base, fact) and possible(base, Answers({ROLE: role, fact: value}))

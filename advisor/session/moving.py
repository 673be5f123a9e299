"""Back and forth between answers, undo and redo."""

from __future__ import annotations

from advisor.session.model import MOUNT, Session, Step


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

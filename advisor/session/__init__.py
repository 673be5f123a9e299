"""The wizard's state: answers, where one is, undo and redo, what to ask next. Pure: no screen, no files, no clock.

Every function takes a Session and returns another; none changes one."""

from __future__ import annotations

from advisor.session.changes import Change, changes, spoken
from advisor.session.keys import keys
from advisor.session.moving import back, forward, go, redo, undo
from advisor.session.order import Progress, counts, current, preview, progress, settles, trial, upcoming
from advisor.session.parse import Parsed, parse
from advisor.session.saved import Resumed, from_text, to_text
from advisor.session.state import (
    Refused,
    Session,
    Step,
    answer,
    dont_know,
    forget,
    name,
    pin,
    start,
    unpin,
)

__all__ = [
    "Change",
    "Parsed",
    "Progress",
    "Refused",
    "Resumed",
    "Session",
    "Step",
    "answer",
    "back",
    "changes",
    "counts",
    "current",
    "dont_know",
    "forget",
    "forward",
    "from_text",
    "go",
    "keys",
    "name",
    "parse",
    "pin",
    "preview",
    "progress",
    "redo",
    "settles",
    "spoken",
    "start",
    "to_text",
    "trial",
    "undo",
    "unpin",
    "upcoming",
]

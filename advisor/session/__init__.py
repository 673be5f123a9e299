"""The wizard's state: answers, where one is, undo and redo, what to ask next. Pure: no screen, no files, no clock.

Every function takes a Session and returns another; none changes one."""

from __future__ import annotations

from advisor.session.changes import Change, changes, spoken
from advisor.session.keys import keys
from advisor.session.moving import back, forward, go, redo, undo
from advisor.session.order import (
    Ending,
    Progress,
    counts,
    current,
    ending,
    preview,
    progress,
    settles,
    trial,
    upcoming,
)
from advisor.session.parse import Parsed, parse
from advisor.session.saved import Resumed, from_text, to_text
from advisor.session.state import (
    MOUNT,
    Refused,
    Session,
    Step,
    answer,
    begun,
    dont_know,
    forget,
    mount,
    name,
    pin,
    start,
    unpin,
)

__all__ = [
    "MOUNT",
    "Change",
    "Ending",
    "Parsed",
    "Progress",
    "Refused",
    "Resumed",
    "Session",
    "Step",
    "answer",
    "back",
    "begun",
    "changes",
    "counts",
    "current",
    "dont_know",
    "ending",
    "forget",
    "forward",
    "from_text",
    "go",
    "keys",
    "mount",
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

"""The wizard's state: answers, where one is, undo and redo, what to ask next. Pure: no screen, no files, no clock.

Every function takes a Session and returns another; none changes one."""

from __future__ import annotations

from advisor.session.changes import AdviceChange, changes
from advisor.session.keys import keys
from advisor.session.memo import Whole
from advisor.session.model import MOUNT, Mounted, Refused, Session, Step
from advisor.session.mounts import (
    Rest,
    add,
    asked_of_all,
    begun,
    each,
    remove,
    rest,
    several,
    shown,
    speaking,
    suited,
    switch,
    whole,
)
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
from advisor.session.state import answer, dont_know, forget, mount, name, pin, start, unpin

__all__ = [
    "MOUNT",
    "AdviceChange",
    "Ending",
    "Mounted",
    "Parsed",
    "Progress",
    "Refused",
    "Rest",
    "Resumed",
    "Session",
    "Step",
    "Whole",
    "add",
    "answer",
    "asked_of_all",
    "back",
    "begun",
    "changes",
    "counts",
    "current",
    "dont_know",
    "each",
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
    "remove",
    "rest",
    "settles",
    "several",
    "shown",
    "speaking",
    "start",
    "suited",
    "switch",
    "to_text",
    "trial",
    "undo",
    "unpin",
    "upcoming",
    "whole",
]

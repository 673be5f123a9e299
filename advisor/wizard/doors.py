"""What the first screen offers besides a configuration: a door is one entry here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from advisor.wizard.screen import Sheet


class Door(NamedTuple):
    """`title`: what somebody wants; `note`: what they need for it; `screen`: makes the screen behind it, None where
    another program takes the terminal meanwhile."""

    title: str
    note: str
    screen: Callable[[], Sheet] | None


def _check() -> Sheet:
    from advisor.wizard.checking import CheckPage  # noqa: PLC0415  the first frame needs no other screen

    return CheckPage()


def _host() -> Sheet:
    from advisor.wizard.whole_host import HostPage  # noqa: PLC0415

    return HostPage()


def _environments() -> Sheet:
    from advisor.wizard.environments import Environments  # noqa: PLC0415

    return Environments()


def _diagnosing() -> Sheet:
    from advisor.wizard.diagnosing import Diagnosing  # noqa: PLC0415

    return Diagnosing()


WATCH = Door("Watch my mounts", "what each does now, and what limits it", None)
DOORS = (
    Door("Something is wrong", "a message, a log or the whole story: its causes, and what to check next", _diagnosing),
    Door("Check what I have", "a file or a line: each finding explained, fixed or accepted", _check),
    Door("Check this host", "all its files that concern NFS, and what is in effect", _host),
    Door("Compare two environments", "this session and another, setting by setting", _environments),
)

"""The session: what was answered for each mount, which of them is looked at, and what undo brings back."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.mounts import Sign

NOTHING = Answers()
MOUNT = "mount"
"""The question before all others: which mount it is about. It is not a fact."""
DEPTH = 200
"""How many steps can be undone."""


class Mounted(NamedTuple):
    """What was said of one mount: `answers` without what is drawn, `order` and `read` as in Session."""

    answers: Answers = NOTHING
    order: tuple[str, ...] = ()
    read: tuple[Sign, ...] = ()


class Step(NamedTuple):
    """What undo and redo bring back. `aside`: the other side, as in Session."""

    answers: Answers
    order: tuple[str, ...]
    at: str | None
    read: tuple[Sign, ...] = ()
    others: tuple[Mounted, ...] = ()
    place: int = 0
    aside: Step | None = None


class Session(NamedTuple):
    """`order`: the facts that were answered, also with "I don't know", in that order; the other facts of `answers` are
    drawn from the mount. `at`: the question that is looked at; None for the next one that is open. `fine`: also ask
    what could only fine-tune. `read`: what the line of fstab says that was taken for the mount.

    All this is of one mount, the one at `place` among all; `others`: the mounts before and after it. What is said of
    the host is said of each, and what is said of a server of each that it serves; what is held is held for all.
    `folder`: where the files were written last. `aside`: what was said of the other side, the server of these clients
    or the clients of this server, once that was looked at; it has none itself."""

    answers: Answers = NOTHING
    order: tuple[str, ...] = ()
    at: str | None = None
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    fine: bool = False
    read: tuple[Sign, ...] = ()
    others: tuple[Mounted, ...] = ()
    place: int = 0
    folder: str = ""
    aside: Step | None = None

    @property
    def step(self) -> Step:
        return Step(self.answers, self.order, self.at, self.read, self.others, self.place, self.aside)

    @property
    def touched(self) -> bool:
        """Whether anything was answered, named or held, now or before an undo."""
        return bool(self.past or self.future) or self.answers._replace(now={}) != NOTHING

    @property
    def said(self) -> Answers:
        """The answers without what was drawn from the mount."""
        given = self.answers
        return given._replace(
            facts={name: value for name, value in given.facts.items() if name in self.order},
            origin={name: value for name, value in given.origin.items() if name in self.order},
        )

    @property
    def mounts(self) -> tuple[Mounted, ...]:
        """All mounts, in their order."""
        mine = Mounted(self.said, self.order, self.read)
        return (*self.others[: self.place], mine, *self.others[self.place :])


class Refused(ValueError):
    """An answer, pin or name that cannot be. `against`: the earlier answers and pins that it contradicts; without them
    it would be accepted. `place`: of the mount that these are about; None for the one that is looked at."""

    def __init__(self, message: str, against: tuple[str, ...] = (), place: int | None = None) -> None:
        super().__init__(message)
        self.against, self.place = against, place


def without(answers: Answers, facts: tuple[str, ...], pins: tuple[str, ...] = ()) -> Answers:
    """The answers without those to some facts, and without some pins."""
    return answers._replace(
        facts={name: value for name, value in answers.facts.items() if name not in facts},
        unknown=answers.unknown - set(facts),
        pins={name: value for name, value in answers.pins.items() if name not in pins},
        origin={name: value for name, value in answers.origin.items() if name not in facts},
    )

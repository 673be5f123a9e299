"""The session: the answers for each mount, the current question, and the steps for undo and redo."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.answers_file import Sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

    Found = dict[str, tuple[Values, str]]
    """Fact → its value on this host, and where it was read."""

NO_ANSWERS = Answers()
MOUNT = "mount"
"""The first question, which mount it is about. It is not a fact."""
DEPTH = 200
"""How many steps can be undone."""


class MountAnswers(NamedTuple):
    """The answers for one mount, without inferred facts. `order`, `line`: as in Session."""

    answers: Answers = NO_ANSWERS
    order: tuple[str, ...] = ()
    line: tuple[Sign, ...] = ()


class Step(NamedTuple):
    """The state that undo and redo restore; the fields are those of Session."""

    answers: Answers
    order: tuple[str, ...]
    at: str | None
    line: tuple[Sign, ...] = ()
    others: tuple[MountAnswers, ...] = ()
    place: int = 0
    other_side: Step | None = None


class Session(NamedTuple):
    """`order`: the facts that were answered, "I don't know" included, in this order; the other facts of `answers` are
    inferred. `at`: the question on the screen; None for the next open one. `fine`: ask also the questions that could
    only fine-tune. `line`: the facts that the mount's line of fstab shows.

    These fields are about the current mount, number `place`; `others`: the mounts before and after it. Answers about
    the host apply to each mount, answers about a server to each mount from it, and pins to all. `folder`: where the
    files were exported last. `other_side`: the answers of the other side, the server of these clients or the clients of
    this server, once it was shown; its own `other_side` is None."""

    answers: Answers = NO_ANSWERS
    order: tuple[str, ...] = ()
    at: str | None = None
    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    fine: bool = False
    line: tuple[Sign, ...] = ()
    others: tuple[MountAnswers, ...] = ()
    place: int = 0
    folder: str = ""
    other_side: Step | None = None

    @property
    def step(self) -> Step:
        return Step(self.answers, self.order, self.at, self.line, self.others, self.place, self.other_side)

    @property
    def touched(self) -> bool:
        """Whether anything was answered, named or pinned, now or before an undo."""
        return bool(self.past or self.future) or self.answers._replace(now={}) != NO_ANSWERS

    @property
    def view(self) -> tuple[object, ...]:
        """Identifies the mount and side on the screen; changes of advice are reported only while it stays equal."""
        return self.place, len(self.others), self.other_side

    @property
    def given(self) -> Answers:
        """The answers without inferred facts."""
        answers = self.answers
        return answers._replace(
            facts={name: value for name, value in answers.facts.items() if name in self.order},
            origin={name: value for name, value in answers.origin.items() if name in self.order},
        )

    @property
    def mount(self) -> MountAnswers:
        """The mount that is on the screen."""
        return MountAnswers(self.given, self.order, self.line)

    @property
    def mounts(self) -> tuple[MountAnswers, ...]:
        """All mounts, in their order."""
        return (*self.others[: self.place], self.mount, *self.others[self.place :])

    def with_undo_step(self) -> Session:
        """The session with the current state as the next one to undo to."""
        return self._replace(past=(*self.past, self.step)[-DEPTH:], future=())


class Refused(ValueError):
    """An answer, pin or name is refused. `against`: the earlier answers and pins that it contradicts; without one of
    them it would be accepted. `place`: the mount that these are about; None for the one on the screen."""

    def __init__(self, message: str, against: tuple[str, ...] = (), place: int | None = None) -> None:
        super().__init__(message)
        self.against, self.place = against, place


def without_answers(answers: Answers, facts: tuple[str, ...], pins: tuple[str, ...] = ()) -> Answers:
    """The answers without those to some facts, and without some pins."""
    return answers._replace(
        facts={name: value for name, value in answers.facts.items() if name not in facts},
        unknown=answers.unknown - set(facts),
        pins={name: value for name, value in answers.pins.items() if name not in pins},
        origin={name: value for name, value in answers.origin.items() if name not in facts},
    )

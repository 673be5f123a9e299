"""The session: the answers for each mount, which question is on the screen, and what undo brings back."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.mounts import Sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

    Found = dict[str, tuple[Values, str]]
    """Fact → its value on this host, and where it was read."""

NO_ANSWERS = Answers()
MOUNT = "mount"
"""The question before all others: which mount it is about. It is not a fact."""
DEPTH = 200
"""How many steps can be undone."""


class MountAnswers(NamedTuple):
    """The answers for one mount, without what is inferred. `order`, `line`: as in Session."""

    answers: Answers = NO_ANSWERS
    order: tuple[str, ...] = ()
    line: tuple[Sign, ...] = ()


class Step(NamedTuple):
    """What undo and redo bring back; the fields are those of Session."""

    answers: Answers
    order: tuple[str, ...]
    at: str | None
    line: tuple[Sign, ...] = ()
    others: tuple[MountAnswers, ...] = ()
    place: int = 0
    other_side: Step | None = None


class Session(NamedTuple):
    """`order`: the facts that were answered, also with "I don't know", in that order; the other facts of `answers` are
    inferred from the mount. `at`: the question on the screen; None for the next one that is open. `fine`: also ask
    what could only fine-tune. `line`: what the line of fstab says that was taken for the mount.

    All this is about one mount, the one at `place` among all; `others`: the mounts before and after it. Answers about
    the host hold for each mount, answers about a server for each mount from it, and pins for all.
    `folder`: where the files were written last. `other_side`: the answers of the other side, the server of these
    clients or the clients of this server, once it was on the screen; it has no other side itself."""

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
        """Which mount of which side is on the screen: what an answer changes is news as long as it is the same."""
        return self.place, len(self.others), self.other_side

    @property
    def given(self) -> Answers:
        """The answers without what is inferred from the mount."""
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
        """The same, so that undo leads back to here from what it becomes."""
        return self._replace(past=(*self.past, self.step)[-DEPTH:], future=())


class Refused(ValueError):
    """An answer, pin or name that cannot be. `against`: the earlier answers and pins that it contradicts; without them
    it would be accepted. `place`: of the mount that these are about; None for the one on the screen."""

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

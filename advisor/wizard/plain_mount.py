"""Which mount it is about, at the numbered prompts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from advisor import session as state
from advisor.advice.answers import FSTAB
from advisor.compiled import RuleBase
from advisor.given import GivenError
from advisor.session import Session
from advisor.wizard import plain_told, which_mount
from advisor.wizard.plain_talk import Talk
from advisor.wizard.plain_typed import LONG
from advisor.wizard.which_mount import Offered


class MountTurn(ABC):
    """The question before all others; Plain is what it is asked in."""

    base: RuleBase
    session: Session
    talk: Talk
    mounts: list[Offered]
    _asked: tuple[Any, ...]

    @abstractmethod
    def command(self, command: str, rest: str, fact: str | None) -> bool:
        """Does it; False for what is not a command."""

    @abstractmethod
    def change(self, step: Callable[[], Session], same: str, name: str = "", value: object = None) -> None:
        """Makes a change and says what follows."""

    @abstractmethod
    def move(self, session: Session) -> None:
        """Takes a session that differs in what is looked at."""

    def mount_turn(self) -> bool:
        """Asks which mount it is about; False to quit."""
        if self._asked != (state.MOUNT, len(self.mounts)):
            plain_told.mount(self.talk, self.session, self.mounts)
            self._asked = (state.MOUNT, len(self.mounts))
        text = self.talk.ask("Mount:")
        word, _, rest = text.partition(" ")
        command = LONG.get(word.lower(), word.lower())
        if command == "q" and not rest:
            return False
        if text in ("", "d"):
            self.move(state.go(self.session, None))
        elif command == "fstab":
            self._other_file(rest.strip())
        elif text.isascii() and text.isdigit() and 0 < int(text[:6]) <= len(self.mounts):
            self._about(lambda: which_mount.pick(self.base, self.session, self.mounts[int(text) - 1]))
        elif text.isascii() and text.isdigit():
            self.talk.say(f"Line {text[:6]} is not in the list.")
        elif not self.command(command, rest.strip(), None):
            self._about(lambda: which_mount.write(self.base, self.session, text))
        return True

    def _about(self, step: Callable[[], Session]) -> None:
        before = self.session
        self.change(step, "")
        if self.session != before:
            for _, told in which_mount.inferred(self.base, self.session):
                self.talk.say(f"Inferred: {told}")

    def _other_file(self, path: str) -> None:
        try:
            self.mounts = which_mount.of_file(self.base, path or FSTAB)
        except GivenError as error:
            self.talk.say(str(error))

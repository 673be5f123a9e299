"""Which mount it is about, at the numbered prompts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from advisor import session as state
from advisor.advice.answers import FSTAB
from advisor.render.phrases import counted
from advisor.rulebase.model import RuleBase
from advisor.session import Session
from advisor.user_files import UserFileError
from advisor.wizard import plain_texts, which_mount
from advisor.wizard.plain_talk import Talk
from advisor.wizard.plain_typed import LONG
from advisor.wizard.which_mount import Offered


def _numbers(text: str) -> list[int]:
    """The numbers of a list such as "1,3"; none for anything else."""
    parts = [part.strip() for part in text.split(",")]
    return [int(part[:6]) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else []


class MountTurn(ABC):
    """The question before all others; Plain is what it is asked in."""

    base: RuleBase
    session: Session
    talk: Talk
    mounts: list[Offered]
    _asked: tuple[object, ...]

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
            plain_texts.mount(self.talk, self.session, self.mounts)
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
        elif numbers := _numbers(text):
            self._picked(numbers)
        elif not self.command(command, rest.strip(), None):
            self._about(lambda: which_mount.write(self.base, self.session, text))
        return True

    def _picked(self, numbers: list[int]) -> None:
        missing = [number for number in numbers if not 0 < number <= len(self.mounts)]
        if missing:
            self.talk.say(f"Line {missing[0]} is not in the list.")
            return
        lines = [self.mounts[number - 1] for number in dict.fromkeys(numbers)]
        if len(lines) == 1:
            self._about(lambda: which_mount.pick(self.base, self.session, lines[0]))
        else:
            self._about(lambda: which_mount.pick_more(self.base, self.session, lines))

    def mounts_command(self, rest: str) -> None:
        """Lists the mounts, goes to one, takes one out, or adds one."""
        base, session = self.base, self.session
        numbers = _numbers(rest.removeprefix("-"))
        if not rest:
            plain_texts.listed(self.talk, base, session)
        elif not numbers:
            self._more(rest)
        elif len(numbers) > 1 or not 0 < numbers[0] <= len(session.mounts):
            self.talk.say(f"Mount {rest.removeprefix('-')} is not in the list; l shows it.")
        elif rest.startswith("-"):
            self.change(lambda: state.remove(base, session, numbers[0] - 1), "")
            self.talk.say(f"{counted(len(self.session.mounts), 'mount')} left.")
        else:
            self.move(state.go_to_mount(base, state.go(session, None), numbers[0] - 1))

    def _more(self, text: str) -> None:
        """One more mount, without leaving the question."""
        before = self.session
        self.change(lambda: state.go(which_mount.write_more(self.base, before, text), before.at), "")
        if self.session != before:
            self.talk.say(which_mount.so_far(self.session))

    def _about(self, step: Callable[[], Session]) -> None:
        before = self.session
        self.change(step, "")
        if self.session != before:
            for _, value in which_mount.inferred(self.base, self.session):
                self.talk.say(f"Inferred: {value}")

    def _other_file(self, path: str) -> None:
        try:
            self.mounts = which_mount.of_file(self.base, path or FSTAB)
        except UserFileError as error:
            self.talk.say(str(error))

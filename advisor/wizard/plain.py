"""The wizard as numbered prompts: for screen readers, serial lines, and where there is no terminal.

Standard library only on the way to the first question, and never an escape code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from advisor import session as state
from advisor.advice.answers import NAMES
from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.session import Refused, Session
from advisor.wizard import autosave, plain_doors, plain_export, plain_session, plain_texts, words
from advisor.wizard.exported import FOLDER
from advisor.wizard.plain_setting import SettingTurn
from advisor.wizard.plain_talk import Ended, Talk
from advisor.wizard.plain_typed import COMMANDS, LONG, parsed
from advisor.wizard.which_mount import Offered

if TYPE_CHECKING:
    from advisor.advice.model import Advice
    from advisor.document.blocks import Block
    from advisor.rulebase.model.types import Values
    from advisor.today.fixing import LookAtHost


class Plain(SettingTurn):
    """`named`: the setting that a name means, or None and what is wrong with the name. `observe`: watches the mounts
    for so long, and says what they did. The rest as Wizard has it."""

    def __init__(
        self, base: RuleBase, session: Session, found: dict[str, tuple[Values, str]], talk: Talk, *,
        named: Callable[[str], tuple[str | None, str]], mounts: list[Offered] | None = None, path: Path | None = None,
        look: LookAtHost | None = None, observe: Callable[[str], list[Block]] | None = None,
    ) -> None:
        self.base, self.session, self.found, self.talk = base, session, found, talk
        self.named, self.mounts, self.path, self.look, self.observe = named, mounts or [], path, look, observe
        self._shown = session
        self._asked: tuple[object, ...] = ()
        """The question that was shown last, and how it was answered then."""

    def run(self) -> int:
        """Asks until somebody quits or the input ends."""
        self.talk.say("NFS advisor. One question at a time; ? lists the commands.")
        line = True
        try:
            self.session = plain_session.resumed(self.talk, self.base, self.session, self.path)
            while self._turn():
                pass
        except Ended:
            self.talk.say("The input has ended. This is settled:")
            plain_texts.settled(self.talk, self.base, self.session, state.mount_advice(self.base, self.session))
            line = False
        except KeyboardInterrupt:
            self.talk.say()
            raise
        finally:
            self._save()
            plain_session.farewell(self.talk, self.base, self.session, self.path, line=line)
        return 0

    def _advice(self) -> Advice:
        return state.preview(self.base, self.session)

    def _turn(self) -> bool:
        """One question or command; False to quit."""
        if self.session.at == state.MOUNT:
            return self.mount_turn()
        fact = state.current(self.base, self.session)
        if self._asked != self._state_of(fact):
            self._show(fact)
        elif self._shown is not self.session and fact is not None:  # something else has changed
            self.talk.say()
            self.talk.say(wording.question(self.base, fact))
        self._shown = self.session
        text = self.talk.ask("Answer:" if fact is not None else "Command:")
        word, _, rest = text.partition(" ")
        command = LONG.get(word.lower(), word.lower())
        if command == "q" and not rest:
            return False
        if not self.command(command, rest.strip(), fact):
            self._answer(fact, text)
        return True

    def _offered(self, fact: str) -> tuple[Values, str] | None:
        return state.found_value(self.base, self.session, self.found, fact)

    def _state_of(self, fact: str | None) -> tuple[object, ...]:
        given = self.session.answers
        mounts = self.session.place, len(self.session.others), self.session.other_side
        return fact, given.facts.get(fact or ""), fact in given.unknown, mounts

    def _show(self, fact: str | None) -> None:
        self._asked, self._shown = self._state_of(fact), self.session
        if fact is not None:
            plain_texts.question(self.talk, self.base, self.session, fact, self._offered(fact))
            return
        plain_texts.ended(self.talk, self.base, self.session)

    def command(self, command: str, rest: str, fact: str | None) -> bool:
        """Does it; False for what is not a command."""
        base, session = self.base, self.session
        bare: dict[str, Callable[[], object]] = {
            "d": lambda: self._dont_know(fact), "b": lambda: self._go(state.back(session)),
            "f": lambda: self._go(state.forward(session)),
            "u": lambda: self.change(lambda: state.undo(session), "There is nothing to undo."),
            "r": lambda: self.change(lambda: state.redo(session), "There is nothing to redo."),
            "s": lambda: plain_texts.settled(self.talk, base, session, state.mount_advice(base, session)),
            "o": lambda: plain_texts.still_open(self.talk, base, state.mount_advice(base, session)),
            "side": self._turn_round,
            "m": lambda: self._go(session._replace(fine=not session.fine, at=None)),
            "h": lambda: self._show(fact), "?": self._help,
        }
        doors = plain_doors.doors(self)
        taking: dict[str, Callable[[str], object]] = {
            "w": self.why, "p": self.pin, "a": self._look_at, "name": self._name, "x": self._export,
            "l": self.mounts_command, **doors,
        }
        if command in bare and not rest:
            bare[command]()
        elif command in taking:
            taking[command](rest)
            self._asked = () if command in doors else self._asked  # who comes back reads the question again
        else:
            return False
        return True

    def _help(self) -> None:
        self.talk.say("Write the number of a choice, its name, or the value that is asked for. Or a command:")
        for command, says in COMMANDS:
            self.talk.say(says, f"  {command:<15}")

    def _answer(self, fact: str | None, text: str) -> None:
        if fact is None:
            self.talk.say("No question is open; ? lists the commands." if text else "q quits; ? lists the commands.")
            return
        if not text:
            if fact in self.session.answers.facts or fact in self.session.answers.unknown:
                self._go(state.forward(self.session))
            elif offered := self._offered(fact):
                value, where = offered
                self.change(lambda: state.answer(self.base, self.session, fact, value, origin=where), "", fact, value)
            else:
                self.talk.say("Write an answer, or d if you don't know; h shows the question again.")
            return
        understood = parsed(self.base, self.session, fact, text)
        if understood.problem:
            self.talk.say(f"Not taken: {understood.problem}")
            return
        self.talk.say(f"Understood: {wording.answer_text(self.base, fact, understood.value)}")
        self.change(
            lambda: state.answer(self.base, self.session, fact, understood.value), "That was your answer already.",
            fact, understood.value,
        )

    def _dont_know(self, fact: str | None) -> None:
        if fact is None:
            self.talk.say("No question is open.")
        else:
            self.change(lambda: state.dont_know(self.base, self.session, fact), "That was your answer already.")

    def change(self, step: Callable[[], Session], same: str, name: str = "", value: object = None) -> None:
        """Makes a change and says what follows; `name` and `value`: an answer or pin that may contradict earlier ones.
        `same`: what to say where nothing was changed."""
        before = self._advice()
        try:
            changed = step()
        except Refused as refused:
            self._refused(refused, name, value)
            return
        mounts = changed.place, len(changed.others), changed.other_side
        same_mounts = mounts == (self.session.place, len(self.session.others), self.session.other_side)
        new = changed.answers != self.session.answers and same_mounts
        here = state.fact_of_another_host(self.base, self.session, self.found) is None
        self.move(changed)
        other = state.fact_of_another_host(self.base, changed, self.found)
        if here and other is not None:
            self.talk.say(words.ANOTHER_HOST)
        if new:
            plain_texts.news(self.talk, state.changes(before, self._advice()))
        elif same:
            self.talk.say(same)

    def _refused(self, refused: Refused, name: str, value: object) -> None:
        """Says which earlier answer is in the way, and offers to drop it."""
        self.talk.say(f"Not taken: {refused}")
        if not refused.against or not name:
            return
        dropped = plain_texts.in_the_way(self.talk, self.base, self.session, refused)
        if not dropped:
            self.talk.say("The earlier answer stays.")
            return
        change = state.answer if name in self.base.facts else state.pin
        of = refused.place
        self.change(lambda: change(self.base, self.session, name, value, instead_of=dropped, of=of), "", name, value)

    def _go(self, session: Session) -> None:
        if session == self.session:
            self.talk.say("No more answers that way.")
        self.move(session)

    def move(self, session: Session) -> None:
        if session == self.session:  # nothing to keep, and an earlier session may still be there
            return
        self.session = session
        self._save()

    def _save(self) -> None:
        if self.path is None or not self.session.touched:
            return
        problem = autosave.save(self.path, state.to_text(self.session))
        if problem:
            self.talk.say(f"The answers cannot be kept: {problem}")
            self.path = None

    def _look_at(self, fact: str) -> None:
        if fact in self.base.facts and self.base.facts[fact].ask:
            self._go(state.go(self.session, fact))
        else:
            self.talk.say(f"Unknown question {fact!r}." if fact else "Write a and a fact: a mount.sec")

    def _turn_round(self) -> None:
        if state.other_role(self.base, self.session) is None:
            self.talk.say("There is no other side: nobody configures the server of such a storage.")
        else:
            self.change(lambda: state.go_to_other_side(self.base, self.session), "")

    def _name(self, rest: str) -> None:
        which, equals, text = (part.strip() for part in rest.partition("="))
        if not equals or which not in NAMES:
            self.talk.say(f"Write name WHAT=TEXT; WHAT is {', '.join(NAMES)}.")
            return
        try:
            self.move(state.name(self.base, self.session, which, text))
        except Refused as refused:
            self.talk.say(f"Not taken: {refused}")
            return
        self.talk.say(f"{which} is {self.session.answers.name(which)} in the files.")

    def _export(self, rest: str) -> None:
        usual = self.session.folder or FOLDER
        folder = rest or self.talk.ask(f"Into which folder? An empty line means {usual}:") or usual
        if plain_export.export(self.talk, self.base, self.session, folder):
            self.move(self.session._replace(folder=folder))

"""The wizard as numbered prompts: for screen readers, serial lines, and if there is no terminal.

Before the first question it imports the standard library only, and it never prints an escape code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.advice.answers import FSTAB
from advisor.pages import wording
from advisor.rulebase.model import RuleBase
from advisor.user_files import UserFileError
from advisor.wizard import (
    advice_cache,
    mounts,
    plain_session,
    plain_texts,
    questions,
    saved_sessions,
    state,
    typed_answer,
    words,
)
from advisor.wizard.mounts import OfferedLine
from advisor.wizard.plain_commands import BY_NAME, numbers_in
from advisor.wizard.plain_talk import InputEnded, Talk
from advisor.wizard.state import Refused, Session

if TYPE_CHECKING:
    from advisor.lint.fix import LookAtHost
    from advisor.pages.blocks import Block
    from advisor.rulebase.model.types import Values
    from advisor.wizard.state import Found


def parse_answer(base: RuleBase, session: Session, fact: str, text: str) -> typed_answer.Parsed:
    """The answer that a text means: a key of the list, several keys with commas between them, or a value."""
    values = [offer.value for offer in questions.values_to_choose(base, session, fact)]
    offered = dict(zip(typed_answer.choice_keys(values), values))
    parts = [part.strip() for part in text.split(",")]
    if not offered or not all(part.isascii() and part.isdigit() for part in parts):
        return typed_answer.parse(base, fact, text)
    if not all(part in offered for part in parts):
        named = [key for key in offered if not key.isdigit()]
        return typed_answer.Parsed(None, f"The choices are {', '.join(offered) if named else f'1 to {len(offered)}'}.")
    chosen = list(dict.fromkeys(offered[part] for part in parts))
    if len(chosen) > 1 and isinstance(chosen[0], bool):
        return typed_answer.Parsed(None, "Choose one of them, or d.")
    return typed_answer.Parsed(chosen if len(chosen) > 1 else chosen[0])


class PlainWizard:
    """`find_setting`: the setting that a name means, or None and the problem. `observe`: watches the mounts for a time
    such as "30s" and returns a report; raises ValueError. The other parameters are those of Wizard."""

    session: Session

    def __init__(
        self, base: RuleBase, session: Session, found_values: Found, talk: Talk, *,
        find_setting: Callable[[str], tuple[str | None, str]], mounts: list[OfferedLine] | None = None,
        path: Path | None = None, check_host: LookAtHost | None = None,
        observe: Callable[[str], list[Block]] | None = None,
    ) -> None:
        self.base, self.session, self.found, self.talk = base, session, found_values, talk
        self.find_setting, self.mounts, self.path = find_setting, mounts or [], path
        self.check_host, self.observe = check_host, observe
        self._quits = False
        self._printed_session = session
        """The session when a question was printed last."""
        self._printed: tuple[object, ...] = ()
        """The question that was printed last, with its answer at that time."""

    def run(self) -> int:
        """Asks until the user quits or the input ends; returns the exit code."""
        self.talk.say("NFS advisor. One question at a time; ? lists the commands.")
        line = True
        try:
            self.session = plain_session.resume(self.talk, self.base, self.session, self.path)
            while not self._quits:
                self._turn()
        except InputEnded:
            self.talk.say("The input has ended. This is settled:")
            self.show_settled()
            line = False
        except KeyboardInterrupt:
            self.talk.say()
            raise
        finally:
            self._save()
            plain_session.farewell(self.talk, self.base, self.session, self.path, line=line)
        return 0

    def quit(self) -> None:
        self._quits = True

    @property
    def at_mount(self) -> bool:
        """Whether the question is which mount it is about."""
        return self.session.at == state.MOUNT

    @property
    def fact(self) -> str | None:
        """The fact that the current question asks for; None at the question for the mount, and at the end."""
        return None if self.at_mount else questions.current_question(self.base, self.session)

    def _turn(self) -> None:
        """Asks for one answer or command."""
        fact = self.fact
        if self.at_mount:
            self._print_mount_question()
        elif self._printed != self._question_state(fact):
            self._print_question(fact)
        elif self._printed_session is not self.session and fact is not None:  # something else has changed
            self.talk.say()
            self.talk.say(wording.question(self.base, fact))
        self._printed_session = self.session
        text = self.talk.ask("Mount:" if self.at_mount else "Answer:" if fact is not None else "Command:")
        if self.at_mount:
            self._take_mount(text)
        elif not self._run_command(text):
            self._answer(fact, text)

    def _run_command(self, text: str) -> bool:
        """Runs the command that a text begins with; False if it is not a command."""
        name, _, rest = text.partition(" ")
        command = BY_NAME.get(name.lower())
        if command is None or (rest.strip() and not command.takes_text):
            return False
        command.run(self, rest.strip())
        if command.asks_again:
            self.ask_again()
        return True

    # Questions and answers

    def _question_state(self, fact: str | None) -> tuple[object, ...]:
        answers = self.session.answers
        return fact, answers.facts.get(fact or ""), fact in answers.unknown, self.session.view

    def ask_again(self) -> None:
        """Prints the whole question in the next turn."""
        self._printed = ()

    def _print_question(self, fact: str | None) -> None:
        self._printed, self._printed_session = self._question_state(fact), self.session
        if fact is None:
            plain_texts.show_end(self.talk, self.base, self.session)
        else:
            plain_texts.show_question(self.talk, self.base, self.session, fact, self._found_value(fact))

    def _found_value(self, fact: str) -> tuple[Values, str] | None:
        return questions.found_value(self.base, self.session, self.found, fact)

    def _answer(self, fact: str | None, text: str) -> None:
        if fact is None:
            self.talk.say("No question is open; ? lists the commands." if text else "q quits; ? lists the commands.")
            return
        if not text:
            self._keep_or_accept(fact)
            return
        parsed = parse_answer(self.base, self.session, fact, text)
        if parsed.problem:
            self.talk.say(f"Refused: {parsed.problem}")
            return
        self.talk.say(f"Understood: {wording.answer_text(self.base, fact, parsed.value)}")
        self.change(
            lambda: state.answer(self.base, self.session, fact, parsed.value), same="That was your answer already.",
            new=(fact, parsed.value),
        )

    def _keep_or_accept(self, fact: str) -> None:
        """Handles an empty line: keeps the answer, or accepts the value that was found."""
        if fact in self.session.answers.facts or fact in self.session.answers.unknown:
            self.go(state.forward(self.session))
        elif offered := self._found_value(fact):
            value, where = offered
            self.change(
                lambda: state.answer(self.base, self.session, fact, value, origin=where), new=(fact, value)
            )
        else:
            self.talk.say("Write an answer, or d if you don't know; h shows the question again.")

    def change(
        self, step: Callable[[], Session], *, same: str = "", new: tuple[str, object] | None = None
    ) -> None:
        """Applies a change and prints its effects. `same`: printed if nothing changes. `new`: the fact or setting that
        is answered or pinned, and its value; if it contradicts earlier answers, these can be dropped."""
        before, advice = self.session, questions.preview(self.base, self.session)
        try:
            changed = step()
        except Refused as refused:
            self._refuse(refused, new)
            return
        self.set_session(changed)
        if self._about_another_host(changed) and not self._about_another_host(before):
            self.talk.say(words.ANOTHER_HOST)
        if changed.answers != before.answers and changed.view == before.view:
            changes = advice_cache.changes(advice, questions.preview(self.base, self.session))
            if changes or before.at != state.MOUNT:
                plain_texts.show_changes(self.talk, changes)
        elif same:
            self.talk.say(same)

    def _about_another_host(self, session: Session) -> bool:
        return questions.about_another_host(self.base, session, self.found)

    def _refuse(self, refused: Refused, new: tuple[str, object] | None) -> None:
        """Prints why a change is refused, and offers to drop a contradicted answer."""
        self.talk.say(f"Refused: {refused}")
        if not refused.against or new is None:
            return
        dropped = plain_texts.ask_what_to_drop(self.talk, self.base, self.session, refused)
        if dropped is None:
            self.talk.say("The earlier answer stays.")
            return
        name, value = new
        change = state.answer if name in self.base.facts else state.pin
        of = refused.place
        self.change(lambda: change(self.base, self.session, name, value, instead_of=(dropped,), of=of), new=new)

    def go(self, session: Session) -> None:
        """Goes to another question."""
        if session == self.session:
            self.talk.say("No more answers in that direction.")
        self.set_session(session)

    def set_session(self, session: Session) -> None:
        """Replaces the session by one that is already checked, and saves it."""
        if session == self.session:  # an unchanged session must not overwrite an earlier one
            return
        self.session = session
        self._save()

    def _save(self) -> None:
        if self.path is None or not self.session.touched:
            return
        problem = saved_sessions.save(self.path, saved_sessions.to_text(self.session))
        if problem:
            self.talk.say(f"The answers cannot be saved: {problem}")
            self.path = None

    def show_settled(self) -> None:
        plain_texts.show_settled(self.talk, self.base, self.session, mounts.mount_advice(self.base, self.session))

    # The question for the mount

    def _print_mount_question(self) -> None:
        question = state.MOUNT, len(self.mounts)
        if self._printed != question:
            plain_texts.show_mount_question(self.talk, self.session, self.mounts)
            self._printed = question

    def _take_mount(self, text: str) -> None:
        """Takes a mount by its number or names, or runs a command."""
        name, _, rest = text.partition(" ")
        if text in ("", "d"):
            self.set_session(state.go(self.session, None))
        elif name.lower() == "fstab":
            self._offer_lines(rest.strip())
        elif numbers := numbers_in(text):
            self._use_lines(numbers)
        elif not self._run_command(text):
            self._name_mount(lambda: mounts.use_text(self.base, self.session, text))

    def _offer_lines(self, path: str) -> None:
        try:
            self.mounts = mounts.lines_of_file(self.base, path or FSTAB)
        except UserFileError as error:
            self.talk.say(str(error))

    def _use_lines(self, numbers: list[int]) -> None:
        missing = [number for number in numbers if not 0 < number <= len(self.mounts)]
        if missing:
            self.talk.say(f"Line {missing[0]} is not in the list.")
            return
        lines = [self.mounts[number - 1] for number in dict.fromkeys(numbers)]
        if len(lines) == 1:
            self._name_mount(lambda: mounts.use_line(self.base, self.session, lines[0]))
        else:
            self._name_mount(lambda: mounts.add_lines(self.base, self.session, lines))

    def _name_mount(self, step: Callable[[], Session]) -> None:
        before = self.session
        self.change(step)
        if self.session != before:
            self.talk.say(mounts.known_names(self.session))
            for _, value in mounts.inferred_answers(self.base, self.session):
                self.talk.say(f"Inferred: {value}")

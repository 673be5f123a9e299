"""The wizard as numbered prompts: for screen readers, serial lines, and if there is no terminal.

Standard library only on the way to the first question, and never an escape code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from advisor import session as state
from advisor.advice.answers import FSTAB, NAMES
from advisor.render import wording
from advisor.render.phrases import counted
from advisor.render.why import refusal
from advisor.rulebase.model import RuleBase
from advisor.session import Refused, Session
from advisor.user_files import UserFileError
from advisor.wizard import pins, plain_session, plain_texts, saved_sessions, which_mount, words
from advisor.wizard.files import FOLDER
from advisor.wizard.plain_talk import Ended, Talk
from advisor.wizard.which_mount import OfferedLine

if TYPE_CHECKING:
    from advisor.advice.model import Advice
    from advisor.document.blocks import Block
    from advisor.rulebase.model.types import Values
    from advisor.session.model import Found
    from advisor.today.fixing import LookAtHost

COMMANDS = (
    ("d", "I don't know"), ("b", "back to the answer before"), ("f", "forward again"),
    ("u", "undo the last change"), ("r", "redo what was undone"),
    ("s", "show what is settled, and the mount line"), ("o", "what is open, and what settles it"),
    ("w NAME", "why a setting is so: w nconnect"), ("p NAME=VALUE", "pin a setting to a value; p NAME= unpins it"),
    ("name WHAT=TEXT", "a name for the files: server, export, target or clients"),
    ("a FACT", "answer a fact at once, also one that is assumed: a mount.sec"),
    ("l", "the mounts; l 2 goes to the second, l -2 removes it, l nas1:/data /mnt/data adds one more"),
    ("side", "the other side: the server of these clients, or the clients of this server"),
    ("m", "also the questions that could only fine-tune, or not these"),
    ("h", "the question again"), ("x FOLDER", "write the files to install, a report and the answers into a folder"),
    ("check WHAT", "check a file or a line of fstab: each finding explained, fixed or accepted"),
    ("host", "check this host: its files, and what is in effect"),
    ("wrong WHAT", "something is wrong: a message, or a file that contains it, and what causes it"),
    ("watch TIME", "what the mounts of this host do, and what limits them: watch 30s"),
    ("compare WHAT", "an answers file or another session beside this one"),
    ("q", "quit"), ("?", "these commands"),
)
WORDS = {
    "dont-know": "d", "unknown": "d", "back": "b", "forward": "f", "undo": "u", "redo": "r", "show": "s",
    "waiting": "o", "why": "w", "answer": "a", "more": "m", "mounts": "l", "pin": "p", "question": "h", "export": "x",
    "quit": "q", "exit": "q", "help": "?", "diagnose": "wrong",
}
"""Whole words for those who do not remember the letters."""
WATCH_TIME = "10s"
"""How long the mounts are watched unless a time is given."""


def parse_answer(base: RuleBase, session: Session, fact: str, text: str) -> state.Parsed:
    """The answer that a text means. A key of the list, or several with commas between them, chooses from it."""
    values = [one.value for one in state.values_to_choose(base, session, fact)]
    offered = dict(zip(state.choice_keys(values), values))
    parts = [part.strip() for part in text.split(",")]
    if not offered or not all(part.isascii() and part.isdigit() for part in parts):
        return state.parse(base, fact, text)
    if not all(part in offered for part in parts):
        named = [key for key in offered if not key.isdigit()]
        return state.Parsed(None, f"The choices are {', '.join(offered) if named else f'1 to {len(offered)}'}.")
    chosen = list(dict.fromkeys(offered[part] for part in parts))
    if len(chosen) > 1 and isinstance(chosen[0], bool):
        return state.Parsed(None, "Choose one of them, or d.")
    return state.Parsed(chosen if len(chosen) > 1 else chosen[0])


class Plain:
    """`find_setting`: the setting that a name means, or None and what is wrong with the name. `observe`: watches the
    mounts for so long, and says what they did. The rest as Wizard has it."""

    def __init__(
        self, base: RuleBase, session: Session, found: Found, talk: Talk, *,
        find_setting: Callable[[str], tuple[str | None, str]], mounts: list[OfferedLine] | None = None,
        path: Path | None = None, check_host: LookAtHost | None = None,
        observe: Callable[[str], list[Block]] | None = None,
    ) -> None:
        self.base, self.session, self.found, self.talk = base, session, found, talk
        self.find_setting, self.mounts, self.path = find_setting, mounts or [], path
        self.check_host, self.observe = check_host, observe
        self._shown = session
        """The session when a question was shown last."""
        self._asked: tuple[object, ...] = ()
        """The question that was shown last, and how it was answered then."""

    def run(self) -> int:
        """Asks until the user quits or the input ends."""
        self.talk.say("NFS advisor. One question at a time; ? lists the commands.")
        line = True
        try:
            self.session = plain_session.resume(self.talk, self.base, self.session, self.path)
            while self._turn():
                pass
        except Ended:
            self.talk.say("The input has ended. This is settled:")
            self._show_settled()
            line = False
        except KeyboardInterrupt:
            self.talk.say()
            raise
        finally:
            self._save()
            plain_session.farewell(self.talk, self.base, self.session, self.path, line=line)
        return 0

    def _turn(self) -> bool:
        """Asks for one answer or command; False to quit."""
        at_mount = self.session.at == state.MOUNT
        fact = None if at_mount else state.current(self.base, self.session)
        if at_mount:
            self._show_mount()
        elif self._asked != self._state_of(fact):
            self._show(fact)
        elif self._shown is not self.session and fact is not None:  # something else has changed
            self.talk.say()
            self.talk.say(wording.question(self.base, fact))
        self._shown = self.session
        text = self.talk.ask("Mount:" if at_mount else "Answer:" if fact is not None else "Command:")
        word, _, rest = text.partition(" ")
        command = WORDS.get(word.lower(), word.lower())
        if command == "q" and not rest:
            return False
        if at_mount:
            self._take_mount(text, command, rest.strip())
        elif not self._command(command, rest.strip(), fact):
            self._answer(fact, text)
        return True

    def _command(self, command: str, rest: str, fact: str | None) -> bool:
        """Does it; False for what is not a command."""
        base, session = self.base, self.session
        bare: dict[str, Callable[[], object]] = {
            "d": lambda: self._dont_know(fact), "b": lambda: self._go(state.back(session)),
            "f": lambda: self._go(state.forward(session)),
            "u": lambda: self._change(lambda: state.undo(session), "There is nothing to undo."),
            "r": lambda: self._change(lambda: state.redo(session), "There is nothing to redo."),
            "s": self._show_settled,
            "o": lambda: plain_texts.still_open(self.talk, base, state.mount_advice(base, session)),
            "side": self._other_side,
            "m": lambda: self._go(session._replace(fine=not session.fine, at=None)),
            "h": self._ask_again, "?": self._help,
        }
        taking: dict[str, Callable[[str], object]] = {
            "w": self._why, "p": self._pin, "a": self._go_to_fact, "name": self._name, "x": self._export,
            "l": self._mounts,
        }
        leading_away: dict[str, Callable[[str], object]] = {
            "check": self._check, "host": self._check_host, "wrong": self._diagnose, "watch": self._watch,
            "compare": self._compare,
        }
        if command in bare and not rest:
            bare[command]()
        elif command in taking:
            taking[command](rest)
        elif command in leading_away:
            leading_away[command](rest)
            self._ask_again()
        else:
            return False
        return True

    def _help(self) -> None:
        self.talk.say("Write the number of a choice, its name, or the value that is asked for. Or a command:")
        for command, says in COMMANDS:
            self.talk.say(says, f"  {command:<15}")

    # Questions and answers

    def _state_of(self, fact: str | None) -> tuple[object, ...]:
        answers = self.session.answers
        return fact, answers.facts.get(fact or ""), fact in answers.unknown, self.session.view

    def _ask_again(self) -> None:
        self._asked = ()

    def _show(self, fact: str | None) -> None:
        self._asked, self._shown = self._state_of(fact), self.session
        if fact is None:
            plain_texts.ended(self.talk, self.base, self.session)
        else:
            plain_texts.question(self.talk, self.base, self.session, fact, self._found_value(fact))

    def _found_value(self, fact: str) -> tuple[Values, str] | None:
        return state.found_value(self.base, self.session, self.found, fact)

    def _advice(self) -> Advice:
        return state.preview(self.base, self.session)

    def _answer(self, fact: str | None, text: str) -> None:
        if fact is None:
            self.talk.say("No question is open; ? lists the commands." if text else "q quits; ? lists the commands.")
            return
        if not text:
            if fact in self.session.answers.facts or fact in self.session.answers.unknown:
                self._go(state.forward(self.session))
            elif offered := self._found_value(fact):
                value, where = offered
                self._change(lambda: state.answer(self.base, self.session, fact, value, origin=where), "", fact, value)
            else:
                self.talk.say("Write an answer, or d if you don't know; h shows the question again.")
            return
        parsed = parse_answer(self.base, self.session, fact, text)
        if parsed.problem:
            self.talk.say(f"Not taken: {parsed.problem}")
            return
        self.talk.say(f"Understood: {wording.answer_text(self.base, fact, parsed.value)}")
        self._change(
            lambda: state.answer(self.base, self.session, fact, parsed.value), "That was your answer already.",
            fact, parsed.value,
        )

    def _dont_know(self, fact: str | None) -> None:
        if fact is None:
            self.talk.say("No question is open.")
        else:
            self._change(lambda: state.dont_know(self.base, self.session, fact), "That was your answer already.")

    def _change(self, step: Callable[[], Session], same: str, name: str = "", value: object = None) -> None:
        """Makes a change and says what follows; `name` and `value`: an answer or pin that may contradict earlier ones.
        `same`: what to say where nothing was changed."""
        before, advice = self.session, self._advice()
        try:
            changed = step()
        except Refused as refused:
            self._refuse(refused, name, value)
            return
        self._move(changed)
        if self._about_another_host(changed) and not self._about_another_host(before):
            self.talk.say(words.ANOTHER_HOST)
        if changed.answers != before.answers and changed.view == before.view:
            changes = state.changes(advice, self._advice())
            if changes or before.at != state.MOUNT:
                plain_texts.news(self.talk, changes)
        elif same:
            self.talk.say(same)

    def _about_another_host(self, session: Session) -> bool:
        return state.about_another_host(self.base, session, self.found)

    def _refuse(self, refused: Refused, name: str, value: object) -> None:
        """Says which earlier answer is in the way, and offers to drop it."""
        self.talk.say(f"Not taken: {refused}")
        if not refused.against or not name:
            return
        dropped = plain_texts.ask_what_to_drop(self.talk, self.base, self.session, refused)
        if dropped is None:
            self.talk.say("The earlier answer stays.")
            return
        change = state.answer if name in self.base.facts else state.pin
        of = refused.place
        self._change(
            lambda: change(self.base, self.session, name, value, instead_of=(dropped,), of=of), "", name, value
        )

    def _go(self, session: Session) -> None:
        if session == self.session:
            self.talk.say("No more answers that way.")
        self._move(session)

    def _move(self, session: Session) -> None:
        if session == self.session:  # nothing to keep, and an earlier session may still be there
            return
        self.session = session
        self._save()

    def _save(self) -> None:
        if self.path is None or not self.session.touched:
            return
        problem = saved_sessions.save(self.path, state.to_text(self.session))
        if problem:
            self.talk.say(f"The answers cannot be saved: {problem}")
            self.path = None

    def _go_to_fact(self, fact: str) -> None:
        if fact in self.base.facts and self.base.facts[fact].ask:
            self._go(state.go(self.session, fact))
        else:
            self.talk.say(f"Unknown question {fact!r}." if fact else "Write a and a fact: a mount.sec")

    def _other_side(self) -> None:
        if state.other_role(self.base, self.session) is None:
            self.talk.say(words.NO_OTHER_SIDE)
        else:
            self._change(lambda: state.go_to_other_side(self.base, self.session), "")

    # Mounts

    def _show_mount(self) -> None:
        asked = state.MOUNT, len(self.mounts)
        if self._asked != asked:
            plain_texts.mount(self.talk, self.session, self.mounts)
            self._asked = asked

    def _take_mount(self, text: str, command: str, rest: str) -> None:
        """Takes the answer to the question which mount it is about, or a command."""
        if text in ("", "d"):
            self._move(state.go(self.session, None))
        elif command == "fstab":
            self._offer_lines(rest)
        elif numbers := _numbers(text):
            self._pick(numbers)
        elif not self._command(command, rest, None):
            self._name_mount(lambda: which_mount.write(self.base, self.session, text))

    def _offer_lines(self, path: str) -> None:
        try:
            self.mounts = which_mount.lines_of_file(self.base, path or FSTAB)
        except UserFileError as error:
            self.talk.say(str(error))

    def _pick(self, numbers: list[int]) -> None:
        missing = [number for number in numbers if not 0 < number <= len(self.mounts)]
        if missing:
            self.talk.say(f"Line {missing[0]} is not in the list.")
            return
        lines = [self.mounts[number - 1] for number in dict.fromkeys(numbers)]
        if len(lines) == 1:
            self._name_mount(lambda: which_mount.pick(self.base, self.session, lines[0]))
        else:
            self._name_mount(lambda: which_mount.add_lines(self.base, self.session, lines))

    def _name_mount(self, step: Callable[[], Session]) -> None:
        before = self.session
        self._change(step, "")
        if self.session != before:
            self.talk.say(which_mount.so_far(self.session))
            for _, value in which_mount.inferred(self.base, self.session):
                self.talk.say(f"Inferred: {value}")

    def _mounts(self, rest: str) -> None:
        """Lists the mounts, goes to one, removes one, or adds one."""
        base, session = self.base, self.session
        numbers = _numbers(rest.removeprefix("-"))
        if not rest:
            plain_texts.mount_list(self.talk, base, session)
        elif not numbers:
            self._change(lambda: state.go(which_mount.add_written(base, session, rest), session.at), "")
            if self.session != session:
                self.talk.say(which_mount.so_far(self.session))
        elif len(numbers) > 1 or not 0 < numbers[0] <= len(session.mounts):
            self.talk.say(f"Mount {rest.removeprefix('-')} is not in the list; l shows it.")
        elif rest.startswith("-"):
            self._change(lambda: state.remove(base, session, numbers[0] - 1), "")
            self.talk.say(f"{counted(len(self.session.mounts), 'mount')} left.")
        else:
            self._move(state.go_to_mount(base, state.go(session, None), numbers[0] - 1))

    # Settings

    def _show_settled(self) -> None:
        plain_texts.settled(self.talk, self.base, self.session, state.mount_advice(self.base, self.session))

    def _why(self, rest: str) -> None:
        """Explains a setting."""
        name, problem = self.find_setting(rest) if rest else (None, "Write w and a setting: w nconnect")
        if name is None:
            self.talk.say(problem)
            return
        from advisor.render.why import setting_pages  # noqa: PLC0415  only for those who ask

        advice = state.advice_on(self.base, self.session, name)
        self.talk.say()
        if not self.talk.page(setting_pages(self.base, advice, name)):
            self.talk.line(f"{name}: the rules say nothing about it for these answers.")
        mine = [one for one in advice.advised if one.tunable == name]
        taken = [taken.fact for one in mine for taken in (*one.rests_on, *one.presumes)]
        if taken:
            self.talk.say(f"To answer what it assumes: {', '.join(f'a {fact}' for fact in taken)}")

    def _pin(self, rest: str) -> None:
        """Pins or unpins a setting: "vers=4.1", "vers="."""
        text, equals, value = (part.strip() for part in rest.partition("="))
        name, problem = self.find_setting(text) if text and equals else (None, "Write p and a setting: p vers=4.1")
        if name is None:
            self.talk.say(problem)
        elif value and self._may_pin(name, value):
            self._change(lambda: state.pin(self.base, self.session, name, value), "It is pinned.", name, value)
        elif value:
            self.talk.say("It is not pinned.")
        else:
            self._change(lambda: state.unpin(self.base, self.session, name), "It is no longer pinned.")

    def _may_pin(self, name: str, value: str) -> bool:
        """Asks once more before a value is pinned that breaks a rule. What cannot be pinned at all is refused later."""
        try:
            problem = pins.against_value(self.base, self.session, name, value)
        except Refused:
            return True
        if problem is None:
            return True
        self.talk.say(refusal(problem))
        return self.talk.choose([pins.KEEP, pins.PIN]) == 1

    # The files, and what leads away from the questions

    def _name(self, rest: str) -> None:
        which, equals, text = (part.strip() for part in rest.partition("="))
        if not equals or which not in NAMES:
            self.talk.say(f"Write name WHAT=TEXT; WHAT is {', '.join(NAMES)}.")
            return
        try:
            self._move(state.name(self.base, self.session, which, text))
        except Refused as refused:
            self.talk.say(f"Not taken: {refused}")
            return
        self.talk.say(f"{which} is {self.session.answers.name(which)} in the files.")

    def _export(self, rest: str) -> None:
        usual = self.session.folder or FOLDER
        folder = rest or self.talk.ask(f"Into which folder? An empty line means {usual}:") or usual
        if plain_session.export(self.talk, self.base, self.session, folder):
            self._move(self.session._replace(folder=folder))

    def _check(self, rest: str) -> None:
        from advisor.wizard.plain_check import check  # noqa: PLC0415  not on the way to the first question

        written = rest or self.talk.ask("Which file, or which line of fstab?")
        if written:
            check(self.talk, self.base, written, self._advice().answers.facts)

    def _check_host(self, _: str) -> None:
        from advisor.wizard.plain_check import check_host  # noqa: PLC0415

        check_host(self.talk, self.base, self.check_host, words.host_facts(self.base, self.session))

    def _diagnose(self, rest: str) -> None:
        from advisor.wizard.plain_diagnose import diagnose  # noqa: PLC0415

        diagnose(self.talk, self.base, rest)

    def _watch(self, rest: str) -> None:
        if self.observe is None:
            self.talk.say("advisor observe shows what the mounts of a host do.")
            return
        span = rest or WATCH_TIME
        self.talk.say(f"Watching the mounts for {span} …")
        try:
            self.talk.page(self.observe(span))
        except ValueError as error:
            self.talk.say(str(error))

    def _compare(self, rest: str) -> None:
        name = rest or self.talk.ask("Which answers file, or which session?")
        try:
            other = saved_sessions.answers_of(self.base, self.path, name)
        except ValueError as error:
            self.talk.say(str(error))
            return
        plain_texts.compared(self.talk, self.base, *saved_sessions.compare(self.base, self.session, other))


def _numbers(text: str) -> list[int]:
    """The numbers of a list such as "1,3"; none for anything else."""
    parts = [part.strip() for part in text.split(",")]
    return [int(part[:6]) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else []

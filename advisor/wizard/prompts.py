"""The wizard as numbered prompts: for screen readers, serial lines, and if there is no terminal. It prints the steps
and rows that the screens draw, and numbers their choices.

Before the first question it imports the standard library only, and it never prints an escape code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.advice.answers import FSTAB, NAMES
from advisor.advice.verdict import names_of
from advisor.engine.errors import word_list
from advisor.pages import wording
from advisor.pages.phrases import counted
from advisor.pages.why import refusal, setting_pages
from advisor.rulebase.model import RuleBase, Scalar
from advisor.user_files import UserFileError
from advisor.wizard import commands, ending, files, mounts, prompt_tasks, questions, state, steps, typed_answer
from advisor.wizard.prompt_tasks import InputEnded, Talk
from advisor.wizard.risks import gauge_texts, left_word, risks
from advisor.wizard.rows import change_rows, comparison_rows, mount_rows, open_rows, session_rows
from advisor.wizard.state import Found, Refused, Session

if TYPE_CHECKING:
    from advisor.lint.evidence import NfsLine
    from advisor.lint.fix import LookAtHost
    from advisor.pages.blocks import Block

SAME = "That was your answer already."
NO_LINES = "No NFS line was found to choose by number: write SERVER:/PATH TARGET, fstab FILE, or d for no names."
WATCH_TIME = "10s"
"""How long the mounts are watched unless a time is given."""


def numbers_in(text: str) -> list[int]:
    """The numbers of a list such as "1,3"; [] for any other text."""
    parts = [part.strip() for part in text.split(",")]
    return [int(part[:6]) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else []


def parse_answer(base: RuleBase, session: Session, fact: str, text: str) -> typed_answer.Parsed:
    """The answer that a text means: a number of the list, several with commas between them, or a value."""
    offered = questions.values_to_choose(base, session, fact)
    values, guesses = [offer.value for offer in offered], [offer.value for offer in offered if offer.guess]
    places = numbers_in(text)
    if places == [0] and guesses:
        return typed_answer.Parsed(guesses[0])
    if not values or not places:
        parsed = typed_answer.parse(base, fact, text, session.answers.facts)
        if parsed.problem and len(values) > steps.DIGITS:
            return _named_in_part(base, fact, text, values) or _without_names(parsed)
        return parsed
    if not all(0 < place <= len(values) for place in places):
        return typed_answer.Parsed(None, f"The choices are 1 to {len(values)}.")
    chosen = [values[place - 1] for place in dict.fromkeys(places)]
    if len(chosen) > 1 and isinstance(chosen[0], bool):
        return typed_answer.Parsed(None, "Choose one of them, or d.")
    return typed_answer.Parsed(chosen if len(chosen) > 1 else chosen[0])


def _without_names(parsed: typed_answer.Parsed) -> typed_answer.Parsed:
    """The problem without the names of many choices."""
    problem, named, _ = (parsed.problem or "").partition("; they are ")
    return typed_answer.Parsed(None, f"{problem}; h lists them." if named else problem)


def _named_in_part(base: RuleBase, fact: str, text: str, values: Sequence[Scalar]) -> typed_answer.Parsed | None:
    """The one of many values that has a text in its name, or the problem of several that have; None for none."""
    labels = {value: wording.answer_text(base, fact, value) for value in values}
    matching = [value for value in values if text.lower() in f"{labels[value]} {value}".lower()]
    if len(matching) == 1:
        return typed_answer.Parsed(matching[0])
    listed = "; ".join(f"{values.index(value) + 1} {labels[value]}" for value in matching[:steps.DIGITS])
    return typed_answer.Parsed(None, f"Several names have {text}: {listed}.") if matching else None


class PlainWizard(commands.SessionOwner):
    """`find_setting`: the setting that a name means, or None and the problem. `observe`: watches the mounts for a time
    such as "30s" and returns a report; raises ValueError. The other parameters are those of Wizard."""

    def __init__(
        self, base: RuleBase, session: Session, found_values: Found, talk: Talk, *,
        find_setting: Callable[[str], tuple[str | None, str]], mounts: list[NfsLine] | None = None,
        path: Path | None = None, check_host: LookAtHost | None = None,
        observe: Callable[[str], list[Block]] | None = None,
    ) -> None:
        self.base, self.session, self.found, self.talk = base, session, found_values, talk
        self.find_setting, self.mounts, self.path = find_setting, mounts or [], path
        self.check_host, self.observe, self.may_watch = check_host, observe, observe is not None
        self.news = []
        self._quits = self._every = False
        self._printed_session = session
        """The session when a question was printed last."""
        self._printed: tuple[object, ...] = ()
        """The question that was printed last, with its answer at that time."""

    def run(self) -> int:
        """Asks until the user quits or the input ends; returns the exit code."""
        self.talk.say("NFS advisor. One question at a time; ? lists the commands.")
        line = True
        try:
            self._resume()
            while not self._quits:
                self._turn()
        except InputEnded:
            self.talk.say("The input has ended. This is settled:")
            self.do_review("")
            line = False
        except KeyboardInterrupt:
            self.talk.say()
            raise
        finally:
            self._save()
            self._farewell(line=line)
        return 0

    def _resume(self) -> None:
        """Asks whether to continue the saved session. Raises InputEnded."""
        saved = self.earlier = files.read_session(self.path) if self.path is not None else None
        if saved is None:
            return
        while (choice := self.talk.choose(steps.start_choices(self.session, (), [saved]))) is None:
            self.talk.say("Write 1 or 2.")
        if choice.act == "resume":
            self.continue_saved(saved)

    def _farewell(self, *, line: bool) -> None:
        """Prints the last lines. `line`: with the mount lines."""
        if not self.session.touched:
            self.talk.say("Nothing was answered.")
            return
        mount_lines = ending.mount_lines(self.base, self.session)
        told = ending.farewell(self.base, self.session, self.path, "--plain", line=line, exported=self.is_exported)
        for text in told:
            (self.talk.line if text in mount_lines or text.startswith(("  ", "#")) else self.talk.say)(text)

    # Questions and answers

    @property
    def at_mount(self) -> bool:
        return self.session.at == state.MOUNT

    @property
    def fact(self) -> str | None:
        """The fact that the current question asks for; None at the question for the mount, and at the end."""
        return None if self.at_mount else questions.current_question(self.base, self.session)

    def _turn(self) -> None:
        """Asks for one answer or command."""
        fact, answers = self.fact, self.session.answers
        now: tuple[object, ...] = fact, answers.facts.get(fact or ""), fact in answers.unknown, self.session.view
        if self.at_mount:
            now = state.MOUNT, len(self.mounts)
        if self._printed != now:
            self._printed = now
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

    def _gauge(self) -> str:
        """The verdict in a word, and the risks that are closed."""
        found = ending.known_verdict(self.base, self.session)
        every = risks(ending.judged(self.base, questions.preview(self.base, self.session)))
        beside = f": {found.beside}" if found.beside else ""
        return ". ".join(filter(None, (f"{found.badge}{beside}", gauge_texts(every, left_word(found))[0])))

    def _print_question(self, fact: str | None) -> None:
        base, session = self.base, self.session
        if fact is None and not self.at_mount:
            mounts.several_advice(base, session)  # computes the advice for the other mounts, which the end shows
        asked = steps.current(base, session, self.mounts, self.found, self.tasks)
        if fact is not None:
            unit = base.facts[fact].unit
            more = ("Write: ", f"a number of {unit}, or one with its own unit.") if unit else None
            choices = steps.marked_choices(base, session, asked)
            asked = asked._replace(notes=(*asked.notes, more) if more else asked.notes, choices=choices)
            self.talk.step(asked, questions.progress(base, session), every=self._every)
            self._every = False
            return
        self.talk.step(asked, "" if self.at_mount else self._gauge())
        if not self.at_mount:
            self.talk.say("b goes back, q quits.")
        elif len(self.mounts) > 1:
            self.talk.say("takes several of them", "  1,2  ")

    def _run_command(self, text: str) -> bool:
        """Runs the command that a text begins with; False if it is not a command."""
        name, _, rest = text.partition(" ")
        command = commands.BY_WORD.get(name.lower())
        if command is None or (rest.strip() and not command.usage):
            return False
        if command.change is not None:
            self.do(command)
        else:
            getattr(self, f"do_{command.name}")(rest.strip())
        if command.task:
            self._printed = ()
        return True

    def _answer(self, fact: str | None, text: str) -> None:
        if fact is None:
            self.talk.say("No question is open; ? lists the commands." if text else "q quits; ? lists the commands.")
            return
        if not text:
            self._keep_or_accept(fact)
            return
        parsed = parse_answer(self.base, self.session, fact, text)
        if named := typed_answer.named_instead(self.base, fact, text) if parsed.problem else {}:
            told = ", ".join(wording.answer_text(self.base, *answer) for answer in named.items())
            self.talk.say(f"Understood: {told}")
            self.change(lambda: self._taken("named", named), same=SAME)
            return
        if parsed.problem:
            self.talk.say(f"Refused: {parsed.problem}")
            return
        self.talk.say(f"Understood: {wording.answer_text(self.base, fact, parsed.value)}")
        self.change(lambda: self._taken("answer", parsed.value), same=SAME, new=(fact, parsed.value))

    def _taken(self, act: str, value: object) -> Session:
        return steps.take(self.base, self.session, self.fact, act, value, found=self.found)

    def _keep_or_accept(self, fact: str) -> None:
        """Handles an empty line: keeps the answer, or accepts the value that was found."""
        if fact in self.session.answers.facts or fact in self.session.answers.unknown:
            self.do(commands.command_at("forward", "question"))
        elif offered := questions.found_value(self.base, self.session, self.found, fact):
            self.change(lambda: self._taken("found", offered[0]), new=(fact, offered[0]))
        else:
            self.talk.say("Write an answer, or d if you don't know; h shows the question again.")

    def change(
        self, step: Callable[[], Session], *, same: str = "", new: tuple[str, object] | None = None, pin: bool = False
    ) -> None:
        """Applies a change and prints its effects. `same`: printed if no answer changes. `new`: the fact or setting
        that is answered or pinned, and its value; if it contradicts earlier answers, these can be dropped."""
        before = self.session
        try:
            failure = ending.failure(self.base, before, step()) if new is not None and not pin else ""
            if failure:
                self.talk.say(f"This will fail. {failure}")
                if not self.talk.confirms(steps.OTHER_ANSWER, steps.SO_ALL_THE_SAME):
                    return
            self.apply(step)
        except Refused as refused:
            self._refuse(refused, new, pin=pin)
            return
        if self.session.answers != before.answers and self.session.view == before.view:
            if self.news or before.at != state.MOUNT:
                self.talk.rows(change_rows(self.news))
        elif same:
            self.talk.say(same)

    def inform(self, text: str) -> None:
        self.talk.say(text)

    def _refuse(self, refused: Refused, new: tuple[str, object] | None, *, pin: bool) -> None:
        """Prints why a change is refused, and offers to drop a contradicted answer."""
        self.talk.say(f"Refused: {refused}")
        if not refused.against or new is None:
            return
        choice = self.talk.choose(steps.contradiction(self.base, self.session, *new, refused, pin=pin).choices)
        if choice is None or choice.act == "keep":
            self.talk.say("The earlier answer stays.")
            return
        self.change(lambda: self._taken(choice.act, choice.value), new=new, pin=pin)

    def set_session(self, changed: Session) -> None:
        if changed == self.session:  # an unchanged session must not overwrite an earlier one
            return
        self.session = changed
        self._save()

    def _save(self) -> None:
        if self.path is None or not self.session.touched:
            return
        problem = self.save_in(self.path, self.session)
        if problem:
            self.talk.say(f"The answers cannot be saved: {problem}")
            self.path = None

    def _take_mount(self, text: str) -> None:
        """Takes a mount by its number or names, or runs a command."""
        name, _, rest = text.partition(" ")
        if text in ("", "d"):
            self.set_session(state.go(self.session, None))
        elif name.lower() == "fstab":
            try:
                self.mounts = mounts.lines_of_file(self.base, rest.strip() or FSTAB)
            except UserFileError as error:
                self.talk.say(str(error))
        elif numbers := numbers_in(text):
            self._use_lines(numbers)
        elif not self._run_command(text):
            self._name_mount("typed", text)

    def _use_lines(self, numbers: list[int]) -> None:
        missing = [number for number in numbers if not 0 < number <= len(self.mounts)]
        if missing:
            self.talk.say(f"Line {missing[0]} is not in the list." if self.mounts else NO_LINES)
            return
        lines = [self.mounts[number - 1] for number in dict.fromkeys(numbers)]
        self._name_mount("marked", lines) if len(lines) > 1 else self._name_mount("mount", lines[0])

    def _name_mount(self, act: str, value: object) -> None:
        before = self.session
        self.change(lambda: self._taken(act, value))
        if self.session != before:
            self.talk.say(f"So far: {mounts.known_names(self.session)}")
            for _, inferred in mounts.inferred_answers(self.base, self.session):
                self.talk.say(f"Inferred: {inferred}")

    # Commands; the text is their argument

    def do_unknown(self, _: str) -> None:
        if self.fact is None:
            self.talk.say("No question is open.")
        else:
            self.change(lambda: self._taken("unknown", None), same=SAME)

    def do_again(self, _: str) -> None:
        """Prints the whole question in the next turn."""
        self._printed, self._every = (), True

    def do_quit(self, _: str) -> None:
        self._quits = True

    def do_keys(self, _: str) -> None:
        self.talk.say("Write the number of a choice, its name, or the value that is asked for. Or a command:")
        for command in commands.PROMPTS:
            self.talk.say(command.help, f"  {commands.usage(command):<15}")

    def do_answer(self, fact: str) -> None:
        if fact in self.base.facts and self.base.facts[fact].ask:
            self.set_session(state.go(self.session, fact))
        else:
            self.talk.say(f"Unknown question {fact!r}." if fact else "Write a and a fact: a mount.sec")

    def do_mounts(self, text: str) -> None:
        """Lists the mounts, goes to one, removes one, or adds one."""
        base, session = self.base, self.session
        numbers = numbers_in(text.removeprefix("-"))
        if not text:
            mounts.several_advice(base, session)
            self.talk.say()
            self.talk.rows(mount_rows(base, session), numbered=True)
            self.talk.say("l 2 goes to the second, l -2 removes it, l nas1:/data /mnt/data adds one more.")
        elif not numbers:
            self.change(lambda: state.go(mounts.add_text(base, session, text), session.at))
            if self.session != session:
                self.talk.say(f"So far: {mounts.known_names(self.session)}")
        elif len(numbers) > 1 or not 0 < numbers[0] <= len(session.mounts):
            self.talk.say(f"Mount {text.removeprefix('-')} is not in the list; l shows it.")
        elif text.startswith("-"):
            self.change(lambda: mounts.remove(base, session, numbers[0] - 1))
            self.talk.say(f"{counted(len(self.session.mounts), 'mount')} left.")
        else:
            self.set_session(mounts.go_to_mount(base, state.go(session, None), numbers[0] - 1))

    def do_review(self, _: str) -> None:
        """Prints the answers, all settings to make, known bugs, and the mount line."""
        self.talk.say()
        self.talk.rows(session_rows(self.base, self.session, reasons=True))
        self.talk.say(f"{wording.progress_text(questions.counts(mounts.mount_advice(self.base, self.session)))}.")
        lines = ending.mount_lines(self.base, self.session)
        if lines:
            self.talk.say("The mount line:" if len(lines) == 1 else "The mount lines:")
        for line in lines:
            self.talk.line(line)
        for text in ending.incomplete_notes(self.base, self.session) if lines else ():
            self.talk.say(text)

    def do_rest(self, _: str) -> None:
        self.talk.say()
        self.talk.rows(open_rows(self.base, self.session))

    def do_why(self, text: str) -> None:
        name, problem = self.find_setting(text) if text else (None, "Write w and a setting: w nconnect")
        if name is None:
            self.talk.say(problem)
            return
        advice = mounts.advice_on(self.base, self.session, name)
        self.talk.say()
        if not self.talk.page(setting_pages(self.base, advice, name)):
            self.talk.line(f"{name}: the rules say nothing about it for these answers.")
        mine = [recommendation for recommendation in advice.advised if recommendation.tunable == name]
        assumed = [taken.fact for option in mine for taken in (*option.rests_on, *option.presumes)]
        if assumed:
            self.talk.say(f"To answer what it assumes: {', '.join(f'a {fact}' for fact in assumed)}")

    def do_pin(self, text: str) -> None:
        """Pins or unpins a setting: "vers=4.1", "vers="."""
        setting, equals, value = (part.strip() for part in text.partition("="))
        usage = "Write p and a setting: p vers=4.1"
        name, problem = self.find_setting(setting) if setting and equals else (None, usage)
        if name is None:
            self.talk.say(problem)
        elif value and self._may_pin(name, value):
            self.change(
                lambda: state.pin(self.base, self.session, name, value), same="It is pinned.", new=(name, value),
                pin=True,
            )
        elif value:
            self.talk.say("It is not pinned.")
        else:
            self.change(lambda: state.unpin(self.base, self.session, name), same="It is no longer pinned.")

    def _may_pin(self, name: str, value: str) -> bool:
        """Asks for confirmation before a value is pinned that breaks a rule. A value that cannot be pinned at all is
        refused later."""
        try:
            problem = ending.refusal_of(self.base, self.session, name, value)
        except Refused:
            return True
        if problem is None:
            return True
        self.talk.say(refusal(problem))
        return self.talk.confirms(steps.KEEP, steps.PIN)

    def do_name(self, text: str) -> None:
        which, equals, name = (part.strip() for part in text.partition("="))
        if not equals or which not in NAMES:
            names = names_of(questions.preview(self.base, self.session))
            self.talk.say(f"Write name WHAT=TEXT; WHAT is {word_list(names, 'or')}.")
            return
        try:
            self.set_session(state.name(self.base, self.session, which, name))
        except Refused as refused:
            self.talk.say(f"Refused: {refused}")
            return
        self.talk.say(f"{which} is {self.session.answers.name(which)} in the files.")

    def do_export(self, text: str) -> None:
        usual = self.session.folder or files.FOLDER
        folder = text or self.talk.ask(f"Into which folder? An empty line means {usual}:") or usual
        if prompt_tasks.export(self.talk, self.base, self.session, folder):
            self.set_session(self.session._replace(folder=folder))
            self.exported = self.session

    def do_check(self, text: str) -> None:
        written = text or self.talk.ask("Which file, or which line of fstab?")
        if written:
            prompt_tasks.check(self.talk, self.base, self.session, written)

    def do_check_host(self, _: str) -> None:
        facts = mounts.host_facts(self.base, self.session)
        prompt_tasks.check_host(self.talk, self.base, self.check_host, facts)

    def do_diagnose(self, text: str) -> None:
        prompt_tasks.diagnose(self.talk, self.base, text)

    def do_watch(self, text: str) -> None:
        if self.observe is None:
            self.talk.say("advisor observe shows what the mounts of a host do.")
            return
        span = text or WATCH_TIME
        self.talk.say(f"Watching the mounts for {span} …")
        try:
            self.talk.page(self.observe(span))
        except ValueError as error:
            self.talk.say(str(error))

    def do_environments(self, text: str) -> None:
        name = text or self.talk.ask("Which answers file, or which session?")
        try:
            other = files.find_answers(self.base, self.path, name)
        except ValueError as error:
            self.talk.say(str(error))
            return
        answers, settings = files.compare_answers(self.base, self.session, other)
        self.talk.say()
        differ = f"{counted(len(answers), 'answer')} and {counted(len(settings), 'setting')} differ"
        self.talk.say(f"{differ}: here, then there.")
        self.talk.rows(comparison_rows(self.base, answers, settings))

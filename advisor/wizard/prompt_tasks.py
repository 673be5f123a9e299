"""The numbered prompts: line-by-line input and output, without escape codes, for screen readers and serial lines, and
the tasks that are done with it: the export, what is checked, and the causes of a message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TextIO

from advisor.pages.blocks import Block
from advisor.pages.phrases import counted
from advisor.pages.style import Style, visible, wrap
from advisor.rulebase.model import RuleBase, Values
from advisor.user_files import UserFileError
from advisor.wizard import files, mounts
from advisor.wizard.commands import commands_of
from advisor.wizard.ending import result
from advisor.wizard.rows import ListRow, finding_row
from advisor.wizard.state import Session
from advisor.wizard.steps import DIGITS, FOUND, LOSE, STAY, Choice, WizardStep, typed_keys
from advisor.wizard.texts import (
    LINE,
    NO_NFS,
    NOT_ACCEPTED,
    NOT_FIXED,
    CheckedText,
    asked_text,
    explained,
    read_file_or_text,
    ruled_out,
)

if TYPE_CHECKING:
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.lint.finding import Finding
    from advisor.lint.fix import LookAtHost
    from advisor.lint.lines import Result


DEFAULT_COLUMNS = 80
MAX_LINE = 2_000
"""Characters of an input line after which the rest is ignored."""
LEAVE = ("q", "quit", "b", "back")
"""Words that leave a command, as an empty line does."""


class InputEnded(Exception):
    """The input has ended."""


class Talk:
    """`lines`: the input, None for none. `echo`: prints each input line, for a transcript of piped input."""

    def __init__(self, lines: TextIO | None, out: TextIO, columns: int = DEFAULT_COLUMNS, echo: bool = False) -> None:
        self._lines, self._out, self.columns, self._echo = lines, out, columns, echo

    def say(self, text: str = "", first: str = "", rest: str | None = None) -> None:
        """Prints a wrapped paragraph. `first`, `rest`: prefixes of its first line and of the others."""
        rest = " " * len(first) if rest is None else rest
        self._write("\n".join(wrap(visible(text), self.columns, first, rest)))

    def line(self, text: str) -> None:
        """Prints a line without wrapping, so that it can be copied."""
        self._write(visible(text))

    def page(self, blocks: Iterable[Block]) -> bool:
        """Prints a document; False if it is empty."""
        from advisor.pages.layout import terminal  # noqa: PLC0415

        lines = terminal(blocks, self.columns, Style(False)).splitlines()
        for line in lines:
            self.line(line)
        return bool(lines)

    def ask(self, prompt: str) -> str:
        """Prints a prompt and returns the input line, stripped. Raises InputEnded."""
        self._out.write(f"{visible(prompt)} ")
        self._out.flush()
        text = self._read()
        if self._echo:
            self._write(visible(text))
        return text

    def ask_in_command(self, prompt: str) -> str:
        """`ask` within a command: "" for the words that leave it."""
        text = self.ask(prompt)
        return "" if text in LEAVE else text

    def step(self, asked: WizardStep, progress: str = "", *, every: bool = True) -> None:
        """Prints a step: what it is about, the question, its help, and its choices with what is typed for each; of many
        answers the first, unless `every`."""
        self.say()
        for text in (asked.section, asked.about, progress):
            if text:
                self.say(text)
        if asked.section:
            self.say()
        self.say(asked.title)
        for label, text in asked.notes:
            self.say(f"{label or ('Help: ' if asked.fact else '')}{text}", "  ")
        if asked.example:
            self.say(f"Example: {asked.example}", "  ")
        if asked.known is not None:
            label, answer, where = asked.known
            found = label == FOUND
            keeps = " An empty line accepts it." if found else " An empty line keeps it." if asked.fact else ""
            self.say(f"{label}: {answer}{f', in {where}' if found else f' ({where})' if where else ''}.{keeps}", "  ")
        left = [choice for choice in asked.choices if choice.act == "answer"][DIGITS:] if not every else []
        self.choices(asked.choices, left)
        if left:
            self.say(f"{len(left)} more: write a part of the name, or h for all", "  …  ")

    def choices(self, choices: Sequence[Choice], left: Sequence[Choice] = ()) -> None:
        """Prints the choices but those that are `left`."""
        keys = ["" if choice in left else key for key, choice in zip(typed_keys(choices), choices)]
        wide = max(map(len, (key for key in keys if " " not in key)), default=1)
        for key, choice in zip(keys, choices):
            if key:
                note = f" ({choice.note})" if choice.note and choice.act != "unknown" else ""
                self.say(f"{choice.label}{note}", f"  {key:>{wide}}  ")

    def rows(self, rows: Iterable[ListRow], *, numbered: bool = False) -> None:
        """Prints rows below their headings. `numbered`: by their place, so that they can be chosen."""
        rows = list(rows)
        number = 0
        for row, following in zip(rows, [*rows[1:], None]):
            if row.key is None:
                end = "." if following is None or following.key is None else ":"
                self.say(f"{row.spoken.rstrip('.:')}{end}")
            else:
                number += 1
                self.say(row.spoken, f"  {number}  " if numbered else "  - ")

    def choose(self, choices: Sequence[Choice]) -> Choice | None:
        """Asks for one of the choices; None for any other input. Raises InputEnded."""
        self.choices(choices)
        text = self.ask("Which?")
        return next((choice for key, choice in zip(typed_keys(choices), choices) if key == text), None)

    def confirms(self, safe: str, other: str) -> bool:
        """Asks for one of two ways; whether it is the one that is not safe."""
        choice = self.choose([Choice("way", safe), Choice("way", other)])
        return choice is not None and choice.label == other

    def _read(self) -> str:
        """The next input line, cut after MAX_LINE characters. Raises InputEnded."""
        try:
            text = part = self._lines.readline(MAX_LINE + 1) if self._lines is not None else ""
            while self._lines is not None and len(part) > MAX_LINE and not part.endswith("\n"):
                part = self._lines.readline(MAX_LINE + 1)
        except (OSError, ValueError):  # the input is closed or cannot be read
            text = ""
        if not text:
            self._write("")
            raise InputEnded
        return text[:MAX_LINE].strip()

    def _write(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


_FINDING = commands_of("finding")
CHECK_HELP = f"{', '.join(f'{one.usage} {one.help}' for one in _FINDING)}. An empty line or q leaves."


def export(talk: Talk, base: RuleBase, session: Session, folder: str) -> bool:
    """Writes the files and prints the status of each; False if they could not be written."""
    try:
        place = Path(folder).expanduser()
        titles = {artefact.path: artefact.title for artefact in files.artefacts(base, session)}
        for problem in files.lint_artefacts(base, session):
            talk.say(f"Beware: {problem}")
        written = files.write_export(base, session, folder)
    except (ValueError, RuntimeError) as error:
        talk.say(f"Not written: {error}")
        return False
    for file in written:
        title = f" ({titles[file.path]})" if titles.get(file.path) else ""
        talk.say(f"{file.path}{title}: {files.STATUS_TEXT[file.status]}", "  - ")
    kept = sum(file.status in files.KEPT for file in written)
    talk.say(f"Nothing else on this host has changed. {counted(len(written) - kept, 'file')} in")
    talk.line(f"  {place.absolute()}")
    talk.say()
    talk.page(result(base, session._replace(folder=folder), talk.columns, ask=("write", "name {}=…")))
    talk.say()
    again = f"advisor recommend --answers {quote(str(place / files.ANSWERS))}"
    overwrites = f"{counted(kept, 'file')} kept as edited. This overwrites them:"
    talk.say(overwrites if kept else "This makes the same files again:")
    talk.line(f"  {again} --write-to {quote(str(place))} --force" if kept else f"  {again}")
    return True


def check(talk: Talk, base: RuleBase, session: Session, written: str) -> None:
    """Lints a text. `written`: the name of a file, or a line of fstab."""
    try:
        text = CheckedText.read(base, written, {})
    except UserFileError as error:
        talk.say(str(error))
        return
    mounts.judge_by_answers(base, session, text)
    _check_text(talk, base, text)


def _check_text(talk: Talk, base: RuleBase, text: CheckedText) -> None:
    """Prints the findings in a text, and fixes or accepts them, until the user leaves it."""
    while True:
        try:
            result = text.check()
        except ValueError as error:
            talk.say(str(error))
            return
        talk.say()
        talk.say(f"{counted(len(text.findings), 'finding')}:" if text.findings else "Nothing to object to.")
        talk.rows((
            finding_row(("finding", ""), finding, fixable=finding.fix is not None) for finding in text.findings
        ), numbered=True)
        if result.open:
            talk.say(f"{counted(len(result.open), 'setting')} not judged: questions settle them.")
        if text.name == LINE and text.past:
            talk.say("The text now:")
            for line in text.text.split("\n"):
                talk.line(line)
        if not text.findings and not text.past:
            return
        talk.say(CHECK_HELP)
        written = talk.ask_in_command("Finding:")
        if written:
            _do_in_check(talk, base, text, written, result)
        elif not text.past:
            return
        else:
            talk.say(f"{text.unsaved}.")
            if talk.confirms(STAY, LOSE):
                return


def _do_in_check(talk: Talk, base: RuleBase, text: CheckedText, written: str, result: Result) -> None:
    word, place = _word_and_place(written, len(text.findings))
    does = next((command.name for command in _FINDING if command.words == word), "")
    if does == "undo" and text.past:
        text.undo()
    elif does == "save":
        try:
            saved = text.save(written[1:].strip() or text.name_to_save)
        except ValueError as error:
            talk.say(str(error))
            return
        talk.say("Saved; install it yourself:")
        talk.line(f"  {saved}")
    elif does not in ("explain", "fix", "accept") or place is None:
        talk.say(CHECK_HELP)
    elif does == "explain":
        _explain(talk, base, text.findings[place], result)
    elif does == "fix":
        if not text.fix(text.findings[place]):
            talk.say(f"{NOT_FIXED} Its number says what to do.")
    elif reason := " ".join(written.split()[2:]):
        if not text.accept(text.findings[place], reason):
            talk.say(NOT_ACCEPTED)
    else:
        talk.say("Write the reason too: a 2 the vendor asked for it")


def _explain(talk: Talk, base: RuleBase, finding: Finding, result: Result) -> None:
    talk.say()
    talk.page(explained(base, finding, result, talk.columns))


def check_host(talk: Talk, base: RuleBase, look: LookAtHost | None, facts: Mapping[str, Values]) -> None:
    """Checks this host: its files that concern NFS, and the settings in effect. `look`: checks it; None if that is not
    possible. `facts`: those that are known of the host."""
    if look is None:
        talk.say("advisor check looks at a whole host.")
        return
    talk.say("Looking at this host …")
    try:
        judged = look(facts)
    except (ValueError, OSError) as error:
        talk.say(str(error))
        return
    findings = [(file, finding) for file in judged for finding in file.findings]
    if not findings:
        talk.say("Nothing to object to." if judged else NO_NFS)
    while findings:
        for number, (file, finding) in enumerate(findings, 1):
            where = f"{file.result.name}, line {finding.line}" if file.written else file.result.name
            talk.say(f"{finding.severity}, {where}: {finding.message}", f"  {number}  ")
        talk.say("A number explains a finding, f 2 goes to the second in its file, to fix or accept it there. An "
                      "empty line or q leaves.")
        written = talk.ask_in_command("Finding:")
        if not written:
            return
        word, place = _word_and_place(written, len(findings))
        if place is None:
            talk.say(f"Write a number from 1 to {len(findings)}, or f and a number.")
            continue
        file, finding = findings[place]
        if word == "f" and file.written:
            _check_text(talk, base, CheckedText(base, file.result.name, file.result.text, file.facts))
            continue
        _explain(talk, base, finding, file.result)
        if not file.written:
            talk.say("This is what is in effect, not a file that could be fixed here.")


def diagnose(talk: Talk, base: RuleBase, written: str) -> None:
    """`written`: a message, or the name of a file; if it is empty, lines are read up to an empty one."""
    from advisor.diagnose.diagnosis import Diagnosis  # noqa: PLC0415
    from advisor.diagnose.messages import without_secrets  # noqa: PLC0415  seldom used
    from advisor.pages.diagnose import page  # noqa: PLC0415

    if not written:
        talk.say("Write or paste the message, or the name of a file; an empty line ends it.")
        written = _pasted(talk)
    try:
        text = read_file_or_text(written)
    except UserFileError as error:
        talk.say(str(error))
        return
    if text:
        diagnosis = Diagnosis(base, text)
        narrow_down(
            talk, diagnosis, lambda: talk.page(page(diagnosis, without_secrets, steps=False))
        )


def _word_and_place(text: str, most: int) -> tuple[str, int | None]:
    """The letter of a command ("" for a number alone), and the index that its number means, None if the number is not
    from 1 to `most`."""
    parts = text.split()
    word, number = ("", parts[0]) if parts[0].isdecimal() else (parts[0].lower(), parts[1] if parts[1:] else "")
    place = int(number[:6]) - 1 if number.isdecimal() else -1
    return word, place if 0 <= place < most else None


def narrow_down(talk: Talk, diagnosis: Diagnosis, show: Callable[[], object]) -> None:
    """Asks for one check or answer at a time, until a cause is confirmed or no check is left. `show`: prints the
    diagnosis so far. Raises InputEnded."""
    from advisor.diagnose.diagnosis import ASK  # noqa: PLC0415  seldom used
    from advisor.probe.evidence import ask  # noqa: PLC0415

    diagnosis.ask_server = partial(ask, diagnosis.base)
    show()
    while (step := diagnosis.step()) is not None:
        talk.say()
        talk.say(step.do, f"Check on the {step.on}: " if step.on else "", "  ")
        for meaning in step.tells:
            talk.say(meaning, "  ")
        for number, (_, words) in enumerate(step.choices, 1):
            talk.say(words, f"  {number}  ", "     ")
        written = talk.ask_in_command("Number, or paste what it printed and an empty line (q leaves):")
        if not written:
            return
        if written.isdecimal():
            if not 1 <= int(written[:4]) <= len(step.choices):
                talk.say(f"A number from 1 to {len(step.choices)}.")
                continue
            chosen, before = step.choices[int(written[:4]) - 1][0], ruled_out(diagnosis)
            diagnosis.choose(step, chosen)
            if chosen == ASK:
                talk.say(f"{asked_text(diagnosis, before)}.")
        elif not diagnosis.add_output(step, _pasted(talk, written)):
            talk.say("Nothing in it is known here. Say by a number what it shows.")
            continue
        show()


def _pasted(talk: Talk, first: str = "") -> str:
    """The pasted lines up to an empty one. `first`: the first of them, which was read already."""
    lines = [first] if first else []
    while line := talk.ask(">"):
        lines.append(line)
    return "\n".join(lines)

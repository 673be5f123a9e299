"""Linting at numbered prompts: a finding can be explained, fixed, or accepted with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.pages.phrases import counted
from advisor.user_files import UserFileError
from advisor.wizard import words
from advisor.wizard.plain_talk import Talk
from advisor.wizard.texts import LINE, NOT_ACCEPTED, NOT_FIXED, CheckedText

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.fix import LookAtHost
    from advisor.lint.lines import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

HELP = (
    "A number explains a finding, f 2 fixes the second, a 2 REASON accepts it with a reason that is written into the "
    "file, u undoes, s FILE saves the text under that name. An empty line or q leaves."
)


def check(talk: Talk, base: RuleBase, written: str, facts: Mapping[str, Values]) -> None:
    """Lints a text. `written`: the name of a file, or a line of fstab. `facts`: those to judge it by."""
    try:
        text = CheckedText.read(base, written, facts)
    except UserFileError as error:
        talk.say(str(error))
        return
    _CheckPrompts(talk, base, text).run()


def check_host(
    talk: Talk, base: RuleBase, look: LookAtHost | None, facts: Mapping[str, Values]
) -> None:
    """Checks this host: its files that concern NFS, and the settings in effect. `look`: checks it; None if that is not
    possible. `facts`: those that are known of the host."""
    if look is None:
        talk.say("advisor check looks at a whole host.")
        return
    talk.say("Looking at this host …")
    try:
        files = look(facts)
    except (ValueError, OSError) as error:
        talk.say(str(error))
        return
    findings = [(file, finding) for file in files for finding in file.findings]
    if not findings:
        talk.say("Nothing to object to.")
    while findings:
        for number, (file, finding) in enumerate(findings, 1):
            where = f"{file.result.name}, line {finding.line}" if file.written else file.result.name
            talk.say(f"{finding.severity}, {where}: {finding.message}", f"  {number}  ")
        talk.say("A number explains a finding, f 2 goes to the second in its file, to fix or accept it there. An "
                 "empty line or q leaves.")
        word, place = _command_and_place(talk.ask_in_command("Finding:"), len(findings))
        if word == "":
            return
        if place is None:
            talk.say(f"Write a number from 1 to {len(findings)}, or f and a number.")
            continue
        file, finding = findings[place]
        if word == "f" and file.written:
            _CheckPrompts(talk, base, CheckedText(base, file.result.name, file.result.text, file.facts)).run()
        else:
            _explain(talk, base, finding, file.result)
            if not file.written:
                talk.say("This is what is in effect, not a file that could be fixed here.")


def _explain(talk: Talk, base: RuleBase, finding: Finding, result: Result) -> None:
    """Prints the explanation of a finding."""
    from advisor.lint.evidence import evidence  # noqa: PLC0415  only for those who ask
    from advisor.pages.finding import finding_page as page  # noqa: PLC0415

    talk.say()
    talk.page(page(base, finding, evidence(result, finding), lambda _, number: str(result.line(number)), talk.columns))


def _command_and_place(text: str, most: int) -> tuple[str, int | None]:
    """The command letter ("n" for a number alone, "" for an empty line), and the index that its number means, None if
    the number is not from 1 to `most`."""
    parts = text.split()
    if not parts:
        return "", None
    word, number = ("n", parts[0]) if parts[0].isdecimal() else (parts[0].lower(), parts[1] if parts[1:] else "")
    place = int(number[:6]) - 1 if number.isdecimal() else -1
    return word, place if 0 <= place < most else None


class _CheckPrompts:
    """The prompts about one text."""

    def __init__(self, talk: Talk, base: RuleBase, text: CheckedText) -> None:
        self.talk, self.base, self.text = talk, base, text

    def run(self) -> None:
        while True:
            try:
                result = self.text.check()
            except ValueError as error:
                self.talk.say(str(error))
                return
            self._list(result)
            command = self.talk.ask_in_command("Finding:") if self.text.findings or self.text.past else ""
            if command:
                self._do(command, result)
            elif self._may_leave():
                return

    def _list(self, result: Result) -> None:
        text, findings = self.text, self.text.findings
        self.talk.say()
        self.talk.say(f"{counted(len(findings), 'finding')}:" if findings else "Nothing to object to.")
        for number, finding in enumerate(findings, 1):
            fixes = " (f fixes it)" if finding.fix else ""
            self.talk.say(f"{finding.severity}, line {finding.line}: {finding.message}{fixes}", f"  {number}  ")
        if result.open:
            self.talk.say(f"{counted(len(result.open), 'setting')} not judged: questions settle them.")
        if text.name == LINE and text.past:
            self.talk.say("The text now:")
            for line in text.text.split("\n"):
                self.talk.line(line)
        if findings or text.past:
            self.talk.say(HELP)

    def _do(self, command: str, result: Result) -> None:
        text, findings = self.text, self.text.findings
        word, place = _command_and_place(command, len(findings))
        if word == "u" and text.past:
            text.undo()
        elif word == "s":
            self._save(command[1:].strip() or text.name_to_save)
        elif word not in ("n", "f", "a") or place is None:
            self.talk.say(HELP)
        elif word == "n":
            _explain(self.talk, self.base, findings[place], result)
        elif word == "f":
            if not text.fix(findings[place]):
                self.talk.say(f"{NOT_FIXED} Its number says what to do.")
        elif reason := " ".join(command.split()[2:]):
            if not text.accept(findings[place], reason):
                self.talk.say(NOT_ACCEPTED)
        else:
            self.talk.say("Write the reason too: a 2 the vendor asked for it")

    def _save(self, path: str) -> None:
        try:
            place = self.text.save(path)
        except ValueError as error:
            self.talk.say(str(error))
            return
        self.talk.say("Saved; install it yourself:")
        self.talk.line(f"  {place}")

    def _may_leave(self) -> bool:
        """Asks for confirmation if there are unsaved changes."""
        if not self.text.past:
            return True
        self.talk.say(f"{self.text.unsaved}.")
        return self.talk.choose([words.STAY, words.LOSE]) == 1

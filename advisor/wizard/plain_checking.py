"""Check what I have, at numbered prompts: each finding explained, mended, or accepted with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.engine import FactError
from advisor.render.phrases import counted
from advisor.user_files import UserFileError
from advisor.wizard.plain_talk import Talk
from advisor.wizard.written import LINE, read, save, usual_name

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values
    from advisor.today.fixing import LookAtHost

WAYS = (
    "A number explains a finding, f 2 fixes the second, a 2 REASON accepts it with a reason that then stands in the "
    "file, u undoes, s FILE saves the text under that name. An empty line or q leaves."
)


def check(talk: Talk, base: RuleBase, written: str, facts: Mapping[str, Values]) -> None:
    """`written`: the name of a file, or a line of fstab. `facts`: what is known."""
    try:
        name, text = read(written)
    except UserFileError as error:
        talk.say(str(error))
        return
    _Checking(talk, base, name, text, facts).run()


def check_host(
    talk: Talk, base: RuleBase, look: LookAtHost | None, facts: Mapping[str, Values]
) -> None:
    """Everything on this host, file by file."""
    if look is None:
        talk.say("advisor check looks at a whole host.")
        return
    talk.say("Looking at this host …")
    try:
        files = look(facts)
    except (ValueError, OSError) as error:
        talk.say(str(error))
        return
    found = [(one, finding) for one in files for finding in one.findings]
    if not found:
        talk.say("Nothing to object to.")
    while found:
        for number, (one, finding) in enumerate(found, 1):
            where = f"{one.result.name}, line {finding.line}" if one.written else one.result.name
            talk.say(f"{finding.severity}, {where}: {finding.message}", f"  {number}  ")
        talk.say("A number explains a finding, f 2 goes to the second in its file, to fix or accept it there. An "
                 "empty line or q leaves.")
        word, place = _parted(talk.ask_on("Finding:"), len(found))
        if word == "":
            return
        if place is None:
            talk.say(f"Write a number from 1 to {len(found)}, or f and a number.")
            continue
        one, finding = found[place]
        if word == "f" and one.written:
            _Checking(talk, base, one.result.name, one.result.text, one.facts).run()
        else:
            explain(talk, base, finding, one.result)
            if not one.written:
                talk.say("This is what is in effect, and no file that could be fixed here.")


def explain(talk: Talk, base: RuleBase, finding: Finding, result: Result) -> None:
    """All there is to say of a finding."""
    from advisor.document.layout import terminal  # noqa: PLC0415
    from advisor.document.style import Style  # noqa: PLC0415  only for those who ask
    from advisor.lint.evidence import evidence  # noqa: PLC0415
    from advisor.render.finding import finding as told  # noqa: PLC0415

    page = told(base, finding, evidence(result, finding), lambda _, number: str(result.line(number)), talk.columns)
    talk.say()
    for line in terminal(page, talk.columns, Style(False)).splitlines():
        talk.line(line)


def _parted(text: str, most: int) -> tuple[str, int | None]:
    """The command, "n" for a number alone, "" for nothing; and the place that its number means, None unless
    it is from 1 to `most`."""
    words = text.split()
    if not words:
        return "", None
    word, number = ("n", words[0]) if words[0].isdecimal() else (words[0].lower(), words[1] if words[1:] else "")
    place = int(number[:6]) - 1 if number.isdecimal() else -1
    return word, place if 0 <= place < most else None


class _Checking:
    """One text. `past`: what it was before each change that is not saved yet."""

    def __init__(self, talk: Talk, base: RuleBase, name: str, text: str, facts: Mapping[str, Values]) -> None:
        self.talk, self.base, self.name, self.text, self.facts = talk, base, name, text, facts
        self.past: list[str] = []

    def run(self) -> None:
        from advisor.today.fixing import lint_file  # noqa: PLC0415  only where there is something to check

        while True:
            try:
                result = lint_file(self.base, self.text, self._file_name, self.facts)
            except (ValueError, FactError) as error:
                self.talk.say(str(error))
                return
            findings = [one for one in result.findings if not one.policy]
            self._list(findings, result)
            text = self.talk.ask_on("Finding:") if findings or self.past else ""
            if not text:
                if self._may_leave():
                    return
                continue
            self._do(text, findings, result)

    @property
    def _file_name(self) -> str:
        return self.name if self.name != LINE else "fstab"

    def _list(self, findings: list[Finding], result: Result) -> None:
        self.talk.say()
        self.talk.say(f"{counted(len(findings), 'finding')}:" if findings else "Nothing to object to.")
        for number, one in enumerate(findings, 1):
            fixes = " (f fixes it)" if one.fix else ""
            self.talk.say(f"{one.severity}, line {one.line}: {one.message}{fixes}", f"  {number}  ")
        if result.open:
            self.talk.say(f"{counted(len(result.open), 'setting')} not judged: questions settle them.")
        if self.name == LINE and self.past:
            self.talk.say("The text now:")
            for line in self.text.split("\n"):
                self.talk.line(line)
        if findings or self.past:
            self.talk.say(WAYS)

    def _do(self, text: str, findings: list[Finding], result: Result) -> None:
        from advisor.today.fixing import accept, fix_finding  # noqa: PLC0415

        word, place = _parted(text, len(findings))
        if word == "u" and self.past:
            self.text = self.past.pop()
        elif word == "s":
            self._save(text[1:].strip() or usual_name(self.name))
        elif word not in ("n", "f", "a") or place is None:
            self.talk.say(WAYS)
        elif word == "n":
            explain(self.talk, self.base, findings[place], result)
        elif word == "f":
            self._change(fix_finding(self.base, self.text, self._file_name, self.facts, findings[place]))
        elif reason := " ".join(text.split()[2:]):
            self._change(accept(self.text, findings[place], reason))
        else:
            self.talk.say("Write why it is right as it is: a 2 the vendor asked for it")

    def _change(self, text: str) -> None:
        if text == self.text:
            self.talk.say("Nothing was changed: no edit fixes this without doing harm. Its number says what to do.")
            return
        self.past.append(self.text)
        self.text = text

    def _save(self, path: str) -> None:
        try:
            place = save(path, self.text)
        except ValueError as error:
            self.talk.say(str(error))
            return
        self.past = []
        self.talk.say("Saved; install it yourself:")
        self.talk.line(f"  {place}")

    def _may_leave(self) -> bool:
        """What is not saved is not lost without a word."""
        if not self.past:
            return True
        self.talk.say(f"{counted(len(self.past), 'change')} not saved.")
        self.talk.say("Stay here", "  1  ")
        self.talk.say("Leave without saving", "  2  ")
        return self.talk.ask("Which?") == "2"

"""Texts that the user names or writes: read, linted, and fixed in memory until they are saved under another name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from advisor import user_files
from advisor.engine import FactError
from advisor.pages.phrases import counted
from advisor.rulebase.model import RuleBase, Values
from advisor.user_files import UserFileError

if TYPE_CHECKING:
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.lint.finding import Finding
    from advisor.lint.lines import Result
    from advisor.pages.blocks import Block
    from advisor.sections import Section


LIMIT = 5_000_000
"""Size of the largest file that is read, in bytes."""
LINE = "the line"
"""The name of a text that is not a file."""
NO_NFS = "Nothing of NFS was found on this host: no mount, no export, no setting."
NOT_FIXED = "Nothing was changed: no edit fixes this without another finding."
NOT_ACCEPTED = "Nothing was changed: a comment in this text cannot silence the finding."


def read_file(path: str) -> str:
    """The text of a file. Raises UserFileError."""
    content = user_files.read_bytes(os.path.expanduser(path), LIMIT)  # noqa: PTH111  (pathlib raises if there is no home)
    return content.decode("utf-8", "surrogateescape")


def read_file_or_text(written: str) -> str:
    """The text of the file that `written` names; `written` itself if there is no such file. Raises UserFileError."""
    alone = len(written.split()) == 1 and os.path.isfile(os.path.expanduser(written))  # noqa: PTH111, PTH113
    return read_file(written) if alone else written


def explained(base: RuleBase, finding: Finding, result: Result, columns: int) -> list[Block]:
    """The page of a finding in what was linted."""
    from advisor.lint.evidence import evidence  # noqa: PLC0415  only for those who ask
    from advisor.pages.rule_pages import finding_page  # noqa: PLC0415

    return finding_page(base, finding, evidence(result, finding), lambda _, number: str(result.line(number)), columns)


def ruled_out(diagnosis: Diagnosis) -> int:
    return sum(one.status == "ruled-out" for one in diagnosis.causes)


def asked_text(diagnosis: Diagnosis, before: int) -> str:
    """What the answers of the server have changed. `before`: how many causes were ruled out until then."""
    out = ruled_out(diagnosis) - before
    told = f"that rules out {counted(out, 'cause') if out > 0 else 'no cause'}"
    return f"{diagnosis.evidence.places().get('SERVER', 'the server')} was asked: {told}"


class CheckedText:
    """`name`: of the file, or LINE; `facts`: those to judge the text by. `past`: the text before each unsaved
    change."""

    def __init__(self, base: RuleBase, name: str, text: str, facts: Mapping[str, Values]) -> None:
        self.base, self.name, self.text, self.facts = base, name, text, facts
        self.past: list[str] = []
        self.sections: Sequence[Section] = ()
        """Further facts of some mounts."""
        self.result: Result | None = None
        self.findings: list[Finding] = []

    @classmethod
    def read(cls, base: RuleBase, written: str, facts: Mapping[str, Values]) -> CheckedText:
        """`written`: a line if it has several words, else the name of a file. Raises UserFileError."""
        if not written:
            raise UserFileError("Write the name of a file or a line of fstab first.")
        name, text = (LINE, written) if len(written.split()) > 1 else (written, read_file(written))
        return cls(base, name, text, facts)

    @property
    def is_fstab(self) -> bool:
        from advisor.lint.fix import kind_of  # noqa: PLC0415

        return kind_of(self.text, self._file_name) == "fstab"

    def check(self) -> Result:
        """Lints the current text. Raises ValueError, with the reason, if it cannot be judged."""
        from advisor.lint.finding import together  # noqa: PLC0415  seldom used
        from advisor.lint.fix import lint_file  # noqa: PLC0415

        self.findings = []
        try:
            self.result = lint_file(self.base, self.text, self._file_name, self.facts, self.sections)
        except FactError as error:
            raise ValueError(str(error)) from None
        self.findings = together(finding for finding in self.result.findings if not finding.policy)
        return self.result

    def fix(self, finding: Finding) -> bool:
        """Fixes a finding; False if no edit does so without another finding."""
        from advisor.lint.fix import fix_finding  # noqa: PLC0415

        text = self.text
        for each in (finding, *finding.also):
            text = fix_finding(self.base, text, self._file_name, self.facts, each, sections=self.sections)
        return self._change(text)

    def fixed_lines(self, finding: Finding) -> list[tuple[str, str]]:
        """Each line that the fix of a finding changes, before and after."""
        from advisor.lint.finding import apply  # noqa: PLC0415

        edits = finding.fix.edits if finding.fix and self.result else ()
        numbers = sorted({edit.line for edit in edits})
        lines = {number: str(self.result.line(number)) for number in numbers} if self.result else {}
        return [(lines[number], apply(lines[number], [edit for edit in edits if edit.line == number]))
                for number in numbers]

    def accept(self, finding: Finding, reason: str) -> bool:
        """Silences a finding by a comment with the reason; False if a comment cannot do that."""
        from advisor.lint.fix import accept  # noqa: PLC0415

        return self._change(accept(
            self.base, self.text, self._file_name, self.facts, finding, reason=reason, sections=self.sections))

    def _change(self, text: str) -> bool:
        if text == self.text:
            return False
        self.past.append(self.text)
        self.text = text
        return True

    def undo(self) -> None:
        if self.past:
            self.text = self.past.pop()

    @property
    def unsaved(self) -> str:
        """ "2 changes to /etc/fstab not saved"; "" for none."""
        return f"{counted(len(self.past), 'change')} to {self.name} not saved" if self.past else ""

    @property
    def _file_name(self) -> str:
        """The name that tells the kind of the text: a line is one of fstab."""
        return "fstab" if self.name == LINE else self.name

    @property
    def name_to_save(self) -> str:
        return f"{self._file_name.rsplit('/', 1)[-1]}.fixed"

    def save(self, path: str) -> Path:
        """Writes a new file; returns its absolute path. Raises ValueError, with the reason."""
        try:
            place = Path(path).expanduser()
            if os.path.lexists(place):
                raise ValueError(f"{path} exists; choose another name")
            user_files.save(str(place), self.text.encode("utf-8", "surrogateescape"), 0o644)
        except (OSError, RuntimeError, user_files.WriteError) as error:
            raise ValueError(str(error)) from None
        self.past = []
        return place.absolute()

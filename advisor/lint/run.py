"""`lint_text`: one fstab against the rule base. Lines that say the same are judged once."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from advisor.lint.file_judge import FileJudge
from advisor.lint.finding import INTERNAL, SEVERITIES, Finding, at, from_check
from advisor.lint.rule_index import RuleIndex
from advisor.options.reading import Setting
from advisor.readers.fstab import read
from advisor.readers.fstab.libmount import shown
from advisor.readers.spans import Span
from advisor.rulebase.model import RuleBase
from advisor.sections import Section, SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.file_judge import OpenItem
    from advisor.lint.judge import Judged
    from advisor.lint.read_together import Beside
    from advisor.lint.suppress import Silenced
    from advisor.readers.fstab.entry import Entry
    from advisor.rulebase.model.types import Values


class Result:
    """Findings of one file, in the order of its lines; `open` is what unknown facts left unjudged."""

    def __init__(self, name: str, text: str, index: RuleIndex) -> None:
        self.name = name
        self.text = text
        self._lines: list[str] | None = None
        self.findings: list[Finding] = []
        self.open: list[OpenItem] = []
        self.votes: dict[str, int] = {}
        self.nfs_lines = 0
        self.silenced: list[Silenced] = []
        """Findings that comments in the file keep silent (advisor.lint.suppress.Silenced)."""
        self.rule_index = index
        """What the lines were judged by, for those who explain findings."""
        self.judged: dict[int, Judged] = {}
        """Number of each NFS line → what it was judged to be."""

    @property
    def suppressed(self) -> int:
        """How many findings comments keep silent."""
        return len(self.silenced)

    def line(self, number: int) -> str:
        """A line of the file, without its end."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines[number - 1].rstrip("\r")

    def suppressions(self) -> list[dict[str, object]]:
        """`silenced`, ready for JSON."""
        return [
            {"file": self.name, "line": f.line, "rule": f.rule, "severity": f.severity, "reason": reason}
            for f, reason, _ in self.silenced
        ]


def lint_text(
    text: str | bytes, name: str, rulebase: RuleBase, answers: Mapping[str, Values], index: RuleIndex | None = None,
    *, sections: Sequence[Section] = (), kind: str = "fstab", profiles: Collection[str] = (),
    beside: Sequence[Beside] = (),
) -> Result:
    """Judge one file. `answers`: facts that are known, fact → value (raises the engine's FactError if they clash).
    `sections`: facts of some mounts only (raises SectionError if they clash). `kind`: as in advisor.readers.kinds.
    `profiles`: the security profiles whose checks are made. `beside`: the other files of the run, of which some are
    read together with this one.

    A line on which the program fails is a finding of its own (`internal`), and the others are judged all the same.
    `index`: that of an earlier Result for the same rule base, answers, sections and kind, which remembers much of what
    is asked here."""
    index = index or RuleIndex(rulebase, answers, sections, kind, profiles)
    if kind != "fstab":
        from advisor.lint.other_kinds import judge_other  # noqa: PLC0415  most files are fstab

        try:
            return _silenced(judge_other(index, kind, text, name, beside))
        except SectionError:
            raise
        except Exception as error:
            whole = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
            result = Result(name, whole, index)
            result.findings.append(_failed(index, name, Span(1, 1, len(result.line(1)) + 1), error))
            return result
    fstab = read(text, name)
    result = Result(name, fstab.text, index)
    lines = FileJudge(index, result)
    for entry in fstab.entries:
        try:
            lines.look_at(entry)
        except SectionError:
            raise
        except Exception as error:
            result.findings.append(_failed(index, name, _whole(entry), error))
    if fstab.entries:
        try:
            lines.compare()
        except Exception as error:
            result.findings.append(_failed(index, name, _whole(fstab.entries[0]), error))
    return _silenced(result)


def _silenced(result: Result) -> Result:
    """The same without the findings that comments in the file keep silent, in the order of its lines."""
    if "advisor:" in result.text:
        from advisor.lint.suppress import suppress  # noqa: PLC0415  few files need it

        suppress(result, result.text)
    result.findings.sort(key=order)
    return result


def order(f: Finding) -> tuple[int, int, int, str]:
    return (f.line, f.column, -SEVERITIES.index(f.severity), f.rule)


def _whole(entry: Entry) -> Span:
    return Span(entry.line_no, 1, len(entry.raw) + 1)


def _failed(index: RuleIndex, name: str, place: Span, error: Exception) -> Finding:
    """The finding that says that a line was not judged; with ADVISOR_DEBUG the error itself, raised again."""
    check = index.builtin(INTERNAL)
    if check is None or os.environ.get("ADVISOR_DEBUG"):
        raise error
    words = shown(f"{type(error).__name__}: {error}", 100)[1:-1]
    finding = from_check(check, Setting(None, "source", 0, 0, ""), tunable=None, words=words)
    return at(finding, name, place)

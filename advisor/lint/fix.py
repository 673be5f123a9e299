"""Fix a text: make the fixes of one rule per line, judge the text again, and so on until nothing is left to fix; or fix
one finding of a text that is shown, or accept it with a reason.

Changed lines keep their fields aligned with the lines around them."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.files.fstab import Entry, read
from advisor.files.kinds import BY_ID, JUDGED, identify
from advisor.lint.finding import SEVERITIES, Edit, Finding, apply
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.lint.suppress import accepting_comment, only_silences
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import Section

Judgement = tuple[Sequence[Finding], Iterable[Finding]]
"""All findings in a text, and those of them to fix."""
Judge = Callable[[str], Judgement]
Key = tuple[str, str, tuple[Edit, ...]]
"""The text of a line, a rule, and the edits of its fix. A fix that did no good is not tried again."""
Place = tuple[int, str, "str | None"]
"""A line, a rule and a setting."""

MAX_TEXTS = 100
"""Texts that a line may go through; real ones need two or three."""
MAX_PASSES = 150
"""Times that the text is judged before the remaining fixes are given up."""
ALL = 1 << 30
"""More fixes than any text has."""
_WORD = r"[^ \t]+"
TAB = 8
FIELDS = 6
"""Fields of a complete line. Anything after them is a comment, and not a column of the table."""
SAFETIES = frozenset({"safe", "unsafe"})


class Fixed(NamedTuple):
    """A text after fixing. `done`: findings whose fixes were made. `refused`: findings whose fixes were not made,
    because they would have caused an error, led in a circle or improved nothing."""

    text: str
    done: tuple[Finding, ...]
    refused: tuple[Finding, ...]


def fix_text(text: str, judge: Judge, safeties: frozenset[str], *, fstab: bool = True) -> Fixed:
    """Make the fixes whose safety ("safe", "unsafe") is among `safeties`. `fstab`: whether the text is an fstab.

    Lines that mount(8) ignores stay as they are, and so does a line that would have more errors after a fix. The number
    of lines never changes."""
    return _Fixer(text, judge, safeties, fstab).run()


class _Attempt(NamedTuple):
    """The fixes of one line in one pass, and the line before and after them."""

    before: str
    fixes: list[Finding]
    after: str


def _attempt(line: str, findings: list[Finding]) -> _Attempt:
    edits = dict.fromkeys(edit for finding in findings for edit in _edits(finding))
    return _Attempt(line, findings, apply(line, edits))


class _Fixer:
    def __init__(self, text: str, judge: Judge, safeties: frozenset[str], fstab: bool) -> None:
        self.fstab = fstab
        self.original = text.split("\n")
        self.lines = list(self.original)
        self.judge, self.safeties = judge, safeties
        self.done: dict[int, list[Finding]] = {}
        self.refused: dict[int, list[Finding]] = {}
        self.barred: set[Key] = set()
        self.harmful: set[tuple[int, str, str]] = set()
        """Lines, rules and messages."""
        self.seen = {number: {line} for number, line in enumerate(self.original, 1)}
        self.shares: dict[int, int] = {}
        """Line → fixes per pass, for lines in which a fix did harm: halved until it is known which, then doubled."""
        self.share = ALL
        """Fixes per pass in the whole text, likewise, after a fix of one line did harm to another line."""
        self.closed: set[int] = set()
        """Lines whose fixes lead in a circle."""
        self.passes = 0

    def run(self) -> Fixed:
        findings, wanted = self._judge_text("\n".join(self.lines))
        first = _errors(findings)
        while chosen := self._choose(wanted):
            if self.passes >= MAX_PASSES:
                for number, given_up in chosen.items():
                    self.refused.setdefault(number, []).extend(given_up)
                break
            attempts = {number: _attempt(self.lines[number - 1], fixes) for number, fixes in chosen.items()}
            for number, attempt in attempts.items():
                self.lines[number - 1] = attempt.after
            findings, wanted = self._weed(attempts, findings)
            for number, attempt in attempts.items():
                self.seen[number].add(attempt.after)
                self.done.setdefault(number, []).extend(attempt.fixes)
                self.shares[number] = 2 * self.shares.get(number, ALL)
            if attempts:
                self.share *= 2
        for number in _errors(findings) - first:  # a fix that would have gone on with it was not made
            self.lines[number - 1] = self.original[number - 1]
            self.refused.setdefault(number, []).extend(self.done.pop(number, []))
        done, refused = (tuple(f for n in sorted(d) for f in d[n]) for d in (self.done, self.refused))
        return Fixed(self._settled(), done, tuple({_place(finding): finding for finding in refused}.values()))

    def _weed(self, attempts: dict[int, _Attempt], earlier: Sequence[Finding]) -> Judgement:
        """Undo what does harm, and remove it from `attempts`, until none is left. Returns the judgement of the rest."""
        harmful: dict[int, _Attempt] = {}
        while True:
            text = "\n".join(self.lines)
            findings, wanted = self._judge_text(text)
            bad = self._bad(attempts, earlier, findings, text)
            if not bad and not (_errors(findings) - _errors(earlier)).keys() <= attempts.keys():
                # The new error is in a line that was not changed: one of these fixes caused it.
                number_of_fixes = sum(len(attempt.fixes) for attempt in (*attempts.values(), *harmful.values()))
                if number_of_fixes > 1:
                    self.share = number_of_fixes // 2
                    harmful.clear()
                    bad = []
                    for number, attempt in attempts.items():
                        self.lines[number - 1] = attempt.before
                    attempts.clear()
                    continue
                bad = list(attempts)
            for number in bad:
                harmful[number] = attempts.pop(number)
                self.lines[number - 1] = harmful[number].before
            if not bad:
                break
        for number, attempt in harmful.items():
            self._blame(number, attempt)
        final = "\n".join(self.lines)
        return (findings, wanted) if final == text else self._judge_text(final)

    def _judge_text(self, text: str) -> Judgement:
        self.passes += 1
        return self.judge(text)

    def _choose(self, wanted: Iterable[Finding]) -> dict[int, list[Finding]]:
        """The fixes of this pass by line: those of one rule, none of which overlaps or touches another.

        The gravest finding goes first, wherever it is in the line: a fix may make another one right or wrong, and the
        result must not depend on the order of the options. A fix that did harm goes last: it is barred only as long as
        its line stays the same, and would be tried again after every other fix."""
        readable: Mapping[int, Entry] | None = None if self.fstab else {}
        chosen: dict[int, list[Finding]] = {}
        taken: dict[int, _Taken] = {}
        room = self.share

        def urgency(finding: Finding) -> tuple[int, bool, int, str]:
            harmful = (finding.line, finding.rule, finding.message) in self.harmful
            return finding.line, harmful, -SEVERITIES.index(finding.severity), finding.rule

        for finding in sorted(wanted, key=urgency):
            if not room:
                break
            fix = finding.fix
            if fix is None or fix.safety not in self.safeties or not fix.edits:
                continue
            if readable is None:
                readable = {e.line_no: e for e in read("\n".join(self.lines)).entries if e.libmount == "ok"}
            number = finding.line
            line = self.lines[number - 1]
            if (self.fstab and number not in readable) or number in self.closed:
                continue
            if any(edit.line != number or "\n" in edit.text for edit in fix.edits):
                continue
            if (line, finding.rule, fix.edits) in self.barred:
                continue
            before = chosen.get(number, [])
            if len(before) >= self.shares.get(number, ALL):
                continue
            same_rule = not before or finding.rule == before[0].rule
            if taken.setdefault(number, _Taken()).take(fix.edits, same_rule):
                chosen.setdefault(number, []).append(finding)
                room -= 1
        return chosen

    def _bad(
        self, attempts: Mapping[int, _Attempt], earlier: Sequence[Finding], now: Sequence[Finding], text: str
    ) -> list[int]:
        """The lines that this pass made worse."""
        entries = {entry.line_no: entry for entry in read(text).entries} if self.fstab else {}
        had, has = Counter(_place(f) for f in earlier), Counter(_place(f) for f in now)
        worse = self._stuck(now) - self._stuck(earlier)
        return [
            number
            for number, attempt in attempts.items()
            if (self.fstab and (number not in entries or entries[number].libmount != "ok" or not _whole(attempt)))
            or number in worse
            or self._circles(number, attempt)
            or any(has[_place(f)] >= had[_place(f)] for f in attempt.fixes)
        ]

    def _stuck(self, findings: Iterable[Finding]) -> Counter[int]:
        """Line → the number of its errors that no further fix can remove."""
        return _errors(f for f in findings if f.fix is None or f.fix.safety not in self.safeties)

    def _circles(self, number: int, attempt: _Attempt) -> bool:
        return attempt.after in self.seen[number] or len(self.seen[number]) > MAX_TEXTS

    def _blame(self, number: int, attempt: _Attempt) -> None:
        if len(attempt.fixes) > 1:
            self.shares[number] = len(attempt.fixes) // 2
            return
        self.harmful.add((number, attempt.fixes[0].rule, attempt.fixes[0].message))
        self.barred.add((attempt.before, attempt.fixes[0].rule, _edits(attempt.fixes[0])))
        self.refused.setdefault(number, []).append(attempt.fixes[0])
        if attempt.after != attempt.before and self._circles(number, attempt):
            # No text of the circle is better than the others, so the line stays as it was.
            self.closed.add(number)
            self.lines[number - 1] = self.original[number - 1]
            self.refused[number] += self.done.pop(number, [])

    def _settled(self) -> str:
        if self.lines == self.original or not self.fstab:
            return "\n".join(self.lines)
        numbers = [entry.line_no for entry in read("\n".join(self.original)).entries]
        near = {n: (above, below) for above, n, below in zip([0, *numbers], numbers, [*numbers[1:], 0])}
        settled = list(self.lines)
        for number, (old, new) in enumerate(zip(self.original, self.lines), 1):
            if new != old:
                above, below = (self.original[n - 1] if n else "" for n in near[number])
                settled[number - 1] = settle(old, new, above, below)
        return "\n".join(settled)


def _edits(finding: Finding) -> tuple[Edit, ...]:
    return finding.fix.edits if finding.fix is not None else ()


def _errors(findings: Iterable[Finding]) -> Counter[int]:
    """How many errors each line has."""
    return Counter(finding.line for finding in findings if finding.severity == "error")


def _whole(attempt: _Attempt) -> bool:
    """Whether the line still has as many words, or got fields that were missing."""
    had, has = len(words(attempt.before)), len(words(attempt.after))
    return has == had or had < has <= FIELDS


def _place(finding: Finding) -> Place:
    """The line, and what is wrong with it: one rule may refuse several options, one of them after another was fixed."""
    return (finding.line, finding.rule, finding.tunable)


class _Taken:
    """Edits of one line, in order, none of which touches another."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []

    def take(self, edits: Iterable[Edit], more: bool) -> bool:
        """Take the edits of a fix, and return whether that was possible: all of them were taken already, or `more` may
        be taken and none touches another."""
        if all(edit in self._near(edit) for edit in edits):
            return True
        if not more or any(
            edit.column <= other.end_column and other.column <= edit.end_column
            for edit in edits for other in self._near(edit)
        ):
            return False
        for edit in edits:
            insort(self.edits, edit)
        return True

    def _near(self, edit: Edit) -> list[Edit]:
        at = bisect_left(self.edits, edit)
        return self.edits[max(at - 1, 0) : at + 1]


def settle(before: str, after: str, above: str, below: str) -> str:
    """`after`, an edited `before`, with more or fewer blanks after each changed field.

    The next field keeps its column if the entry `above` or `below` has the same one; if it was pushed out of such a
    column and has room again, it moves back. At least one blank remains before it. A mix of spaces and tabs stays as it
    is."""
    old, new = words(before), words(after)
    if len(old) != len(new):
        return after
    own, neighbours = TableRow(before), (TableRow(above), TableRow(below))
    settled = after[: new[0][0]] if new else after
    for index, (start, end) in enumerate(new):
        settled += after[start:end]
        if index + 1 in (len(new), FIELDS):
            return settled + after[end:]
        blanks = after[end : new[index + 1][0]]
        if after[start:end] != before[old[index][0] : old[index][1]]:
            column = _column(own, index + 1, neighbours)
            if column is not None:
                blanks = _reaching(column, width(settled), blanks)
        settled += blanks
    return settled


class TableRow:
    """A line as a row of a table: `starts`, the screen columns of its words, and `gaps`, the columns before each."""

    __slots__ = ("gaps", "starts")

    def __init__(self, line: str) -> None:
        fields = words(line)[:FIELDS]
        self.starts = [width(line[:start]) for start, _ in fields]
        ends = [0, *(width(line[:end]) for _, end in fields)]
        self.gaps = [start - end for start, end in zip(self.starts, ends)]


def _column(own: TableRow, index: int, neighbours: Iterable[TableRow]) -> int | None:
    """The column at which the word `index` should start; None if no neighbour shows that the table has columns.

    Words that line up only because those before them are equally long do not show it."""
    start, gap = own.starts[index], own.gaps[index]
    for row in neighbours:
        if len(row.starts) > index and row.starts[index] == start and max(gap, row.gaps[index]) > 1:
            return start
    for row in neighbours:
        below = len(row.starts) > index and row.starts[index - 1] == own.starts[index - 1]
        if below and row.starts[index] < start and row.gaps[index] > gap:
            return row.starts[index]
    return None


def words(line: str) -> list[tuple[int, int]]:
    """The start and end of each word of a line, without a carriage return at its end."""
    return [match.span() for match in re.finditer(_WORD, line.removesuffix("\r"))]


def width(text: str) -> int:
    """The screen column behind `text`."""
    return len(text.expandtabs(TAB)) if "\t" in text else len(text)


def _reaching(column: int, start: int, blanks: str) -> str:
    """Blanks of the same kind that lead from `start` to `column`; `blanks` if none do."""
    if column <= start or len(set(blanks)) != 1:
        return blanks
    if blanks[0] == " ":
        return " " * (column - start)
    tabs = column // TAB - start // TAB
    return "\t" * tabs if column % TAB == 0 else blanks


class JudgedFile(NamedTuple):
    """`area`: area of the host that it belongs to; `findings`: those of `result` that are reported; `facts`: those
    that it was judged by; `written`: it is a file, not a state in effect."""

    area: str
    result: Result
    findings: tuple[Finding, ...]
    facts: Mapping[str, Values]
    written: bool


LookAtHost = Callable[[Mapping[str, "Values"]], list[JudgedFile]]
"""Checks this host, with these facts. Raises ValueError or OSError."""


def kind_of(text: str, name: str) -> str | None:
    """The kind of a text; None if the linter does not judge it."""
    kind = identify(text, name)
    return kind if kind in JUDGED else None


def lint_file(
    base: RuleBase, text: str, name: str, facts: Mapping[str, Values], sections: Sequence[Section] = ()
) -> Result:
    """Lints a file. `sections`: facts of some mounts. Raises ValueError for a kind that is not judged, FactError for
    contradictory facts."""
    kind = kind_of(text, name)
    if kind is None:
        raise ValueError(f"{name}: this does not look like a file that advisor judges")
    return lint_text(text, name, base, facts, kind=kind, sections=sections)


def fix_finding(
    base: RuleBase, text: str, name: str, facts: Mapping[str, Values], finding: Finding, *,
    sections: Sequence[Section] = (),
) -> str:
    """The text with this finding fixed; unchanged if it has no fix, or the fix would cause another finding."""

    def judge(now: str) -> tuple[list[Finding], list[Finding]]:
        findings = lint_file(base, now, name, facts, sections).findings
        return findings, [other for other in findings if (other.rule, other.line) == (finding.rule, finding.line)]

    return fix_text(text, judge, SAFETIES, fstab=kind_of(text, name) == "fstab").text


def accept(
    base: RuleBase, text: str, name: str, facts: Mapping[str, Values], finding: Finding, *, reason: str,
    sections: Sequence[Section] = (),
) -> str:
    """The text with a comment that suppresses a finding; unchanged if a comment would not do that, or would do
    anything else, as in files that have no comments."""
    kind = kind_of(text, name)
    if kind is None or not BY_ID[kind].commented:
        return text
    line, comment = accepting_comment(text, finding, " ".join(reason.split()))
    lines = text.split("\n")
    accepted = "\n".join([*lines[: line - 1], comment.removesuffix("\n"), *lines[line - 1 :]])
    if kind_of(accepted, name) != kind:
        return text
    before, after = (lint_file(base, version, name, facts, sections).findings for version in (text, accepted))
    return accepted if only_silences(before, after, finding) else text

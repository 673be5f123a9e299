"""Fixes of a text: one rule a line, then another look, until nothing is left to do. No files here."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.lint.edits import FIELDS, apply, settle, words
from advisor.lint.finding import SEVERITIES, Edit, Finding
from advisor.named_tuple import NamedTuple
from advisor.readers.fstab import Entry, read

Judge = Callable[[str], tuple[Sequence[Finding], Iterable[Finding]]]
"""A text → all findings in it, and those of them that are to be fixed."""
Key = tuple[str, str, tuple[Edit, ...]]
"""The text of a line, a rule, and the edits of its fix: what was tried and did no good is not tried again."""

PATIENCE = 100
"""How many texts a line may go through; real ones need two or three."""
LOOKS = 500
"""How often the text is looked at before the fixes that are left are given up."""
ALL = 1 << 30
"""More fixes than any text has."""


class Fixed(NamedTuple):
    """A text after fixing. `done`: findings whose fixes were made. `refused`: those whose fixes would have caused an
    error, led in a circle or improved nothing; none of these was made."""

    text: str
    done: tuple[Finding, ...]
    refused: tuple[Finding, ...]


def fix_text(text: str, judge: Judge, safeties: frozenset[str], *, fstab: bool = True) -> Fixed:
    """Make the fixes that are of one of these `safeties` ("safe", "unsafe"). `fstab`: whether the text is one.

    Lines that mount(8) ignores are left alone, and so is a line where a fix would leave more errors than there were.
    The number of lines never changes."""
    return _Fixer(text, judge, safeties, fstab).run()


class _Try(NamedTuple):
    """The fixes of one line in one pass, and what they make of it."""

    before: str
    fixes: list[Finding]
    after: str


def _try(line: str, fixes: list[Finding]) -> _Try:
    edits = dict.fromkeys(edit for finding in fixes for edit in _edits(finding))
    return _Try(line, fixes, apply(line, edits))


class _Fixer:
    def __init__(self, text: str, judge: Judge, safeties: frozenset[str], fstab: bool) -> None:
        self.fstab = fstab
        self.original = text.split("\n")
        self.lines = list(self.original)
        self.judge, self.safeties = judge, safeties
        self.done: dict[int, list[Finding]] = {}
        self.refused: dict[int, list[Finding]] = {}
        self.barred: set[Key] = set()
        self.seen = {number: {line} for number, line in enumerate(self.original, 1)}
        self.shares: dict[int, int] = {}
        """Fixes a pass of lines where one did harm: ever fewer, until it is known which."""
        self.share = ALL
        """The same for all of the text, where one line did harm to another."""
        self.closed: set[int] = set()
        """Lines whose fixes lead in a circle."""
        self.looks = 0

    def run(self) -> Fixed:
        findings, wanted = self._look("\n".join(self.lines))
        while chosen := self._choose(wanted):
            if self.looks >= LOOKS:
                for number, left in chosen.items():
                    self.refused.setdefault(number, []).extend(left)
                break
            tries = {number: _try(self.lines[number - 1], fixes) for number, fixes in chosen.items()}
            for number, one in tries.items():
                self.lines[number - 1] = one.after
            findings, wanted = self._weed(tries, findings)
            for number, one in tries.items():
                self.seen[number].add(one.after)
                self.done.setdefault(number, []).extend(one.fixes)
                self.shares[number] = 2 * self.shares.get(number, ALL)
            if tries:
                self.share *= 2
        done, refused = (tuple(f for n in sorted(d) for f in d[n]) for d in (self.done, self.refused))
        return Fixed(self._settled(), done, tuple({_place(finding): finding for finding in refused}.values()))

    def _weed(self, tries: dict[int, _Try], earlier: Sequence[Finding]) -> tuple[Sequence[Finding], Iterable[Finding]]:
        """Take back, and out of `tries`, what does harm; look until no harm is left, and return what is found then."""
        harmful: dict[int, _Try] = {}
        while True:
            text = "\n".join(self.lines)
            findings, wanted = self._look(text)
            bad = self._bad(tries, earlier, findings, text)
            if not bad and _errors(findings) - _errors(earlier):
                # In a line that was not touched: one of these got in its way.
                number_of_fixes = sum(len(one.fixes) for one in (*tries.values(), *harmful.values()))
                if number_of_fixes > 1:
                    self.share = number_of_fixes // 2
                    harmful.clear()
                    bad = []
                    for number, one in tries.items():
                        self.lines[number - 1] = one.before
                    tries.clear()
                    continue
                bad = list(tries)
            for number in bad:
                harmful[number] = tries.pop(number)
                self.lines[number - 1] = harmful[number].before
            if not bad:
                break
        for number, one in harmful.items():
            self._blame(number, one)
        left = "\n".join(self.lines)
        return (findings, wanted) if left == text else self._look(left)

    def _look(self, text: str) -> tuple[Sequence[Finding], Iterable[Finding]]:
        self.looks += 1
        return self.judge(text)

    def _choose(self, wanted: Iterable[Finding]) -> dict[int, list[Finding]]:
        """The fixes of this pass by line: those of one rule, none of which overlaps or touches another.

        The gravest finding goes first, whatever its place in the line: what a fix does may make another one right or
        wrong, and the same options are to come out the same in any order."""
        readable: Mapping[int, Entry] | None = None if self.fstab else {}
        chosen: dict[int, list[Finding]] = {}
        taken: dict[int, _Taken] = {}
        room = self.share
        for finding in sorted(wanted, key=lambda f: (f.line, -SEVERITIES.index(f.severity), f.rule)):
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
        self, tries: Mapping[int, _Try], earlier: Sequence[Finding], now: Sequence[Finding], text: str
    ) -> list[int]:
        """Lines of this pass that are worse off for it."""
        entries = {entry.line_no: entry for entry in read(text).entries} if self.fstab else {}
        had, has = Counter(_place(f) for f in earlier), Counter(_place(f) for f in now)
        worse = _errors(now) - _errors(earlier)
        return [
            number
            for number, one in tries.items()
            if (self.fstab and (number not in entries or entries[number].libmount != "ok" or not _whole(one)))
            or number in worse
            or self._circles(number, one)
            or any(has[_place(f)] >= had[_place(f)] for f in one.fixes)
        ]

    def _circles(self, number: int, one: _Try) -> bool:
        return one.after in self.seen[number] or len(self.seen[number]) > PATIENCE

    def _blame(self, number: int, one: _Try) -> None:
        if len(one.fixes) > 1:
            self.shares[number] = len(one.fixes) // 2
            return
        self.barred.add((one.before, one.fixes[0].rule, _edits(one.fixes[0])))
        self.refused.setdefault(number, []).append(one.fixes[0])
        if one.after != one.before and self._circles(number, one):
            # Nobody can say where to stop, so the line stays as it was.
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


def _whole(one: _Try) -> bool:
    """Whether the line still has as many words; fields that were missing may have come."""
    had, has = len(words(one.before)), len(words(one.after))
    return has == had or had < has <= FIELDS


def _place(finding: Finding) -> tuple[int, str]:
    return (finding.line, finding.rule)


class _Taken:
    """Edits of one line of which none touches another, in order."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []

    def take(self, edits: Iterable[Edit], more: bool) -> bool:
        """Take the edits of one fix where none touches one that is there, if `more` may come; all of them may be there
        already."""
        if all(edit in self._near(edit) for edit in edits):
            return True
        if not more or any(_touch(edit, other) for edit in edits for other in self._near(edit)):
            return False
        for edit in edits:
            insort(self.edits, edit)
        return True

    def _near(self, edit: Edit) -> list[Edit]:
        at = bisect_left(self.edits, edit)
        return self.edits[max(at - 1, 0) : at + 1]


def _touch(one: Edit, other: Edit) -> bool:
    return one.column <= other.end_column and other.column <= one.end_column

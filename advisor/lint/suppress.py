"""Comments that ask for silence (`# advisor: ignore[rule, …] reason`): what they keep silent, and which do nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.lint.finding import Finding, at, from_check
from advisor.named_tuple import NamedTuple
from advisor.options.reading import Setting
from advisor.readers.spans import Span
from advisor.readers.suppressions import Suppression, suppressions
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.run import Result

SLUG = "unused-suppression"
MAX_GUESSES = 20
"""Names in a file for which a similar one is looked for, which takes long: a file with more has no slips."""


class Silenced(NamedTuple):
    """A finding that is not told. `reason`: as the comment gives it, "" for none. `elsewhere`: a baseline accepts it,
    and no comment in the file."""

    finding: Finding
    reason: str
    elsewhere: bool = False


def suppress(result: Result, text: str) -> None:
    """Move the findings of a Result that comments in its text ask not to tell from `findings` to `silenced`.

    Comments that suppress nothing, or are not understood, become findings themselves."""
    comments = _comments(result.rule_index.kind, text)
    if not comments:
        return
    notes = _Comments(result, _move(result, comments))
    for one in comments:
        if SLUG not in one.slugs:
            result.findings += notes.useless(one)


def silence(result: Result, kind: str) -> None:
    """The same for findings that were added after a file of this kind was judged; the comments themselves are not
    reported."""
    if "advisor:" in result.text:
        _move(result, _comments(kind, result.text))


def _comments(kind: str, text: str) -> Sequence[Suppression]:
    """The comments of a text; in fstab a backslash continues nothing and ; starts no comment."""
    fstab = kind == "fstab"
    return suppressions(text, signs="#" if fstab else "#;", continued=not fstab)


def _move(result: Result, comments: Sequence[Suppression]) -> set[tuple[int | None, str]]:
    """Move what these comments keep silent. Returns (line that the comment is about, rule) of what they did."""
    asked: dict[tuple[int, str], Suppression] = {}
    for one in reversed(comments):
        for slug in one.slugs if one.target else ():
            for line in range(one.target or 0, one.last + 1):
                asked.setdefault((line, slug), one)
    kept: list[Finding] = []
    used: set[tuple[int | None, str]] = set()
    for finding in result.findings:
        by = asked.get((finding.line, finding.rule))
        if by is None:
            kept.append(finding)
        else:
            result.silenced.append(Silenced(finding, by.reason))
            used.add((by.target, finding.rule))
    result.findings = kept
    return used


class _Comments:
    """Tells which comments do nothing. `used`: (line, rule) of what they silenced."""

    def __init__(self, result: Result, used: set[tuple[int | None, str]]) -> None:
        self.result, self.used = result, used
        self.guesses = MAX_GUESSES

    def useless(self, one: Suppression) -> Iterator[Finding]:
        """Findings about one comment. A comment is not useless while an unknown fact may still call for it."""
        known = self.result.rule_index.rulebase
        start, end = one.span.column - 1, one.span.end_column - 1
        text = self.result.line(one.line)
        if not one.slugs:
            yield from self._said(one.line, start, end, one.problem or "")
            return
        end = text.find("[", start)
        for slug in one.slugs:
            start = text.find(slug, end)
            end = start + len(slug)
            where = (one.line, start, end)
            if not any(slug in table for table in (known.checks, known.errata)) and _decision(known, slug) is None:
                yield from self._said(*where, f"no rule is called {slug}{self._near(slug)}")
            elif one.target is None:
                yield from self._said(*where, one.problem or "")
            elif (one.target, slug) not in self.used and not _open(self.result, slug, one.target):
                yield from self._said(*where, f"line {one.target} has no finding {slug} to suppress")

    def _near(self, slug: str) -> str:
        if not self.guesses:
            return ""
        self.guesses -= 1
        from advisor.rulebase.problems import near  # noqa: PLC0415  seldom needed

        hint = near(slug, self.result.rule_index.rulebase.rule_names, "")
        return f"; {hint}" if hint else ""

    def _said(self, line: int, start: int, end: int, words: str) -> Iterator[Finding]:
        check = self.result.rule_index.builtin(SLUG)
        if check is not None:
            text = self.result.line(line)[start:end]
            finding = from_check(check, Setting(None, "source", 0, 0, text), tunable=None, words=words)
            yield at(finding, self.result.name, Span(line, start + 1, end + 1))


def _open(result: Result, rule: str, line: int) -> bool:
    """Whether the rule may yet find something in the line, were more facts known."""
    index, judged = result.rule_index, result.judged.get(line)
    check = index.rulebase.checks.get(rule)
    if check is not None and (check.host or check.sides):
        return True  # only a whole host shows it, or two of them do
    if judged is None and index.kind == "fstab":
        return False
    state = judged.state if judged else index.state
    decision = _decision(index.rulebase, rule)
    if decision is not None:
        possible = {name for _, name in index.reach(decision, state)}
        return rule in possible and len(possible) > 1
    if check is None:
        facts = index.rulebase.errata[rule].facts
        return any(index.holds(f"erratum:{rule}:{fact}", state) is not False for fact in facts)
    if check.builtin:
        return judged is not None and bool(judged.open)
    return bool(check.when) and index.holds(f"check:{rule}", state) is None


def _decision(rulebase: RuleBase, rule: str) -> str | None:
    return next((name for name, decision in rulebase.decisions.items() if rule in decision.rules), None)

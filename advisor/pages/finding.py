"""The page on one finding: reason, facts, the rule that won, the rules that it beat, and all sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from advisor.advice.arguments import citations
from advisor.pages.blocks import Block, Document, text
from advisor.pages.claims import cite
from advisor.pages.formats.text import snippet
from advisor.pages.style import Style
from advisor.pages.wording import OTHERWISE, condition, outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.evidence import Evidence, RuleSide
    from advisor.lint.finding import Finding, Fix
    from advisor.pages.blocks import TextLike
    from advisor.rulebase.model import Check, RuleBase

_CONFIDENCE = {"medium": "medium, since it rests on a platform that was inferred", "low": "likely, not certain"}


def finding_page(
    base: RuleBase, f: Finding, behind: Evidence, line: Callable[[str, int], str], columns: int
) -> list[Block]:
    """A page on one finding, with its line. `line`: returns a line by file and number; `columns`: the page's width."""
    page = Document()
    page.heading(text(f.message), 1)
    page.para(f"{f.severity}, line {f.line} ({f.rule})")
    marks = [(at.column, at.end_column, at.severity) for at in (f, *f.also)]
    page.code("\n".join(snippet(f.line, line(f.file, f.line), marks, columns - 4, Style(False))), "text")
    page.add(finding_proof(base, f, behind, line))
    return page.blocks


def finding_proof(base: RuleBase, f: Finding, behind: Evidence, line: Callable[[str, int], str]) -> list[Block]:
    """The page on a finding without its message and line."""
    page = Document()
    page.pairs(_proof_rows(f, behind, line))
    cite(page, base, citations(base, f.cites), "Sources", f.tunable)
    return page.blocks


def _proof_rows(f: Finding, behind: Evidence, line: Callable[[str, int], str]) -> Iterator[tuple[str, TextLike]]:
    yield "why", f.why
    yield "otherwise", OTHERWISE.get(f.consequence, "")
    yield "do", f.remedy
    if f.fix is not None:
        yield "fix", f"{f.fix.safety}; " + "; ".join(_fixed_lines(f.file, f.fix, line))
    yield "confidence", _CONFIDENCE.get(f.confidence, "")
    yield "depends on", ", ".join(f.depends_on)
    yield "found where", _condition_text(behind.check)
    for number, side in enumerate(behind.wins):
        yield "and" if number else "rule", _rule_text(side)
    for known in behind.known:
        cites = f"; {', '.join(known.cites)}" if known.cites else ""
        yield "fact", f"{known.fact} is {known.value} ({known.origin}{cites})"
    for side in behind.beaten:
        yield "beats", _rule_text(side)


def _condition_text(check: Check | None) -> str:
    """What a check looks for, in words; "" for a check in Python."""
    if check is None:
        return ""
    parts = [condition(part) for part in (check.on, check.when) if part]
    pair = check.pair
    if pair:
        differ = f" and differ in {', '.join(pair.differ)}" if pair.differ else ""
        parts.insert(0, f"two lines are alike in {', '.join(pair.same)}{differ}")
    return "; ".join(parts)


def _rule_text(side: RuleSide) -> str:
    return f"{side.rule} ({side.layer}): {outcome(side.value)}{f', if {side.needs}' if side.needs else ''}"


def _fixed_lines(file: str, fix: Fix, line: Callable[[str, int], str]) -> Iterator[str]:
    """The lines that a fix changes, after the fix, with single spaces between fields."""
    for number in dict.fromkeys(edit.line for edit in fix.edits):
        words = line(file, number)
        for edit in sorted((e for e in fix.edits if e.line == number), key=lambda e: -e.column):
            words = words[: edit.column - 1] + edit.text + words[edit.end_column - 1 :]
        yield f"line {number} becomes {' '.join(words.split())}"

"""An existing file, or one line: what the linter finds in it, and one finding fixed, or accepted with a
reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.lint.finding import Finding
from advisor.lint.fix import fix_text
from advisor.lint.run import Result, lint_text
from advisor.readers.kinds import JUDGED, identify
from advisor.rulebase.model import RuleBase

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

SAFETIES = frozenset({"safe", "unsafe"})


class JudgedFile(NamedTuple):
    """`area`: of the host; `findings`: those of `result` that are shown; `facts`: those that it was judged with;
    `written`: whether it is a file, and not a state in effect."""

    area: str
    result: Result
    findings: tuple[Finding, ...]
    facts: Mapping[str, Values]
    written: bool


LookAtHost = Callable[[Mapping[str, "Values"]], list[JudgedFile]]
"""Checks this host, with these facts. Raises ValueError or OSError."""


def kind_of(text: str, name: str) -> str | None:
    """The kind of a text; None if it is not judged."""
    kind = identify(text, name)
    return kind if kind in JUDGED else None


def lint_file(base: RuleBase, text: str, name: str, facts: Mapping[str, Values]) -> Result:
    """What the linter finds. Raises ValueError for a kind that is not judged, FactError for contradictory facts."""
    kind = kind_of(text, name)
    if kind is None:
        raise ValueError(f"{name}: this does not look like a file that advisor judges")
    return lint_text(text, name, base, facts, kind=kind)


def fix_finding(base: RuleBase, text: str, name: str, facts: Mapping[str, Values], finding: Finding) -> str:
    """The text with this finding fixed, as far as that does no harm; unchanged if it has no fix."""

    def judge(now: str) -> tuple[list[Finding], list[Finding]]:
        found = lint_file(base, now, name, facts).findings
        return found, [one for one in found if (one.rule, one.line) == (finding.rule, finding.line)]

    return fix_text(text, judge, SAFETIES, fstab=kind_of(text, name) == "fstab").text


def accept(text: str, finding: Finding, reason: str) -> str:
    """The text with a comment before the line that silences the finding from now on."""
    lines = text.split("\n")
    lines.insert(finding.line - 1, f"# advisor: ignore[{finding.rule}] {' '.join(reason.split())}")
    return "\n".join(lines)

"""A file, or one line, that somebody has: what the linter says of it, one finding mended, or accepted with a reason."""

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
    """`area`: of the host; `findings`: those of `result` that are told; `facts`: what is known where it was judged;
    `written`: it is a file, and not what is in effect."""

    area: str
    result: Result
    findings: tuple[Finding, ...]
    facts: Mapping[str, Values]
    written: bool


LookAtHost = Callable[[Mapping[str, "Values"]], list[JudgedFile]]
"""Checks this host, with these facts. Raises ValueError or OSError where it cannot."""


def kind_of(text: str, name: str) -> str | None:
    """The kind of a text, None for one that is not judged."""
    kind = identify(text, name)
    return kind if kind in JUDGED else None


def checked(base: RuleBase, text: str, name: str, facts: Mapping[str, Values]) -> Result:
    """What the linter says. Raises ValueError for a text of no kind that is judged, FactError for facts that clash."""
    kind = kind_of(text, name)
    if kind is None:
        raise ValueError(f"{name}: this does not look like a file that advisor judges")
    return lint_text(text, name, base, facts, kind=kind)


def mended(base: RuleBase, text: str, name: str, facts: Mapping[str, Values], finding: Finding) -> str:
    """The text with the fix of this finding made, as far as it does no harm; the same where it has none."""

    def judge(now: str) -> tuple[list[Finding], list[Finding]]:
        found = checked(base, now, name, facts).findings
        return found, [one for one in found if (one.rule, one.line) == (finding.rule, finding.line)]

    return fix_text(text, judge, SAFETIES, fstab=kind_of(text, name) == "fstab").text


def accepted(text: str, finding: Finding, reason: str) -> str:
    """The text with a comment before the line that keeps the finding silent from now on."""
    lines = text.split("\n")
    lines.insert(finding.line - 1, f"# advisor: ignore[{finding.rule}] {' '.join(reason.split())}")
    return "\n".join(lines)

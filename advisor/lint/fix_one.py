"""Lints a text that is shown, and fixes one of its findings, or accepts it with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.files.kinds import BY_ID, JUDGED, identify
from advisor.lint.finding import Finding
from advisor.lint.fix import fix_text
from advisor.lint.run import Result, lint_text
from advisor.lint.suppress import accepting_comment, only_silences
from advisor.rulebase.model import RuleBase

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


SAFETIES = frozenset({"safe", "unsafe"})


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


def lint_file(base: RuleBase, text: str, name: str, facts: Mapping[str, Values]) -> Result:
    """Lints a file. Raises ValueError for a kind that is not judged, FactError for contradictory facts."""
    kind = kind_of(text, name)
    if kind is None:
        raise ValueError(f"{name}: this does not look like a file that advisor judges")
    return lint_text(text, name, base, facts, kind=kind)


def fix_finding(base: RuleBase, text: str, name: str, facts: Mapping[str, Values], finding: Finding) -> str:
    """The text with this finding fixed; unchanged if it has no fix, or the fix would cause another finding."""

    def judge(now: str) -> tuple[list[Finding], list[Finding]]:
        findings = lint_file(base, now, name, facts).findings
        return findings, [other for other in findings if (other.rule, other.line) == (finding.rule, finding.line)]

    return fix_text(text, judge, SAFETIES, fstab=kind_of(text, name) == "fstab").text


def accept(
    base: RuleBase, text: str, name: str, facts: Mapping[str, Values], finding: Finding, *, reason: str
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
    before, after = (lint_file(base, version, name, facts).findings for version in (text, accepted))
    return accepted if only_silences(before, after, finding) else text

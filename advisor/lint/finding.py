"""The finding: one setting, or its absence, that no rule supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value, Values

SEVERITIES = ("note", "warning", "error")
"""Weakest first."""
SEVERITY_OF = {"must": "error", "should": "warning", "may": "note"}
"""A rule's strength, as the severity of a finding."""


INTERNAL = "internal"
"""The rule of a line on which this program failed. It is told whatever rules are selected."""


def at_least(severity: str, threshold: str) -> bool:
    """True if `severity` is `threshold` or worse; both one of SEVERITIES."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(threshold)


class Edit(NamedTuple):
    """Replace the characters [column, end_column) of a line (1-based) by `text`."""

    line: int
    column: int
    end_column: int
    text: str


class Fix(NamedTuple):
    """A change that removes the finding. `safety`: "safe" changes no behaviour that anyone relies on, else "unsafe"."""

    safety: str
    edits: tuple[Edit, ...]


class Joint(NamedTuple):
    """For a setting with a twin: what speaks of `both` where the twin's finding, of this rule and tunable, is told."""

    rule: str
    tunable: str | None
    both: Finding


class Finding(NamedTuple):
    """Fields as in design.md §5; columns are 1-based, `end_column` is exclusive. `also`: what was told together."""

    rule: str
    severity: str
    consequence: str
    confidence: str
    file: str
    line: int
    column: int
    end_column: int
    tunable: str | None
    value: Value
    expected: Values | None
    message: str
    why: str
    remedy: str
    cites: tuple[str, ...]
    fix: Fix | None
    depends_on: tuple[str, ...]
    policy: bool
    joint: Joint | None = None
    also: tuple[Finding, ...] = ()

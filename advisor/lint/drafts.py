"""Findings before they have a place in a file: computed once for all lines that say the same, then placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.lint.finding import SEVERITY_OF, Edit, Finding, Fix, Joint
from advisor.readers.spans import Span
from advisor.rulebase.model import Check

if TYPE_CHECKING:
    from advisor.readers.fstab.entry import Entry, Field
    from advisor.readers.mounts.exports import Export
    from advisor.readers.mounts.table import Mount, Parts
    from advisor.rulebase.model.types import Value, Values


class Found(NamedTuple):
    """A setting of one line. `place`: the field it stands in; `start`, `end`: offsets in that field's text."""

    value: Value
    place: str
    start: int
    end: int
    text: str


class Change(NamedTuple):
    """One edit inside a field, by offsets."""

    place: str
    start: int
    end: int
    text: str


class JointDraft(NamedTuple):
    """A Joint whose finding still lacks file and line."""

    rule: str
    tunable: str | None
    both: Draft


class Draft(NamedTuple):
    """A finding that still lacks file and line."""

    rule: str
    severity: str
    consequence: str
    confidence: str
    place: str
    start: int
    end: int
    tunable: str | None
    value: Value
    expected: Values | None
    message: str
    why: str
    remedy: str
    cites: tuple[str, ...]
    safety: str | None
    changes: tuple[Change, ...]
    depends_on: tuple[str, ...]
    policy: bool
    joint: JointDraft | None = None


def place(draft: Draft, name: str, entry: Entry | Mount | Export) -> Finding:
    """Put a draft into its line. `entry` is a reader's Entry; a field that is missing is pointed at by the last one."""
    line = entry.line_no
    field = _field(entry, draft.place)
    span = field.at(draft.start, draft.end) if draft.end > draft.start else field.span
    fix = None
    if draft.safety is not None and draft.changes and entry.fixable:
        edits = []
        for change in draft.changes:
            changed = getattr(entry, change.place)
            if changed is None:  # only options can be missing where something is to be written: they become a field
                end = _field(entry, change.place).span.end_column
                edits.append(Edit(line, end, end, f" {change.text}"))
                continue
            stretch = changed.at(change.start, change.end)
            edits.append(Edit(stretch.line, stretch.column, stretch.end_column, change.text))
        fix = Fix(draft.safety, tuple(edits))
    finding = at(draft, name, span, fix)
    if draft.joint is None:
        return finding
    both = place(draft.joint.both, name, entry)
    return finding._replace(joint=Joint(draft.joint.rule, draft.joint.tunable, both))


def at(draft: Draft, name: str, span: Span, fix: Fix | None = None) -> Finding:
    """The finding that a draft becomes at a place of the file `name`."""
    return Finding(
        draft.rule, draft.severity, draft.consequence, draft.confidence, name, *span, draft.tunable, draft.value,
        draft.expected, draft.message, draft.why, draft.remedy, draft.cites, fix, draft.depends_on, draft.policy,
    )


def _field(entry: Entry | Mount | Export, name: str) -> Field | Parts:
    field: Field | Parts | None = getattr(entry, name)
    return field or next(f for f in (entry.options, entry.fstype, entry.target, entry.source) if f is not None)


_NO_FIGURES: Mapping[str, str] = {}


class _Blanks(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "?"


def fill(template: str, **words: object) -> str:
    """Put words into a check's message; a word that is not known here shows as "?"."""
    return template.format_map(_Blanks(words)) if "{" in template else template


def from_check(
    check: Check, found: Found, *, tunable: str | None, value: Value = None, expected: Values | None = None,
    message: str | None = None, why: str | None = None, remedy: str | None = None, consequence: str | None = None,
    severity: str | None = None, confidence: str = "high", cites: tuple[str, ...] | None = None,
    safety: str | None = None, changes: tuple[Change, ...] = (), depends_on: tuple[str, ...] = (),
    figures: Mapping[str, str] = _NO_FIGURES, **words: object,
) -> Draft:
    """A draft in the words of a check of the rule base; what is given beside it takes precedence."""
    words.update(figures)
    words.setdefault("value", value)
    words.setdefault("option", found.text)
    words.setdefault("expected", expected)
    return Draft(
        check.check, severity or SEVERITY_OF[check.strength], consequence or check.consequence, confidence,
        found.place, found.start, found.end, tunable, value, expected, message or fill(check.message, **words),
        why or fill(check.why, **words), remedy or fill(check.remedy, **words),
        tuple(check.cites) if cites is None else cites, safety, changes, depends_on, check.policy,
    )

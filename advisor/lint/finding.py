"""The finding: one setting, or its absence, that no rule supports.

A finding is made once for all lines with the same text, with columns that count within one field. `placed` moves it to
a line of a file."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.exports import Export
    from advisor.files.fstab.entry import Entry, Field
    from advisor.files.option_reading import Setting
    from advisor.files.spans import Span
    from advisor.files.tables import MountEntry, TextParts
    from advisor.rulebase.model import Check
    from advisor.rulebase.model.types import Value, Values

SEVERITIES = ("note", "warning", "error")
"""Weakest first."""
SEVERITY_OF = {"must": "error", "should": "warning", "may": "note"}
"""A rule's strength, as the severity of a finding."""


INTERNAL = "internal"
"""The rule of a line on which this program failed. It is reported whatever rules are selected."""


def at_least(severity: str, threshold: str) -> bool:
    """True if `severity` is `threshold` or worse; both one of SEVERITIES."""
    return SEVERITIES.index(severity) >= SEVERITIES.index(threshold)


class Edit(NamedTuple):
    """Replace the characters [column, end_column) by `text`. Columns count from 1, within `field` if that is given and
    `line` is 0, or else within the line."""

    line: int
    column: int
    end_column: int
    text: str
    field: str = ""

    @classmethod
    def within(cls, field: str, start: int, end: int, text: str) -> Edit:
        """The edit of a stretch of a field, by offsets in it; its line is not known yet."""
        return cls(0, start + 1, end + 1, text, field)


class Fix(NamedTuple):
    """A change that removes the finding. `safety`: "safe" changes no behaviour that anyone relies on, else "unsafe"."""

    safety: str
    edits: tuple[Edit, ...]

    @classmethod
    def of(cls, safety: str, edits: tuple[Edit, ...]) -> Fix | None:
        """The fix that makes these edits; None where there are none to make."""
        return cls(safety, edits) if edits else None


class Finding(NamedTuple):
    """Fields as in docs/schema/advisor-lint-1.json; columns are 1-based, `end_column` is exclusive.

    Until a finding is placed, `file` is "", `line` is 0 and columns count within `field`; for a missing setting,
    `end_column` equals `column`. `joint`: for one of two twins, the finding on both. `also`: the twin's finding, in a
    finding on both. `area`: the part of the host, if a whole host was checked."""

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
    depends_on: tuple[str, ...] = ()
    policy: bool = False
    field: str = ""
    joint: Joint | None = None
    also: tuple[Finding, ...] = ()
    area: str = ""


class Joint(NamedTuple):
    """For a setting with a twin: the finding to show instead, `both`, if the twin has a finding of this rule and
    tunable."""

    rule: str
    tunable: str | None
    both: Finding


def placed(finding: Finding, name: str, entry: Entry | MountEntry | Export) -> Finding:
    """A finding with its place in the file `name`. For a missing field it points at the last one."""
    field = _field(entry, finding.field)
    missing = finding.end_column == finding.column
    span = field.span if missing else field.at(finding.column - 1, finding.end_column - 1)
    joint = finding.joint
    if joint is not None:
        joint = joint._replace(both=placed(joint.both, name, entry))
    mended = None
    if finding.fix is not None and entry.fixable:
        edits = [_edit(edit, entry) for edit in finding.fix.edits]
        if None not in edits:
            mended = Fix(finding.fix.safety, tuple(edit for edit in edits if edit is not None))
    return at(finding, name, span)._replace(fix=mended, joint=joint)


def at(finding: Finding, name: str, span: Span) -> Finding:
    """A finding with this place in the file `name`, without its fix, whose edits do not fit there."""
    line, column, end_column = span
    return finding._replace(
        file=name, line=line, column=column, end_column=end_column, field="", fix=None, joint=None
    )


def _edit(within: Edit, entry: Entry | MountEntry | Export) -> Edit | None:
    """An edit of a field as an edit of the line; None if the text to change is not in one piece."""
    changed: Field | TextParts | None = getattr(entry, within.field)
    if changed is None:  # only missing options are ever edited: they become a field
        end = _field(entry, within.field).span.end_column
        return Edit(entry.line_no, end, end, f" {within.text}")
    stretch = changed.stretch(within.column - 1, within.end_column - 1)
    return None if stretch is None else Edit(*stretch, within.text)


def _field(entry: Entry | MountEntry | Export, name: str) -> Field | TextParts:
    field: Field | TextParts | None = getattr(entry, name)
    return field or next(f for f in (entry.options, entry.fstype, entry.target, entry.source) if f is not None)


_NO_FIGURES: Mapping[str, str] = {}


class _Blanks(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "?"


def fill(template: str, **words: object) -> str:
    """Fill the fields of a check's text; an unknown one becomes "?"."""
    return template.format_map(_Blanks(words)) if "{" in template else template


def from_check(
    check: Check, setting: Setting, /, *, tunable: str | None, value: Value = None, expected: Values | None = None,
    message: str | None = None, why: str | None = None, remedy: str | None = None, consequence: str | None = None,
    severity: str | None = None, confidence: str = "high", cites: tuple[str, ...] | None = None,
    fix: Fix | None = None, figures: Mapping[str, str] = _NO_FIGURES, **words: object,
) -> Finding:
    """A finding on `setting` with the text of a check; arguments take precedence over what the check says."""
    words.update(figures)
    words.setdefault("value", value)
    words.setdefault("option", setting.text)
    words.setdefault("expected", expected)
    return Finding(
        check.check, severity or SEVERITY_OF[check.strength], consequence or check.consequence, confidence,
        "", 0, setting.start + 1, setting.end + 1, tunable, value, expected, message or fill(check.message, **words),
        why or fill(check.why, **words), remedy or fill(check.remedy, **words),
        tuple(check.cites) if cites is None else cites, fix, policy=check.policy or bool(check.profiles),
        field=setting.field,
    )

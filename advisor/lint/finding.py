"""The finding: one setting, or its absence, that no rule supports.

A finding is worked out once for all lines that say the same: its columns then count within one field. `placed` puts it
into a line of a file."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.options.reading import Setting
    from advisor.readers.exports import Export
    from advisor.readers.fstab.entry import Entry, Field
    from advisor.readers.spans import Span
    from advisor.readers.tables import MountEntry, TextParts
    from advisor.rulebase.model import Check
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
    """Replace the characters [column, end_column) by `text`. Columns count from 1 within `field`, where that is named
    and the line is not known yet; else within the line."""

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
    """Fields as in design.md §5; columns are 1-based, `end_column` is exclusive.

    Until it is placed, `file` and `line` are empty, columns count within `field`, and a missing setting has none: its
    `end_column` is its `column`. `twin`: the setting written for the same reason, where its finding is to be told
    together with this one, as `both` does; `also`: what was told together. `area`: the part of a host that it is
    about, where a whole host was checked."""

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
    """For a setting with a twin: `both` is what to say where the twin's finding, of this rule and tunable, is told as
    well."""

    rule: str
    tunable: str | None
    both: Finding


def placed(finding: Finding, name: str, entry: Entry | MountEntry | Export) -> Finding:
    """A finding put into its line of the file `name`. A field that is missing is pointed at by the last one."""
    field = _field(entry, finding.field)
    missing = finding.end_column == finding.column
    span = field.span if missing else field.at(finding.column - 1, finding.end_column - 1)
    joint = finding.joint
    if joint is not None:
        joint = joint._replace(both=placed(joint.both, name, entry))
    mended = None
    if finding.fix is not None and entry.fixable:
        edits = [_edit(one, entry) for one in finding.fix.edits]
        if None not in edits:
            mended = Fix(finding.fix.safety, tuple(edit for edit in edits if edit is not None))
    return at(finding, name, span)._replace(fix=mended, joint=joint)


def at(finding: Finding, name: str, span: Span) -> Finding:
    """A finding put at a place of the file `name`; its fix is lost."""
    line, column, end_column = span
    return finding._replace(
        file=name, line=line, column=column, end_column=end_column, field="", fix=None, joint=None
    )


def _edit(within: Edit, entry: Entry | MountEntry | Export) -> Edit | None:
    """The edit of a field as one of its line; None where the field is not written in one piece."""
    changed: Field | TextParts | None = getattr(entry, within.field)
    if changed is None:  # only options can be missing where something is to be written: they become a field
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
    """Put words into a check's message; a word that is not known here shows as "?"."""
    return template.format_map(_Blanks(words)) if "{" in template else template


def from_check(
    check: Check, found: Setting, *, tunable: str | None, value: Value = None, expected: Values | None = None,
    message: str | None = None, why: str | None = None, remedy: str | None = None, consequence: str | None = None,
    severity: str | None = None, confidence: str = "high", cites: tuple[str, ...] | None = None,
    fix: Fix | None = None, figures: Mapping[str, str] = _NO_FIGURES, **words: object,
) -> Finding:
    """A finding about `found`, in the words of a check of the rule base; what is given beside it takes precedence."""
    words.update(figures)
    words.setdefault("value", value)
    words.setdefault("option", found.text)
    words.setdefault("expected", expected)
    return Finding(
        check.check, severity or SEVERITY_OF[check.strength], consequence or check.consequence, confidence,
        "", 0, found.start + 1, found.end + 1, tunable, value, expected, message or fill(check.message, **words),
        why or fill(check.why, **words), remedy or fill(check.remedy, **words),
        tuple(check.cites) if cites is None else cites, fix, policy=check.policy or bool(check.profiles),
        field=found.field,
    )

"""The finding: one setting, or its absence, that no rule supports. `report` makes all of them: it words and places what
judging has found.

A finding is made once for all lines with the same text, with columns that count within one field. `placed` moves it to
a line of a file. Those on two settings that people write for one reason with one value (rsize and wsize) are each
judged, suppressed and accepted by itself; only the output shows them as one (`join`, `together`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from advisor.files.fstab import Entry, Item, split_options
from advisor.files.records import Field, MountEntry, Setting, Span
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Check, Erratum, Rule, Value, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.exports import Export

SEVERITIES = ("note", "warning", "error")
"""Weakest first."""
SEVERITY_OF = {"must": "error", "should": "warning", "may": "note"}
"""A rule's strength, as the severity of a finding."""
INTERNAL = "internal"
"""The rule of a line on which this program failed. It is reported whatever rules are selected."""
NOTHING = "defaults"
"""An option list that sets nothing; the field may not be empty."""
LINE = Setting(None, "source", 0, 0, "")
"""The place of a finding on a line as a whole."""
_NO_FIGURES: Mapping[str, str] = {}
_ALIKE = ("field", "severity", "consequence", "confidence", "expected", "policy")
"""Fields in which two findings with one cause agree."""
_PLURAL = {"is": "are", "has": "have", "takes": "take", "makes": "make"}
_STOPS = ".,;:"


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
    depends_on: tuple[str, ...]
    policy: bool
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


def report(
    by: Check | Rule | Erratum, place: Setting | Span, /, *, tunable: str | None = None, value: Value = None,
    expected: Values | None = None, severity: str | None = None, consequence: str | None = None,
    confidence: str = "high", message: str | None = None, why: str | None = None, remedy: str | None = None,
    cites: Sequence[str] | None = None, fix: Fix | None = None, depends_on: tuple[str, ...] = (),
    figures: Mapping[str, str] = _NO_FIGURES, **words: object,
) -> Finding:
    """The finding of a check, a rule or an erratum. `place`: a setting of a line, or a span of the file. What is given
    takes precedence over what `by` says; `words` and `figures` fill the fields of a check's text, which also knows
    {option} (as written), {value} and {expected}."""
    if isinstance(place, Setting):
        line, column, end_column, field, option = 0, place.start + 1, place.end + 1, place.field, place.text
    else:
        (line, column, end_column), field, option = place, "", ""
    policy = False
    if isinstance(by, Check):
        rule, policy = by.check, by.policy or bool(by.profiles)
        told = {"value": value, "option": option, "expected": expected, **words, **figures}
        message, why = message or fill(by.message, told), why or fill(by.why, told)
        remedy = remedy or fill(by.remedy, told)
    elif isinstance(by, Rule):
        rule = by.id
    else:
        rule, message = by.erratum, message or f"{by.title}: {by.symptom}"
        remedy = remedy or by.workaround
    return Finding(
        rule, severity or SEVERITY_OF[by.strength or "may"], consequence or by.consequence or "performance",
        confidence, "", line, column, end_column, tunable, value, expected, message or "", why or by.why, remedy or "",
        tuple(by.cites if cites is None else cites), fix, depends_on, policy, field,
    )


def fill(template: str, words: Mapping[str, object]) -> str:
    """Fill the fields of a check's text; an unknown one becomes "?"."""
    return template.format_map(defaultdict(lambda: "?", words)) if "{" in template else template


def placed(finding: Finding, name: str, entry: MountEntry | Export) -> Finding:
    """A finding with its place in the file `name`. For a missing field it points at the one before."""
    if finding.line:
        return finding._replace(file=name)
    field: Field = getattr(entry, finding.field)
    missing = finding.end_column == finding.column
    line, column, end_column = field.span if missing else field.at(finding.column - 1, finding.end_column - 1)
    joint, fix = finding.joint, None
    if joint is not None:
        joint = joint._replace(both=placed(joint.both, name, entry))
    if finding.fix is not None and entry.fixable:
        edits = [_edit(edit, entry) for edit in finding.fix.edits]
        if None not in edits:
            fix = Fix(finding.fix.safety, tuple(edit for edit in edits if edit is not None))
    return finding._replace(file=name, line=line, column=column, end_column=end_column, field="", fix=fix, joint=joint)


def _edit(within: Edit, entry: MountEntry | Export) -> Edit | None:
    """An edit of a field as an edit of the line; None if the text to change is not in one piece."""
    changed: Field = getattr(entry, within.field)
    if not changed.text and not changed.parts and isinstance(entry, Entry):  # missing options, which become a field
        end = changed.near.end_column
        return Edit(entry.line_no, end, end, f" {within.text}")
    stretch = changed.stretch(within.column - 1, within.end_column - 1)
    return None if stretch is None else Edit(*stretch, within.text)


class _Listed:
    """An option list that is split once for all edits of it, because a line may have thousands of options."""

    def __init__(self, options: str) -> None:
        self.items = split_options(options) if options else ()
        self.closed = not self.items or self.items[-1].closed
        self.at = {item.start: index for index, item in enumerate(self.items)}
        """Start of an item → its index."""
        self.filled = sum(1 for item in self.items if item.text)
        self.says_nothing = all(item.text in ("", NOTHING) for item in self.items)

    def last(self, gone: Collection[int], filled: bool) -> int:
        """The index of the last item that is not `gone`, and not empty if it must be `filled`."""
        index = len(self.items) - 1
        while index in gone or (filled and not self.items[index].text):
            index -= 1
        return index


_listed = lru_cache(maxsize=4)(_Listed)


def edit_list(
    options: str, drop: Iterable[Setting] = (), put: Iterable[tuple[Setting, str]] = (), add: Iterable[str] = ()
) -> tuple[Edit, ...]:
    """The edits that remove `drop`, replace the options in `put` by other texts, and append `add`.

    `options` is the list as written, "" if the field is missing. Each edit is as small as possible and none overlaps
    another. () if a quote is not closed, because then the options cannot be told apart."""
    listed, added = _listed(options), list(add)
    items = listed.items
    if not listed.closed:
        return ()
    gone = {listed.at[setting.start] for setting in drop if setting.start in listed.at}
    remaining = listed.filled - sum(1 for index in gone if items[index].text)
    if not remaining or (added and listed.says_nothing):  # `defaults` is replaced by options
        return (Edit.within("options", 0, len(options), ",".join(added) or NOTHING),)
    last = listed.last(gone, filled=bool(added))  # an added option takes the empty place after a final comma
    edits = [Edit.within("options", setting.start, setting.end, text) for setting, text in put]
    for index in gone:
        if index < last and index - 1 not in gone:
            kept = index + 1
            while kept in gone:
                kept += 1
            edits.append(Edit.within("options", items[index].start, items[kept].start, ""))
    if added or last < len(items) - 1:
        edits.append(Edit.within("options", _end(items[last]), _end(items[-1]), "".join(f",{text}" for text in added)))
    return tuple(sorted(edits))


def _end(item: Item) -> int:
    return item.start + len(item.text)


def apply(line: str, edits: Iterable[Edit]) -> str:
    """A line after these edits, which do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.column):
        pieces += (line[at : edit.column - 1], edit.text)
        at = edit.end_column - 1
    return "".join([*pieces, line[at:]])


def join(findings: list[Finding], twins: Mapping[str, str], options: str) -> list[Finding]:
    """The findings of one line; the first of two twins with one cause gets a `joint` with the text and fix for both.

    `twins`: the second setting of a pair → the first. `options`: the option list of the line."""
    number_of = {finding.tunable: number for number, finding in enumerate(findings) if finding.tunable}
    joined = list(findings)
    for other in findings:
        number = number_of.get(twins.get(other.tunable or "", ""))
        if number is not None and other.field == "options" and _alike(findings[number], other):
            joined[number] = _joint(findings[number], other, options)
    return joined


def together(findings: Iterable[Finding]) -> list[Finding]:
    """The findings as they are shown: of twins with one cause, one finding with the other in `also`."""
    listed = list(findings)
    if not any(finding.joint for finding in listed):
        return listed
    by_place = {(f.file, f.line, f.rule, f.tunable): f for f in listed}
    shown, included = [], set()
    for finding in listed:
        joint = finding.joint
        other = by_place.get((finding.file, finding.line, joint.rule, joint.tunable)) if joint else None
        if joint and other:
            included.add(id(other))
            shown.append(joint.both._replace(also=(other,)))
        else:
            shown.append(finding)
    return [finding for finding in shown if id(finding) not in included]


def _alike(first: Finding, other: Finding) -> bool:
    alike = all(getattr(first, name) == getattr(other, name) for name in _ALIKE)
    return alike and (first.fix and first.fix.safety) == (other.fix and other.fix.safety)


def _joint(first: Finding, other: Finding, options: str) -> Finding:
    """The first finding, with a `joint` if one sentence fits both."""
    texts = (_marked(first, options), _marked(other, options))
    message, remedy = _joined(first.message, other.message, texts), _joined(first.remedy, other.remedy, texts)
    name, its_name = (text.partition("=")[0] for text in texts)
    if message is None or remedy is None or first.rule.replace(name, its_name) != other.rule:
        return first
    both = first._replace(message=message, remedy=remedy)
    if first.fix and other.fix:
        drop, put = [], []
        for finding, text in zip((first, other), texts):
            place = Setting(None, "options", finding.column - 1, finding.end_column - 1, text)
            new = _written(finding)
            if new is None:
                drop.append(place)
            else:
                put.append((place, new))
        both = both._replace(fix=Fix.of(first.fix.safety, edit_list(options, drop, put)))
    return first._replace(joint=Joint(other.rule, other.tunable, both))


def _written(finding: Finding) -> str | None:
    """The text with which a fix replaces the option; None if it removes the option."""
    place = (finding.column, finding.end_column)
    edits = finding.fix.edits if finding.fix else ()
    return next((edit.text for edit in edits if (edit.column, edit.end_column) == place and edit.text), None)


def _marked(finding: Finding, options: str) -> str:
    return options[finding.column - 1 : finding.end_column - 1]


def _joined(sentence: str, other: str, texts: tuple[str, str]) -> str | None:
    """One sentence for two that differ only in the names of the options, `texts`; None if they differ in more."""
    words, its_words = sentence.split(" "), other.split(" ")
    if len(words) != len(its_words):
        return None
    name, its_name = (text.partition("=")[0] for text in texts)
    joined: list[str] = []
    subject = False
    for mine, its in zip(words, its_words):
        core, its_core = mine.rstrip(_STOPS), its.rstrip(_STOPS)
        named = mine != its and (core.replace(name, its_name) == its_core or (core, its_core) == texts)
        if mine != its and not named:
            return None
        joined.append(f"{core} and {its}" if named else _PLURAL.get(mine, mine) if subject else mine)
        subject = named
    return " ".join(joined)

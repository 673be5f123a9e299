"""Join the findings on two settings that people write for one reason with one value (rsize and wsize).

Each is judged, suppressed and accepted in a baseline by itself; only the output shows them as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.files.records import Setting
from advisor.lint.finding import Finding, Fix, Joint, edit_list

_ALIKE = ("field", "severity", "consequence", "confidence", "expected", "policy")
"""Fields in which two findings with one cause agree."""
_PLURAL = {"is": "are", "has": "have", "takes": "take", "makes": "make"}
_STOPS = ".,;:"


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
    return alike and _safety(first) == _safety(other)


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
    """What a fix writes in place of the option; None if it removes the option."""
    place = (finding.column, finding.end_column)
    edits = finding.fix.edits if finding.fix else ()
    return next((edit.text for edit in edits if (edit.column, edit.end_column) == place and edit.text), None)


def _safety(finding: Finding) -> str | None:
    return finding.fix.safety if finding.fix else None


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

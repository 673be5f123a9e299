"""Two settings that people write for one reason, with one value (rsize and wsize): one finding speaks of both.

Each is judged, silenced and accepted by itself; they come together when findings are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.lint.edits import edit_list
from advisor.lint.finding import Finding, Fix, Joint
from advisor.options.reading import Setting

_ALIKE = ("field", "severity", "consequence", "confidence", "expected", "policy")
"""What two findings of one cause have in common."""
_PLURAL = {"is": "are", "has": "have", "takes": "take", "makes": "make"}
_STOPS = ".,;:"


def join(findings: list[Finding], twins: Mapping[str, str], options: str) -> list[Finding]:
    """The findings of one line; one whose twin has the same cause knows the words and the fix for both.

    `twins`: the second setting of a pair → the first. `options`: the option list of the line."""
    there = {finding.tunable: number for number, finding in enumerate(findings) if finding.tunable}
    joined = list(findings)
    for other in findings:
        number = there.get(twins.get(other.tunable or "", ""))
        if number is not None and other.field == "options" and _alike(findings[number], other):
            joined[number] = _joint(findings[number], other, options)
    return joined


def together(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as they are shown: those of twins that have one cause are one, with the other in `also`."""
    listed = list(findings)
    if not any(finding.joint for finding in listed):
        return listed
    there = {(f.file, f.line, f.rule, f.tunable): f for f in listed}
    shown, fixed = [], set()
    for finding in listed:
        joint = finding.joint
        other = there.get((finding.file, finding.line, joint.rule, joint.tunable)) if joint else None
        if joint and other:
            fixed.add(id(other))
            shown.append(joint.both._replace(also=(other,)))
        else:
            shown.append(finding)
    return [finding for finding in shown if id(finding) not in fixed]


def _alike(one: Finding, other: Finding) -> bool:
    written = one.end_column > one.column and other.end_column > other.column
    alike = all(getattr(one, name) == getattr(other, name) for name in _ALIKE)
    return written and alike and _safety(one) == _safety(other)


def _joint(one: Finding, other: Finding, options: str) -> Finding:
    texts = (_marked(one, options), _marked(other, options))
    message, remedy = _both(one.message, other.message, texts), _both(one.remedy, other.remedy, texts)
    name, its_name = (text.partition("=")[0] for text in texts)
    if message is None or remedy is None or one.rule.replace(name, its_name) != other.rule:
        return one
    both = one._replace(message=message, remedy=remedy)
    if one.fix and other.fix:
        drop, put = [], []
        for finding, text in zip((one, other), texts):
            place = Setting(None, "options", finding.column - 1, finding.end_column - 1, text)
            new = _written(finding)
            if new is None:
                drop.append(place)
            else:
                put.append((place, new))
        both = both._replace(fix=Fix.of(one.fix.safety, edit_list(options, drop, put)))
    return one._replace(joint=Joint(other.rule, other.tunable, both))


def _written(finding: Finding) -> str | None:
    """What a fix puts in the place of the option; None where it takes it out."""
    place = (finding.column, finding.end_column)
    edits = finding.fix.edits if finding.fix else ()
    return next((one.text for one in edits if (one.column, one.end_column) == place and one.text), None)


def _safety(finding: Finding) -> str | None:
    return finding.fix.safety if finding.fix else None


def _marked(finding: Finding, options: str) -> str:
    return options[finding.column - 1 : finding.end_column - 1]


def _both(one: str, other: str, texts: tuple[str, str]) -> str | None:
    """One sentence for two that differ in nothing but the names of the options; None where they differ in more."""
    words, its_words = one.split(" "), other.split(" ")
    if len(words) != len(its_words):
        return None
    name, its_name = (text.partition("=")[0] for text in texts)
    said: list[str] = []
    subject = False
    for mine, its in zip(words, its_words):
        core, its_core = mine.rstrip(_STOPS), its.rstrip(_STOPS)
        named = mine != its and (core.replace(name, its_name) == its_core or (core, its_core) == texts)
        if mine != its and not named:
            return None
        said.append(f"{core} and {its}" if named else _PLURAL.get(mine, mine) if subject else mine)
        subject = named
    return " ".join(said)

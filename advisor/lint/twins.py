"""Two settings that people write for one reason, with one value (rsize and wsize): one finding speaks of both.

Each is judged, silenced and accepted by itself; they come together when findings are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.lint.drafts import Draft, Found, JointDraft
from advisor.lint.finding import Finding
from advisor.lint.fix_options import edit_list

_ALIKE = ("place", "severity", "consequence", "confidence", "expected", "safety", "policy")
"""What two findings of one cause have in common."""
_PLURAL = {"is": "are", "has": "have", "takes": "take", "makes": "make"}
_STOPS = ".,;:"


def join(drafts: list[Draft], twins: Mapping[str, str], options: str) -> list[Draft]:
    """The findings of one line; one whose twin has the same cause knows the words and the fix for both.

    `twins`: the second setting of a pair → the first. `options`: the option list of the line."""
    there = {draft.tunable: number for number, draft in enumerate(drafts) if draft.tunable}
    joined = list(drafts)
    for other in drafts:
        number = there.get(twins.get(other.tunable or "", ""))
        if number is not None and other.place == "options" and _alike(drafts[number], other):
            joined[number] = _joint(drafts[number], other, options)
    return joined


def together(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as they are shown: those of twins that have one cause are one, with the other in `also`."""
    listed = list(findings)
    if not any(finding.joint for finding in listed):
        return listed
    there = {(f.file, f.line, f.rule, f.tunable): f for f in listed}
    shown, told = [], set()
    for finding in listed:
        joint = finding.joint
        other = there.get((finding.file, finding.line, joint.rule, joint.tunable)) if joint else None
        if joint and other:
            told.add(id(other))
            shown.append(joint.both._replace(also=(other,)))
        else:
            shown.append(finding)
    return [finding for finding in shown if id(finding) not in told]


def _alike(one: Draft, other: Draft) -> bool:
    written = one.end > one.start and other.end > other.start
    return written and all(getattr(one, name) == getattr(other, name) for name in _ALIKE)


def _joint(one: Draft, other: Draft, options: str) -> Draft:
    texts = (options[one.start : one.end], options[other.start : other.end])
    message, remedy = _both(one.message, other.message, texts), _both(one.remedy, other.remedy, texts)
    name, its_name = (text.partition("=")[0] for text in texts)
    if message is None or remedy is None or one.rule.replace(name, its_name) != other.rule:
        return one
    both = one._replace(message=message, remedy=remedy)
    if one.changes and other.changes:
        drop, put = [], []
        for draft, text in zip((one, other), texts):
            place, new = Found(None, "options", draft.start, draft.end, text), _written(draft)
            if new is None:
                drop.append(place)
            else:
                put.append((place, new))
        both = both._replace(changes=edit_list(options, drop, put))
    return one._replace(joint=JointDraft(other.rule, other.tunable, both))


def _written(draft: Draft) -> str | None:
    """What a fix puts in the place of the option; None where it takes it out."""
    return next((c.text for c in draft.changes if (c.start, c.end) == (draft.start, draft.end) and c.text), None)


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

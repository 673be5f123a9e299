"""A diagnosis as a page: the cause first, with the next check, the remedy and the reason, then the evidence; and as
data (docs/schema/advisor-diagnose-1.json)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap

from advisor.diagnose.configuration import PastedFinding
from advisor.diagnose.diagnosis import LISTED, SEVERAL, UNSURE, Diagnosis
from advisor.diagnose.evidence import SeenMessage, TextEvidence
from advisor.diagnose.score import CONFIRMED, RULED_OUT, RankedCause
from advisor.engine import operand
from advisor.named_tuple import grouped
from advisor.pages.blocks import Block, Document, TextLike, code, dim, plain, text
from advisor.regex import regex
from advisor.rulebase.model import Cause, CauseCheck
from advisor.rulebase.words import WIDTH

Mask = Callable[[str], str]
"""Masks secrets in text that users have sent."""
SCHEMA = "advisor-diagnose/1"
Data = dict[str, object]
_PASTE = (
    "Paste the exact message, the lines of fstab and exports, and what the commands printed. The log of the client "
    "(dmesg) and of the server (journalctl -u nfs-mountd) help most."
)
_TEXT = 160
"""Characters of a line that are shown."""
_TELLS, _FOLDED = 210, 150
"""Characters of what the outcomes of a check mean, and of the other causes, in a short answer."""
_WIDE, _MOST = 80, 15
"""Columns and lines of a short answer."""
_SPARE = (("why", 0), ("Or", 90), ("Or", 0), ("it may be", 90), ("tells", 130), ("it may be", 0), ("or ask", 0))
"""What is left out of an answer that is too long, or cut to so many characters, the first first."""
_LINES = 200
_PLACE = regex(r"\b(?:SERVER|MOUNTPOINT)\b|(?:/EXPORTED/|(?<![\w/])/?)PATH\b(?!-)")


def page(diagnosis: Diagnosis, mask: Mask, whole: bool = False, steps: bool = True) -> list[Block]:
    """The page, at most 15 lines of 80 characters unless `whole`: then with all causes, their reasons and checks, and
    what was read. `steps`: with the check that comes next, which the wizard shows separately."""
    document = Document()
    filled = _names(diagnosis.evidence, mask)
    verdict = diagnosis.verdict()
    document.heading(said(diagnosis), 1, "must" if verdict == CONFIRMED else "")
    first = diagnosis.leading()
    if first is None:
        if any(candidate.status == RULED_OUT for candidate in diagnosis.causes):
            document.para("What was read rules out every cause that is known of these messages.")
        else:
            document.para(_PASTE)
        if not whole:
            _add_messages(document, diagnosis.evidence.problems() or diagnosis.evidence.in_order(), mask)
            return document.blocks
    else:
        _add_answer(document, diagnosis, first, mask, steps=steps and not whole, fold=not whole)
        if not whole:
            return document.blocks
        for candidate in diagnosis.causes:
            if candidate.status != RULED_OUT:
                _add_cause(document, candidate, filled)
    bad = [pasted for pasted in diagnosis.evidence.configuration.findings if pasted.finding.severity == "error"]
    document.listed("In the configuration", (
        f"{_finding_place(pasted)}: {mask(pasted.finding.message)}" for pasted in bad[:5]
    ))
    _add_text(document, diagnosis, mask)
    out = [candidate for candidate in diagnosis.causes if candidate.status == RULED_OUT]
    document.listed("Ruled out", (
        text(candidate.cause.title, dim(" (" + "; ".join(
            _fact_text(diagnosis, name) if kind == "fact" else f"checked: {name}" for kind, name, _ in candidate.because
        ) + ")"))
        for candidate in out[:5]
    ))
    return document.blocks


def said(diagnosis: Diagnosis) -> str:
    """The verdict in one sentence."""
    verdict, first = diagnosis.verdict(), diagnosis.leading()
    if first is None:
        if diagnosis.evidence.is_elsewhere():
            return "Nothing here is about NFS"
        if diagnosis.evidence.seen:
            return "Nothing here points to a fault"
        about = diagnosis.evidence.names_nfs() or diagnosis.evidence.configuration.numbers
        return "Nothing here says what is wrong" if about else "Nothing here is about NFS"
    title = first.cause.title
    if verdict == CONFIRMED:
        return f"{title}."
    if verdict == UNSURE:
        return f"Not enough to tell. It may be: {title}."
    if verdict == SEVERAL:
        return f"Several fit; check first: {title}."
    return f"{verdict.capitalize()}: {title}."


def _add_answer(
    document: Document, diagnosis: Diagnosis, first: RankedCause, mask: Mask, *, steps: bool, fold: bool
) -> None:
    """Adds the check that separates what is left, with what its outcomes mean, then the remedy of the first, and if
    `fold` the other causes in a line."""
    filled = _names(diagnosis.evidence, mask)
    following = diagnosis.next_check() if steps else None
    cause = first.cause
    kin = diagnosis.verdict() == SEVERAL and not isinstance(cause, Cause)
    rows: dict[str, TextLike] = {}
    if first.status == CONFIRMED:
        rows["proof"] = _proof(diagnosis, first, mask)
    if following is not None:
        rows[f"check, {following.check.on}"] = code(filled(following.check.do))
        risk = {"none": "", "low": " A small risk.", "high": " Users will notice."}[following.check.risk]
        tells = following.tells.get(cause.id) or "\n".join(following.outcomes(cause.id))
        rows["tells"] = filled(_short(tells, _TELLS) + risk)
    decided = len(diagnosis.decided_by_probe()) if steps else 0
    if decided > 1:
        known = diagnosis.evidence.places()
        source = mask(f"{known.get('SERVER', 'SERVER')}:{known.get('PATH', '/PATH')}")
        rows["or ask"] = text(code(f"advisor probe {source}"), f", which decides {decided} of these causes")
    if following is None and steps and (question := diagnosis.question()) is not None:
        rows["tell me"] = question.fact.ask or ""
    if kin:
        rows["it may be"] = _short("; ".join(one.cause.title for one in diagnosis.kin(first)[:LISTED]), _FOLDED)
    checked = "" if first.status == CONFIRMED or not cause.remedy.risk else "If the check shows it: "
    rows["remedy"] = checked + filled(cause.remedy.do)
    rows["risk"] = filled(cause.remedy.risk or "")
    rows["undo"] = filled(cause.remedy.undo or "")
    rows["why"] = filled(cause.why)
    others = "" if not fold or first.status == CONFIRMED else _others(diagnosis, first if kin else None)
    left = sum(isinstance(one.cause, Cause) for one in diagnosis.possible() if one is not first) - LISTED
    more = f"{left} more: --all." if left > 0 and steps else ""
    folded = _fit(said(diagnosis), rows, others, more)
    document.pairs(rows.items())
    if folded:
        document.para(dim(folded))


def _fit(verdict: str, rows: dict[str, TextLike], others: str, more: str) -> str:
    """Takes out of the rows what an answer of a few lines has no room for. Returns the line on the other causes."""
    titles = _short(others, _FOLDED)
    for label, most in (("", 0), *_SPARE):
        if label == "Or":
            titles = _short(others, most) if most else ""
        elif label in rows:
            rows[label] = _short(plain(text(rows[label])), most) if most else ""
        folded = " ".join(filter(None, (titles, more)))
        margin = max(map(len, filter(rows.get, rows)), default=0) + len("  :  ")
        lines = [*wrap(verdict, _WIDE), *wrap(folded, _WIDE - 2)]
        for words in rows.values():
            for line in plain(text(words)).splitlines():
                lines += wrap(line, _WIDE - margin)
        if len(lines) <= _MOST:
            break
    return folded


def _others(diagnosis: Diagnosis, family: RankedCause | None) -> str:
    """The other causes in a line; those of a family that is the answer are named above."""
    first = diagnosis.leading()
    others = [
        one.cause.title for one in diagnosis.possible()
        if one is not first and isinstance(one.cause, Cause) and (family is None or one.family != family.family)
    ]
    return f"Or: {'; '.join(others[:LISTED])}." if others else ""


def _short(words: str, most: int) -> str:
    if len(words) <= most:
        return words
    whole, listed, part = (words[: most - 2].rpartition(mark)[0] for mark in (". ", "; ", " "))
    return f"{whole}." if len(whole) > most // 2 else f"{listed if len(listed) > most // 2 else part} …"


def _add_cause(document: Document, candidate: RankedCause, filled: Mask) -> None:
    cause = candidate.cause
    share = f"{candidate.likelihood:.0%}" if candidate.likelihood >= 0.01 else "less than 1 %"
    document.heading(text(cause.title, dim(f"  {share.replace('%', ' %').replace('  ', ' ')}")))
    document.pairs([
        ("why", cause.why), (f"check, {cause.check.on}", code(filled(cause.check.do))),
        ("tells", filled(cause.check.tells)), ("remedy", filled(cause.remedy.do)),
        ("risk", filled(cause.remedy.risk or "")), ("undo", filled(cause.remedy.undo or "")),
        ("speaks for it", "; ".join(f"{one.weight / 100:+.1f} {one.words()}" for one in candidate.evidence)),
    ])


def _names(evidence: TextEvidence, mask: Mask) -> Mask:
    """Puts the server, the path and the mount point that the text names in their places."""
    known = {name: mask(text) for name, text in evidence.places().items()}

    def filled(words: str) -> str:
        return _PLACE.sub(lambda match: known.get(match[0].rpartition("/")[2], match[0]), words) if known else words

    return filled


def _proof(diagnosis: Diagnosis, candidate: RankedCause, mask: Mask) -> str:
    """The evidence that confirms a cause, a line each."""
    lines = []
    for kind, name, line in candidate.because:
        where = f"line {line}: " if line else ""
        if kind == "message":
            lines.append(f"{where}{mask(diagnosis.evidence.seen[name].text)[:_TEXT]}")
        elif kind == "finding":
            there = next(pasted for pasted in diagnosis.evidence.configuration.findings if pasted.finding.rule == name)
            known = candidate.cause.id == name  # the title says it
            lines.append(f"{_finding_place(there)}: {mask(there.text.strip() if known else there.finding.message)}")
        elif kind == "check":
            lines.append(f"the check showed it: {name}")
        elif kind == "stack":
            lines.append(f"{where}the kernel's trace names {name}")
        elif kind in ("version", "text"):
            lines.append(where + ("the version is in the range" if kind == "version" else "a message of this fault"))
        else:
            lines.append(f"{where}{_fact_text(diagnosis, name)}")
    return "\n".join([*dict.fromkeys(lines)][:2])


def _finding_place(there: PastedFinding) -> str:
    pasted = there.finding.file == "pasted"
    return f"line {there.line}" if pasted else f"{there.finding.file}:{there.line}"


def _fact_text(diagnosis: Diagnosis, name: str) -> str:
    fact = diagnosis.base.observations.get(name) or diagnosis.base.facts[name]
    values = [known.value for known in diagnosis.evidence.read if known.fact == name]
    return f"{fact.says.rstrip('.')}: {operand(values[0]) if values else 'known'}"


def _add_messages(document: Document, story: Sequence[SeenMessage], mask: Mask) -> None:
    for seen in story[:8]:
        times = f" ({seen.first} to {seen.last})" if seen.first and seen.last != seen.first else ""
        often = f"{seen.count} times, " if seen.count > 1 else ""
        place = dim(f"  {often}line {seen.line}{times}. ")
        document.item(text(code(mask(seen.text)[:_TEXT]), place, seen.message.means))
    if len(story) > 8:
        document.para(dim(f"and {len(story) - 8} more"))


def _add_text(document: Document, diagnosis: Diagnosis, mask: Mask) -> None:
    """Adds what was recognised, what was understood of the sentences, and what was not."""
    evidence = diagnosis.evidence
    if evidence.seen:
        document.heading("What was recognised")
        _add_messages(document, evidence.problems() or evidence.in_order(), mask)
    said = grouped((feature.line, feature.name) for feature in evidence.features)
    told = {seen.line for seen in evidence.seen.values()} | evidence.configuration.numbers
    if evidence.lines:
        document.heading("What was understood")
        for line in evidence.lines[:_LINES]:
            words = mask(line.text.strip())[:_TEXT]
            features = ", ".join(said.get(line.number, ())[:6])
            if line.number in told or features:
                shown = code(words) if line.number in told else words
                document.item(text(dim(f"{line.number} "), shown, dim(f"  ({features})" if features else "")))
            elif words:
                document.item(text(dim(f"{line.number} {words}  (not understood)")))
    document.listed("Lines about NFS that are not known", (
        text(dim(f"line {line.number}: "), code(mask(line.text.strip())[:_TEXT])) for line in evidence.unknown[:5]
    ))
    if evidence.unknown_count > 5:
        document.para(dim(f"and {evidence.unknown_count - 5} more"))


def names_a_cause(diagnosis: Diagnosis) -> bool:
    return any(candidate.status in (CONFIRMED, "possible") for candidate in diagnosis.causes)


def data(diagnosis: Diagnosis, mask: Mask) -> Data:
    evidence = diagnosis.evidence
    ranked = {candidate.cause.id: candidate for candidate in diagnosis.causes}
    following, question = diagnosis.next_check(), diagnosis.question()
    return {
        "schema": SCHEMA,
        "verdict": mask(said(diagnosis)),
        "messages": [
            {
                "id": seen.message.id, "text": mask(seen.text), "line": seen.line, "count": seen.count,
                "first": seen.first, "last": seen.last, "means": seen.message.means,
                "causes": [_cause_data(other, mask) for other in ranked.values() if seen.message.id in other.explains],
            }
            for seen in evidence.problems()
        ],
        "causes": [
            {**_cause_data(candidate, mask), "evidence": [
                {"kind": weighed.kind, "name": mask(weighed.name), "line": weighed.line, "weight": weighed.weight / 100}
                for weighed in candidate.evidence
            ]} for candidate in ranked.values()
        ],
        "facts": [
            {"fact": known.fact, "value": mask(known.value) if isinstance(known.value, str) else known.value,
             "line": known.line, "known_by": known_by}
            for known_by, facts in (("read", evidence.read), ("stated", evidence.stated)) for known in facts
        ],
        "findings": [
            {"rule": pasted.finding.rule, "severity": pasted.finding.severity, "file": pasted.finding.file,
             "line": pasted.line, "message": mask(pasted.finding.message)}
            for pasted in evidence.configuration.findings
        ],
        "unknown": [{"line": line.number, "text": mask(line.text[:WIDTH])} for line in evidence.unknown],
        "unknown_count": evidence.unknown_count,
        "next_check": None if following is None else {
            **_check_data(following.check), "tells": " ".join(following.outcomes()), "for": list(following.tells),
        },
        "question": None if question is None else {
            "fact": question.fact.id, "ask": question.fact.ask, "values": list(question.values),
        },
    }


def _cause_data(candidate: RankedCause, mask: Mask) -> Data:
    cause = candidate.cause
    return {
        "id": cause.id, "family": candidate.family, "title": cause.title, "status": candidate.status,
        "likelihood": round(candidate.likelihood, 4), "side": cause.side if isinstance(cause, Cause) else "any",
        "why": cause.why, "check": _check_data(cause.check),
        "remedy": {"do": cause.remedy.do, "risk": cause.remedy.risk, "undo": cause.remedy.undo},
        "because": [{"kind": kind, "name": mask(name), "line": line} for kind, name, line in candidate.because],
        "explains": list(candidate.explains), "cites": list(cause.cites),
    }


def _check_data(check: CauseCheck) -> Data:
    return {"on": check.on, "do": check.do, "tells": check.tells, "cost": check.cost, "risk": check.risk}

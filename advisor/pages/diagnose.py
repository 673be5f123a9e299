"""A diagnosis as a page: the cause first, with the next check, the remedy and the reason, then the evidence; and as
data (docs/schema/advisor-diagnose-1.json)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.diagnose.diagnosis import CONFIRMED, LISTED, RULED_OUT
from advisor.pages.blocks import Block, Document, TextLike, code, dim, strong, text
from advisor.pages.wording import operand

if TYPE_CHECKING:
    from advisor.diagnose.configuration import PastedFinding
    from advisor.diagnose.diagnosis import Diagnosis, NextCheck, RankedCause
    from advisor.diagnose.evidence import SeenMessage
    from advisor.rulebase.model import CauseCheck

Mask = Callable[[str], str]
"""Masks secrets in text that users have sent."""
SCHEMA = "advisor-diagnose/1"
Data = dict[str, object]
_LOGS = "The log of the client (dmesg) and of the server (journalctl -u nfs-mountd) help most."
_TEXT = 160
"""Characters of a line that are shown."""
_SOURCE = re.compile(r"[\w.-]+:/[\w./-]*")
"""A source that a shell takes as it is."""


def page(diagnosis: Diagnosis, mask: Mask, whole: bool = False, steps: bool = True) -> list[Block]:
    """The page. `whole`: with all causes, their reasons and checks. `steps`: with the next check, which the wizard
    shows separately."""
    document = Document()
    confirmed, open_ = diagnosis.confirmed(), diagnosis.possible()
    if confirmed:
        for candidate in confirmed if whole else confirmed[:2]:
            _add_confirmed(document, diagnosis, candidate, mask)
    elif open_:
        _add_possible(document, diagnosis, open_ if whole else open_[:LISTED], whole)
        if len(open_) > LISTED and not whole:
            more = "; --all shows them" if steps else ""
            document.para(dim(f"{len(open_) - LISTED} more are possible{more}."))
        if steps:
            _add_next_steps(document, diagnosis, mask)
    elif diagnosis.evidence.problems():
        if any(candidate.status == RULED_OUT for candidate in diagnosis.causes):
            document.heading("No cause is left", 1)
            document.para("What was read rules out every cause that is known of these messages.")
        else:
            document.heading("No known cause explains this", 1)
            document.para("What was read is shown below. Add the lines around it. ", _LOGS)
    elif diagnosis.evidence.seen:
        document.heading("Nothing here points to a fault", 1)
        document.para("What was read is normal. Paste the message of what fails. ", _LOGS)
    else:
        document.heading("Nothing here is known", 1)
        document.para("Paste the exact message, the lines of fstab and exports, and what the commands printed. ", _LOGS)
    _add_findings(document, diagnosis, mask)
    # Messages that report no problem are shown only if nothing else was read.
    _add_messages(document, diagnosis.evidence.problems() or diagnosis.evidence.in_order(), mask)
    _add_ruled_out(document, diagnosis, mask)
    return document.blocks


def _add_confirmed(document: Document, diagnosis: Diagnosis, candidate: RankedCause, mask: Mask) -> None:
    cause = candidate.cause
    document.heading(cause.title, 1, "must")
    document.pairs([
        ("proof", _proof(diagnosis, candidate, mask)),
        ("remedy", cause.remedy.do),
        ("risk", cause.remedy.risk),
        ("undo", cause.remedy.undo),
        ("why", cause.why),
    ])


def _proof(diagnosis: Diagnosis, candidate: RankedCause, mask: Mask) -> str:
    """The evidence that confirms a cause, a line each."""
    lines = []
    for kind, name, line in candidate.because:
        where = f"line {line}: " if line else ""
        if kind == "message":
            lines.append(f"{where}{mask(diagnosis.evidence.seen[name].text)[:_TEXT]}")
        elif kind == "finding":
            there = next(pasted for pasted in diagnosis.evidence.configuration.findings if pasted.finding.rule == name)
            lines.append(f"{_finding_place(there)}: {mask(there.finding.message)}")
        elif kind == "check":
            lines.append(f"the check showed it: {name}")
        elif kind == "stack":
            lines.append(f"{where}the kernel's trace names {name}")
        elif kind in ("version", "text"):
            lines.append(where + ("the version is in the range" if kind == "version" else "a message of this fault"))
        else:
            lines.append(f"{where}{_fact_text(diagnosis, name)}")
    return "\n".join(dict.fromkeys(lines))


def _finding_place(there: PastedFinding) -> str:
    pasted = there.finding.file == "pasted"
    return f"line {there.line}" if pasted else f"{there.finding.file}:{there.line}"


def _fact_text(diagnosis: Diagnosis, name: str) -> str:
    fact = diagnosis.base.observations.get(name) or diagnosis.base.facts[name]
    values = [known.value for known in diagnosis.evidence.read if known.fact == name]
    return f"{fact.says.rstrip('.')}: {operand(values[0]) if values else 'known'}"


def _add_possible(document: Document, diagnosis: Diagnosis, causes: Sequence[RankedCause], whole: bool) -> None:
    clear = len(causes) < 2 or causes[0].likelihood > 2 * causes[1].likelihood
    document.heading("Most likely" if clear else "Possible", 1)
    for number, candidate in enumerate(causes, 1):
        rows: list[tuple[str, TextLike | None]] = [("remedy", candidate.cause.remedy.do)]
        if number == 1 or whole:
            rows += [("why", candidate.cause.why), ("risk", candidate.cause.remedy.risk)]
        rows.append(("counted", _report_counts(diagnosis, candidate)))
        if whole:
            rows += [("check", candidate.cause.check.do), ("tells", candidate.cause.check.tells)]
        below = Document()
        below.pairs(rows)
        document.item(strong(candidate.cause.title), *below.blocks, mark=f"{number}.")


def _add_next_steps(document: Document, diagnosis: Diagnosis, mask: Mask) -> None:
    """Adds the most useful check and question, and before them what the server would say of it."""
    decided = len(diagnosis.decided_by_probe())
    if decided > 1:
        source = next((mask(text) for text in diagnosis.evidence.sources if _SOURCE.fullmatch(text)), "SERVER:/PATH")
        document.heading("Ask the server")
        document.para(code(f"advisor probe {source}"), f" confirms or rules out {decided} of these causes; it mounts "
                      "nothing. With --write-to FILE, and then --from-probe FILE here, its answers count.")
    following = diagnosis.next_check()
    if following is not None:
        document.heading(f"Check next, on the {following.check.on}")
        _add_check(document, following)
    question = diagnosis.question()
    if question is not None and question.fact.ask:
        document.para("And say: ", question.fact.ask)


def _add_check(document: Document, following: NextCheck) -> None:
    check = following.check
    risk = {"none": None, "low": "small", "high": "high"}[check.risk]
    document.pairs([("do", code(check.do)), ("tells", "\n".join(following.outcomes())), ("risk", risk)])


def _report_counts(diagnosis: Diagnosis, candidate: RankedCause) -> str | None:
    """In how many counted reports of its messages this was the cause; None without such reports."""
    lines = []
    for name in candidate.explains:
        own = candidate.cause.explains.get(name, 0)
        if own:
            whole = sum(other.explains.get(name, 0) for other in diagnosis.base.causes.values())
            lines.append(f"the cause in {own} of {whole} reports of {name}")
    return "; ".join(lines) or None


def _add_findings(document: Document, diagnosis: Diagnosis, mask: Mask) -> None:
    """Adds the errors in the pasted configuration."""
    bad = [pasted for pasted in diagnosis.evidence.configuration.findings if pasted.finding.severity == "error"]
    if bad:
        document.heading("In the configuration")
        for pasted in bad[:5]:
            document.item(f"{_finding_place(pasted)}: {mask(pasted.finding.message)}")


def _add_messages(document: Document, story: Sequence[SeenMessage], mask: Mask) -> None:
    if not story:
        return
    document.heading("What was read" if len(story) < 2 else "What was read, in order")
    for seen in story[:8]:
        times = f" ({seen.first} to {seen.last})" if seen.first and seen.last != seen.first else ""
        often = f"{seen.count} times, " if seen.count > 1 else ""
        place = dim(f"  {often}line {seen.line}{times}. ")
        document.item(text(code(mask(seen.text)[:_TEXT]), place, seen.message.means))
    if len(story) > 8:
        document.para(dim(f"and {len(story) - 8} more"))


def _add_ruled_out(document: Document, diagnosis: Diagnosis, mask: Mask) -> None:
    out = [candidate for candidate in diagnosis.causes if candidate.status == RULED_OUT]
    if out:
        document.heading("Ruled out")
        for candidate in out[:5]:
            document.item(text(candidate.cause.title, dim(f" ({'; '.join(_grounds(diagnosis, candidate.because))})")))
    unknown = diagnosis.evidence.unknown
    if unknown:
        document.heading("Lines about NFS that are not known")
        for line in unknown[:5]:
            document.item(text(dim(f"line {line.number}: "), code(mask(line.text.strip())[:_TEXT])))
        if diagnosis.evidence.unknown_count > 5:
            document.para(dim(f"and {diagnosis.evidence.unknown_count - 5} more"))


def _grounds(diagnosis: Diagnosis, because: Iterable[tuple[str, str, int]]) -> list[str]:
    return [_fact_text(diagnosis, name) if kind == "fact" else f"checked: {name}" for kind, name, _ in because]


def names_a_cause(diagnosis: Diagnosis) -> bool:
    """Whether a cause is confirmed or possible."""
    return any(candidate.status in (CONFIRMED, "possible") for candidate in diagnosis.causes)


def data(diagnosis: Diagnosis, mask: Mask) -> Data:
    """The whole diagnosis, ready for JSON."""
    evidence = diagnosis.evidence
    ranked = {candidate.cause.id: candidate for candidate in diagnosis.causes}
    following, question = diagnosis.next_check(), diagnosis.question()
    return {
        "schema": SCHEMA,
        "messages": [
            {
                "id": seen.message.id, "text": mask(seen.text), "line": seen.line, "count": seen.count,
                "first": seen.first, "last": seen.last, "means": seen.message.means,
                "causes": [_cause_data(other, mask) for other in ranked.values() if seen.message.id in other.explains],
            }
            for seen in evidence.problems()
        ],
        "causes": [_cause_data(candidate, mask) for candidate in ranked.values()],
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
        "unknown": [{"line": line.number, "text": mask(line.text)} for line in evidence.unknown],
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
        "id": cause.id, "title": cause.title, "status": candidate.status, "likelihood": round(candidate.likelihood, 4),
        "side": cause.side, "why": cause.why, "check": _check_data(cause.check),
        "remedy": {"do": cause.remedy.do, "risk": cause.remedy.risk, "undo": cause.remedy.undo},
        "because": [{"kind": kind, "name": mask(name), "line": line} for kind, name, line in candidate.because],
        "explains": list(candidate.explains), "cites": list(cause.cites),
    }


def _check_data(check: CauseCheck) -> Data:
    return {"on": check.on, "do": check.do, "tells": check.tells, "cost": check.cost, "risk": check.risk}

"""A diagnosis for programs: `advisor-diagnose/1`, and its schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.diagnose.ranking import RankedCause
    from advisor.diagnose.state import Diagnosis
    from advisor.rulebase.model import CauseCheck

SCHEMA = "advisor-diagnose/1"
Data = dict[str, object]


def data(diagnosis: Diagnosis, mask: Callable[[str], str]) -> Data:
    """The whole diagnosis, ready for JSON. `mask`: what becomes of text that people have sent."""
    evidence = diagnosis.evidence
    ranked = {one.cause.id: one for one in diagnosis.causes}
    following, question = diagnosis.next_check(), diagnosis.question()
    return {
        "schema": SCHEMA,
        "messages": [
            {
                "id": one.message.id, "text": mask(one.text), "line": one.line, "count": one.count,
                "first": one.first, "last": one.last, "means": one.message.means,
                "causes": [_cause(other, mask) for other in ranked.values() if one.message.id in other.explains],
            }
            for one in evidence.story()
        ],
        "causes": [_cause(one, mask) for one in ranked.values()],
        "facts": [
            {"fact": one.fact, "value": mask(one.value) if isinstance(one.value, str) else one.value, "line": one.line,
             "known_by": known_by}
            for known_by, facts in (("read", evidence.read), ("stated", evidence.stated)) for one in facts
        ],
        "findings": [
            {"rule": one.finding.rule, "severity": one.finding.severity, "file": one.finding.file, "line": one.line,
             "message": mask(one.finding.message)}
            for one in evidence.configured.findings
        ],
        "unknown": [{"line": one.number, "text": mask(one.text)} for one in evidence.unknown],
        "unknown_count": evidence.unknown_count,
        "next_check": None if following is None else {
            **_check(following.check), "tells": " ".join(following.outcomes()), "for": list(following.tells),
        },
        "question": None if question is None else {
            "fact": question.fact.id, "ask": question.fact.ask, "values": list(question.values),
        },
    }


def _cause(one: RankedCause, mask: Callable[[str], str]) -> Data:
    cause = one.cause
    return {
        "id": cause.id, "title": cause.title, "status": one.status, "likelihood": round(one.likelihood, 4),
        "side": cause.side, "why": cause.why, "check": _check(cause.check),
        "remedy": {"do": cause.remedy.do, "risk": cause.remedy.risk, "undo": cause.remedy.undo},
        "because": [{"kind": kind, "name": mask(name), "line": line} for kind, name, line in one.because],
        "explains": list(one.explains), "cites": list(cause.cites),
    }


def _check(check: CauseCheck) -> Data:
    return {"on": check.on, "do": check.do, "tells": check.tells, "cost": check.cost, "risk": check.risk}


def _object(**properties: object) -> Data:
    return {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}


def _list(items: object) -> Data:
    return {"type": "array", "items": items}


def schema() -> Data:
    """The JSON Schema of `data`."""
    text: Data = {"type": "string"}
    maybe: Data = {"type": ["string", "null"]}
    number: Data = {"type": "integer", "minimum": 0}
    check = {
        "on": {"enum": ["client", "server", "network"]}, "do": text, "tells": text,
        "cost": {"enum": ["low", "medium", "high"]}, "risk": {"enum": ["none", "low", "high"]},
    }
    cause = _object(
        id=text, title=text, status={"enum": ["confirmed", "possible", "ruled-out"]},
        likelihood={"type": "number", "minimum": 0, "maximum": 1},
        side={"enum": ["client", "server", "network", "any"]}, why=text, check=_object(**check),
        remedy=_object(do=text, risk=maybe, undo=maybe),
        because=_list(_object(kind={"enum": ["message", "finding", "fact", "check"]}, name=text, line=number)),
        explains=_list(text), cites=_list(text),
    )
    causes = _list({"$ref": "#/$defs/cause"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA, "$defs": {"cause": cause},
        **_object(
            schema={"const": SCHEMA},
            messages=_list(_object(
                id=text, text=text, line=number, count=number, first=maybe, last=maybe, means=text, causes=causes,
            )),
            causes=causes,
            facts=_list(_object(fact=text, value={}, line=number, known_by={"enum": ["read", "stated"]})),
            findings=_list(_object(
                rule=text, severity={"enum": ["error", "warning", "note"]}, file=text, line=number, message=text,
            )),
            unknown=_list(_object(line=number, text=text)), unknown_count=number,
            next_check={"oneOf": [{"type": "null"}, _object(**check, **{"for": _list(text)})]},
            question={"oneOf": [{"type": "null"}, _object(fact=text, ask=maybe, values=_list({}))]},
        ),
    }


def text() -> str:
    """The published schema, docs/schema/advisor-diagnose-1.json."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(text(), end="")

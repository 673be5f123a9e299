"""What `advisor lint --output-format json` writes: the one list of its fields, and its JSON Schema.

`python -m advisor.render.lint_schema` prints the schema, which is published as docs/schema/advisor-lint-1.json."""

from __future__ import annotations

from typing import Any

SCHEMA = "advisor-lint/1"

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_PLACE = {"type": "integer", "minimum": 1}
_ANY = {"type": ["string", "number", "boolean", "null", "array"]}
_CONSEQUENCES = [
    "mount-fails", "data-loss", "stale-data", "hang", "boot", "security", "ignored", "performance", "unsupported",
    "portability",
]


def _said(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _object(properties: dict[str, Any], description: str, null: bool = False) -> dict[str, Any]:
    """An object that has all of these properties; later versions of the program may add others."""
    return {
        "type": ["object", "null"] if null else "object", "description": description,
        "required": list(properties), "properties": properties,
    }


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}


CITE = {
    "claim": _said(_TEXT, "the claim's id; `advisor kb show CLAIM` has all of it"),
    "source": _said(_TEXT, "the id of the document"),
    "title": _said(_TEXT, "the document's title"),
    "publisher": _TEXT,
    "at": _said(_TEXT, "the place in the document"),
    "grade": _said(
        {"enum": ["code", "observed", "manual", "vendor", "measurement", "report", "community"]},
        "how good the evidence is, strongest first in this list",
    ),
    "date": _said({"type": ["string", "null"]}, "of the document, as it gives it"),
    "address": _said({"type": ["string", "null"]}, "where the document can be read"),
}

EDIT = {
    "line": _PLACE,
    "column": _said(_PLACE, "1-based, in characters"),
    "end_column": _said(_PLACE, "the column after the last one replaced; equal to `column` where text is put in"),
    "text": _said(_TEXT, "what stands there afterwards"),
}

FIX = {
    "safety": _said({"enum": ["safe", "unsafe"]}, "safe: changes no behaviour that anyone can rely on"),
    "edits": _list(_object(EDIT, "replaces a part of one line"), "all of them belong together"),
}

FINDING = {
    "rule": _said(_TEXT, "the slug of the rule, check or erratum; stable for ever"),
    "severity": {"enum": ["error", "warning", "note"]},
    "consequence": _said({"enum": _CONSEQUENCES}, "what happens to those who leave it as it is"),
    "confidence": _said(
        {"enum": ["high", "medium", "low"]}, "medium: it rests on a platform that was inferred from the server's name"
    ),
    "file": _said(_TEXT, "as it was named; <stdin> for standard input"),
    "line": _PLACE,
    "column": _said(_PLACE, "1-based, in characters of the line; a byte that is not UTF-8 is one character"),
    "end_column": _said(_PLACE, "the column after the last one"),
    "tunable": _said({"type": ["string", "null"]}, "what is set, such as mount.nconnect"),
    "value": _said(_ANY, "as it is, in the tunable's unit; null where it is not set or has none"),
    "expected": _said(_ANY, "what the rule asks for: a value, `omit`, `n/a`, a bound such as <=9, or a list of these"),
    "message": _said(_TEXT, "what is wrong"),
    "why": _TEXT,
    "remedy": _said(_TEXT, "what to write instead"),
    "cites": _list(_object(CITE, "a source"), "who says so"),
    "fix": _object(FIX, "a change that removes the finding", null=True),
    "depends_on": _list(_TEXT, "facts on which it depends"),
}

OPEN = {
    "file": _TEXT,
    "line": _PLACE,
    "tunable": _TEXT,
    "depends_on": _list(_TEXT, "facts that could settle it"),
}

INFERRED = {
    "fact": _TEXT,
    "value": _TEXT,
    "title": _said(_TEXT, "the value for people"),
    "places": _list(_object({"file": _TEXT, "line": _PLACE}, "a line"), "the lines with findings that rest on it"),
}

QUESTION = {
    "open_settings": _said(_COUNT, "settings that could not be judged"),
    "fact": _said(_TEXT, "the fact that settles most of them"),
    "question": _said(_TEXT, "how to ask for it"),
    "concerns": _said(_COUNT, "settings that depend on it"),
    "example": _said(_TEXT, "how an answer looks"),
}

SUPPRESSION = {
    "file": _TEXT,
    "line": _PLACE,
    "rule": _TEXT,
    "severity": {"enum": ["error", "warning", "note"]},
    "reason": _said(_TEXT, "as the comment gives it; empty where it gives none"),
}

SUMMARY = {
    "files": _list(_TEXT, "every file that was read"),
    "nfs_lines": _COUNT,
    "errors": _COUNT,
    "warnings": _COUNT,
    "notes": _COUNT,
    "suppressed": _said(_COUNT, "findings that a comment in the file keeps silent"),
    "suppressions": _list(_object(SUPPRESSION, "a finding that is kept silent"), "what comments keep silent, and why"),
    "fixable": _said(_COUNT, "findings with a safe fix"),
    "fixable_unsafe": _said(_COUNT, "findings with an unsafe fix"),
    "inferred": _list(_object(INFERRED, "a fact"), "facts that were taken from the names of servers"),
    "open": _list(_object(OPEN, "a setting that was not judged"), "what depends on facts that are not known"),
    "question": _object(QUESTION, "the one question that settles most", null=True),
}


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the document."""
    document = {
        "schema": {"const": SCHEMA},
        "findings": _list(_object(FINDING, "a setting, or the lack of one, that no rule supports"), "in order"),
        "summary": _object(SUMMARY, "the run as a whole"),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "advisor lint --output-format json",
        **_object(document, "Findings in NFS configuration. Fields may be added; these stay as they are."),
    }


def text() -> str:
    """The schema as the file that is published."""
    import json  # noqa: PLC0415  the field lists alone do not need it

    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(text(), end="")

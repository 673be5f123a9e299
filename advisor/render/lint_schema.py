"""What `advisor lint --output-format json` writes: the one list of its fields, and its JSON Schema.

`python -m advisor.render.lint_schema` prints the schema, which is published as docs/schema/advisor-lint-1.json."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping



TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}


def said(schema: Mapping[str, object], description: str) -> dict[str, object]:
    return {**schema, "description": description}


def has(
    properties: Mapping[str, object], description: str, null: bool = False, optional: Mapping[str, object] | None = None
) -> dict[str, object]:
    """An object that has all of these properties, and may have the optional ones; later versions of the program may
    add others."""
    return {
        "type": ["object", "null"] if null else "object", "description": description,
        "required": list(properties), "properties": {**properties, **(optional or {})},
    }


def each(items: Mapping[str, object], description: str) -> dict[str, object]:
    return {"type": "array", "items": items, "description": description}


SCHEMA = "advisor-lint/1"

_PLACE = {"type": "integer", "minimum": 1}
_ANY = {"type": ["string", "number", "boolean", "null", "array"]}
_CONSEQUENCES = [
    "mount-fails", "data-loss", "stale-data", "hang", "boot", "security", "ignored", "performance", "unsupported",
    "portability",
]


CITE = {
    "claim": said(TEXT, "the claim's id; `advisor kb show CLAIM` has all of it"),
    "source": said(TEXT, "the id of the document"),
    "title": said(TEXT, "the document's title"),
    "publisher": TEXT,
    "at": said(TEXT, "the place in the document"),
    "grade": said(
        {"enum": ["code", "observed", "manual", "vendor", "measurement", "report", "community"]},
        "how good the evidence is, strongest first in this list",
    ),
    "date": said({"type": ["string", "null"]}, "of the document, as it gives it"),
    "address": said({"type": ["string", "null"]}, "where the document can be read"),
}

EDIT = {
    "line": _PLACE,
    "column": said(_PLACE, "1-based, in characters"),
    "end_column": said(_PLACE, "the column after the last one replaced; equal to `column` where text is put in"),
    "text": said(TEXT, "what stands there afterwards"),
}

FIX = {
    "safety": said({"enum": ["safe", "unsafe"]}, "safe: changes no behaviour that anyone can rely on"),
    "edits": each(has(EDIT, "replaces a part of one line"), "all of them belong together"),
}

OTHER = {
    "rule": TEXT,
    "tunable": TEXT,
    "value": _ANY,
    "column": _PLACE,
    "end_column": _PLACE,
}

FINDING = {
    "rule": said(TEXT, "the slug of the rule, check or erratum; stable forever"),
    "severity": {"enum": ["error", "warning", "note"]},
    "consequence": said({"enum": _CONSEQUENCES}, "what happens if it is left unchanged"),
    "confidence": said(
        {"enum": ["high", "medium", "low"]}, "medium: it rests on a platform that was inferred from the server's name"
    ),
    "file": said(TEXT, "as it was named; <stdin> for standard input"),
    "line": _PLACE,
    "column": said(_PLACE, "1-based, in characters of the line; a byte that is not UTF-8 is one character"),
    "end_column": said(_PLACE, "the column after the last one"),
    "tunable": said({"type": ["string", "null"]}, "what is set, such as mount.nconnect"),
    "value": said(_ANY, "as it is, in the tunable's unit; null where it is not set or has none"),
    "expected": said(_ANY, "what the rule asks for: a value, `omit`, `n/a`, a bound such as <=9, or a list of these"),
    "message": said(TEXT, "what is wrong"),
    "why": TEXT,
    "remedy": said(TEXT, "what to write instead"),
    "cites": each(has(CITE, "a source"), "who says so"),
    "fix": has(FIX, "a change that removes the finding", null=True),
    "depends_on": each(TEXT, "facts on which it depends"),
}

ALSO = {"also": each(has(OTHER, "a setting"), "settings with the same cause: message and fix are for all of them")}
"""What a finding has only where it speaks of several settings."""

AREA = {"area": said(TEXT, "of `advisor check`: the part of the host that it is about, as --area names it")}

OPEN = {
    "file": TEXT,
    "line": _PLACE,
    "tunable": TEXT,
    "depends_on": each(TEXT, "facts that could settle it"),
}

INFERRED = {
    "fact": TEXT,
    "value": TEXT,
    "title": said(TEXT, "the value for people"),
    "places": each(has({"file": TEXT, "line": _PLACE}, "a line"), "the lines with findings that rest on it"),
}

QUESTION = {
    "open_settings": said(COUNT, "settings that could not be judged"),
    "fact": said(TEXT, "the fact that settles most of them"),
    "question": said(TEXT, "how to ask for it"),
    "concerns": said(COUNT, "settings that depend on it"),
    "example": said(TEXT, "how an answer looks"),
}

SUPPRESSION = {
    "file": TEXT,
    "line": _PLACE,
    "rule": TEXT,
    "severity": {"enum": ["error", "warning", "note"]},
    "reason": said(TEXT, "as the comment gives it; empty where it gives none"),
}

NOT_JUDGED = {
    "file": TEXT,
    "kind": said({"type": ["string", "null"]}, "what it looks like, as --kind names it; null where nobody knows"),
    "reason": said(TEXT, "why it was not judged, and what can be done"),
}

UNSEEN_THING = {
    "what": said(TEXT, "a file, a folder, or a sort of files"),
    "reason": said(TEXT, "why it could not be seen: what follows from it is not known"),
}

UNSEEN = {"unseen": each(has(UNSEEN_THING, "a thing"), "of `advisor check`: what could not be seen of the host")}

SUMMARY = {
    "files": each(TEXT, "every file that was judged"),
    "not_judged": each(has(NOT_JUDGED, "a file"), "files that were not understood or are not read yet"),
    "config": said({"type": ["string", "null"]}, "the configuration file that was read; null where there was none"),
    "nfs_lines": COUNT,
    "errors": COUNT,
    "warnings": COUNT,
    "notes": COUNT,
    "suppressed": said(COUNT, "findings that a comment in the file keeps silent"),
    "suppressions": each(has(SUPPRESSION, "a finding that is kept silent"), "what comments keep silent, and why"),
    "fixable": said(COUNT, "findings with a safe fix"),
    "fixable_unsafe": said(COUNT, "findings with an unsafe fix"),
    "inferred": each(has(INFERRED, "a fact"), "facts that were taken from the names of servers"),
    "open": each(has(OPEN, "a setting that was not judged"), "what depends on facts that are not known"),
    "question": has(QUESTION, "the one question that settles most", null=True),
}


def schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of the document."""
    document = {
        "schema": {"const": SCHEMA},
        "findings": each(
            has(FINDING, "a setting, or the lack of one, that no rule supports", optional={**ALSO, **AREA}), "in order"
        ),
        "summary": has(SUMMARY, "the run as a whole", optional=UNSEEN),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "advisor lint --output-format json",
        **has(document, "Findings in NFS configuration. Fields may be added; these stay as they are."),
    }


def text() -> str:
    """The schema as the file that is published."""
    import json  # noqa: PLC0415  the field lists alone do not need it

    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(text(), end="")

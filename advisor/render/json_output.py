"""The versioned JSON of `advisor lint` (schema advisor-lint/1, design.md §5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

SCHEMA = "advisor-lint/1"


def finding(f: Any, citation: Callable[[str], dict[str, str]]) -> dict[str, Any]:
    """One finding; `citation` turns a claim id into {claim, source, title, at}."""
    fix = None
    if f.fix is not None:
        fix = {"safety": f.fix.safety, "edits": [edit._asdict() for edit in f.fix.edits]}
    return {
        "rule": f.rule, "severity": f.severity, "consequence": f.consequence, "confidence": f.confidence,
        "file": f.file, "line": f.line, "column": f.column, "end_column": f.end_column, "tunable": f.tunable,
        "value": f.value, "expected": f.expected, "message": f.message, "why": f.why, "remedy": f.remedy,
        "cites": [citation(c) for c in f.cites], "fix": fix, "depends_on": list(f.depends_on),
    }


def document(findings: Iterable[Any], summary: dict[str, Any], citation: Callable[[str], dict[str, str]]) -> str:
    """The whole document as text; bytes that were not UTF-8 appear as lone surrogate escapes."""
    found = [finding(f, citation) for f in findings]
    return json.dumps({"schema": SCHEMA, "findings": found, "summary": summary}, indent=2)

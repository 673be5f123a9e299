"""GitLab's Code Quality report."""

from __future__ import annotations

import json
from collections.abc import Sequence

from advisor.document.escape import visible
from advisor.render.fingerprint import fingerprints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Summary

_SEVERITY = {"error": "critical", "warning": "major", "note": "info"}


def render(findings: Sequence[Finding], _summary: Summary, context: FindingContext) -> str:
    """A list, empty without findings."""
    names = fingerprints(findings, context.line)
    issues = [json.dumps(_issue(f, name)) for f, name in zip(findings, names)]
    return "[\n" + ",\n".join(issues) + "\n]\n"


def _issue(f: Finding, fingerprint: str) -> dict[str, object]:
    return {
        "description": visible(" ".join(filter(None, (f"{f.message} ({f.consequence}).", f.remedy)))),
        "check_name": f.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITY[f.severity],
        "location": {"path": visible(f.file.removeprefix("./")), "lines": {"begin": f.line, "end": f.line}},
    }

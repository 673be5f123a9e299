"""GitHub workflow commands: a finding becomes an annotation of its line."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.document.escape import visible
from advisor.render.plain import sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Summary

_COMMAND = {"error": "error", "warning": "warning", "note": "notice"}


def render(findings: Sequence[Finding], _summary: Summary, context: FindingContext) -> str:
    """One command a line; nothing without findings."""
    return "".join(_command(f, context) for f in findings)


def _command(f: Finding, context: FindingContext) -> str:
    properties = {
        "file": f.file, "line": f.line, "endLine": f.line, "col": f.column, "endColumn": f.end_column,
        "title": f"{f.rule} ({f.consequence})",
    }
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    text = "\n".join(visible(part) for part in (f.message, f.remedy, f.why, sources(f, context.citation)) if part)
    return f"::{_COMMAND[f.severity]} {given}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")

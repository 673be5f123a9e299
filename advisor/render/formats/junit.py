"""JUnit XML, for test reports: a suite a file, a failed case a finding; notes are skipped cases, and a file that was
not judged is an error."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.document.escape import visible
from advisor.render.plain import sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Summary


def render(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """ASCII only, so that it is the same in every encoding. A file without findings is one passed case."""
    suites: dict[str, list[Finding]] = {name: [] for name in summary["files"]}
    for f in findings:
        suites.setdefault(f.file, []).append(f)
    passed = summary["not_judged"]
    cases = sum(max(len(found), 1) for found in suites.values()) + len(passed)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="advisor lint" tests="{cases}" {_counts(findings, len(passed))}>',
    ]
    for name, found in suites.items():
        lines.append(f'  <testsuite name={_attribute(name)} tests="{max(len(found), 1)}" {_counts(found)}>')
        for f in found:
            lines += _case(f, context)
        if not found:
            lines.append(f'    <testcase name="no findings" classname={_attribute(name)}/>')
        lines.append("  </testsuite>")
    for one in passed:
        name, reason = _attribute(one["file"]), _attribute(one["reason"])
        lines += [
            f'  <testsuite name={name} tests="1" {_counts((), 1)}>',
            f'    <testcase name="not judged" classname={name}><error message={reason}/></testcase>',
            "  </testsuite>",
        ]
    return "\n".join([*lines, "</testsuites>\n"])


def _counts(found: Sequence[Finding], errors: int = 0) -> str:
    notes = sum(f.severity == "note" for f in found)
    return f'failures="{len(found) - notes}" errors="{errors}" skipped="{notes}"'


def _case(f: Finding, context: FindingContext) -> list[str]:
    tag, kind = ("skipped", "") if f.severity == "note" else ("failure", f" type={_attribute(f.severity)}")
    place = f"{f.file}:{f.line}:{f.column}"
    head = f"{place}: {f.severity}[{f.rule}] {f.message} ({f.consequence})"
    text = "\n".join(_text(part) for part in (head, f.remedy, f.why, sources(f, context.citation)) if part)
    return [
        f'    <testcase name={_attribute(f"{f.rule} at {f.line}:{f.column}")} classname={_attribute(f.file)}>',
        f"      <{tag}{kind} message={_attribute(f.message)}>{text}</{tag}>",
        "    </testcase>",
    ]


def _text(text: str) -> str:
    """What XML cannot hold is visible, and so is what a terminal would obey."""
    safe = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return safe if safe.isascii() else safe.encode("ascii", "xmlcharrefreplace").decode()


def _attribute(text: str) -> str:
    return '"' + _text(text).replace('"', "&quot;") + '"'

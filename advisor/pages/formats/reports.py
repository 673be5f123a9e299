"""Output formats for reports and code reviews: one line per finding, GitHub, JUnit and Markdown; and Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from advisor import __version__
from advisor.lint.finding import SEVERITIES
from advisor.pages.markdown import code, escape_markdown
from advisor.pages.phrases import scope_of_lint, source_line, totals
from advisor.pages.style import is_address, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.pages.formats.context import FindingContext
    from advisor.pages.formats.summary import Summary

_COMMAND = {"error": "error", "warning": "warning", "note": "notice"}
Sample = tuple[Mapping[str, str], int]
"""Labels, and the value."""


def as_concise(findings: Sequence[Finding], _summary: Summary, _context: object) -> str:
    """One line per finding, `file:line:column: severity[rule] message`; nothing without findings."""
    return "".join(
        f"{visible(f.file)}:{f.line}:{f.column}: {f.severity}[{f.rule}] {visible(f.message)}\n" for f in findings
    )


def as_github(findings: Sequence[Finding], _summary: Summary, context: FindingContext) -> str:
    """GitHub workflow commands: a finding becomes an annotation of its line. Nothing without findings."""
    return "".join(_command(f, context) for f in findings)


def _command(f: Finding, context: FindingContext) -> str:
    properties = {
        "file": f.file, "line": f.line, "endLine": f.line, "col": f.column, "endColumn": f.end_column,
        "title": f"{f.rule} ({f.consequence})",
    }
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    text = "\n".join(visible(part) for part in (f.message, f.remedy, f.why, source_line(f, context.citation)) if part)
    return f"::{_COMMAND[f.severity]} {given}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")


def as_junit(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """JUnit XML, for test reports: a suite per file, a failed case per finding. A note is a skipped case, a file that
    was not judged an error, and a file without findings one passed case. ASCII only: the same in every encoding."""
    suites: dict[str, list[Finding]] = {name: [] for name in summary["files"]}
    for f in findings:
        suites.setdefault(f.file, []).append(f)
    passed = summary["not_judged"]
    cases = sum(max(len(suite), 1) for suite in suites.values()) + len(passed)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="advisor lint" tests="{cases}" {_counts(findings, len(passed))}>',
    ]
    for name, suite in suites.items():
        lines.append(f'  <testsuite name={_attribute(name)} tests="{max(len(suite), 1)}" {_counts(suite)}>')
        for f in suite:
            lines += _case(f, context)
        if not suite:
            lines.append(f'    <testcase name="no findings" classname={_attribute(name)}/>')
        lines.append("  </testsuite>")
    for unjudged in passed:
        name, reason = _attribute(unjudged["file"]), _attribute(unjudged["reason"])
        lines += [
            f'  <testsuite name={name} tests="1" {_counts((), 1)}>',
            f'    <testcase name="not judged" classname={name}><error message={reason}/></testcase>',
            "  </testsuite>",
        ]
    return "\n".join([*lines, "</testsuites>\n"])


def _counts(findings: Sequence[Finding], errors: int = 0) -> str:
    notes = sum(f.severity == "note" for f in findings)
    return f'failures="{len(findings) - notes}" errors="{errors}" skipped="{notes}"'


def _case(f: Finding, context: FindingContext) -> list[str]:
    tag, kind = ("skipped", "") if f.severity == "note" else ("failure", f" type={_attribute(f.severity)}")
    place = f"{f.file}:{f.line}:{f.column}"
    head = f"{place}: {f.severity}[{f.rule}] {f.message} ({f.consequence})"
    text = "\n".join(_text(part) for part in (head, f.remedy, f.why, source_line(f, context.citation)) if part)
    return [
        f'    <testcase name={_attribute(f"{f.rule} at {f.line}:{f.column}")} classname={_attribute(f.file)}>',
        f"      <{tag}{kind} message={_attribute(f.message)}>{text}</{tag}>",
        "    </testcase>",
    ]


def _text(text: str) -> str:
    """What XML cannot hold, and what a terminal would obey, is made visible."""
    safe = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return safe if safe.isascii() else safe.encode("ascii", "xmlcharrefreplace").decode()


def _attribute(text: str) -> str:
    return '"' + _text(text).replace('"', "&quot;") + '"'


def as_markdown(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """GitHub Flavored Markdown, for comments and job summaries: a heading, the count, and a table for each file with
    findings. Markup in the input is shown as it is."""
    files: dict[str, list[Finding]] = {}
    for f in findings:
        files.setdefault(f.file, []).append(f)
    passed = summary["not_judged"]
    lines = ["## advisor lint"]
    if summary["files"] or not passed:
        lines += ["", f"**{totals(summary)}** in {scope_of_lint(summary)}"]
    for unjudged in passed:
        lines += ["", f"{code(unjudged['file'], table=False)}: {escape_markdown(unjudged['reason'])}."]
    for name, file_findings in files.items():
        lines += ["", f"### {code(name)}", "", "| place | severity | rule | finding | what to write | source |"]
        lines.append("|---|---|---|---|---|---|")
        for f in file_findings:
            finding = f"{escape_markdown(f.message)} ({f.consequence})"
            remedy = escape_markdown(f.remedy)
            cells = (f"{f.line}:{f.column}", f.severity, code(f.rule), finding, remedy, _source(f, context))
            lines.append("| " + " | ".join(cells) + " |")
    question = summary["question"]
    if question:
        answer = code(f"--set {question['fact']}={question['example']}", table=False)
        lines += ["", f"Not known, and needed most: {escape_markdown(question['question'])} Answer with {answer}."]
    return "\n".join(lines) + "\n"


def _source(f: Finding, context: FindingContext) -> str:
    if not f.cites:
        return ""
    cited = [context.citation(claim) for claim in f.cites]
    cite = next((cite for cite in cited if cite["address"]), cited[0])
    title = escape_markdown(cite["title"])
    address = cite["address"]
    return f"[{title}]({address})" if address and is_address(address) else title


class Gauge(NamedTuple):
    """`name`: as docs/fleet.md lists it; `about`: its help, one sentence. No two samples have the same labels."""

    name: str
    about: str
    samples: Iterable[Sample]


def exposition(gauges: Iterable[Gauge]) -> str:
    """The text. A gauge without samples is left out."""
    parts: list[str] = []
    for gauge in gauges:
        samples = [f"{gauge.name}{_labels(labels)} {value}\n" for labels, value in gauge.samples]
        if samples:
            parts += [f"# HELP {gauge.name} {_escaped(gauge.about)}\n# TYPE {gauge.name} gauge\n", *samples]
    return "".join(parts)


def _labels(labels: Mapping[str, str]) -> str:
    quoted = {name: _escaped(text).replace('"', '\\"') for name, text in labels.items()}
    joined = ",".join(f'{name}="{text}"' for name, text in quoted.items())
    return f"{{{joined}}}" if joined else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def as_prometheus(findings: Sequence[Finding], summary: Summary, _context: object) -> str:
    """How many findings there are, and of which rule."""
    severities = Counter(f.severity for f in findings)
    rules = Counter((visible(f.rule), f.severity) for f in findings)
    return exposition([
        Gauge("advisor_build_info", "The version of advisor that wrote this.", [({"version": __version__}, 1)]),
        Gauge("advisor_files", "Files that were judged.", [({}, len(summary["files"]))]),
        Gauge("advisor_files_not_judged", "Files that could not be judged.", [({}, len(summary["not_judged"]))]),
        Gauge(
            "advisor_findings", "Findings by severity.",
            [({"severity": severity}, severities[severity]) for severity in reversed(SEVERITIES)],
        ),
        Gauge(
            "advisor_rule_findings", "Findings by rule and severity; a rule that finds nothing has no series.",
            [({"rule": rule, "severity": severity}, count) for (rule, severity), count in sorted(rules.items())],
        ),
    ])

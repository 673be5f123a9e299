"""Output formats of findings for other programs: JSON (docs/schema/advisor-lint-1.json), SARIF, GitLab's Code Quality
report, GitHub's workflow commands, JUnit, Prometheus, Markdown, and one line per finding."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from advisor import __version__
from advisor.lint.finding import SEVERITIES, Edit, Finding, Fix
from advisor.lint.lines import Silenced
from advisor.named_tuple import grouped
from advisor.pages.formats import Cited, FindingContext, RuleFacts, Summary
from advisor.pages.markup import code, escape_markdown
from advisor.pages.phrases import scope_of_lint, source_line, totals, well_formed
from advisor.pages.style import is_address, visible

SCHEMA = "advisor-lint/1"


def as_json(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """One document, with a line for each finding. A byte that was not UTF-8 is written as the text \\xff."""
    cites = {claim: context.citation(claim) for f in findings for claim in f.cites}
    lines = [_json_line(_finding(f, cites)) for f in findings]
    listed = ",\n".join(lines)
    return f'{{"schema": "{SCHEMA}",\n"findings": [\n{listed}\n],\n"summary": {_json_line(summary)}}}\n'


def _finding(f: Finding, cites: Mapping[str, Cited]) -> dict[str, object]:
    fields: dict[str, object] = {
        "rule": f.rule, "severity": f.severity, "consequence": f.consequence, "confidence": f.confidence,
        "file": f.file, "line": f.line, "column": f.column, "end_column": f.end_column,
        "tunable": f.tunable, "value": f.value, "expected": f.expected,
        "message": f.message, "why": f.why, "remedy": f.remedy, "cites": [cites[claim] for claim in f.cites],
        "fix": None if f.fix is None else {
            "safety": f.fix.safety,
            "edits": [
                {"line": edit.line, "column": edit.column, "end_column": edit.end_column, "text": edit.text}
                for edit in f.fix.edits
            ],
        },
        "depends_on": list(f.depends_on),
    }
    if f.area:
        fields["area"] = f.area
    if f.also:
        fields["also"] = [
            {"rule": other.rule, "tunable": other.tunable, "value": other.value, "column": other.column,
             "end_column": other.end_column}
            for other in f.also
        ]
    return fields


def _json_line(data: Mapping[str, object]) -> str:
    text = json.dumps(data)
    # Half a surrogate pair is valid JSON that many readers refuse.
    return json.dumps(well_formed(data)) if "\\ud" in text else text

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
_PRECISION = {"high": "very-high", "medium": "high", "low": "medium"}


def as_sarif(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """One run, which describes only rules with findings. Silenced findings come last, as suppressed results, so that
    they change no fingerprint of the others."""
    silent = {len(findings) + number: silenced for number, silenced in enumerate(context.silenced)}
    findings = [*findings, *(silenced.finding for silenced in silent.values())]
    rules = {name: number for number, name in enumerate(dict.fromkeys(f.rule for f in findings))}
    precision = {f.rule: _PRECISION[f.confidence] for f in findings}
    names = fingerprints(findings, context.line)
    driver = {
        "name": "advisor", "version": context.version,
        "rules": [_rule(context.rule(name), precision[name], context) for name in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not summary["not_judged"], **_notifications(summary)}],
        "artifacts": [{"location": {"uri": uri}} for uri in dict.fromkeys(map(_uri, summary["files"]))],
    }
    results = (
        {**_result(f, rules[f.rule], name, context), "suppressions": _suppressions(silent.get(number))}
        for number, (f, name) in enumerate(zip(findings, names))
    )
    listed = ",\n".join(json.dumps(result) for result in results)
    head = json.dumps(run)[:-1]
    return f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [\n{head}, "results": [\n{listed}\n]}}]}}\n'


def _rule(rule: RuleFacts, precision: str, context: FindingContext) -> dict[str, object]:
    cited = [context.citation(claim) for claim in rule["cites"]]
    text = [rule["why"], rule["remedy"], *(f"{cite['title']}, {cite['at']}" for cite in cited)]
    listed = "\n".join(f"- {_linked(cite)}, {escape_markdown(cite['at'])}" for cite in cited)
    parts = (escape_markdown(rule["why"]), escape_markdown(rule["remedy"]), listed)
    return {
        "id": rule["rule"],
        "shortDescription": _message(rule["title"]),
        "fullDescription": _message(rule["why"]),
        "help": {**_message("\n".join(filter(None, text))), "markdown": _braces("\n\n".join(filter(None, parts)))},
        "defaultConfiguration": {"level": rule["severity"]},
        "properties": {
            "tags": ["nfs", rule["consequence"]], "precision": precision,
            "problem.severity": _PROBLEM[rule["severity"]],
        },
    }


def _linked(cite: Cited) -> str:
    address = cite["address"]
    title = escape_markdown(cite["title"])
    return f"[{title}]({address})" if address and is_address(address) else title


def _result(f: Finding, rule_index: int, fingerprint: str, context: FindingContext) -> dict[str, object]:
    parts = (f"{f.message} ({f.consequence})", f.remedy, f.why, source_line(f, context.citation))
    text = "\n".join(filter(None, parts))
    properties = {"consequence": f.consequence, "confidence": f.confidence, "tunable": f.tunable}
    result = {
        "ruleId": f.rule, "ruleIndex": rule_index, "level": f.severity, "message": _message(text),
        "locations": [_location(at, context) for at in (f, *f.also)],
        "partialFingerprints": {"advisor/v1": fingerprint},
        "properties": {**properties, "area": f.area} if f.area else properties,
    }
    if f.fix is not None:
        result["fixes"] = [_fix(f, f.fix)]
    return result


def _suppressions(silent: Silenced | None) -> list[dict[str, str]]:
    """If one result of a run has this list, all must have it, empty or not (SARIF 2.1.0, 3.27.23)."""
    if silent is None:
        return []
    reason = {"justification": _plain(silent.reason)} if silent.reason else {}
    return [{"kind": "external" if silent.elsewhere else "inSource", **reason}]


def _location(f: Finding, context: FindingContext) -> dict[str, object]:
    snippet = context.line(f.file, f.line)[f.column - 1 : f.end_column - 1]
    region = {**_region(f), "snippet": {"text": _plain(snippet)}}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(f.file)}, "region": region}}


def _fix(f: Finding, fix: Fix) -> dict[str, object]:
    replacements = [
        {"deletedRegion": _region(edit), "insertedContent": {"text": _plain(edit.text)}} for edit in fix.edits
    ]
    return {
        "description": _message(f.remedy or f.message),
        "artifactChanges": [{"artifactLocation": {"uri": _uri(f.file)}, "replacements": replacements}],
        "properties": {"safety": fix.safety},
    }


def _region(at: Finding | Edit) -> dict[str, int]:
    return {"startLine": at.line, "startColumn": at.column, "endLine": at.line, "endColumn": at.end_column}


def _uri(name: str) -> str:
    """A path as a URI: absolute ones as file://, relative ones as they are."""
    name = name.removeprefix("./")
    try:
        path = quote(os.fsencode(name), safe="/")
    except UnicodeEncodeError:  # no name that a file can have
        path = quote(visible(name), safe="/")
    return f"file://{path}" if path.startswith("/") else path


def _message(text: str) -> dict[str, str]:
    """A message that is shown as it is, without placeholders and links (SARIF 2.1.0, 3.11)."""
    return {"text": _braces(_plain(text).replace("](", "] ("))}


def _braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _plain(text: str) -> str:
    """Visible text, with its line ends."""
    return "\n".join(visible(line) for line in text.split("\n"))


def _notifications(summary: Summary) -> dict[str, object]:
    """Files that were not judged, as errors of the run; what could not be seen of a host; open settings, with the
    question that settles most of them."""
    notices = [
        {"level": "error", "message": _message(unjudged["reason"]),
         "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(unjudged["file"])}}}]}
        for unjudged in summary["not_judged"]
    ]
    for thing in summary.get("unseen", ()):
        notices.append({"level": "note", "message": _message(f"not seen: {thing['what']} ({thing['reason']})")})
    question = summary["question"]
    if question is not None:
        text = f"{question['open_settings']} settings depend on facts that are not known. {question['question']}"
        text += f" Answer with --set {question['fact']}={question['example']}"
        notices.append({"level": "note", "message": _message(text)})
    return {"toolExecutionNotifications": notices} if notices else {}

_CODE_QUALITY = {"error": "critical", "warning": "major", "note": "info"}


def as_gitlab(findings: Sequence[Finding], _summary: Summary, context: FindingContext) -> str:
    names = fingerprints(findings, context.line)
    issues = [json.dumps({
        "description": visible(" ".join(filter(None, (f"{f.message} ({f.consequence}).", f.remedy)))),
        "check_name": f.rule, "fingerprint": name, "severity": _CODE_QUALITY[f.severity],
        "location": {"path": visible(f.file.removeprefix("./")), "lines": {"begin": f.line, "end": f.line}},
    }) for f, name in zip(findings, names)]
    return "[\n" + ",\n".join(issues) + "\n]\n"


def fingerprints(findings: Iterable[Finding], line: Callable[[str, int], str]) -> list[str]:
    """A hexadecimal fingerprint for each finding, no two alike: a digest of its file, rule and tunable, and of the
    line's server and target. Findings with all of these in common are numbered. `line(file, number)`: a line."""
    seen: dict[str, int] = {}
    names = []
    place, fields = ("", 0), list[str]()
    for f in findings:
        if place != (f.file, f.line):
            place, fields = (f.file, f.line), line(f.file, f.line).split(None, 2)[:2]
        key = "\0".join((f.file, f.rule, f.tunable or "", *fields))
        seen[key] = number = seen.get(key, 0) + 1
        names.append(sha256(f"{key}\0{number}".encode("utf-8", "surrogatepass")).hexdigest())
    return names

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
    suites: dict[str, Sequence[Finding]] = {
        **dict.fromkeys(summary["files"], ()), **grouped((f.file, f) for f in findings),
    }
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
    safe = escape(visible(text), quote=False)
    return safe if safe.isascii() else safe.encode("ascii", "xmlcharrefreplace").decode()


def _attribute(text: str) -> str:
    return '"' + _text(text).replace('"', "&quot;") + '"'


def as_markdown(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """GitHub Flavored Markdown, for comments and job summaries: a heading, the count, and a table for each file with
    findings. Markup in the input is shown as it is."""
    passed = summary["not_judged"]
    lines = ["## advisor lint"]
    if summary["files"] or not passed:
        lines += ["", f"**{totals(summary)}** in {scope_of_lint(summary)}"]
    for unjudged in passed:
        lines += ["", f"{code(unjudged['file'], table=False)}: {escape_markdown(unjudged['reason'])}."]
    for name, file_findings in grouped((f.file, f) for f in findings).items():
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
    return _linked(next((cite for cite in cited if cite["address"]), cited[0]))


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

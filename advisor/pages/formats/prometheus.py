"""Prometheus' text format, as the textfile collector of node_exporter reads it: no timestamps, and all samples of a
metric together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from advisor import __version__
from advisor.lint.finding import SEVERITIES
from advisor.pages.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.pages.formats.summary import Summary

Sample = tuple[Mapping[str, str], int]
"""Labels, and the value."""


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

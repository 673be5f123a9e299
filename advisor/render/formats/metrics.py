"""Metrics for Prometheus: how many findings, and of which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from advisor import __version__
from advisor.document.escape import visible
from advisor.lint.finding import SEVERITIES
from advisor.render.exposition import Gauge, exposition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.summary import Summary


def as_prometheus(findings: Sequence[Finding], summary: Summary, _context: object) -> str:
    """For node_exporter's textfile collector."""
    severities = Counter(f.severity for f in findings)
    rules = Counter((visible(f.rule), f.severity) for f in findings)
    return exposition([
        Gauge("advisor_build_info", "The version of advisor that wrote this.", [({"version": __version__}, 1)]),
        Gauge("advisor_files", "Files that were judged.", [({}, len(summary["files"]))]),
        Gauge("advisor_files_not_judged", "Files that could not be judged.", [({}, len(summary["not_judged"]))]),
        Gauge(
            "advisor_findings", "Findings by severity.",
            [({"severity": one}, severities[one]) for one in reversed(SEVERITIES)],
        ),
        Gauge(
            "advisor_rule_findings", "Findings by rule and severity; a rule that finds nothing has no series.",
            [({"rule": rule, "severity": severity}, count) for (rule, severity), count in sorted(rules.items())],
        ),
    ])

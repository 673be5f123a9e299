"""The text output of `advisor check`: a summary, then the findings of each area."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.lint.finding import SEVERITIES
from advisor.named_tuple import NamedTuple
from advisor.pages.escape import visible
from advisor.pages.formats.text import TextReport
from advisor.pages.phrases import line_list
from advisor.pages.wrap import wrap, wrap_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.pages.formats.context import FindingContext
    from advisor.pages.formats.summary import LinePlace, Summary


_SLOW, _NO_EFFECT = ("performance",), ("ignored", "portability")
_FINDINGS = 5
"""How many findings of each group the summary lists; findings with the same message count as one."""


class CheckReport(NamedTuple):
    """`title`: the host or hosts; `about`: details of them. `areas`: (heading, findings) of each area. `notes`:
    sentences at the end of the summary."""

    title: str
    about: str
    areas: Sequence[tuple[str, Sequence[Finding]]]
    notes: Sequence[str]


def check_text(report: CheckReport, findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """The whole report. `findings`: those of all areas."""
    lines = wrap(visible(f"{report.title}: {report.about}"), context.columns, "", "  ")
    lines += _summary_lines(findings, context.columns)
    for note in report.notes:
        lines += wrap(visible(note), context.columns, "  ", "    ")
    return "\n".join([*lines, "", *_area_lines(report.areas, findings, summary, context)]).rstrip("\n") + "\n"


def _summary_lines(findings: Sequence[Finding], columns: int) -> list[str]:
    """The summary: findings that do harm, that cost speed, and that have no effect."""
    lines: list[str] = []
    sorts = (
        ("will hurt", [f for f in findings if f.consequence not in (*_SLOW, *_NO_EFFECT)]),
        ("only slow", [f for f in findings if f.consequence in _SLOW]),
        ("without effect", [f for f in findings if f.consequence in _NO_EFFECT]),
    )
    for title, sort in sorts:
        if sort:
            lines += wrap(f"{title}: {len(sort)}", columns, "  ", "    ")
        alike: dict[tuple[str, str], list[LinePlace]] = {}
        for finding in sorted(sort, key=lambda f: -SEVERITIES.index(f.severity)):
            place: LinePlace = {"file": finding.file, "line": finding.line}
            alike.setdefault((finding.rule, finding.message), []).append(place)
        for (_, message), places in list(alike.items())[:_FINDINGS]:
            lines += wrap(visible(f"{line_list(places, several=True)}: {message}"), columns, "    ", "      ")
        if len(alike) > _FINDINGS:
            lines += wrap(f"and {len(alike) - _FINDINGS} more", columns, "    ", "    ")
    return lines


def _area_lines(
    areas: Sequence[tuple[str, Sequence[Finding]]], findings: Sequence[Finding], summary: Summary,
    context: FindingContext,
) -> list[str]:
    """The findings of each area, and their total."""
    report = TextReport(context)
    for title, area_findings in areas:
        head = [(title.capitalize(), context.style.painter("bold"))]
        report.lines += [*wrap_parts(head, context.columns, "", ""), ""]
        report.findings(area_findings)
    if findings or summary["question"]:
        report.closing(summary)
    return report.lines

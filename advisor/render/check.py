"""A host for people: a summary that is read in half a minute, then the findings of each area."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.document.escape import visible
from advisor.document.wrap import wrap, wrap_parts
from advisor.named_tuple import NamedTuple
from advisor.render.formats.text import TextReport
from advisor.render.plain import counted, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import LinePlace, Summary


    class Say(Protocol):
        def __call__(self, line: str, first: str = "  ", rest: str = "    ") -> None: ...


_SLOW, _IDLE = ("performance",), ("ignored", "portability")
_TOLD = 5
"""How many findings of one sort the summary tells, each once for all places."""
_NAMED = 6
"""How many files it names."""


class HostReport(NamedTuple):
    """`title`: which host; `about`: the host in short. `areas`: heading and findings. `fine`: files without findings.
    `left`: what files are, and those that are not judged. `unseen`: why something was not seen, and what."""

    title: str
    about: Sequence[str]
    areas: Sequence[tuple[str, Sequence[Finding]]]
    fine: Sequence[str]
    left: Sequence[tuple[str, Sequence[str]]]
    unseen: Sequence[tuple[str, Sequence[str]]]


def text(report: HostReport, findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """The whole report. `findings`: those of all areas."""
    lines: list[str] = []
    say = speaker(lines, context.columns)
    say(f"{report.title}: {'; '.join(report.about)}", "", "  ")
    in_short(findings, say)
    if report.fine:
        say(f"fine: {named(report.fine)}")
    elif not findings:
        say("nothing that was seen uses NFS: no mount, no export, no setting")
    if report.left:
        say(f"not checked: {named([title for title, _ in report.left])}, because advisor does not read them yet")
    for why, names in report.unseen:
        say(f"not seen: {named(names)} ({why})")
    return "\n".join([*lines, "", *in_full(report.areas, findings, summary, context)]).rstrip("\n") + "\n"


def speaker(lines: list[str], columns: int) -> Say:
    """What adds a text to the lines of a report, wrapped, with what comes before its first line and the others."""

    def say(line: str, first: str = "  ", rest: str = "    ") -> None:
        lines.extend(wrap(visible(line), columns, first, rest))

    return say


def in_short(findings: Sequence[Finding], say: Say) -> None:
    """The summary of findings: what will hurt, what is only slow, what has no effect."""
    sorts = (
        ("will hurt", [f for f in findings if f.consequence not in (*_SLOW, *_IDLE)]),
        ("only slow", [f for f in findings if f.consequence in _SLOW]),
        ("without effect", [f for f in findings if f.consequence in _IDLE]),
    )
    for title, sort in sorts:
        if sort:
            say(f"{title}: {len(sort)}")
        ranked = sorted(sort, key=lambda f: ("error", "warning", "note").index(f.severity))
        alike: dict[tuple[str, str], list[LinePlace]] = {}
        for finding in ranked:
            place: LinePlace = {"file": finding.file, "line": finding.line}
            alike.setdefault((finding.rule, finding.message), []).append(place)
        for (_, message), places in list(alike.items())[:_TOLD]:
            say(f"{lines_of(places, several=True)}: {message}", "    ", "      ")
        if len(alike) > _TOLD:
            say(f"and {len(alike) - _TOLD} more", "    ")


def in_full(
    areas: Sequence[tuple[str, Sequence[Finding]]], findings: Sequence[Finding], summary: Summary,
    context: FindingContext,
) -> list[str]:
    """The findings of each area, and how many they are: the lines of a report."""
    report = TextReport(context)
    for title, found in areas:
        head = [(title.capitalize(), context.style.painter("bold"))]
        report.lines += [*wrap_parts(head, context.columns, "", ""), ""]
        groups: dict[tuple[str, int], list[Finding]] = {}
        for finding in found:
            groups.setdefault((finding.file, finding.line), []).append(finding)
        for (file, number), group in groups.items():
            report.group(file, number, group)
    if findings or summary["question"]:
        report.closing(summary)
    return report.lines


def named(names: Sequence[str]) -> str:
    """The first of several names, and how many there are besides."""
    more = f" and {counted(len(names) - _NAMED, 'other')}" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"

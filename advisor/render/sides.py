"""Servers and clients for people: which mounts belong to which server, and what both sides come to."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.named_tuple import NamedTuple
from advisor.render.check import in_full, in_short, named, speaker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Summary


class SidesReport(NamedTuple):
    """`title`: the hosts; `about`: how many mounts. `areas`: heading and findings. `fine`: mounts of which nothing is
    told; `elsewhere`: those of other servers. `unclear`: why mounts could not be judged, and which. `advice`: what to
    do where no mount belongs to a server."""

    title: str
    about: str
    areas: Sequence[tuple[str, Sequence[Finding]]]
    fine: Sequence[str]
    elsewhere: Sequence[str]
    unclear: Sequence[tuple[str, Sequence[str]]]
    advice: Sequence[str]


def text(report: SidesReport, findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """The whole report. `findings`: those of all areas."""
    lines: list[str] = []
    say = speaker(lines, context.columns)
    say(f"{report.title}: {report.about}", "", "  ")
    in_short(findings, say)
    if report.fine:
        say(f"fine: {named(report.fine)}")
    if report.elsewhere:
        say(f"of other servers: {named(report.elsewhere)}")
    for why, mounts in report.unclear:
        say(f"not judged: {named(mounts)} ({why})")
    for advice in report.advice:
        say(advice)
    return "\n".join([*lines, "", *in_full(report.areas, findings, summary, context)]).rstrip("\n") + "\n"

"""A report on a fleet for a terminal: the findings first, then the classes, then outliers and changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from advisor.fleet.model import usage
from advisor.pages.blocks import Block, Document, Items, ListItem, TextRun, dim, strong, text
from advisor.pages.phrases import counted

if TYPE_CHECKING:
    from advisor.fleet.model import ClassDifference, FleetDrift, FleetReport, HostClass
    from advisor.pages.blocks import Text

MARKS = {"error": "✗", "warning": "!", "note": "-"}
CLASSES, SHARES, OUTLIERS = 12, 15, 8
"""How many of each are shown without --verbose."""
_T = TypeVar("_T")


def blocks(report: FleetReport, whole: bool) -> list[Block]:
    """The report. `whole`: with every class, finding and host."""
    page = Document()
    alone = sum(1 for host_class in report.classes if len(host_class.hosts) == 1)
    classes = "1 class" if len(report.classes) == 1 else f"{len(report.classes)} classes"
    heading = f"{counted(report.hosts, 'host')} in {classes}"
    page.heading(heading + (f", {alone} of them with a single host" if alone and len(report.classes) > 1 else ""), 1)
    _add_shares(page, report, whole)
    _add_across(page, report, whole)
    _add_classes(page, report, whole)
    _add_usage(page, report, whole)
    _add_outliers(page, report, whole)
    if report.drift is not None:
        _add_drift(page, report.drift, whole)
    _add_failed(page, report)
    if report.unread:
        page.heading(f"Not used: {counted(len(report.unread), 'bundle')}")
        for bundle in _limited(report.unread, 10, whole):
            page.item(text(bundle.place, dim(f"  {bundle.why}")))
        _add_more(page, report.unread, 10, whole)
    return page.blocks


def _add_shares(page: Document, report: FleetReport, whole: bool) -> None:
    page.heading("Findings")
    if not report.shares:
        page.para("Nothing: no host has a finding.")
    for share in _limited(report.shares, SHARES, whole):
        head = text(strong(f"{share.hosts} of {report.hosts} hosts: "), share.message)
        which = f"{', '.join(_limited(share.classes, 3, whole))}{' …' if len(share.classes) > 3 and not whole else ''}"
        kind = dim(f"{share.severity}[{share.rule}] in {'class' if len(share.classes) == 1 else 'classes'} {which}")
        page.item(head, Items((ListItem(text(share.remedy)), ListItem(text(kind)))), mark=MARKS[share.severity])
    _add_more(page, report.shares, SHARES, whole)


def _add_across(page: Document, report: FleetReport, whole: bool) -> None:
    if not report.across:
        return
    page.heading("Between hosts")
    for finding in _limited(report.across, SHARES, whole):
        kind = dim(f"{finding.severity}[{finding.rule}] on {_host_names(finding.hosts, whole)}")
        details = Items((ListItem(text(finding.remedy)), ListItem(text(kind))))
        about = [] if finding.message.startswith(finding.about) else [strong(f"{finding.about}: ")]
        page.item(text(*about, finding.message), details, mark=MARKS[finding.severity])
    _add_more(page, report.across, SHARES, whole)


def _add_classes(page: Document, report: FleetReport, whole: bool) -> None:
    page.heading("Classes: hosts of identical configuration")
    rows = [
        (host_class.name, str(len(host_class.hosts)), _system_text(host_class), str(len(host_class.mounts)),
         _finding_counts(host_class), host_class.hosts[0])
        for host_class in _limited(report.classes, CLASSES, whole)
    ]
    page.table(("class", "hosts", "system", "mounts", "findings", "such as"), rows)
    if whole:
        for host_class in report.classes:
            _add_class(page, host_class)
    _add_more(page, report.classes, CLASSES, whole)


def _add_usage(page: Document, report: FleetReport, whole: bool) -> None:
    """Adds which hosts use which values of vers, proto and sec."""
    rows = [(use.option, use.value or "not known", str(use.hosts), ", ".join(_limited(use.classes, 3, whole)))
            for use in usage(report.classes)]
    if rows:
        page.heading("Mounted with")
        page.table(("option", "value", "hosts", "classes"), rows)


def _add_class(page: Document, host_class: HostClass) -> None:
    page.heading(f"Class {host_class.name}, {counted(len(host_class.hosts), 'host')}", 3)
    page.para(", ".join(host_class.hosts))
    for line in host_class.mounts:
        page.item(text(line))
    for finding in host_class.findings:
        page.item(text(f"{finding.place}: {finding.message}"), mark=MARKS[finding.severity])


def _add_outliers(page: Document, report: FleetReport, whole: bool) -> None:
    if not report.outliers:
        return
    classes = {host_class.name: host_class for host_class in report.classes}
    page.heading("Outliers: classes that differ little from a large one")
    for outlier in _limited(report.outliers, OUTLIERS, whole):
        beside = f", unlike {len(classes[outlier.near].hosts)} hosts of class {outlier.near}"
        details = tuple(ListItem(_difference_text(each)) for each in outlier.differences)
        page.item(text(strong(_host_names(classes[outlier.name].hosts, whole)), beside), Items(details))
    _add_more(page, report.outliers, OUTLIERS, whole)


def _difference_text(difference: ClassDifference) -> Text:
    if difference.here is None:
        return text(strong(difference.what), f" is missing; there: {difference.there}")
    if difference.there is None:
        return text(strong(difference.what), f" is only here: {difference.here}")
    return text(strong(difference.what), f": {difference.here}; there: {difference.there}")


def _add_drift(page: Document, drift: FleetDrift, whole: bool) -> None:
    page.heading(f"Since {drift.since}")
    for head, hosts in (("new", drift.new), ("gone", drift.gone)):
        if hosts:
            page.item(text(strong(f"{counted(len(hosts), 'host')} {head}: "), _host_names(hosts, whole)))
    for move in _limited(drift.moved, OUTLIERS, whole):
        details = Items(tuple(
            ListItem(_change_text(difference)) for difference in _limited(move.differences, CLASSES, whole)
        ))
        hosts_moved = text(strong(_host_names(move.hosts, whole)), f": class {move.before}, now {move.after}")
        page.item(hosts_moved, *((details,) if move.differences else ()))
    _add_more(page, drift.moved, OUTLIERS, whole)
    for head, shares in (("new finding", drift.found), ("fixed", drift.mended)):
        for share in _limited(shares, SHARES, whole):
            where = f" on {counted(share.hosts, 'host')} ({share.severity}[{share.rule}])"
            page.item(text(strong(f"{head}: "), share.message, dim(where)))
        _add_more(page, shares, SHARES, whole)
    if not any(drift[1:]):
        page.para("Nothing changed.")


def _change_text(difference: ClassDifference) -> Text:
    return text(strong(difference.what), f": {'absent' if difference.here is None else difference.here} → "
                                         f"{'absent' if difference.there is None else difference.there}")


def _add_failed(page: Document, report: FleetReport) -> None:
    failed = [host_class for host_class in report.classes if host_class.failed]
    if failed:
        page.heading("Not judged")
        for host_class in failed:
            page.item(text(strong(_host_names(host_class.hosts, False)), f": {host_class.failed}"))


def _system_text(host_class: HostClass) -> str:
    names = ("client.distro", "client.release")
    versions = [str(host_class.facts[name]) for name in names if name in host_class.facts]
    kernel = str(host_class.facts.get("client.kernel", "")).partition("-")[0]
    return ", ".join(filter(None, [" ".join(versions), kernel])) or "not known"


def _finding_counts(host_class: HostClass) -> TextRun | str:
    if host_class.failed:
        return TextRun("not judged", "bad")
    marks = []
    for severity, mark in MARKS.items():
        number = sum(1 for each in host_class.findings if each.severity == severity)
        marks += [f"{number}{mark}"] if number else []
    return " ".join(marks) or TextRun("none", "good")


def _host_names(names: Sequence[str], whole: bool) -> str:
    most = 3
    if whole or len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} +{len(names) - most}"


def _limited(every: Sequence[_T], most: int, whole: bool) -> Sequence[_T]:
    return every if whole else every[:most]


def _add_more(page: Document, every: Sequence[object], most: int, whole: bool) -> None:
    if len(every) > most and not whole:
        page.para(dim(f"{len(every) - most} more: --verbose shows all."))

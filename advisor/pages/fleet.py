"""A report on a fleet for a terminal: the findings first, then the classes, then outliers and changes. For other
programs: as Prometheus metrics, a few hundred series at most, without names of hosts or classes; and as Parquet, one
table per file, for DuckDB and data warehouses, where the column `report` has the time of the report, so that tables of
many reports can be read together."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeVar

from advisor.files.libmount import decode
from advisor.fleet import model
from advisor.lint.finding import SEVERITIES
from advisor.named_tuple import fields_of
from advisor.pages.blocks import Block, Document, Items, ListItem, Text, TextRun, dim, strong, text
from advisor.pages.formats.machine_readable import Gauge, Sample, exposition
from advisor.pages.phrases import counted, well_formed
from advisor.regex import regex

MARKS = {"error": "✗", "warning": "!", "note": "-"}
CLASSES, FAULTS, SHARES, OUTLIERS = 12, 8, 8, 8
"""How many of each are shown without --verbose."""
_T = TypeVar("_T")


def blocks(report: model.FleetReport, whole: bool) -> list[Block]:
    """The report. `whole`: with every class, finding and host."""
    page = Document()
    alone = sum(1 for host_class in report.classes if len(host_class.hosts) == 1)
    classes = "1 class" if len(report.classes) == 1 else f"{len(report.classes)} classes"
    heading = f"{counted(report.hosts, 'host')} in {classes}"
    page.heading(heading + (f", {alone} of them with a single host" if alone and len(report.classes) > 1 else ""), 1)
    by_worst = ((f"{number:,} with {_WORST[kind]}", number) for kind, number in _worst_counts(report).items())
    unread = f"; {counted(len(report.unread), 'bundle')} not used" if report.unread else ""
    page.para(f"{', '.join(told for told, number in by_worst if number)}{unread}.")
    _add_faults(page, report, whole)
    _add_shares(page, report, whole)
    _add_across(page, report, whole)
    _add_classes(page, report, whole)
    _add_usage(page, report, whole)
    _add_outliers(page, report, whole)
    if report.drift is not None:
        _add_drift(page, report.drift, whole)
    page.listed("Not judged", (
        text(strong(_host_names(host_class.hosts, False)), f": {host_class.failed}") for host_class in report.classes
        if host_class.failed
    ))
    files = groupby(report.unread, lambda bundle: bundle.place if whole else bundle.place.partition(":")[0])
    by_file = [[*several] for _, several in files]
    page.listed(f"Not used: {counted(len(report.unread), 'bundle')}", (
        text(first.place, dim(f"  {first.why}"), f", and {len(more):,} more of this file" if more else "")
        for first, *more in _limited(page, by_file, 10, whole)
    ))
    return page.blocks


def _add_faults(page: Document, report: model.FleetReport, whole: bool) -> None:
    faults = model.known_faults(report.classes)
    if not faults:
        return
    page.heading("Known faults of the versions that run")
    page.table(("", "hosts", "on", "fixed in", "fault"), [
        (MARKS[fault.severity], f"{fault.hosts:,}", _host_names(fault.runs, whole, 1),
         _host_names(fault.fixed, whole, 1) or "no version", text(fault.title, dim(f" [{fault.rule}]")))
        for fault in faults[: None if whole else FAULTS]
    ])
    _add_more(page, faults, FAULTS, whole)


def _add_shares(page: Document, report: model.FleetReport, whole: bool) -> None:
    page.heading("Findings")
    shares = [share for share in report.shares if not model.is_fault(share)]
    if not shares:
        page.para("Nothing else." if report.shares else "Nothing: no host has a finding.")
    for share in _limited(page, shares, SHARES, whole):
        head = text(strong(f"{share.hosts:,} of {report.hosts:,} hosts: "), share.message)
        which = f"{', '.join(share.classes[: None if whole else 3])}{' …' * (len(share.classes) > 3 and not whole)}"
        kind = dim(f"{share.severity}[{share.rule}] in {'class' if len(share.classes) == 1 else 'classes'} {which}")
        page.item(head, Items((ListItem(text(share.remedy)), ListItem(text(kind)))), mark=MARKS[share.severity])


def _add_across(page: Document, report: model.FleetReport, whole: bool) -> None:
    if not report.across:
        return
    page.heading("Between hosts")
    for finding in _limited(page, report.across, SHARES, whole):
        kind = dim(f"{finding.severity}[{finding.rule}] on {_host_names(finding.hosts, whole)}")
        details = Items((ListItem(text(finding.remedy)), ListItem(text(kind))))
        about = [] if finding.message.startswith(finding.about) else [strong(f"{finding.about}: ")]
        page.item(text(*about, finding.message), details, mark=MARKS[finding.severity])


def _add_classes(page: Document, report: model.FleetReport, whole: bool) -> None:
    page.heading("Classes: hosts of identical configuration")
    rows = [
        (host_class.name, f"{len(host_class.hosts):,}", _system_text(host_class), str(len(host_class.mounts)),
         _finding_counts(host_class), host_class.hosts[0])
        for host_class in report.classes[: None if whole else CLASSES]
    ]
    page.table(("class", "hosts", "system", "mounts", "findings", "such as"), rows)
    if whole:
        for host_class in report.classes:
            _add_class(page, host_class)
    _add_more(page, report.classes, CLASSES, whole)


def _add_usage(page: Document, report: model.FleetReport, whole: bool) -> None:
    """Adds which hosts use which values of vers, proto and sec."""
    rows = [(use.option, use.value or "not known", f"{use.hosts:,}", ", ".join(use.classes[: None if whole else 3]))
            for use in model.usage(report.classes)]
    if rows:
        page.heading("Mounted with")
        page.table(("option", "value", "hosts", "classes"), rows)


def _add_class(page: Document, host_class: model.HostClass) -> None:
    page.heading(f"Class {host_class.name}, {counted(len(host_class.hosts), 'host')}", 3)
    page.para(", ".join(host_class.hosts))
    for line in host_class.mounts:
        page.item(text(line))
    for finding in host_class.findings:
        page.item(text(f"{finding.place}: {finding.message}"), mark=MARKS[finding.severity])


def _add_outliers(page: Document, report: model.FleetReport, whole: bool) -> None:
    if not report.outliers:
        return
    classes = {host_class.name: host_class for host_class in report.classes}
    page.heading("Outliers: classes that differ little from a large one")
    for outlier in _limited(page, report.outliers, OUTLIERS, whole):
        beside = f", unlike {len(classes[outlier.near].hosts):,} hosts of class {outlier.near}"
        details = tuple(ListItem(_difference_text(each)) for each in outlier.differences)
        page.item(text(strong(_host_names(classes[outlier.name].hosts, whole)), beside), Items(details))


def _difference_text(difference: model.ClassDifference) -> Text:
    if difference.here is None:
        return text(strong(difference.what), f" is missing; there: {difference.there}")
    if difference.there is None:
        return text(strong(difference.what), f" is only here: {difference.here}")
    return text(strong(difference.what), f": {difference.here}; there: {difference.there}")


def _add_drift(page: Document, drift: model.FleetDrift, whole: bool) -> None:
    page.heading(f"Since {drift.since}")
    for head, hosts in (("new", drift.new), ("gone", drift.gone)):
        if hosts:
            page.item(text(strong(f"{counted(len(hosts), 'host')} {head}: "), _host_names(hosts, whole)))
    for move in _limited(page, drift.moved, OUTLIERS, whole):
        changes = move.differences[: None if whole else CLASSES]
        details = Items(tuple(ListItem(_change_text(difference)) for difference in changes))
        hosts_moved = text(strong(_host_names(move.hosts, whole)), f": class {move.before}, now {move.after}")
        page.item(hosts_moved, *((details,) if move.differences else ()))
    for head, shares in (("new finding", drift.found), ("fixed", drift.mended)):
        for share in _limited(page, shares, SHARES, whole):
            where = f" on {counted(share.hosts, 'host')} ({share.severity}[{share.rule}])"
            page.item(text(strong(f"{head}: "), share.message, dim(where)))
    if not any(drift[1:]):
        page.para("Nothing changed.")


def _change_text(difference: model.ClassDifference) -> Text:
    return text(strong(difference.what), f": {'absent' if difference.here is None else difference.here} → "
                                         f"{'absent' if difference.there is None else difference.there}")


def _system_text(host_class: model.HostClass) -> str:
    names = ("client.distro", "client.release")
    versions = [str(host_class.facts[name]) for name in names if name in host_class.facts]
    kernel = str(host_class.facts.get("client.kernel", "")).partition("-")[0]
    return ", ".join(filter(None, [" ".join(versions), kernel])) or "not known"


def _finding_counts(host_class: model.HostClass) -> TextRun | str:
    if host_class.failed:
        return TextRun("not judged", "bad")
    counts = Counter(finding.severity for finding in host_class.findings)
    marks = (f"{counts[severity]}{mark}" for severity, mark in MARKS.items() if counts[severity])
    return " ".join(marks) or TextRun("none", "good")


def _host_names(names: Sequence[str], whole: bool, most: int = 3) -> str:
    if whole or len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} +{len(names) - most:,}"


def _limited(page: Document, every: Sequence[_T], most: int, whole: bool) -> Iterator[_T]:
    """The first of them, or the whole; then the page gets a line on how many there are more."""
    yield from every[: None if whole else most]
    _add_more(page, every, most, whole)


def _add_more(page: Document, every: Sequence[object], most: int, whole: bool) -> None:
    if len(every) > most and not whole:
        page.para(dim(f"{len(every) - most} more: --verbose shows all."))


VALUES = 10
"""Values of a mount option that have their own series, at most: hosts can write any value."""
_VALUE = regex(r"[A-Za-z0-9._-]{1,32}")
OTHER, UNKNOWN = "other", "unknown"
NONE, NOT_JUDGED = "none", "not_judged"
_WORST = {"error": "an error", "warning": "a warning", "note": "a note", NONE: "nothing", NOT_JUDGED: "no verdict"}
_BY_WEIGHT = (NONE, *SEVERITIES, NOT_JUDGED)
Row = tuple[object, ...]
TEXT, TEXTS, COUNT, TIME, BOOL = "text", "texts", "count", "time", "truth"
_COLUMNS = {"str": TEXT, "Severity": TEXT, "str | None": TEXT, "tuple[str, ...]": TEXTS, "bool": BOOL}


def _columns(record: type[NamedTuple]) -> dict[str, str]:
    return {name: _COLUMNS[hint] for name, hint in fields_of(record).items()}


TABLES: Mapping[str, Mapping[str, str]] = {
    "hosts": {"host": TEXT, "class": TEXT, "made": TIME},
    "classes": {"class": TEXT, "hosts": COUNT, "worst": TEXT, "failed": TEXT},
    "findings": {"class": TEXT, **_columns(model.ClassFinding)},
    "facts": {"class": TEXT, "fact": TEXT, "value": TEXT},
    "mounts": {"class": TEXT, "source": TEXT, "target": TEXT, "fstype": TEXT, "options": TEXTS},
    "outliers": {"class": TEXT, "near": TEXT, "what": TEXT, "here": TEXT, "there": TEXT},
    "across": _columns(model.FleetFinding),
    "unread": _columns(model.UnreadBundle),
    "changes": {"host": TEXT, "change": TEXT, "before": TEXT, "after": TEXT},
}
"""Table → its columns after `report` → their types. docs/fleet.md describes them."""


def metrics(report: model.FleetReport, version: str) -> str:
    """The text of the metrics. `version`: of advisor."""
    times = sorted(filter(None, (model.seconds(made) for host_class in report.classes for made in host_class.made)))
    older = sum(1 for bundle in report.unread if bundle.older)
    gauges: list[tuple[str, str, Iterable[Sample]]] = [
        ("build_info", "The version of advisor that wrote this.", [({"version": version}, 1)]),
        ("report_timestamp_seconds", "When the report was written.", _unlabelled(model.seconds(report.made))),
        ("hosts", "Hosts in the report.", _unlabelled(report.hosts)),
        ("classes", "Classes of hosts of identical configuration.", _unlabelled(len(report.classes))),
        (
            "hosts_by_worst_finding",
            "Hosts by the severity of their worst finding; none: without a finding, not_judged: advisor failed.",
            [({"severity": severity}, count) for severity, count in _worst_counts(report).items()],
        ),
        ("finding_hosts", "Hosts on which a rule finds something, by rule and worst severity.", _by_rule(report)),
        ("mounted_hosts", "Hosts with an NFS mount that has this value of vers, proto or sec.", _by_option(report)),
        ("bundles_unreadable", "Bundles that could not be read.", _unlabelled(len(report.unread) - older)),
        ("bundles_older", "Bundles of hosts that have a newer one.", _unlabelled(older)),
        ("oldest_bundle_timestamp_seconds", "When the oldest bundle that counts was made.", _unlabelled(*times[:1])),
        ("newest_bundle_timestamp_seconds", "When the newest bundle that counts was made.", _unlabelled(*times[-1:])),
        ("changed_hosts", "Hosts that changed since the earlier report.", _by_change(report)),
    ]
    return exposition(Gauge(f"advisor_fleet_{name}", about, samples) for name, about, samples in gauges)


def _unlabelled(*values: int | None) -> list[Sample]:
    return [({}, value) for value in values if value is not None]


def _worst_counts(report: model.FleetReport) -> dict[str, int]:
    """How many hosts have a worst finding of each severity, none, or were not judged."""
    worst = {
        host: host_class.worst or NONE if host_class.failed is None else NOT_JUDGED
        for host_class in report.classes for host in host_class.hosts
    }
    for between in report.across:
        for host in worst.keys() & between.hosts:
            worst[host] = max(worst[host], between.severity, key=_BY_WEIGHT.index)
    return {**dict.fromkeys(_WORST, 0), **Counter(worst.values())}


def _by_rule(report: model.FleetReport) -> Iterator[Sample]:
    """Each rule with its worst severity only, so that it has one series."""
    by_rule: dict[str, tuple[str, int]] = {}

    def add(rule: str, severity: str, hosts: int) -> None:
        before, count = by_rule.get(rule, (severity, 0))
        by_rule[rule] = max(before, severity, key=_BY_WEIGHT.index), count + hosts

    for host_class in report.classes:
        worst: dict[str, str] = {}
        for finding in host_class.findings:
            worst.setdefault(finding.rule, finding.severity)
        for rule, severity in worst.items():
            add(rule, severity, len(host_class.hosts))
    between: dict[str, set[str]] = {}
    for joint in report.across:
        between.setdefault(joint.rule, set()).update(joint.hosts)
        add(joint.rule, joint.severity, 0)
    for rule, (severity, count) in sorted(by_rule.items()):
        yield {"rule": rule, "severity": severity}, count + len(between.get(rule, ()))


def _by_option(report: model.FleetReport) -> Iterator[Sample]:
    sizes = {host_class.name: len(host_class.hosts) for host_class in report.classes}
    used = model.usage(report.classes)
    for option in model.USAGE_OPTIONS:
        classes: dict[str, set[str]] = {}
        for use in (use for use in used if use.option == option):
            named = len(classes) < VALUES and _VALUE.fullmatch(use.value) is not None
            value = use.value if named or use.value in classes else OTHER if use.value else UNKNOWN
            classes.setdefault(value, set()).update(use.classes)
        for value, names in classes.items():
            yield {"option": option, "value": value}, sum(sizes[name] for name in names)


def _by_change(report: model.FleetReport) -> list[Sample]:
    if report.drift is None:
        return []
    moved = sum(len(move.hosts) for move in report.drift.moved)
    counts = {"new": len(report.drift.new), "gone": len(report.drift.gone), "moved": moved}
    return [({"change": change}, count) for change, count in counts.items()]


def parquet(report: model.FleetReport) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the file of each table. Raises ImportError without pyarrow."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    kinds = {
        TEXT: pa.string(), TEXTS: pa.list_(pa.string()), COUNT: pa.int64(), TIME: pa.timestamp("s", "UTC"),
        BOOL: pa.bool_(),
    }
    made = model.seconds(report.made)
    for name, fields in TABLES.items():
        columns = {"report": TIME, **fields}
        rows = [(made, *row) for row in _rows(name, report)]
        arrays = [
            pa.array([well_formed(row[at]) for row in rows], kinds[kind]) for at, kind in enumerate(columns.values())
        ]
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(arrays, names=[*columns]), sink)
        yield f"{name}.parquet", sink.getvalue()


def _rows(name: str, report: model.FleetReport) -> Iterator[Row]:
    if name == "outliers":
        for outlier in report.outliers:
            yield from ((outlier.name, outlier.near, *difference) for difference in outlier.differences)
    elif name in ("across", "unread"):
        yield from getattr(report, name)
    elif name == "changes" and report.drift is not None:
        yield from ((host, "new", None, None) for host in report.drift.new)
        yield from ((host, "gone", None, None) for host in report.drift.gone)
        for moved in report.drift.moved:
            yield from ((host, "moved", moved.before, moved.after) for host in moved.hosts)
    else:
        for host_class in report.classes:
            yield from _class_rows(name, host_class)


def _class_rows(name: str, host_class: model.HostClass) -> Iterator[Row]:
    if name == "hosts":
        times = host_class.made or [""] * len(host_class.hosts)
        yield from ((host, host_class.name, model.seconds(made)) for host, made in zip(host_class.hosts, times))
    elif name == "classes":
        yield host_class.name, len(host_class.hosts), host_class.worst, host_class.failed
    elif name == "findings":
        yield from ((host_class.name, *finding) for finding in host_class.findings)
    elif name == "facts":
        yield from ((host_class.name, fact, model.value_text(value)) for fact, value in host_class.facts.items())
    elif name == "mounts":
        for line in host_class.mounts:
            words = map(decode, line.split(" "))
            source, target, fstype, options = [*words, "", "", "", ""][:4]
            yield host_class.name, source, target, fstype, options.split(",") if options else []

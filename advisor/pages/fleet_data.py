"""A report on a fleet for other programs: Prometheus metrics, a few hundred series at most, without names of hosts or
classes; and Parquet, one table per file, for DuckDB and data warehouses. There the column `report` has the time of the
report, so that tables of many reports can be read together."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.fleet.model import (
    USAGE_OPTIONS,
    ClassFinding,
    FleetDrift,
    FleetFinding,
    FleetReport,
    HostClass,
    UnreadBundle,
    fields_of,
    seconds,
    usage,
    value_text,
)
from advisor.lint.finding import SEVERITIES
from advisor.pages.formats.reports import Gauge, Sample, exposition
from advisor.pages.json_text import well_formed

VALUES = 10
"""Values of a mount option that have their own series, at most: hosts can write any value."""
_VALUE = re.compile(r"[A-Za-z0-9._-]{1,32}")
OTHER, UNKNOWN = "other", "unknown"
NONE, NOT_JUDGED = "none", "not_judged"
Row = tuple[object, ...]
TEXT, TEXTS, COUNT, TIME, BOOL = "text", "texts", "count", "time", "truth"
_COLUMNS = {"str": TEXT, "str | None": TEXT, "tuple[str, ...]": TEXTS, "bool": BOOL}


def _columns(record: type[NamedTuple]) -> dict[str, str]:
    return {name: _COLUMNS[hint] for name, hint in fields_of(record).items()}


TABLES: Mapping[str, Mapping[str, str]] = {
    "hosts": {"host": TEXT, "class": TEXT, "made": TIME},
    "classes": {"class": TEXT, "hosts": COUNT, "worst": TEXT, "failed": TEXT},
    "findings": {"class": TEXT, **_columns(ClassFinding)},
    "facts": {"class": TEXT, "fact": TEXT, "value": TEXT},
    "mounts": {"class": TEXT, "source": TEXT, "target": TEXT, "fstype": TEXT, "options": TEXTS},
    "outliers": {"class": TEXT, "near": TEXT, "what": TEXT, "here": TEXT, "there": TEXT},
    "across": _columns(FleetFinding),
    "unread": _columns(UnreadBundle),
    "changes": {"host": TEXT, "change": TEXT, "before": TEXT, "after": TEXT},
}
"""Table → its columns after `report` → their types. docs/fleet.md describes them."""


def metrics(report: FleetReport, version: str) -> str:
    """The text of the metrics. `version`: of advisor."""
    times = sorted(filter(None, (seconds(made) for host_class in report.classes for made in host_class.made)))
    older = sum(1 for bundle in report.unread if bundle.older)
    return exposition([
        Gauge("advisor_fleet_build_info", "The version of advisor that wrote this.", [({"version": version}, 1)]),
        Gauge(
            "advisor_fleet_report_timestamp_seconds", "When the report was written.", _unlabelled(seconds(report.made)),
        ),
        Gauge("advisor_fleet_hosts", "Hosts in the report.", _unlabelled(report.hosts)),
        Gauge(
            "advisor_fleet_classes", "Classes of hosts of identical configuration.", _unlabelled(len(report.classes)),
        ),
        Gauge(
            "advisor_fleet_hosts_by_worst_finding",
            "Hosts by the severity of their worst finding; none: without a finding, not_judged: advisor failed.",
            _by_worst(report),
        ),
        Gauge(
            "advisor_fleet_finding_hosts", "Hosts on which a rule finds something, by rule and worst severity.",
            _by_rule(report),
        ),
        Gauge(
            "advisor_fleet_mounted_hosts", "Hosts with an NFS mount that has this value of vers, proto or sec.",
            _by_option(report),
        ),
        Gauge(
            "advisor_fleet_bundles_unreadable", "Bundles that could not be read.",
            _unlabelled(len(report.unread) - older),
        ),
        Gauge("advisor_fleet_bundles_older", "Bundles of hosts that have a newer one.", _unlabelled(older)),
        Gauge(
            "advisor_fleet_oldest_bundle_timestamp_seconds", "When the oldest bundle that counts was made.",
            _unlabelled(*times[:1]),
        ),
        Gauge(
            "advisor_fleet_newest_bundle_timestamp_seconds", "When the newest bundle that counts was made.",
            _unlabelled(*times[-1:]),
        ),
        Gauge("advisor_fleet_changed_hosts", "Hosts that changed since the earlier report.", _by_change(report)),
    ])


def _unlabelled(*values: int | None) -> list[Sample]:
    return [({}, value) for value in values if value is not None]


def _by_worst(report: FleetReport) -> Iterator[Sample]:
    worst = dict.fromkeys((host for host_class in report.classes for host in host_class.hosts), NONE)
    for host_class in report.classes:
        if host_class.failed is not None:
            worst.update(dict.fromkeys(host_class.hosts, NOT_JUDGED))
        elif host_class.worst is not None:
            worst.update(dict.fromkeys(host_class.hosts, host_class.worst))
    for between in report.across:
        for host in between.hosts:
            if worst.get(host) == NONE or _is_less_severe(worst.get(host, ""), between.severity):
                worst[host] = between.severity
    counts = dict.fromkeys((*reversed(SEVERITIES), NONE, NOT_JUDGED), 0)
    for severity in worst.values():
        counts[severity] += 1
    for severity, count in counts.items():
        yield {"severity": severity}, count


def _is_less_severe(severity: str, other: str) -> bool:
    return severity in SEVERITIES and SEVERITIES.index(severity) < SEVERITIES.index(other)


def _by_rule(report: FleetReport) -> Iterator[Sample]:
    """Each rule with its worst severity only, so that it has one series."""
    by_rule: dict[str, tuple[str, int]] = {}

    def add(rule: str, severity: str, hosts: int) -> None:
        before, count = by_rule.get(rule, (severity, 0))
        by_rule[rule] = (severity if _is_less_severe(before, severity) else before), count + hosts

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


def _by_option(report: FleetReport) -> Iterator[Sample]:
    sizes = {host_class.name: len(host_class.hosts) for host_class in report.classes}
    for option in USAGE_OPTIONS:
        for value, names in _classes_by_value(option, report.classes).items():
            yield {"option": option, "value": value}, sum(sizes[name] for name in names)


def _classes_by_value(option: str, classes: Iterable[HostClass]) -> Mapping[str, set[str]]:
    """Value → the names of the classes with it."""
    names_by_value: dict[str, set[str]] = {}
    for use in usage(classes):
        if use.option == option:
            named = len(names_by_value) < VALUES and _VALUE.fullmatch(use.value) is not None
            value = use.value if named or use.value in names_by_value else OTHER if use.value else UNKNOWN
            names_by_value.setdefault(value, set()).update(use.classes)
    return names_by_value


def _by_change(report: FleetReport) -> list[Sample]:
    if report.drift is None:
        return []
    moved = sum(len(move.hosts) for move in report.drift.moved)
    counts = {"new": len(report.drift.new), "gone": len(report.drift.gone), "moved": moved}
    return [({"change": change}, count) for change, count in counts.items()]


def parquet(report: FleetReport) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the file of each table. Raises ImportError without pyarrow."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    kinds = {
        TEXT: pa.string(), TEXTS: pa.list_(pa.string()), COUNT: pa.int64(), TIME: pa.timestamp("s", "UTC"),
        BOOL: pa.bool_(),
    }
    made = seconds(report.made)
    for name, fields in TABLES.items():
        columns = {"report": TIME, **fields}
        rows = [(made, *row) for row in _rows(name, report)]
        arrays = [
            pa.array([well_formed(row[at]) for row in rows], kinds[kind]) for at, kind in enumerate(columns.values())
        ]
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(arrays, names=[*columns]), sink)
        yield f"{name}.parquet", sink.getvalue()


def _rows(name: str, report: FleetReport) -> Iterator[Row]:
    if name == "outliers":
        for outlier in report.outliers:
            yield from ((outlier.name, outlier.near, *difference) for difference in outlier.differences)
    elif name == "across":
        yield from report.across
    elif name == "unread":
        yield from report.unread
    elif name == "changes":
        if report.drift is not None:
            yield from _change_rows(report.drift)
    else:
        for host_class in report.classes:
            yield from _class_rows(name, host_class)


def _class_rows(name: str, host_class: HostClass) -> Iterator[Row]:
    if name == "hosts":
        times = host_class.made or [""] * len(host_class.hosts)
        yield from ((host, host_class.name, seconds(made)) for host, made in zip(host_class.hosts, times))
    elif name == "classes":
        yield host_class.name, len(host_class.hosts), host_class.worst, host_class.failed
    elif name == "findings":
        yield from ((host_class.name, *finding) for finding in host_class.findings)
    elif name == "facts":
        yield from ((host_class.name, fact, value_text(value)) for fact, value in host_class.facts.items())
    elif name == "mounts":
        for line in host_class.mounts:
            words = [word.replace("\\040", " ") for word in line.split(" ")]
            source, target, fstype, options = [*words, "", "", "", ""][:4]
            yield host_class.name, source, target, fstype, options.split(",") if options else []


def _change_rows(drift: FleetDrift) -> Iterator[Row]:
    yield from ((host, "new", None, None) for host in drift.new)
    yield from ((host, "gone", None, None) for host in drift.gone)
    for moved in drift.moved:
        yield from ((host, "moved", moved.before, moved.after) for host in moved.hosts)

"""A report on a fleet as Parquet, one table per file, for DuckDB and data warehouses.

The column `report` has the time of the report, so that tables of many reports can be read together."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping

from advisor.fleet.model import FleetDrift, FleetReport, HostClass, seconds, value_text
from advisor.pages.json_text import well_formed

Row = tuple[object, ...]
TEXT, TEXTS, COUNT, TIME, BOOL = "text", "texts", "count", "time", "truth"
FINDING = {
    "rule": TEXT, "severity": TEXT, "consequence": TEXT, "place": TEXT, "setting": TEXT, "value": TEXT,
    "advised": TEXT, "message": TEXT, "remedy": TEXT, "cites": TEXTS,
}
TABLES: Mapping[str, Mapping[str, str]] = {
    "hosts": {"host": TEXT, "class": TEXT, "made": TIME},
    "classes": {"class": TEXT, "hosts": COUNT, "worst": TEXT, "failed": TEXT},
    "findings": {"class": TEXT, **FINDING},
    "facts": {"class": TEXT, "fact": TEXT, "value": TEXT},
    "mounts": {"class": TEXT, "source": TEXT, "target": TEXT, "fstype": TEXT, "options": TEXTS},
    "outliers": {"class": TEXT, "near": TEXT, "what": TEXT, "here": TEXT, "there": TEXT},
    "across": {
        "rule": TEXT, "severity": TEXT, "about": TEXT, "message": TEXT, "why": TEXT, "remedy": TEXT, "hosts": TEXTS,
        "cites": TEXTS,
    },
    "unread": {"place": TEXT, "why": TEXT, "older": BOOL},
    "changes": {"host": TEXT, "change": TEXT, "before": TEXT, "after": TEXT},
}
"""Table → its columns after `report` → their types. docs/fleet.md describes them."""


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

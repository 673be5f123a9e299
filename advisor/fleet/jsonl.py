"""Writes and reads a report on a fleet as JSON Lines: a header, then one record per line with its `kind`.

docs/schema/advisor-fleet-1.json describes a line. A report that is written and read again is equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from advisor.fleet.model import (
    ClassDifference,
    ClassFinding,
    FindingShare,
    FleetDrift,
    FleetFinding,
    FleetReport,
    HostClass,
    MovedHosts,
    OutlierClass,
    UnreadBundle,
)
from advisor.lint.finding import SEVERITIES
from advisor.user_files import UserFileError, parse_json

SCHEMA = "advisor-fleet/1"
LARGEST = 1 << 30
"""Bytes of a report that is read; one on 100 000 hosts has some 5 MB."""

T = TypeVar("T", bound=NamedTuple)
R = TypeVar("R")


def write_lines(report: FleetReport, version: str) -> Iterator[str]:
    """The lines, each with its end. `version`: of the program. ASCII alone, so that no terminal obeys them."""
    yield _line("report", {"schema": SCHEMA, "version": version, "made": report.made, "hosts": report.hosts})
    for kind, records in (
        ("class", report.classes), ("share", report.shares), ("outlier", report.outliers),
        ("across", report.across), ("unread", report.unread),
    ):
        for record in records:
            yield _line(kind, record._asdict())
    if report.drift is not None:
        yield _line("drift", {**report.drift._asdict(), "moved": len(report.drift.moved)})
        for moved in report.drift.moved:
            yield _line("moved", moved._asdict())


def _line(kind: str, data: Mapping[str, object]) -> str:
    return json.dumps({"kind": kind, **{name: _plain(value) for name, value in data.items()}}) + "\n"


def _plain(value: object) -> object:
    """A value with named tuples as dictionaries; json would write them as lists."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        return [_plain(member) for member in value] if fields is None else dict(zip(fields, map(_plain, value)))
    return value


def read_lines(text: Iterable[str], name: str) -> FleetReport:
    """The report. `text`: its lines; `name`: of its file, for messages. Kinds and fields that this version does not
    know are skipped. Raises UserFileError."""
    reader = _ReportReader()
    number = 0
    for number, line in enumerate(text, 1):
        place = f"{name}:{number}"
        data = parse_json(line, place)
        try:
            if not isinstance(data, dict):
                raise _FormatError("is not an object")
            reader.add(number, data)
        except _FormatError as why:
            raise UserFileError(f"{place}: not a line of a report on a fleet: {why}") from None
    if not number:
        raise UserFileError(f"{name}: is empty; it should be what `advisor fleet report --output-format jsonl` wrote")
    return reader.report()


class _FormatError(Exception):
    """A record does not fit the format; the message is the end of a sentence."""


class _ReportReader:
    """Collects the records of a report."""

    def __init__(self) -> None:
        self.made = ""
        self.classes: list[HostClass] = []
        self.shares: list[FindingShare] = []
        self.outliers: list[OutlierClass] = []
        self.across: list[FleetFinding] = []
        self.unread: list[UnreadBundle] = []
        self.drift: FleetDrift | None = None
        self.moved: list[MovedHosts] = []

    def add(self, number: int, data: dict[str, object]) -> None:
        kind = data.get("kind")
        if number == 1:
            if kind != "report" or data.get("schema") != SCHEMA:
                raise _FormatError(f'the first line must have "kind": "report" and "schema": "{SCHEMA}"')
            self.made = _text(data.get("made"))
        elif kind == "class":
            self.classes.append(_class(data))
        elif kind == "share":
            self.shares.append(_share(data))
        elif kind == "outlier":
            fields = {"name": _text, "near": _text, "differences": _differences}
            self.outliers.append(_record(OutlierClass, data, fields))
        elif kind == "across":
            self.across.append(_record(FleetFinding, data, {
                "rule": _text, "severity": _severity, "about": _text, "message": _text, "why": _text, "remedy": _text,
                "hosts": _texts, "cites": _texts,
            }))
        elif kind == "unread":
            self.unread.append(_record(UnreadBundle, {"older": False, **data}, {
                "place": _text, "why": _text, "older": _bool,
            }))
        elif kind == "drift":
            self.drift = _record(FleetDrift, {**data, "moved": []}, {
                "since": _text, "new": _texts, "gone": _texts, "moved": _tuple_of(_moved),
                "found": _tuple_of(_share), "mended": _tuple_of(_share),
            })
        elif kind == "moved":
            self.moved.append(_moved(data))

    def report(self) -> FleetReport:
        return FleetReport(
            self.made, tuple(self.classes), tuple(self.shares), tuple(self.outliers), tuple(self.across),
            tuple(self.unread), self.drift and self.drift._replace(moved=tuple(self.moved)),
        )


def _record(kind: type[T], data: object, fields: Mapping[str, Callable[[object], object]]) -> T:
    if not isinstance(data, dict):
        raise _FormatError("a record is not an object")
    values = []
    for name, as_read in fields.items():
        if name not in data:
            raise _FormatError(f"{name} is missing")
        try:
            values.append(as_read(data[name]))
        except _FormatError as why:
            raise _FormatError(f"{name}: {why}") from None
    return kind._make(values)


def _class(data: dict[str, object]) -> HostClass:
    return _record(HostClass, {"made": [], **data}, {
        "name": _text, "hosts": _texts, "facts": _facts, "mounts": _texts, "findings": _tuple_of(_finding),
        "failed": _optional_text, "made": _texts,
    })


def _finding(data: object) -> ClassFinding:
    return _record(ClassFinding, data, {
        "rule": _text, "severity": _severity, "consequence": _text, "place": _text, "setting": _text,
        "value": _optional_text, "advised": _optional_text, "message": _text, "remedy": _text, "cites": _texts,
    })


def _share(data: object) -> FindingShare:
    return _record(FindingShare, data, {
        "rule": _text, "setting": _text, "severity": _severity, "message": _text, "remedy": _text, "hosts": _count,
        "classes": _texts,
    })


def _moved(data: object) -> MovedHosts:
    return _record(MovedHosts, data, {"hosts": _texts, "before": _text, "after": _text, "differences": _differences})


def _differences(data: object) -> tuple[ClassDifference, ...]:
    fields = {"what": _text, "here": _optional_text, "there": _optional_text}
    return _tuple_of(lambda difference: _record(ClassDifference, difference, fields))(data)


def _tuple_of(as_read: Callable[[object], R]) -> Callable[[object], tuple[R, ...]]:
    def each(data: object) -> tuple[R, ...]:
        if not isinstance(data, list):
            raise _FormatError("is not a list")
        return tuple(map(as_read, data))

    return each


def _text(data: object) -> str:
    if not isinstance(data, str):
        raise _FormatError("is not a text")
    return data


def _texts(data: object) -> tuple[str, ...]:
    return _tuple_of(_text)(data)


def _optional_text(data: object) -> str | None:
    return None if data is None else _text(data)


def _severity(data: object) -> str:
    if data not in SEVERITIES:
        raise _FormatError(f"is none of {', '.join(SEVERITIES)}")
    return _text(data)


def _count(data: object) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or data < 0:
        raise _FormatError("is not a number of hosts")
    return data


def _bool(data: object) -> bool:
    if not isinstance(data, bool):
        raise _FormatError("is neither true nor false")
    return data


def _facts(data: object) -> dict[str, object]:
    """Facts: each a value or a list of values."""
    if not isinstance(data, dict):
        raise _FormatError("is not an object")
    for name, value in data.items():
        if not all(isinstance(member, (str, int, float)) for member in (value if isinstance(value, list) else [value])):
            raise _FormatError(f"{name} is neither a value nor a list of values")
    return data

"""The records of a report on a fleet, which each output format reads (terminal, HTML, JSON Lines, Parquet, Prometheus),
which versions, transports and security flavors of NFS are in use, and the report as JSON Lines.

JSON Lines are a header, then one record per line with its `kind`; docs/schema/advisor-fleet-1.json describes a line. A
report that is written and read again is equal. What a field may hold is what its annotation says."""

from __future__ import annotations

import calendar
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.lint.finding import SEVERITIES
from advisor.named_tuple import FormatError, Readers, as_data, read_record
from advisor.rulebase.model import Values
from advisor.user_files import UserFileError, parse_json

SCHEMA = "advisor-fleet/1"
Severity = str
LARGEST = 1 << 30
"""Bytes of a report that is read; one on 100 000 hosts has some 5 MB."""
USAGE_OPTIONS = ("vers", "proto", "sec")
"""Options that show which features of a server a host still needs."""


class ClassFinding(NamedTuple):
    """A finding on one host of a class, which applies to all of them.

    `severity`: one of lint's SEVERITIES. `place`: `file:line:column` on the host. `value`, `advised`: None if the
    setting is missing, or nothing is advised. `cites`: ids of claims."""

    rule: str
    severity: Severity
    consequence: str
    place: str
    setting: str
    value: str | None
    advised: str | None
    message: str
    remedy: str
    cites: tuple[str, ...]


class HostClass(NamedTuple):
    """Hosts with identical configuration.

    `name`: the first 8 hexadecimal digits of the digest of that configuration, the same in each report. `hosts`: their
    names, sorted. `facts`: those that it was judged by. `mounts`: lines as in fstab, of the mounts in effect, or of
    files if these were not collected. `findings`: most severe first. `failed`: why it could not be judged, else None.
    `made`: when the bundle of each host was made, in the order of `hosts`, ISO 8601 in UTC, "" if unknown; () in a
    report of an earlier version."""

    name: str
    hosts: tuple[str, ...]
    facts: Mapping[str, Values]
    mounts: tuple[str, ...]
    findings: tuple[ClassFinding, ...]
    failed: str | None
    made: tuple[str, ...] = ()

    @property
    def worst(self) -> str | None:
        """The severity of its worst finding; None without findings."""
        return self.findings[0].severity if self.findings else None


class FindingShare(NamedTuple):
    """How much of the fleet has one finding: "412 of 500 hosts: …". `hosts`: how many; `classes`: their names, largest
    first; `message`: of the largest class."""

    rule: str
    setting: str
    severity: Severity
    message: str
    remedy: str
    hosts: int
    classes: tuple[str, ...]


class ClassDifference(NamedTuple):
    """A difference between two hosts or classes. `what`: a file, fact, setting or mount; `here`, `there`: its values,
    None if it is absent."""

    what: str
    here: str | None
    there: str | None


class OutlierClass(NamedTuple):
    """A small class that differs little from a large one. `name`, `near`: their names."""

    name: str
    near: str
    differences: tuple[ClassDifference, ...]


class FleetFinding(NamedTuple):
    """A finding about several hosts together: two with one NFSv4 client id, one export mounted in two ways.

    `about`: what they share (the id, the export, the server). `hosts`: all hosts concerned, sorted."""

    rule: str
    severity: Severity
    about: str
    message: str
    why: str
    remedy: str
    hosts: tuple[str, ...]
    cites: tuple[str, ...]


class MovedHosts(NamedTuple):
    """Hosts that have changed their class since the earlier report. `before`, `after`: names of the classes. In
    `differences`, `here` is before and `there` after."""

    hosts: tuple[str, ...]
    before: str
    after: str
    differences: tuple[ClassDifference, ...]


class FleetDrift(NamedTuple):
    """Changes since an earlier report. `since`: its time, ISO 8601 in UTC. `new`, `gone`: names of hosts, sorted.
    `moved`: most hosts first. `found`: findings that no host had then; `mended`: as of then, the findings that no host
    has any more although hosts that had them are still in the report."""

    since: str
    new: tuple[str, ...]
    gone: tuple[str, ...]
    moved: tuple[MovedHosts, ...]
    found: tuple[FindingShare, ...]
    mended: tuple[FindingShare, ...]


class UnreadBundle(NamedTuple):
    """A bundle that was not used. `place`: its file, with the line in a file of many bundles. `older`: a newer bundle
    of the same host was used."""

    place: str
    why: str
    older: bool = False


class FleetReport(NamedTuple):
    """`made`: ISO 8601 in UTC. `classes`: largest first. `shares`, `across`: most severe first, then by hosts."""

    made: str
    classes: tuple[HostClass, ...]
    shares: tuple[FindingShare, ...]
    outliers: tuple[OutlierClass, ...]
    across: tuple[FleetFinding, ...]
    unread: tuple[UnreadBundle, ...]
    drift: FleetDrift | None

    @property
    def hosts(self) -> int:
        """How many hosts were judged."""
        return sum(len(host_class.hosts) for host_class in self.classes)


def seconds(made: str) -> int | None:
    """A time of a record in seconds since 1970; None if it is missing or not a time."""
    try:
        return calendar.timegm(time.strptime(made, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return None


def value_text(value: object) -> str:
    """One or several values of a fact or setting, in words."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(value_text, value))
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


class Usage(NamedTuple):
    """`hosts`: number of hosts with this value; `classes`: names of their classes, largest first. `value`: "" if no
    mount shows it, as in many lines of fstab."""

    option: str
    value: str
    hosts: int
    classes: tuple[str, ...]


def usage(classes: Iterable[HostClass]) -> list[Usage]:
    """An entry for each value of each of USAGE_OPTIONS on hosts with an NFS mount. `classes`: largest first."""
    by_value: dict[tuple[str, str], list[HostClass]] = {}
    for host_class in classes:
        seen: set[tuple[str, str]] = set()
        for line in host_class.mounts:
            fields = [*line.split(" "), "", "", "", ""]  # an earlier report that was read may hold anything
            given = dict(word.partition("=")[::2] for word in fields[3].split(","))
            seen |= {(option, given.get(option, "")) for option in USAGE_OPTIONS}
        for key in seen:
            by_value.setdefault(key, []).append(host_class)
    used = [Usage(option, value, sum(len(host_class.hosts) for host_class in several),
                  tuple(host_class.name for host_class in several))
            for (option, value), several in by_value.items()]
    return sorted(used, key=lambda entry: (USAGE_OPTIONS.index(entry.option), -entry.hosts, entry.value))


class KnownFault(NamedTuple):
    """A fault of the version that hosts run. `runs`: packages with their versions, of the largest class first; `fixed`:
    the versions without it."""

    rule: str
    severity: Severity
    title: str
    hosts: int
    runs: tuple[str, ...]
    fixed: tuple[str, ...]


def known_faults(classes: Iterable[HostClass]) -> list[KnownFault]:
    """What is wrong with installed versions, most severe first, then by hosts."""
    faults: dict[str, KnownFault] = {}
    for host_class in classes:
        mine = {finding.rule: finding for finding in reversed(host_class.findings) if is_fault(finding)}
        for rule, finding in mine.items():
            before = faults.get(rule) or KnownFault(rule, finding.severity, "", 0, (), ())
            run = f"{finding.setting.partition('.')[2]} {finding.value or ''}".rstrip()
            faults[rule] = before._replace(
                title=finding.message.partition(": ")[0], hosts=before.hosts + len(host_class.hosts),
                runs=(*dict.fromkeys((*before.runs, run)),),
                fixed=(*dict.fromkeys((*before.fixed, *filter(None, (finding.advised,)))),),
            )
    return sorted(faults.values(), key=lambda fault: (-SEVERITIES.index(fault.severity), -fault.hosts, fault.rule))


def is_fault(finding: ClassFinding | FindingShare) -> bool:
    """Whether it is a known fault of a version."""
    return finding.setting.startswith("package.")


KINDS = {
    "class": "classes", "share": "shares", "outlier": "outliers", "across": "across", "unread": "unread",
}
"""The `kind` of a line → the field of the report with its records, in the order in which they are written."""
def write_lines(report: FleetReport, version: str) -> Iterator[str]:
    """The lines, each with its end. `version`: of the program. ASCII alone, so that no terminal obeys them."""
    yield _line("report", {"schema": SCHEMA, "version": version, "made": report.made, "hosts": report.hosts})
    for kind, field in KINDS.items():
        for record in getattr(report, field):
            yield _line(kind, record)
    if report.drift is not None:
        yield _line("drift", {**report.drift._asdict(), "moved": len(report.drift.moved)})
        for moved in report.drift.moved:
            yield _line("moved", moved)


def _line(kind: str, data: NamedTuple | Mapping[str, object]) -> str:
    return json.dumps({"kind": kind, **as_data(data)}) + "\n"


def read_lines(text: Iterable[str], name: str) -> FleetReport:
    """The report. `text`: its lines; `name`: of its file, for messages. Kinds and fields that this version does not
    know are skipped. Raises UserFileError."""
    made: object = ""
    records: dict[str, list[NamedTuple]] = {kind: [] for kind in (*KINDS, "drift", "moved")}
    number = 0
    for number, line in enumerate(text, 1):
        place = f"{name}:{number}"
        data = parse_json(line, place)
        try:
            if not isinstance(data, dict):
                raise FormatError("is not an object")
            kind = data.get("kind")
            if number == 1:
                made = data.get("made")
                if kind != "report" or data.get("schema") != SCHEMA or not isinstance(made, str):
                    raise FormatError(f'the first line must have "kind": "report", "schema": "{SCHEMA}" and "made"')
            elif kind == "drift":
                records["drift"] = [read_record(FleetDrift, {**data, "moved": []}, _READERS)]
            elif kind in records:
                records[kind].append(read_record(_RECORD_OF[kind], data, _READERS))
        except FormatError as why:
            raise UserFileError(f"{place}: not a line of a report on a fleet: {why}") from None
    if not number:
        raise UserFileError(f"{name}: is empty; it should be what `advisor fleet report --output-format jsonl` wrote")
    drift = records["drift"][0]._replace(moved=tuple(records["moved"])) if records["drift"] else None
    return FleetReport._make((made, *(tuple(records[kind]) for kind in KINDS), drift))


_RECORD_OF: Mapping[str, type[NamedTuple]] = {
    "class": HostClass, "share": FindingShare, "outlier": OutlierClass, "across": FleetFinding, "unread": UnreadBundle,
    "moved": MovedHosts,
}


def _severity(data: object) -> object:
    if data not in SEVERITIES:
        raise FormatError(f"is none of {', '.join(SEVERITIES)}")
    return data


def _facts(data: object) -> dict[str, object]:
    """Facts: each a value or a list of values."""
    if not isinstance(data, dict):
        raise FormatError("is not an object")
    for name, value in data.items():
        if not all(isinstance(member, (str, int, float)) for member in (value if isinstance(value, list) else [value])):
            raise FormatError(f"{name} is neither a value nor a list of values")
    return data


_READERS: Readers = {
    "Severity": _severity, "Mapping[str, Values]": _facts, **{
        record.__name__: record for record in (ClassFinding, ClassDifference, FindingShare, MovedHosts)},
}

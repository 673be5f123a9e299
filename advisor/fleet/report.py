"""Makes the report on a fleet from the examined hosts and the judged classes: what each class has, which classes differ
little from a large one, and what changed since an earlier report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import cast

from advisor.files.mountinfo import read
from advisor.fleet import model
from advisor.fleet.judge import ExaminedHost, JudgedClass
from advisor.fleet.run import Fleet
from advisor.host.tree import MOUNTINFO
from advisor.lint.finding import SEVERITIES, Finding, together
from advisor.named_tuple import grouped
from advisor.rulebase.model import Values

NAME_LENGTH = 8
"""Digits of a digest that name a class."""
Choice = Callable[[Iterable[Finding]], Sequence[Finding]]
"""Selects the findings to report."""
MIN_RATIO = 10
"""How many times as large as an outlier a class must be."""
MAX_DISTANCE = 4
"""Files and mounts in which an outlier may differ from the large class."""
LARGEST, SMALLEST = 40, 400
"""How many of the largest and of the smallest classes are compared."""
_WIDTH = 200
_NOTHING = "nothing else"
"""The text for a side whose lines the other side has too."""

Contents = Mapping[str, str]
"""The data of a class: file → its text, mount → its source, type and options."""


class Members:
    """The hosts of each class. Of several bundles of one host the newest is used."""

    def __init__(self, hosts: Iterable[ExaminedHost]) -> None:
        self.of: dict[str, list[str]] = {}
        """Digest → names of hosts."""
        self.hosts: dict[str, ExaminedHost] = {}
        self.older: list[model.UnreadBundle] = []
        kept: list[ExaminedHost] = []
        known = _KnownHosts()
        for host in hosts:
            at = known.place(host, len(kept))
            if at == len(kept):
                kept.append(host)
                continue
            same = kept[at]
            kept[at], older = (host, same) if host.made >= same.made else (same, host)
            reason = f"an older bundle of {host.host} ({older.made or 'of unknown time'}); {kept[at].place} counts"
            self.older.append(model.UnreadBundle(older.place, reason, older=True))
        several = Counter(examined.host for examined in kept)
        for examined in kept:
            title = examined.host if several[examined.host] == 1 else f"{examined.host} ({examined.place})"
            self.hosts[title] = examined
            self.of.setdefault(examined.digest, []).append(title)


class _KnownHosts:
    """The hosts with a bundle so far. Two bundles with one name are of one host unless their addresses certainly
    differ. The time for a bundle does not depend on how many hosts share a name."""

    def __init__(self) -> None:
        self.first: dict[str, int] = {}
        """Name → the first host of it."""
        self.by_address: dict[tuple[str, str], int] = {}
        """Name and address, "" for a bundle without addresses → host."""

    def place(self, host: ExaminedHost, free: int) -> int:
        """The number of the bundle's host; `free` if it is a new one."""
        keys = [(host.host, address) for address in host.addresses] or [(host.host, "")]
        if host.addresses:
            same = [self.by_address[key] for key in (*keys, (host.host, "")) if key in self.by_address]
        else:
            same = [self.first[host.host]] if host.host in self.first else []
        at = min(same, default=free)
        self.first.setdefault(host.host, at)
        for key in keys:
            self.by_address.setdefault(key, at)
        return at


def report(
    made: str, fleet: Fleet, members: Members, choose: Choice, across: Collection[model.FleetFinding],
) -> model.FleetReport:
    """The report. `made`: ISO 8601 in UTC."""
    size = NAME_LENGTH  # or more, if names would be equal
    while size < 64 and len({digest[:size] for digest in members.of}) < len(members.of):
        size += 1
    names = {digest: digest[:size] for digest in members.of}
    ranked = sorted(members.of, key=lambda digest: (-len(members.of[digest]), digest))
    classes = tuple(
        _class(names[digest], members, fleet.classes[digest], choose) for digest in ranked
    )
    texts = {names[digest]: fleet.samples[digest] for digest in ranked}
    return model.FleetReport(
        made, classes, _shares(classes), outliers(classes, texts),
        tuple(sorted(across, key=lambda finding: (
            -SEVERITIES.index(finding.severity), -len(finding.hosts), finding.rule, finding.about
        ))),
        (*fleet.unread, *members.older), None,
    )


def class_finding(finding: Finding) -> model.ClassFinding:
    return model.ClassFinding(
        finding.rule, finding.severity, finding.consequence, f"{finding.file}:{finding.line}:{finding.column}",
        finding.tunable or "", _optional_text(finding.value), _optional_text(finding.expected), finding.message,
        finding.remedy, finding.cites,
    )


def _class(name: str, members: Members, judged: JudgedClass, choose: Choice) -> model.HostClass:
    hosts = sorted(members.of[judged.digest])
    findings = sorted(
        map(class_finding, together(choose(judged.findings))),
        key=lambda finding: (-SEVERITIES.index(finding.severity), finding.rule, finding.place),
    )
    mounts = tuple(mount.line for mount in judged.mounts)
    return model.HostClass(name, tuple(hosts), judged.facts, mounts, tuple(findings), judged.failed,
                     tuple(members.hosts[host].made for host in hosts))


def _shares(classes: Iterable[model.HostClass]) -> tuple[model.FindingShare, ...]:
    """Findings of one rule about one setting, over all classes, which come largest first."""
    shares: dict[tuple[str, str], model.FindingShare] = {}
    for host_class in classes:
        mine: dict[tuple[str, str], model.ClassFinding] = {}
        for finding in host_class.findings:  # most severe first
            mine.setdefault((finding.rule, finding.setting), finding)
        for key, finding in mine.items():
            before = shares.get(key)
            if before is None:
                shares[key] = model.FindingShare(
                    finding.rule, finding.setting, finding.severity, finding.message, finding.remedy,
                    len(host_class.hosts), (host_class.name,),
                )
                continue
            worst = max(before.severity, finding.severity, key=SEVERITIES.index)
            shares[key] = before._replace(
                severity=worst, hosts=before.hosts + len(host_class.hosts), classes=(*before.classes, host_class.name)
            )
    return tuple(sorted(
        shares.values(), key=lambda share: (-SEVERITIES.index(share.severity), -share.hosts, share.rule)
    ))


def _optional_text(value: object) -> str | None:
    return None if value is None else model.value_text(value)


def differences(here: model.HostClass, there: model.HostClass) -> tuple[model.ClassDifference, ...]:
    """Differences of facts ("client.kernel"), then of mounts ("mount /data"; if only options differ, "options of /data"
    with those that the other side lacks), then of findings ("finding nolock")."""
    return (
        *_value_differences("", _facts(here.facts), _facts(there.facts)),
        *_mount_differences(_mounts(here.mounts), _mounts(there.mounts)),
        *_value_differences("finding ", _findings(here), _findings(there)),
    )


def _value_differences(prefix: str, here: Mapping[str, str], there: Mapping[str, str]) -> list[model.ClassDifference]:
    return [
        model.ClassDifference(prefix + name, here.get(name), there.get(name))
        for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)
    ]


def _facts(facts: Mapping[str, Values]) -> dict[str, str]:
    return {name: model.value_text(value) for name, value in facts.items()}


def _findings(host_class: model.HostClass) -> dict[str, str]:
    return {rule: "; ".join(texts) for rule, texts in _group((f.rule, f.message) for f in host_class.findings).items()}


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_name: dict[str, dict[str, None]] = {}
    for name, text in pairs:
        by_name.setdefault(name, {})[text] = None
    return {name: list(texts) for name, texts in by_name.items()}


def _mounts(lines: Iterable[str]) -> dict[str, list[str]]:
    """Mount point → its lines; a line without one is its own."""
    parts = ((line.split(None, 2), line) for line in lines)
    return _group((words[1] if len(words) > 1 else line, line) for words, line in parts)


def _mount_differences(here: Mapping[str, list[str]], there: Mapping[str, list[str]]) -> list[model.ClassDifference]:
    mount_differences = []
    for point in sorted(here.keys() | there.keys()):
        ours, theirs = here.get(point, []), there.get(point, [])
        if ours == theirs:
            continue
        options = _options(ours, theirs)
        mount_differences.append(
            model.ClassDifference(f"mount {point}", "; ".join(ours) or None, "; ".join(theirs) or None)
            if options is None
            else model.ClassDifference(f"options of {point}", *options)
        )
    return mount_differences


def _options(ours: list[str], theirs: list[str]) -> tuple[str | None, str | None] | None:
    """The options that only one side has, if nothing else differs; else None."""
    if len(ours) != 1 or len(theirs) != 1:
        return None
    here, there = ours[0].split(), theirs[0].split()
    if len(here) < 4 or [*here[:3], *here[4:]] != [*there[:3], *there[4:]]:
        return None
    mine, other = here[3].split(","), there[3].split(",")
    only = [",".join(option for option in side if option not in set(beside)) or None for side, beside in
            ((mine, other), (other, mine))]
    return None if only == [None, None] else (only[0], only[1])  # the order alone: then the lines say more


def drift(before: model.FleetReport, now: model.FleetReport) -> model.FleetDrift:
    """The changes from `before` to `now`. Linear in hosts; classes are compared once for all hosts that moved."""
    was, is_now = _class_of(before), _class_of(now)
    moved = grouped(
        ((was[host].name, is_now[host].name), host) for host in sorted(was.keys() & is_now.keys())
        if was[host].name != is_now[host].name
    )
    together = [
        model.MovedHosts(tuple(hosts), *names, differences(was[hosts[0]], is_now[hosts[0]]))
        for names, hosts in moved.items()
    ]
    judged = {host for host, host_class in is_now.items() if host_class.failed is None}
    hosts_then = {host_class.name: host_class.hosts for host_class in before.classes}
    had = {_key(share): share for share in before.shares}
    has = {_key(share): share for share in now.shares}
    return model.FleetDrift(
        since=before.made,
        new=tuple(sorted(is_now.keys() - was.keys())),
        gone=tuple(sorted(was.keys() - is_now.keys())),
        moved=tuple(sorted(together, key=lambda move: (-len(move.hosts), move.before, move.after))),
        found=tuple(share for key, share in has.items() if key not in had),
        mended=tuple(
            share for key, share in had.items()
            if key not in has and any(not judged.isdisjoint(hosts_then.get(name, ())) for name in share.classes)
        ),
    )


def _class_of(report: model.FleetReport) -> dict[str, model.HostClass]:
    return {host: host_class for host_class in report.classes for host in host_class.hosts}


def _key(share: model.FindingShare) -> tuple[str, str]:
    return share.rule, share.setting


def outliers(classes: Sequence[model.HostClass], samples: Mapping[str, str]) -> tuple[model.OutlierClass, ...]:
    """The classes that differ little from a much larger one. `classes`: largest first; `samples`: name of a class → a
    host of it, as `serialize` writes it."""
    if len(classes) < 2 or len(classes[0].hosts) < MIN_RATIO:
        return ()
    large = [host_class for host_class in classes[:LARGEST] if len(host_class.hosts) >= MIN_RATIO]
    known = {host_class.name: _contents(samples[host_class.name]) for host_class in large}
    outlier_classes = []
    for host_class in classes[::-1][:SMALLEST]:
        beside = [other for other in large if len(other.hosts) >= MIN_RATIO * len(host_class.hosts)]
        if not beside:
            continue
        mine = known.get(host_class.name) or _contents(samples[host_class.name])
        near = min(beside, key=lambda other: _distance(mine, known[other.name]))
        if 0 < _distance(mine, known[near.name]) <= MAX_DISTANCE:
            outlier_classes.append(
                model.OutlierClass(host_class.name, near.name, tuple(_file_differences(mine, known[near.name])))
            )
    return tuple(sorted(outlier_classes, key=lambda outlier: (outlier.near, len(outlier.differences), outlier.name)))


def _contents(sample: str) -> dict[str, str]:
    layout, _, parts = cast("tuple[str, bool, Sequence[object]]", json.loads(sample))
    files = dict(cast("Mapping[str, str]", parts[0]))
    for mount in read(files.pop(MOUNTINFO, "")).mounts:
        if mount.is_nfs:
            files[f"{mount.target} in effect"] = f"{mount.source} {mount.fstype} {mount.super_options}"
    return {"report of": layout, **files} if layout else files


def _distance(one: Contents, other: Contents) -> int:
    same = sum(1 for path, text in one.items() if other.get(path) == text)
    return max(len(one), len(other)) - same


def _file_differences(contents: Contents, other: Contents) -> list[model.ClassDifference]:
    """The first line in which each file differs."""
    file_differences = []
    for path in sorted({*contents, *other}):
        mine, its = contents.get(path), other.get(path)
        if mine == its:
            continue
        if mine is None or its is None:
            file_differences.append(model.ClassDifference(path, _first(mine), _first(its)))
            continue
        only_one_has = _unique_lines(mine, its)
        file_differences.append(model.ClassDifference(path, *(_first("\n".join(only)) for only in only_one_has)))
    return file_differences


def _unique_lines(mine: str, its: str) -> tuple[list[str], list[str]]:
    """The lines that only one of two texts has; for texts of one line, the options."""
    at = "\n" if "\n" in mine.strip() or "\n" in its.strip() else ","
    ours, theirs = mine.strip().split(at), its.strip().split(at)
    here, there = set(ours), set(theirs)
    unique = [part for part in ours if part not in there], [part for part in theirs if part not in here]
    return unique if at == "\n" else ([",".join(unique[0])], [",".join(unique[1])])


def _first(text: str | None) -> str | None:
    if text is None:
        return None
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return lines[0][:_WIDTH] if lines else _NOTHING

"""Differences between two classes of hosts, between two reports, and between small classes and large ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from advisor.fleet.fingerprint import NFS
from advisor.fleet.model import (
    ClassDifference,
    FindingShare,
    FleetDrift,
    FleetReport,
    HostClass,
    MovedHosts,
    OutlierClass,
    value_text,
)
from advisor.host.tree import MOUNTINFO
from advisor.readers.mountinfo import read

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

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


def differences(here: HostClass, there: HostClass) -> tuple[ClassDifference, ...]:
    """Differences of facts ("client.kernel"), then of mounts ("mount /data"; if only options differ, "options of /data"
    with those that the other side lacks), then of findings ("finding nolock")."""
    return (
        *_value_differences("", _facts(here.facts), _facts(there.facts)),
        *_mount_differences(_mounts(here.mounts), _mounts(there.mounts)),
        *_value_differences("finding ", _findings(here), _findings(there)),
    )


def _value_differences(prefix: str, here: Mapping[str, str], there: Mapping[str, str]) -> list[ClassDifference]:
    return [
        ClassDifference(prefix + name, here.get(name), there.get(name))
        for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)
    ]


def _facts(facts: Mapping[str, Values]) -> dict[str, str]:
    return {name: value_text(value) for name, value in facts.items()}


def _findings(one: HostClass) -> dict[str, str]:
    return {rule: "; ".join(texts) for rule, texts in _group((f.rule, f.message) for f in one.findings).items()}


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for name, text in pairs:
        found.setdefault(name, {})[text] = None
    return {name: list(texts) for name, texts in found.items()}


def _mounts(lines: Iterable[str]) -> dict[str, list[str]]:
    """Mount point → its lines; a line without one is its own."""
    parts = ((line.split(None, 2), line) for line in lines)
    return _group((words[1] if len(words) > 1 else line, line) for words, line in parts)


def _mount_differences(here: Mapping[str, list[str]], there: Mapping[str, list[str]]) -> list[ClassDifference]:
    found = []
    for point in sorted(here.keys() | there.keys()):
        ours, theirs = here.get(point, []), there.get(point, [])
        if ours == theirs:
            continue
        options = _options(ours, theirs)
        found.append(
            ClassDifference(f"mount {point}", "; ".join(ours) or None, "; ".join(theirs) or None) if options is None
            else ClassDifference(f"options of {point}", *options)
        )
    return found


def _options(ours: list[str], theirs: list[str]) -> tuple[str | None, str | None] | None:
    """The options that only one side has, if nothing else differs; else None."""
    if len(ours) != 1 or len(theirs) != 1:
        return None
    here, there = ours[0].split(), theirs[0].split()
    if len(here) < 4 or [*here[:3], *here[4:]] != [*there[:3], *there[4:]]:
        return None
    mine, other = here[3].split(","), there[3].split(",")
    only = [",".join(one for one in side if one not in set(beside)) or None for side, beside in
            ((mine, other), (other, mine))]
    return None if only == [None, None] else (only[0], only[1])  # the order alone: then the lines say more


def drift(before: FleetReport, now: FleetReport) -> FleetDrift:
    """The changes from `before` to `now`. Linear in hosts; classes are compared once for all hosts that moved."""
    was, is_now = _class_of(before), _class_of(now)
    moved: dict[tuple[str, str], list[str]] = {}
    for host in sorted(was.keys() & is_now.keys()):
        if was[host].name != is_now[host].name:
            moved.setdefault((was[host].name, is_now[host].name), []).append(host)
    together = [
        MovedHosts(tuple(hosts), *names, differences(was[hosts[0]], is_now[hosts[0]])) for names, hosts in moved.items()
    ]
    judged = {host for host, one in is_now.items() if one.failed is None}
    had = {_key(share): share for share in before.shares}
    has = {_key(share): share for share in now.shares}
    return FleetDrift(
        since=before.made,
        new=tuple(sorted(is_now.keys() - was.keys())),
        gone=tuple(sorted(was.keys() - is_now.keys())),
        moved=tuple(sorted(together, key=lambda one: (-len(one.hosts), one.before, one.after))),
        found=tuple(share for key, share in has.items() if key not in had),
        mended=tuple(
            share for key, share in had.items()
            if key not in has and not judged.isdisjoint(_hosts_of(before.classes, share.classes))
        ),
    )


def _class_of(report: FleetReport) -> dict[str, HostClass]:
    return {host: one for one in report.classes for host in one.hosts}


def _key(share: FindingShare) -> tuple[str, str]:
    return share.rule, share.setting


def _hosts_of(classes: Iterable[HostClass], names: Iterable[str]) -> Iterable[str]:
    wanted = set(names)
    return (host for one in classes if one.name in wanted for host in one.hosts)


def outliers(classes: Sequence[HostClass], samples: Mapping[str, str]) -> tuple[OutlierClass, ...]:
    """The classes that differ little from a much larger one. `classes`: largest first; `samples`: name of a class → a
    host of it, as `serialize` writes it."""
    if len(classes) < 2 or len(classes[0].hosts) < MIN_RATIO:
        return ()
    large = [one for one in classes[:LARGEST] if len(one.hosts) >= MIN_RATIO]
    known = {one.name: _contents(samples[one.name]) for one in large}
    found = []
    for one in classes[::-1][:SMALLEST]:
        beside = [other for other in large if len(other.hosts) >= MIN_RATIO * len(one.hosts)]
        if not beside:
            continue
        mine = known.get(one.name) or _contents(samples[one.name])
        near = min(beside, key=lambda other: _distance(mine, known[other.name]))
        if 0 < _distance(mine, known[near.name]) <= MAX_DISTANCE:
            found.append(OutlierClass(one.name, near.name, tuple(_file_differences(mine, known[near.name]))))
    return tuple(sorted(found, key=lambda one: (one.near, len(one.differences), one.name)))


def _contents(sample: str) -> dict[str, str]:
    layout, _, parts = cast("tuple[str, bool, Sequence[object]]", json.loads(sample))
    files = dict(cast("Mapping[str, str]", parts[0]))
    for mount in read(files.pop(MOUNTINFO, "")).mounts:
        if mount.fstype in NFS:
            files[f"{mount.target} in effect"] = f"{mount.source} {mount.fstype} {mount.super_options}"
    return {"report of": layout, **files} if layout else files


def _distance(one: Contents, other: Contents) -> int:
    same = sum(1 for path, text in one.items() if other.get(path) == text)
    return max(len(one), len(other)) - same


def _file_differences(one: Contents, other: Contents) -> list[ClassDifference]:
    """The first line in which each file differs."""
    found = []
    for path in sorted({*one, *other}):
        mine, its = one.get(path), other.get(path)
        if mine == its:
            continue
        if mine is None or its is None:
            found.append(ClassDifference(path, _first(mine), _first(its)))
            continue
        found.append(ClassDifference(path, *(_first("\n".join(only)) for only in _unique_lines(mine, its))))
    return found


def _unique_lines(mine: str, its: str) -> tuple[list[str], list[str]]:
    """The lines that only one of two texts has; for texts of one line, the options."""
    at = "\n" if "\n" in mine.strip() or "\n" in its.strip() else ","
    ours, theirs = mine.strip().split(at), its.strip().split(at)
    here, there = set(ours), set(theirs)
    found = [one for one in ours if one not in there], [one for one in theirs if one not in here]
    return found if at == "\n" else ([",".join(found[0])], [",".join(found[1])])


def _first(text: str | None) -> str | None:
    if text is None:
        return None
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return lines[0][:_WIDTH] if lines else _NOTHING

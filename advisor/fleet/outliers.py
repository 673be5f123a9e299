"""Small classes that are almost like a large one: hosts on which something was left out, or tried."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from advisor.fleet.alike_mounts import NFS
from advisor.fleet.model import ClassDifference, HostClass, Outlier
from advisor.host.tree import MOUNTINFO
from advisor.readers.mountinfo import read

LESS = 10
"""Times that a class must be larger for another one to be an outlier beside it."""
ALIKE = 4
"""Things in which an outlier may differ from the large class."""
LARGE, SMALL = 40, 400
"""Classes of each kind that are compared: the largest ones, and the smallest ones."""
_WIDTH = 200
_NOTHING = "nothing else"
"""What one of two files has that lacks what the other one has."""

Things = Mapping[str, str]
"""What a class has: a file → its text, a place → what is known of it."""


def outliers(classes: Sequence[HostClass], plains: Mapping[str, str]) -> tuple[Outlier, ...]:
    """Those of the classes, which come largest first. `plains`: a host of each, by the name of the class."""
    if len(classes) < 2 or len(classes[0].hosts) < LESS:
        return ()
    large = [one for one in classes[:LARGE] if len(one.hosts) >= LESS]
    known = {one.name: _things(plains[one.name]) for one in large}
    found = []
    for one in classes[::-1][:SMALL]:
        beside = [other for other in large if len(other.hosts) >= LESS * len(one.hosts)]
        if not beside:
            continue
        mine = known.get(one.name) or _things(plains[one.name])
        near = min(beside, key=lambda other: _distance(mine, known[other.name]))
        if 0 < _distance(mine, known[near.name]) <= ALIKE:
            found.append(Outlier(one.name, near.name, tuple(_differences(mine, known[near.name]))))
    return tuple(sorted(found, key=lambda one: (one.near, len(one.differences), one.name)))


def _things(plain: str) -> dict[str, str]:
    layout, _, parts = cast("tuple[str, bool, Sequence[object]]", json.loads(plain))
    files = dict(cast("Mapping[str, str]", parts[0]))
    for mount in read(files.pop(MOUNTINFO, "")).mounts:
        if mount.fstype in NFS:
            files[f"{mount.target} in effect"] = f"{mount.source} {mount.fstype} {mount.super_options}"
    return {"report of": layout, **files} if layout else files


def _distance(one: Things, other: Things) -> int:
    same = sum(1 for path, text in one.items() if other.get(path) == text)
    return max(len(one), len(other)) - same


def _differences(one: Things, other: Things) -> list[ClassDifference]:
    """The first line in which each file differs."""
    found = []
    for path in sorted({*one, *other}):
        mine, its = one.get(path), other.get(path)
        if mine == its:
            continue
        if mine is None or its is None:
            found.append(ClassDifference(path, _first(mine), _first(its)))
            continue
        found.append(ClassDifference(path, *(_first("\n".join(only)) for only in _only(mine, its))))
    return found


def _only(mine: str, its: str) -> tuple[list[str], list[str]]:
    """The lines that only one of two texts has; of texts of one line, the options."""
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

"""Who uses what: on how many hosts each NFS version, transport and security flavour is mounted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from advisor.fleet.model import HostClass

TOLD = ("vers", "proto", "sec")
"""Options that say what a host still needs of its servers."""


class Used(NamedTuple):
    """`hosts`: on how many; `classes`: the names of their classes, largest first. `value`: "" where no mount that was
    seen says it, as lines of fstab often do not."""

    option: str
    value: str
    hosts: int
    classes: tuple[str, ...]


def usage(classes: Iterable[HostClass]) -> list[Used]:
    """One entry for each value of each of TOLD; hosts without an NFS mount count for none. `classes`: largest first."""
    found: dict[tuple[str, str], list[HostClass]] = {}
    for one in classes:
        seen: set[tuple[str, str]] = set()
        for line in one.mounts:
            fields = [*line.split(" "), "", "", "", ""]  # an earlier report that was read may hold anything
            given = dict(word.partition("=")[::2] for word in fields[3].split(","))
            seen |= {(option, given.get(option, "")) for option in TOLD}
        for key in seen:
            found.setdefault(key, []).append(one)
    used = [Used(option, value, sum(len(one.hosts) for one in several), tuple(one.name for one in several))
            for (option, value), several in found.items()]
    return sorted(used, key=lambda one: (TOLD.index(one.option), -one.hosts, one.value))

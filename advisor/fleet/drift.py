"""What changed in a fleet between two reports."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.fleet.differences import differences
from advisor.fleet.model import FleetDrift, FleetReport, HostClass, Moved, Share


def drift(before: FleetReport, now: FleetReport) -> FleetDrift:
    """What changed from `before` to `now`. Linear in hosts; classes are compared once for all hosts that moved."""
    was, is_now = _class_of(before), _class_of(now)
    moved: dict[tuple[str, str], list[str]] = {}
    for host in sorted(was.keys() & is_now.keys()):
        if was[host].name != is_now[host].name:
            moved.setdefault((was[host].name, is_now[host].name), []).append(host)
    together = [
        Moved(tuple(hosts), *names, differences(was[hosts[0]], is_now[hosts[0]])) for names, hosts in moved.items()
    ]
    judged = {host for host, one in is_now.items() if one.failed is None}
    had = {_what(share): share for share in before.shares}
    has = {_what(share): share for share in now.shares}
    return FleetDrift(
        since=before.made,
        new=tuple(sorted(is_now.keys() - was.keys())),
        gone=tuple(sorted(was.keys() - is_now.keys())),
        moved=tuple(sorted(together, key=lambda one: (-len(one.hosts), one.before, one.after))),
        found=tuple(share for what, share in has.items() if what not in had),
        mended=tuple(
            share for what, share in had.items()
            if what not in has and not judged.isdisjoint(_hosts(before.classes, share.classes))
        ),
    )


def _class_of(report: FleetReport) -> dict[str, HostClass]:
    return {host: one for one in report.classes for host in one.hosts}


def _what(share: Share) -> tuple[str, str]:
    return share.rule, share.setting


def _hosts(classes: Iterable[HostClass], names: Iterable[str]) -> Iterable[str]:
    wanted = set(names)
    return (host for one in classes if one.name in wanted for host in one.hosts)

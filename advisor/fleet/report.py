"""Makes the report on a fleet from the examined hosts and the judged classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from advisor.fleet.differences import outliers
from advisor.fleet.judge import ExaminedHost, JudgedClass
from advisor.fleet.model import (
    ClassFinding,
    FindingShare,
    FleetFinding,
    FleetReport,
    HostClass,
    UnreadBundle,
    value_text,
)
from advisor.fleet.run import Fleet
from advisor.lint.finding import SEVERITIES, Finding
from advisor.lint.twins import together

NAME_LENGTH = 8
"""Digits of a digest that name a class."""
Choice = Callable[[Iterable[Finding]], Sequence[Finding]]
"""Selects the findings to report."""


class Members:
    """The hosts of each class. Of several bundles of one host the newest is used."""

    def __init__(self, hosts: Iterable[ExaminedHost]) -> None:
        self.of: dict[str, list[str]] = {}
        """Digest → names of hosts."""
        self.hosts: dict[str, ExaminedHost] = {}
        self.older: list[UnreadBundle] = []
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
            self.older.append(UnreadBundle(older.place, reason, older=True))
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
    made: str, fleet: Fleet, members: Members, choose: Choice, across: Collection[FleetFinding],
) -> FleetReport:
    """The report. `made`: ISO 8601 in UTC."""
    names = _names(members.of)
    ranked = sorted(members.of, key=lambda digest: (-len(members.of[digest]), digest))
    classes = tuple(
        _class(names[digest], members, fleet.classes[digest], choose) for digest in ranked
    )
    texts = {names[digest]: fleet.samples[digest] for digest in ranked}
    return FleetReport(
        made, classes, _shares(classes), outliers(classes, texts),
        tuple(sorted(across, key=lambda finding: (
            -SEVERITIES.index(finding.severity), -len(finding.hosts), finding.rule, finding.about
        ))),
        (*fleet.unread, *members.older), None,
    )


def class_finding(finding: Finding) -> ClassFinding:
    """A finding as a record of the report."""
    return ClassFinding(
        finding.rule, finding.severity, finding.consequence, f"{finding.file}:{finding.line}:{finding.column}",
        finding.tunable or "", _optional_text(finding.value), _optional_text(finding.expected), finding.message,
        finding.remedy, finding.cites,
    )


def _class(name: str, members: Members, judged: JudgedClass, choose: Choice) -> HostClass:
    hosts = sorted(members.of[judged.digest])
    findings = sorted(
        map(class_finding, together(choose(judged.findings))),
        key=lambda finding: (-SEVERITIES.index(finding.severity), finding.rule, finding.place),
    )
    mounts = tuple(mount.line for mount in judged.mounts)
    return HostClass(name, tuple(hosts), judged.facts, mounts, tuple(findings), judged.failed,
                     tuple(members.hosts[host].made for host in hosts))


def _shares(classes: Iterable[HostClass]) -> tuple[FindingShare, ...]:
    """Findings of one rule about one setting, over all classes, which come largest first."""
    shares: dict[tuple[str, str], FindingShare] = {}
    for host_class in classes:
        mine: dict[tuple[str, str], ClassFinding] = {}
        for finding in host_class.findings:  # most severe first
            mine.setdefault((finding.rule, finding.setting), finding)
        for key, finding in mine.items():
            before = shares.get(key)
            if before is None:
                shares[key] = FindingShare(
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


def _names(digests: Collection[str]) -> dict[str, str]:
    """Digest → name: its first NAME_LENGTH digits, or more if names would be equal."""
    size = NAME_LENGTH
    while size < 64 and len({digest[:size] for digest in digests}) < len(digests):
        size += 1
    return {digest: digest[:size] for digest in digests}


def _optional_text(value: object) -> str | None:
    return None if value is None else value_text(value)

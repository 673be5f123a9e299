"""Servers that are nodes of one cluster: what has to be equal on both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.check.sides.client_and_server import DOMAIN, HostDifference, difference, domain
from advisor.check.sides.compared_host import ValueInFile
from advisor.check.sides.findings import ComparedValues, FindingPlace, FindingsByFile
from advisor.files.export_clients import one_spelling
from advisor.files.export_options import BY_FLAVOUR
from advisor.files.records import Span
from advisor.globs import matches

if TYPE_CHECKING:
    from advisor.check.sides.compared_host import ComparedHost
    from advisor.files.export_lookup import Exported

SCOPE = "nfs.conf.nfsd.scope"


def compare(findings: FindingsByFile, one: ComparedHost, other: ComparedHost) -> None:
    """Report what differs between two nodes."""
    patterns = [name for _, check in findings.checks.get("nodes", ()) for name in check.differ]
    for host_difference in _settings(one, other, patterns):
        host, beside = (one, other) if host_difference.one.file.startswith(one.file("")) else (other, one)
        findings.add_difference("nodes", host, beside, host_difference)
    _scope(findings, one, other)
    if one.exports.all and other.exports.all:  # where a cluster makes them, the node that is not in use has none
        _exports(findings, one, other)


def _settings(one: ComparedHost, other: ComparedHost, patterns: Sequence[str]) -> Iterator[HostDifference]:
    """Settings of these patterns in which both differ, each at the second one, or where only one of them sets it."""
    first, second = {**one.settings}, {**other.settings}
    for host, settings in ((one, first), (other, second)):
        own_domain = domain(host)
        if own_domain is not None:
            settings.setdefault(DOMAIN, own_domain)
    for name in sorted({*first, *second}):
        if any(matches(name, pattern) for pattern in patterns):
            left = first.get(name) or _default(name, one)
            right = second.get(name) or _default(name, other)
            yield from difference(name, right, left) if name in second else difference(name, left, right)


def _default(name: str, host: ComparedHost) -> ValueInFile | None:
    """The default of a setting that a node certainly does not set; None if it may be set."""
    default = host.base.tunables[name].default
    files = host.texts("nfs.conf")
    if default is None or not name.startswith("nfs.conf.") or not files or not host.seen("nfs-conf"):
        return None
    return ValueInFile(default, host.file(files[0].name), Span(1, 1, 2))


def _scope(findings: FindingsByFile, one: ComparedHost, other: ComparedHost) -> None:
    """Two nodes of which neither sets the scope, which then is the name of each."""
    unset = all(SCOPE not in host.settings and host.seen("nfs-conf") and host.node for host in (one, other))
    files = one.texts("nfs.conf")
    if unset and one.node != other.node and files:
        span = Span(1, 1, len(files[0].text.split("\n", 1)[0]) + 1)
        compared = ComparedValues({"sides.scope": "by-name"}, {"server": one.title, "other": other.title})
        findings.add("nodes", compared, FindingPlace(one, one.file(files[0].name), span))


def _exports(findings: FindingsByFile, one: ComparedHost, other: ComparedHost) -> None:
    for left, right in ((one, other), (other, one)):
        others = {(export.path, one_spelling(export.client)): export for export in right.exports.all}
        for export in left.exports.all:
            twin = others.get((export.path, one_spelling(export.client)))
            differs = _difference_kind(export, twin)
            if differs and (differs == "missing" or left is one):
                words = {
                    "export": export.path, "allowed": export.client, "server": left.title, "other": right.title,
                    "place": twin.place if twin is not None else "",
                }
                compared = ComparedValues({"sides.export": differs}, words)
                findings.add("nodes", compared, FindingPlace(left, export.file, export.span))


def _difference_kind(export: Exported, twin: Exported | None) -> str:
    """A value of sides.export; "" if both are equal."""
    if twin is None:
        return "missing"
    if export.fsid != twin.fsid:
        return "fsid"
    unlike = {**export.options, "exports.fsid": ""} != {**twin.options, "exports.fsid": ""}
    return "otherwise" if unlike or not export.has_same(twin, BY_FLAVOUR) else ""

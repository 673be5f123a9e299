"""Servers that stand in for each other: what has to be equal on both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.check.sides.exports import BY_FLAVOUR, Exported
from advisor.check.sides.hosts import DOMAIN, Differing, differing, domain
from advisor.check.sides.side import Put
from advisor.check.sides.tell import Spot, Telling
from advisor.host.layouts import matches
from advisor.readers.spans import Span

if TYPE_CHECKING:
    from advisor.check.sides.side import Side

SCOPE = "nfs.conf.nfsd.scope"


def compare(telling: Telling, one: Side, other: Side) -> None:
    """Tell what two servers have in different forms."""
    patterns = [name for _, check in telling.checks.get("nodes", ()) for name in check.differ]
    for found in _settings(one, other, patterns):
        mine, its = (one, other) if found.one.file.startswith(one.file("")) else (other, one)
        telling.differing("nodes", mine, its, found)
    _scope(telling, one, other)
    if one.exports.made and other.exports.made:  # where a cluster makes them, the node that is not in use has none
        _exports(telling, one, other)


def _settings(one: Side, other: Side, patterns: Sequence[str]) -> Iterator[Differing]:
    """Settings of these patterns in which both differ, each at the second one, or where only one of them sets it."""
    first, second = {**one.settings}, {**other.settings}
    for side, found in ((one, first), (other, second)):
        put = domain(side)
        if put is not None:
            found.setdefault(DOMAIN, put)
    for name in sorted({*first, *second}):
        if not any(matches(name, pattern) for pattern in patterns):
            continue
        left, right = first.get(name), second.get(name)
        if left is not None and right is not None:
            yield from differing(name, right, left)
        elif left is not None:
            yield from _beside_default(name, left, other)
        elif right is not None:
            yield from _beside_default(name, right, one)


def _beside_default(name: str, put: Put, other: Side) -> Iterator[Differing]:
    """What one server sets, and the other certainly does not."""
    default = other.base.tunables[name].default
    files = other.texts("nfs.conf")
    if default is not None and name.startswith("nfs.conf.") and files and other.seen("nfs-conf"):
        yield from differing(name, put, Put(default, other.file(files[0].name), Span(1, 1, 2)))


def _scope(telling: Telling, one: Side, other: Side) -> None:
    """Two nodes of which neither sets the scope, which is their host name then."""
    unset = all(SCOPE not in side.settings and side.seen("nfs-conf") and side.node for side in (one, other))
    files = one.texts("nfs.conf")
    if unset and one.node != other.node and files:
        span = Span(1, 1, len(files[0].text.split("\n", 1)[0]) + 1)
        words = {"server": one.title, "other": other.title}
        telling.found("nodes", {"sides.scope": "by-name"}, words, Spot(one, one.file(files[0].name), span))


def _exports(telling: Telling, one: Side, other: Side) -> None:
    for left, right in ((one, other), (other, one)):
        there = {(made.path, made.client.lower()): made for made in right.exports.made}
        for made in left.exports.made:
            twin = there.get((made.path, made.client.lower()))
            how = _how(made, twin)
            if how and (how == "missing" or left is one):
                words = {
                    "export": made.path, "allowed": made.client, "server": left.title, "other": right.title,
                    "place": twin.place if twin is not None else "",
                }
                telling.found("nodes", {"sides.export": how}, words, Spot(left, made.file, made.span))


def _how(made: Exported, twin: Exported | None) -> str:
    if twin is None:
        return "missing"
    if made.fixed() != twin.fixed():
        return "fsid"
    unlike = {**made.options, "exports.fsid": ""} != {**twin.options, "exports.fsid": ""}
    return "otherwise" if unlike or not made.alike(twin, BY_FLAVOUR) else ""

"""One host of a fleet as it is read: its identity, its class, and what is needed only to compare it with others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.recording import recorded
from advisor.check.sides.clients_of_server import IDENTIFIER
from advisor.fleet.alike import UNIQUE, Alike, digest, plain
from advisor.fleet.judged import base_of
from advisor.host.bundle import Bundle, read
from advisor.host.opening import open_tree

if TYPE_CHECKING:
    from advisor.fleet.sources import HostSource

_LOCAL = re.compile(r"\|-- ([0-9.]{7,15})\n *\\?/32 host LOCAL")
_LISTED = re.compile(r"\binet6? ([0-9A-Fa-f.:]{3,39})")
_SHARED = ("127.", "172.17.", "192.168.122.", "::1", "fe80:")
"""Addresses that many hosts have: of the loopback, of container bridges, of one link."""
_SCOPE = re.compile(r"(?im)^[ \t]*scope[ \t]*=")
_UNIQUE = re.compile(r"(?m)^[^#\n]*\bnfs4_unique_id=[\"']?([^\s\"']+)")


class Examined(NamedTuple):
    """`host`: its name, or its place where it has none. `made`: ISO 8601, "" where unknown. `digest`: of its class.
    `plain`: it without identity, as `judge` takes it. `unique`: its nfs4_unique_id, "" for none, None where unknown.
    `addresses`: its own. `node`: all that was read of a server that says in nfs.conf of which server it is a node (the
    scope), in the form of `plain` but with its identity; "" for others."""

    place: str
    host: str
    made: str
    digest: str
    plain: str
    unique: str | None
    addresses: frozenset[str]
    node: str = ""


def examine(source: HostSource, packs: tuple[str, ...]) -> Examined:
    """Look at one host. Raises Unread."""
    bundle = _bundle(source, packs)
    files = bundle.answers.files
    same = plain(_alike(packs).of(bundle))
    return Examined(
        source.place, bundle.host or source.place, bundle.made, digest(same), same, _unique(bundle),
        _addresses(files), plain(bundle) if _is_node(files) else "",
    )


def _bundle(source: HostSource, packs: tuple[str, ...]) -> Bundle:
    if source.text is not None:
        return read(source.text, source.place)
    base = base_of(packs)
    tree = open_tree(source.place, [*base.layouts.values()])
    found = recorded(base, tree)
    layout = tree.layout
    return Bundle(found.node, "", "", "" if layout is None else layout.id, tree.runs, found.answers)


@lru_cache(maxsize=1)
def _alike(packs: tuple[str, ...]) -> Alike:
    return Alike(base_of(packs))


def _unique(bundle: Bundle) -> str | None:
    files = bundle.answers.files
    for path in (IDENTIFIER, UNIQUE):
        identifier = files.get(path, "").strip()
        if identifier and identifier != "(null)":
            return identifier
    for path, text in files.items():
        if "/modprobe.d/" in path or path == "/proc/cmdline":
            found = _UNIQUE.search(text)
            if found is not None:
                return found[1]
    seen = IDENTIFIER in files or UNIQUE in files or "/etc/modprobe.d" in bundle.answers.folders
    return "" if seen else None


def _is_node(files: Mapping[str, str]) -> bool:
    return any("/nfs.conf" in path and _SCOPE.search(text) for path, text in files.items())


def _addresses(files: Mapping[str, str]) -> frozenset[str]:
    found = [*_LOCAL.findall(files.get("/proc/net/fib_trie", "")), *_LISTED.findall(files.get("/ip-addr", ""))]
    return frozenset(one for one in found if not one.startswith(_SHARED))

"""Reads one host of a fleet, and judges one class of hosts. The functions take and return plain data, so they can run
in other processes or on Dask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.check_host import check_host
from advisor.check.client_server import applies
from advisor.check.compared_host import ComparedHost
from advisor.check.host import GivenFacts, WholeHost
from advisor.check.host_differences import (
    IDENTIFIER,
    compared_settings,
    compared_values,
    connections_by_server,
    threads_of,
)
from advisor.check.recording import record
from advisor.engine import FactError
from advisor.fleet.fingerprint import UNIQUE, Anonymizer, deserialize, digest, serialize
from advisor.host.bundle import Bundle, BundleTree, read
from advisor.host.opening import open_tree
from advisor.lint.finding import Finding
from advisor.rulebase.base import load

if TYPE_CHECKING:
    from advisor.check.compared_host import ClientMount
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value, Values


_LOCAL = re.compile(r"\|-- ([0-9.]{7,15})\n *\\?/32 host LOCAL")
_LISTED = re.compile(r"\binet6? ([0-9A-Fa-f.:]{3,39})")
_SHARED = ("127.", "172.17.", "192.168.122.", "::1", "fe80:")
"""Prefixes of addresses that many hosts have: loopback, container bridges, link-local."""
_SCOPE = re.compile(r"(?im)^[ \t]*scope[ \t]*=")
_UNIQUE = re.compile(r"(?m)^[^#\n]*\bnfs4_unique_id=[\"']?([^\s\"']+)")


class Knowledge(NamedTuple):
    """The user's options for all hosts. `packs`: folders with a site's rules; `known`: facts; `profiles`: security
    profiles whose checks are run."""

    packs: tuple[str, ...] = ()
    known: Mapping[str, Values] = {}
    profiles: tuple[str, ...] = ()


class MountOfClass(NamedTuple):
    """A mount of a class. `options`: those in effect if `in_effect`, else those in a file. `compared`: the settings in
    effect that all clients of an export should share."""

    server: str
    export: str
    target: str
    fstype: str
    options: tuple[str, ...]
    in_effect: bool
    compared: tuple[tuple[str, Value], ...] = ()

    @property
    def line(self) -> str:
        """The mount as a line of fstab."""
        words = (f"{self.server}:{self.export}", self.target, self.fstype, ",".join(self.options) or "defaults")
        return " ".join([*(word.replace(" ", "\\040") for word in words), "0", "0"])


class JudgedClass(NamedTuple):
    """`digest`: of the class. `findings`: all of them, without fixes. `failed`: why it could not be judged, or None.
    `connections`: by server, how many a host of the class has to it. `threads`: of its own server; `loads`: the checks
    about all connections to it that apply."""

    digest: str
    facts: Mapping[str, Values]
    mounts: tuple[MountOfClass, ...]
    findings: tuple[Finding, ...]
    failed: str | None
    connections: tuple[tuple[str, int], ...] = ()
    threads: int | None = None
    loads: tuple[str, ...] = ()


def judge(digest: str, text: str, knowledge: Knowledge) -> JudgedClass:
    """Judge a class. `text`: a host of it without identity, as `serialize` writes it. Errors are returned in
    `failed`."""
    base = base_of(knowledge.packs)
    given = GivenFacts(knowledge.known, knowledge.profiles)
    try:
        tree = BundleTree(digest[:8], deserialize(text), dict(base.layouts))
        host = WholeHost(base, tree, lambda _: given)
        check_host(host)
        findings = [
            finding._replace(fix=None, joint=None) for area in host.areas.values() for result in area
            for finding in result.findings
        ]
        compared = ComparedHost(base, tree, "", (), knowledge.known)
        names = base.ready(compared_settings)
        mounts = [_mount(mount, compared_values(base, mount, names)) for mount in compared.mounts]
        return JudgedClass(
            digest, dict(host.known("", False)), tuple(mounts), tuple(findings), None,
            tuple(connections_by_server(compared.mounts).items()),
            threads_of(compared) if compared.serves else None, _load_checks(compared) if compared.serves else (),
        )
    except FactError as error:
        return JudgedClass(digest, {}, (), (), str(error))
    except Exception as error:
        why = f"advisor failed on it ({type(error).__name__}: {error}); this is a bug in advisor"
        return JudgedClass(digest, {}, (), (), why)


@lru_cache(maxsize=1)
def base_of(packs: tuple[str, ...]) -> RuleBase:
    """The rule base, read once in each process."""
    return load(None, packs)


def _load_checks(host: ComparedHost) -> tuple[str, ...]:
    """The checks about the load of this server that apply."""
    return tuple(
        check.check for check in host.base.checks.values()
        if check.sides is not None and check.sides.of == "load" and applies(check, host.as_server)
    )


def _mount(mount: ClientMount, compared: Mapping[str, Value]) -> MountOfClass:
    entry = mount.entry
    now = [f"{name}={value}" if value else name for name, value in mount.now.items() if name and name != "clientaddr"]
    written = entry.options.text.split(",")
    return MountOfClass(
        mount.source.host, mount.source.export, mount.target, entry.fstype.value, tuple(now or filter(None, written)),
        bool(now), tuple(compared.items()),
    )


class HostSource(NamedTuple):
    """The source of a host. `text`: of its bundle; None if `place` is a tree or an archive. `why`: why it cannot be
    used, "" if it can."""

    place: str
    text: str | None
    why: str = ""


class ExaminedHost(NamedTuple):
    """`host`: its name, or its place if it has none. `made`: ISO 8601, "" if unknown. `digest`: of its class.
    `config`: all that is judged, as `serialize` writes it;
    "" if another host of the class brings it. `unique`: its nfs4_unique_id, "" for none, None if unknown.
    `addresses`: its own. `node`: all that was read of a server that says in nfs.conf of which server it is a node (the
    scope), in the form of `config` but with its identity; "" for others."""

    place: str
    host: str
    made: str
    digest: str
    config: str
    unique: str | None
    addresses: frozenset[str]
    node: str = ""


def examine(source: HostSource, packs: tuple[str, ...]) -> ExaminedHost:
    """Read one host. Raises Unread."""
    bundle = _bundle(source, packs)
    files = bundle.answers.files
    config = serialize(_anonymizer(packs).without_identity(bundle))
    return ExaminedHost(
        source.place, bundle.host or source.place, bundle.made, digest(config), config, _unique(bundle),
        _addresses(files), serialize(bundle) if _is_node(files) else "",
    )


def _bundle(source: HostSource, packs: tuple[str, ...]) -> Bundle:
    if source.text is not None:
        return read(source.text, source.place)
    base = base_of(packs)
    tree = open_tree(source.place, [*base.layouts.values()])
    recorded = record(base, tree)
    layout = tree.layout
    return Bundle(recorded.node, "", "", "" if layout is None else layout.id, tree.runs, recorded.answers)


@lru_cache(maxsize=1)
def _anonymizer(packs: tuple[str, ...]) -> Anonymizer:
    return Anonymizer(base_of(packs))


def _unique(bundle: Bundle) -> str | None:
    files = bundle.answers.files
    for path in (IDENTIFIER, UNIQUE):
        identifier = files.get(path, "").strip()
        if identifier and identifier != "(null)":
            return identifier
    for path, text in files.items():
        if "/modprobe.d/" in path or path == "/proc/cmdline":
            match = _UNIQUE.search(text)
            if match is not None:
                return match[1]
    seen = IDENTIFIER in files or UNIQUE in files or "/etc/modprobe.d" in bundle.answers.folders
    return "" if seen else None


def _is_node(files: Mapping[str, str]) -> bool:
    return any("/nfs.conf" in path and _SCOPE.search(text) for path, text in files.items())


def _addresses(files: Mapping[str, str]) -> frozenset[str]:
    addresses = [*_LOCAL.findall(files.get("/proc/net/fib_trie", "")), *_LISTED.findall(files.get("/ip-addr", ""))]
    return frozenset(address for address in addresses if not address.startswith(_SHARED))

"""Reads one host of a fleet, judges one class of hosts, and finds what is wrong between hosts. What is done for one
host or class takes and returns plain data, so it can run in other processes or on Dask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from advisor.check import host_differences
from advisor.check.check_host import check_host, record
from advisor.check.client_server import applies, compare, figures_of
from advisor.check.compared_host import ClientMount, ComparedHost
from advisor.check.host import GivenFacts, WholeHost
from advisor.check.mount_outcomes import ANSWERS, asked_by
from advisor.engine import FactError
from advisor.files.libmount import escaped
from advisor.files.patterns import name_matches
from advisor.files.source import parse_address, same_host
from advisor.fleet.fingerprint import UNIQUE, Anonymizer, deserialize, digest, serialize
from advisor.fleet.model import FleetFinding
from advisor.host.bundle import Bundle, BundleTree, read
from advisor.host.opening import open_tree
from advisor.lint.finding import SEVERITY_OF, Finding, fill
from advisor.probe.evidence import ServerAsked
from advisor.regex import regex
from advisor.rulebase.base import load
from advisor.rulebase.model import Check, RuleBase, Value, Values

SESSIONS = ("vers=4.1", "vers=4.2")
"""With these versions a name alone identifies a client."""
_LOCAL = regex(r"\|-- ([0-9.]{7,15})\n *\\?/32 host LOCAL")
_LISTED = regex(r"\binet6? ([0-9A-Fa-f.:]{3,39})")
_SHARED = ("127.", "172.17.", "192.168.122.", "::1", "fe80:")
"""Prefixes of addresses that many hosts have: loopback, container bridges, link-local."""
_SCOPE = regex(r"(?im)^[ \t]*scope[ \t]*=")
_UNIQUE = regex(r"(?m)^[^#\n]*\bnfs4_unique_id=[\"']?([^\s\"']+)")


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
        return " ".join([*map(escaped, words), "0", "0"])


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
        load = (
            check.check for check in base.checks.values()
            if check.sides is not None and check.sides.of == "load" and applies(check, compared.as_server)
        )
        names = base.ready(host_differences.compared_settings)
        mounts = [_mount(mount, host_differences.compared_values(base, mount, names)) for mount in compared.mounts]
        return JudgedClass(
            digest, dict(host.known("", False)), tuple(mounts), tuple(findings), None,
            tuple(host_differences.connections_by_server(compared.mounts).items()),
            host_differences.threads_of(compared) if compared.serves else None,
            tuple(load) if compared.serves else (),
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
    `config`: all that is judged, as `serialize` writes it; "" if another host of the class brings it. `unique`: its
    nfs4_unique_id, "" for none, None if unknown. `addresses`: its own. `node`: all that was read of a server that says
    in nfs.conf of which server it is a node (the scope), in the form of `config` but with its identity; "" for others.
    `asked`: what servers answered to it."""

    place: str
    host: str
    made: str
    digest: str
    config: str
    unique: str | None
    addresses: frozenset[str]
    node: str = ""
    asked: tuple[ServerAsked, ...] = ()


def examine(source: HostSource, packs: tuple[str, ...]) -> ExaminedHost:
    """Read one host. Raises Unread."""
    bundle = _bundle(source, packs)
    files = bundle.answers.files
    config = serialize(_anonymizer(packs).without_identity(bundle))
    asked = asked_by(base_of(packs), BundleTree(source.place, bundle, {})) if ANSWERS in bundle.answers.folders else ()
    is_node = any("/nfs.conf" in path and _SCOPE.search(text) for path, text in files.items())
    listed = [*_LOCAL.findall(files.get("/proc/net/fib_trie", "")), *_LISTED.findall(files.get("/ip-addr", ""))]
    addresses = frozenset(address for address in listed if not address.startswith(_SHARED))
    return ExaminedHost(
        source.place, bundle.host or source.place, bundle.made, digest(config), config, _unique(bundle), addresses,
        serialize(bundle) if is_node else "", tuple(asked),
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
    for path in (host_differences.IDENTIFIER, UNIQUE):
        identifier = files.get(path, "").strip()
        if identifier and identifier != "(null)":
            return identifier
    for path, text in files.items():
        if "/modprobe.d/" in path or path == "/proc/cmdline":
            match = _UNIQUE.search(text)
            if match is not None:
                return match[1]
    seen = host_differences.IDENTIFIER in files or UNIQUE in files or "/etc/modprobe.d" in bundle.answers.folders
    return "" if seen else None


def findings_across(
    base: RuleBase, hosts: Mapping[str, ExaminedHost], classes: Mapping[str, JudgedClass],
    known: Mapping[str, Values] | None = None,
) -> list[FleetFinding]:
    """The findings about several hosts together, with the texts of the checks that compare two hosts (`sides`,
    rules/checks). `hosts`: title → host; `classes`: digest → judged class; `known`: facts of all hosts."""
    alike: dict[tuple[str, str], list[str]] = {}
    members: dict[str, list[str]] = {}
    for title, host in hosts.items():
        members.setdefault(host.digest, []).append(title)
        if host.unique is not None and host.host != host.place:
            alike.setdefault((host.host, host.unique), []).append(title)
    findings: list[FleetFinding] = []
    for (node, unique), titles in alike.items():
        if len(titles) > 1:
            findings += _shared_identities(
                base, node, unique, {title: classes[hosts[title].digest] for title in titles}
            )
    return [
        *findings, *_export_disagreements(base, members, classes), *_overloads(base, hosts, members, classes),
        *_node_disagreements(base, hosts, known or {}), *_refusals(base, hosts),
    ]


def _refusals(base: RuleBase, hosts: Mapping[str, ExaminedHost]) -> Iterator[FleetFinding]:
    """What servers refused to hosts that asked them for a mount."""
    check = next(check for check in base.checks.values() if check.host and check.host.found == "refused-when-asked")
    asked: dict[str, dict[str, ServerAsked]] = {}
    for title, host in sorted(hosts.items()):
        for each in (each for each in host.asked if each.reply):
            asked.setdefault(each.source, {})[title] = each
    for source, by_host in sorted(asked.items()):
        refused = {title: each for title, each in by_host.items() if each.reply == "refused"}
        for says in dict.fromkeys(each.says for each in refused.values()):
            alike = [title for title, each in refused.items() if each.says == says]
            who = f"{len(alike)} of the {len(by_host)} hosts that asked" if len(by_host) > 1 else alike[0]
            day = max(refused[title].day for title in alike)
            yield _finding(check, source, {"source": source, "who": who, "day": day, "said": says}, tuple(alike))


def _shared_identities(
    base: RuleBase, node: str, unique: str, hosts: Mapping[str, JudgedClass]
) -> Iterator[FleetFinding]:
    """Hosts with one NFSv4 identity, for each server that several of them have a session with."""
    wanted = "present" if unique else "absent"
    check = next((
        check for check in base.checks.values() if check.sides is not None and check.sides.of == "clients"
        and check.sides.on.get("sides.identity") == "same" and check.sides.on.get("sides.unique") == wanted
    ), None)
    servers: dict[str, list[str]] = {}
    for title, judged in hosts.items():
        seen = {mount.server for mount in judged.mounts if mount.in_effect and {*SESSIONS}.intersection(mount.options)}
        for server in seen:
            servers.setdefault(server, []).append(title)
    for server, titles in sorted(servers.items()):
        if check is None or len(titles) < 2:
            continue
        first, *others = sorted(titles)
        words = {"client": first, "other": others[0], "node": node, "server": server}
        yield _finding(check, f"{node} at {server}", words, (first, *others))


def _export_disagreements(
    base: RuleBase, members: Mapping[str, Sequence[str]], classes: Mapping[str, JudgedClass],
) -> Iterator[FleetFinding]:
    """Settings in which the hosts that mount one export differ. `members`: digest → hosts of the class.

    Exports of one server on which the same hosts differ in the same way are one finding."""
    checks = [(check, check.sides) for check in base.checks.values()
              if check.sides is not None and check.sides.of == "export"]
    seen: dict[tuple[str, str, str], dict[Value, list[str]]] = {}
    for host_class in members:
        for mount in classes[host_class].mounts:
            for name, value in mount.compared:
                there = seen.setdefault((mount.server.lower(), mount.export, name), {})
                there.setdefault(value, []).append(host_class)
    alike: dict[tuple[str, str, tuple[tuple[Value, tuple[str, ...]], ...]], list[str]] = {}
    for (server, export, name), digests in seen.items():
        if len(digests) > 1:
            key = tuple(sorted(((value, (*dict.fromkeys(several),)) for value, several in digests.items()), key=repr))
            alike.setdefault((server, name, key), []).append(export)
    for (server, name, digests_by_value), exports in alike.items():
        hosts = {value: [host for host_class in several for host in members[host_class]]
                 for value, several in digests_by_value}
        for disagreement in host_differences.disagreements(base.tunables[name], hosts):
            words = disagreement.words(base, server, sorted(exports))
            for check, wanted in checks:
                if any(name_matches(name, pattern) for pattern in wanted.differ):
                    yield _finding(check, words["exports"], words, disagreement.few)


def _overloads(
    base: RuleBase, hosts: Mapping[str, ExaminedHost], members: Mapping[str, Sequence[str]],
    classes: Mapping[str, JudgedClass],
) -> Iterator[FleetFinding]:
    """Servers of the fleet, and all connections that its hosts have to them."""
    checks = [(check, check.sides) for check in base.checks.values()
              if check.sides is not None and check.sides.of == "load"]
    servers = _Servers({title: host for title, host in hosts.items() if classes[host.digest].threads is not None})
    clients: dict[str, int] = {}
    total: dict[str, int] = {}
    for host_class, titles in members.items():
        most: dict[str, int] = {}
        for name, connections in classes[host_class].connections:
            server = servers.named(name)
            if server is not None:
                most[server] = max(most.get(server, 0), connections)
        for server, connections in most.items():
            others = len(titles) - (server in titles)  # a server that mounts from itself is not its own client
            clients[server] = clients.get(server, 0) + others
            total[server] = total.get(server, 0) + others * connections
    for server, many in sorted(clients.items()):
        threads = classes[hosts[server].digest].threads
        if threads is None or not many:
            continue
        compared, words = host_differences.load(threads, total[server], many, server)
        for check, wanted in checks:
            figures = figures_of(check, wanted, compared)
            if figures is not None and check.check in classes[hosts[server].digest].loads:
                yield _finding(check, server, {**words, **figures}, (server,))


class _Servers:
    """Servers by the names and addresses under which they are mounted."""

    def __init__(self, hosts: Mapping[str, ExaminedHost]) -> None:
        self.known: dict[str, list[str]] = {}
        """The first part of a name, or an address → titles."""
        self.hosts = hosts
        for title, host in hosts.items():
            for key in (host.host.lower().partition(".")[0], *host.addresses):
                self.known.setdefault(key, []).append(title)

    def named(self, server: str) -> str | None:
        """The title of the host with this name or address; None if there is none, or several."""
        if parse_address(server) is not None:
            candidates = self.known.get(server, [])
        else:
            titles = self.known.get(server.partition(".")[0], [])
            candidates = [title for title in titles if same_host(server, self.hosts[title].host)]
        return candidates[0] if len(candidates) == 1 else None


def _finding(check: Check, about: str, words: Mapping[str, str], hosts: tuple[str, ...]) -> FleetFinding:
    return FleetFinding(
        check.check, SEVERITY_OF[check.strength], about, fill(check.message, words), fill(check.why, words),
        fill(check.remedy, words), hosts, tuple(check.cites),
    )


def _node_disagreements(
    base: RuleBase, hosts: Mapping[str, ExaminedHost], known: Mapping[str, Values]
) -> Iterator[FleetFinding]:
    """Settings that differ between the nodes of one server, which set one scope. `hosts`: title → host; `known`:
    facts."""
    clusters: dict[str, list[ComparedHost]] = {}
    for title in sorted(title for title, host in hosts.items() if host.node):
        tree = BundleTree(title, deserialize(hosts[title].node), dict(base.layouts))
        node = ComparedHost(base, tree, title, (), known)
        scope = node.settings.get(host_differences.SCOPE)
        if scope is not None:
            clusters.setdefault(str(scope.value), []).append(node)
    for scope_name, several in clusters.items():
        for pair in _pairs(several):
            for results in compare(base, pair, ()).results.values():
                for finding in (finding for result in results for finding in result.findings):
                    yield FleetFinding(
                        finding.rule, finding.severity, f"scope {scope_name}", finding.message, finding.why,
                        finding.remedy, tuple(sorted(node.title for node in pair)), finding.cites,
                    )


def _pairs(nodes: Iterable[ComparedHost]) -> Iterator[tuple[ComparedHost, ComparedHost]]:
    """Pair each node with the first node of its server: at most one pair per node.

    Unrelated servers may share a scope through copies of one nfs.conf. So two are nodes if they have an exported path
    in common; one without exports, as an idle node is, belongs to the only server with that scope."""
    first_of: dict[str, ComparedHost] = {}
    firsts: list[ComparedHost] = []
    idle: list[ComparedHost] = []
    for node in nodes:
        paths = [export.path for export in node.exports.all]
        first = next((first_of[path] for path in paths if path in first_of), None)
        if first is not None:
            yield first, node
        elif paths:
            firsts.append(node)
        else:
            idle.append(node)
        first_of.update((path, first or node) for path in paths if path not in first_of)
    if len(firsts) < 2:
        first, *others = [*firsts, *idle]
        yield from ((first, other) for other in others)

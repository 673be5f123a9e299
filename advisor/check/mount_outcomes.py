"""The possible outcomes of a client's mount, given the exports of its server; and what the server answered when the
host asked it (advisor probe), as the host's files keep it.

What is not known (which of its addresses the client uses, who is in a netgroup, which version both negotiate) is tried
either way, and each try is one outcome. A check reports only what holds in all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from advisor.check.compared_host import ClientMount, ComparedHost
from advisor.check.host import UnseenFile
from advisor.engine import word_list
from advisor.files.export_clients import NETWORK, admits, network
from advisor.files.export_lookup import Exported, PathLookup, Reply, absolute
from advisor.files.export_options import BY_FLAVOUR
from advisor.files.ganesha import GaneshaLookup
from advisor.files.mountinfo import parents
from advisor.files.patterns import value_test
from advisor.files.records import MountEntry, Setting
from advisor.files.source import Address, parse_address, same_host
from advisor.host.bundle import BundleTree
from advisor.host.network import source_addresses
from advisor.host.tree import Tree, Unread, paths_like
from advisor.lint.finding import Finding, report
from advisor.named_tuple import grouped
from advisor.probe.evidence import ServerAsked, asked_for
from advisor.probe.result import Probed, ProbeFileError, from_text
from advisor.rulebase.model import Check, Pattern, RuleBase, Sides, Value
from advisor.rulebase.values import KERBEROS, NFS_VERSIONS
from advisor.sections import normalized

KEYTAB, VERSIONS, PORTS = "/etc/krb5.keytab", "/proc/fs/nfsd/versions", "/proc/fs/nfsd/portlist"
MAX_UNKNOWN = 6
"""Addresses of a client, or clients of exports that may or may not be this one. With more, nothing is reported."""
_MOUNTED = ("mounted", "pseudo", "covered")
"""Replies with which mount.nfs succeeds."""


def fit(wanted: Mapping[str, Pattern], values: Mapping[str, Value]) -> bool:
    """Whether values are all that is asked for. One that is not known fits only `present`."""
    def fits_one(pattern: Pattern, name: str) -> bool:
        if isinstance(pattern, list):
            return any(fits_one(alternative, name) for alternative in pattern)
        if pattern in ("absent", "present") or values.get(name) is None:
            return pattern == ("present" if name in values else "absent")
        return value_test(pattern)(values[name])

    return all(fits_one(pattern, name) for name, pattern in wanted.items())


def checks_between(base: RuleBase) -> Mapping[str, Sequence[tuple[Check, Sides]]]:
    """What two hosts come to together → the checks of it."""
    return grouped((check.sides.of, (check, check.sides)) for check in base.checks.values() if check.sides is not None)


def named_in(check: Check, there: Container[str]) -> str | None:
    """The first setting of `at` of a check that is there."""
    return next((name for name in ([check.at] if isinstance(check.at, str) else check.at or ()) if name in there), None)


def finding_at_mount(
    check: Check, entry: MountEntry, settings: Mapping[str, Setting], host: str, words: Mapping[str, str]
) -> Finding:
    """A finding at the first setting of a mount that `at` of the check names, else at its server's name, `host`."""
    name = named_in(check, settings)
    if name is not None:
        setting = settings[name]
        return report(check, setting, tunable=setting.tunable or None, value=setting.value, figures=words)
    return report(check, entry.source.span, value=host, option=entry.source.text, figures=words)


class MountOutcome(NamedTuple):
    """`values`: the settings of both hosts, and `sides.…`, as checks name them; None is a value that is not known.
    `words`: for messages. `export`: the one that answers, or that the reply is about."""

    values: Mapping[str, Value]
    words: Mapping[str, str]
    export: Exported | None

    @property
    def reply(self) -> str:
        return str(self.values["sides.reply"])


class MountOutcomes(NamedTuple):
    """All outcomes of a mount with its server. `unclear`: why nothing certain follows, "" if something does."""

    mount: ClientMount
    server: ComparedHost
    outcomes: Sequence[MountOutcome]
    unclear: str

    def always(self, holds: Callable[[MountOutcome], bool]) -> bool:
        return bool(self.outcomes) and all(map(holds, self.outcomes))


def is_mount_of(mount: ClientMount, server: ComparedHost) -> bool | None:
    host = mount.source.host
    own = [local.address for local in server.addresses or ()]
    used = parse_address(mount.now.get("addr", ""))
    if used is not None and own:
        return used in own or any(same_host(host, name) for name in server.called)
    if host in server.called:
        return True
    address = parse_address(host)
    if address is not None:
        return address in own if own else None
    resolved = [address for address in mount.client.hosts.addresses(host) if not address.is_loopback]
    if resolved and own and not any(same_host(host, name) for name in server.called):
        return any(address in own for address in resolved)
    # Only a name server knows the other names of a host.
    return True if any(same_host(host, name) for name in server.names) else None


def outcomes_of(mount: ClientMount, server: ComparedHost) -> MountOutcomes:
    def unclear(why: str) -> MountOutcomes:
        return MountOutcomes(mount, server, (), why)

    if not server.serves:
        return unclear(f"the exports of {server.title} are not known")
    if server.exports.has_markup:
        return unclear(f"the exports of {server.title} have placeholders")
    if not server.exports.all:
        nothing = _Outcomes(mount, server, None).outcome("", Reply("not-exported", mount.source.export))
        return MountOutcomes(mount, server, (nothing,), "")
    used = client_addresses(mount, server)
    if len(used) > MAX_UNKNOWN:
        return unclear(f"nothing shows which of its {len(used)} addresses the client uses")
    outcomes: list[MountOutcome] = []
    for address in used or (None,):
        lookups = _possible_lookups(mount, server, address)
        if lookups is None:
            return unclear("nothing shows who the clients of many exports are")
        for lookup in lookups:
            outcomes += _Outcomes(mount, server, address).negotiated(lookup)
    if mount.now and any(outcome.reply not in _MOUNTED for outcome in outcomes):
        return unclear("it is mounted, though the exports that were read do not allow it")
    return MountOutcomes(mount, server, outcomes, "" if outcomes else "two exports are the root of NFSv4")


def client_addresses(mount: ClientMount, server: ComparedHost) -> tuple[Address, ...]:
    """The addresses from which the client may reach the server; none if they are not known."""
    now = parse_address(mount.now.get("clientaddr", ""))
    if now is not None and not now.is_unspecified and not now.is_loopback:
        return (now,)
    own = mount.client.addresses
    if own is None:
        return ()
    used = parse_address(mount.now.get("addr", "")) or parse_address(mount.source.host)
    targets = [used] if used is not None else mount.client.hosts.addresses(mount.source.host)
    if mount.client is server:
        return tuple(targets)
    targets = targets or [local.address for local in server.addresses or ()]
    sources = source_addresses(mount.client.tree, own, targets)
    return sources or tuple(local.address for local in own)


def _possible_lookups(
    mount: ClientMount, server: ComparedHost, address: Address | None
) -> Sequence[PathLookup | GaneshaLookup] | None:
    """The server's exports as the client sees them, for each way that clients of unknown identity may or may not be
    this one. None if there are too many of these."""
    admitted, exports = server.admitted(address), server.exports
    path = absolute(mount.source.export)
    near = [*exports.roots]
    for root in dict.fromkeys(("/", *(export.path for export in exports.roots))):
        target = absolute(f"{root}/{path}")
        near += exports.below.get(target, ())
        for folder in (target, *parents(target)):
            near += exports.by_path.get(folder, ())
    unknown = [client for client in dict.fromkeys(export.client for export in near) if admitted[client] is None]
    if len(unknown) > MAX_UNKNOWN:
        return None
    return [
        server.lookup(address, dict(zip(unknown, answers))) for answers in product((True, False), repeat=len(unknown))
    ]


class _Outcomes:
    """The outcomes of a mount whose client has this address; None: it is not known."""

    def __init__(self, mount: ClientMount, server: ComparedHost, address: Address | None) -> None:
        self.mount, self.server, self.address = mount, server, address

    def negotiated(self, lookup: PathLookup | GaneshaLookup) -> Iterator[MountOutcome]:
        """The outcomes with the version that both may negotiate. If NFSv4 fails, mount.nfs tries NFSv3."""
        path, tried = self.mount.source.export, _versions_tried(self.mount)
        offered = [version for version in tried if offers(self.server, version) is not False]
        if not offered:
            for reply in lookup.v4(path)[:1] if tried[0].startswith("4") else [lookup.v3(path)]:
                yield self.outcome(tried[0], Reply("no-version", reply.path, reply.export))
            return
        v3 = [*self._by_flavour("3", lookup.v3(path))] if "3" in offered else []
        if offered[0] == "3":
            yield from v3
            return
        for reply in lookup.v4(path):
            for v4 in self._by_flavour(offered[0], reply):
                fallbacks = [] if _succeeds(v4) else [outcome for outcome in v3 if _succeeds(outcome)]
                if not fallbacks:
                    yield v4
                for fallback in fallbacks:
                    yield fallback._replace(values={**fallback.values, "sides.instead": v4.reply})

    def _by_flavour(self, version: str, reply: Reply) -> Iterator[MountOutcome]:
        """The outcomes with each security flavour that both may negotiate."""
        export, mount = reply.export, self.mount
        if reply.how != "mounted" or export is None:
            yield self.outcome(version, reply)
            return
        accepted = [*export.flavours]
        asked = [flavour for flavour in mount.option("sec").split(":") if flavour]
        both = [flavour for flavour in asked if flavour in accepted] if asked else accepted
        if "none" in accepted:
            both = both or ["none"]
        if not asked and "sys" in accepted and not has_keytab(mount.client):
            both = ["sys"]
        for flavour in both or [""]:
            yield self.outcome(version, reply, flavour)

    def outcome(self, version: str, reply: Reply, flavour: str = "") -> MountOutcome:
        """The outcome with this version and security flavour; "" if the export refuses all flavours of the mount."""
        export, mount, server = reply.export, self.mount, self.server
        values: dict[str, Value] = {"sides.reply": reply.how, "sides.version": version or None}
        words = {
            "source": mount.words, "path": reply.path, "asked": mount.source.export, "host": mount.source.host,
            "server": server.title, "client": mount.client.title, "vers": version, "other": reply.other_path,
            "address": str(self.address or ""), "flavour": flavour,
            "offered": word_list([version for version in NFS_VERSIONS if offers(server, version) is not False], "and")
            or "none",
        }
        if export is not None:
            words |= {
                "export": export.path, "allowed": export.client, "place": export.place,
                "flavours": ":".join(export.flavours),
                "clients": word_list(
                    sorted({candidate.client for candidate in server.exports.by_path[export.path]}), "and",
                ),
            }
        if reply.skipped is not None:
            words |= {"inner": reply.skipped.path, "inner_place": reply.skipped.place}
        if export is not None and reply.how == "mounted":
            narrower, same_fsid = self._narrower(export), self._same_fsid(export)
            values |= {
                **export.options, **export.flavours.get(flavour, {}), "exports.sec": words["flavours"],
                "sides.flavour": flavour or "refused", "sides.keytab": has_keytab(mount.client),
                "sides.server_keytab": has_keytab(server), "sides.passed": _skipped_options(reply),
                "sides.first": narrower, "sides.shared": same_fsid,
            }
            words |= {"rival": narrower or "", "twin": same_fsid or ""}
        if server.ganesha is None:
            values["sides.transport"], values["sides.port"] = _transport(mount, server), _port(mount, server)
        words["port"] = str(values.get("sides.port") or "")
        known = {name: value for name, value in values.items() if value is not None}
        return MountOutcome({**known, **mount.values}, words, export)

    def _narrower(self, export: Exported) -> str | None:
        """The place of an export of the same path to a narrower network that holds the client too, and comes later."""
        wide = network(export.client) if export.kind == NETWORK else None
        if self.address is None or wide is None:
            return None
        for candidate in self.server.exports.by_path[export.path]:
            narrow = network(candidate.client) if candidate.kind == NETWORK else None
            if narrow is None or narrow.mask <= wide.mask or candidate.has_same(export, BY_FLAVOUR):
                continue
            if admits(candidate.client, self.address, self.server.hosts):
                return candidate.place
        return None

    def _same_fsid(self, export: Exported) -> str | None:
        """The path of an export with the same fsid, which comes before this one."""
        first = self.server.exports.by_fsid.get((export.kind, export.fsid or ""))
        return first.path if first is not None and first.path != export.path else None


def _succeeds(outcome: MountOutcome) -> bool:
    """Whether mount.nfs accepts what the server makes of the path, and the server the mount's port and flavour."""
    if outcome.reply != "mounted":
        return outcome.reply in _MOUNTED
    flavour, values = outcome.words["flavour"], outcome.values
    if not flavour or (flavour in KERBEROS and values.get("sides.keytab") is False):
        return False
    return not (flavour == "sys" and values.get("mount.noresvport") is True and values.get("exports.insecure") is False)


def _versions_tried(mount: ClientMount) -> list[str]:
    """The versions that the client tries, in order."""
    now = mount.now.get("vers")
    if now:
        return [now]
    values = {**mount.values, "fstab.type": mount.entry.fstype.value}
    for tries in mount.client.base.tunables["mount.vers"].tries:
        if fit(tries.together, values):
            return [str(version) for version in tries.values]
    written = mount.option("vers")
    return [written] if written else ["4.2", "4.1", "4.0"]


def offers(server: ComparedHost, version: str) -> bool | None:
    """Whether a server offers a version, as nfsd or nfs.conf says; None if neither does, and for NFS-Ganesha, of
    which each export has versions of its own."""
    if server.ganesha is not None:
        return None
    words = server.tree.optional_text(VERSIONS).split()
    major = version.partition(".")[0]
    if f"+{major}" in words or f"-{major}" in words:
        return f"+{major}" in words and f"-{version}" not in words
    return False if any(server.turns_off(f"vers{number}") for number in (major, version)) else None


def has_keytab(host: ComparedHost) -> bool | None:
    """Whether the host has keys for Kerberos; None if that was not collected."""
    try:
        return host.tree.exists(KEYTAB)
    except Unread:
        return None


def _transport(mount: ClientMount, server: ComparedHost) -> str | None:
    """`refused`, where the server certainly does not listen on UDP or TCP."""
    wanted = "udp" if mount.option("proto").startswith("udp") else "tcp"
    ports = server.tree.optional_text(PORTS).split("\n")
    if any(ports):
        return None if any(port.startswith((wanted, "rdma")) for port in ports) else "refused"
    return "refused" if server.turns_off(wanted) else None


def _port(mount: ClientMount, server: ComparedHost) -> str | None:
    """The port of the server, where the mount certainly goes to another one."""
    wanted, setting = mount.option("port"), server.settings.get("nfs.conf.nfsd.port")
    listens = "" if not server.seen("nfs-conf") else "2049" if setting is None else str(setting.value)
    used = "2049" if not wanted and mount.option("vers").startswith("4") else wanted
    return listens if used.isdigit() and used != "0" and listens.isdigit() and used != listens else None


def _skipped_options(reply: Reply) -> str | None:
    """The options in which an export that the client never reaches differs from the one around it."""
    inner, outer = reply.skipped, reply.export
    if inner is None or outer is None:
        return None
    differ = [name.partition(".")[2] for name in BY_FLAVOUR if not inner.has_same(outer, (name,))]
    if [*inner.flavours] != [*outer.flavours]:
        differ = ["sec"]
    return " ".join(differ) or None


ANSWERS = "/var/lib/nfs-advisor/probes"
"""Where a host keeps them, a file each."""
_LIMITS = {"mount.rsize": "probe.maxread", "mount.wsize": "probe.maxwrite"}


def kept_answers(tree: Tree) -> Iterator[tuple[str, Probed | UnseenFile]]:
    """The path of each file, and the answers in it, or why they are not used."""
    today = tree.bundle.made if isinstance(tree, BundleTree) and tree.bundle.made else time.strftime("%Y-%m-%d")
    for path in paths_like(f"{ANSWERS}/*.json", tree.names):
        try:
            probed = from_text(tree.text(path))
            old = f"asked on {probed.at[:10]}, which is too long ago" if probed.until < today[:10] else ""
        except (Unread, ProbeFileError) as error:
            old = str(error)
        yield path, UnseenFile("answers of servers", path, old, there=True) if old else probed


def asked_by(base: RuleBase, tree: Tree) -> list[ServerAsked]:
    """What the files of a host keep; of one export the latest."""
    found = [asked_for(base, probed, path) for path, probed in kept_answers(tree) if not isinstance(probed, UnseenFile)]
    return [*{each.source: each for each in sorted(found, key=lambda each: each.day)}.values()]


def answer_for(base: RuleBase, answers: Sequence[ServerAsked], server: str, export: str) -> ServerAsked | None:
    """The latest answer about an export; else the latest of its server, with what holds for all exports."""
    host, path = normalized("server", server), normalized("export", export)
    own = [each for each in answers if normalized("server", each.server) == host]
    exact = [each for each in own if normalized("export", each.export) == path]
    if exact or not own:
        return exact[-1] if exact else None
    named = {**base.facts, **base.observations}
    wide = {name: value for name, value in own[-1].known.items() if named[name].scope == "server"}
    return own[-1]._replace(reply="", known=wide)


def beside_mount(
    asked: ServerAsked, settings: Mapping[str, Value], version: str, flavours: Sequence[str]
) -> tuple[dict[str, Value], dict[str, str]]:
    """What a server answered, beside a mount of it: `sides.asked…`, as checks name them, and words for messages.
    `version`, `flavours`: those in use or asked for, "" and none for any."""
    def told(name: str) -> Value:
        value = asked.known.get(name)
        return None if isinstance(value, list) else value

    offered = {each: told(f"probe.v{each.replace('.', '')}") for each in (*NFS_VERSIONS, "4")}
    accepted = asked.known.get("mount.sec", [])
    accepted = [*map(str, accepted)] if isinstance(accepted, list) else [str(accepted)]
    found: dict[str, Value] = {
        "sides.asked": asked.reply or None, "sides.asked_slots": told("probe.slots"),
        "sides.asked_access": "rw" if told("probe.may_write") else "ro" if told("probe.mode_lets_write") and (
            told("probe.may_write") is False) else None,
        "sides.asked_version": None if offered.get(version) is None else "on" if offered[version] else "off",
        "sides.asked_flavour": "refused" if flavours and accepted and not {*flavours} & {*accepted} else None,
    }
    for size, limit in _LIMITS.items():
        wanted, most = settings.get(size), told(limit)
        if isinstance(wanted, int) and isinstance(most, int) and wanted > most:
            found[f"sides.asked_{size.partition('.')[2]}"] = most
    words = {
        "said": asked.says, "day": asked.day, "told_flavours": word_list(accepted, "and"),
        "told_versions": word_list([each for each in NFS_VERSIONS if offered[each]], "and") or "none",
        "told_read": str(told("probe.maxread")), "told_write": str(told("probe.maxwrite")),
        "told_slots": str(told("probe.slots")),
    }
    return {name: value for name, value in found.items() if value is not None}, words

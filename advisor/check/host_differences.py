"""What differs between hosts: a client and its server, all clients of one server, and two servers that are nodes of a
cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from advisor.check.compared_host import ClientMount, ComparedHost, ValueInFile
from advisor.check.mount_outcomes import MountOutcome, MountOutcomes, client_addresses
from advisor.engine import word_list
from advisor.files.export_clients import one_spelling
from advisor.files.export_lookup import Exported
from advisor.files.export_options import BY_FLAVOUR
from advisor.files.patterns import name_matches
from advisor.files.records import Span
from advisor.files.source import Address, parse_address
from advisor.host.network import HOSTNAME, HOSTS, LOCAL, interface, sources_of
from advisor.host.probe import whole_number
from advisor.host.tree import Unread
from advisor.named_tuple import grouped
from advisor.rulebase import values
from advisor.rulebase.model import RuleBase, Tunable, Value

DOMAIN, MTU, MANAGE_GIDS = "idmapd.conf.General.Domain", "network.mtu", "nfs.conf.mountd.manage-gids"
PASSWD, GROUP = "/etc/passwd", "/etc/group"
PEOPLE = range(1000, 60000)
"""User ids of people; those below are for services, which each distribution numbers in its own way."""
_DISABLE_MAPPING = ("module.nfs.nfs4_disable_idmapping", "module.nfsd.nfs4_disable_idmapping")
_NAMED = 3
"""Users, or hosts, that a message lists; of more hosts it names the first, and how many there are."""
UNIQUE_ID, THREADS = "module.nfs.nfs4_unique_id", "nfs.conf.nfsd.threads"
IDENTIFIER = "/sys/fs/nfs/net/nfs_client/identifier"
SCOPE = "nfs.conf.nfsd.scope"


class FindingPlace(NamedTuple):
    """In which file of which host a finding is reported."""

    host: ComparedHost
    file: str
    span: Span


class Disagreement(NamedTuple):
    """A setting that `few` clients have in one value and `many`, as many at least, in another."""

    tunable: str
    value: Value
    few: tuple[str, ...]
    other: Value
    many: tuple[str, ...]

    def words(self, base: RuleBase, server: str, exports: Sequence[str]) -> dict[str, str]:
        """For the message of a check."""
        tunable = base.tunables[self.tunable]
        return {
            "setting": values.name(tunable), "value": values.describe(tunable, self.value),
            "effect": values.describe(tunable, self.other), "server": server,
            "exports": _shortened([f"{server}:{export}" for export in exports], "exports"),
            "clients": _shortened(self.few, "hosts"), "others": _shortened(self.many, "hosts"),
        }


def _shortened(names: Sequence[str], what: str) -> str:
    """ "web1, web2 and web3"; of many the first, and how many there are: "web1 and 411 other hosts"."""
    if len(names) > _NAMED:
        return f"{names[0]} and {len(names) - 1:,} other {what}"
    return word_list(names, "and")


# A client and its server


def shared_settings(
    client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> Iterator[tuple[str, ValueInFile | None, ValueInFile | None]]:
    """The settings that a client and its server should share because of these mounts, with the value of each."""
    if any(mount.always(_is_v4) for mount in mounts) and _sends_names(client, server, mounts):
        yield DOMAIN, domain(client), domain(server)
    server_addresses = [local.address for local in server.addresses or ()]
    used = [
        address for address in (parse_address(mount.mount.now.get("addr", "")) for mount in mounts)
        if address is not None
    ]
    from_client = {address for mount in mounts for address in client_addresses(mount.mount, server)}
    yield MTU, _mtu(client, used or server_addresses[:1]), _mtu(server, from_client)


def domain(host: ComparedHost) -> ValueInFile | None:
    """The NFSv4 domain: the one that is set, else the domain of the host's full name; None if unknown."""
    setting = host.settings.get(DOMAIN)
    if setting is not None:
        return setting._replace(value=str(setting.value).lower())
    for name in (host.node, *host.hosts.aliases(host.node)):
        if "." in name and not name.lower().startswith("localhost"):
            full_name = host.whole_file(name, HOSTNAME if name == host.node else HOSTS)
            return full_name._replace(value=name.partition(".")[2].lower().rstrip("."))
    return None


def _mtu(host: ComparedHost, targets: Iterable[Address]) -> ValueInFile | None:
    """The MTU of the interface that leads to these addresses; None if it is not known, or there are several."""
    by_path = {}
    for target in targets:
        try:
            path = f"/sys/class/net/{interface(host.tree, [str(target)])[0]}/mtu"
            by_path[path] = host.tree.text(path).strip()
        except Unread:
            return None
    if len(set(by_path.values())) != 1:
        return None
    (path, value), *_ = by_path.items()
    return host.whole_file(value, path)


def _is_v4(outcome: MountOutcome) -> bool:
    return outcome.words["vers"] != "3"


def _sends_names(client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]) -> bool:
    """Whether owners certainly cross the wire as names: with Kerberos, or where one host refuses numbers."""
    if any(map(_maps_names, _mapping(client, server))):
        return True
    return any(mount.always(lambda outcome: outcome.words["flavour"].startswith("krb5")) for mount in mounts)


def _mapping(client: ComparedHost, server: ComparedHost) -> tuple[ValueInFile | None, ValueInFile | None]:
    """nfs4_disable_idmapping of both."""
    of_client, of_server = _DISABLE_MAPPING
    return client.settings.get(of_client), server.settings.get(of_server)


def _maps_names(disabled: ValueInFile | None) -> bool:
    return disabled is not None and str(disabled.value) in ("N", "0")


def one_sided_mapping(
    client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> tuple[str, ValueInFile] | None:
    """The one host that maps names where both use AUTH_SYS, "client" or "server", and the setting for it; None
    otherwise. By default both send numbers."""
    of_client, of_server = _mapping(client, server)
    on_client, on_server = _maps_names(of_client), _maps_names(of_server)
    if on_client == on_server or not any(
        mount.always(lambda outcome: _is_v4(outcome) and outcome.words["flavour"] == "sys") for mount in mounts
    ):
        return None
    setting, other_setting, other = (of_client, of_server, server) if on_client else (of_server, of_client, client)
    if setting is None or (other_setting is None and not other.seen("modprobe", all_places=True)):
        return None
    return "client" if on_client else "server", setting


def user_problems(
    client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> Iterator[tuple[str, Mapping[str, str], ClientMount]]:
    """What is wrong with the users where AUTH_SYS sends their ids: `other-numbers`, a user has another id on the
    server; or `without-groups`, a server that looks up groups itself does not know a user. With the words for the
    message, and a mount that shows it."""
    mount = next((mount for mount in mounts if mount.always(_uses_client_ids)), None)
    here, there = (_people(client), _people(server)) if mount is not None else (None, None)
    if mount is None or here is None or there is None:
        return
    others = sorted(name for name, uid in here.items() if there.get(name, uid) != uid)
    if others:
        words = _user_words(client, server, [f"{name} ({here[name]} and {there[name]})" for name in others])
        yield "other-numbers", words, mount.mount
    manage_gids = server.settings.get(MANAGE_GIDS)
    known = set(there.values())
    missing = sorted(name for name in _group_members(client) if name in here and here[name] not in known)
    only_files = set() < sources_of(server.tree, "passwd") <= LOCAL
    if manage_gids is not None and manage_gids.value == "y" and missing and only_files:
        words = {**_user_words(client, server, missing), "place": manage_gids.place}
        yield "without-groups", words, mount.mount


def _uses_client_ids(outcome: MountOutcome) -> bool:
    """Whether a mount uses AUTH_SYS, and the server does not map all users to one."""
    return (
        outcome.reply == "mounted" and outcome.words["flavour"] == "sys"
        and outcome.values.get("exports.all_squash") is not True
    )


def _user_words(client: ComparedHost, server: ComparedHost, names: Sequence[str]) -> dict[str, str]:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return {"users": word_list([*names[:_NAMED], *more], "and"), "client": client.title, "server": server.title}


def _people(host: ComparedHost) -> dict[str, int] | None:
    """The user ids of people in a host's files, by name; None if they were not collected."""
    try:
        passwd = host.tree.text(PASSWD)
    except Unread:
        return None
    numbers = {fields[0]: whole_number(fields[2]) for fields in _fields(passwd, 3)}
    return {name: number for name, number in numbers.items() if number is not None and number in PEOPLE}


def _group_members(host: ComparedHost) -> set[str]:
    """The names that are members of other groups than their own."""
    groups = _fields(host.tree.optional_text(GROUP), 4)
    return {name.strip() for fields in groups for name in fields[3].split(",")}


def _fields(text: str, least: int) -> Iterator[list[str]]:
    """The fields of each entry with at least `least` of them."""
    for line in text.split("\n"):
        fields = line.split(":")
        if len(fields) >= least and not line.startswith(("#", "+", "-")):
            yield fields


# All clients of one server


def identity(client: ComparedHost) -> tuple[str, str] | None:
    """What a client calls itself to NFSv4 servers: nfs4_unique_id, "" for none, and its host name. None if a part of it
    is not known."""
    identifier = client.tree.optional_text(IDENTIFIER).strip()
    if not identifier or identifier == "(null)":
        setting = client.settings.get(UNIQUE_ID)
        if setting is None and not client.seen("modprobe", all_places=True):
            return None
        identifier = str(setting.value) if setting is not None else ""
    return (identifier, client.node) if client.node else None


def has_session(mount: MountOutcomes) -> bool:
    """Whether a mount certainly is of NFSv4.1 or later, where its name alone identifies a client."""
    return mount.always(lambda outcome: outcome.words["vers"] in ("4.1", "4.2"))


def compared_settings(base: RuleBase) -> list[str]:
    """The settings in which clients of one export are compared; `base.ready` keeps them."""
    patterns = [
        pattern for check in base.checks.values() if check.sides is not None and check.sides.of == "export"
        for pattern in check.sides.differ
    ]
    return [name for name in base.tunables if any(name_matches(name, pattern) for pattern in patterns)]


def compared_values(base: RuleBase, mount: ClientMount, names: Iterable[str]) -> dict[str, Value]:
    """Those of the settings that are known to be in effect. What the kernel does not list is at its default. Nothing is
    known of a mount that only a file asks for, nor of one through a helper on the host itself."""
    address = parse_address(mount.source.host)
    if not mount.now or mount.source.host.lower() == "localhost" or (address is not None and address.is_loopback):
        return {}
    settings = {name: mount.shown[name].value if name in mount.shown else base.tunables[name].default for name in names}
    return {name: value for name, value in settings.items() if value is not None}


def disagreements(tunable: Tunable, hosts: Mapping[Value, Collection[str]]) -> Iterator[Disagreement]:
    """Each value but the one that most hosts have, or, if equally many, the default. `hosts`: by value; one that has
    two values counts for none."""
    times = Counter(host for several in hosts.values() for host in dict.fromkeys(several))
    sure = {value: tuple(sorted(host for host in set(several) if times[host] == 1)) for value, several in hosts.items()}
    ranked = sorted(
        (value for value in sure if sure[value]),
        key=lambda value: (-len(sure[value]), value != tunable.default, str(value)),
    )
    for value in ranked[1:]:
        yield Disagreement(tunable.id, value, sure[value], ranked[0], sure[ranked[0]])


def disagreements_by_export(
    base: RuleBase, mounts: Iterable[ClientMount]
) -> Iterator[tuple[str, Disagreement, ClientMount]]:
    """Each export of one server, on what its clients disagree, and the mount of one of the fewer."""
    names = base.ready(compared_settings)
    by_setting: dict[tuple[str, str], dict[Value, dict[str, ClientMount]]] = {}
    for mount in mounts:
        for name, value in compared_values(base, mount, names).items():
            by_value = by_setting.setdefault((mount.source.export, name), {})
            by_value.setdefault(value, {}).setdefault(mount.client.title, mount)
    for (export, name), by_value in by_setting.items():
        for disagreement in disagreements(base.tunables[name], by_value):
            yield export, disagreement, by_value[disagreement.value][disagreement.few[0]]


def threads_of(server: ComparedHost) -> int | None:
    """The threads of a server; None if they are not known, or left to the kernel."""
    setting = server.settings.get(THREADS)
    return setting.number if setting is not None else None


def connections_by_server(mounts: Iterable[ClientMount]) -> dict[str, int]:
    """Server, as mounts name it → the connections of one client to it, which all its mounts share."""
    by_server = grouped((mount.source.host.lower(), connections(mount)) for mount in mounts)
    return {server: max(numbers) for server, numbers in by_server.items()}


def connections(mount: ClientMount) -> int:
    """The number of connections that a mount has, or else asks for; 1 if neither is known."""
    written = mount.settings.get("mount.nconnect")
    value = mount.now.get("nconnect") or ("1" if written is None or mount.now else str(written.value))
    number = whole_number(value)
    return 1 if number is None else number


def load(threads: int, connections: int, clients: int, server: str) -> tuple[Mapping[str, Value], Mapping[str, str]]:
    """The connections of all clients, and the threads that serve them, as checks name them; and words for messages."""
    have = "1 client has" if clients == 1 else f"{clients:,} clients have"
    words = {"threads": str(threads), "connections": f"{connections:,}", "clients": have, "server": server}
    return {"sides.connections": connections, THREADS: threads}, words


# Two nodes of a cluster


def node_settings(
    one: ComparedHost, other: ComparedHost, patterns: Sequence[str]
) -> Iterator[tuple[str, tuple[ComparedHost, ValueInFile | None], tuple[ComparedHost, ValueInFile | None]]]:
    """Settings of these patterns, each with the second node and its value, or the only one that sets it, and then the
    other one."""
    first, second = {**one.settings}, {**other.settings}
    for host, settings in ((one, first), (other, second)):
        own_domain = domain(host)
        if own_domain is not None:
            settings.setdefault(DOMAIN, own_domain)
    for name in sorted({*first, *second}):
        if any(name_matches(name, pattern) for pattern in patterns):
            left = one, first.get(name) or _default(name, one)
            right = other, second.get(name) or _default(name, other)
            yield (name, right, left) if name in second else (name, left, right)


def _default(name: str, host: ComparedHost) -> ValueInFile | None:
    """The default of a setting that a node certainly does not set; None if it may be set."""
    default = host.base.tunables[name].default
    files = host.texts("nfs.conf")
    if default is None or not name.startswith("nfs.conf.") or not files or not host.seen("nfs-conf"):
        return None
    return ValueInFile(default, host.file(files[0].name), Span(1, 1, 2))


def node_values(
    one: ComparedHost, other: ComparedHost
) -> Iterator[tuple[Mapping[str, Value], Mapping[str, str], FindingPlace]]:
    """What is wrong with the scope and the exports of two nodes, as `FindingsByFile.add` takes it. Where a cluster
    makes the exports, the node that is not in use has none."""
    unset = all(SCOPE not in host.settings and host.seen("nfs-conf") and host.node for host in (one, other))
    files = one.texts("nfs.conf")
    if unset and one.node != other.node and files:  # the scope is the name of each
        span = Span(1, 1, len(files[0].text.split("\n", 1)[0]) + 1)
        words = {"server": one.title, "other": other.title}
        yield {"sides.scope": "by-name"}, words, FindingPlace(one, one.file(files[0].name), span)
    if one.exports.all and other.exports.all:
        yield from _unlike_exports(one, other)


def _unlike_exports(
    one: ComparedHost, other: ComparedHost
) -> Iterator[tuple[Mapping[str, Value], Mapping[str, str], FindingPlace]]:
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
                yield {"sides.export": differs}, words, FindingPlace(left, export.file, export.span)


def _difference_kind(export: Exported, twin: Exported | None) -> str:
    """A value of sides.export; "" if both are equal."""
    if twin is None:
        return "missing"
    if export.fsid != twin.fsid:
        return "fsid"
    unlike = {**export.options, "exports.fsid": ""} != {**twin.options, "exports.fsid": ""}
    return "otherwise" if unlike or not export.has_same(twin, BY_FLAVOUR) else ""

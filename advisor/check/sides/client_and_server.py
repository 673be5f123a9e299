"""A client and its server as hosts: the NFSv4 domain, the MTU, the users, and who maps names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.compared_host import ValueInFile
from advisor.check.sides.mount_outcomes import client_addresses
from advisor.engine.errors import word_list
from advisor.files.hosts import Address, parse
from advisor.host import routes
from advisor.host.addresses import HOSTNAME, HOSTS
from advisor.host.probe import whole_number
from advisor.host.tree import Unread

if TYPE_CHECKING:
    from advisor.check.sides.compared_host import ComparedHost
    from advisor.check.sides.mount_outcomes import MountOutcome, MountOutcomes

DOMAIN, MTU, MANAGE_GIDS = "idmapd.conf.General.Domain", "network.mtu", "nfs.conf.mountd.manage-gids"
PASSWD, GROUP, NSSWITCH = "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"
PEOPLE = range(1000, 60000)
"""User ids of people; those below are for services, which each distribution numbers in its own way."""
_DISABLE_MAPPING = ("module.nfs.nfs4_disable_idmapping", "module.nfsd.nfs4_disable_idmapping")
_LOCAL = {"files", "compat", "systemd", "altfiles"}
"""Sources of users that hold none but this host's own."""
_NAMED = 3
"""Users that a message names."""


class HostDifference(NamedTuple):
    """A setting that two hosts have in different values. `one`: of the host at which it is reported."""

    tunable: str
    one: ValueInFile
    other: ValueInFile


def difference(tunable: str, one: ValueInFile | None, other: ValueInFile | None) -> Iterator[HostDifference]:
    """The difference between two values, if both are known and there is one."""
    if one is not None and other is not None and str(one.value) != str(other.value):
        yield HostDifference(tunable, one, other)


def differences(
    client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> Iterator[HostDifference]:
    """The settings in which a client differs from its server, where that matters to these mounts."""
    if any(mount.always(_is_v4) for mount in mounts) and _sends_names(client, server, mounts):
        yield from difference(DOMAIN, domain(client), domain(server))
    server_addresses = [local.address for local in server.addresses or ()]
    used = [
        address for address in (parse(mount.mount.now.get("addr", "")) for mount in mounts)
        if address is not None
    ]
    from_client = {address for mount in mounts for address in client_addresses(mount.mount, server)}
    if server_addresses and from_client:
        yield from difference(MTU, _mtu(client, used or server_addresses[:1]), _mtu(server, from_client))


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
            path = f"/sys/class/net/{routes.interface(host.tree, [str(target)])[0]}/mtu"
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
    if setting is None or (other_setting is None and not other.seen("modprobe")):
        return None
    return "client" if on_client else "server", setting


class Users(NamedTuple):
    """`ids`: of people, by name. `in_groups`: names that are members of other groups than their own. `all_local`:
    whether the host certainly has no users but those of its files."""

    ids: Mapping[str, int]
    in_groups: frozenset[str]
    all_local: bool


class UserProblem(NamedTuple):
    """`kind`: `other-numbers`, a user has another id on the server; or `without-groups`, a server that looks up groups
    itself does not know a user. `words`: for the message; `mount`: one that shows it."""

    kind: str
    words: Mapping[str, str]
    mount: MountOutcomes


def user_problems(
    client: ComparedHost, server: ComparedHost, mounts: Sequence[MountOutcomes]
) -> Iterator[UserProblem]:
    """What is wrong with the users where AUTH_SYS sends their ids."""
    mount = next((mount for mount in mounts if mount.always(_uses_client_ids)), None)
    here, there = (_users(client), _users(server)) if mount is not None else (None, None)
    if mount is None or here is None or there is None:
        return
    others = sorted(name for name, uid in here.ids.items() if there.ids.get(name, uid) != uid)
    if others:
        words = _user_words(client, server, [f"{name} ({here.ids[name]} and {there.ids[name]})" for name in others])
        yield UserProblem("other-numbers", words, mount)
    manage_gids = server.settings.get(MANAGE_GIDS)
    known = set(there.ids.values())
    missing = sorted(name for name in here.in_groups if here.ids[name] not in known)
    if manage_gids is not None and manage_gids.value == "y" and there.all_local and missing:
        words = {**_user_words(client, server, missing), "place": manage_gids.place}
        yield UserProblem("without-groups", words, mount)


def _uses_client_ids(outcome: MountOutcome) -> bool:
    """Whether a mount uses AUTH_SYS, and the server does not map all users to one."""
    all_squash = outcome.settings.get("exports.all_squash")
    return (
        outcome.reply == "mounted" and outcome.words["flavour"] == "sys"
        and (all_squash is None or all_squash.value is not True)
    )


def _user_words(client: ComparedHost, server: ComparedHost, names: Sequence[str]) -> dict[str, str]:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return {"users": word_list([*names[:_NAMED], *more], "and"), "client": client.title, "server": server.title}


def _users(host: ComparedHost) -> Users | None:
    """The users in a host's files; None if they were not collected."""
    try:
        passwd = host.tree.text(PASSWD)
    except Unread:
        return None
    numbers = {fields[0]: whole_number(fields[2]) for fields in _fields(passwd, 3)}
    ids = {name: number for name, number in numbers.items() if number is not None and number in PEOPLE}
    members = {name.strip() for fields in _fields(host.tree.optional_text(GROUP), 4) for name in fields[3].split(",")}
    return Users(ids, frozenset(members.intersection(ids)), _all_local(host))


def _all_local(host: ComparedHost) -> bool:
    """Whether nsswitch.conf names no source of users but files. Words in brackets are actions, not sources."""
    for line in host.tree.optional_text(NSSWITCH).split("\n"):
        name, colon, sources = line.partition("#")[0].partition(":")
        if colon and name.strip() == "passwd":
            return {source for source in sources.split() if not source.startswith("[")} <= _LOCAL
    return False


def _fields(text: str, least: int) -> Iterator[list[str]]:
    """The fields of each entry with at least `least` of them."""
    for line in text.split("\n"):
        fields = line.split(":")
        if len(fields) >= least and not line.startswith(("#", "+", "-")):
            yield fields

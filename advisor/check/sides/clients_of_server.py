"""All clients of one server together: one identity for two of them, one export mounted in two ways, the load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.findings import ComparedValues
from advisor.engine.errors import word_list
from advisor.files.hosts import parse
from advisor.globs import matches
from advisor.host.probe import whole_number
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.sides.compared_host import ClientMount, ComparedHost
    from advisor.check.sides.mount_outcomes import MountOutcomes
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Value

UNIQUE_ID, THREADS = "module.nfs.nfs4_unique_id", "nfs.conf.nfsd.threads"
IDENTIFIER = "/sys/fs/nfs/net/nfs_client/identifier"
_NAMED = 3
"""Names that a message lists; of more it names the first, and their number."""


class ClientIdentity(NamedTuple):
    """What a client calls itself to NFSv4 servers: nfs4_unique_id, "" for none, and its host name."""

    unique: str
    node: str


def identity(client: ComparedHost) -> ClientIdentity | None:
    """The identity of a client; None if a part of it is not known."""
    identifier = client.tree.optional_text(IDENTIFIER).strip()
    if not identifier or identifier == "(null)":
        setting = client.settings.get(UNIQUE_ID)
        if setting is None and not client.seen("modprobe"):
            return None
        identifier = str(setting.value) if setting is not None else ""
    return ClientIdentity(identifier, client.node) if client.node else None


def has_session(mount: MountOutcomes) -> bool:
    """Whether a mount certainly is of NFSv4.1 or later, where its name alone identifies a client."""
    return mount.always(lambda outcome: outcome.words["vers"] in ("4.1", "4.2"))


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


def compared_settings(base: RuleBase) -> list[str]:
    """The settings in which clients of one export are compared; `base.ready` keeps them."""
    patterns = [
        pattern for check in base.checks.values() if check.sides is not None and check.sides.of == "export"
        for pattern in check.sides.differ
    ]
    return [name for name in base.tunables if any(matches(name, pattern) for pattern in patterns)]


def settings_in_effect(base: RuleBase, mount: ClientMount, names: Iterable[str]) -> dict[str, Value]:
    """Those of the settings that are known to be in effect. What the kernel does not list is at its default. Nothing is
    known of a mount that only a file asks for, nor of one through a helper on the host itself."""
    address = parse(mount.source.host)
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
        for name, value in settings_in_effect(base, mount, names).items():
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
    most: dict[str, int] = {}
    for mount in mounts:
        server = mount.source.host.lower()
        most[server] = max(most.get(server, 0), connections(mount))
    return most


def connections(mount: ClientMount) -> int:
    """The number of connections that a mount has, or else asks for; 1 if neither is known."""
    written = mount.settings.get("mount.nconnect")
    value = mount.now.get("nconnect") or ("1" if written is None or mount.now else str(written.value))
    number = whole_number(value)
    return 1 if number is None else number


def load(threads: int, connections: int, clients: int, server: str) -> ComparedValues:
    """The connections of all clients, and the threads that serve them."""
    have = "1 client has" if clients == 1 else f"{clients:,} clients have"
    words = {"threads": str(threads), "connections": f"{connections:,}", "clients": have, "server": server}
    return ComparedValues({"sides.connections": connections, THREADS: threads}, words)

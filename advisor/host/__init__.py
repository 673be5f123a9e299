"""What this host, or a copy of its files, says of itself: facts, settings in effect, NFS mounts. It changes nothing.

Nothing is asked of the network, no program but rpm is run, and no path on a network file system is touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.host import routes
from advisor.host.tree import NotCollected, Tree, Unread
from advisor.host.ways import Host, HostValue, find
from advisor.readers import mountinfo
from advisor.readers.source import parse_source
from advisor.rulebase.model import Fact, Tunable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase import model
    from advisor.rulebase.model.types import Values

__all__ = ["HostMount", "HostValue", "NotCollected", "Probed", "Tree", "Unread", "probe"]

NFS = ("nfs", "nfs4")


class HostMount(NamedTuple):
    """An NFS mount in effect. `options`: of the mount and of the file system, as /proc/mounts joins them.

    `read_ahead_kb`: KiB, None where it was not read."""

    server: str
    export: str
    target: str
    fstype: str
    options: tuple[str, ...]
    device: str
    read_ahead_kb: HostValue | None


class Probed(NamedTuple):
    """`facts` and `settings` (tunable → value in effect) with where they were read, `inventory` likewise for what is
    not a fact (processors, interface); `unknown` and `unset` say why a fact or setting was not found."""

    root: str
    facts: dict[str, HostValue]
    unknown: dict[str, str]
    settings: dict[str, HostValue]
    unset: dict[str, str]
    inventory: dict[str, HostValue]
    mounts: tuple[HostMount, ...]


def probe(
    definitions: Mapping[str, Fact], root: str | Tree = "/",
    tunables: Mapping[str, Tunable] | None = None, given: Mapping[str, Values] | None = None,
) -> Probed:
    """Look at the host whose files are below `root`.

    `definitions`: fact id → fact, as rules/facts writes it; those with `probe` are looked for. `tunables`: settings to
    look for: `sysctl.…`, `module.MODULE.PARAMETER`, `bdi.read_ahead_kb`, `network.mtu`, and, with what kb/tunables
    writes of them, those with a `probe`; others are passed over. `given`: facts that are known better; a probe that
    depends on one of them (`unless`) goes by it. They are looked for all the same.

    Never raises for what it finds there."""
    return _Prober(definitions, root if isinstance(root, Tree) else Tree(root), dict(given or {})).look(tunables)


class _Prober:
    def __init__(self, definitions: Mapping[str, Fact], tree: Tree, given: dict[str, Values]) -> None:
        self.definitions, self.tree, self.given = definitions, tree, given
        self.facts: dict[str, HostValue] = {}
        self.unknown: dict[str, str] = {}
        self.card: tuple[str, str] | str | None = None
        self.mounts = tuple(self._mount(m) for m in tree.mounts if m.fstype in NFS)
        mounted: dict[str, list[str]] = {}
        for mount in tree.mounts:
            mounted.setdefault(mount.fstype, []).append(mount.target)
        self.host = Host(tree, self._interface, mounted)

    def look(self, tunables: Mapping[str, Tunable] | None) -> Probed:
        for name in self.definitions:
            self._own(name)
        facts = {name: self.facts[name] for name in self.definitions if name in self.facts}
        settings: dict[str, HostValue] = {}
        unset: dict[str, str] = {}
        for name, tunable in (tunables or {}).items():
            try:
                found = self._setting(name, tunable)
            except Unread as error:
                unset[name] = str(error)
                continue
            if found is not None:
                settings[name] = found
        return Probed(self.tree.root, facts, self.unknown, settings, unset, self._inventory(), self.mounts)

    def _fact(self, name: str) -> Values | None:
        """The value of a fact; None where it is not known."""
        return self.given[name] if name in self.given else self._own(name)

    def _own(self, name: str) -> Values | None:
        """What the host says of a fact, looked for when it is first asked for; None where it says nothing."""
        definition = self.definitions.get(name)
        if definition is not None and definition.probe and name not in self.facts and name not in self.unknown:
            self.unknown[name] = "it depends on itself"
            try:
                self.facts[name] = find(self.host, definition.type, self._probe(definition.probe), self._fact)
                del self.unknown[name]
            except Unread as error:
                self.unknown[name] = str(error)
        return self.facts[name].value if name in self.facts else None

    def _probe(self, probe: model.Probe) -> model.Probe:
        if probe.like is None:
            return probe
        other = self.definitions.get(probe.like)
        return probe.but(ways=other.probe.ways if other is not None and other.probe else ())

    def _mount(self, mount: mountinfo.MountInfo) -> HostMount:
        source = parse_source(mount.source)
        options = list(dict.fromkeys([*mount.options.split(","), *mount.super_options.split(",")]))
        if "ro" in options and "rw" in options:  # of a writable file system, mounted read-only, or the other way round
            options.remove("rw")
        try:
            read_ahead = self._number(f"/sys/class/bdi/{mount.device}/read_ahead_kb") if _device(mount.device) else None
        except Unread:
            read_ahead = None
        return HostMount(
            source.host, source.export, mount.target, mount.fstype, tuple(o for o in options if o), mount.device,
            read_ahead,
        )

    def _interface(self, attribute: str) -> HostValue:
        """The speed (Mbit/s) or MTU (bytes) of the interface towards the storage."""
        if self.card is None:
            try:
                self.card = routes.interface(self.tree, self._addresses())
            except Unread as error:
                self.card = str(error)
        if isinstance(self.card, str):
            raise Unread(self.card)
        name, how = self.card
        path = f"/sys/class/net/{name}/{attribute}"
        speed = self._number(path).value
        if not isinstance(speed, int) or speed <= 0:  # virtual cards answer -1
            raise Unread(f"{path} is {speed}: the card does not report it")
        return HostValue(speed, path, f"{name} has {how}" if how.startswith("the default") else f"{name}, by {how}")

    def _addresses(self) -> list[str]:
        """The addresses of the mounted servers; a tunnel's end on this host says nothing of the way."""
        found = (option[5:] for mount in self.mounts for option in mount.options if option.startswith("addr="))
        return [one for one in dict.fromkeys(found) if not one.startswith("127.") and one != "::1"]

    def _setting(self, name: str, tunable: Tunable) -> HostValue | None:
        kind, _, rest = name.partition(".")
        if tunable.probe:
            return find(self.host, "int" if tunable.type == "uint" else "text", tunable.probe, self._fact)
        if kind == "sysctl":
            path = f"/proc/sys/{rest.replace('.', '/')}"
        elif kind == "module":
            path = "/sys/module/{}/parameters/{}".format(*rest.partition(".")[::2])
        elif name == "network.mtu":
            return self._interface("mtu")
        elif name == "bdi.read_ahead_kb":
            return self._read_ahead()
        else:
            return None
        text, path = self.tree.read(path)
        text = " ".join(text.split())
        return HostValue(int(text) if text.isascii() and text.isdigit() and len(text) < 19 else text, path)

    def _read_ahead(self) -> HostValue:
        """What all NFS mounts have; where they differ, each mount tells its own."""
        found = [mount.read_ahead_kb for mount in self.mounts if mount.read_ahead_kb is not None]
        if not found:
            raise Unread("it could not be read for any NFS mount" if self.mounts else "no NFS mount is in effect")
        if len({one.value for one in found}) > 1:
            raise Unread("the NFS mounts differ")
        return found[0]

    def _inventory(self) -> dict[str, HostValue]:
        inventory: dict[str, HostValue] = {}
        try:
            path = "/sys/devices/system/cpu/online"
            text, path = self.tree.read(path)
            inventory["processors"] = HostValue(_counted(text), path)
        except (Unread, ValueError):
            pass
        if isinstance(self.card, tuple):
            inventory["interface"] = HostValue(*self.card)
        return inventory

    def _number(self, path: str) -> HostValue:
        text, path = self.tree.read(path)
        try:
            return HostValue(int(text), path)
        except ValueError:
            raise Unread(f"{path} does not contain a number") from None


def _device(text: str) -> bool:
    major, colon, minor = text.partition(":")
    return bool(colon) and major.isdigit() and minor.isdigit()


def _counted(ranges: str) -> int:
    """How many numbers a list of ranges such as "0-3,8" has. Raises ValueError."""
    total = 0
    for part in ranges.strip().split(","):
        low, _, high = part.partition("-")
        total += int(high or low) - int(low) + 1
    return total

"""Facts, settings in effect and NFS mounts of this host, or of a copy of its files.

Where to look for a fact, and what an answer means, is in the definitions (rules/facts, kb/tunables), not here.
Nothing is asked of the network, no program but rpm is run, and no path on a network file system is touched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from advisor.engine import word_list
from advisor.files import mountinfo
from advisor.files.source import parse_source
from advisor.host.network import interface
from advisor.host.tree import Tree, Unread
from advisor.named_tuple import grouped
from advisor.regex import regex
from advisor.rulebase.model import Fact, Place, Probe, Tunable, Value, Values, Way
from advisor.rulebase.values import kernel_file

DPKG = "/var/lib/dpkg/status"
RPM_LIST = "/installed-rpms"
RPM = "/usr/bin/rpm"
RPM_DATABASES = ("/var/lib/rpm", "/usr/lib/sysimage/rpm")
RPM_SECONDS = 10
"""After which rpm is given up."""
_WORD = regex(r"[a-z0-9_]+")
MAX_TEXT = 500
"""Longest text that is taken for a value; what is longer is neither a version nor a word."""


class HostValue(NamedTuple):
    """A value, where it was read, and a remark about it, or ""."""

    value: Value
    where: str
    note: str = ""


class HostMount(NamedTuple):
    """An NFS mount in effect. `options`: of the mount and of the file system, as /proc/mounts joins them.

    `read_ahead_kb`: KiB, None if it was not read."""

    server: str
    export: str
    target: str
    fstype: str
    options: tuple[str, ...]
    device: str
    read_ahead_kb: HostValue | None


class ProbedHost(NamedTuple):
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
) -> ProbedHost:
    """Look at the host whose files are below `root`.

    `definitions`: fact id → fact, as rules/facts writes it; those with `probe` are looked for. `tunables`: settings to
    look for: `sysctl.…`, `module.MODULE.PARAMETER`, `bdi.read_ahead_kb`, `network.mtu`, and those with a `probe` in
    kb/tunables; others are skipped. `given`: facts that are known better; a probe that depends on one of them
    (`unless`) uses it. They are looked for nevertheless.

    Never raises for what it finds there."""
    return _Prober(definitions, root if isinstance(root, Tree) else Tree(root), dict(given or {})).run(tunables or {})


class _Silent(Exception):
    """A place was read and does not show the value; the text names the place."""


class _Prober:
    def __init__(self, definitions: Mapping[str, Fact], tree: Tree, given: dict[str, Values]) -> None:
        self.definitions, self.tree, self.given = definitions, tree, given
        self.facts: dict[str, HostValue] = {}
        self.unknown: dict[str, str] = {}
        self.card: tuple[str, str] | str | None = None
        """The name of the interface towards the storage and how it was found; or why it is not known."""
        self.mounts = tuple(self._mount(m) for m in tree.mounts if m.is_nfs)
        self.targets = grouped((mount.fstype, mount.target) for mount in tree.mounts)
        """File system type → targets of the mounts."""

    def run(self, tunables: Mapping[str, Tunable]) -> ProbedHost:
        for name in self.definitions:
            self._found(name)
        facts = {name: self.facts[name] for name in self.definitions if name in self.facts}
        settings: dict[str, HostValue] = {}
        unset: dict[str, str] = {}
        for name, tunable in tunables.items():
            try:
                setting = self._setting(name, tunable)
            except Unread as error:
                unset[name] = str(error)
                continue
            if setting is not None:
                settings[name] = setting
        return ProbedHost(self.tree.root, facts, self.unknown, settings, unset, self._inventory(), self.mounts)

    # Facts, by the ways of their definitions

    def _known(self, name: str) -> Values | None:
        """The value of a fact, as given or found; None if it is not known."""
        return self.given[name] if name in self.given else self._found(name)

    def _found(self, name: str) -> Values | None:
        """The value of a fact on the host, read on first use; None if the host does not show it."""
        definition = self.definitions.get(name)
        if definition is not None and definition.probe and name not in self.facts and name not in self.unknown:
            self.unknown[name] = "it depends on itself"
            try:
                found = self._find(definition.type, self._with_ways(definition.probe))
                if definition.probe.like and definition.values and found.value not in definition.values:
                    found = found._replace(value="other")  # only the fact that it is like tells this one apart
                self.facts[name] = found
                del self.unknown[name]
            except Unread as error:
                self.unknown[name] = str(error)
        return self.facts[name].value if name in self.facts else None

    def _with_ways(self, probe: Probe) -> Probe:
        """A probe, with the ways of the fact that it is `like`."""
        if probe.like is None:
            return probe
        other = self.definitions.get(probe.like)
        return probe.replace(ways=other.probe.ways if other is not None and other.probe else ())

    def _find(self, kind: str, probe: Probe) -> HostValue:
        """The value on which all ways that find one agree, fit for a fact of type `kind`. Raises Unread."""
        for name, value in probe.unless.items():
            if self._known(name) == value:
                raise Unread(f"{name} is {value} here")
        granted = any(self._known(name) == value for name, value in probe.granted.items())
        answers: list[HostValue] = []
        unread: dict[str, None] = {}
        silent: dict[str, None] = {}
        for way in probe.ways:
            try:
                for place in () if granted else probe.where:
                    self._text(place)
                answers.append(self._value(kind, way))
            except Unread as error:
                unread[str(error)] = None
            except _Silent as error:
                silent[str(error)] = None
        if not answers:
            why = [*unread, f"{' and '.join(silent)} did not show it"] if silent else [*unread]
            raise Unread("; ".join(why[:3]) or "there is no way to find it")
        if len({repr(answer.value) for answer in answers}) > 1:
            raise Unread(" but ".join(dict.fromkeys(f"{answer.value} by {answer.where}" for answer in answers)))
        return answers[0]

    def _value(self, kind: str, way: Way) -> HostValue:
        """What one way finds. Raises Unread and _Silent."""
        text, where = self._text(way)
        for place in way.where:
            self._text(place)
        value: Value = None
        if way.value is not None:
            value = way.value
        elif way.map is not None:
            value = way.map.get(text)
        elif way.cases is not None:
            fitting = [answer for answer, pattern in way.cases.items() if re.search(pattern, text, re.MULTILINE)]
            value = fitting[0] if len(fitting) == 1 else None
        elif kind == "int":
            value = _number(text, way)
        elif text and len(text) <= MAX_TEXT:
            value = text
        if value is None:
            raise _Silent(where)
        return HostValue(value, where, way.note or "")

    def _text(self, place: Place) -> tuple[str, str]:
        """What the place says, and its name for people. Raises Unread and _Silent."""
        text, where = self._read(place)
        if place.without is not None and re.search(place.without, text, re.MULTILINE):
            raise _Silent(where)
        if place.match is not None:
            match = re.search(place.match, text, re.MULTILINE)
            if match is None:
                raise _Silent(where)
            return (match[1] if match.re.groups else text).strip(), where
        return text.strip(), where

    def _read(self, place: Place) -> tuple[str, str]:
        if place.file is not None:
            return self._file(place.file, place)
        if place.dpkg is not None:
            return dpkg(self.tree, place.dpkg)
        if place.rpm is not None:
            return rpm(self.tree, place.rpm)
        if place.interface is not None:
            attribute = self._interface(place.interface)
            return str(attribute.value), attribute.where
        targets = [target for kind in place.mounted or () for target in self.targets.get(kind, ())]
        if not targets:
            raise Unread(f"nothing of type {word_list(place.mounted or ())} is mounted")
        return targets[0], f"the mount {targets[0]}"

    def _file(self, path: str, place: Place) -> tuple[str, str]:
        if place.exists is not None:
            if self.tree.exists(path) != place.exists:
                raise Unread(f"{path} {'does not exist' if place.exists else 'exists'}")
            return "", path if place.exists else f"{path}, which does not exist"
        text, path = self.tree.read(path)
        if place.key is None:
            return text, path
        match = re.search(rf"^{re.escape(place.key)}=(.*)$", text, re.MULTILINE)
        if match is None:
            raise _Silent(f"{path}: {place.key}")
        return match[1].strip().strip("\"'"), f"{path}: {place.key}"

    # Mounts, the interface, settings

    def _mount(self, mount: mountinfo.MountInfo) -> HostMount:
        source = parse_source(mount.source)
        options = list(dict.fromkeys([*mount.options.split(","), *mount.super_options.split(",")]))
        if "ro" in options and "rw" in options:  # of a writable file system, mounted read-only, or the other way round
            options.remove("rw")
        read_ahead = None
        if re.fullmatch(r"\d+:\d+", mount.device):
            with suppress(Unread):
                read_ahead = self._number_in(f"/sys/class/bdi/{mount.device}/read_ahead_kb")
        return HostMount(
            source.host, source.export, mount.target, mount.fstype, tuple(o for o in options if o), mount.device,
            read_ahead,
        )

    def _interface(self, attribute: str) -> HostValue:
        """The speed (Mbit/s) or MTU (bytes) of the interface towards the storage."""
        if self.card is None:
            try:
                self.card = interface(self.tree, self._server_addresses())
            except Unread as error:
                self.card = str(error)
        if isinstance(self.card, str):
            raise Unread(self.card)
        name, how = self.card
        path = f"/sys/class/net/{name}/{attribute}"
        number = self._number_in(path).value
        if not isinstance(number, int) or number <= 0:  # virtual cards answer -1
            raise Unread(f"{path} is {number}: the card does not report it")
        return HostValue(number, path, f"{name} has {how}" if how.startswith("the default") else f"{name}, by {how}")

    def _server_addresses(self) -> list[str]:
        """The addresses of the mounted servers; a tunnel's end on this host says nothing of the path."""
        addresses = (option[5:] for mount in self.mounts for option in mount.options if option.startswith("addr="))
        return [address for address in dict.fromkeys(addresses) if not address.startswith("127.") and address != "::1"]

    def _setting(self, name: str, tunable: Tunable) -> HostValue | None:
        kind = name.partition(".")[0]
        if tunable.probe:
            return self._find("int" if tunable.type == "uint" else "text", tunable.probe)
        if name == "network.mtu":
            return self._interface("mtu")
        if name == "bdi.read_ahead_kb":
            return self._read_ahead()
        if kind not in ("sysctl", "module"):
            return None
        text, path = self.tree.read(kernel_file(name))
        text = " ".join(text.split())
        number = whole_number(text)
        return HostValue(text if number is None else number, path)

    def _read_ahead(self) -> HostValue:
        """What all NFS mounts have; if they differ, each mount has its own."""
        sizes = [mount.read_ahead_kb for mount in self.mounts if mount.read_ahead_kb is not None]
        if not sizes:
            raise Unread("it could not be read for any NFS mount" if self.mounts else "no NFS mount is in effect")
        if len({size.value for size in sizes}) > 1:
            raise Unread("the NFS mounts differ")
        return sizes[0]

    def _inventory(self) -> dict[str, HostValue]:
        inventory: dict[str, HostValue] = {}
        try:
            text, path = self.tree.read("/sys/devices/system/cpu/online")
            inventory["processors"] = HostValue(_count_ranges(text), path)
        except (Unread, ValueError):
            pass
        if isinstance(self.card, tuple):
            inventory["interface"] = HostValue(*self.card)
        return inventory

    def _number_in(self, path: str) -> HostValue:
        text, path = self.tree.read(path)
        try:
            return HostValue(int(text), path)
        except ValueError:
            raise Unread(f"{path} does not contain a number") from None


def whole_number(text: str) -> int | None:
    """The number that decimal digits stand for; None for other text, and for more digits than 64 bits can hold."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _number(text: str, way: Way) -> int | str | None:
    number, by = whole_number(text), way.divide or 1
    if way.at_most and number is not None:
        return f"<={max(-(-number // by), 1)}"
    return None if number is None else rounded(number, by)


def rounded(number: int, by: int) -> int:
    """A number in units of `by`, the nearest one, but at least one unit: memory in GiB, for example."""
    return max((2 * number + by) // (2 * by), 1) if by > 1 else number


def _count_ranges(ranges: str) -> int:
    """How many numbers a list of ranges such as "0-3,8" has. Raises ValueError."""
    total = 0
    for part in ranges.strip().split(","):
        low, _, high = part.partition("-")
        total += int(high or low) - int(low) + 1
    return total


def dpkg(tree: Tree, name: str) -> tuple[str, str]:
    """(version as dpkg writes it, epoch included, where it was read) of a package. Raises Unread if it is not
    installed."""
    text, where = tree.read(DPKG, 1 << 26)
    # Blank lines separate stanzas; the first line of a stanza has its name.
    at = 0 if text.startswith(f"Package: {name}\n") else text.find(f"\n\nPackage: {name}\n")
    while at >= 0:
        end = text.find("\n\n", at + 2)
        stanza = text[at : end if end >= 0 else None]
        version = re.search(r"^Version: (\S+)$", stanza, re.MULTILINE)
        if version and re.search(r"^Status: \S+ \S+ installed$", stanza, re.MULTILINE):
            return version[1], f"{where}: {name}"
        at = text.find(f"\n\nPackage: {name}\n", at + 2)
    raise Unread(f"{name} is not installed ({where})")


def rpm(tree: Tree, name: str) -> tuple[str, str]:
    """(version-release without epoch, where it was read) of a package. Raises Unread if it is not installed.

    The database of rpm can be read by rpm only, so on this host that is run; of another host its list of packages, as
    a sosreport holds it, is read."""
    if not tree.runs:
        text, where = tree.read(RPM_LIST, 1 << 24)
        for line in text.split("\n"):
            build, _, architecture = line.partition(" ")[0].partition("\t")[0].rpartition(".")
            named, _, version = build.partition(f"{name}-")
            # name-version-release.architecture: neither version nor release has a hyphen
            if not named and all(version.split("-")) and version.count("-") == 1 and _WORD.fullmatch(architecture):
                return version, f"{where}: {name}"
        raise Unread(f"{name} is not installed ({where})")
    return tree.program(f"rpm -q {name}", lambda: _query_rpm(tree, name)), f"rpm -q {name}"


def _query_rpm(tree: Tree, name: str) -> str:
    if not tree.exists(RPM):
        raise Unread("there is no rpm")
    there = [tree.exists(path) for path in RPM_DATABASES]  # each is asked: one on a dead server must not be opened
    if True not in there:
        raise Unread("rpm has no database here")
    import subprocess  # noqa: PLC0415  only on hosts with rpm

    command = [RPM, "-q", "--qf", "%{VERSION}-%{RELEASE}\\n", "--", name]
    try:
        done = subprocess.run(  # noqa: S603  fixed arguments, no shell
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=RPM_SECONDS, check=False, cwd="/",
            env={"LC_ALL": "C", "HOME": "/dev/null"},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unread(f"rpm -q {name} failed ({type(error).__name__})") from error
    versions = done.stdout.decode("utf-8", "replace").split()
    if done.returncode:
        raise Unread(f"{name} is not installed (rpm -q {name})")
    if len(set(versions)) != 1:
        raise Unread(f"{len(versions)} builds of {name} are installed (rpm -q {name})")
    return versions[0]

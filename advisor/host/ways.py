"""The ways to find a fact, as rules/facts describes them: a place to read, what it must hold, what that means.

Nothing here knows any fact: which file says what stands in the definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from advisor.host import packages
from advisor.host.tree import Tree, Unread
from advisor.rulebase.model import Place, Probe, Way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

MAX_TEXT = 500
"""Longest text that is taken for a value; what is longer is neither a version nor a word."""


class HostValue(NamedTuple):
    """A value, where it was read, and what is to be known about it ("" for nothing)."""

    value: Value
    where: str
    note: str = ""


class Silent(Exception):
    """A place was read and does not say; the text names the place."""


class Host:
    """What the ways read from: the files, the network interface, the mounted file systems."""

    __slots__ = ("interface", "mounted", "tree")

    def __init__(self, tree: Tree, interface: Callable[[str], HostValue], mounted: Mapping[str, list[str]]) -> None:
        self.tree, self.interface = tree, interface
        self.mounted = mounted
        """File system type → targets."""


def find(host: Host, kind: str, probe: Probe, fact: Callable[[str], object]) -> HostValue:
    """The value on which all ways that find one agree, fit for a fact of type `kind`; raises Unread with the reason.

    `fact`: what is known of another fact of this host, None where nothing is."""
    for name, value in probe.unless.items():
        if fact(name) == value:
            raise Unread(f"{name} is {value} here")
    granted = any(fact(name) == value for name, value in probe.granted.items())
    found: list[HostValue] = []
    unread: dict[str, None] = {}
    silent: dict[str, None] = {}
    for way in probe.ways:
        try:
            for place in () if granted else probe.where:
                _text(host, place)
            found.append(_value(host, kind, way))
        except Unread as error:
            unread[str(error)] = None
        except Silent as error:
            silent[str(error)] = None
    if not found:
        why = [*unread, f"{' and '.join(silent)} did not show it"] if silent else [*unread]
        raise Unread("; ".join(why[:3]) or "there is no way to find it")
    if len({repr(one.value) for one in found}) > 1:
        raise Unread(" but ".join(dict.fromkeys(f"{one.value} by {one.where}" for one in found)))
    return found[0]


def _value(host: Host, kind: str, way: Way) -> HostValue:
    text, where = _text(host, way)
    for place in way.where:
        _text(host, place)
    note = way.note or ""
    if way.value is not None:
        return HostValue(way.value, where, note)
    if way.map is not None:
        if text not in way.map:
            raise Silent(where)
        return HostValue(way.map[text], where, note)
    if way.cases is not None:
        values = [value for value, pattern in way.cases.items() if re.search(pattern, text, re.MULTILINE)]
        if len(values) != 1:
            raise Silent(where)
        return HostValue(values[0], where, note)
    if kind == "int":
        return HostValue(_number(text, way, where), where, note)
    if not text or len(text) > MAX_TEXT:
        raise Silent(where)
    return HostValue(text, where, note)


def _number(text: str, way: Way, where: str) -> int | str:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise Silent(where)
    number, by = int(text), way.divide or 1
    if way.at_most:
        return f"<={max(-(-number // by), 1)}"
    return max((2 * number + by) // (2 * by), 1) if by > 1 else number


def _text(host: Host, place: Place) -> tuple[str, str]:
    """What the place says, and its name for people. Raises Unread and Silent."""
    text, where = _read(host, place)
    if place.without is not None and re.search(place.without, text, re.MULTILINE):
        raise Silent(where)
    if place.match is not None:
        found = re.search(place.match, text, re.MULTILINE)
        if found is None:
            raise Silent(where)
        return (found[1] if found.re.groups else text).strip(), where
    return text.strip(), where


def _read(host: Host, place: Place) -> tuple[str, str]:
    if place.file is not None:
        return _file(host.tree, place.file, place)
    if place.dpkg is not None:
        return packages.dpkg(host.tree, place.dpkg)
    if place.rpm is not None:
        return packages.rpm(host.tree, place.rpm)
    if place.interface is not None:
        found = host.interface(place.interface)
        return str(found.value), found.where
    targets = [target for kind in place.mounted or () for target in host.mounted.get(kind, ())]
    if not targets:
        raise Unread(f"nothing of type {' or '.join(place.mounted or ())} is mounted")
    return targets[0], f"the mount {targets[0]}"


def _file(tree: Tree, path: str, place: Place) -> tuple[str, str]:
    if place.exists is not None:
        if tree.exists(path) != place.exists:
            raise Unread(f"{path} {'does not exist' if place.exists else 'exists'}")
        return "", path if place.exists else f"{path}, which does not exist"
    text, path = tree.read(path)
    if place.key is None:
        return text, path
    found = re.search(rf"^{re.escape(place.key)}=(.*)$", text, re.MULTILINE)
    if found is None:
        raise Silent(f"{path}: {place.key}")
    return found[1].strip().strip("\"'"), f"{path}: {place.key}"

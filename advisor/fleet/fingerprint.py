"""Fingerprints of hosts: the files that judging reads, without data that identifies the host. Hosts with equal
fingerprints are one class.

Numbers of mounts and devices, identifiers of disks, the host's name and NFSv4 identifier, gateways, counters and the
exact size of memory differ between identically configured hosts. They are renumbered, or left out if nothing reads
them. Files that are only read to compare hosts are left out."""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from advisor.check.check_host import probe_places, states
from advisor.check.mount_outcomes import ANSWERS
from advisor.check.server import COUNTERS
from advisor.files.mountinfo import NFS
from advisor.files.read_together import TOGETHER
from advisor.host.bundle import Bundle, PathsRead
from advisor.host.network import IPV4, IPV6, used_routes
from advisor.host.probe import rounded
from advisor.host.tree import MOUNTINFO
from advisor.named_tuple import grouped
from advisor.regex import regex
from advisor.rulebase.model import Place, RuleBase

V = TypeVar("V")
BDI = "/sys/class/bdi/"
_PASSING = (
    "/run/user/", "/run/credentials/", "/run/netns/", "/run/docker/", "/run/containerd/", "/run/snapd/", "/snap/",
    "/var/lib/docker/", "/var/lib/containers/", "/var/lib/kubelet/", "/var/lib/containerd/",
)
"""File systems below these depend on current users and containers."""
_VARYING = ("size=", "nr_inodes=", "nr_blocks=", "fd=", "pgrp=", "pipe_ino=", "clientaddr=")
"""Options whose values depend on the size of memory, on processes, or on the host's address."""
HOST, IDENTITY = "this-host", "this-identity"
"""Replacements of the host's name and of its NFSv4 identifier."""
_EXPORTS = ("/etc/exports", "/var/lib/nfs/etab")
_DASH = r"(?:-|\\x2d)"
_DISK = regex(
    rf"(?i)\b[0-9a-f]{{8}}{_DASH}[0-9a-f]{{4}}{_DASH}[0-9a-f]{{4}}{_DASH}[0-9a-f]{{4}}{_DASH}[0-9a-f]{{12}}\b"
    rf"|(?<=UUID=)[0-9a-f]{{4,8}}-[0-9a-f]{{2,4}}\b|(?<=uuid[/-])[0-9a-f]{{4}}{_DASH}[0-9a-f]{{4}}\b"
)
_UNIQUE = regex(r"(nfs4_unique_id=)[^\s\"']+")
UNIQUE = "/sys/module/nfs/parameters/nfs4_unique_id"
_IN_NAMES = frozenset(string.ascii_letters + string.digits)
_PROCESS = regex(r"^/proc/[0-9]+/")
_EMPTIED = "#\n"
"""The text of a file that does not concern NFS, in a bundle."""


class ComparableMounts:
    """`text`: the mounts in the format of /proc/self/mountinfo, sorted by target; mounts of one target keep their
    order. `servers`: addresses of the NFS servers. `serves`: the host exports files, so any file system may matter and
    all are kept."""

    def __init__(self, mountinfo: str, serves: bool) -> None:
        self.servers: list[str] = []
        self.devices: dict[str, str] = {}
        numbers: dict[str, int] = {}
        lines = []
        mounts = []
        for line in mountinfo.split("\n"):
            fields = line.split(" ")
            try:
                dash = fields.index("-", 6)
                fstype = fields[dash + 1]
            except (ValueError, IndexError):
                if line:
                    mounts.append(("", [line], 0))
                continue
            if fstype not in NFS and not serves and fields[4].startswith(_PASSING):
                continue
            mounts.append((fields[4], fields, dash))
        for _, fields, dash in sorted(mounts, key=lambda mount: mount[0]):
            lines.append(" ".join(self._line(fields, dash, numbers)) if dash else fields[0])
        self.text = "".join(f"{line}\n" for line in lines)

    def renamed(self, path: str) -> str:
        """The path of a device's file in /sys/class/bdi with the renumbered device."""
        device, slash, rest = path[len(BDI) :].partition("/")
        return f"{BDI}{self.devices.get(device, device)}{slash}{rest}"

    def _line(self, fields: list[str], dash: int, numbers: dict[str, int]) -> list[str]:
        number, parent = (numbers.setdefault(mount_id, len(numbers) + 1) for mount_id in fields[:2])
        device = self.devices.setdefault(fields[2], f"{fields[2].partition(':')[0]}:{len(self.devices) + 1}")
        options = []
        for option in fields[dash + 3].split(",") if len(fields) > dash + 3 else ():
            name, equals, _ = option.partition("=")
            if f"{name}{equals}" in _VARYING:
                if name == "clientaddr":
                    options.append("clientaddr=192.0.2.1")
                continue
            if name == "addr" and equals:
                self.servers.append(option[5:])
            options.append(option)
        tags = [tag.partition(":")[0] + ":1" for tag in fields[6:dash]]
        columns = [str(number), str(parent), device, *fields[3:6], *tags, *fields[dash : dash + 3]]
        return [*columns, ",".join(options), *fields[dash + 4 :]]


class Anonymizer:
    """Removes identifying data from hosts. `base`: has the lines of files that matter, and the words of NFS."""

    def __init__(self, base: RuleBase) -> None:
        self.probed: dict[str, list[re.Pattern[str]]] = {}
        self.rounded: dict[str, tuple[re.Pattern[str], int]] = {}
        places = grouped((place.file, place) for place in probe_places(base) if place.file and place.exists is None)
        for path, several in places.items():
            if path.startswith("/proc/"):
                self._probe(path, several)
        self.probed.setdefault(COUNTERS, []).append(re.compile("^th 0", re.MULTILINE))  # the server is stopped
        self.states = (f"{ANSWERS}/", *(pattern.partition("*")[0] for pattern in states(base)))
        self.words = {word for name in base.tunables for word in re.split(r"[._]", name)} | {"nfs", "nfs4", "sys"}
        self.hiding = tuple(
            pattern.rpartition("/")[0] + "/" for host_file in base.host_files.values()
            if host_file.same_name == "hides" and host_file.about and host_file.kind not in TOGETHER
            for pattern in host_file.at
        )

    def without_identity(self, bundle: Bundle) -> Bundle:
        """A bundle that is judged like this one, without identifying data."""
        read = bundle.answers
        gone = {*read.beside, *self._irrelevant(read.files, read.masked)}
        serves = any(read.files.get(path, "").strip() for path in _EXPORTS)
        mounts = ComparableMounts(read.files.get(MOUNTINFO, ""), serves)
        own = _own_name(bundle.host, self.words, read.files.values())
        disks: dict[str, str] = {}

        def kept(by_path: Mapping[str, V]) -> dict[str, V]:
            return {
                mounts.renamed(path) if path.startswith(BDI) else path: by_path[path]
                for path in by_path if path not in gone
            }

        def listed(paths: Iterable[str]) -> list[str]:
            return sorted([
                mounts.renamed(path) if path.startswith(BDI) else path for path in paths if path not in gone
            ])

        files = {}
        for path, content in sorted(kept(read.files).items()):  # disks are numbered in this order
            text = content
            if path == MOUNTINFO:
                text = mounts.text
            elif path in (IPV4, IPV6):
                text = used_routes(text, 4 if path == IPV4 else 6, mounts.servers)
            elif path in self.probed:
                text = self._relevant_lines(path, text)
            elif path == UNIQUE:
                text = f"{IDENTITY}\n" if text.strip() not in ("", "(null)") else text
            if _has_identifiers(text):
                text = _DISK.sub(lambda match: disks.setdefault(
                    match[0].lower(), f"00000000-0000-0000-0000-{len(disks) + 1:012x}"), text)
                text = _UNIQUE.sub(rf"\g<1>{IDENTITY}", text)
            files[path] = replace_name(own, text)
        folders = {
            path: [name for name in names if f"{path}/{name}" not in gone] for path, names in kept(read.folders).items()
        }
        links = {path: target and _PROCESS.sub("/proc/self/", target) for path, target in kept(read.links).items()}
        return bundle._replace(host=HOST, made="", advisor="", answers=read._replace(
            files=files, where=kept(read.where), links=links, masked=listed(read.masked), folders=folders,
            there=listed(read.there), absent=listed(read.absent), uncollected=kept(read.uncollected),
            unread=kept(read.unread), denied=listed(read.denied), beside=[],
        ))

    def _irrelevant(self, files: Mapping[str, str], masked: Sequence[str]) -> Iterator[str]:
        """The files that do not concern NFS and do not override one that may, and those of a moment."""
        yield from (path for path in files if path.startswith(self.states))
        emptied = [path for path, text in files.items() if text == _EMPTIED and path.startswith(self.hiding)]
        if emptied:
            unique = _unique_names((*files, *masked))
            yield from (path for path in emptied if path in unique)

    def _probe(self, path: str, places: Sequence[Place]) -> None:
        """Note which lines of a file of the kernel matter, unless a probe reads all of it."""
        patterns: list[str] = []
        for place in places:
            cases = getattr(place, "cases", None)
            if place.key is not None or not (place.match or place.without or cases):
                return  # the whole file is read
            patterns += [pattern for pattern in (place.match, place.without, *(cases or {}).values()) if pattern]
        self.probed[path] = [re.compile(pattern, re.MULTILINE) for pattern in dict.fromkeys(patterns)]
        divides = {getattr(place, "divide", None) for place in places}
        if len(places) == 1 and divides != {None} and not getattr(places[0], "at_most", False):
            self.rounded[path] = self.probed[path][0], divides.pop() or 1

    def _relevant_lines(self, path: str, text: str) -> str:
        """The lines that a probe reads, with a number that it rounds rounded already."""
        patterns = self.probed[path]
        lines = [line for line in text.split("\n") if any(pattern.search(line) for pattern in patterns)]
        if path in self.rounded and lines:
            pattern, by = self.rounded[path]
            match = pattern.search(lines[0])
            if match is not None and match[1].isdigit():
                number = rounded(int(match[1]), by) * by
                lines[0] = f"{lines[0][:match.start(1)]}{number}{lines[0][match.end(1):]}"
        return "".join(f"{line}\n" for line in lines)


@lru_cache(maxsize=256)
def _unique_names(paths: tuple[str, ...]) -> frozenset[str]:
    """The paths whose last name no other one has. Kept, since hosts of one distribution have the same paths."""
    of = grouped((path.rpartition("/")[2], path) for path in paths)
    return frozenset(several[0] for several in of.values() if len(several) == 1)


def digest(text: str) -> str:
    """64 hexadecimal digits, the same for hosts of one class. `text`: as `serialize` writes a host."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def serialize(host: Bundle) -> str:
    """A host without identity as JSON, the same for equal ones."""
    data = [host.layout, host.runs, host.answers]
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def deserialize(text: str) -> Bundle:
    """The host that `serialize` wrote."""
    layout, runs, answers = json.loads(text)
    return Bundle(HOST, "", "", layout, runs, PathsRead(*answers))


@lru_cache(maxsize=8192)
def _has_identifiers(text: str) -> bool:
    """Whether a text names a disk or an NFSv4 identifier. Kept: hosts of one distribution have much the same texts."""
    return _DISK.search(text) is not None or _UNIQUE.search(text) is not None


def _own_name(host: str, words: Iterable[str], texts: Iterable[str]) -> str:
    """The host's own name as a word; "" if it has none, if the name may mean something else, and where the host
    mounts from itself: others may mount the same."""
    name = host.partition(".")[0]
    if len(name) < 3 or name.lower() in words or name.isdigit() or name == "localhost":
        return ""
    for text in texts:
        for at in _word_places(name, text) if name in text else ():
            end = at + len(name)
            while end < len(text) and (text[end].isalnum() or text[end] in ".-"):  # the rest of its full name
                end += 1
            if text.startswith(":/", end):
                return ""
    return name


def _word_places(name: str, text: str) -> Iterator[int]:
    """The places of a name as a word. Compiling a pattern for each host would take longer than all searches."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if text[at - 1 : at] in _IN_NAMES or text[end : end + 1] in _IN_NAMES:
            end = at + 1
        else:
            yield at
        at = text.find(name, end)


def replace_name(name: str, text: str) -> str:
    """The text with HOST for the name, if it is a word."""
    if not name or name not in text:
        return text
    parts, end = [], 0
    for at in _word_places(name, text):
        parts.append(text[end:at])
        end = at + len(name)
    return HOST.join([*parts, text[end:]])

"""What judging reads of a host, without what identifies it. Hosts for which this is equal form one class.

Numbers of mounts and devices, identifiers of disks, the host's name and NFSv4 identifier, gateways, counters and the
exact size of memory differ between hosts that are configured alike. They are renumbered, or left out where nothing
reads them. What is only read to compare hosts is left out as a whole."""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from advisor.fleet.alike_mounts import BDI, SameMounts
from advisor.host.bundle import Bundle, PathsRead
from advisor.host.routes import IPV4, IPV6, used
from advisor.host.tree import MOUNTINFO
from advisor.lint.read_together import TOGETHER

if TYPE_CHECKING:
    from advisor.rulebase.model import Place, RuleBase

V = TypeVar("V")
HOST, IDENTITY = "this-host", "this-identity"
"""They stand for the host's own name, and for its NFSv4 identifier."""
_EXPORTS = ("/etc/exports", "/var/lib/nfs/etab")
_DASH = r"(?:-|\\x2d)"
_DISK = re.compile(
    rf"(?i)\b[0-9a-f]{{8}}{_DASH}[0-9a-f]{{4}}{_DASH}[0-9a-f]{{4}}{_DASH}[0-9a-f]{{4}}{_DASH}[0-9a-f]{{12}}\b"
    rf"|(?<=UUID=)[0-9a-f]{{4,8}}-[0-9a-f]{{2,4}}\b|(?<=uuid[/-])[0-9a-f]{{4}}{_DASH}[0-9a-f]{{4}}\b"
)
_UNIQUE = re.compile(r"(nfs4_unique_id=)[^\s\"']+")
UNIQUE = "/sys/module/nfs/parameters/nfs4_unique_id"
_IN_NAMES = frozenset(string.ascii_letters + string.digits)
_PROCESS = re.compile(r"^/proc/[0-9]+/")
_INERT = "#\n"
"""What stands in a bundle for a file that does not concern NFS."""


class Alike:
    """Makes hosts comparable. `base`: says which lines of a file are looked at, and which names are words of NFS."""

    def __init__(self, base: RuleBase) -> None:
        self.probed: dict[str, list[re.Pattern[str]]] = {}
        self.rounded: dict[str, tuple[re.Pattern[str], int]] = {}
        places: dict[str, list[Place]] = {}
        for place in _places(base):
            if place.file is not None and place.exists is None:
                places.setdefault(place.file, []).append(place)
        for path, several in places.items():
            if path.startswith("/proc/"):
                self._probe(path, several)
        self.words = {word for name in base.tunables for word in re.split(r"[._]", name)} | {"nfs", "nfs4", "sys"}
        self.hiding = tuple(
            pattern.rpartition("/")[0] + "/" for host_file in base.host_files.values()
            if host_file.same_name == "hides" and host_file.about and host_file.kind not in TOGETHER
            for pattern in host_file.at
        )

    def of(self, bundle: Bundle) -> Bundle:
        """A host that is judged as this one, and has no identity."""
        read = bundle.answers
        gone = {*read.beside, *self._inert(read.files, read.masked)}
        serves = any(read.files.get(path, "").strip() for path in _EXPORTS)
        mounts = SameMounts(read.files.get(MOUNTINFO, ""), serves)
        own = _own(bundle.host, self.words, read.files.values())
        disks: dict[str, str] = {}

        def kept(found: Mapping[str, V]) -> dict[str, V]:
            return {
                mounts.renamed(path) if path.startswith(BDI) else path: found[path]
                for path in sorted(found) if path not in gone
            }

        def listed(paths: Iterable[str]) -> list[str]:
            return sorted([
                mounts.renamed(path) if path.startswith(BDI) else path for path in paths if path not in gone
            ])

        files = {}
        for path, content in kept(read.files).items():
            text = content
            if path == MOUNTINFO:
                text = mounts.text
            elif path in (IPV4, IPV6):
                text = used(text, 4 if path == IPV4 else 6, mounts.servers)
            elif path in self.probed:
                text = self._looked_at(path, text)
            elif path == UNIQUE:
                text = f"{IDENTITY}\n" if text.strip() not in ("", "(null)") else text
            if _has_own(text):
                text = _DISK.sub(lambda found: disks.setdefault(found[0].lower(), _disk(len(disks))), text)
                text = _UNIQUE.sub(rf"\g<1>{IDENTITY}", text)
            files[path] = renamed(own, text)
        folders = {
            path: [name for name in names if f"{path}/{name}" not in gone] for path, names in kept(read.folders).items()
        }
        links = {path: target and _PROCESS.sub("/proc/self/", target) for path, target in kept(read.links).items()}
        return bundle._replace(host=HOST, made="", advisor="", answers=read._replace(
            files=files, where=kept(read.where), links=links, masked=listed(read.masked), folders=folders,
            there=listed(read.there), absent=listed(read.absent), uncollected=kept(read.uncollected),
            unread=kept(read.unread), denied=listed(read.denied), beside=[],
        ))

    def _inert(self, files: Mapping[str, str], masked: Sequence[str]) -> Iterator[str]:
        """Files that do not concern NFS, and hide none that may."""
        found = [path for path, text in files.items() if text == _INERT and path.startswith(self.hiding)]
        if found:
            alone = _alone((*files, *masked))
            yield from (path for path in found if path in alone)

    def _probe(self, path: str, places: Sequence[Place]) -> None:
        """Note which lines of a file of the kernel are looked at, where each way looks for lines."""
        patterns: list[str] = []
        for place in places:
            cases = getattr(place, "cases", None)
            if place.key is not None or not (place.match or place.without or cases):
                return  # all of it is read
            patterns += [one for one in (place.match, place.without, *(cases or {}).values()) if one]
        self.probed[path] = [re.compile(one, re.MULTILINE) for one in dict.fromkeys(patterns)]
        divides = {getattr(place, "divide", None) for place in places}
        if len(places) == 1 and divides != {None} and not getattr(places[0], "at_most", False):
            self.rounded[path] = self.probed[path][0], divides.pop() or 1

    def _looked_at(self, path: str, text: str) -> str:
        """The lines that a probe looks at; a number that is rounded is rounded now."""
        patterns = self.probed[path]
        lines = [line for line in text.split("\n") if any(one.search(line) for one in patterns)]
        if path in self.rounded and lines:
            pattern, by = self.rounded[path]
            found = pattern.search(lines[0])
            if found is not None and found[1].isdigit():
                number = max((2 * int(found[1]) + by) // (2 * by), 1) * by
                lines[0] = f"{lines[0][:found.start(1)]}{number}{lines[0][found.end(1):]}"
        return "".join(f"{line}\n" for line in lines)


@lru_cache(maxsize=256)
def _alone(paths: tuple[str, ...]) -> frozenset[str]:
    """Those of the paths whose last name no other one has. Hosts of one distribution have the same paths."""
    of: dict[str, list[str]] = {}
    for path in paths:
        of.setdefault(path.rpartition("/")[2], []).append(path)
    return frozenset(several[0] for several in of.values() if len(several) == 1)


def digest(text: str) -> str:
    """64 hexadecimal digits, the same for hosts of which the same is read. `text`: as `plain` writes a host."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def plain(host: Bundle) -> str:
    """A host without identity as JSON, the same for equal ones."""
    data = [host.layout, host.runs, host.answers]
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def from_plain(text: str) -> Bundle:
    """The host that `plain` wrote."""
    layout, runs, answers = json.loads(text)
    return Bundle(HOST, "", "", layout, runs, PathsRead(*answers))


@lru_cache(maxsize=8192)
def _has_own(text: str) -> bool:
    """Whether a text names a disk, or an NFSv4 identifier. Most texts of hosts of one distribution are alike."""
    return _DISK.search(text) is not None or _UNIQUE.search(text) is not None


def _own(host: str, words: Iterable[str], texts: Iterable[str]) -> str:
    """The host's own name as a word. "" where it has none, or one that may be meant otherwise, or mounts of itself:
    then others may mount the same."""
    name = host.partition(".")[0]
    if len(name) < 3 or name.lower() in words or name.isdigit() or name == "localhost":
        return ""
    for text in texts:
        for at in _where(name, text):
            end = at + len(name)
            while end < len(text) and (text[end].isalnum() or text[end] in ".-"):  # the rest of its full name
                end += 1
            if text.startswith(":/", end):
                return ""
    return name


def _where(name: str, text: str) -> Iterator[int]:
    """Where a name stands as a word. Compiling a pattern for each host would take longer than all searches."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if text[at - 1 : at] in _IN_NAMES or text[end : end + 1] in _IN_NAMES:
            end = at + 1
        else:
            yield at
        at = text.find(name, end)


def renamed(name: str, text: str) -> str:
    """The text with HOST for the name, where it stands as a word."""
    if not name or name not in text:
        return text
    parts, end = [], 0
    for at in _where(name, text):
        parts.append(text[end:at])
        end = at + len(name)
    return HOST.join([*parts, text[end:]])


def _disk(number: int) -> str:
    return f"00000000-0000-0000-0000-{number + 1:012x}"


def _places(base: RuleBase) -> Iterator[Place]:
    of_facts = (definition.probe for definition in base.facts.values())
    for probe in (*of_facts, *(tunable.probe for tunable in base.tunables.values())):
        if probe is not None:
            yield from probe.where
            for way in probe.ways:
                yield way
                yield from way.where

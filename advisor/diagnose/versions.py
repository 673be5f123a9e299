"""The versions that a text names: of kernels, NFS packages and distributions, each with the side that runs it, and
whether the trouble was there with it.

Output (uname, rpm, dpkg, apt, os-release, a kernel's log) is read by its form, sentences by the words around a number:
"after the update from 6.14.3 to 6.14.5", "it worked with kernel 5.15", "Debian 12 server"."""

from __future__ import annotations

import re

from advisor.engine import FactError
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from advisor.diagnose.text import PastedLine
    from advisor.rulebase.model import Fact, RuleBase
    from advisor.rulebase.model.types import Values

KERNEL, NFS_UTILS, RELEASE = "kernel", "nfs-utils", "release"
BEFORE, NOW, AFTER = "before", "now", "after"
_PACKAGES = {
    **dict.fromkeys(["kernel", "kernels", "linux", "kernel-core", "kernel-default", "linux-image", "uname"], KERNEL),
    **dict.fromkeys(["nfs-utils", "nfs-common", "nfs-client", "nfs-kernel-server"], NFS_UTILS),
}
"""What people and package managers call it → the package."""
_FILLERS, _CUES, _WELL, _DENIED, _CURED = (frozenset(words.split()) for words in (
    "version versions release is was linux the a r now an at stable mainline gnu/linux lts server stream to from and "
    "or vanilla running series v gnu -r",
    "from to since after with on in until between and than under running runs upgraded updated upgrading updating "
    "downgraded downgrading back -> → booting before release stable linux version vs not using or till starting only "
    "mainline vanilla latest nor neither kernels of run has have got a moved went",
    "work works worked working fine good ok okay unaffected well solid flawlessly happily reliably normal normally",
    "not no never longer stopped stops doesnt dont didnt fails failed broke broken without isnt cannot cant",
    "fixed fixes fix solved solves cured cures gone resolved resolves again",
))
"""Words that may stand between a name and its number, and before a bare number that may be a kernel's; of what works,
what does not, and what does again."""
_SIDES = {
    **dict.fromkeys(["client", "clients", "workstation", "workstations", "laptop", "initiator"], "client"),
    **dict.fromkeys(["server", "servers", "nfsd", "knfsd", "nas", "fileserver", "nfs-server"], "server"),
}
_ABSENT = ("affected", "happen", "occur", "appear", "seen", "see", "problem", "issue")
"""What a denial makes good news of: "5.15 is not affected"."""
_BACK = ("downgrad", "revert", "rolled", "rolling", "went back", "going back", "booting the old", "go back")
_PAIRS = (["to"], ["->"], ["→"], ["-->"], ["=>"])
"""Words between the number before an update and the one after it."""
_ARCHITECTURES = (".x86_64", ".aarch64", ".noarch", ".ppc64le", ".s390x", ".src")
_NUMBER = re.compile(r"v?[0-9]{1,4}(?:\.[0-9x*y]{1,4}){0,3}(?:[-+~^.:_][0-9A-Za-z.+~^:_-]*)?")
_OF_KERNEL = re.compile(
    r"[2-9]\.[0-9]{1,2}\.[0-9]{1,3}-[0-9][0-9a-z.]*(?:-[a-z][0-9a-z-]*|\.el[0-9]|\.fc[0-9]|\.amzn|-default)"
)
_PLAIN = re.compile(r"(?:2\.6|[3-7]\.[0-9]{1,2})(?:\.[0-9]{1,3})?(?:-rc[0-9]{1,2})?")
_GLUED = re.compile(r"([A-Za-z]{2,12})-?([0-9]{1,2}(?:\.[0-9]{1,2})?)")
_DEBIAN = re.compile(r"\bDebian (?:1:)?([0-9]{1,4}(?:\.[0-9]{1,6}){1,4}-[0-9][0-9a-z+~.]*)")
"""What Debian's kernels print behind the number of the build: the version of the package."""
_OF_NFS = ("3.0", "4.0", "4.1", "4.2")
_STRIPPED = "()[]{}<>,;:.!?'\"`*=|"
MAX_LINES, MAX_WORDS = 4000, 400


class Version(NamedTuple):
    """`package`: KERNEL, NFS_UTILS … or RELEASE. `distro`: whose it is, if it does not say so itself. `side`:
    "client", "server", or "" if that is not said.
    `when`: NOW, where the trouble is; BEFORE it began, AFTER it ended. `printed`: a program printed it."""

    package: str
    text: str
    side: str
    when: str
    line: int
    printed: bool = False
    distro: str = ""


class VersionReader:
    """Reads versions. `distro`: the fact whose values and aliases are the names of distributions."""

    def __init__(self, distro: Fact | None) -> None:
        self._names: dict[str, str] = {}
        for value in (distro.values if distro else None) or ():
            for name in (value, *(distro.aliases.get(value, ()) if distro else ())):
                self._names[name.lower()] = value

    def read(self, lines: Sequence[PastedLine]) -> list[Version]:
        """The versions in a text, in order, each once."""
        found: dict[tuple[str, ...], Version] = {}
        heading = ""
        system: dict[str, str] = {}
        about_kernels = any("kernel" in line.text.lower() for line in lines[:MAX_LINES])
        for line in lines[:MAX_LINES]:
            words = line.text.split()[:MAX_WORDS]
            if not words:
                continue
            sides = _sides(words)
            if sides and (line.text.rstrip().endswith(":") or words[0].endswith(":") or "#" in words[0]):
                heading = sides[0]
            versions = [*_printed(line, words, heading)]
            if words[0].startswith(("ID=", "VERSION_ID=")):
                system[words[0].partition("=")[0]] = line.text
                if len(system) == 2:
                    name, number = (system.pop(key).partition("=")[2].strip(" \"'") for key in ("ID", "VERSION_ID"))
                    distro = self._names.get(name.lower(), "other")
                    versions = [Version(RELEASE, number, heading, NOW, line.number, True, distro)]
            elif not versions and not ("=" in words[0] and words[0][0].isupper()):
                versions = [*self._stated(line, words, heading, about_kernels)]
            for version in versions:
                found.setdefault((version.package, version.text, version.side, version.when), version)
        return [*found.values()]

    def _stated(self, line: PastedLine, words: list[str], heading: str, about_kernels: bool) -> Iterator[Version]:
        """The versions in a line of prose."""
        bare = [word.strip(_STRIPPED) for word in words]
        low = [word.lower() for word in bare]
        starts = [0, *(at + 1 for at, word in enumerate(words) if word.endswith((".", ";", "!", "?")))]
        here = about_kernels and ("kernel" in line.text.lower() or "linux" in low)
        numbers: list[tuple[int, str, str, str]] = []
        for at, word in enumerate(bare):
            package, text, distro = self._named(low, at)
            if not package and _NUMBER.fullmatch(word):
                plain = _release(word.removeprefix("v"))
                cued = (
                    at == 0 or low[at - 1] in _CUES or low[at - 1] in _SIDES or words[at].startswith("(")
                    or words[at - 1][-1:] in ":;,."
                )
                sure = here or (at > 0 and low[at - 1] in _SIDES)
                plausible = cued and (plain.count(".") > 1 or (sure and plain not in _OF_NFS))
                if _OF_KERNEL.match(plain) or (plausible and _PLAIN.fullmatch(plain)):
                    package, text = KERNEL, plain
            if package:
                numbers.append((at, package, text, distro))
        sides: tuple[str, ...] = ("",)
        for place, (at, package, text, distro) in enumerate(numbers):
            start = max(begin for begin in starts if begin <= at)
            end = next((begin for begin in starts if begin > at), len(low))
            others = [number[0] for number in numbers if number[1] == package and start <= number[0] < end]
            when = _when(low[start:end], at - start, [other - start for other in others], words[start:end])
            last = numbers[place - 1][0] + 1 if place else 0
            if not (place and low[last:at] in _PAIRS):
                sides = _side(low, at, max(start, last), end, heading)
            for side in sides:
                yield Version(package, _release(text), side, when, line.number, False, distro)

    def _named(self, low: list[str], at: int) -> tuple[str, str, str]:
        """(package, number, distribution) of a word with a name in front, or one with a name in it; or three times
        nothing."""
        glued = _GLUED.fullmatch(low[at])
        if glued and glued[1] in self._names:
            return RELEASE, glued[2], self._names[glued[1]]
        if not low[at] or not _NUMBER.fullmatch(low[at]):
            return "", "", ""
        for back in range(1, 5):
            if back > at:
                break
            name = low[at - back]
            two = f"{low[at - back - 1]} {name}" if at > back else ""
            distro = self._names.get(two) or self._names.get(name)
            if distro and "-" not in low[at]:
                pack = low[at + 1] if at + 1 < len(low) else ""
                service = f".{pack[2:]}" if pack.startswith("sp") and pack[2:].isdigit() else ""
                return RELEASE, low[at] + service, distro
            if name in _PACKAGES and "." in low[at]:
                return _PACKAGES[name], low[at].removeprefix("v"), ""
            if name not in _FILLERS:
                break
        return "", "", ""


def version_facts(base: RuleBase, versions: Iterable[Version]) -> Iterator[tuple[Version, str, Values]]:
    """(version, fact, value) of what hosts run now: kernel with its stream, nfs-utils, distribution and release."""
    for version in versions:
        if version.when != NOW or not version.side:
            continue
        if version.package == RELEASE:
            yield version, f"{version.side}.distro", version.distro
        known = {KERNEL: "kernel", NFS_UTILS: "nfs_utils", RELEASE: "release"}
        if version.package in known:
            fact = f"{version.side}.{known[version.package]}"
            yield version, fact, version.text
            if version.package == KERNEL and version.distro:
                yield version, f"{fact}_stream", version.distro
            try:
                inferred = base.engine.certain({fact: version.text})
            except FactError:
                continue
            for other in inferred.keys() - {fact}:
                yield version, other, base.engine.answer(other, inferred[other])


def _printed(line: PastedLine, words: list[str], heading: str) -> Iterator[Version]:
    """The versions in a line that a program printed."""
    side = "server" if "Comm: nfsd " in line.text or ("Comm: kworker" in line.text and "nfsd" in line.text) else heading
    debian = _DEBIAN.search(line.text)
    stream = "debian" if debian else ""
    for at, word in enumerate(words[:-1]):
        if words[at + 1].startswith("#") and _PLAIN.match(word):
            yield Version(KERNEL, debian[1] if debian else word, side, NOW, line.number, True, stream)
            return
    if len(words) > 2 and words[:2] == ["Linux", "version"] and _PLAIN.match(words[2]):
        yield Version(KERNEL, debian[1] if debian else words[2], side, NOW, line.number, True, stream)
    elif len(words) == 1 and _OF_KERNEL.match(words[0]):
        yield Version(KERNEL, words[0], side, NOW, line.number, True)
    elif len(words) > 2 and words[0] in ("ii", "hi"):
        yield from _package(words[1].partition(":")[0], words[2], side, line.number)
    elif len(words) > 2 and "/" in words[0] and words[1][:1].isdigit():
        yield from _package(words[0].partition("/")[0], words[1], side, line.number)
    elif len(words) <= 2:
        name = next((name for name in sorted(_PACKAGES, key=len, reverse=True)
                     if words[0].startswith(f"{name}-") and words[0][len(name) + 1 :][:1].isdigit()), "")
        if name:
            yield from _package(name, words[0][len(name) + 1 :].removesuffix(".rpm"), side, line.number)


def _package(name: str, text: str, side: str, line: int) -> Iterator[Version]:
    image = name.removeprefix("linux-image-")
    if image != name and _PLAIN.match(image):
        yield Version(KERNEL, image, side, NOW, line, True)
    elif name in _PACKAGES:
        yield Version(_PACKAGES[name], _release(text), side, NOW, line, True)


def _release(text: str) -> str:
    """The number without an architecture, and without what stands for any last part: 6.6.x is 6.6."""
    for architecture in _ARCHITECTURES:
        text = text.removesuffix(architecture)
    while text.endswith((".x", ".y", ".*", "+", ".", "-", ":")):
        text = text[: -2 if text[-1] in "xy*" else -1]
    return text


def _sides(words: Sequence[str]) -> list[str]:
    return [_SIDES[low] for word in words if (low := word.strip(_STRIPPED).lower().removesuffix("'s")) in _SIDES]


def _side(low: list[str], at: int, start: int, end: int, heading: str) -> tuple[str, ...]:
    """The side that a number at `at` is said of: by the nearest word of its sentence, else by the heading above."""
    near = low[max(start, at - 4) : at]
    if "both" in low[start:end] or ("and" in near and {"client", "server"} <= {_SIDES.get(word) for word in near}):
        return "client", "server"
    behind = next((_SIDES[low[place]] for place in range(at - 1, start - 1, -1) if low[place] in _SIDES), "")
    ahead = next((_SIDES[low[place]] for place in range(at + 1, min(at + 5, end)) if low[place] in _SIDES), "")
    return (behind or ahead or heading,)


def _when(low: list[str], at: int, numbers: list[int], words: list[str]) -> str:
    """Whether the trouble is there with the number at `at` of a sentence; `numbers`: the places of all of them."""
    text = " ".join(low)
    cured = any(word in _CURED for word in low)
    place = numbers.index(at)
    for first, second in zip(numbers, numbers[1:]):
        between = [word for word in low[first + 1 : second] if word not in _PACKAGES]
        if between not in (*_PAIRS, ["from"]) or at not in (first, second):
            continue
        old = second if between == ["from"] else first
        if any(word in text for word in _BACK):
            return NOW if at == old else BEFORE
        if cured:
            return NOW if at == old else AFTER
        return BEFORE if at == old else NOW
    start = max((number for number in numbers[:place]), default=-1) + 1
    cuts = [cut for cut, word in enumerate(words) if word.endswith(",") or low[cut] in ("but", "while", "whereas")]
    start = max([start, *(cut + 1 for cut in cuts if cut < at)])
    end = min([*(number for number in numbers[place + 1 :]), *(cut + 1 for cut in cuts if cut >= at), len(low)])
    clause = low[start:end]
    before = low[max(0, at - 3) : at]
    if cured and ("in" in before or "to" in before or "with" in before):
        return AFTER
    denied = any(word in _DENIED for word in clause)
    if any(word in _WELL for word in clause):
        return NOW if denied else BEFORE
    if denied and any(word.startswith(_ABSENT) for word in clause):
        return BEFORE
    if not {"until", "till", "before"}.isdisjoint(before) or any(word in text for word in _BACK):
        return BEFORE
    return NOW

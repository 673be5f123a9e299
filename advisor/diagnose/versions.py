"""The versions that a text names: of kernels, NFS packages and distributions, each with the side that runs it, and
whether the trouble was there with it.

Output (uname, rpm, dpkg, apt, os-release, a kernel's log) is read by its form, sentences by the words around a number:
"after the update from 6.14.3 to 6.14.5", "it worked with kernel 5.15", "Debian 12 server"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.diagnose.messages import PastedLine
from advisor.engine import FactError
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import Fact, RuleBase, Scalar, Values

KERNEL, NFS_UTILS, RELEASE, BARE = "kernel", "nfs-utils", "release", "bare"
BEFORE, NOW, AFTER = "before", "now", "after"
_PAIRS = (["to"], ["->"], ["→"], ["-->"], ["=>"])
"""Words between the number before an update and the one after it."""
_NUMBER = regex(r"v?[0-9]{1,4}(?:\.[0-9x*y]{1,4}){0,3}(?:[-+~^.:_][0-9A-Za-z.+~^:_-]*)?")
_OF_KERNEL = regex(
    r"[2-9]\.[0-9]{1,2}\.[0-9]{1,3}-[0-9][0-9a-z.]*(?:-[a-z][0-9a-z-]*|\.el[0-9]|\.fc[0-9]|\.amzn|-default)"
)
_PLAIN = regex(r"(?:2\.6|[3-7]\.[0-9]{1,2})(?:\.[0-9]{1,3})?(?:-rc[0-9]{1,2})?")
_GLUED = regex(r"([A-Za-z]{2,12})-?([0-9]{1,2}(?:\.[0-9]{1,2})?)")
_DEBIAN = regex(r"\bDebian (?:1:)?([0-9]{1,4}(?:\.[0-9]{1,6}){1,4}-[0-9][0-9a-z+~.]*)")
"""What Debian's kernels print behind the number of the build: the version of the package."""
_OF_NFS = ("3.0", "4.0", "4.1", "4.2")
_STRIPPED = "()[]{}<>,;:.!?'\"`*=|"
_BEFORE_BARE = ("on", "to", "since", "from", "with", "in", "under", "running")
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
    printed: bool
    distro: str = ""
    bare: bool = False
    """Nothing says whose number it is. It may be a kernel's."""


class VersionReader:
    """Reads versions. `distro`: the fact whose values and aliases are the names of distributions; `lists`: words by
    their use, as kb/concepts.yaml has them."""

    def __init__(self, distro: Fact | None, lists: Mapping[str, frozenset[str]]) -> None:
        self._lists: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
        self._lists.update((name[8:], words) for name, words in lists.items() if name.startswith("version-"))
        self._packages = {word: package for package in (KERNEL, NFS_UTILS) for word in self._lists[package]}
        self._sides = {word: side for side in ("client", "server") for word in self._lists[f"{side}s"]}
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
            sides = self._sides_in(words)
            if sides and (line.text.rstrip().endswith(":") or words[0].endswith(":") or "#" in words[0]):
                heading = sides[0]
            versions = [*self._printed(line, words, heading)]
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
        named = [version for version in found.values() if not version.bare]
        return named if any(version.package == KERNEL for version in named) else [*found.values()]

    def _stated(self, line: PastedLine, words: list[str], heading: str, about_kernels: bool) -> Iterator[Version]:
        bare = [word.strip(_STRIPPED) for word in words]
        low = [word.lower() for word in bare]
        starts = [0, *(at + 1 for at, word in enumerate(words) if word.endswith((".", ";", "!", "?")))]
        here = about_kernels and ("kernel" in line.text.lower() or "linux" in low)
        numbers: list[tuple[int, str, str, str]] = []
        for at, word in enumerate(bare):
            package, text, distro = self._named(low, at)
            if not package and numbers and low[numbers[-1][0] + 1 : at] in _PAIRS and _NUMBER.fullmatch(word):
                package, text, distro = numbers[-1][1], word.removeprefix("v"), numbers[-1][3]
            if not package and _NUMBER.fullmatch(word):
                plain = self._release(word.removeprefix("v"))
                of_side = at > 0 and low[at - 1] in self._sides
                cued = (
                    at == 0 or of_side or low[at - 1] in self._lists["cues"] or words[at].startswith("(")
                    or words[at - 1][-1:] in ":;,."
                )
                sure = here or of_side
                plausible = cued and (plain.count(".") > 1 or (sure and plain not in _OF_NFS))
                if _OF_KERNEL.match(plain) or (plausible and _PLAIN.fullmatch(plain)):
                    package, text = KERNEL, plain
                elif at and low[at - 1] in _BEFORE_BARE and plain not in _OF_NFS and _PLAIN.fullmatch(plain):
                    package, text = BARE, plain
            if package:
                numbers.append((at, package, text, distro))
        sides: tuple[str, ...] = ("",)
        for place, (at, package, text, distro) in enumerate(numbers):
            start = max(begin for begin in starts if begin <= at)
            end = next((begin for begin in starts if begin > at), len(low))
            others = [number[0] for number in numbers if number[1] == package and start <= number[0] < end]
            when = self._when(low[start:end], at - start, [other - start for other in others], words[start:end])
            last = numbers[place - 1][0] + 1 if place else 0
            if not (place and self._between(low, last - 1, at) in _PAIRS):
                sides = self._side(low, at, max(start, last), end, heading)
            for side in sides:
                kind = KERNEL if package == BARE else package
                yield Version(kind, self._release(text), side, when, line.number, False, distro, package == BARE)

    def _named(self, low: list[str], at: int) -> tuple[str, str, str]:
        """(package, number, distribution) of a word with a name in front, or one with a name in it; or three times
        nothing."""
        glued = _GLUED.fullmatch(low[at])
        if glued and glued[1] in self._names:
            return RELEASE, glued[2], self._names[glued[1]]
        if not _NUMBER.fullmatch(low[at]):
            return "", "", ""
        for back in range(1, min(4, at) + 1):
            name = low[at - back]
            phrases = (" ".join(low[first : at - back + 1]) for first in range(max(at - back - 3, 0), at - back + 1))
            distro = next((self._names[phrase] for phrase in phrases if phrase in self._names), "")
            if distro and "-" not in low[at]:
                pack = low[at + 1] if at + 1 < len(low) else ""
                service = f".{pack[2:]}" if pack.startswith("sp") and pack[2:].isdigit() else ""
                return RELEASE, low[at] + service, distro
            of_distro = low[max(at - back - 1, 0)] in self._names and not _PLAIN.match(low[at])  # Ubuntu Linux 22.04
            if name in self._packages and "." in low[at] and not of_distro:
                return self._packages[name], low[at].removeprefix("v"), ""
            if name not in self._lists["fillers"]:
                break
        return "", "", ""

    def _printed(self, line: PastedLine, words: list[str], heading: str) -> Iterator[Version]:
        of_server = "Comm: nfsd " in line.text or ("Comm: kworker" in line.text and "nfsd" in line.text)
        side = "server" if of_server else heading
        named = [word for word, following in zip(words, words[1:]) if following.startswith("#")]
        named += words[2:3] if words[:2] == ["Linux", "version"] else ()
        kernel = next((word for word in named if _PLAIN.match(word)), "")
        if kernel:
            debian = _DEBIAN.search(line.text)
            stream = "debian" if debian else ""
            yield Version(KERNEL, debian[1] if debian else kernel, side, NOW, line.number, True, stream)
        elif len(words) == 1 and _OF_KERNEL.match(words[0]):
            yield Version(KERNEL, words[0], side, NOW, line.number, True)
        elif len(words) > 2 and words[0] in ("ii", "hi"):
            yield from self._package(words[1].partition(":")[0], words[2], side, line.number)
        elif len(words) > 2 and "/" in words[0] and words[1][:1].isdigit():
            yield from self._package(words[0].partition("/")[0], words[1], side, line.number)
        elif len(words) <= 2:
            name = next((name for name in sorted(self._packages, key=len, reverse=True)
                         if words[0].startswith(f"{name}-") and words[0][len(name) + 1 :][:1].isdigit()), "")
            if name:
                yield from self._package(name, words[0][len(name) + 1 :].removesuffix(".rpm"), side, line.number)

    def _package(self, name: str, text: str, side: str, line: int) -> Iterator[Version]:
        image = name.removeprefix("linux-image-")
        if image != name and _PLAIN.match(image):
            yield Version(KERNEL, image, side, NOW, line, True)
        elif name in self._packages:
            yield Version(self._packages[name], self._release(text), side, NOW, line, True)

    def _release(self, text: str) -> str:
        """The number without an architecture, and without what stands for any last part: 6.6.x is 6.6."""
        for architecture in self._lists["architectures"]:
            text = text.removesuffix(architecture)
        while text.endswith((".x", ".y", ".*", "+", ".", "-", ":")):
            text = text[: -2 if text[-1] in "xy*" else -1]
        return text

    def _sides_in(self, words: Sequence[str]) -> list[str]:
        low = [word.strip(_STRIPPED).lower().removesuffix("'s") for word in words]
        return [self._sides[word] for at, word in enumerate(low)  # Enterprise Linux Server is a name, and no side
                if word in self._sides and "enterprise" not in low[max(at - 2, 0) : at]]

    def _side(self, low: list[str], at: int, start: int, end: int, heading: str) -> tuple[str, ...]:
        """The side that a number at `at` is said of: by the nearest word of its sentence, else by the heading above."""
        near = low[max(start, at - 4) : at]
        if "both" in low[start:end] or ("and" in near and len({*self._sides_in(near)}) == 2):
            return "client", "server"
        found = [*self._sides_in(low[start:at])[::-1], *self._sides_in(low[at : min(at + 5, end)]), heading]
        return (found[0],)

    def _between(self, low: list[str], first: int, second: int) -> list[str]:
        """The words between two numbers, without what the second is a version of."""
        return [word for word in low[first + 1 : second] if word not in self._packages and word not in self._names]

    def _when(self, low: list[str], at: int, numbers: list[int], words: list[str]) -> str:
        """Whether the trouble is there with the number at `at` of a sentence; `numbers`: the places of all of them."""
        text = " ".join(low)
        cured = any(word in self._lists["cured"] for word in low)
        place = numbers.index(at)
        for first, second in zip(numbers, numbers[1:]):
            between = self._between(low, first, second)
            if between not in (*_PAIRS, ["from"]) or at not in (first, second):
                continue
            old = second if between == ["from"] else first
            if any(word in text for word in self._lists["back"]):
                return NOW if at == old else BEFORE
            if cured:
                return NOW if at == old else AFTER
            return BEFORE if at == old else NOW
        cuts = [cut for cut, word in enumerate(words) if word.endswith(",") or low[cut] in ("but", "while", "whereas")]
        start = max([0, *(end + 1 for end in (*numbers[:place], *cuts) if end < at)])
        end = min([*numbers[place + 1 :], *(cut + 1 for cut in cuts if cut >= at), len(low)])
        clause = low[start:end]
        before = low[max(0, at - 3) : at]
        if cured and ("in" in before or "to" in before or "with" in before):
            return AFTER
        denied = any(word in self._lists["denied"] for word in clause)
        if any(word in self._lists["well"] for word in clause):
            return NOW if denied else BEFORE
        absent = denied and any(word.startswith((*self._lists["absent"],)) for word in clause)
        ended = not {"until", "till", "before"}.isdisjoint(before) or any(word in text for word in self._lists["back"])
        return BEFORE if absent or ended else NOW


def version_facts(base: RuleBase, versions: Iterable[Version]) -> Iterator[tuple[Version, str, Values]]:
    """(version, fact, value) of what hosts run now: kernel with its stream, nfs-utils, distribution and release."""
    for version in versions:
        if version.when != NOW or not version.side:
            continue
        if version.package == RELEASE:
            yield version, f"{version.side}.distro", version.distro
        fact = f"{version.side}.{version.package.replace('-', '_')}"
        yield version, fact, version.text
        streams = base.facts[f"{fact}_stream"].values or () if version.package in (KERNEL, NFS_UTILS) else ()
        if version.distro and version.distro in streams:
            yield version, f"{fact}_stream", version.distro
        try:
            inferred = base.engine.certain({fact: version.text})
        except FactError:
            continue
        for other in inferred.keys() - {fact}:
            yield version, other, base.engine.answer(other, inferred[other])


def hosts(base: RuleBase, versions: Sequence[Version], ships: Iterable[str]) -> dict[str, Values]:
    """What the versions of a text say of its hosts. Of several any may be meant; one whose side is not said may
    be the client's and the server's. `ships`: "debian 12 1:2.6.2-4", the nfs-utils of each release."""
    known: dict[str, list[Scalar]] = defaultdict(list)
    for one in [one for one in versions if one.when == NOW] or [one for one in versions if one.when == AFTER]:
        rows = (row.split() for row in ships if one.package == RELEASE)
        also = [text for name, number, text in rows if name == one.distro and f"{one.text}.".startswith(f"{number}.")]
        for side in (one.side,) if one.side else ("client", "server"):
            told = [one, *(one._replace(package=NFS_UTILS, text=text) for text in also)]
            facts = version_facts(base, [version._replace(side=side, when=NOW) for version in told])
            for _, fact, value in facts:
                known[fact] += value if isinstance(value, list) else [value]
    answers: dict[str, Values] = {
        fact: values[0] if len({*values}) == 1 else [*dict.fromkeys(values)] for fact, values in known.items()
    }
    try:
        if answers:
            base.engine.judging(answers)
    except FactError:
        return {}  # they contradict each other
    return answers

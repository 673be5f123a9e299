"""Records a host for a bundle: everything that judging it reads, without secrets, comments and unrelated files."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.check_host import check_host
from advisor.check.compared_host import ComparedHost
from advisor.check.facts import HostFacts, facts_of
from advisor.check.host import GivenFacts, WholeHost
from advisor.files.patterns import name_matches
from advisor.files.read_together import TOGETHER
from advisor.host.bundle import Recorder
from advisor.host.network import HOSTS, node_name
from advisor.host.probe import DPKG, RPM_LIST
from advisor.host.tree import MOUNTINFO

if TYPE_CHECKING:
    from advisor.check.host import HostText
    from advisor.host.bundle import PathsRead
    from advisor.host.tree import Tree
    from advisor.rulebase.model import Place, RuleBase

HIDDEN = "***"
"""Replaces a secret."""
PROCESSORS = "/proc/cpuinfo"
_SECRET = re.compile(
    r"(?i)((?:pass|passwd|password[0-9]?|passphrase|cred|credentials|secret|secretfile|secret_access_key|token|api_?key)"
    r"[ \t]*=[ \t]*)([^\s,;]+)"
)
_LOGIN = re.compile(r"//[^/\s:@,]+:[^/\s:@,]+@")
_PARAMETER = re.compile(r"<nvpair\b[^<]*")
_SECRET_NAME = re.compile(r"""(?i)\bname=["'][\w-]*(?:pass|secret|token|key|cred|login)""")
_VALUE = re.compile(r"""(\bvalue=)("[^"]*"|'[^']*')""")
_LAYERS = re.compile(r"((?:lowerdir|upperdir|workdir)=)[^,\s]+")
_COMMENT = ("#", ";")


class RecordedHost(NamedTuple):
    """`node`: the name that the host has for itself. `seen`: its facts, and settings in effect."""

    node: str
    seen: HostFacts
    answers: PathsRead
    redacted: RedactedFiles


def record(base: RuleBase, tree: Tree) -> RecordedHost:
    """All that `check` reads from a host, alone or beside other hosts. No list of paths is kept: the host is judged
    once, and the reads are recorded."""
    recorder = Recorder(tree)
    seen = facts_of(base, recorder, settings=True)
    everything = GivenFacts({}, base.profiles)
    host = WholeHost(base, recorder, lambda _: everything)
    for server in (False, True):
        host.known("", server)
    probed = {*recorder.files}
    check_host(host)
    collected = host.collected
    before = {*recorder.asked}
    compared = ComparedHost(base, recorder, "")
    _ = compared.settings, compared.exports, compared.mounts, compared.as_server
    answers = recorder.paths_read(_units(base), before)
    redacted = RedactedFiles(base, answers.files, collected.texts, collected.others, probed)
    return RecordedHost(node_name(tree), seen, answers._replace(files=redacted.files), redacted)


def probe_places(base: RuleBase) -> Iterator[Place]:
    """Every place where a fact or a setting is looked for."""
    of_facts = (definition.probe for definition in base.facts.values())
    for probe in (*of_facts, *(tunable.probe for tunable in base.tunables.values())):
        if probe is not None:
            yield from probe.where
            for way in probe.ways:
                yield from (way, *way.where)


def _units(base: RuleBase) -> set[str]:
    """Units of which a check asks whether they start at boot."""
    return {unit for check in base.checks.values() if check.host for unit in check.host.of}


def states(base: RuleBase) -> dict[str, list[str]]:
    """Patterns of the files that show a state → the lines that a check reads of them, as regular expressions."""
    found: dict[str, list[str]] = {}
    for state in (check.host for check in base.checks.values() if check.host and check.host.who):
        for pattern in state.of:
            found.setdefault(pattern, []).extend((*state.lines, state.who or ""))
    return found


class RedactedFiles:
    """The texts of a host as they leave it. `comments`, `secrets`: how many lines, and how many values, were taken out.
    `emptied`: paths of files that do not concern NFS."""

    def __init__(
        self, base: RuleBase, files: Mapping[str, str], texts: Iterable[HostText], others: Iterable[HostText],
        needed: Collection[str],
    ) -> None:
        """`texts`: of the files those that concern NFS; `others`: those that do not. `needed`: paths that were read for
        another reason too."""
        self.comments = self.secrets = 0
        self.emptied: list[str] = []
        self._packages = {name for place in probe_places(base) for name in (place.dpkg, place.rpm) if name}
        self._states = states(base)
        about = {text.path: text.host_file.about for text in texts}
        inert = {text.path for text in others if text.host_file.kind not in TOGETHER and text.path not in needed}
        self.files = {path: self._file(path, text, about.get(path, ()), path in inert) for path, text in files.items()}

    def _file(self, path: str, text: str, about: Iterable[str], inert: bool) -> str:
        if inert and text.strip():
            self.emptied.append(path)
            return "#\n"  # an empty file would hide others of its name
        if path == DPKG:
            return _dpkg_stanzas(text, self._packages)
        if path == RPM_LIST:
            return _rpm_builds(text, self._packages)
        if path == PROCESSORS:
            return text.partition("\n\n")[0].rstrip("\n") + "\n"
        for pattern, wanted in self._states.items():
            if name_matches(path, pattern):  # there may be thousands of clients; no line moves
                lines = text.split("\n")
                return "\n".join(line if any(re.search(each, line) for each in wanted) else "" for line in lines)
        if path == MOUNTINFO:
            text = _LAYERS.sub(rf"\g<1>{HIDDEN}", text)
        if path == HOSTS or path.startswith(("/etc/", "/usr/", "/lib/", "/run/")):
            text = self._without_comments(text, about)
        return self._without_secrets(text)

    def _without_comments(self, text: str, about: Iterable[str]) -> str:
        """Comments without their words, except those that suppress findings or make the file concern NFS. No line
        moves."""
        lines = text.split("\n")
        for number, line in enumerate(lines):
            bare = line.lstrip()
            continued = line.endswith("\\") or (number and lines[number - 1].endswith("\\"))
            if len(bare) < 2 or bare[0] not in _COMMENT or continued or "advisor:" in bare:
                continue
            if not any(word in bare for word in about):
                lines[number] = line[: len(line) - len(bare) + 1]
                self.comments += 1
        return "\n".join(lines)

    def _without_secrets(self, text: str) -> str:
        text, values = _SECRET.subn(rf"\g<1>{HIDDEN}", text)
        text, logins = _LOGIN.subn(f"//{HIDDEN}@", text)
        text = _PARAMETER.sub(self._parameter, text)
        self.secrets += values + logins
        return text

    def _parameter(self, match: re.Match[str]) -> str:
        """A parameter of a cluster's resource, without its value if that is a secret, as a fencing device's is."""
        if not _SECRET_NAME.search(match[0]):
            return match[0]
        self.secrets += 1
        return _VALUE.sub(rf'\g<1>"{HIDDEN}"', match[0])


def _dpkg_stanzas(text: str, packages: Collection[str]) -> str:
    """What the list of dpkg says of these packages."""
    wanted = {f"Package: {name}" for name in packages}
    fields = ("Package: ", "Status: ", "Version: ")
    kept = []
    for stanza in text.split("\n\n"):
        lines = stanza.strip("\n").split("\n")
        if lines[0] in wanted:
            kept.append("\n".join(line for line in lines if line.startswith(fields)) + "\n")
    return "\n".join(kept)


def _rpm_builds(text: str, packages: Collection[str]) -> str:
    """The lines of a list of RPM packages that begin with the names of these."""
    starts = tuple(f"{name}-" for name in packages)
    return "".join(f"{line}\n" for line in text.split("\n") if line.startswith(starts))

"""Checks a host: each of its files, what files set against what is in effect, and its known bugs; and records all that
is read for it, without secrets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.check import mounts, server, settings
from advisor.check.compared_host import ComparedHost
from advisor.check.facts import HostFacts, facts_of
from advisor.check.host import GivenFacts, HostText, UnseenFile, WholeHost
from advisor.check.mount_outcomes import asked_by, kept_answers
from advisor.files.patterns import name_matches
from advisor.files.read_together import TOGETHER
from advisor.files.records import Span
from advisor.host.bundle import PathsRead, Recorder
from advisor.host.network import HOSTS, node_name
from advisor.host.probe import DPKG, RPM_LIST, HostValue
from advisor.host.tree import MOUNTINFO, Tree, Unread, tree_of
from advisor.lint.finding import Finding
from advisor.lint.lines import Result, has_fault, known_bug
from advisor.lint.rule_index import RuleIndex
from advisor.lint.suppress import silence
from advisor.named_tuple import grouped
from advisor.regex import regex
from advisor.rulebase.model import Place, RuleBase, Values


def check_host(host: WholeHost) -> None:
    """Find everything of the host that concerns NFS. FactError: what was given contradicts itself."""
    host.asked += asked_by(host.base, host.tree)
    host.collected.unseen.extend(unused for _, unused in kept_answers(host.tree) if isinstance(unused, UnseenFile))
    host.judge_files()
    last = settings.compare(host)
    _masked_files(host)
    mounts.compare(host)
    server.compare(host)
    settings.against_advice(host, last)
    host.leave_out_replaced()
    for result in host.results.values():
        silence(result, result.rule_index.kind)
        result.findings.sort(key=lambda finding: (finding.line, finding.column))
    bugs = [*_known_bugs(host)]
    _drop_repeated(host, {finding.rule for result in bugs for finding in result.findings})
    host.areas["packages"] = bugs
    host.find_uncompared()


def host_findings(base: RuleBase, files: Mapping[str, str], known: Mapping[str, Values]) -> list[Finding]:
    """What is found on a host that is written down, as examples of checks have it: path → content."""
    given = GivenFacts(known, base.profiles)
    host = WholeHost(base, tree_of(files), lambda _: given)
    check_host(host)
    return [finding for results in host.areas.values() for result in results for finding in result.findings]


def _masked_files(host: WholeHost) -> None:
    """Report each file that concerns NFS and is hidden by an empty one."""
    for file in host.collected.hidden:
        try:
            text = host.tree.text(file.path)
        except Unread:
            continue
        about, lines = file.host_file.about, text.split("\n")
        numbers = (number for number, line in enumerate(lines, 1) if any(word in line for word in about))
        number = next(numbers, None if about else 1)
        if number is not None:
            name = host.add_result(file.host_file.area, file.path, text)
            span = Span(number, 1, len(lines[number - 1]) + 1)
            host.report("masked", name, span, place=file.by, option=file.path)


def _drop_repeated(host: WholeHost, seen: set[str]) -> None:
    """Leave one finding of each known bug in all results together, and none of those `seen` already."""
    for result in (result for results in host.areas.values() for result in results):
        kept = []
        for finding in result.findings:
            if finding.rule not in seen:
                kept.append(finding)
            if finding.rule in host.base.errata:
                seen.add(finding.rule)
        result.findings = kept


def _known_bugs(host: WholeHost) -> Iterator[Result]:
    """The known bugs that this host has, each once, at the place where the version was read; as open, those that it has
    if its builds are of a stream that has them."""
    base, found = host.base, set()
    for facts in _roles(host):
        known = {name: host_value.value for name, host_value in facts.items() if host_value.value is not None}
        index = RuleIndex.kept(base, known, "packages")
        for slug, erratum in base.errata.items():
            for fact in erratum.facts:
                spared = erratum.unless and index.holds(f"unless:{slug}", index.state)
                if slug in found or fact not in facts or spared:
                    continue
                version = facts[fact]
                result = Result(version.where, f"{erratum.package} {version.value}\n", index)
                has = has_fault(index, index.state, slug, fact)
                if has:
                    found.add(slug)
                    place = Span(1, 1, len(result.line(1)) + 1)
                    result.add((known_bug(index, index.state, fact, erratum, place, value=str(version.value)),))
                elif has is None:
                    result.add_possible_fault(slug, fact, 1)
                if result.findings or result.open:
                    yield result


def _roles(host: WholeHost) -> Iterator[Mapping[str, HostValue]]:
    """What is known of the host as a client, if it mounts anything, and as a server, if it exports anything. Where
    the mounts are not known, it may mount something."""
    asks, serves = (any(result.nfs_lines for result in host.areas[area]) for area in ("client-mounts", "server"))
    if asks or host.probed.mounts or host.tree.unmounted:
        yield host.facts.facts
    if serves:
        yield host.server_facts.facts


HIDDEN = "***"
"""Replaces a secret."""
PROCESSORS = "/proc/cpuinfo"
_SECRET = regex(
    r"(?i)((?:pass|passwd|password[0-9]?|passphrase|cred|credentials|secret|secretfile|secret_access_key|token|api_?key)"
    r"[ \t]*=[ \t]*)([^\s,;]+)"
)
_LOGIN = regex(r"//[^/\s:@,]+:[^/\s:@,]+@")
_PARAMETER = regex(r"<nvpair\b[^<]*")
_SECRET_NAME = regex(r"""(?i)\bname=["'][\w-]*(?:pass|secret|token|key|cred|login)""")
_VALUE = regex(r"""(\bvalue=)("[^"]*"|'[^']*')""")
_LAYERS = regex(r"((?:lowerdir|upperdir|workdir)=)[^,\s]+")
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
    for as_server in (False, True):
        host.known("", as_server)
    probed = {*recorder.files}
    check_host(host)
    collected = host.collected
    before = {*recorder.asked}
    compared = ComparedHost(base, recorder, "")
    _ = compared.settings, compared.exports, compared.mounts, compared.as_server
    asked = {unit for check in base.checks.values() if check.host for unit in check.host.of}  # if it starts at boot
    answers = recorder.paths_read(asked, before)
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


def states(base: RuleBase) -> dict[str, list[str]]:
    """Patterns of the files that show a state → the lines that a check reads of them, as regular expressions."""
    shown = (check.host for check in base.checks.values() if check.host and check.host.who)
    return grouped((of, line) for state in shown for of in state.of for line in (*state.lines, state.who))


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
            starts = tuple(f"{name}-" for name in self._packages)
            return "".join(f"{line}\n" for line in text.split("\n") if line.startswith(starts))
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

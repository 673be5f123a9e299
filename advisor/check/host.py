"""One host as a whole: its files that concern NFS, as kb/host-files.yaml lists them, what is known of it, and what is
found in its files and in what is in effect.

Each difference between both is a check of the rule base with `host`, which says when it applies and how it is
worded."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.facts import HostFacts, as_server, facts_of
from advisor.files.autofs import maps
from advisor.files.kinds import JUDGED, SETTINGS, read_settings
from advisor.files.mountinfo import parents
from advisor.files.patterns import name_matches
from advisor.files.read_together import INCLUDING, MAX_INCLUDED, TOGETHER, Beside, RunFiles, included, included_folder
from advisor.files.records import Span
from advisor.host.probe import ProbedHost
from advisor.host.tree import FileRead, NotCollected, Tree, Unread, is_at_or_below, paths_like
from advisor.lint.finding import report
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex, as_client
from advisor.lint.run import lint_text
from advisor.named_tuple import grouped
from advisor.rulebase.model import Check, HostFile, RuleBase, Value, Values
from advisor.sections import Section

if TYPE_CHECKING:
    from advisor.probe.evidence import ServerAsked

SERVER = ("exports", "nfs.conf", "nfs-defaults", "ganesha.conf", "cib")
"""Kinds of files that make a host a server."""
AREAS = {
    "client-mounts": "client mounts", "client-settings": "client settings", "kernel": "network and kernel",
    "server": "server", "packages": "packages",
}
"""In the order in which they are shown."""
ETAB = "/var/lib/nfs/etab"
"""What the kernel's server exports now."""
MAX_FILES = 2000
"""Of one entry."""
_TRUTH = {"Y": "1", "N": "0"}
"""How the kernel shows parameters that are true or false."""


class HostText(NamedTuple):
    """A file that was read. `path`: on the host; `name`: how people find it."""

    host_file: HostFile
    path: str
    name: str
    text: str


class HiddenFile(NamedTuple):
    """A file that another one of the same name turns off, which is a link to /dev/null, or empty."""

    host_file: HostFile
    path: str
    by: str


class UnseenFile(NamedTuple):
    """What could not be read. `why`: in words that do not repeat the path. `there`: it exists. `whole`: no place of
    such files could be looked at."""

    title: str
    path: str
    why: str
    there: bool
    whole: bool = False


class CollectedFiles(NamedTuple):
    """`texts`: in the order of the entries, and those of one entry in the order of its patterns. `others`: those that
    do not concern NFS."""

    texts: list[HostText]
    hidden: list[HiddenFile]
    unseen: list[UnseenFile]
    others: list[HostText]


class GivenFacts(NamedTuple):
    """The facts and security profiles that a user gives for a file, and the facts of some mounts. Files with the same
    facts share one `known` object."""

    known: Mapping[str, Values]
    profiles: Collection[str] = ()
    sections: Sequence[Section] = ()


_NOTHING_GIVEN = GivenFacts({})


def collect(tree: Tree, wanted: Sequence[HostFile]) -> CollectedFiles:
    """Every file of these entries of kb/host-files.yaml that exists, each once."""
    collected = CollectedFiles([], [], [], [])
    real: set[str] = set()
    layout = tree.layout
    for host_file in wanted:
        if not host_file.only or (layout is not None and layout.id in host_file.only):
            _Collector(tree, host_file, collected, real).collect()
    return collected


class _Collector:
    """Collects the files of one entry. `real`: paths without links of all files that were read."""

    def __init__(self, tree: Tree, host_file: HostFile, collected: CollectedFiles, real: set[str]) -> None:
        self.tree, self.host_file, self.found, self.real = tree, host_file, collected, real
        self.first: dict[str, str] = {}
        """Name of a file → the first path with it, which hides the others."""
        self.masks: set[str] = set()

    def collect(self) -> None:
        before = len(self.found.unseen)
        for pattern in self.host_file.at:
            for number, path in enumerate(paths_like(pattern, self.tree.names, self._unlisted)):
                if number >= MAX_FILES:
                    self._unseen(pattern, f"there are more than {MAX_FILES} files")
                    break
                self._file(path)
        unseen = self.found.unseen[before:]
        if len({file.path for file in unseen if not file.there}) == len(self.host_file.at):
            self.found.unseen[before:] = [file._replace(whole=True) for file in unseen]

    def _file(self, path: str) -> None:
        if self.host_file.same_name == "hides":
            first = self.first.setdefault(path.rpartition("/")[2], path)
            if first != path:
                if self._are_two_files(path, first) and first in self.masks:
                    self.found.hidden.append(HiddenFile(self.host_file, path, first))
                return
        try:
            if self.tree.masked(path):
                self.masks.add(path)
                return
            file = self._read_once(path)
        except Unread as error:
            try:
                file = self.tree.read(path)  # a copy may have it in another place
            except Unread:
                self._unseen(path, str(error), not isinstance(error, NotCollected))
                return
        if file is not None:
            if not file.text.strip():
                self.masks.add(path)
            self._add(path, file)

    def _read_once(self, path: str) -> FileRead | None:
        """A file; None if it does not exist, or was read already. Raises Unread."""
        real = self.tree.real(path) if self.tree.exists(path) else ""
        if not real or real in self.real:
            return None
        file = self.tree.read(path)
        self.real.add(real)
        return file

    def _add(self, path: str, file: FileRead, begins: str | None = None, depth: int = 1) -> None:
        """Add a file, and those that it includes. `begins`: the section in which it is included."""
        about = self.host_file.about
        concerned = not about or any(word in file.text for word in about)
        (self.found.texts if concerned else self.found.others).append(self._host_text(path, file))
        if self.host_file.kind in INCLUDING:
            for wanted, section in self._included_paths(path, file.text, begins):
                self._add_included(wanted, section, depth)
        for map_name in maps(file.text) if self.host_file.maps else ():
            if map_name.program:
                self._unseen(map_name.path, "it is a program, which is not run")
            elif not map_name.path:
                self._unseen(map_name.text, "this map is in no file")
            else:
                self._add_map(map_name.path)

    def _host_text(self, path: str, file: FileRead) -> HostText:
        return HostText(self.host_file, path, file.where if ": " in file.where else path, file.text)

    def _add_included(self, path: str, section: str | None, depth: int) -> None:
        if depth >= MAX_INCLUDED:
            self._unseen(path, f"more than {MAX_INCLUDED} files include one another")
            return
        try:
            file = self._read_once(path)
        except Unread as error:
            self._unlisted(path, error)
            return
        if file is not None:
            self._add(path, file, section, depth + 1)

    def _included_paths(self, path: str, text: str, begins: str | None) -> Iterator[tuple[str, str | None]]:
        """The paths of the files that this one includes, and the section of each."""
        for directive in read_settings(self.host_file.kind, text, path, begins).includes[:MAX_FILES]:
            folder = included_folder(path, directive)
            if folder is not None:
                for found in paths_like(os.path.normpath(folder), self.tree.names, self._unlisted):
                    yield found, directive.section
            elif directive.key.text.lower() == "include":
                yield os.path.normpath(included(path, directive.value.text)[0]), directive.section

    def _add_map(self, path: str) -> None:
        try:
            file = self._read_once(path)
        except Unread as error:
            self._unseen(path, f"the map {path}: {str(error).partition(' ')[2]}")
            return
        if file is None:
            return
        if file.text.startswith("#!"):
            self._unseen(path, "it is a program, which is not run")
        else:
            self.found.texts.append(self._host_text(path, file))

    def _are_two_files(self, path: str, other: str) -> bool:
        """/lib may be a link to /usr/lib."""
        try:
            return self.tree.masked(other) or self.tree.real(path) != self.tree.real(other)
        except Unread:
            return True

    def _unseen(self, path: str, why: str, there: bool = True) -> None:
        if why.startswith("/"):
            why = why.rpartition(": ")[2] if ": " in why else why.partition(" ")[2].removeprefix("was ")
        self.found.unseen.append(UnseenFile(self.host_file.title, path, why, there))

    def _unlisted(self, pattern: str, error: Exception) -> None:
        self._unseen(pattern, str(error), not isinstance(error, NotCollected))


class HostFiles:
    """The files of a host."""

    def __init__(self, base: RuleBase, tree: Tree) -> None:
        self.base, self.tree = base, tree

    @cached_property
    def collected(self) -> CollectedFiles:
        return collect(self.tree, list(self.base.host_files.values()))

    def texts(self, *kinds: str) -> list[HostText]:
        """The files of these kinds, under their names on the host."""
        return [text for text in self.collected.texts if text.host_file.kind in kinds]

    def seen(self, *entries: str, all_places: bool = False) -> bool:
        """Whether files of these entries of kb/host-files.yaml could be looked for; with `all_places` in each of their
        places, so that a setting that was not found is certainly nowhere."""
        titles = {self.base.host_files[entry].title for entry in entries}
        unseen = [file for file in self.collected.unseen if file.title in titles]
        return not any(all_places or file.whole or file.there for file in unseen)


class WholeHost(HostFiles):
    """A host. `given`: of the file with this name, "" for the host itself."""

    def __init__(self, base: RuleBase, tree: Tree, given: Callable[[str], GivenFacts]) -> None:
        super().__init__(base, tree)
        self.given = given
        self.areas: dict[str, list[Result]] = {}
        """Area → results of its files, then those of other places, such as /proc/sys."""
        self.results: dict[str, Result] = {}
        """All of them, by name."""
        self.not_judged: list[HostText] = []
        """Files of kinds that no check is for."""
        self.uncompared: set[str] = set()
        """Names of files of which something that they are compared with could not be seen."""
        self.not_read: set[str] = set()
        """Names of files of settings that nothing reads."""
        self._replaced: dict[str, set[tuple[int, str]]] = {}
        """Name of a result → line and rule of the findings instead of which others were reported."""
        self.asked: list[ServerAsked] = []
        """What servers answered to this host."""
        self._facts_found: dict[tuple[int, bool], tuple[Mapping[str, Values], HostFacts]] = {}

    # What is known of it

    def known(self, name: str, server: bool) -> Mapping[str, Values]:
        """The facts for a file of this name; `server`: as those of a server. FactError: what was given contradicts
        itself."""
        return self._facts(name, server)[0]

    @property
    def facts(self) -> HostFacts:
        """What the host shows of itself as a client."""
        return self._facts("", False)[1]

    @property
    def server_facts(self) -> HostFacts:
        return self._facts("", True)[1]

    @property
    def probed(self) -> ProbedHost:
        return self.facts.probe

    def _facts(self, name: str, server: bool) -> tuple[Mapping[str, Values], HostFacts]:
        """What is known of the host, as a client or as a server, beside what is given for this file."""
        known = self.given(name).known
        key = (id(known), server)
        if key not in self._facts_found:
            given = as_server(self.base, known) if server else as_client(self.base, dict(known))
            seen = facts_of(self.base, self.tree, given, platform=False, settings=not server)
            # What this host serves does not describe the servers that it mounts from.
            scopes = ("host", "server") if server else ("host",)
            self._facts_found[key] = {**seen.values(self.base, *scopes), **given}, seen
        return self._facts_found[key]

    @cached_property
    def indexes(self) -> tuple[RuleIndex, ...]:
        """The rule base with what is known of the host as a client, and as a server."""
        return tuple(RuleIndex.kept(self.base, self.known("", server), "states") for server in (False, True))

    # Its files

    def is_missing(self, path: str) -> bool:
        """Whether a file is certainly not there."""
        try:
            return not self.tree.exists(path)
        except Unread:
            return False

    def look_for(self, path: str) -> bool:
        """Whether there is certainly nothing at a path of the host, wherever it is, of which nothing is read."""
        self.tree.looked_for.update((path, *parents(path)))
        return self.is_missing(path)

    def find_uncompared(self) -> None:
        """Add to what was not seen all that files of this host would have been compared with."""
        for text in self.collected.texts:
            extra = (more for word, more in text.host_file.compared_if.items() if word in text.text)
            for what, paths in (pair for needed in (text.host_file.compared, *extra) for pair in needed.items()):
                why = self._why_unseen(paths)
                if why:
                    self.collected.unseen.append(UnseenFile(what, paths[0], why, there=False, whole=True))
                    self.uncompared.add(text.name)

    def _why_unseen(self, paths: Iterable[str]) -> str:
        """Why none of these paths can be seen; "" if one can, or if the host certainly has none."""
        why = ""
        for path in paths:
            try:
                if self.tree.exists(path):
                    return ""
            except Unread as error:
                why = "not collected" if isinstance(error, NotCollected) else str(error).removeprefix(f"{path} ")
        return why

    # What is found

    def judge_files(self) -> None:
        collected, given = self.collected, self.given("")
        self.areas, self.not_judged = judge_files(self.base, collected.texts, self.known, given, collected.others)
        self.results = {result.name: result for results in self.areas.values() for result in results}

    def add_result(self, area: str, name: str, text: str) -> str:
        """The name of a result for a place other than an NFS file."""
        if name not in self.results:
            self.results[name] = Result(name, text, self.indexes[0])
            self.areas.setdefault(area, []).append(self.results[name])
        return name

    @cached_property
    def checks(self) -> dict[str, list[Check]]:
        """Difference → its checks; those about fewer settings, or fewer hosts, go first."""
        profiles = {*self.given("").profiles}
        asked = [
            (check.host, check) for check in self.base.checks.values()
            if check.host is not None and (not check.profiles or profiles.intersection(check.profiles))
        ]
        asked.sort(key=lambda of: (-max(map(len, of[0].of), default=0), not of[1].when))
        return grouped((host.found, check) for host, check in asked)

    def about(self, difference: str) -> list[str]:
        """The patterns of settings, or the units, that the checks for this difference are about."""
        return [name for check in self.checks.get(difference, ()) if check.host for name in check.host.of]

    def report(
        self, difference: str, name: str, span: Span, *, tunable: str | None = None, value: Value = None,
        option: str = "", path: str = "", fstype: str = "", options: str = "", **words: object,
    ) -> bool:
        """Add a finding of the first check for this `difference` that applies, and return whether there was one.
        `name`: of the result; `path`, `fstype`, `options`: of the file system concerned; `words`: for the message."""
        for check in self.checks.get(difference, ()):
            host = check.host
            assert host is not None
            if host.of and not any(name_matches(tunable or "", pattern) for pattern in host.of):
                continue
            if host.types and not any(name_matches(fstype, pattern) for pattern in host.types):
                continue
            if host.lacks in options.split(","):
                continue
            if host.at_default and not (tunable and is_same(self.base.tunables[tunable].default, words["effect"])):
                continue
            if check.when and not any(index.holds(f"check:{check.check}", index.state) for index in self.indexes):
                continue
            if path and is_at_or_below(path, host.besides):
                return False
            figures = {name: str(word) for name, word in words.items()}
            finding = report(check, span, tunable=tunable, value=value, figures=figures, option=option)
            self.results[name].findings.append(finding._replace(file=name))
            self._replaced.setdefault(name, set()).update((span.line, rule) for rule in host.instead)
            return True
        return False

    def leave_out_replaced(self) -> None:
        for name, replaced in self._replaced.items():
            findings = self.results[name].findings
            findings[:] = [finding for finding in findings if (finding.line, finding.rule) not in replaced]


def judge_files(
    base: RuleBase, texts: Sequence[HostText], known: Callable[[str, bool], Mapping[str, Values]],
    given: GivenFacts = _NOTHING_GIVEN, others: Sequence[HostText] = (),
) -> tuple[dict[str, list[Result]], list[HostText]]:
    """The results of the files of each area, and the files of kinds that are not judged.

    `known`: gives the facts for a file of this name; True: as those of a server. `given`: what is given for all, of
    which its `known` does not count. `others`: files that do not concern NFS, but may be read together with one that
    does. Raises SectionError."""
    by_area: dict[str, list[Result]] = {area: [] for area in AREAS}
    not_judged = []
    indexes: dict[tuple[str, int], RuleIndex] = {}
    together = (text for text in (*texts, *others) if text.host_file.kind in TOGETHER)
    beside = RunFiles(Beside(text.host_file.kind, text.name, text.text) for text in together)
    for text in texts:
        kind = text.host_file.kind
        if kind not in JUDGED:
            not_judged.append(text)
            continue
        facts = known(text.name, kind in SERVER)
        key = kind, id(facts)
        if not given.sections and key not in indexes:
            indexes[key] = RuleIndex.kept(base, facts, kind, given.profiles)
        result = lint_text(text.text, text.name, base, facts, indexes.get(key), kind=kind,
                           profiles=given.profiles, sections=given.sections, beside=beside)
        if result.rule_index.matcher.sections == tuple(given.sections):  # a file may say more of its entries
            indexes[key] = result.rule_index
        by_area[text.host_file.area].append(result)
    return by_area, not_judged


def concerns_nfs(text: HostText, result: Result) -> bool:
    """Whether a file concerns NFS. For a kind that only configures NFS, any setting does."""
    if result.nfs_lines or text.host_file.about or text.host_file.area == "kernel":
        return bool(result.nfs_lines)
    lines = (line.strip() for line in text.text.split("\n"))
    return text.host_file.kind in SETTINGS and any(line and line[0] not in "#;[" for line in lines)


def is_same(value: object, other: object) -> bool:
    """Whether two texts of a value mean the same to the kernel."""
    return _plain(value) == _plain(other)


def _plain(value: object) -> str:
    text = " ".join(str(value).split())
    return _TRUTH.get(text, text)

"""What differs between a host's files and what is in effect, and where it is reported.

Each difference is a check of the rule base with `host`, which says when it applies and how it is worded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from advisor.files.records import Span
from advisor.globs import matches
from advisor.host.layouts import is_at_or_below
from advisor.host.tree import Unread
from advisor.lint.finding import report
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex

if TYPE_CHECKING:
    from advisor.check.files import CollectedFiles, HostText
    from advisor.host.probe import ProbedHost
    from advisor.host.tree import Tree
    from advisor.rulebase.model import Check, RuleBase
    from advisor.rulebase.model.types import Value, Values

_TRUTH = {"Y": "1", "N": "0"}
"""How the kernel shows parameters that are true or false."""


class HostComparison:
    """The comparison for one host. `results`: of its files, by name; findings are added to them. `known`: facts of
    it as a client; `as_server`: as a server. `profiles`: the security profiles whose checks are run."""

    def __init__(
        self, base: RuleBase, tree: Tree, collected: CollectedFiles, results: dict[str, Result], probed: ProbedHost,
        *, known: Mapping[str, Values], as_server: Mapping[str, Values] | None = None,
        profiles: Collection[str] = (),
    ) -> None:
        self.base, self.tree, self.collected, self.results, self.probed = base, tree, collected, results, probed
        self.known = known
        self.as_server = known if as_server is None else as_server
        self.index = RuleIndex(base, known, kind="states")
        self.checks: dict[str, list[Check]] = {}
        for check in base.checks.values():
            if check.host is not None and (not check.profiles or set(check.profiles) & set(profiles)):
                self.checks.setdefault(check.host.found, []).append(check)
        for several in self.checks.values():  # those about fewer settings, or fewer hosts, go first
            several.sort(
                key=lambda check: (-max(map(len, check.host.of if check.host else ()), default=0), not check.when),
            )
        self.added: dict[str, list[Result]] = {}
        """Area → results of places other than NFS files, such as /proc/sys."""
        self.not_read: set[str] = set()
        """Names of files of settings that nothing reads."""

    def report(
        self, difference: str, name: str, span: Span, *, tunable: str | None = None, value: Value = None,
        option: str = "", path: str = "", fstype: str = "", options: str = "", **words: object,
    ) -> bool:
        """Add a finding of the first check for this `difference` that applies, and return whether there was one.
        `name`: of the result; `path`, `fstype`, `options`: of the file system concerned; `words`: for the message."""
        for check in self.checks.get(difference, ()):
            host = check.host
            assert host is not None
            if host.of and not any(matches(tunable or "", pattern) for pattern in host.of):
                continue
            if host.types and not any(matches(fstype, pattern) for pattern in host.types):
                continue
            if host.lacks and host.lacks in options.split(","):
                continue
            if host.at_default and not (tunable and is_same(self.base.tunables[tunable].default, words["effect"])):
                continue
            if check.when and not self._holds(check):
                continue
            if path and is_at_or_below(path, host.besides):
                return False
            figures = {name: str(word) for name, word in words.items()}
            finding = report(check, span, tunable=tunable, value=value, figures=figures, option=option)
            findings = self.results[name].findings
            kept = [other for other in findings if other.line != span.line or other.rule not in host.instead]
            findings[:] = [*kept, finding._replace(file=name)]
            return True
        return False

    def _holds(self, check: Check) -> bool:
        """Whether the condition of a check certainly holds, of the host as a client or as a server."""
        indexes = (self.index, self._server_index)
        return any(index.holds(f"check:{check.check}", index.state) is True for index in indexes)

    @cached_property
    def _server_index(self) -> RuleIndex:
        return RuleIndex(self.base, self.as_server, kind="states")

    def add_result(self, area: str, name: str, text: str) -> str:
        """The name of a result for a place other than an NFS file."""
        if name not in self.results:
            self.results[name] = Result(name, text, self.index)
            self.added.setdefault(area, []).append(self.results[name])
        return name

    def seen(self, *entries: str) -> bool:
        """Whether all files of these entries of kb/host-files.yaml could be looked for."""
        titles = {self.base.host_files[entry].title for entry in entries}
        return not any(file.title in titles and (file.whole or file.there) for file in self.collected.unseen)

    def texts(self, kind: str) -> list[HostText]:
        return [text for text in self.collected.texts if text.host_file.kind == kind]

    def is_missing(self, path: str) -> bool:
        """Whether a file is certainly not there."""
        try:
            return not self.tree.exists(path)
        except Unread:
            return False

    def report_masked_files(self) -> None:
        """Report each file that concerns NFS and is hidden by an empty one."""
        for file in self.collected.hidden:
            if not file.masked:
                continue
            try:
                text, _ = self.tree.read(file.path)
            except Unread:
                continue
            about = file.host_file.about
            if about and not any(word in text for word in about):
                continue
            name = self.add_result(file.host_file.area, file.path, text)
            lines = text.split("\n")
            number = next((n for n, line in enumerate(lines, 1) if any(word in line for word in about)), 1)
            span = Span(number, 1, len(lines[number - 1]) + 1)
            self.report("masked", name, span, place=file.by, option=file.path)


def is_same(value: object, other: object) -> bool:
    """Whether two texts of a value mean the same to the kernel."""
    return _plain(value) == _plain(other)


def _plain(value: object) -> str:
    text = " ".join(str(value).split())
    return _TRUTH.get(text, text)

"""Compares the settings in a host's files with those in effect, and explains differences.

Each difference is a check of the rule base with `host`, which says when it applies and how it is worded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from advisor.check import mounts, server
from advisor.check.facts import with_platform
from advisor.check.settings import SetValue, includes, set_values
from advisor.files import kinds
from advisor.files.kinds import INCLUDING
from advisor.files.records import Setting, Span
from advisor.globs import matches
from advisor.host.layouts import is_at_or_below
from advisor.host.tree import Unread
from advisor.lint.finding import at, at_least, from_check
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import Result, lint_text
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.files import CollectedFiles, HostText
    from advisor.host.probe import ProbedHost
    from advisor.host.tree import Tree
    from advisor.rulebase.model import Check, RuleBase
    from advisor.rulebase.model.types import Value, Values

_TRUTH = {"Y": "1", "N": "0"}
"""How the kernel shows parameters that are true or false."""
_OF_CLIENTS = ("sysctl", "modprobe", "udev")
"""Kinds of files that make settings of a client."""


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

    def compare(self) -> None:
        """Report every difference."""
        placed = [*self.set_values()]
        last = {setting.tunable: setting for setting in placed}
        self._overridden(placed, last)
        self._not_in_effect(last)
        self._set_nowhere(last)
        self._masked_files()
        self._missing_includes()
        mounts.compare(self)
        server.compare(self)
        self._against_advice(last)

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
            if host.at_default and not (tunable and _is_same(self.base.tunables[tunable].default, words["effect"])):
                continue
            if check.when and not self._holds(check):
                continue
            if path and is_at_or_below(path, host.besides):
                return False
            figures = {name: str(word) for name, word in words.items()}
            finding = from_check(
                check, Setting(value, "", 0, 0, option), tunable=tunable, value=value, figures=figures,
            )
            findings = self.results[name].findings
            kept = [other for other in findings if other.line != span.line or other.rule not in host.instead]
            findings[:] = [*kept, at(finding, name, span)]
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

    def set_values(self) -> Iterator[SetValue]:
        """Every setting of a file that is read, in the order in which they are applied."""
        for setting in set_values(self.base, self.collected.texts):
            if setting.name in self.not_read:
                continue
            self.add_result(setting.file.host_file.area, setting.name, setting.file.text)
            if setting.beside_folder and self.report(
                "not-read", setting.name, setting.span, tunable=setting.tunable, option=setting.file.path,
            ):
                self.not_read.add(setting.name)
                continue
            yield setting

    def _overridden(self, placed: list[SetValue], last: Mapping[str, SetValue]) -> None:
        for setting in placed:
            winner = last[setting.tunable]
            if winner.name != setting.name and not _is_same(setting.meaning, winner.meaning):
                self.report(
                    "overridden", setting.name, setting.span, tunable=setting.tunable, value=setting.value,
                    option=setting.text, other=winner.value, place=winner.place,
                )

    def _not_in_effect(self, last: Mapping[str, SetValue]) -> None:
        for tunable, setting in last.items():
            definition, now = self.base.tunables[tunable], self.probed.settings.get(tunable)
            if now is None or _is_same(setting.meaning, now.value) or definition.other_unit in last:
                continue
            if definition.kind == "nfs.conf" and now.value == 0:
                continue  # the server is stopped
            if _is_numeric(setting.value) != _is_numeric(str(now.value)):
                continue  # the linter has judged what a file says instead of a number
            if definition.kind == "module-parameter" and f"sysctl.{tunable.partition('.')[2]}" in last:
                continue  # it is set again once the module is loaded, and that is what is reported
            self.report(
                "not-in-effect", setting.name, setting.span, tunable=tunable, value=setting.value, option=setting.text,
                effect=now.value, place=now.where, setting=values.name(definition),
            )

    def _set_nowhere(self, last: Mapping[str, SetValue]) -> None:
        """Settings in effect that differ from the default and are in no file."""
        patterns = [pattern for check in self.checks.get("set-nowhere", ()) if check.host for pattern in check.host.of]
        if not (self.seen("sysctl", "modprobe", "udev", "cmdline") and {"sysctl", "modprobe"} <= set(kinds.SETTINGS)):
            return
        for tunable, now in self.probed.settings.items():
            definition = self.base.tunables[tunable]
            parameter = f"module.{tunable.partition('.')[2]}"
            if tunable in last or parameter in last or not any(matches(tunable, pattern) for pattern in patterns):
                continue
            if definition.default is None or definition.default_when or _is_same(str(definition.default), now.value):
                continue
            if any(tunable.rpartition(".")[2] in text.text for text in self.collected.texts):
                continue  # a udev rule or the command line has it
            name = self.add_result("kernel", now.where, f"{now.value}\n")
            self.report(
                "set-nowhere", name, Span(1, 1, len(str(now.value)) + 1), tunable=tunable, value=now.value,
                setting=values.name(definition), default=definition.default,
            )

    def _masked_files(self) -> None:
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

    def _missing_includes(self) -> None:
        for kind in INCLUDING:
            texts = self.texts(kind)
            there = {text.path for text in texts}
            for text in texts:
                for directive, path, optional in includes(text):
                    if path in there or optional or not self._is_missing(path):
                        continue
                    span = Span(directive.key.span.line, directive.key.span.column, directive.value.span.end_column)
                    self.report(
                        "include-missing", text.name, span, tunable=f"{kind}.include", option=directive.value.text,
                        path=path,
                    )

    def _is_missing(self, path: str) -> bool:
        """Whether a file is certainly not there."""
        try:
            return not self.tree.exists(path)
        except Unread:
            return False

    def _against_advice(self, last: Mapping[str, SetValue]) -> None:
        """Settings in effect that no file makes, and that certainly ought to be otherwise: each is judged as if a file
        had set it."""
        if not self.probed.mounts:
            return
        facts = with_platform(self.base, self.index, self.probed.mounts, self.known)
        files = {steps.id: steps.file for steps in self.base.kinds.values() if steps.file}
        indexes: dict[str, RuleIndex] = {}
        for tunable, now in self.probed.settings.items():
            file = files.get(self.base.tunables[tunable].kind)
            decision = self.base.decisions.get(tunable)
            if tunable in last or decision is None or file is None or file.kinds[0] not in _OF_CLIENTS:
                continue
            kind, name = file.kinds[0], tunable[len(file.prefix):]
            section, _, key = name.partition(".") if file.sections else ("", "", name)
            text = file.written.format(section=section, key=key, value=now.value)
            if kind not in indexes:
                indexes[kind] = RuleIndex(self.base, facts, kind=kind)
            result = lint_text(f"{text}\n", now.where, self.base, facts, indexes[kind], kind=kind)
            findings = [
                finding for finding in result.findings
                if finding.rule in decision.rules and at_least(finding.severity, "warning")
            ]
            if findings:
                shown = self.add_result("kernel", now.where, f"{text}\n")
                self.results[shown].findings += [finding._replace(fix=None) for finding in findings]


def _is_same(value: object, other: object) -> bool:
    return _plain(value) == _plain(other)


def _plain(value: object) -> str:
    text = " ".join(str(value).split())
    return _TRUTH.get(text, text)


def _is_numeric(text: str) -> bool:
    return all(part.lstrip("-").isdigit() for part in text.split())

"""What a host set, what is in effect, and why the two differ.

Each difference is a check of the rule base with `host`: which one fits, and its words, stand there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from advisor.check import advised, clustered, exported, includes, mounted, services
from advisor.check.placed import SetValue, placed
from advisor.host import Unread
from advisor.host.layouts import fits, matches
from advisor.lint.finding import at, from_check
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import Result
from advisor.options.reading import Setting
from advisor.readers import settings
from advisor.readers.spans import Span
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.files import Collected, HostText
    from advisor.host import HostValue, Probed, Tree
    from advisor.rulebase.model import Check, RuleBase, Tunable
    from advisor.rulebase.model.types import Value, Values

_TRUTH = {"Y": "1", "N": "0"}
"""How the kernel shows parameters that are yes or no."""


class States:
    """The comparison for one host. `results`: of its files, by name; findings are added to them. `known`: facts of
    it as a client; `served`: as a server.
    `profiles`: the security profiles whose checks are made."""

    def __init__(
        self, base: RuleBase, tree: Tree, collected: Collected, results: dict[str, Result], probed: Probed,
        *, known: Mapping[str, Values], served: Mapping[str, Values] | None = None,
        profiles: Collection[str] = (),
    ) -> None:
        self.base, self.tree, self.collected, self.results, self.probed = base, tree, collected, results, probed
        self.known = known
        self.checks: dict[str, list[Check]] = {}
        for check in base.checks.values():
            if check.host is not None and (not check.profiles or set(check.profiles) & set(profiles)):
                self.checks.setdefault(check.host.found, []).append(check)
        for listed in self.checks.values():  # those that speak of fewer settings, or of fewer hosts, go first
            listed.sort(key=lambda one: (-max(map(len, one.host.of if one.host else ()), default=0), not one.when))
        self.index = RuleIndex(base, known, kind="states")
        self.served = known if served is None else served
        self.added: dict[str, list[Result]] = {}
        """Area → results of places other than NFS files, such as /proc/sys."""
        self.passed_over: set[str] = set()
        """Names of files of settings that nothing reads."""

    def compare(self) -> None:
        """Tell of every difference."""
        placed = [*self.set_values()]
        self._overridden(placed)
        self._in_effect(placed)
        self._nowhere(placed)
        self._hidden()
        includes.compare(self)
        mounted.compare(self)
        exported.compare(self)
        clustered.compare(self)
        services.compare(self)
        advised.compare(self, {one.tunable for one in placed}, self.known)

    def tell(
        self, found: str, name: str, span: Span, *, tunable: str | None = None, value: Value = None, option: str = "",
        path: str = "", fstype: str = "", options: str = "", **words: object,
    ) -> bool:
        """One finding in the words of the first check that speaks of this; `path`, `fstype` and `options` (of the
        file system): of what it is about. False where none does."""
        for check in self.checks.get(found, ()):
            host = check.host
            assert host is not None
            if host.of and not any(matches(tunable or "", one) for one in host.of):
                continue
            if host.types and not any(matches(fstype, one) for one in host.types):
                continue
            if host.lacks and host.lacks in options.split(","):
                continue
            if host.at_default and not (tunable and _same(self.base.tunables[tunable].default, words["effect"])):
                continue
            if check.when and not self._holds(check):
                continue
            if path and fits(path, host.besides):
                return False
            figures = {name: str(word) for name, word in words.items()}
            finding = from_check(
                check, Setting(value, "", 0, 0, option), tunable=tunable, value=value, figures=figures,
            )
            findings = self.results[name].findings
            beside = [one for one in findings if one.line != span.line or one.rule not in host.instead]
            findings[:] = [*beside, at(finding, name, span)]
            return True
        return False

    def _holds(self, check: Check) -> bool:
        """Whether the condition of a check certainly holds, of the host as a client or as a server."""
        indexes = (self.index, self.server)
        return any(index.holds(f"check:{check.check}", index.state) is True for index in indexes)

    @cached_property
    def server(self) -> RuleIndex:
        """The rules for the host as a server."""
        return RuleIndex(self.base, self.served, kind="states")

    def place(self, area: str, name: str, text: str) -> str:
        """The name of a result for a place other than an NFS file."""
        if name not in self.results:
            self.results[name] = Result(name, text, self.index)
            self.added.setdefault(area, []).append(self.results[name])
        return name

    def seen(self, *entries: str) -> bool:
        """Whether all files of these entries of kb/host-files.yaml could be looked for."""
        titles = {self.base.host_files[entry].title for entry in entries}
        return not any(one.title in titles and (one.whole or one.there) for one in self.collected.unseen)

    def texts(self, kind: str) -> list[HostText]:
        return [one for one in self.collected.texts if one.host_file.kind == kind]

    def set_values(self) -> Iterator[SetValue]:
        """Every setting of a file of settings that is read, in the order in which they are applied."""
        for one in placed(self.base, self.collected.texts):
            if one.name in self.passed_over:
                continue
            if one.name not in self.results:
                self.results[one.name] = Result(one.name, one.file.text, self.index)
                self.added.setdefault(one.file.host_file.area, []).append(self.results[one.name])
            if one.alone and self.tell(
                "not-read", one.name, one.span, tunable=one.tunable, option=one.file.path,
            ):
                self.passed_over.add(one.name)
                continue
            yield one

    def _overridden(self, placed: list[SetValue]) -> None:
        last = {one.tunable: one for one in placed}
        for one in placed:
            winner = last[one.tunable]
            if winner.name != one.name and not _same(one.value, winner.value):
                self.tell(
                    "overridden", one.name, one.span, tunable=one.tunable, value=one.value, option=one.text,
                    other=winner.value, place=winner.place,
                )

    def _in_effect(self, placed: list[SetValue]) -> None:
        last = {one.tunable: one for one in placed}
        for tunable, one in last.items():
            definition, now = self.base.tunables[tunable], self.probed.settings.get(tunable)
            if now is None or _same(one.value, now.value) or self._by_another_unit(definition, last):
                continue
            if definition.kind == "nfs.conf" and now.value == 0:
                continue  # the server is stopped
            if not _same_type(one.value, now):
                continue
            if definition.kind == "module-parameter" and f"sysctl.{tunable.partition('.')[2]}" in last:
                continue  # the same thing is set again once the module is loaded, and that is told there
            self.tell(
                "not-in-effect", one.name, one.span, tunable=tunable, value=one.value, option=one.text,
                effect=now.value, place=now.where, setting=values.name(definition),
            )

    @staticmethod
    def _by_another_unit(tunable: Tunable, last: Mapping[str, SetValue]) -> bool:
        """Whether another setting for the same thing is set too, and takes the place of this one."""
        return tunable.other_unit is not None and tunable.other_unit in last

    def _nowhere(self, placed: list[SetValue]) -> None:
        """Settings in effect that differ from the default and stand in no file."""
        said = {one.tunable for one in placed}
        patterns = [one for check in self.checks.get("set-nowhere", ()) if check.host for one in check.host.of]
        if not (self.seen("sysctl", "modprobe", "udev", "cmdline") and {"sysctl", "modprobe"} <= set(settings.READ)):
            return
        for tunable, now in self.probed.settings.items():
            definition = self.base.tunables[tunable]
            twin = f"module.{tunable.partition('.')[2]}"
            if tunable in said or twin in said or not any(matches(tunable, one) for one in patterns):
                continue
            if definition.default is None or definition.default_when or _same(str(definition.default), now.value):
                continue
            if any(tunable.rpartition(".")[2] in one.text for one in self.collected.texts):
                continue  # a rule of udev, or the command line, speaks of it
            name = self.place("kernel", now.where, f"{now.value}\n")
            self.tell(
                "set-nowhere", name, Span(1, 1, len(str(now.value)) + 1), tunable=tunable, value=now.value,
                setting=values.name(definition), default=definition.default,
            )

    def _hidden(self) -> None:
        for one in self.collected.hidden:
            if not one.masked:
                continue
            try:
                text, _ = self.tree.read(one.path)
            except Unread:
                continue
            if one.host_file.about and not any(word in text for word in one.host_file.about):
                continue
            name = self.place(one.host_file.area, one.path, text)
            about = one.host_file.about
            line = next((n for n, raw in enumerate(text.split("\n"), 1) if any(w in raw for w in about)), 1)
            self.tell("masked", name, Span(line, 1, len(text.split("\n")[line - 1]) + 1), place=one.by, option=one.path)


def _same(one: object, other: object) -> bool:
    return _plain(one) == _plain(other)


def _plain(value: object) -> str:
    text = " ".join(str(value).split())
    return _TRUTH.get(text, text)


def _same_type(text: str, now: HostValue) -> bool:
    """Numbers are compared with numbers: whatever else a file says was judged as what it is."""
    return all(part.lstrip("-").isdigit() for part in text.split()) == all(
        part.lstrip("-").isdigit() for part in str(now.value).split()
    )

"""One host as a whole: each file of it judged, the files beside what is in effect, and the bugs that it has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.facts import facts_of
from advisor.check.files import collect
from advisor.check.judged import errata, judged, once
from advisor.check.states import States
from advisor.lint.rule_index import as_client
from advisor.lint.suppress import silence

if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.check.files import Collected, HostText
    from advisor.host import HostValue, Tree
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

_ROLE = "host.role"


class Given(NamedTuple):
    """What a user says of a file. `known`: facts; `profiles`: the security profiles whose checks are made. Files of
    which the same is said share `known`, the very object."""

    known: Mapping[str, Values]
    profiles: Collection[str] = ()


class JudgedHost(NamedTuple):
    """`areas`: the results by area. `left`: of the files that were `collected` those that are not judged."""

    areas: dict[str, list[Result]]
    collected: Collected
    left: list[HostText]
    seen: HostFacts


class WholeHost:
    """A host, judged once. `given`: of the file with this name, "" for the host itself."""

    def __init__(self, base: RuleBase, tree: Tree, given: Callable[[str], Given]) -> None:
        self.base, self.tree, self.given = base, tree, given
        self.hosts: dict[tuple[int, bool], tuple[Mapping[str, Values], HostFacts]] = {}
        self.unread: set[str] = set()
        """Names of files of settings that nothing reads."""

    def judged(self) -> JudgedHost:
        """Everything of the host that concerns NFS. FactError: what was given contradicts itself."""
        collected = collect(self.tree, list(self.base.host_files.values()))
        profiles = self.given("").profiles
        areas, left = judged(self.base, collected.texts, self.known, profiles, collected.others)
        seen = self._facts("", False)[1]
        self._compare(areas, collected, seen)
        known = errata(self.base, self._used(areas, seen))
        once(
            [result for area in areas.values() for result in area], self.base.errata,
            [finding.rule for result in known for finding in result.findings],
        )
        areas["packages"] = known
        return JudgedHost(areas, collected, left, seen)

    def known(self, name: str, server: bool) -> Mapping[str, Values]:
        """The facts for a file of this name; `server`: as those of a server."""
        return self._facts(name, server)[0]

    def _compare(self, areas: dict[str, list[Result]], collected: Collected, seen: HostFacts) -> None:
        """Add what differs between the files and what is in effect."""
        results = {result.name: result for area in areas.values() for result in area}
        states = States(self.base, self.tree, collected, results, seen.probe, known=self.known("", False),
                        served=self.known("", True),                        profiles=self.given("").profiles)
        states.compare()
        self.unread = states.passed_over
        for area, added in states.added.items():
            areas[area] += added
        for result in results.values():
            silence(result, result.rule_index.kind)
            result.findings.sort(key=lambda one: (one.line, one.column))

    def _used(self, areas: dict[str, list[Result]], seen: HostFacts) -> list[Mapping[str, HostValue]]:
        """What is known of the host as a client, if it mounts anything, and as a server, if it exports anything. Where
        that was not looked at it may."""
        mounts = any(result.nfs_lines for result in areas["client-mounts"])
        serves = any(result.nfs_lines for result in areas["server"])
        used: list[Mapping[str, HostValue]] = [seen.facts] if mounts or seen.probe.mounts or self.tree.unmounted else []
        return [*used, self._facts("", True)[1].facts] if serves else used

    def _facts(self, name: str, server: bool) -> tuple[Mapping[str, Values], HostFacts]:
        """What is known of the host, as a client or as a server, beside what is given for this file."""
        known = self.given(name).known
        key = (id(known), server)
        if key not in self.hosts:
            given = dict(known)
            given = {_ROLE: "nfs-server", **given} if server else as_client(self.base, given)
            seen = facts_of(self.base, self.tree, given, platform=False, settings=not server)
            # What this host serves does not describe the servers that it mounts from.
            scopes = ("host", "server") if server else ("host",)
            found = {
                fact: one.value for fact, one in seen.facts.items()
                if one.value is not None and self.base.facts[fact].scope in scopes
            }
            self.hosts[key] = {**found, **given}, seen
        return self.hosts[key]

"""One host as a whole: each of its files judged, what files set compared with what is in effect, and its known bugs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check import mounts, server, settings
from advisor.check.comparison import HostComparison
from advisor.check.facts import facts_of
from advisor.check.files import collect
from advisor.check.mounts import settings_in_effect, value_in_effect
from advisor.files.kinds import JUDGED, SETTINGS
from advisor.files.read_together import TOGETHER, Beside
from advisor.files.records import Span
from advisor.host.probe import HostValue
from advisor.host.tree import MOUNTINFO
from advisor.lint.finding import report
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex, as_client
from advisor.lint.run import lint_text
from advisor.lint.suppress import silence

if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.check.files import CollectedFiles, HostText
    from advisor.host.probe import HostMount, ProbedHost
    from advisor.host.tree import Tree
    from advisor.rulebase.model import Erratum, RuleBase
    from advisor.rulebase.model.types import Values

SERVER = ("exports", "nfs.conf", "nfs-defaults", "ganesha.conf", "cib")
"""Kinds of files that make a host a server."""
AREAS = {
    "client-mounts": "client mounts", "client-settings": "client settings", "kernel": "network and kernel",
    "server": "server", "packages": "packages",
}
"""In the order in which they are shown."""

_ROLE = "host.role"


class GivenFacts(NamedTuple):
    """The facts and security profiles that a user gives for a file. Files with the same facts share one `known`
    object."""

    known: Mapping[str, Values]
    profiles: Collection[str] = ()


class JudgedHost(NamedTuple):
    """`areas`: the results by area. `not_judged`: files of the `collected` ones whose kind no check is for."""

    areas: dict[str, list[Result]]
    collected: CollectedFiles
    not_judged: list[HostText]
    facts: HostFacts


class WholeHost:
    """A host, judged once. `given`: of the file with this name, "" for the host itself."""

    def __init__(self, base: RuleBase, tree: Tree, given: Callable[[str], GivenFacts]) -> None:
        self.base, self.tree, self.given = base, tree, given
        self._facts_found: dict[tuple[int, bool], tuple[Mapping[str, Values], HostFacts]] = {}
        self.unread: set[str] = set()
        """Names of files of settings that nothing reads."""

    def judged(self) -> JudgedHost:
        """Everything of the host that concerns NFS. FactError: what was given contradicts itself."""
        collected = collect(self.tree, list(self.base.host_files.values()))
        profiles = self.given("").profiles
        areas, not_judged = judge_files(self.base, collected.texts, self.known, profiles, collected.others)
        facts = self._facts("", False)[1]
        self._compare(areas, collected, facts)
        bugs = errata(self.base, self._roles(areas, facts))
        _drop_repeated(
            [result for area in areas.values() for result in area], self.base.errata,
            [finding.rule for result in bugs for finding in result.findings],
        )
        areas["packages"] = bugs
        return JudgedHost(areas, collected, not_judged, facts)

    def known(self, name: str, server: bool) -> Mapping[str, Values]:
        """The facts for a file of this name; `server`: as those of a server."""
        return self._facts(name, server)[0]

    def _compare(self, areas: dict[str, list[Result]], collected: CollectedFiles, facts: HostFacts) -> None:
        """Add what differs between the files and what is in effect."""
        results = {result.name: result for area in areas.values() for result in area}
        comparison = HostComparison(
            self.base, self.tree, collected, results, facts.probe, known=self.known("", False),
            as_server=self.known("", True), profiles=self.given("").profiles,
        )
        compare(comparison)
        self.unread = comparison.not_read
        for area, added in comparison.added.items():
            areas[area] += added
        for result in results.values():
            silence(result, result.rule_index.kind)
            result.findings.sort(key=lambda finding: (finding.line, finding.column))

    def _roles(self, areas: dict[str, list[Result]], facts: HostFacts) -> list[Mapping[str, HostValue]]:
        """What is known of the host as a client, if it mounts anything, and as a server, if it exports anything. Where
        the mounts are not known, it may mount something."""
        mounts = any(result.nfs_lines for result in areas["client-mounts"])
        serves = any(result.nfs_lines for result in areas["server"])
        roles: list[Mapping[str, HostValue]] = []
        if mounts or facts.probe.mounts or self.tree.unmounted:
            roles.append(facts.facts)
        return [*roles, self._facts("", True)[1].facts] if serves else roles

    def _facts(self, name: str, server: bool) -> tuple[Mapping[str, Values], HostFacts]:
        """What is known of the host, as a client or as a server, beside what is given for this file."""
        known = self.given(name).known
        key = (id(known), server)
        if key not in self._facts_found:
            given = dict(known)
            given = {_ROLE: "nfs-server", **given} if server else as_client(self.base, given)
            seen = facts_of(self.base, self.tree, given, platform=False, settings=not server)
            # What this host serves does not describe the servers that it mounts from.
            scopes = ("host", "server") if server else ("host",)
            facts = {
                fact: host_value.value for fact, host_value in seen.facts.items()
                if host_value.value is not None and self.base.facts[fact].scope in scopes
            }
            self._facts_found[key] = {**facts, **given}, seen
        return self._facts_found[key]


def compare(host: HostComparison) -> None:
    """Report every difference between the files of a host and what is in effect."""
    last = settings.compare(host)
    host.report_masked_files()
    mounts.compare(host)
    server.compare(host)
    settings.against_advice(host, last)


def judge_files(
    base: RuleBase, texts: Sequence[HostText], known: Callable[[str, bool], Mapping[str, Values]],
    profiles: Collection[str] = (), others: Sequence[HostText] = (),
) -> tuple[dict[str, list[Result]], list[HostText]]:
    """The results of the files of each area, and the files of kinds that are not judged.

    `known`: gives the facts for a file of this name; True: as those of a server. `profiles`: the security profiles
    whose checks are run. `others`: files that do not concern NFS, but may be read together with one that does."""
    by_area: dict[str, list[Result]] = {area: [] for area in AREAS}
    not_judged = []
    indexes: dict[tuple[str, int], RuleIndex] = {}
    together = (text for text in (*texts, *others) if text.host_file.kind in TOGETHER)
    beside = [Beside(text.host_file.kind, text.name, text.text) for text in together]
    for text in texts:
        kind = text.host_file.kind
        if kind not in JUDGED:
            not_judged.append(text)
            continue
        facts = known(text.name, kind in SERVER)
        key = kind, id(facts)
        result = lint_text(text.text, text.name, base, facts, indexes.get(key), kind=kind, profiles=profiles,
                           beside=beside)
        indexes[key] = result.rule_index
        by_area[text.host_file.area].append(result)
    return by_area, not_judged


def concerns_nfs(text: HostText, result: Result) -> bool:
    """Whether a file concerns NFS. For a kind that only configures NFS, any setting does."""
    if result.nfs_lines or text.host_file.about or text.host_file.area == "kernel":
        return bool(result.nfs_lines)
    lines = (line.strip() for line in text.text.split("\n"))
    return text.host_file.kind in SETTINGS and any(line and line[0] not in "#;[" for line in lines)


def _drop_repeated(results: Iterable[Result], rules: Container[str], reported: Iterable[str]) -> None:
    """Leave one finding of each of these `rules` in all results together, and none of those `reported` already."""
    seen = set(reported)
    for result in results:
        kept = []
        for finding in result.findings:
            if finding.rule not in seen:
                kept.append(finding)
            if finding.rule in rules:
                seen.add(finding.rule)
        result.findings = kept


def errata(base: RuleBase, roles: Sequence[Mapping[str, HostValue]]) -> list[Result]:
    """The known bugs that this host certainly has, each once, at the place where the version was read.

    `roles`: what was found of the host as a client and as a server."""
    results: dict[str, Result] = {}
    for facts in roles:
        known = {name: host_value.value for name, host_value in facts.items() if host_value.value is not None}
        index = RuleIndex(base, known, kind="packages")
        for slug, erratum in base.errata.items():
            for fact in erratum.facts:
                if slug in results or fact not in facts or not index.holds(f"erratum:{slug}:{fact}", index.state):
                    continue
                version, fixed = facts[fact], _fixed_version(base, erratum, fact, known)
                remedy = erratum.workaround or ""
                if fixed and fixed not in remedy:
                    remedy = f"{remedy} {erratum.package} {fixed} fixes it.".strip()
                result = Result(version.where, f"{erratum.package} {version.value}\n", index)
                result.add((report(
                    erratum, Span(1, 1, len(result.line(1)) + 1), tunable=f"package.{erratum.package}",
                    value=str(version.value), expected=fixed, remedy=remedy,
                ),))
                results[slug] = result
    return list(results.values())


def _fixed_version(base: RuleBase, erratum: Erratum, fact: str, known: Mapping[str, Values]) -> str | None:
    """The version of the host's own stream that has the fix; None if none is known."""
    stream = known.get(f"{fact}_stream", next(iter(erratum.affected)) if len(erratum.affected) == 1 else None)
    definition = base.engine.fact(fact)
    for span in erratum.affected.get(str(stream), ()):
        bounds = (f">={span.introduced}" if span.introduced else "", f"<{span.fixed}" if span.fixed else "")
        if span.fixed and definition.mask(" ".join(filter(None, bounds))) & definition.mask(known[fact]):
            return span.fixed
    return None


class SettingNow(NamedTuple):
    """What files set, and what is in effect; None if that was not read. A value of None: it is not set, or not in
    effect, and `where` says why."""

    set: HostValue | None
    in_effect: HostValue | None


def current_settings(
    base: RuleBase, tree: Tree, probed: ProbedHost, known: Mapping[str, Values]
) -> dict[str, SettingNow]:
    """Every setting that files of settings make for the whole host, and those in effect. `known`: facts."""
    kinds = {name: steps.file.kinds for name, steps in base.kinds.items() if steps.file}
    entries = {
        name: [host_file.id for host_file in base.host_files.values() if host_file.kind in of]
        for name, of in kinds.items()
    }
    wanted = {entry for several in entries.values() for entry in several}
    collected = collect(tree, [base.host_files[entry] for entry in base.host_files if entry in wanted])
    comparison = HostComparison(base, tree, collected, {}, probed, known=known)
    last = {setting.tunable: HostValue(setting.value, setting.place) for setting in settings.settings_of(comparison)}
    same = {tunable.same_as: last[name] for name, tunable in base.tunables.items() if tunable.same_as and name in last}
    seen = {name: comparison.seen(*several) for name, several in entries.items() if several}
    probed_kinds = {base.tunables[name].kind for name in (*probed.settings, *probed.unset)}
    found = {}
    for tunable, definition in base.tunables.items():
        now = probed.settings.get(tunable)
        own = last.get(tunable) or same.get(tunable)
        if own is None and now is None and definition.kind in probed_kinds and tunable not in probed.unset:
            continue  # it is the same as a setting of another kind
        if own is None and seen.get(definition.kind):
            own = HostValue(None, "")
        if own is not None or now is not None:
            found[tunable] = SettingNow(own, now)
    return found


def current_options(
    base: RuleBase, tree: Tree, mounts: tuple[HostMount, ...], target: str
) -> Iterator[tuple[str, HostValue]]:
    """What is in effect of each option of the mount at `target`, and of the fields of its line; nothing if the
    mounts are not known."""
    options = [name for name, tunable in base.tunables.items() if tunable.kind in ("mount-option", "fstab-field")]
    if tree.unmounted:
        return
    mount = next((mount for mount in reversed(mounts) if mount.target == target), None)
    if mount is None:
        yield from ((name, HostValue(None, "not mounted")) for name in options)
        return
    index = RuleIndex(base, {}, kind="states")
    shown = settings_in_effect(base, index, mount)
    for name in options:
        value = value_in_effect(base, name, shown)
        yield name, HostValue(value, "not shown by the kernel" if value is None else MOUNTINFO)
    if mount.read_ahead_kb is not None:
        yield "bdi.read_ahead_kb", mount.read_ahead_kb

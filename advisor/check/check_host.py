"""Checks a host: each of its files, what files set against what is in effect, and its known bugs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from advisor.check import asked, mounts, server, settings
from advisor.check.host import GivenFacts, WholeHost
from advisor.files.records import Span
from advisor.host.tree import Unread, tree_of
from advisor.lint.lines import Result, known_bug
from advisor.lint.rule_index import RuleIndex
from advisor.lint.suppress import silence

if TYPE_CHECKING:
    from advisor.host.probe import HostValue
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


def check_host(host: WholeHost) -> None:
    """Find everything of the host that concerns NFS. FactError: what was given contradicts itself."""
    asked.take(host)
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
        if not file.masked:
            continue
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
        index = RuleIndex(base, known, kind="packages")
        for slug, erratum in base.errata.items():
            for fact in erratum.facts:
                if slug in found or fact not in facts:
                    continue
                version = facts[fact]
                result = Result(version.where, f"{erratum.package} {version.value}\n", index)
                if index.holds(f"erratum:{slug}:{fact}", index.state):
                    found.add(slug)
                    place = Span(1, 1, len(result.line(1)) + 1)
                    result.add((known_bug(index, index.state, fact, erratum, place, value=str(version.value)),))
                else:
                    result.add_possible_fault(slug, fact, index.state, 1)
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

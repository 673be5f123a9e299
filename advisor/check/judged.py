"""Each file of a host judged as the linter judges it, with what is known of the host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.lint.finding import SEVERITY_OF, Finding
from advisor.lint.read_together import TOGETHER, Beside
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import Result, lint_text
from advisor.readers.judged import JUDGED
from advisor.readers.settings import READ as SETTINGS

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.host import HostValue
    from advisor.rulebase.model import Erratum, RuleBase
    from advisor.rulebase.model.types import Values

SERVER = ("exports", "nfs.conf", "nfs-defaults", "ganesha.conf", "cib")
"""Kinds of files that make a host a server."""


AREAS = {
    "client-mounts": "client mounts", "client-settings": "client settings", "kernel": "network and kernel",
    "server": "server", "packages": "packages",
}
"""In the order in which they are told."""


def judged(
    base: RuleBase, texts: Sequence[HostText], known: Callable[[str, bool], Mapping[str, Values]],
    profiles: Collection[str] = (), others: Sequence[HostText] = (),
) -> tuple[dict[str, list[Result]], list[HostText]]:
    """The results of the files of each area, and the files of kinds that are not judged.

    `known`: the facts for a file of this name; True: as those of a server.
    `profiles`: the security profiles whose checks are made. `others`: files that do not concern NFS, and may stand
    beside one that does."""
    found: dict[str, list[Result]] = {area: [] for area in AREAS}
    left = []
    indexes: dict[tuple[str, int], RuleIndex] = {}
    together = (one for one in (*texts, *others) if one.host_file.kind in TOGETHER)
    beside = [Beside(one.host_file.kind, one.name, one.text) for one in together]
    for one in texts:
        kind = one.host_file.kind
        if kind not in JUDGED:
            left.append(one)
            continue
        facts = known(one.name, kind in SERVER)
        key = kind, id(facts)
        result = lint_text(one.text, one.name, base, facts, indexes.get(key), kind=kind, profiles=profiles,
                           beside=beside)
        indexes[key] = result.rule_index
        found[one.host_file.area].append(result)
    return found, left


def concerns(one: HostText, result: Result) -> bool:
    """Whether a file says anything of NFS: one of a kind that is about NFS alone does with its first setting."""
    if result.nfs_lines or one.host_file.about or one.host_file.area == "kernel":
        return bool(result.nfs_lines)
    lines = (line.strip() for line in one.text.split("\n"))
    return one.host_file.kind in SETTINGS and any(line and line[0] not in "#;[" for line in lines)


def once(results: Iterable[Result], rules: Container[str], lines: Iterable[str]) -> None:
    """Leave one finding of each of these `rules` in all results together, and none of those `told` already."""
    seen = set(lines)
    for result in results:
        kept = []
        for finding in result.findings:
            if finding.rule not in seen:
                kept.append(finding)
            if finding.rule in rules:
                seen.add(finding.rule)
        result.findings = kept


def errata(base: RuleBase, found: Sequence[Mapping[str, HostValue]]) -> list[Result]:
    """The known bugs that this host certainly has, each once, at the place where the version was read.

    `found`: what was found of the host as a client and as a server."""
    judged: dict[str, Result] = {}
    for facts in found:
        known = {name: one.value for name, one in facts.items() if one.value is not None}
        index = RuleIndex(base, known, kind="packages")
        for slug, erratum in base.errata.items():
            for fact in erratum.facts:
                if slug in judged or fact not in facts or not index.holds(f"erratum:{slug}:{fact}", index.state):
                    continue
                version, fixed = facts[fact], _fixed(base, erratum, fact, known)
                remedy = erratum.workaround or ""
                if fixed and fixed not in remedy:
                    remedy = f"{remedy} {erratum.package} {fixed} fixes it.".strip()
                result = Result(version.where, f"{erratum.package} {version.value}\n", index)
                result.findings.append(Finding(
                    slug, SEVERITY_OF[erratum.strength], erratum.consequence, "high", result.name, 1, 1,
                    len(result.line(1)) + 1, f"package.{erratum.package}", str(version.value), fixed,
                    f"{erratum.title}: {erratum.symptom}", erratum.why, remedy,
                    tuple(erratum.cites), None,
                ))
                judged[slug] = result
    return list(judged.values())


def _fixed(base: RuleBase, erratum: Erratum, fact: str, known: Mapping[str, Values]) -> str | None:
    """The version of the host's own stream that has the fix; None where nobody knows one."""
    stream = known.get(f"{fact}_stream", next(iter(erratum.affected)) if len(erratum.affected) == 1 else None)
    definition = base.engine.fact(fact)
    for span in erratum.affected.get(str(stream), ()):
        bounds = (f">={span.introduced}" if span.introduced else "", f"<{span.fixed}" if span.fixed else "")
        if span.fixed and definition.mask(" ".join(filter(None, bounds))) & definition.mask(known[fact]):
            return span.fixed
    return None

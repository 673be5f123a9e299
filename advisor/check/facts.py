"""Facts of a host that can be used as answers: inside their domains, and consistent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from advisor.engine import FactError, consistent
from advisor.host.probe import HostMount, HostValue, ProbedHost, probe
from advisor.host.tree import Tree
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.model import RuleBase, Values

PLATFORM = "storage.platform"


class HostFacts(NamedTuple):
    """`probe`: all that was found. `facts`: those that can be used; `unknown`: why the others cannot."""

    probe: ProbedHost
    facts: dict[str, HostValue]
    unknown: dict[str, str]

    def values(self, base: RuleBase, *scopes: str) -> dict[str, Values]:
        """The facts whose value was found; those of these scopes alone, if any is named."""
        return {
            name: fact.value for name, fact in self.facts.items()
            if fact.value is not None and (not scopes or base.facts[name].scope in scopes)
        }


OF_FILES = {"host.configured_by_files": True}
"""What is certain of a host whose files can be read."""


def facts_of(
    base: RuleBase, tree: Tree, given: Mapping[str, Values] | None = None, *, platform: bool = True,
    settings: bool = False,
) -> HostFacts:
    """Facts of the host of these files, without those of `given`.

    `given`: facts that the user gave; what contradicts them is dropped. `platform`: also infer the platform from the
    names of the mounted servers. `settings`: also look for settings in effect. FactError: `given` contradicts
    itself."""
    given = dict(given or {})
    probed = probe(base.facts, tree, base.tunables if settings else None, given)
    candidates = dict(probed.facts)
    unknown = {name: why for name, why in probed.unknown.items() if name not in given}
    if platform and PLATFORM not in given:
        found, why = _platform(RuleIndex(base, {}), probed.mounts)
        if found is None:
            unknown[PLATFORM] = why
        else:
            note = f"inferred: the name of every mounted server is one of {found}"
            candidates[PLATFORM] = HostValue(found, f"the mount {probed.mounts[0].target}", note)
    return HostFacts(probed, _consistent_facts(base, given, candidates, unknown), unknown)


def as_server(base: RuleBase, known: Mapping[str, Values]) -> dict[str, Values]:
    """The known facts and the role of a server, without those that only a client has."""
    facts: dict[str, Values] = {"host.role": "nfs-server", **known}
    if not consistent(base.engine, base.engine.state(known)):
        return facts
    kept: dict[str, Values] = {}
    for name, value in facts.items():
        if consistent(base.engine, base.engine.state({**kept, name: value})):
            kept[name] = value
    return kept


def _consistent_facts(
    base: RuleBase, given: Mapping[str, Values], candidates: Mapping[str, HostValue], unknown: dict[str, str]
) -> dict[str, HostValue]:
    """The facts that are in their domains and consistent with the given ones; reasons for the others go to
    `unknown`."""
    engine = base.engine
    known: dict[str, Values | None] = dict(given)
    # Given facts that contradict each other are reported elsewhere; here it must not look like the host's fault.
    sound = consistent(engine, engine.state(known))
    kept: dict[str, HostValue] = {}
    # Inside a container the kernel is that of the host and the distribution is not: facts that imply others go first.
    for name in sorted(candidates, key=lambda name: not base.facts[name].infer):
        fact = candidates[name]
        if name in given:
            continue
        missing = _why_unusable(base, name, given, candidates, unknown)
        if missing:
            unknown[name] = missing
            continue
        try:
            with_it = engine.state({**known, name: fact.value})
        except FactError as error:
            unknown[name] = f"{fact.where} says {fact.value!r}, which is unusable: {error}"
            continue
        if base.facts[name].applies and consistent(engine, engine.state({**known, **OF_FILES, name: "n/a"})):
            # As an answer it would imply that this host is one of those to which the fact applies.
            unknown[name] = f"{fact.where} says {fact.value!r}, which means nothing on most hosts"
            continue
        if sound and not consistent(engine, with_it):
            unknown[name] = f"{fact.where} says {fact.value!r}, which contradicts other facts"
            continue
        known[name] = fact.value
        kept[name] = fact
    return {name: kept[name] for name in candidates if name in kept}


def _why_unusable(
    base: RuleBase, name: str, given: Mapping[str, Values], candidates: Mapping[str, HostValue],
    unknown: Mapping[str, str],
) -> str:
    """Why a fact cannot be used beside facts that the user gave for another host; "" if it can."""
    wanted = base.facts[name].probe
    for other in wanted.beside if wanted else ():
        own = candidates[other].value if other in candidates else None
        answer = given.get(other)
        if other in given and own not in (answer if isinstance(answer, list) else [answer]):
            return f"{other} was given as {given[other]}, and is {'unknown' if own is None else own} here"
        if other in unknown and other in candidates:
            return f"{other} of this host could not be used"
    return ""


def _platform(index: RuleIndex, mounts: Sequence[HostMount]) -> tuple[str | None, str]:
    """The platform that the names of all mounted servers show; None, and why not, if they do not show one."""
    by_server = {mount.server: index.rules.platform_of(mount.server, mount.fstype) for mount in mounts}
    platforms = {platform for platform in by_server.values() if platform is not None}
    for server, platform in by_server.items():
        if platform is None:
            return None, f"the name of the mounted server {server} does not identify a platform"
    if len(platforms) > 1:
        several = ", ".join(sorted(platforms))
        return None, f"the names of the mounted servers point to several platforms: {several}"
    return next(iter(platforms), None), "no NFS mount is in effect"


def with_platform(
    base: RuleBase, index: RuleIndex, mounts: Sequence[HostMount], known: Mapping[str, Values]
) -> Mapping[str, Values]:
    """The known facts, with the platform where the names of all mounted servers are of the same one."""
    platform, _ = _platform(index, mounts)
    if platform is None or PLATFORM in known:
        return known
    facts = {**known, PLATFORM: platform}
    return facts if consistent(base.engine, base.engine.state(facts)) else known

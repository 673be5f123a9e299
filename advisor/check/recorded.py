"""What is read of a host when it is judged, as a bundle holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.facts import HostFacts, facts_of
from advisor.check.redact import Redacted
from advisor.check.sides.addresses import node_name
from advisor.check.sides.compared_host import ComparedHost
from advisor.check.whole import Given, WholeHost
from advisor.host.bundled import Recorder
from advisor.rulebase.query import profiles

if TYPE_CHECKING:
    from advisor.host import Tree
    from advisor.host.bundle import PathsRead
    from advisor.rulebase.model import RuleBase


class Recorded(NamedTuple):
    """`node`: the name that the host has for itself. `seen`: its facts, and settings in effect."""

    node: str
    seen: HostFacts
    answers: PathsRead
    redacted: Redacted


def recorded(base: RuleBase, tree: Tree) -> Recorded:
    """All that is read of a host when it is judged, alone and beside others. Nothing lists it: it is judged, and what
    that asks for is kept."""
    recorder = Recorder(tree)
    seen = facts_of(base, recorder, settings=True)
    everything = Given({}, profiles(base))
    host = WholeHost(base, recorder, lambda _: everything)
    for server in (False, True):
        host.known("", server)
    probed = {*recorder.files}
    collected = host.judged().collected
    before = {*recorder.asked}
    compared = ComparedHost(base, recorder, "")
    _ = compared.settings, compared.exports, compared.mounts, compared.as_server
    answers = recorder.kept(_units(base), before)
    redacted = Redacted().of(answers.files, collected.texts, collected.others, probed, {*_packages(base)})
    return Recorded(node_name(tree), seen, answers._replace(files=redacted.files), redacted)


def _packages(base: RuleBase) -> Iterator[str]:
    """Those whose versions facts and tunables ask for."""
    of_facts = (definition.probe for definition in base.facts.values())
    for probe in (*of_facts, *(tunable.probe for tunable in base.tunables.values())):
        for way in probe.ways if probe else ():
            yield from (name for place in (way, *way.where) for name in (place.dpkg, place.rpm) if name)
        for place in probe.where if probe else ():
            yield from (name for name in (place.dpkg, place.rpm) if name)


def _units(base: RuleBase) -> set[str]:
    """Units of which a check asks whether they start at boot."""
    return {unit for check in base.checks.values() if check.host for unit in check.host.of}

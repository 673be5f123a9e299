"""Settings of the whole host that are certainly advised and that no file of it makes yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, Before
from advisor.advice.mount_line import is_to_set
from advisor.artefacts.build import checked
from advisor.artefacts.host_files import system
from advisor.host.tree import Unread
from advisor.lint.finding import SEVERITY_OF, at_least
from advisor.lint.run import lint_text
from advisor.rulebase.values import supports, why_invalid

if TYPE_CHECKING:
    from advisor.advice.model import Advice, Recommendation
    from advisor.artefacts import Artefact
    from advisor.check.settings import SetValue
    from advisor.host.probe import ProbedHost
    from advisor.host.tree import Tree
    from advisor.repair.plan import CheckedFiles
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

_KINDS = ("sysctl", "module-parameter", "bdi", "nfs.conf")
"""Kinds of settings that apply to the whole host and have their own files."""
_KIND_OF_FOLDER = {"sysctl.d": "sysctl", "modprobe.d": "modprobe", "nfs.conf.d": "nfs.conf", "udev": "udev"}
"""Where a file is written → the kind that the linter reads it as."""


_SAYS_WHERE = "bdi.read_ahead_rule"
_ARGUMENT = "Reasons and sources: advisor why SETTING"


class NewFiles(NamedTuple):
    """`files`: to install. `left`: what stands against others, in sentences."""

    files: list[Artefact]
    left: list[str]


def plan_new_files(
    host: CheckedFiles, facts: Mapping[str, Values], last: Mapping[str, SetValue], tells: Callable[[str, str], bool]
) -> NewFiles:
    """`last`: the settings that the host's files make, once they are edited. Nothing is assumed, and nothing is written
    that the linter objects to."""
    base = host.base
    advice = _advice(base, host.probed, facts)
    twins = {tunable.same_as: last[name] for name, tunable in base.tunables.items() if tunable.same_as and name in last}
    wanted = [
        one for one in advice.advised
        if one.kind in _KINDS and one.rule is not None and is_to_set(one, advice)
        and tells(one.rule.id, SEVERITY_OF[one.strength or "may"])
    ]
    places = {file.install for file in system(checked(base, _only(advice, wanted), _ARGUMENT))}
    missing, kept, left = [], [], []
    for one in wanted:
        own = last.get(one.tunable) or twins.get(one.tunable)
        fits = own is not None and supports(own.value, one.value, one.definition.default)
        if own is None or own.file.path in places:
            kept.append(one)
            missing += [] if fits else [one.tunable]
        elif not fits:
            left.append(f"{own.place} sets {own.text}; {one.text or one.written} is advised. {one.why}")
    files = []
    for file in system(checked(base, _with_existing_files(host.tree, places, _only(advice, kept)), _ARGUMENT)):
        if not any(f"# {name}: " in file.text for name in missing):
            continue  # it is there already
        kind = _KIND_OF_FOLDER.get(file.path.partition("/")[0])
        found = lint_text(file.text, file.install, base, facts, kind=kind).findings if kind else []
        objections = [f.message for f in found if at_least(f.severity, "warning")]
        left += [f"{file.install} is not written: {message}" for message in objections]
        files += [] if objections else [file]
    return NewFiles(files, left)


def _advice(base: RuleBase, probed: ProbedHost, facts: Mapping[str, Values]) -> Advice:
    """What is certain, and what is in effect now, to go back to."""
    before = {
        name: Before(one.value, one.where) for name, one in probed.settings.items()
        if why_invalid(base.tunables[name], one.value) is None
    }
    origin = {name: one.where for name, one in probed.facts.items() if facts.get(name) == one.value}
    names = {"target": probed.mounts[0].target} if probed.mounts else {}
    return advise(base, Answers(dict(facts), names=names, origin=origin, before=before), strict=True)


def _only(advice: Advice, wanted: list[Recommendation]) -> Advice:
    """The advice with only these of the settings in files of the host; settings that say where others are written
    stay."""
    names = {one.tunable for one in wanted}
    return advice._replace(advised=tuple(
        one for one in advice.advised
        if one.kind not in _KINDS or one.tunable in names or one.tunable == _SAYS_WHERE
    ))


def _with_existing_files(tree: Tree, places: set[str], advice: Advice) -> Advice:
    """The advice, if it is known which of the files are there."""
    known = {}
    for place in places:
        try:
            known[place] = Before(True if tree.exists(place) else None, place)
        except Unread:
            continue
    return advice._replace(answers=advice.answers._replace(before={**advice.answers.before, **known}))
